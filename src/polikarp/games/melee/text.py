"""Melee's table as plain text, for the terminal and for playthroughs."""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.engine.words import Words
from polikarp.games.melee.view import Board, Duel, Lord, Offer, Province


def board_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The table, line by line."""
    label = words.tables["label"]
    width = max(len(name) for name in names)
    lines = [capital(f"{term(words, 'season', board.season)} · {label['first']}: {names[board.first]}"), ""]
    places = [place_text(province, words) for province in board.provinces]
    room = max(len(place) for place in places)
    lines += [
        f"  {province.name:<2}  {place:<{room}}  {held_text(province, words, names)}"
        for province, place in zip(board.provinces, places, strict=True)
    ]
    lines.append("")
    lines += [offer_text(offer, words, names) for offer in board.offers]
    if board.offers:
        lines.append("")
    lines += [lord_text(lord, words, f"{names[seat]:{width}}") for seat, lord in enumerate(board.lords)]
    if board.duel is not None:
        lines += ["", duel_text(board.duel, words, names)]
    return lines


def capital(line: str) -> str:
    return line[:1].upper() + line[1:]


def term(words: Words, kind: str, name: str) -> str:
    text = words.tables["term"][kind][name]["nom"]
    assert isinstance(text, str)
    return text


def place_text(province: Province, words: Words) -> str:
    """What a province is, and how it is called where it has a name."""
    name = words.tables["term"]["province"][province.name]["name"]
    called = f", {name}" if name != province.name else ""
    return term(words, "place", province.place) + called + (" +1" if province.marked else "")


def held_text(province: Province, words: Words, names: Sequence[str]) -> str:
    label = words.tables["label"]
    units = ", ".join(term(words, "unit", unit) for unit in province.units)
    owner = province.owner if province.owner is not None else province.castle
    empty: str = label["empty"]
    return empty if owner is None else names[owner] + (f": {units}" if units else "")


def offer_text(offer: Offer, words: Words, names: Sequence[str]) -> str:
    label = words.tables["label"]
    bid = label["no_bid"] if offer.seat is None else f"{names[offer.seat]} {offer.gold}"
    return f"  {offer.slot}  {term(words, 'ability', offer.ability):<16} {bid}"


def lord_text(lord: Lord, words: Words, name: str) -> str:
    label = words.tables["label"]
    parts = [
        f"{label['gold']} {lord.gold}",
        f"{label['provinces']} {lord.provinces}",
        f"{label['income']} {lord.income}",
    ]
    units = ", ".join(f"{term(words, 'unit', unit)} {count}" for unit, count in lord.reserve.items())
    parts.append(f"{label['reserve']}: {units}")
    if lord.bid is not None:
        parts.append(f"{label['bid']} {lord.bid}")
    if lord.cards:
        cards = ", ".join(term(words, "action", card) for card in lord.cards)
        parts.append(f"{label['cards']}: {cards}")
    if lord.abilities:
        abilities = ", ".join(term(words, "ability", ability) for ability in lord.abilities)
        parts.append(f"{label['abilities']}: {abilities}")
    return f"  {lord.colour} {name}  {' · '.join(parts)}"


def duel_text(duel: Duel, words: Words, names: Sequence[str]) -> str:
    label = words.tables["label"]
    attacker = f"{names[duel.seat]}, {term(words, 'unit', duel.unit)} {duel.at}"
    defender = f"{names[duel.whose]}, {term(words, 'defender', duel.defender)} {duel.target}"
    return capital(f"{label['attack']}: {attacker} – {defender} · {label['gold']} {duel.gold}")


def end_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The final count, or whose castle fell."""
    label = words.tables["label"]
    if board.taker is not None and board.taken is not None:
        return [f"  {names[board.taker]}: {label['took_castle']} {names[board.taken]}"]
    return [
        f"  {name}: {label['provinces']} {lord.provinces}, {label['gold']} {lord.gold}"
        for name, lord in zip(names, board.lords, strict=True)
    ]


def abilities_text(board: Board, words: Words) -> list[str]:
    """What the abilities do that lie on the table or belong to somebody."""
    there = [offer.ability for offer in board.offers] + [name for lord in board.lords for name in lord.abilities]
    label, texts = words.tables["label"], words.tables["ability"]
    told = [f"  {term(words, 'ability', ability)}: {texts[ability]['text']}" for ability in there]
    return [*told, f"  {label['ours']}"] if told else []
