"""Hand-made positions of Monster Hunters, and short ways to play from them and to look at them.

A card is written `fire`, `fire+sword`, `failed fire` or `wand`; a monster is its priority number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import Log, State, seats_of
from polikarp.games.hunters import game
from polikarp.games.hunters.cards import FAILED, SYMBOLS, WAND
from polikarp.games.hunters.rules import CAUGHT, MISTAKEN, NOBODY, PLACES, Hunters
from polikarp.games.hunters.view import Board, Card

CHANCE = FastRng("no move draws anything")


def deal(seats: int, seed: object = 1, **options: OptionValue) -> Hunters:
    state = game.start(seats, options, FastRng(seed))
    assert isinstance(state, Hunters)
    return state


def position(
    seats: int = 3,
    monsters: Sequence[int] = (),
    turned: Sequence[str] = (),
    decks: Mapping[int, Sequence[str]] = {},
    first: int = 0,
    refills: Mapping[int, Sequence[int]] = {},
    **options: OptionValue,
) -> Hunters:
    """A position right after the deal, or after some cards were turned up in turn from the first player on.

    `monsters` lie open at the places 1, 2, 3; `refills` come after them at a place. `turned` are the cards that were
    turned up, in order; `decks` are what then lies on top of a seat's deck.
    """
    state = deal(seats, "any deal", first=str(first + 1), **options)
    put_monsters(state, monsters, refills)
    rings: dict[int, list[str]] = {seat: [] for seat in range(seats)}
    for number, card in enumerate(turned):
        rings[(first + number) % seats].append(card)
    for seat, cards in decks.items():
        rings[seat] += cards
    put_cards(state, rings)
    for _ in turned:
        play(state, waits_for(state), "flip")
    return state


def put_monsters(state: Hunters, monsters: Sequence[int], refills: Mapping[int, Sequence[int]]) -> None:
    row = list(state.monster)
    wanted = dict(enumerate(monsters))
    for place, priorities in refills.items():
        wanted |= {place - 1 + PLACES * depth: priority for depth, priority in enumerate(priorities, 1)}
    numbers = {at: list(state.cards.priority).index(priority) for at, priority in wanted.items()}
    swap_in(row, numbers)
    for at, monster in enumerate(row):
        state.monster[at] = monster


def put_cards(state: Hunters, rings: Mapping[int, Sequence[str]]) -> None:
    row = list(state.face)
    swap_in(
        row,
        {
            state.card_at(seat, depth): face_of(state, text)
            for seat, cards in rings.items()
            for depth, text in enumerate(cards)
        },
    )
    for at, face in enumerate(row):
        state.face[at] = face


def swap_in(row: list[int], wanted: Mapping[int, int]) -> None:
    """Bring things to their places, and what was there to where they were."""
    for at, thing in wanted.items():
        if row[at] != thing:
            other = next(each for each in range(len(row)) if row[each] == thing and wanted.get(each) != thing)
            row[at], row[other] = row[other], row[at]


def face_of(state: Hunters, text: str) -> int:
    cards = state.cards
    kinds = {FAILED} if text.startswith("failed") else {WAND} if text == "wand" else {0, 1}
    symbols = [] if text == "wand" else text.removeprefix("failed ").split("+")
    wanted = [symbols.count(symbol) for symbol in SYMBOLS]
    return next(
        face
        for face in range(len(cards.kind))
        if cards.kind[face] in kinds and [cards.pictures[face * 6 + symbol] for symbol in range(6)] == wanted
    )


def give(state: Hunters, seat: int, caught: Sequence[int] = (), mistakes: int = 0) -> None:
    """Lay monsters of these values before a seat, out of the piles, and as many mistakes."""
    for value in caught:
        at = next(
            at
            for at in range(3, state.monsters)
            if not state.owner[at] and state.cards.value[state.monster[at]] == value
        )
        state.owner[at] = CAUGHT + seat
    for _ in range(mistakes):
        at = next(at for at in range(3, state.monsters) if not state.owner[at])
        state.owner[at] = MISTAKEN + seat


# Playing


def play(state: Hunters, seat: int, text: str) -> Log:
    return state.play(seat, game.parse(text), CHANCE)


def flip(state: Hunters, times: int = 1) -> None:
    for _ in range(times):
        play(state, waits_for(state), "flip")


def mostly_flips(state: State, rng: Rng) -> tuple[int, int]:
    """A random seat and move as random play chooses it, but with so few slaps that decks run out and come round."""
    seats = seats_of(state.waiting if rng.below(30) else state.acting())
    seat = seats[rng.below(len(seats))]
    moves = state.moves(seat)
    if game.parse("flip") in moves and rng.below(25):
        return seat, game.parse("flip")
    return seat, moves[rng.below(len(moves))]


# Looking


def waits_for(state: Hunters) -> int:
    """The only seat that the game waits for."""
    [seat] = seats_of(state.waiting)
    return seat


def moves(state: Hunters, seat: int) -> list[str]:
    return [game.text(move) for move in state.moves(seat)]


def why_not(state: Hunters, seat: int, text: str) -> Refusal | None:
    return state.why_not(seat, game.parse(text))


def keys(log: Log) -> list[str]:
    return [event.key for event in log.events]


def told(log: Log, key: str) -> list[dict[str, Arg]]:
    return [event.args for event in log.events if event.key == key]


def board(state: Hunters, seat: int | None = None) -> Board:
    seen = game.view(state, seat).board
    assert isinstance(seen, Board)
    return seen


def open_monsters(state: Hunters) -> list[int]:
    return [monster.priority for monster in board(state).monsters]


def caught(state: Hunters, seat: int) -> list[int]:
    return [monster.priority for monster in board(state).hunters[seat].caught]


def mistakes(state: Hunters, seat: int) -> list[int]:
    return [monster.priority for monster in board(state).hunters[seat].mistakes]


def open_cards(state: Hunters, seat: int) -> list[str]:
    return [card_text(card) for card in board(state).hunters[seat].open]


def card_text(card: Card) -> str:
    if card.kind == "wand":
        return "wand"
    return ("failed " if card.kind == "failed" else "") + "+".join(card.symbols)


def no_cards_open(state: Hunters) -> bool:
    return all(not hunter.open for hunter in board(state).hunters) and state.newest == NOBODY
