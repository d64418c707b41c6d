"""What lies on the table of Monster Hunters, as data for pages, the terminal and the API. Made from a seat's sight
only. Nothing here says what could be caught: seeing it is the game.
"""

from __future__ import annotations

import msgspec

from polikarp.engine.phrase import Phrase, Refusal
from polikarp.engine.race import Race, Target
from polikarp.engine.state import seats_of
from polikarp.games.hunters.cards import KINDS
from polikarp.games.hunters.notation import move_text
from polikarp.games.hunters.rules import (
    CAUGHT,
    MISTAKEN,
    MOST_UNSEEN,
    NO_MOVE,
    NOBODY,
    PASS,
    PLACES,
    SLAP,
    Hunters,
    symbol_names,
)


class Card(msgspec.Struct, frozen=True):
    """An open spell or weapon. The symbols of a failed attack are pictured but do not count."""

    kind: str
    symbols: list[str]


class Monster(msgspec.Struct, frozen=True):
    priority: int
    value: int
    symbols: list[str]


class Hunter(msgspec.Struct, frozen=True):
    """One player's things: cards left in the deck, open cards as they were turned up, monsters taken."""

    deck: int
    open: list[Card]
    caught: list[Monster]
    mistakes: list[Monster]
    points: int


class CalmRace(msgspec.Struct, frozen=True):
    """A calm race that is on: who slapped first, and what the viewer answered (`slap 2`, `pass`) if they did."""

    first: int
    mine: str | None


class Board(msgspec.Struct, frozen=True):
    table: int  # how many monsters were taken so far
    card: int  # how many cards lie open; the newest is that of `newest`
    monsters: list[Monster]  # by place
    piles: list[int]  # by place: monsters left to refill from
    turn: int | None  # who turns up next; None when nothing is left to turn up
    newest: int | None
    hunters: list[Hunter]
    race: CalmRace | None
    answers: list[str | None]  # by seat: `slap 2` or `pass` in the last calm race that was decided


def monster_view(state: Hunters, at: int) -> Monster:
    monster = state.monster[at]
    return Monster(
        priority=state.cards.priority[monster],
        value=state.cards.value[monster],
        symbols=symbol_names(state.cards.needs, monster).split(),
    )


def card_view(state: Hunters, card: int) -> Card:
    face = state.face[card]
    return Card(KINDS[state.cards.kind[face]], symbol_names(state.cards.pictures, face).split())


def hunter_view(state: Hunters, seat: int) -> Hunter:
    owned = list(state.owner)
    return Hunter(
        deck=state.deck_size(seat) - state.open[seat],
        open=[card_view(state, state.open_card(seat, nth)) for nth in range(state.open[seat])],
        caught=[monster_view(state, at) for at, owner in enumerate(owned) if owner == CAUGHT + seat],
        mistakes=[monster_view(state, at) for at, owner in enumerate(owned) if owner == MISTAKEN + seat],
        points=state.score(seat),
    )


def race_shown(state: Hunters, seat: int) -> CalmRace | None:
    if state.racing == NOBODY:
        return None
    return CalmRace(state.racing, answer_text(state.sealed[seat]) if seat >= 0 else None)


def answer_text(move: int) -> str | None:
    """An answer in a calm race, without what it is judged by."""
    if move == NO_MOVE:
        return None
    return "pass" if move == PASS else f"slap {(move - SLAP) % PLACES + 1}"


def board_view(state: Hunters, seat: int) -> Board:
    can_flip = state.racing == NOBODY and state.waiting == 1 << state.turn
    return Board(
        table=state.takings(),
        card=state.open_count(),
        monsters=[monster_view(state, state.at_place(place)) for place in range(PLACES)],
        piles=[state.pile_size(place) - state.drawn[place] for place in range(PLACES)],
        turn=state.turn if can_flip else None,
        newest=state.newest if state.newest != NOBODY else None,
        hunters=[hunter_view(state, hunter) for hunter in range(state.seats)],
        race=race_shown(state, seat),
        answers=[answer_text(move) for move in state.told],
    )


def prompt_phrase(state: Hunters, seat: int) -> Phrase:
    """What the seat is to do, or what it watches for."""
    if state.waiting == 0:
        return Phrase("over")
    if state.racing != NOBODY:
        answered = seat < 0 or state.answers >> seat & 1
        return Phrase("answered" if answered else "answer", {"seat": state.racing})
    if state.waiting != 1 << state.turn:
        return Phrase("only_slap")
    if seat == state.turn:
        return Phrase("flip")
    return Phrase("watch", {"waits_for": state.turn})


def race_targets(state: Hunters) -> Race:
    """What whoever keeps the time needs to know. Not for players."""
    return Race(
        round=state.takings(),
        card=state.open_count(),
        order=[(state.turn + seat) % state.seats for seat in range(state.seats)],  # hunters.18
        targets=[target(state, place) for place in range(PLACES)],
        rules=OUTCOMES,
        turn=state.turn if state.racing == NOBODY and state.waiting == 1 << state.turn else None,
        flip="flip",
        answering=[] if state.racing == NOBODY else seats_of(state.waiting),
        skip="pass",
    )


def target(state: Hunters, place: int) -> Target:
    """The slaps on a monster, by how many of the newest cards their player had not seen."""
    opened = int(state.open_count())
    unseen = range(min(opened, MOST_UNSEEN + 1))
    return Target(
        priority=state.cards.priority[state.monster[state.at_place(place)]],
        moves=[move_text(SLAP + place + PLACES * count) for count in unseen],
        right=[state.missing(place, count) == 0 for count in unseen],
        void=Refusal("hunters.25", "none_seen" if opened else "nothing_open"),
        unsure=Refusal("hunters.33", "false_start", {"place": place + 1}),  # and nobody is told what was missing
    )


OUTCOMES = {
    "counts": "hunters.16",
    "later": "hunters.16",
    "lower": "hunters.17",
    "order": "hunters.18",
    "second": "hunters.24",
    "old": "hunters.25",
    "impossible": "hunters.30",
}
