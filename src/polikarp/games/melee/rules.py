"""The rules of Melee for two to four players. Comments give the number of the rule; `rulebook/` explains it.

The map is a set of provinces for each seat and kind of unit, as bits: so no two identical units can share a
province. A turn of Move & Attack is made of small moves: use a unit, let it go or attack, stake, name, press on.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, Tape, bit, copy_into, numbers, seats_of
from polikarp.games.melee.boards import COLOURS, COUNT, PROVINCES, Board, names_of
from polikarp.games.melee.cards import (
    ABILITIES,
    CAMP,
    CARPENTERS,
    CATAPULT,
    FORCED_MARCH,
    HEAVY_ARMOUR,
    HERALD,
    KNIGHT,
    LOOTERS,
    MERCHANTS,
    MOAT,
    MOST_NAMES,
    MOUNTAIN_PATHS,
    PALISADE,
    RECRUITER,
    SALT_MASTER,
    SAPPERS,
    SEASONS,
    SETTLERS,
    SHIELD_WALL,
    SOLDIER,
    STABLES,
    TAX_COLLECTOR,
    TOP_OFFER,
    TREASURER,
    TREBUCHET,
    UNITS,
    VETERANS,
    WHEELS,
    Cards,
)

# Moves. `notation.py` writes them for people.
PASS: Final = 0
DONE: Final = 1
STOP: Final = 2
PRESS: Final = 3
WITHDRAW: Final = 4
CHOOSE: Final = 5  # + which of CHOICES
FIRST: Final = 11  # + action card
LEAD: Final = 14  # + colour
RECRUIT: Final = 18  # + unit * COUNT + province
USE: Final = 78  # + unit * COUNT + province
GO: Final = 138  # + province
MARCH: Final = 153  # + province
ATTACK: Final = 168  # + province
OFFER: Final = 183  # + slot * TOP_OFFER + gold - 1
BID: Final = 283  # + gold
STAKE: Final = 354  # + gold - 1
NAME: Final = 424  # + gold - 1
MOVES: Final = 494

# Action cards.
ACTIONS: Final = ("recruit", "tax", "attack")
RECRUIT_CARD: Final = 0
TAX_CARD: Final = 1
ATTACK_CARD: Final = 2
CHOICES: Final = (1, 2, 4, 3, 5, 6)  # sets of action cards: one alone, and in winter two

# Phases: what the game waits for, and the one after the last.
PRELIMINARY: Final = 0
BIDDING: Final = 1
LEADING: Final = 2  # who won the bidding says who begins
CHOOSING: Final = 3
ORDERING: Final = 4  # in winter: which of two cards comes first
RECRUITING: Final = 5
ACTING: Final = 6
MOVING: Final = 7  # one unit, which is at hand
PRESSING: Final = 8  # on with an attack, or withdraw
STAKING: Final = 9
NAMING: Final = 10
OVER: Final = 11
PHASES: Final = (
    "preliminary",
    "bidding",
    "leading",
    "choosing",
    "ordering",
    "recruiting",
    "acting",
    "moving",
    "pressing",
    "staking",
    "naming",
    "over",
)
SEASON_NAMES: Final = ("preliminary", "spring", "summer", "autumn", "winter")

GARRISON: Final = 4
DEFENDERS: Final = (*UNITS, "garrison")
NOBODY: Final = -1
NONE: Final = -1
UNKNOWN: Final = 0  # a stake, a value named, a choice of cards
SLOTS: Final = ("A", "B", "C", "D", "E")

MOST_POSITIONS: Final = 20_000  # of the test in melee.25
MIX: Final = 0x9E3779B97F4A7C5  # odd: spreads what tells its positions apart
MIXED: Final = 0x3FFFFFFFFFFFFFFF  # the low bits of a product, which are the same in both builds


def size(places: i64) -> i64:
    """How many provinces a set has."""
    count: i64 = 0
    while places:
        places &= places - 1
        count += 1
    return count


class Search:
    """One test of melee.25: the situations that were met, and states to try moves on, which are used again."""

    def __init__(self, spare: list[Melee]) -> None:
        self.spare = spare
        self.seen: set[int] = set()

    def state_like(self, state: Melee) -> Melee:
        """A copy to try moves on."""
        if self.spare:
            made = self.spare.pop()
        else:
            made = state.blank()
            made.testing = 1
            made.spare = []  # not itself among its own
        made.become(state)
        return made

    def is_new(self, state: Melee, seat: i64) -> bool:
        """Whether a situation was not met yet; from now on it was."""
        mark = int(state.mark(seat))
        if mark in self.seen:
            return False
        self.seen.add(mark)
        return True


class Melee(State):
    cards: Cards
    board: Board
    advanced: i64  # whether there are abilities
    slots: i64  # ability cards on the table
    testing: i64  # in the test of melee.25: every attack succeeds
    spare: list[Melee]  # for that test, shared by all states that come from one

    season: i64  # 0 in the preliminary phase, then 1 to 4
    phase: i64
    first: i64  # holds the first-player card
    turn: i64  # of this season, from 0, counted from the first player
    player: i64  # whose turn it is
    passed: i64  # those out of the preliminary phase
    card: i64  # the action card that is carried out
    played: i64  # the player's action cards that were carried out, a bit each

    unit: i64  # the unit at hand
    at: i64  # where it is
    moved: i64  # whether a knight must attack before it may go again
    marched: i64  # whether a soldier has made its forced march
    target: i64  # what it attacks
    stake: i64
    names: i64  # how many values were named
    named: vec[i64]

    taker: i64  # who took a castle
    taken: i64  # whose castle it was

    on: vec[i64]  # by seat and unit: the provinces that hold one
    reserve: vec[i64]  # by seat and unit
    gold: vec[i64]  # by seat
    has: vec[i64]  # by seat: abilities, a bit each
    bids: vec[i64]  # by seat: for the first-player card; NONE: not yet
    chosen: vec[i64]  # by seat: action cards, a bit each
    acted: vec[i64]  # by unit: provinces where the player's unit has acted, or may not
    captured: i64  # provinces where the player captured a catapult in this turn
    ability: vec[i64]  # by slot
    offerer: vec[i64]  # by slot: who bids most
    offered: vec[i64]  # by slot: how much
    shown: vec[i64]  # the last attack that was decided: see SHOWN in `resolve`

    def __init__(self, cards: Cards, board: Board, seats: i64, advanced: i64) -> None:
        super().__init__(seats, MOVES)
        self.cards = cards
        self.board = board
        self.advanced = advanced
        self.slots = seats + 1 if advanced else 0
        self.testing = 0
        self.spare = []
        self.season = 0
        self.phase = PRELIMINARY
        self.first = 0
        self.turn = 0
        self.player = 0
        self.passed = 0
        self.card = NONE
        self.played = 0
        self.unit = NONE
        self.at = NONE
        self.moved = 0
        self.marched = 0
        self.captured = 0
        self.target = NONE
        self.stake = UNKNOWN
        self.names = 0
        self.named = numbers(MOST_NAMES, UNKNOWN)
        self.taker = NOBODY
        self.taken = NOBODY
        self.on = numbers(seats * 4, 0)
        self.reserve = numbers(seats * 4, 0)
        self.gold = numbers(seats, 0)
        self.has = numbers(seats, 0)
        self.bids = numbers(seats, NONE)
        self.chosen = numbers(seats, UNKNOWN)
        self.acted = numbers(4, 0)
        self.ability = numbers(self.slots, NONE)
        self.offerer = numbers(self.slots, NOBODY)
        self.offered = numbers(self.slots, 0)
        self.shown = numbers(11, NONE)

    def blank(self) -> Melee:
        made = Melee(self.cards, self.board, self.seats, self.advanced)
        made.spare = self.spare
        return made

    def become(self, other: State) -> None:
        assert isinstance(other, Melee)
        self.waiting = other.waiting
        self.season = other.season
        self.phase = other.phase
        self.first = other.first
        self.turn = other.turn
        self.player = other.player
        self.passed = other.passed
        self.card = other.card
        self.played = other.played
        self.unit = other.unit
        self.at = other.at
        self.moved = other.moved
        self.marched = other.marched
        self.captured = other.captured
        self.target = other.target
        self.stake = other.stake
        self.names = other.names
        self.taker = other.taker
        self.taken = other.taken
        copy_into(self.named, other.named)
        copy_into(self.on, other.on)
        copy_into(self.reserve, other.reserve)
        copy_into(self.gold, other.gold)
        copy_into(self.has, other.has)
        copy_into(self.bids, other.bids)
        copy_into(self.chosen, other.chosen)
        copy_into(self.acted, other.acted)
        copy_into(self.ability, other.ability)
        copy_into(self.offerer, other.offerer)
        copy_into(self.offered, other.offered)
        copy_into(self.shown, other.shown)

    def carry(self, tape: Tape) -> None:
        self.season = tape.one(self.season)
        self.phase = tape.one(self.phase)
        self.first = tape.one(self.first)
        self.turn = tape.one(self.turn)
        self.player = tape.one(self.player)
        self.passed = tape.one(self.passed)
        self.card = tape.one(self.card)
        self.played = tape.one(self.played)
        self.unit = tape.one(self.unit)
        self.at = tape.one(self.at)
        self.moved = tape.one(self.moved)
        self.marched = tape.one(self.marched)
        self.captured = tape.one(self.captured)
        self.target = tape.one(self.target)
        self.stake = tape.one(self.stake)
        self.names = tape.one(self.names)
        self.taker = tape.one(self.taker)
        self.taken = tape.one(self.taken)
        self.named = tape.many(self.named)
        self.on = tape.many(self.on)
        self.reserve = tape.many(self.reserve)
        self.gold = tape.many(self.gold)
        self.has = tape.many(self.has)
        self.bids = tape.many(self.bids)
        self.chosen = tape.many(self.chosen)
        self.acted = tape.many(self.acted)
        self.ability = tape.many(self.ability)
        self.offerer = tape.many(self.offerer)
        self.offered = tape.many(self.offered)
        self.shown = tape.many(self.shown)

    # Setup

    def deal(self, rng: Rng) -> None:
        self.season = 0
        self.turn = 0
        self.passed = 0
        self.card = NONE
        self.played = 0
        self.captured = 0
        self.taker = NOBODY
        self.taken = NOBODY
        self.put_away()
        for at in range(i64(len(self.shown))):
            self.shown[at] = NONE
        for seat in range(self.seats):
            self.gold[seat] = self.cards.start  # melee.2
            self.has[seat] = 0
            self.bids[seat] = NONE
            self.chosen[seat] = UNKNOWN
            for unit in range(i64(4)):
                self.on[seat * 4 + unit] = 0
                self.reserve[seat * 4 + unit] = self.cards.count[unit]
            self.place_unit(seat, SOLDIER, self.board.castle[seat])  # melee.4
        self.first = rng.below(self.seats)  # melee.3
        self.deal_abilities(rng)
        log = self.log
        if log is not None:
            log.tell("begin", {"first": int(self.first), "gold": int(self.cards.start)})
            for slot in range(self.slots):
                log.tell("on_offer", {"slot": SLOTS[slot], "ability": ABILITIES[self.ability[slot]]})
        self.begin_preliminary(self.first)

    def deal_abilities(self, rng: Rng) -> None:
        if not self.slots:
            return
        deck = numbers(len(ABILITIES), 0)
        count: i64 = 0
        for ability in range(i64(len(ABILITIES))):
            if ability != SALT_MASTER or self.board.marked:  # melee.a7
                deck[count] = ability
                count += 1
        rng.shuffle(deck, count)
        for slot in range(self.slots):  # melee.5
            self.ability[slot] = deck[slot]
            self.offerer[slot] = NOBODY
            self.offered[slot] = 0

    # The map

    def place_unit(self, seat: i64, unit: i64, province: i64) -> None:
        """From the reserve onto the map."""
        self.on[seat * 4 + unit] |= 1 << province
        self.reserve[seat * 4 + unit] -= 1

    def take_off(self, seat: i64, unit: i64, province: i64) -> None:
        """From the map back into the reserve."""
        self.on[seat * 4 + unit] &= ~(1 << province)
        self.reserve[seat * 4 + unit] += 1

    def held(self, seat: i64) -> i64:
        """The provinces that hold a unit of the seat."""
        on = self.on
        at = seat * 4
        return on[at] | on[at + 1] | on[at + 2] | on[at + 3]

    def defended(self, seat: i64) -> i64:
        """The provinces where the seat has a soldier, a knight or a camp."""
        on = self.on
        at = seat * 4
        return on[at + SOLDIER] | on[at + KNIGHT] | on[at + CAMP]

    def others(self, seat: i64) -> tuple[i64, i64]:
        """The provinces that hold units of others, and those of them that others defend."""
        enemies: i64 = 0
        defended: i64 = 0
        for other in range(self.seats):
            if other != seat:
                defended |= self.defended(other)
                enemies |= self.on[other * 4 + CATAPULT]
        return enemies | defended, defended

    def enemies(self, seat: i64) -> i64:
        """The provinces that hold units of others."""
        return self.others(seat)[0]

    def enemy_castles(self, seat: i64) -> i64:
        return self.board.castles & ~(1 << self.board.castle[seat])

    def closed(self, seat: i64, enemies: i64) -> i64:
        """Provinces that a unit of the seat can not simply enter; others have units in `enemies`."""  # melee.41
        return enemies | self.enemy_castles(seat)

    def lone_catapults(self, seat: i64) -> i64:
        """Provinces, not castles, with nothing but a catapult of somebody else."""  # melee.42
        enemies, defended = self.others(seat)
        return enemies & ~defended & ~self.board.castles

    def owner(self, province: i64) -> i64:
        """Whose castle or whose units these are, or NOBODY."""
        if self.board.home[province] >= 0:
            return self.board.home[province]
        for seat in range(self.seats):
            if self.held(seat) >> province & 1:
                return seat
        return NOBODY

    def able(self, seat: i64, ability: i64) -> bool:
        return self.has[seat] >> ability & 1 != 0

    def provinces(self, seat: i64) -> i64:
        """How many provinces the seat occupies; its own castle always."""  # melee.71
        return size(self.held(seat) | 1 << self.board.castle[seat])

    # What things cost and bring

    def price(self, seat: i64, unit: i64) -> i64:  # melee.30
        ability = CARPENTERS
        if unit == SOLDIER:
            ability = RECRUITER
        elif unit == KNIGHT:
            ability = STABLES
        elif unit == CAMP:
            ability = SETTLERS
        return self.cards.cheaper[unit] if self.able(seat, ability) else self.cards.price[unit]

    def tax(self, seat: i64) -> i64:  # melee.35, melee.a8
        return self.cards.tax_collector if self.able(seat, TAX_COLLECTOR) else self.cards.tax

    def income(self, seat: i64) -> i64:  # melee.60
        camps = size(self.on[seat * 4 + CAMP])
        marked = size(self.held(seat) & self.board.marked)
        gold = camps * (self.cards.merchants if self.able(seat, MERCHANTS) else self.cards.camp)  # melee.a6
        gold += marked * (self.cards.salt_master if self.able(seat, SALT_MASTER) else self.cards.province)  # melee.a7
        return gold + (self.cards.treasurer if self.able(seat, TREASURER) else i64(0))  # melee.a5

    def income_sources(self, seat: i64) -> dict[str, Arg]:
        """Where the seat's income comes from: provinces with camps, marked ones, and abilities."""
        camps = names_of(self.on[seat * 4 + CAMP])
        marked = names_of(self.held(seat) & self.board.marked)
        helps = {TREASURER: "treasurer", MERCHANTS: camps, SALT_MASTER: marked}
        able = [ABILITIES[ability] for ability, needs in helps.items() if needs and self.able(seat, ability)]
        return {"camps": camps, "marked": marked, "ability": " ".join(able)}

    # Preliminary phase

    def begin_preliminary(self, seat: i64) -> None:
        """The turn of this seat, or of the next one that is still in and can do something."""  # melee.10
        self.phase = PRELIMINARY
        everybody: i64 = (1 << self.seats) - 1
        while self.passed != everybody:
            if not self.passed >> seat & 1:
                if self.can_recruit(seat) or self.can_offer(seat):
                    self.player = seat
                    self.waiting = 1 << seat
                    return
                self.passed |= 1 << seat  # melee.16
                if self.log is not None:
                    self.log.tell("pass_self", {"seat": int(seat)})
            seat = (seat + 1) % self.seats
        self.hand_out()
        if self.log is not None:
            self.log.cut(self)
        self.begin_season()

    def can_offer(self, seat: i64) -> bool:
        unmarked = self.unmarked(seat)
        for slot in range(self.slots):
            if self.can_mark(seat, slot, unmarked) and self.most_offer(seat, slot) > self.offered[slot]:
                return True
        return False

    def can_mark(self, seat: i64, slot: i64, unmarked: i64) -> bool:
        """Whether there is a unit to mark a bid of the seat on this card."""  # melee.14
        return unmarked > 0 or self.offerer[slot] == seat

    def unmarked(self, seat: i64) -> i64:
        """The units in reserve that mark no bid of the seat."""  # melee.14
        units: i64 = 0
        for unit in range(i64(4)):
            units += self.reserve[seat * 4 + unit]
        for slot in range(self.slots):
            if self.offerer[slot] == seat:
                units -= 1
        return units

    def most_offer(self, seat: i64, slot: i64) -> i64:
        """The most that the seat can bid for an ability; what it has bid there already counts."""  # melee.12
        return self.gold[seat] + (self.offered[slot] if self.offerer[slot] == seat else i64(0))

    def offer(self, seat: i64, slot: i64, gold: i64) -> None:
        before = self.offerer[slot]
        if before != NOBODY:  # melee.12
            self.gold[before] += self.offered[slot]
        log = self.log
        if log is not None:
            args: dict[str, Arg] = {"seat": int(seat), "ability": ABILITIES[self.ability[slot]], "gold": int(gold)}
            if before == NOBODY or before == seat:
                log.tell("offer" if before == NOBODY else "offer_more", args)
            else:
                log.tell("outbid", {**args, "whose": int(before), "back": int(self.offered[slot])})
        self.gold[seat] -= gold
        self.offerer[slot] = seat
        self.offered[slot] = gold

    def hand_out(self) -> None:  # melee.13
        for slot in range(self.slots):
            seat = self.offerer[slot]
            if seat != NOBODY:
                self.has[seat] |= 1 << self.ability[slot]
            if self.log is not None:
                ability = ABILITIES[self.ability[slot]]
                if seat == NOBODY:
                    self.log.tell("discard", {"ability": ability})
                else:
                    self.log.tell("gain", {"seat": int(seat), "ability": ability, "gold": int(self.offered[slot])})

    # The course of a season

    def begin_season(self) -> None:  # melee.20
        self.season += 1
        self.turn = 0
        self.player = NOBODY
        self.card = NONE
        self.played = 0
        for seat in range(self.seats):
            self.bids[seat] = NONE
            self.chosen[seat] = UNKNOWN
        self.phase = BIDDING
        self.wait_for_all()
        if self.log is not None:
            self.log.tell("season", {"season": SEASON_NAMES[self.season]})

    def wait_for_all(self) -> None:
        """All choose in secret. What led here can not be taken back: that would tell who has not chosen yet."""
        self.waiting = (1 << self.seats) - 1
        if self.log is not None:
            self.log.sealed = True

    def show_bids(self) -> None:  # melee.21
        winner = self.bid_winner()
        gold = self.bids[winner]
        log = self.log
        if log is not None:
            log.sealed = True
            for seat in range(self.seats):
                log.tell("bid_shown", {"seat": int(seat), "gold": int(self.bids[seat])})
            tied = [seat for seat in range(self.seats) if self.bids[seat] == gold]
            if len(tied) > 1:
                log.tell("bid_tied", {"seat": int(winner), "tied": tuple(tied), "by": self.tie_winner(winner)})
            log.tell("bid_won", {"seat": int(winner), "gold": int(gold), "tied": int(len(tied) > 1)})
        self.gold[winner] -= gold
        self.first = winner
        self.phase = LEADING
        self.waiting = 1 << winner

    def bid_winner(self) -> i64:
        """The highest bid; ties go to the herald, then clockwise from who holds the card."""  # melee.22, melee.a20
        winner = self.first
        for turn in range(i64(1), self.seats):
            seat = (self.first + turn) % self.seats
            if self.bids[seat] > self.bids[winner]:
                winner = seat
        for seat in range(self.seats):
            if self.bids[seat] == self.bids[winner] and self.able(seat, HERALD):
                winner = seat
        return winner

    def tie_winner(self, winner: i64) -> str:
        """What a tie was won by."""  # melee.22
        if self.able(winner, HERALD):
            return "herald"
        return "holder" if winner == self.first else "next"

    def begin_choosing(self) -> None:  # melee.23
        self.phase = CHOOSING
        self.wait_for_all()

    def begin_turn(self) -> None:
        """The next player turns up their cards; after the last comes income."""  # melee.24
        self.waiting = 0
        self.played = 0
        self.card = NONE
        if self.turn == self.seats:
            self.player = NOBODY
            self.take_income()
            return
        seat = (self.first + self.turn) % self.seats
        self.player = seat
        log = self.log
        if self.season < SEASONS:
            card: i64 = 0
            while not self.chosen[seat] >> card & 1:
                card += 1
            if log is not None:
                log.sealed = True
                log.tell("reveal", {"seat": int(seat), "action": ACTIONS[card]})
            self.begin_card(card)
            return
        if log is not None:
            log.sealed = True
            left, right = [card for card in range(3) if self.chosen[seat] >> card & 1]
            log.tell("reveal_two", {"seat": int(seat), "action": ACTIONS[left], "other": ACTIONS[right]})
        if self.turn == self.seats - 1 and not self.has_chance(seat):  # melee.25
            if log is not None:
                log.tell("no_chance", {"seat": int(seat)})
            self.end_turn()
            return
        self.phase = ORDERING
        self.waiting = 1 << seat

    def begin_card(self, card: i64) -> None:
        """Carry an action card out, up to the first decision."""
        seat = self.player
        self.card = card
        self.waiting = 1 << seat
        log = self.log
        if card == TAX_CARD:
            self.gold[seat] += self.tax(seat)
            if log is not None:
                log.tell("tax", {"seat": int(seat), "gold": int(self.tax(seat))})
            self.end_card()
        elif card == RECRUIT_CARD:
            self.phase = RECRUITING
            if not self.can_recruit(seat):
                if log is not None:
                    log.tell("recruit_nothing", {"seat": int(seat)})
                self.end_card()
        else:
            for unit in range(i64(4)):
                self.acted[unit] = 0
            self.captured = 0
            self.phase = ACTING
            if not self.can_act(seat):
                if log is not None:
                    log.tell("act_nothing", {"seat": int(seat)})
                self.end_card()

    def end_card(self) -> None:
        self.played |= 1 << self.card
        left = self.chosen[self.player] & ~self.played
        if not left:
            self.end_turn()
            return
        card: i64 = 0
        while not left >> card & 1:
            card += 1
        if self.log is not None:
            self.log.cut(self)
        self.begin_card(card)

    def end_turn(self) -> None:
        self.put_away()
        if self.log is not None:
            self.log.cut(self)
        self.turn += 1
        self.begin_turn()

    def take_income(self) -> None:
        for seat in range(self.seats):
            gold = self.income(seat)
            self.gold[seat] += gold
            if self.log is not None:
                self.log.tell("income", {"seat": int(seat), "gold": int(gold), **self.income_sources(seat)})
        if self.log is not None:
            self.log.cut(self)
        if self.season < SEASONS:
            self.begin_season()
        else:
            self.finish()  # melee.26

    def finish(self) -> None:
        self.phase = OVER
        self.waiting = 0
        log = self.log
        if log is None:
            return
        for seat in range(self.seats):
            if self.taker < 0:
                args: dict[str, Arg] = {"provinces": int(self.provinces(seat)), "gold": int(self.gold[seat])}
                log.tell("count", {"seat": int(seat), **args})
        winners = self.winners()
        log.tell("win" if len(winners) == 1 else "shared_win", {"seat": tuple(winners)})

    # Recruit

    def recruit_places(self, seat: i64, unit: i64, places: i64) -> i64:
        """Of the provinces that are open to the seat, those where it can recruit a unit of this kind now."""
        at = seat * 4 + unit
        if self.reserve[at] == 0 or self.price(seat, unit) > self.gold[seat]:  # melee.30
            return 0
        return places & ~self.on[at] & ~self.barred(seat, unit)  # melee.32

    def open_to(self, seat: i64) -> i64:
        """Where the seat may recruit at all."""
        lands = self.board.lands[seat]
        if self.season == 0:
            return lands if self.unmarked(seat) > 0 else i64(0)  # melee.11, melee.14
        return lands & ~self.enemies(seat) | self.held(seat)  # melee.31, melee.33

    def barred(self, seat: i64, unit: i64) -> i64:
        """Where units of this kind are never recruited."""  # melee.34
        if unit == CAMP:
            return self.board.castles
        return self.no_riding(seat) if unit == KNIGHT else i64(0)

    def no_riding(self, seat: i64) -> i64:
        """Where the seat's knights can not be."""  # melee.54, melee.a15
        return i64(0) if self.able(seat, MOUNTAIN_PATHS) else self.board.mountains

    def can_recruit(self, seat: i64) -> bool:
        places = self.open_to(seat)
        for unit in range(i64(4)):
            if self.recruit_places(seat, unit, places):
                return True
        return False

    def recruit(self, seat: i64, unit: i64, province: i64) -> None:
        price = self.price(seat, unit)
        self.gold[seat] -= price
        self.place_unit(seat, unit, province)
        if self.log is not None:
            args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[province], "gold": int(price)}
            self.log.tell("recruit", {"seat": int(seat), **args})

    # Move & Attack: what a unit can do

    def go_targets(self, seat: i64, unit: i64, at: i64) -> i64:
        """Where a unit can move."""
        same = self.on[seat * 4 + unit]  # melee.41: where an identical one stands it can not stop
        closed = self.closed(seat, self.enemies(seat))
        if unit == SOLDIER:  # melee.43
            reach = self.board.near[at]
            if self.able(seat, FORCED_MARCH) and not self.marched:  # melee.a14
                reach |= self.board.around(reach & ~closed)
            return reach & ~same & (~closed | self.lone_catapults(seat))
        if unit == KNIGHT and not self.moved:
            return self.rides(seat, at, closed) & ~same
        if unit == CATAPULT and self.able(seat, WHEELS):  # melee.a16
            return self.board.near[at] & ~same & ~closed
        return 0  # melee.45

    def rides(self, seat: i64, at: i64, closed: i64) -> i64:
        """Every province that a knight can come to without an attack."""  # melee.44
        barred = self.no_riding(seat)
        reached = self.board.spread(1 << at, ~closed & ~barred)
        return reached | self.board.around(reached) & self.lone_catapults(seat) & ~barred  # melee.42

    def march_targets(self, seat: i64, unit: i64, at: i64) -> i64:
        """Where a soldier can march to, and still move or attack from there."""  # melee.a14
        if unit != SOLDIER or self.marched or not self.able(seat, FORCED_MARCH):
            return 0
        return self.board.near[at] & ~self.closed(seat, self.enemies(seat)) & ~self.on[seat * 4 + SOLDIER]

    def attack_targets(self, seat: i64, unit: i64, at: i64) -> i64:
        """What a unit can attack."""
        enemies, defended = self.others(seat)
        reach = self.shot_range(seat, at) if unit == CATAPULT else self.board.near[at]
        targets = reach & self.attackable(seat, unit, enemies, defended)
        if self.testing and targets:
            return self.can_succeed(seat, unit, targets)
        return targets

    def attackable(self, seat: i64, unit: i64, enemies: i64, defended: i64) -> i64:
        """What units of this kind can attack where it is near enough."""
        if self.gold[seat] == 0 or unit == CAMP:  # melee.45, melee.47
            return 0
        if unit == CATAPULT:
            return enemies & ~self.board.mountains  # melee.55
        targets = defended | self.enemy_castles(seat)  # melee.46
        return targets & ~self.no_riding(seat) if unit == KNIGHT else targets

    def shot_range(self, seat: i64, at: i64) -> i64:
        """How far a catapult reaches."""  # melee.55, melee.a17
        far = self.able(seat, TREBUCHET) or self.board.mountains >> at & 1 != 0
        return self.board.far[at] if far else self.board.near[at]

    def usable(self, seat: i64, unit: i64, province: i64) -> bool:
        """Whether this unit of the seat has something to do."""
        if self.attack_targets(seat, unit, province):
            return True
        return self.go_targets(seat, unit, province) | self.march_targets(seat, unit, province) != 0

    def useful(self, seat: i64, unit: i64, enemies: i64, defended: i64) -> i64:
        """The provinces with a unit of this kind that has not acted and has something to do: `usable` for all of them
        at once, counted back from what they could enter and attack.
        """  # melee.40
        same = self.on[seat * 4 + unit]
        units = same & ~self.acted[unit]
        if not units or unit == CAMP:
            return 0
        board = self.board
        attacks = self.attackable(seat, unit, enemies, defended)
        free = ~self.closed(seat, enemies)
        if unit == CATAPULT:
            near = board.around(attacks)
            far = board.around(near) & (board.provinces if self.able(seat, TREBUCHET) else board.mountains)
            rolls = board.around(free & ~same) if self.able(seat, WHEELS) else i64(0)
            return units & (near | far | rolls)
        enter = (free | enemies & ~defended & ~board.castles) & ~same
        if unit == KNIGHT:
            barred = self.no_riding(seat)
            enter = board.spread(enter & ~barred, same & ~barred)
        elif self.able(seat, FORCED_MARCH):
            enter |= board.around(enter) & free
        return units & board.around(enter | attacks)

    def can_act(self, seat: i64) -> bool:
        enemies, defended = self.others(seat)
        for unit in range(i64(4)):
            if self.useful(seat, unit, enemies, defended):
                return True
        return False

    # Move & Attack: what it does

    def put_away(self) -> None:
        """No unit is at hand."""
        self.unit = NONE
        self.at = NONE
        self.moved = 0
        self.marched = 0
        self.clear_attack()

    def clear_attack(self) -> None:
        self.target = NONE
        self.stake = UNKNOWN
        self.names = 0
        for at in range(i64(MOST_NAMES)):
            self.named[at] = UNKNOWN

    def use(self, seat: i64, unit: i64, province: i64) -> None:
        self.unit = unit
        self.at = province
        self.phase = MOVING
        if self.log is not None:
            self.log.tell("use", self.unit_args(seat))

    def unit_args(self, seat: i64) -> dict[str, Arg]:
        return {"seat": int(seat), "unit": UNITS[self.unit], "province": PROVINCES[self.at]}

    def shift(self, seat: i64, province: i64) -> None:
        """The unit at hand enters a province, and captures a catapult that is there."""
        at = seat * 4 + self.unit
        self.on[at] = self.on[at] & ~(1 << self.at) | 1 << province
        self.at = province
        for other in range(self.seats):  # melee.58
            if other != seat and self.on[other * 4 + CATAPULT] >> province & 1:
                self.take_off(other, CATAPULT, province)
                args: dict[str, Arg] = {"seat": int(seat), "whose": int(other), "province": PROVINCES[province]}
                got = self.reserve[seat * 4 + CATAPULT] > 0
                if got:
                    self.place_unit(seat, CATAPULT, province)
                    self.acted[CATAPULT] |= 1 << province
                    self.captured |= 1 << province
                if self.log is not None:
                    self.log.tell("capture" if got else "capture_none", args)

    def go(self, seat: i64, province: i64) -> None:
        if self.log is not None:
            self.log.tell("go", {**self.unit_args(seat), "target": PROVINCES[province]})
        self.shift(seat, province)
        if self.unit == KNIGHT:  # melee.44, and melee.42: a catapult captured on the way ends the ride too
            self.moved = 1
            if self.has_more(seat):
                return
        self.end_unit(seat)

    def march(self, seat: i64, province: i64) -> None:
        if self.log is not None:
            self.log.tell("march", {**self.unit_args(seat), "target": PROVINCES[province]})
        self.shift(seat, province)
        self.marched = 1

    def has_more(self, seat: i64) -> bool:
        """Whether the unit at hand can still do something; then the game waits for it."""
        self.phase = MOVING
        self.waiting = 1 << seat
        return self.usable(seat, self.unit, self.at)

    def end_unit(self, seat: i64) -> None:
        """The unit at hand is done; the player may use another one."""
        if self.on[seat * 4 + self.unit] >> self.at & 1:
            self.acted[self.unit] |= 1 << self.at
        self.put_away()
        self.phase = ACTING
        self.waiting = 1 << seat

    def end_fight(self, seat: i64) -> None:
        """As `end_unit`, after something was shown: then there is nothing to take back, and who has no unit left to
        use is done.
        """
        self.end_unit(seat)
        if not self.can_act(seat):
            self.end_card()

    # Attack

    def first_defender(self, province: i64) -> i64:
        """Who defends a province first: soldier, knight, camp, in a castle the garrison last."""  # melee.46
        owner = self.owner(province)
        if owner != NOBODY:
            for unit in range(i64(CATAPULT)):
                if self.on[owner * 4 + unit] >> province & 1:
                    return unit
        return GARRISON if self.board.home[province] >= 0 else NONE

    def guesses(self, seat: i64, unit: i64, province: i64) -> i64:
        """How many values the defender names against this attack; 0 if nobody defends."""  # melee.90
        defender = self.first_defender(province)
        if defender == NONE or (defender == GARRISON and unit == CATAPULT):
            return 0  # melee.56
        owner = self.owner(province)
        in_castle = self.board.home[province] >= 0
        in_mountains = self.board.mountains >> province & 1 != 0
        double = in_castle or (in_mountains and defender != KNIGHT)  # melee.53, melee.a15
        if defender == SOLDIER:
            double = double or self.able(owner, SHIELD_WALL)  # melee.a10
        elif defender == KNIGHT:
            double = double or self.able(owner, HEAVY_ARMOUR)  # melee.a11
        elif defender == CAMP:
            double = double or self.able(owner, PALISADE)  # melee.a12
        count: i64 = 2 if double else 1
        if defender == GARRISON and self.able(owner, MOAT):
            count = self.cards.moat  # melee.a13
        if in_castle and self.able(seat, SAPPERS):
            count = max(count - self.cards.sappers, i64(1))  # melee.a18
        return count

    def can_succeed(self, seat: i64, unit: i64, targets: i64) -> i64:
        """Of these targets, those where the seat has more gold than values would be named."""  # melee.25
        can: i64 = 0
        for province in range(i64(COUNT)):
            if targets >> province & 1 and self.gold[seat] > self.guesses(seat, unit, province):
                can |= 1 << province
        return can

    def attack(self, seat: i64, province: i64) -> None:
        self.target = province
        if self.log is not None:
            self.log.tell("attack", {**self.unit_args(seat), "target": PROVINCES[province]})
        if self.guesses(seat, self.unit, province) == 0:
            self.gold[seat] -= 1  # melee.56
            whose = self.owner(province)
            if self.log is not None:
                self.log.tell("shot_free", {"seat": int(seat), "province": PROVINCES[province]})
            self.shoot_down(seat, whose)
            self.end_unit(seat)
        else:
            self.begin_stake(seat)

    def begin_stake(self, seat: i64) -> None:
        self.shown[0] = NONE
        if self.testing:
            self.stake = 1
            self.succeed(seat)
            return
        self.phase = STAKING
        self.waiting = 1 << seat

    def put_stake(self, seat: i64, gold: i64) -> None:  # melee.47
        self.stake = gold
        guesses = self.guesses(seat, self.unit, self.target)
        whose = self.owner(self.target)
        log = self.log
        if log is not None:
            # A stake stays: taking it back would tell whether one of two values was named already.
            log.sealed = True
            log.tell("staked", {"seat": int(seat), "whose": int(whose), "values": int(guesses)})
            log.tell("your_stake", {"gold": int(gold)}, bit(seat))
        self.phase = NAMING
        self.waiting = 1 << whose
        if self.gold[seat] <= guesses:
            for at in range(self.gold[seat]):
                self.named[at] = at + 1
            self.names = self.gold[seat]
            self.resolve(seat)

    def name(self, whose: i64, gold: i64) -> None:
        seat = self.player
        self.named[self.names] = gold
        self.names += 1
        if self.log is not None:
            self.log.tell("your_guess", {"gold": int(gold)}, bit(whose))
        if self.names == self.guesses(seat, self.unit, self.target):
            self.resolve(seat)

    def resolve(self, seat: i64) -> None:
        """Stake and values are shown together."""
        right: i64 = 0
        for at in range(self.names):
            if self.named[at] == self.stake:
                right = 1
        # SHOWN: attacker, unit, from, target, defender's seat, defender, stake, whether named, the values
        shown = self.shown
        shown[0] = seat
        shown[1] = self.unit
        shown[2] = self.at
        shown[3] = self.target
        shown[4] = self.owner(self.target)
        shown[5] = self.first_defender(self.target)
        shown[6] = self.stake
        shown[7] = right
        for at in range(i64(MOST_NAMES)):
            shown[8 + at] = self.named[at]
        self.phase = MOVING  # nothing about it is secret any more
        log = self.log
        if log is not None:
            log.sealed = True
            named = ", ".join([str(self.named[at]) for at in range(self.names)])
            args: dict[str, Arg] = {"whose": int(shown[4]), "gold": int(self.stake), "named": named}
            where: dict[str, Arg] = {"target": PROVINCES[self.target], "defender": DEFENDERS[shown[5]]}
            log.tell("named_right" if right else "named_wrong", {**self.unit_args(seat), **args, **where})
            log.cut(self)
        if right:
            self.fail(seat)
        else:
            self.succeed(seat)

    def fail(self, seat: i64) -> None:
        self.gold[seat] -= self.stake  # melee.48
        stays = self.unit == SOLDIER and self.able(seat, VETERANS)  # melee.a19
        if not stays:
            self.take_off(seat, self.unit, self.at)  # melee.49
        if self.log is not None:
            self.log.tell("stays" if stays else "falls", self.unit_args(seat))
        self.end_fight(seat)

    def succeed(self, seat: i64) -> None:
        self.gold[seat] -= self.stake  # melee.48
        target = self.target
        whose = self.owner(target)
        defender = self.first_defender(target)
        log = self.log
        if self.able(seat, LOOTERS):  # melee.a9
            self.gold[seat] += self.cards.looters
            if log is not None:
                log.tell("loot", {"seat": int(seat), "gold": int(self.cards.looters)})
        if self.unit == CATAPULT:
            self.shoot_down(seat, whose)
            self.end_fight(seat)
            return
        if defender == GARRISON:  # melee.57, melee.70, melee.72
            self.taker = seat
            self.taken = whose
            if log is not None:
                log.tell("castle", {"seat": int(seat), "whose": int(whose), "province": PROVINCES[target]})
                log.cut(self)
            self.finish()
            return
        self.take_off(whose, defender, target)  # melee.49
        if log is not None:
            args: dict[str, Arg] = {"whose": int(whose), "unit": UNITS[defender], "province": PROVINCES[target]}
            log.tell("beaten", args)
        if defender == CAMP and self.reserve[seat * 4 + CAMP] > 0:  # melee.52
            self.place_unit(seat, CAMP, target)
            if log is not None:
                log.tell("camp", {"seat": int(seat), "province": PROVINCES[target]})
        self.after_win(seat, whose)

    def after_win(self, seat: i64, whose: i64) -> None:
        left = self.on[whose * 4 + SOLDIER] | self.on[whose * 4 + KNIGHT] | self.on[whose * 4 + CAMP]
        if left >> self.target & 1 or self.board.home[self.target] >= 0:
            self.stake = UNKNOWN
            self.names = 0
            for at in range(i64(MOST_NAMES)):
                self.named[at] = UNKNOWN
            self.phase = PRESSING  # melee.50
            self.waiting = 1 << seat
            if self.gold[seat] == 0:
                self.withdraw(seat)
            return
        target = self.target
        self.clear_attack()
        if self.log is not None:
            self.log.tell("move_in", {**self.unit_args(seat), "target": PROVINCES[target]})
        self.shift(seat, target)  # melee.51
        self.fight_on(seat)

    def withdraw(self, seat: i64) -> None:
        if self.log is not None:
            self.log.tell("withdraw", self.unit_args(seat))
        self.clear_attack()
        self.fight_on(seat)

    def fight_on(self, seat: i64) -> None:
        """After a win: a soldier is done, a knight may go on."""  # melee.44, melee.50
        self.moved = 0
        if self.unit != KNIGHT or not self.has_more(seat):
            self.end_fight(seat)

    def shoot_down(self, seat: i64, whose: i64) -> None:
        """A shot that hit: all units there return to the reserve, and so does the catapult."""  # melee.55
        for unit in range(i64(4)):
            if self.on[whose * 4 + unit] >> self.target & 1:
                self.take_off(whose, unit, self.target)
                if self.log is not None:
                    args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[self.target]}
                    self.log.tell("beaten", {"whose": int(whose), **args})
        self.take_off(seat, CATAPULT, self.at)
        if self.log is not None:
            self.log.tell("returns", self.unit_args(seat))

    # Moves

    def list_moves(self, seat: i64) -> i64:
        phase = self.phase
        if phase == BIDDING:
            for gold in range(self.gold[seat] + 1):
                self.legal[gold] = BID + gold
            return self.gold[seat] + 1
        if phase == CHOOSING:
            start: i64 = 3 if self.season == SEASONS else 0
            for at in range(i64(3)):
                self.legal[at] = CHOOSE + start + at
            return 3
        if self.waiting != 1 << seat:
            return 0
        if phase == STAKING:
            for gold in range(self.gold[seat]):
                self.legal[gold] = STAKE + gold
            return self.gold[seat]
        if phase == NAMING:
            return self.list_names()
        if phase == ACTING:
            return self.list_units(seat)
        if phase == MOVING:
            return self.list_targets(seat)
        if phase == LEADING:
            for other in range(self.seats):
                self.legal[other] = LEAD + self.board.colour[other]
            return self.seats
        if phase == PRESSING:
            self.legal[0] = WITHDRAW
            if self.testing and not self.can_succeed(seat, self.unit, 1 << self.target):
                return 1
            self.legal[1] = PRESS
            return 2
        if phase == ORDERING:
            return self.list_orders(seat)
        return self.list_recruits(seat)

    def pick(self, seat: i64, rng: Rng) -> i64:
        if self.phase == BIDDING:
            return BID + rng.below(self.gold[seat] + 1)
        if self.phase == STAKING:
            return STAKE + rng.below(self.gold[seat])
        return self.legal[rng.below(self.list_moves(seat))]

    def list_names(self) -> i64:
        count: i64 = 0
        for gold in range(i64(1), self.gold[self.player] + 1):
            if not self.was_named(gold):
                self.legal[count] = NAME + gold - 1
                count += 1
        return count

    def was_named(self, gold: i64) -> bool:
        for at in range(self.names):
            if self.named[at] == gold:
                return True
        return False

    def list_units(self, seat: i64) -> i64:
        self.legal[0] = DONE
        count: i64 = 1
        enemies, defended = self.others(seat)
        for unit in range(i64(4)):
            count = self.add_places(count, USE + unit * COUNT, self.useful(seat, unit, enemies, defended))
        return count

    def list_targets(self, seat: i64) -> i64:
        self.legal[0] = STOP
        count = self.add_places(1, GO, self.go_targets(seat, self.unit, self.at))
        count = self.add_places(count, MARCH, self.march_targets(seat, self.unit, self.at))
        return self.add_places(count, ATTACK, self.attack_targets(seat, self.unit, self.at))

    def add_places(self, count: i64, kind: i64, places: i64) -> i64:
        """List a kind of move for each province of a set."""
        province: i64 = 0
        while places:
            if places & 1:
                self.legal[count] = kind + province
                count += 1
            places >>= 1
            province += 1
        return count

    def list_orders(self, seat: i64) -> i64:
        count: i64 = 0
        for card in range(i64(3)):
            if self.chosen[seat] >> card & 1:
                self.legal[count] = FIRST + card
                count += 1
        return count

    def list_recruits(self, seat: i64) -> i64:
        """Recruiting, and in the preliminary phase bidding for abilities too."""
        self.legal[0] = PASS if self.phase == PRELIMINARY else DONE
        count: i64 = 1
        places = self.open_to(seat)
        for unit in range(i64(4)):
            count = self.add_places(count, RECRUIT + unit * COUNT, self.recruit_places(seat, unit, places))
        if self.phase == PRELIMINARY and self.slots:
            unmarked = self.unmarked(seat)
            for slot in range(self.slots):
                if not self.can_mark(seat, slot, unmarked):
                    continue
                for gold in range(self.offered[slot] + 1, self.most_offer(seat, slot) + 1):
                    self.legal[count] = OFFER + slot * TOP_OFFER + gold - 1
                    count += 1
        return count

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        if move >= NAME:
            self.name(seat, move - NAME + 1)
        elif move >= STAKE:
            self.put_stake(seat, move - STAKE + 1)
        elif move >= BID:
            self.bid(seat, move - BID)
        elif move >= OFFER:
            slot = (move - OFFER) // TOP_OFFER
            self.offer(seat, slot, move - OFFER - slot * TOP_OFFER + 1)
            self.begin_preliminary((seat + 1) % self.seats)
        elif move >= ATTACK:
            self.attack(seat, move - ATTACK)
        elif move >= MARCH:
            self.march(seat, move - MARCH)
        elif move >= GO:
            self.go(seat, move - GO)
        elif move >= USE:
            unit = (move - USE) // COUNT
            self.use(seat, unit, move - USE - unit * COUNT)
        elif move >= RECRUIT:
            unit = (move - RECRUIT) // COUNT
            self.recruit(seat, unit, move - RECRUIT - unit * COUNT)
            if self.phase == PRELIMINARY:
                self.begin_preliminary((seat + 1) % self.seats)
        elif move >= LEAD:
            self.lead(seat, self.board.seat[move - LEAD])
        elif move >= FIRST:
            if self.log is not None:
                self.log.tell("order", {"seat": int(seat), "action": ACTIONS[move - FIRST]})
            self.begin_card(move - FIRST)
        elif move >= CHOOSE:
            self.choose(seat, CHOICES[move - CHOOSE])
        elif move == WITHDRAW:
            self.withdraw(seat)
        elif move == PRESS:
            if self.log is not None:
                self.log.tell("press", {**self.unit_args(seat), "target": PROVINCES[self.target]})
            self.begin_stake(seat)
        elif move == STOP:
            if self.log is not None:
                self.log.tell("stop", self.unit_args(seat))
            self.end_unit(seat)
        elif move == DONE:
            if self.log is not None:
                self.log.tell("done", {"seat": int(seat)})
            self.end_card()
        else:
            self.passed |= 1 << seat
            if self.log is not None:
                self.log.tell("pass", {"seat": int(seat)})
            self.begin_preliminary((seat + 1) % self.seats)

    def bid(self, seat: i64, gold: i64) -> None:
        self.bids[seat] = gold
        self.waiting &= ~(1 << seat)
        if self.log is not None:
            self.log.tell("your_bid", {"gold": int(gold)}, bit(seat))
        if not self.waiting:
            self.show_bids()

    def lead(self, seat: i64, other: i64) -> None:  # melee.21
        self.first = other
        if self.log is not None:
            self.log.tell("keep" if other == seat else "give", {"seat": int(seat), "first": int(other)})
        self.begin_choosing()

    def choose(self, seat: i64, cards: i64) -> None:
        self.chosen[seat] = cards
        self.waiting &= ~(1 << seat)
        log = self.log
        if log is not None:
            names = [ACTIONS[card] for card in range(3) if cards >> card & 1]
            if len(names) == 1:
                log.tell("your_card", {"action": names[0]}, bit(seat))
            else:
                log.tell("your_cards", {"action": names[0], "other": names[1]}, bit(seat))
        if not self.waiting:
            self.turn = 0
            self.phase = ORDERING  # from here on cards are turned up, seat by seat
            self.begin_turn()

    # The last turn of winter

    def has_chance(self, seat: i64) -> bool:
        """Whether the seat could still win or share the win if all its attacks succeed."""  # melee.25
        if self.leads_already(seat):
            return True
        if self.hopeless(seat):
            return False
        search = Search(self.spare)
        trial = search.state_like(self)
        trial.phase = ORDERING
        trial.waiting = 1 << seat
        if trial.chosen[seat] >> TAX_CARD & 1:
            trial.begin_card(TAX_CARD)  # gold never comes too early
        found = trial.finds_win(seat, False, search)
        search.spare.append(trial)
        return found

    def leads_already(self, seat: i64) -> bool:
        """Whether the seat would win or share the win by doing nothing more with its cards but taking taxes."""
        mine = self.provinces(seat)
        purse = self.gold_with_tax(seat) + self.income(seat)
        for other in range(self.seats):
            if other != seat and self.beats(other, mine, purse):
                return False
        return True

    def beats(self, other: i64, provinces: i64, purse: i64) -> bool:
        """Whether another seat, as it stands, ends before somebody with so many provinces and so much gold."""
        theirs = self.provinces(other)
        return theirs > provinces or (theirs == provinces and self.gold[other] + self.income(other) > purse)

    def gold_with_tax(self, seat: i64) -> i64:
        """The seat's gold, with the taxes that it may still take in this turn."""
        left = self.chosen[seat] & ~self.played
        return self.gold[seat] + (self.tax(seat) if left >> TAX_CARD & 1 else i64(0))

    def finds_win(self, seat: i64, in_hand: bool, search: Search) -> bool:
        """Try every move of the seat from here on; too many situations count as a win. `in_hand`: a unit was just
        taken to hand, which decides nothing yet, and to put it back unused is no use.
        """
        if not self.waiting:
            return self.place(seat) == 1
        if not in_hand:
            if self.leads_already(seat):
                return True
            if self.hopeless(seat):
                return False
        found = False
        rng = Rng()
        at = self.list_moves(seat)
        last: i64 = 1 if in_hand else 0
        after = search.state_like(self)
        while at > last and not found:  # attacks first
            at -= 1
            after.become(self)
            after.apply(seat, self.legal[at], rng)
            if not after.waiting or search.is_new(after, seat):
                taken = self.phase == ACTING and after.phase == MOVING
                found = len(search.seen) > MOST_POSITIONS or after.finds_win(seat, taken, search)
        search.spare.append(after)
        return found

    def mark(self, seat: i64) -> i64:
        """A number that tells situations of the test apart."""
        mark = self.gold[seat] * 16 + self.phase
        for places in self.on:
            mark = (mark * MIX + places) & MIXED
        for places in self.acted:
            mark = (mark * MIX + places) & MIXED
        rest = ((self.unit + 1) * 16 + self.at + 1) * 16 + self.target + 1
        rest = (((rest * 2 + self.moved) * 2 + self.marched) * 8 + self.played) * 4 + self.card + 1
        return (mark * MIX + rest) & MIXED

    # What a turn could bring at most. Every term is an upper bound of what can come true, in any position, so that
    # what is hopeless here is hopeless. It only saves time.

    def hopeless(self, seat: i64) -> bool:
        """Whether no moves of this turn can win any more."""
        left = self.chosen[seat] & ~self.played
        gold = self.gold_with_tax(seat)
        if left >> ATTACK_CARD & 1:
            return not self.may_storm(seat, gold) and self.out_of_reach(seat, gold)
        mine = self.provinces(seat)
        purse = gold + self.income(seat)
        if left >> RECRUIT_CARD & 1:
            empty = self.board.lands[seat] & ~self.held(seat) & ~self.board.castles & ~self.enemies(seat)
            mine += min(size(empty), gold // self.cheapest(seat))
            camp = self.cards.merchants if self.able(seat, MERCHANTS) else self.cards.camp
            purse += max(i64(0), camp - self.price(seat, CAMP)) * self.reserve[seat * 4 + CAMP]
            purse += size(empty & self.board.marked) * max(self.cards.province, self.cards.salt_master)
        for other in range(self.seats):
            if other != seat and self.beats(other, mine, purse):
                return True
        return False

    def cheapest(self, seat: i64) -> i64:
        """What the seat pays at least for a unit."""
        price = self.price(seat, SOLDIER)
        for unit in range(i64(1), i64(4)):
            price = min(price, self.price(seat, unit))
        return price

    def may_use(self, seat: i64, unit: i64) -> i64:
        """The provinces with such units, on the map now, that may still act in this turn."""
        units = self.on[seat * 4 + unit]
        return units & ~self.acted[unit] if self.card == ATTACK_CARD else units

    def recruits_first(self, seat: i64) -> bool:
        """Whether Recruit may still come before Move & Attack."""
        return self.card != ATTACK_CARD and self.chosen[seat] & ~self.played & 1 << RECRUIT_CARD != 0

    def may_buy(self, seat: i64, unit: i64, gold: i64) -> bool:
        """Whether such a unit may be recruited before Move & Attack."""
        return self.recruits_first(seat) and self.reserve[seat * 4 + unit] > 0 and self.price(seat, unit) <= gold

    # A castle: a unit comes near enough, and has more gold than the garrison names values.

    def may_storm(self, seat: i64, gold: i64) -> bool:
        """Whether a castle could be within reach of a unit that is there, or of one that is recruited first."""
        shots = self.may_use(seat, CATAPULT) != 0 or self.may_buy(seat, CATAPULT, gold)
        if self.storms(seat, gold, self.may_use(seat, SOLDIER), self.may_use(seat, KNIGHT), shots):
            return True
        fresh = self.board.lands[seat] | self.held(seat)
        if self.may_buy(seat, SOLDIER, gold) and self.storms(seat, gold - self.price(seat, SOLDIER), fresh, 0, shots):
            return True
        return self.may_buy(seat, KNIGHT, gold) and self.storms(seat, gold - self.price(seat, KNIGHT), 0, fresh, shots)

    def storms(self, seat: i64, gold: i64, soldiers: i64, knights: i64, shots: bool) -> bool:
        """Whether one of these units could take a castle: a soldier from where it is, or from one step away by Forced
        March; a knight by a way on which each province that others defend costs 1 gold, by whomever it is cleared.
        """
        board = self.board
        if self.able(seat, FORCED_MARCH):
            soldiers |= board.around(soldiers)
        castles = self.enemy_castles(seat)
        ways = board.provinces & ~castles & ~self.no_riding(seat)
        free = ways if self.able(seat, LOOTERS) else ways & ~self.others(seat)[1]  # Looters get their stake back
        reached = board.spread(knights, free)
        near = board.around(reached | soldiers) & castles
        while gold > 0:
            for other in range(self.seats):
                if near >> board.castle[other] & 1 and gold > self.storm_price(seat, other, shots):
                    return True
            wider = board.spread(reached | board.around(reached) & ways, free)
            if wider == reached:
                return False
            reached = wider
            near = board.around(reached) & castles
            gold -= 1
        return False

    def storm_price(self, seat: i64, other: i64, shots: bool) -> i64:
        """At least so much gold is spent on a castle before its garrison is attacked, and the garrison's values."""
        garrison = self.cards.moat if self.able(other, MOAT) else i64(2)
        if self.able(seat, SAPPERS):
            garrison = max(garrison - self.cards.sappers, i64(1))
        if self.able(seat, LOOTERS):
            return garrison
        castle = self.board.castle[other]
        units = (self.on[other * 4 + SOLDIER] >> castle & 1) + (self.on[other * 4 + KNIGHT] >> castle & 1)
        return garrison + (min(units, i64(1)) if shots else units)  # one shot clears them all

    # Most provinces: those that the seat may hold, and those that the others may lose.

    def out_of_reach(self, seat: i64, gold: i64) -> bool:
        """Whether the others hold more provinces than the seat could hold and take from them, however much of its gold
        it spends on recruiting and however much on attacks.
        """
        price = self.cheapest(seat)
        most = gold // price if self.chosen[seat] & ~self.played & 1 << RECRUIT_CARD else i64(0)
        for recruits in range(most + 1):
            attacks = self.most_attacks(seat, gold - recruits * price, recruits)
            if self.must_lose(seat, self.most_provinces(seat, attacks, recruits)) <= attacks:
                return False
        return True

    def may_ride(self, seat: i64, recruits: i64) -> bool:
        """Whether a knight may still act, be it one that is recruited first."""
        return self.may_use(seat, KNIGHT) != 0 or (recruits > 0 and self.recruits_first(seat))

    def most_attacks(self, seat: i64, gold: i64, recruits: i64) -> i64:
        """How many defended provinces may be cleared with what is left after recruiting. Each takes an attack, which
        costs 1 of at least 2 gold (the other may be for a recruit who comes later), and a unit, but for knights.
        """
        most = i64(COUNT) if self.able(seat, LOOTERS) else max(i64(0), gold if recruits else gold - 1)
        if self.may_ride(seat, recruits):
            return most
        return min(most, size(self.may_use(seat, SOLDIER)) + size(self.may_use(seat, CATAPULT)))

    def most_provinces(self, seat: i64, attacks: i64, recruits: i64) -> i64:
        """How many provinces the seat may hold in the end: those where a unit stays that can not move, one for each
        unit that can or that is recruited, and what knights take over and leave behind: camps, one for each attack, and
        catapults, replaced from the reserve and by those that shot before.
        """
        at = seat * 4
        soldiers = self.may_use(seat, SOLDIER)
        knights = self.may_use(seat, KNIGHT)
        catapults = self.may_use(seat, CATAPULT)
        rolling = catapults if self.able(seat, WHEELS) else i64(0)
        stay = self.on[at + SOLDIER] & ~soldiers | self.on[at + KNIGHT] & ~knights | self.on[at + CATAPULT] & ~rolling
        stay |= self.on[at + CAMP] | 1 << self.board.castle[seat]
        most = size(stay) + size(soldiers) + size(knights) + size(rolling) + recruits
        if attacks > 0 and self.may_ride(seat, recruits):
            most += min(attacks, self.reserve[at + CAMP]) + self.reserve[at + CATAPULT] + size(catapults)
        return most

    def must_lose(self, seat: i64, most: i64) -> i64:
        """How many defended provinces the others must lose until none of them has more than so many; provinces with
        nothing but a catapult may fall for nothing.
        """
        total: i64 = 0
        for other in range(self.seats):
            if other != seat:
                held = self.defended(other) | 1 << self.board.castle[other]
                total += max(i64(0), size(held) - most)
        return total

    # The end

    def score(self, seat: i64) -> i64:
        """Occupied provinces."""
        return self.provinces(seat)

    def place(self, seat: i64) -> i64:
        if self.taker >= 0:  # melee.70
            return 1 if seat == self.taker else 2
        better: i64 = 0
        mine = self.provinces(seat)
        for other in range(self.seats):
            theirs = self.provinces(other)
            if theirs > mine or (theirs == mine and self.gold[other] > self.gold[seat]):  # melee.71
                better += 1
        return better + 1

    # Who knows what

    def hide(self, seat: i64) -> None:  # melee.80
        if self.phase == BIDDING or self.phase == CHOOSING:
            mine = i64(1) << seat if seat >= 0 else i64(0)
            self.waiting = ((1 << self.seats) - 1) & ~mine | self.waiting & mine
            for other in range(self.seats):
                if other != seat:
                    if self.phase == BIDDING:
                        self.bids[other] = NONE
                    else:
                        self.chosen[other] = UNKNOWN
        if self.phase >= ORDERING:
            for turn in range(self.turn + 1, self.seats):
                other = (self.first + turn) % self.seats
                if other != seat:
                    self.chosen[other] = UNKNOWN
        if self.phase == NAMING:
            if seat != self.player:
                self.stake = UNKNOWN
            if seat != self.owner(self.target):
                self.names = 0
                for at in range(i64(MOST_NAMES)):
                    self.named[at] = UNKNOWN

    def fill(self, seat: i64, rng: Rng) -> None:
        """Who chooses at this moment has not chosen yet; cards that lie face down and a stake may be any."""
        if self.phase >= ORDERING:
            for turn in range(self.turn + 1, self.seats):
                other = (self.first + turn) % self.seats
                if self.chosen[other] == UNKNOWN:
                    card: i64 = 1 << rng.below(3)
                    self.chosen[other] = 7 & ~card if self.season == SEASONS else card
        if self.phase == NAMING and self.stake == UNKNOWN:
            self.stake = 1 + rng.below(self.gold[self.player])

    def totals(self) -> list[int]:
        """By seat and unit: those on the map and in reserve."""
        return [int(size(self.on[at]) + self.reserve[at]) for at in range(self.seats * 4)]

    # Why not

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        phase = self.phase
        if phase == BIDDING and BID <= move < STAKE:
            return self.refuse_bid(seat, move - BID)
        if phase == CHOOSING and CHOOSE <= move < FIRST:
            return self.refuse_choice(move - CHOOSE)
        if phase == BIDDING or phase == CHOOSING or self.waiting == 1 << seat:
            return self.refuse_here(seat, move)
        return self.refuse_other(int(self.waiting))

    def refuse_here(self, seat: i64, move: i64) -> Refusal | None:
        """Why not, for a seat that the game waits for."""
        phase = self.phase
        if phase == NAMING and move >= NAME:
            return self.refuse_name(move - NAME + 1)
        if phase == STAKING and STAKE <= move < NAME:
            return self.refuse_stake(seat, move - STAKE + 1)
        if phase == PRELIMINARY and OFFER <= move < BID:
            slot = (move - OFFER) // TOP_OFFER
            return self.refuse_offer(seat, slot, move - OFFER - slot * TOP_OFFER + 1)
        if phase == MOVING:
            if ATTACK <= move < OFFER:
                return self.refuse_attack(seat, move - ATTACK)
            if MARCH <= move < ATTACK:
                return self.refuse_march(seat, move - MARCH)
            if GO <= move < MARCH:
                return self.refuse_go(seat, move - GO)
            if move == STOP:
                return None
        if phase == ACTING and USE <= move < GO:
            unit = (move - USE) // COUNT
            return self.refuse_use(seat, unit, move - USE - unit * COUNT)
        if (phase == RECRUITING or phase == PRELIMINARY) and RECRUIT <= move < USE:
            unit = (move - RECRUIT) // COUNT
            return self.refuse_recruit(seat, unit, move - RECRUIT - unit * COUNT)
        if phase == LEADING and LEAD <= move < RECRUIT:
            return self.refuse_lead(move - LEAD)
        if phase == ORDERING and FIRST <= move < LEAD:
            if self.chosen[seat] >> (move - FIRST) & 1:
                return None
            return Refusal("melee.24", "not_chosen", {"action": ACTIONS[move - FIRST]})
        if phase == PRESSING and (move == PRESS or move == WITHDRAW):
            return None
        if (phase == ACTING or phase == RECRUITING) and move == DONE:
            return None
        if phase == PRELIMINARY and move == PASS:
            return None
        return self.refuse_other(0)

    def refuse_other(self, waiting: int) -> Refusal:
        """Something else comes now, or somebody else decides."""
        phase = self.phase
        rule = "melee.10"
        if phase == BIDDING or phase == LEADING:
            rule = "melee.21"
        elif phase == CHOOSING:
            rule = "melee.23"
        elif phase == ORDERING:
            rule = "melee.24"
        elif phase == RECRUITING:
            rule = "melee.30"
        elif phase == ACTING or phase == MOVING:
            rule = "melee.40"
        elif phase == PRESSING:
            rule = "melee.50"
        elif phase != PRELIMINARY:
            rule = "melee.47"
        if waiting:
            return Refusal(rule, "not_your_turn", {"waits_for": tuple(seats_of(waiting))})
        return Refusal(rule, "other_phase", {"phase": PHASES[phase]})

    def refuse_bid(self, seat: i64, gold: i64) -> Refusal | None:
        if gold > self.gold[seat]:
            return Refusal("melee.21", "too_little_gold", {"need": int(gold), "gold": int(self.gold[seat])})
        return None

    def refuse_choice(self, choice: i64) -> Refusal | None:
        need: i64 = 2 if self.season == SEASONS else 1
        if size(CHOICES[choice]) == need:
            return None
        return Refusal("melee.23", "so_many_cards", {"cards": int(need), "season": SEASON_NAMES[self.season]})

    def refuse_lead(self, colour: i64) -> Refusal | None:
        if self.board.seat[colour] < 0:
            return Refusal("melee.21", "no_such_colour", {"colour": COLOURS[colour]})
        return None

    def refuse_offer(self, seat: i64, slot: i64, gold: i64) -> Refusal | None:
        if slot >= self.slots:
            return Refusal("melee.5", "no_ability", {"slot": SLOTS[slot], "cards": int(self.slots)})
        args: dict[str, Arg] = {"ability": ABILITIES[self.ability[slot]]}
        if gold <= self.offered[slot]:
            return Refusal("melee.12", "too_low", {**args, "need": int(self.offered[slot] + 1), "gold": int(gold)})
        if not self.can_mark(seat, slot, self.unmarked(seat)):
            return Refusal("melee.14", "no_marker", args)
        most = self.most_offer(seat, slot)
        if gold > most:
            return Refusal("melee.12", "too_high", {**args, "need": int(gold), "gold": int(most)})
        return None

    def refuse_recruit(self, seat: i64, unit: i64, province: i64) -> Refusal | None:
        args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[province]}
        if not self.board.provinces >> province & 1:
            return Refusal("melee.1", "no_province", args)
        if self.barred(seat, unit) >> province & 1:
            return Refusal("melee.34", "no_camp_in_castle" if unit == CAMP else "no_knight_in_mountains", args)
        if self.season == 0:
            if not self.board.lands[seat] >> province & 1:
                return Refusal("melee.11", "only_lands", args)
        elif not self.open_to(seat) >> province & 1:
            whose = self.owner(province)
            if whose == NOBODY:
                return Refusal("melee.33", "not_yours", args)
            return Refusal("melee.31", "held_by", {**args, "whose": int(whose)})
        if self.on[seat * 4 + unit] >> province & 1:
            return Refusal("melee.32", "identical", args)
        if self.reserve[seat * 4 + unit] == 0:
            return Refusal("melee.30", "none_left", {**args, "count": int(self.cards.count[unit])})
        if self.season == 0 and self.unmarked(seat) == 0:
            return Refusal("melee.14", "all_mark_bids", args)
        price = self.price(seat, unit)
        if price > self.gold[seat]:
            return Refusal("melee.30", "too_dear", {**args, "need": int(price), "gold": int(self.gold[seat])})
        return None

    def refuse_use(self, seat: i64, unit: i64, province: i64) -> Refusal | None:
        args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[province]}
        if not self.on[seat * 4 + unit] >> province & 1:
            return Refusal("melee.40", "no_unit", args)
        if unit == CAMP:
            return Refusal("melee.45", "camps_stay", args)
        if unit == CATAPULT and self.captured >> province & 1:
            return Refusal("melee.58", "just_captured", args)
        if self.acted[unit] >> province & 1:
            return Refusal("melee.40", "has_acted", args)
        if not self.usable(seat, unit, province):
            return Refusal("melee.40", "nothing_to_do", {**args, "gold": int(self.gold[seat])})
        return None

    def refuse_go(self, seat: i64, province: i64) -> Refusal | None:
        unit = self.unit
        if self.go_targets(seat, unit, self.at) >> province & 1:
            return None
        args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[self.at], "target": PROVINCES[province]}
        if not self.board.provinces >> province & 1:
            return Refusal("melee.1", "no_target", args)
        if province == self.at:
            return Refusal("melee.41", "is_there", args)
        if unit == CATAPULT and not self.able(seat, WHEELS):
            return Refusal("melee.45", "catapults_stay", args)
        if self.moved:
            return Refusal("melee.44", "attack_first", args)
        if unit == KNIGHT and self.no_riding(seat) >> province & 1:
            return Refusal("melee.54", "no_mountains", args)
        if self.closed(seat, self.enemies(seat)) >> province & 1 and not self.enterable(seat, unit) >> province & 1:
            return Refusal("melee.41", "closed", {**args, "whose": int(self.owner(province))})
        if self.on[seat * 4 + unit] >> province & 1:
            return Refusal("melee.41", "identical_there", args)
        return Refusal("melee.44" if unit == KNIGHT else "melee.43", "too_far", args)

    def enterable(self, seat: i64, unit: i64) -> i64:
        """Provinces with lone catapults that this kind of unit captures."""
        return i64(0) if unit == CATAPULT else self.lone_catapults(seat)

    def refuse_march(self, seat: i64, province: i64) -> Refusal | None:
        unit = self.unit
        if self.march_targets(seat, unit, self.at) >> province & 1:
            return None
        args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[self.at], "target": PROVINCES[province]}
        if unit != SOLDIER or not self.able(seat, FORCED_MARCH):
            return Refusal("melee.a14", "no_march", args)
        if self.marched:
            return Refusal("melee.a14", "has_marched", args)
        if not self.board.provinces >> province & 1:
            return Refusal("melee.1", "no_target", args)
        if not self.board.near[self.at] >> province & 1:
            return Refusal("melee.a14", "too_far", args)
        if self.closed(seat, self.enemies(seat)) >> province & 1:
            return Refusal("melee.a14", "closed", {**args, "whose": int(self.owner(province))})
        return Refusal("melee.a14", "identical_there", args)

    def refuse_attack(self, seat: i64, province: i64) -> Refusal | None:
        unit = self.unit
        if self.attack_targets(seat, unit, self.at) >> province & 1:
            return None
        args: dict[str, Arg] = {"unit": UNITS[unit], "province": PROVINCES[self.at], "target": PROVINCES[province]}
        if not self.board.provinces >> province & 1:
            return Refusal("melee.1", "no_target", args)
        if self.gold[seat] == 0:
            return Refusal("melee.47", "no_gold", {**args, "gold": 0})
        if unit == CATAPULT and self.board.mountains >> province & 1:
            return Refusal("melee.55", "no_shot_at_mountains", args)
        if unit == KNIGHT and self.no_riding(seat) >> province & 1:
            return Refusal("melee.54", "no_mountains", args)
        reach = self.shot_range(seat, self.at) if unit == CATAPULT else self.board.near[self.at]
        if not reach >> province & 1:
            return Refusal("melee.55" if unit == CATAPULT else "melee.46", "out_of_reach", args)
        if self.lone_catapults(seat) >> province & 1:
            return Refusal("melee.42", "just_enter", args)
        return Refusal("melee.55" if unit == CATAPULT else "melee.46", "no_enemy", args)

    def refuse_stake(self, seat: i64, gold: i64) -> Refusal | None:
        if gold > self.gold[seat]:
            return Refusal("melee.47", "too_little_gold", {"need": int(gold), "gold": int(self.gold[seat])})
        return None

    def refuse_name(self, gold: i64) -> Refusal | None:
        most = self.gold[self.player]
        if gold > most:
            return Refusal("melee.47", "more_than_gold", {"value": int(gold), "gold": int(most)})
        if self.was_named(gold):
            return Refusal("melee.47", "named_already", {"value": int(gold)})
        return None
