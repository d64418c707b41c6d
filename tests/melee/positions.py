"""Hand-made positions of Melee, and short ways to play from them and to look at them.

Units are written `soldier R0, knight R1`. Who is not named has no unit on the map.
"""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.engine.state import Log, seats_of
from polikarp.games.melee import game
from polikarp.games.melee.boards import PROVINCES
from polikarp.games.melee.cards import ABILITIES, UNITS
from polikarp.games.melee.rules import ACTIONS, SEASON_NAMES, Melee
from polikarp.games.melee.view import Board

NO_CHANCE = ScriptRng([])


def position(
    seats: int = 4,
    units: Mapping[int, str] = {},
    gold: int | Mapping[int, int] = 10,
    cards: Mapping[int, str] = {},
    abilities: Mapping[int, str] = {},
    season: str = "summer",
    first: int = 0,
    turn: int = 0,
) -> Melee:
    """A position at the first decision of a turn: everybody has chosen cards, Tax (in winter with Recruit) if not
    said otherwise.
    """
    state = game.start(seats, {}, FastRng("any deal"))
    assert isinstance(state, Melee)
    state.season, state.first, state.turn = SEASON_NAMES.index(season), first, turn
    state.passed = (1 << seats) - 1
    for seat in range(seats):
        put_units(state, seat, units.get(seat, ""))
        state.gold[seat] = gold if isinstance(gold, int) else gold.get(seat, 0)
        state.bids[seat] = 0
        chosen = cards.get(seat, "recruit tax" if season == "winter" else "tax").split()
        state.chosen[seat] = sum(1 << ACTIONS.index(card) for card in chosen)
        state.has[seat] = sum(1 << ABILITIES.index(name) for name in abilities.get(seat, "").split())
    state.begin_turn()
    return state


def put_units(state: Melee, seat: int, text: str) -> None:
    for unit in range(4):
        state.on[seat * 4 + unit] = 0
        state.reserve[seat * 4 + unit] = state.cards.count[unit]
    for each in text.split(", ") if text else []:
        name, province = each.split()
        state.place_unit(seat, UNITS.index(name), PROVINCES.index(province))


def attacking(
    units: Mapping[int, str],
    gold: int | Mapping[int, int] = 10,
    abilities: Mapping[int, str] = {},
    seats: int = 4,
) -> Melee:
    """Seat 0 has turned up Move & Attack."""
    return position(seats, units, gold, {0: "attack"}, abilities)


# Playing


def play(state: Melee, seat: int, *texts: str) -> Log:
    """Play moves of one seat, without any chance; what happened in the last."""
    log = Log()
    for text in texts:
        log = state.play(seat, game.parse(text), NO_CHANCE)
    return log


def fight(state: Melee, stake: int, *named: int) -> Log:
    """The attack that is on: its stake, and the values that the defender names."""
    log = play(state, waits_for(state), f"stake {stake}")
    for value in named:
        log = play(state, waits_for(state), f"name {value}")
    return log


def choose_all(state: Melee, text: str) -> Log:
    """Everybody makes the same secret choice."""
    log = Log()
    for seat in seats_of(state.waiting):
        log = play(state, seat, text)
    return log


# Looking


def waits_for(state: Melee) -> int:
    """The only seat that the game waits for."""
    [seat] = seats_of(state.waiting)
    return seat


def moves(state: Melee, seat: int, verb: str = "") -> list[str]:
    """A seat's legal moves; those of one kind without the verb."""
    texts = [game.text(move) for move in state.moves(seat)]
    return [text.removeprefix(f"{verb} ") for text in texts if text.startswith(verb)] if verb else texts


def places(state: Melee, seat: int, verb: str) -> set[str]:
    """The provinces of one kind of move, such as those to recruit a knight in."""
    return {text.split()[-1] for text in moves(state, seat) if text.startswith(verb)}


def why_not(state: Melee, seat: int, text: str) -> Refusal | None:
    return state.why_not(seat, game.parse(text))


def refused(state: Melee, seat: int, text: str) -> tuple[str, str]:
    """The rule and the key of a refusal."""
    refusal = why_not(state, seat, text)
    assert refusal is not None, f"{text} is legal"
    return refusal.rule, refusal.key


def keys(log: Log) -> list[str]:
    return [event.key for event in log.events]


def told(log: Log, key: str) -> list[dict[str, Arg]]:
    """What was said under a key."""
    return [event.args for event in log.events if event.key == key]


def board(state: Melee, seat: int | None = None) -> Board:
    """The table as a seat may see it; as a watcher may if no seat is given."""
    seen = game.view(state, seat).board
    assert isinstance(seen, Board)
    return seen


def units_in(state: Melee, province: str) -> tuple[int | None, list[str]]:
    """Whose units are in a province, and which."""
    [found] = [each for each in board(state).provinces if each.name == province]
    return found.owner, found.units


def reserve(state: Melee, seat: int) -> dict[str, int]:
    return board(state).lords[seat].reserve


def gold(state: Melee, seat: int) -> int:
    return state.gold[seat]
