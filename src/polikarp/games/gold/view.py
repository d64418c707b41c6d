"""What lies on the table of Heroes' Gold, as data for pages, terminal and API. Made from a seat's sight only."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from polikarp.engine.phrase import Phrase
from polikarp.engine.state import copy_into, first_seat, numbers
from polikarp.games.gold.cards import LEVELS, STRONGEST, count_bits
from polikarp.games.gold.rules import EMPTY, FACTIONS, NO_ORDER, SLOTS, Gold, loot_share


class Guard(msgspec.Struct, frozen=True):
    """A guard: its stars and the ranges on its back, and what it is worth where the viewer knows it."""

    stars: int
    strengths: tuple[int, int]
    loots: tuple[int, int]
    strength: int | None = None
    loot: int | None = None


class Price(msgspec.Struct, frozen=True):
    """What it costs to replace a monster: so much to the treasury and so much to its owner."""

    treasury: int
    owner: int


class Slot(msgspec.Struct, frozen=True):
    """A place beside a guard, the monster there, and what the viewer would pay to replace it."""

    at: str
    owner: int | None
    strength: int | None
    price: Price | None


class Field(msgspec.Struct, frozen=True):
    """A guard with its two slots. `most` is the highest strength on its back."""

    number: int
    guard: Guard
    slots: tuple[Slot, Slot]
    total: int
    most: int


class Fought(msgspec.Struct, frozen=True):
    """A field of the last fight. `strength` and `loot` are as the king's order had them, where the guard was revealed.
    `outcome` is beaten, repelled or unfought; `coins` is what each of the two monsters brought its owner."""

    field: Field
    outcome: str
    strength: int | None
    loot: int | None
    coins: tuple[int, int]


class Fight(msgspec.Struct, frozen=True):
    """The last fight. `paid`: by seat, for healing."""

    round: int
    order: int | None
    fields: list[Fought]
    paid: list[int]


class Player(msgspec.Struct, frozen=True):
    """One player's things. A monster is None where the viewer can not tell which it is; it may then be one of those
    in `maybe`."""

    faction: str
    gold: int
    hand: list[int | None]
    aside: list[int | None]
    maybe: list[int]
    placed: int


class Level(msgspec.Struct, frozen=True):
    """Guards of so many stars: what replacing a monster there costs, and those of which nobody has seen the face."""

    guard: Guard
    price: Price
    unseen: list[tuple[int, int]]  # strength and loot


class Board(msgspec.Struct, frozen=True):
    round: int
    rounds: int
    first: int
    order: int | None  # the king's order that holds in this round
    castle: list[Field]
    deck: int  # guards not laid yet
    top: int | None  # the stars on the deck's top card
    players: list[Player]
    levels: list[Level]
    own_price: int
    healing: list[int]  # by strength from 1, as the king's order has it
    fight: Fight | None


def guard_view(state: Gold, guard: int) -> Guard:
    cards = state.cards
    stars = cards.stars[guard]
    known = guard < cards.size
    return Guard(
        stars=stars,
        strengths=(cards.least_strength[stars], cards.most_strength[stars]),
        loots=(cards.least_loot[stars], cards.most_loot[stars]),
        strength=cards.strength[guard] if known else None,
        loot=cards.loot[guard] if known else None,
    )


def slot_view(state: Gold, slot: int, seat: int) -> Slot:
    if state.monster[slot] == EMPTY:
        return Slot(SLOTS[slot], None, None, None)
    owner = state.owner[slot]
    price = Price(state.cards.own_price, 0)
    if owner != seat:
        price = Price(state.cards.treasury_price, state.owner_share(slot))
    return Slot(SLOTS[slot], owner, state.monster[slot], price)


def field_view(state: Gold, field: int, seat: int) -> Field:
    guard = state.guard[state.gate() + field]
    return Field(
        number=field + 1,
        guard=guard_view(state, guard),
        slots=(slot_view(state, field * 2, seat), slot_view(state, field * 2 + 1, seat)),
        total=state.pair[field],
        most=state.cards.top[guard],
    )


def monsters(bits: int) -> list[int]:
    return [strength for strength in range(1, STRONGEST + 1) if bits >> strength & 1]


def filled_up(known: list[int], count: int) -> list[int | None]:
    """So many monsters, those that are known first."""
    return [*known, *[None] * (count - len(known))]


def player_view(state: Gold, seat: int, viewer: int) -> Player:
    known = state.knows_hand(viewer, seat)
    return Player(
        faction=FACTIONS[seat],
        gold=state.gold[seat],
        hand=filled_up(monsters(state.hand[seat]), 3 - state.placed[seat]),
        aside=filled_up(monsters(state.aside[seat]), 2),
        maybe=[] if known else monsters(~state.seen[seat]),
        placed=state.placed[seat],
    )


def level_view(state: Gold, stars: int, unseen: list[int]) -> Level:
    cards = state.cards
    return Level(
        guard=guard_view(state, cards.back(stars)),
        price=Price(cards.treasury_price, cards.owner_price[stars]),
        unseen=[(cards.strength[guard], cards.loot[guard]) for guard in unseen if cards.stars[guard] == stars],
    )


def before_fight(state: Gold, number: int) -> Gold:
    """The castle as it stood when the guards of a round, the last one fought, were about to be revealed."""
    past = state.blank()
    past.become(state)
    past.round = number
    past.order = state.tile[number - 1] if state.kings_orders else NO_ORDER
    copy_into(past.owner, state.past_owner)
    copy_into(past.monster, state.past_monster)
    for field in range(state.seats):
        past.pair[field] = past.monster[field * 2] + past.monster[field * 2 + 1]
    return past


def fought_view(past: Gold, field: int, seat: int) -> Fought:
    seen = field_view(past, field, seat)
    if seen.guard.strength is None:
        return Fought(seen, "unfought", None, None, (0, 0))
    guard = past.guard[past.gate() + field]
    weakest = past.weakest_pair()
    strength = past.strength_of(guard, field, weakest)
    loot = past.loot_of(guard, field, weakest)
    if past.pair[field] < strength:
        return Fought(seen, "repelled", strength, loot, (0, 0))
    one, two = past.monster[field * 2], past.monster[field * 2 + 1]
    coins = (loot_share(loot, one, two), loot_share(loot, two, one))
    if past.owner[field * 2] == past.owner[field * 2 + 1]:
        coins = (loot - coins[1], coins[1])
    return Fought(seen, "beaten", strength, loot, coins)


def fight_view(state: Gold, seat: int) -> Fight | None:
    number = state.round if state.shown[state.round - 1] else state.round - 1
    if number == 0:
        return None
    past = before_fight(state, number)
    return Fight(
        round=number,
        order=past.order or None,
        fields=[fought_view(past, field, seat) for field in range(state.seats)],
        paid=list(state.past_paid),
    )


def board_view(state: Gold, seat: int) -> Board:
    left = numbers(state.cards.size, 0)
    unseen = [left[at] for at in range(state.unseen_guards(left))]
    drawn = state.round * state.seats
    return Board(
        round=state.round,
        rounds=state.rounds,
        first=state.first,
        order=state.order or None,
        castle=[] if state.waiting == 0 else [field_view(state, field, seat) for field in range(state.seats)],
        deck=state.cards.size - drawn,
        top=state.stars_at(drawn) if drawn < state.cards.size else None,
        players=[player_view(state, player, seat) for player in range(state.seats)],
        levels=[level_view(state, stars, unseen) for stars in range(1, LEVELS + 1)],
        own_price=state.cards.own_price,
        healing=[state.healing_cost(strength) for strength in range(1, STRONGEST + 1)],
        fight=fight_view(state, seat),
    )


def with_factions(board: Board, factions: Sequence[str]) -> Board:
    """The board where each player has the faction that is theirs at this table."""  # gold.6
    players = [replace(player, faction=faction) for player, faction in zip(board.players, factions, strict=True)]
    return replace(board, players=players)


class Choices(msgspec.Struct, frozen=True):
    """What the viewer's moves come to: the slots where some monster may go, and the monsters that may go somewhere."""

    slots: list[str]
    cards: list[int]


def choices(moves: Sequence[str]) -> Choices:
    """Moves are written `place 3 at 2a`, `replace 3 at 2a`."""
    parts = [move.split(" ") for move in moves]
    return Choices(sorted({part[3] for part in parts}), sorted({int(part[1]) for part in parts}))


def prompt_phrase(state: Gold, seat: int) -> Phrase:
    """What the seat is to do, or whom it waits for."""
    if state.waiting == 0:
        return Phrase("over")
    if seat < 0 or state.waiting != 1 << seat:
        return Phrase("wait", {"waits_for": first_seat(state.waiting)})
    if count_bits(state.empty) == 1:
        return Phrase("play_last", {"gold": state.gold[seat]})
    return Phrase("play", {"gold": state.gold[seat]})
