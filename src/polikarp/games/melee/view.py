"""What lies on Melee's table, as data for pages, the terminal and the API. Made from a seat's sight only."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polikarp.engine.phrase import Arg, Phrase
from polikarp.engine.state import seats_of
from polikarp.games.melee.boards import COLOURS, COUNT, PROVINCES
from polikarp.games.melee.cards import ABILITIES, SEASONS, UNITS
from polikarp.games.melee.rules import (
    ACTING,
    ACTIONS,
    ATTACK_CARD,
    BIDDING,
    CHOOSING,
    DEFENDERS,
    LEADING,
    MOVING,
    NAMING,
    NOBODY,
    ORDERING,
    OVER,
    PHASES,
    PRELIMINARY,
    PRESSING,
    RECRUITING,
    SEASON_NAMES,
    SLOTS,
    STAKING,
    UNKNOWN,
    Melee,
)


class Province(msgspec.Struct, frozen=True):
    """A province with its units. `rested`: those of the player whose turn it is that have not acted yet. `danger`: who
    could attack it from where their units stand."""

    name: str
    place: str  # castle, land, mountains, lake or forest
    marked: bool  # +1 gold at income
    castle: int | None  # whose castle it is
    owner: int | None  # whose units are here
    units: list[str]
    rested: list[str]
    danger: tuple[int, ...]


class Lord(msgspec.Struct, frozen=True):
    """One player's things. `bid` and `cards` where the viewer knows them."""

    colour: str
    gold: int
    provinces: int
    income: int
    reserve: dict[str, int]
    prices: dict[str, int]
    abilities: list[str]
    passed: bool
    bid: int | None
    cards: list[str]
    played: list[str]


class Offer(msgspec.Struct, frozen=True):
    """An ability card on the table in the preliminary phase."""

    slot: str
    ability: str
    seat: int | None
    gold: int


class Duel(msgspec.Struct, frozen=True):
    """An attack: who attacks whom, with what, for how much. `named` has the values that the viewer knows of."""

    seat: int
    unit: str
    at: str
    target: str
    whose: int
    defender: str
    values: int  # how many are named
    gold: int  # the attacker's
    stake: int | None
    named: list[int]
    outcome: str | None  # won, lost


class Hand(msgspec.Struct, frozen=True):
    """The unit whose turn it is."""

    unit: str
    at: str


class Board(msgspec.Struct, frozen=True):
    season: str
    phase: str
    first: int  # holds the first-player card
    player: int | None  # whose turn it is
    card: str | None  # the action card that is carried out
    provinces: list[Province]
    lords: list[Lord]
    offers: list[Offer]
    hand: Hand | None
    duel: Duel | None
    last_duel: Duel | None
    taker: int | None  # took a castle
    taken: int | None  # whose castle it was


def board_view(state: Melee) -> Board:
    acting = state.card == ATTACK_CARD and state.player != NOBODY
    reach = [threats(state, seat) for seat in range(state.seats)]
    return Board(
        season=SEASON_NAMES[state.season],
        phase=PHASES[state.phase],
        first=state.first,
        player=None if state.player < 0 else state.player,
        card=None if state.card < 0 else ACTIONS[state.card],
        provinces=[
            province_view(state, province, acting, reach)
            for province in range(COUNT)
            if state.board.provinces >> province & 1
        ],
        lords=[lord_view(state, seat) for seat in range(state.seats)],
        offers=[offer_view(state, slot) for slot in range(state.slots)] if state.season == 0 else [],
        hand=None if state.unit < 0 else Hand(UNITS[state.unit], PROVINCES[state.at]),
        duel=duel_view(state) if state.phase in (STAKING, NAMING, PRESSING) else None,
        last_duel=shown_view(state) if state.shown[0] >= 0 else None,
        taker=None if state.taker < 0 else state.taker,
        taken=None if state.taken < 0 else state.taken,
    )


def threats(state: Melee, seat: int) -> int:
    """The provinces that a seat's units could attack from where they stand."""
    found = 0
    for unit in range(4):
        for province in range(COUNT):
            if state.on[seat * 4 + unit] >> province & 1:
                found |= state.attack_targets(seat, unit, province)
    return found


def province_view(state: Melee, province: int, acting: bool, reach: list[int]) -> Province:
    castle = state.board.home[province]
    owner = next((seat for seat in range(state.seats) if state.held(seat) >> province & 1), None)
    units = [unit for unit in range(4) if owner is not None and state.on[owner * 4 + unit] >> province & 1]
    rested = [unit for unit in units if acting and owner == state.player and not state.acted[unit] >> province & 1]
    return Province(
        name=PROVINCES[province],
        place=place_of(state, province),
        marked=bool(state.board.marked >> province & 1),
        castle=None if castle < 0 else castle,
        owner=owner,
        units=[UNITS[unit] for unit in units],
        rested=[UNITS[unit] for unit in rested],
        danger=tuple([seat for seat in range(state.seats) if reach[seat] >> province & 1]),
    )


def place_of(state: Melee, province: int) -> str:
    if state.board.home[province] >= 0:
        return "castle"
    if state.board.mountains >> province & 1:
        return "mountains"
    return {"L": "lake", "F": "forest"}.get(PROVINCES[province], "land")


def lord_view(state: Melee, seat: int) -> Lord:
    turned = state.played if seat == state.player else 0
    return Lord(
        colour=COLOURS[state.board.colour[seat]],
        gold=state.gold[seat],
        provinces=state.provinces(seat),
        income=state.income(seat),
        reserve={UNITS[unit]: state.reserve[seat * 4 + unit] for unit in range(4)},
        prices={UNITS[unit]: state.price(seat, unit) for unit in range(4)},
        abilities=[ABILITIES[ability] for ability in range(len(ABILITIES)) if state.has[seat] >> ability & 1],
        passed=bool(state.season == 0 and state.passed >> seat & 1),
        bid=None if state.bids[seat] < 0 else state.bids[seat],
        cards=[ACTIONS[card] for card in range(3) if state.chosen[seat] >> card & 1],
        played=[ACTIONS[card] for card in range(3) if turned >> card & 1],
    )


def offer_view(state: Melee, slot: int) -> Offer:
    seat = state.offerer[slot]
    return Offer(SLOTS[slot], ABILITIES[state.ability[slot]], None if seat < 0 else seat, state.offered[slot])


def duel_view(state: Melee) -> Duel:
    seat, target = state.player, state.target
    return Duel(
        seat=seat,
        unit=UNITS[state.unit],
        at=PROVINCES[state.at],
        target=PROVINCES[target],
        whose=state.owner(target),
        defender=DEFENDERS[state.first_defender(target)],
        values=min(state.guesses(seat, state.unit, target), state.gold[seat]),
        gold=state.gold[seat],
        stake=None if state.stake == UNKNOWN else state.stake,
        named=[state.named[at] for at in range(state.names)],
        outcome=None,
    )


def shown_view(state: Melee) -> Duel:
    """The last attack that was decided, for all to see."""
    seat, unit, at, target, whose, defender, stake, right, *values = state.shown
    named = [value for value in values if value != UNKNOWN]
    return Duel(
        seat=seat,
        unit=UNITS[unit],
        at=PROVINCES[at],
        target=PROVINCES[target],
        whose=whose,
        defender=DEFENDERS[defender],
        values=len(named),
        gold=state.gold[seat],
        stake=stake,
        named=named,
        outcome="lost" if right else "won",
    )


class Way(msgspec.Struct, frozen=True):
    """Where the unit in hand may go, and how: go, march, attack."""

    name: str
    to: str


class Pick(msgspec.Struct, frozen=True):
    """A move that chooses action cards."""

    move: str
    cards: list[str]


class Lead(msgspec.Struct, frozen=True):
    """A move that makes a seat the first player."""

    move: str
    seat: int


class Choices(msgspec.Struct, frozen=True):
    """What the viewer's moves come to. `recruits`: by province, what can be recruited there; `units`: what can be
    recruited anywhere; `offers`: by slot, how much gold can be offered. `season`: its number, 0 before the first;
    `abilities`: those that anybody has or can have."""

    uses: list[Hand]
    recruits: dict[str, list[str]]
    units: list[str]
    offers: dict[str, list[int]]
    ways: list[Way]
    picks: list[Pick]
    leads: list[Lead]
    season: int
    abilities: list[str]


def choices(board: Board, moves: Sequence[str]) -> Choices:
    """Moves are written `use soldier at R1`, `go M`, `choose tax and attack`: `notation.py` has them all."""
    parts = [move.split(" ") for move in moves]
    colours = {lord.colour: seat for seat, lord in enumerate(board.lords)}
    recruits: dict[str, list[str]] = {}
    offers: dict[str, list[int]] = {}
    for part in parts:
        if part[0] == "recruit":
            recruits.setdefault(part[3], []).append(part[1])
        elif part[0] == "offer":
            offers.setdefault(part[3], []).append(int(part[1]))
    return Choices(
        uses=[Hand(part[1], part[3]) for part in parts if part[0] == "use"],
        recruits=recruits,
        units=[unit for unit in UNITS if any(unit in there for there in recruits.values())],
        offers=offers,
        ways=[Way(part[0], part[1]) for part in parts if part[0] in ("attack", "go", "march")],
        picks=[Pick(" ".join(part), part[1::2]) for part in parts if part[0] in ("choose", "first")],
        leads=[Lead(" ".join(part), colours[part[1]]) for part in parts if part[0] == "lead"],
        season=SEASON_NAMES.index(board.season),
        abilities=[
            *(offer.ability for offer in board.offers),
            *(ability for lord in board.lords for ability in lord.abilities),
        ],
    )


def prompt_phrase(state: Melee, seat: int) -> Phrase:
    """What the seat is to do, or whom it waits for."""
    phase = state.phase
    if phase == OVER:
        return Phrase("over")
    if seat < 0 or not state.waiting >> seat & 1:
        others: dict[str, Arg] = {"waits_for": tuple(seats_of(state.waiting))}
        if seat >= 0 and phase == BIDDING:
            return Phrase("bid_in", {**others, "gold": state.bids[seat]})
        return Phrase("cards_in" if seat >= 0 and phase == CHOOSING else "wait", others)
    if phase == PRELIMINARY:
        return Phrase("offer" if state.slots else "preliminary", {"gold": state.gold[seat]})
    if phase == BIDDING:
        return Phrase("bid", {"gold": state.gold[seat], "season": SEASON_NAMES[state.season]})
    if phase == LEADING:
        return Phrase("lead")
    if phase == CHOOSING:
        return Phrase("choose_two" if state.season == SEASONS else "choose")
    if phase == ORDERING:
        return Phrase("order")
    if phase == RECRUITING:
        return Phrase("recruit", {"gold": state.gold[seat]})
    if phase == ACTING:
        return Phrase("act" if state.can_act(seat) else "act_done")
    unit: dict[str, Arg] = {"unit": UNITS[state.unit], "province": PROVINCES[state.at]}
    if phase == MOVING:
        return Phrase("move", unit)
    target: dict[str, Arg] = {**unit, "target": PROVINCES[state.target]}
    if phase == PRESSING:
        return Phrase("press", {**target, "defender": DEFENDERS[state.first_defender(state.target)]})
    if phase == STAKING:
        return Phrase("stake", {**target, "gold": state.gold[seat], "values": duel_view(state).values})
    assert phase == NAMING
    left = state.guesses(state.player, state.unit, state.target) - state.names
    return Phrase("name", {**target, "seat": state.player, "gold": state.gold[state.player], "values": left})
