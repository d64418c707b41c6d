"""Hand-made positions of Heroes' Gold, and short ways to play from them and to look at them.

A guard is written `** 5/8`: two stars, strength 5, loot 8. A monster in the castle is written `0:4`: monster 4 of
seat 0; a field is two of them, and `-` is an empty slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.engine.state import Log, seats_of
from polikarp.games.gold import game
from polikarp.games.gold.rules import ALL_MONSTERS, SLOTS, Gold
from polikarp.games.gold.view import Board

EASY = "*** 5/10"  # two monsters of 5 in all beat it


def position(
    seats: int = 3,
    guards: Sequence[str] = (),
    hands: Mapping[int, Sequence[int]] = {},
    castle: Mapping[str, str] = {},
    gold: Mapping[int, int] = {},
    order: int = 0,
    turn: int = 0,
    number: int = 1,
    sorted_guards: bool = False,
) -> Gold:
    """The beginning of a round, with these guards from the gate on, hands of three (3, 4, 5 if not named), and
    monsters that lie in the castle already. `turn` is the seat that is to play; `number` is the round's."""
    options = {"kings_orders": order > 0, "sorted_guards": sorted_guards}
    state = game.start(seats, options, FastRng("any deal"))
    assert isinstance(state, Gold)
    state.round = number - 1
    state.first = turn
    if order:
        swap(state.tile, number - 1, list(state.tile).index(order))
    lay_guards(state, guards, (number - 1) * seats)
    state.begin_round()
    for seat in range(seats):
        hand = sum(1 << strength for strength in hands.get(seat, (3, 4, 5)))
        if not state.cards.hand[state.order]:
            state.hand[seat], state.aside[seat] = hand, ALL_MONSTERS & ~hand
        state.treasury += state.gold[seat] - gold.get(seat, state.gold[seat])
        state.gold[seat] = gold.get(seat, state.gold[seat])
    for at, text in castle.items():
        seat, strength = map(int, text.split(":"))
        assert state.hand[seat] >> strength & 1, f"seat {seat} does not hold a {strength}"
        state.put(seat, strength, SLOTS.index(at))
    return state


def swap(row: object, one: int, other: int) -> None:
    row[one], row[other] = row[other], row[one]  # type: ignore[index]


def lay_guards(state: Gold, guards: Sequence[str], base: int) -> None:
    for field, text in enumerate(guards):
        wanted = [guard for guard in range(state.cards.size) if guard_text(state, guard) == text]
        laid = range(base, base + field)
        places = [place for place, guard in enumerate(state.guard) if guard in wanted and place not in laid]
        assert places, f"there is no guard {text} left"
        swap(state.guard, base + field, places[0])


def guard_text(state: Gold, guard: int) -> str:
    cards = state.cards
    return f"{'*' * cards.stars[guard]} {cards.strength[guard]}/{cards.loot[guard]}"


def before_fight(
    fields: Sequence[str],
    guards: Sequence[str],
    gold: Mapping[int, int] = {},
    order: int = 0,
    number: int = 1,
) -> Gold:
    """A castle with one slot left: the last monster of the last field is in the hand of who is to play it."""
    monsters = [text for field in fields for text in field.split()]
    owned: dict[int, list[int]] = {}
    for text in monsters:
        seat, strength = map(int, text.split(":"))
        owned.setdefault(seat, []).append(strength)
    hands = {seat: three(strengths) for seat, strengths in owned.items()}
    castle = dict(zip(SLOTS, monsters[:-1], strict=False))
    turn = int(monsters[-1].split(":")[0])
    return position(len(fields), guards, hands, castle, gold, order, turn, number)


def three(strengths: Sequence[int]) -> list[int]:
    """A hand with these two monsters in it."""
    assert len(strengths) == 2
    spare = next(strength for strength in (3, 4, 5) if strength not in strengths)
    return [*strengths, spare]


def fight(
    fields: Sequence[str],
    guards: Sequence[str],
    gold: Mapping[int, int] = {},
    order: int = 0,
    number: int = 1,
) -> tuple[Gold, Log]:
    """The same, and the last monster is placed: what came of it."""
    state = before_fight(fields, guards, gold, order, number)
    seat, strength = fields[-1].split()[1].split(":")
    return state, play(state, int(seat), f"place {strength} at {len(fields)}b")


# Playing


def play(state: Gold, seat: int, text: str) -> Log:
    """Play one move; nothing is ever drawn in it."""
    return state.play(seat, game.parse(text), ScriptRng([]))


# Looking


def waits_for(state: Gold) -> int:
    [seat] = seats_of(state.waiting)
    return seat


def moves(state: Gold, seat: int) -> list[str]:
    return [game.text(move) for move in state.moves(seat)]


def replacements(state: Gold, seat: int) -> list[str]:
    return [text for text in moves(state, seat) if text.startswith("replace")]


def why_not(state: Gold, seat: int, text: str) -> Refusal | None:
    return state.why_not(seat, game.parse(text))


def keys(log: Log) -> list[str]:
    return [event.key for event in log.events]


def told(log: Log, key: str) -> list[dict[str, Arg]]:
    return [event.args for event in log.events if event.key == key]


def board(state: Gold, seat: int | None = None) -> Board:
    seen = game.view(state, seat).board
    assert isinstance(seen, Board)
    return seen


def gained(state: Gold, before: Mapping[int, int] = {}) -> list[int]:
    """What each seat has more than the eight coins (or those named) that it had."""
    return [state.gold[seat] - before.get(seat, 8) for seat in range(state.seats)]


def hand(state: Gold, seat: int, viewer: int | None = None) -> list[int | None]:
    """A seat's hand as somebody sees it; as it sees itself if nobody is named."""
    return board(state, seat if viewer is None else viewer).players[seat].hand
