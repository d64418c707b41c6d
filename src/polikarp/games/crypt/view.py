"""What lies on Crypt's table, as data for pages, the terminal and the API. Made from a seat's sight only."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Arg, Phrase
from polikarp.engine.state import WATCHER_BIT, first_seat
from polikarp.games.crypt.cards import KINDS, MOST_DICE, POTTERY, Cards
from polikarp.games.crypt.rules import (
    DISCARDED,
    OVER,
    OWNED,
    PHASES,
    POTTERY_WINDOWS,
    SERVANTS,
    SLOTS,
    STATUE_WINDOWS,
    A,
    Crypt,
)


class Card(msgspec.Struct, frozen=True):
    """A card: its kind, and its value where the viewer knows it. `least`: what everybody can work out of it."""

    kind: str
    value: int | None
    least: int = 1
    public: bool = True  # whether everybody knows the value
    turned: bool = False  # turned up to pay a collector


class Treasure(msgspec.Struct, frozen=True):
    """A card in the crypt, and who holds it with which dice. The ghost is heir number 1 of a solo game."""

    slot: str
    card: Card
    face_up: bool
    holder: int | None
    dice: int
    shows: int


class Collected(msgspec.Struct, frozen=True):
    """A treasure that was collected in this round, or is about to be, and the dice that held it. `rolled`: what each of
    them rolled, None if it was not rolled or is ready again by Remains A. Those that rolled lower than they showed are
    exhausted."""

    slot: str
    card: Card
    face_up: bool
    holder: int
    shows: int
    rolled: list[int | None]


class Coins(msgspec.Struct, frozen=True):
    """The parts of a score. `collectors` by kind; `tie_rolls` only of who tied for the first place."""

    treasures: int
    collectors: dict[str, int]
    servants: int
    tie_rolls: int | None
    total: int


class Heir(msgspec.Struct, frozen=True):
    """One player's things. `complete`: whether the viewer knows every value that the coins are made of."""

    ready: int
    exhausted: int
    away: int
    collection: list[Card]
    award: int
    coins: Coins
    complete: bool


class Collector(msgspec.Struct, frozen=True):
    """A collector with the side in use. `numbers`: those of the data, by the names that its words know them by. `need`
    is how many cards it asks for, `flip` how many of them it wants turned up; where neither is, one is enough."""

    kind: str
    side: str
    numbers: dict[str, Arg]


class Board(msgspec.Struct, frozen=True):
    round: int
    rounds: int
    phase: str
    turn: int
    leader: int  # holds the Torch
    last: int  # holds Lights Out
    lights_out: bool  # this turn may go to one treasure only
    collectors: list[Collector]
    crypt: list[Treasure]
    collected: list[Collected]  # in this round, until the next deal
    deck: int
    top: str | None  # the kind on the back of the deck's top card
    heirs: list[Heir]
    ghost_ready: int | None
    discards: list[Card]
    title: str | None  # of the solo result


def card_view(state: Crypt, card: int) -> Card:
    return Card(
        kind=KINDS[state.kind[card]],
        value=state.value[card] or None,
        least=max(1, state.floor[card]),
        public=bool(state.known[card] & WATCHER_BIT),
        turned=bool(state.turned[card]),
    )


def heir_view(state: Crypt, seat: int, cards: list[int], values: vec[i64]) -> Heir:
    """An heir with the cards of their collection; `values` are what all collections have printed on them."""
    return Heir(
        ready=state.ready[seat],
        exhausted=state.tired[seat],
        away=state.cards.dice - state.ready[seat] - state.tired[seat],
        collection=[card_view(state, card) for card in cards],
        award=state.award[seat],
        coins=Coins(
            treasures=sum(values[seat * 6 + kind] for kind in range(6)),
            collectors={KINDS[kind]: state.collector_coins(seat, kind, values) for kind in range(6)},
            servants=state.servant_coins(seat),
            tie_rolls=state.tie[seat] if state.tie[seat] >= 0 else None,
            total=state.score(seat),
        ),
        complete=all(state.value[card] for card in cards),
    )


def collected_view(state: Crypt, slot: int) -> Collected:
    dice = range(slot * MOST_DICE, slot * MOST_DICE + state.dice[slot])
    return Collected(
        slot=SLOTS[slot],
        card=card_view(state, state.slot[slot]),
        face_up=not state.laid_down(state.slot[slot]),
        holder=state.holder[slot],
        shows=state.shows[slot],
        rolled=[state.rolls[die] or None for die in dice],
    )


def was_rolled_for(state: Crypt, slot: int) -> bool:
    """Whether the dice on a treasure were rolled, which its owner is about to take."""
    return state.phase == STATUE_WINDOWS and 0 <= state.holder[slot] < state.seats


def collector_view(cards: Cards, kind: int, side: int) -> Collector:
    if kind == POTTERY and side == A:
        return Collector(KINDS[kind], "AB"[side], pottery_numbers(cards))
    return Collector(KINDS[kind], "AB"[side], dict(cards.collector[KINDS[kind]]["AB"[side]]))


def pottery_numbers(cards: Cards) -> dict[str, Arg]:
    """The steps of Pottery A: the numbers of cards from which on it gives more, and what it gives then."""  # crypt.44A
    gives: list[int] = [0, *(cards.pottery_bonus(count) for count in range(1, max(2, len(cards.pottery_coins))))]
    steps = [count for count in range(1, len(gives)) if gives[count] != gives[count - 1]] or [1]
    coins = [str(gives[count]) for count in steps]
    return {"need": steps[0], "counts": ", ".join(map(str, steps)) + "+", "coins": ", ".join(coins)}


def board_view(state: Crypt, seat: int) -> Board:
    where, kinds, values = list(state.where), list(state.kind), state.printed_values()
    laid = [slot for slot, card in enumerate(state.slot) if card >= 0]
    rolled = [slot for slot in laid if where[state.slot[slot]] >= OWNED or was_rolled_for(state, slot)]
    owned: list[list[int]] = [[] for _ in range(state.seats)]
    for card in sorted(range(state.size), key=lambda card: kinds[card]):
        if OWNED <= where[card] < OWNED + state.seats:
            owned[where[card] - OWNED].append(card)
    return Board(
        round=state.round,
        rounds=state.size // state.slots,
        phase=PHASES[state.phase],
        turn=state.turn,
        leader=state.leader,
        last=state.leader if state.heirs == 2 else (state.leader + state.seats - 1) % state.seats,
        lights_out=state.phase == SERVANTS and state.lights_out(),
        collectors=[collector_view(state.cards, kind, state.sides[kind]) for kind in range(6)],
        crypt=[
            Treasure(
                slot=SLOTS[slot],
                card=card_view(state, state.slot[slot]),
                face_up=not state.laid_down(state.slot[slot]),
                holder=state.holder[slot] if state.holder[slot] >= 0 else None,
                dice=state.dice[slot] if state.phase == SERVANTS else 0,
                shows=state.shows[slot],
            )
            for slot in laid
            if slot not in rolled
        ],
        collected=[collected_view(state, slot) for slot in rolled],
        deck=state.size - state.drawn,
        top=KINDS[state.kind[state.drawn]] if state.drawn < state.size else None,
        heirs=[heir_view(state, heir, owned[heir], values) for heir in range(state.seats)],
        ghost_ready=state.ready[1] if state.seats == 1 else None,
        discards=[card_view(state, card) for card in range(state.size) if where[card] == DISCARDED],
        title=state.title() if state.seats == 1 and state.phase == OVER else None,
    )


class Act(msgspec.Struct, frozen=True):
    """A move other than sending, as a button: what it is called, and what stands behind that."""

    move: str
    name: str
    text: str


class Choices(msgspec.Struct, frozen=True):
    """What the viewer's moves come to: the slots where servants may be sent, in their order, and everything else."""

    targets: list[str]
    acts: list[Act]


def choices(moves: Sequence[str]) -> Choices:
    """Moves are written `send 2x5 at C`, `take E`, `done`."""
    targets = {move.rpartition(" ")[2] for move in moves if move.startswith("send ")}
    others = [(move, move.partition(" ")) for move in moves if not move.startswith("send ")]
    return Choices(sorted(targets), [Act(move, name, text) for move, (name, _blank, text) in others])


def prompt_phrase(state: Crypt, seat: int) -> Phrase:
    """What the seat is to do, or whom it waits for."""
    if state.phase == OVER:
        return Phrase("over")
    if state.waiting != 1 << max(seat, 0) or seat < 0:
        return Phrase("wait", {"waits_for": first_seat(state.waiting)})
    if state.phase == POTTERY_WINDOWS:
        return Phrase("pottery", {"flip": state.cards.pottery_flip})
    if state.phase != SERVANTS:
        return Phrase("statues", {"flip": state.cards.statue_flip})
    if state.groups:
        if state.ready[seat] and not state.lights_out():
            return Phrase("send_more", {"dice": state.ready[seat]})
        return Phrase("send_done")
    if state.ready[seat] == 0:
        return Phrase("revive_or_recover", {"dice": state.tired[seat]})
    return Phrase("send_one" if state.lights_out() else "send", {"dice": state.ready[seat]})
