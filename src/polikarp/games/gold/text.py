"""The table of Heroes' Gold as plain text, for the terminal and for playthroughs."""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.engine.game import Result
from polikarp.engine.words import Words
from polikarp.games.gold.view import Board, Field, Level, Player, Slot


def board_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The table, line by line."""
    label = words.tables["label"]
    width = max(len(name) for name in names)
    head = [f"{label['round']} {board.round}/{board.rounds}", f"{label['first']}: {names[board.first]}"]
    if board.top is not None:
        head.append(f"{label['top_of_deck']}: {'*' * board.top}")
    lines = [capital(" · ".join(head))]
    if board.order is not None:
        lines.append(capital(f"{label['order']}: {order_name(words, board.order)}"))
    lines.append("")
    lines += [field_text(field, words, names, width) for field in board.castle]
    if board.castle:
        lines.append("")
    lines += [player_text(player, words, f"{name:{width}}") for name, player in zip(names, board.players, strict=True)]
    return lines


def capital(line: str) -> str:
    return line[:1].upper() + line[1:]


def order_name(words: Words, order: int) -> str:
    name = words.tables["term"]["order"][str(order)]["nom"]
    assert isinstance(name, str)
    return name


def field_text(field: Field, words: Words, names: Sequence[str], width: int) -> str:
    label = words.tables["label"]
    low, high = field.guard.strengths
    least, most = field.guard.loots
    back = f"{'*' * field.guard.stars:<3}  {label['strength']} {low}-{high}, {label['loot']} {least:>2}-{most:<2}"
    slots = "  ".join(slot_text(slot, words, names, width) for slot in field.slots)
    return f"  {field.number}  {back}  {slots}  {field.total}/{field.most}"


def slot_text(slot: Slot, words: Words, names: Sequence[str], width: int) -> str:
    if slot.owner is None or slot.price is None:
        return f"{slot.at} {'–':{width + 8}}"
    price = f"-{slot.price.treasury}" + (f"-{slot.price.owner}" if slot.price.owner else "")
    return f"{slot.at} {names[slot.owner]:{width}} {slot.strength} {price:5}"


def cards_text(cards: Sequence[int | None]) -> str:
    return " ".join("?" if card is None else str(card) for card in cards)


def player_text(player: Player, words: Words, name: str) -> str:
    label = words.tables["label"]
    faction = words.tables["term"]["faction"][player.faction]["nom"]
    things = [f"{label['gold']} {player.gold}", f"{label['hand']} {cards_text(player.hand)}"]
    things.append(f"{label['aside']} {cards_text(player.aside)}")
    if player.maybe:
        things.append(f"? = {'/'.join(map(str, player.maybe))}")
    return f"  {name}  {' · '.join(things)} · {faction}"


def end_text(result: Result, words: Words, names: Sequence[str]) -> list[str]:
    """The ranking, with shared places."""
    label = words.tables["label"]
    order = sorted(range(len(names)), key=lambda seat: result.places[seat])
    return [f"  {result.places[seat]}. {names[seat]}: {label['gold']} {result.scores[seat]}" for seat in order]


def levels_text(board: Board, words: Words) -> list[str]:
    """What guards of each level can be, and what replacing a monster there costs."""
    return [level_text(level, words) for level in board.levels]


def level_text(level: Level, words: Words) -> str:
    label = words.tables["label"]
    unseen = " ".join(f"{strength}/{loot}" for strength, loot in level.unseen)
    price = f"{label['price']} -{level.price.treasury}" + (f"-{level.price.owner}" if level.price.owner else "")
    return f"  {'*' * level.guard.stars:<3} {price}; {label['unseen']}: {unseen}"
