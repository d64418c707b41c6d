"""The rules of Monster Hunters for two to eight players. Comments give the number of the rule; `rulebook/` explains it.

Rules know nothing of time. Whoever keeps it decides which slap was first and plays that one; the move says by which
cards it is judged, so that a record tells the same race again. With the option `calm` everybody answers the first
slap in secret, and the rules decide themselves.

Cards stay where they were dealt: card k of the shuffled row belongs to the k-th seat from the first, round and round.
A deck is turned up in order and goes under itself in the same order, so it is a ring: a seat has a place in it, and
a number of cards that lie open from there on. Monster m of the shuffled row lies in pile m % 3.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import Log, State, Tape, bit, copy_into, numbers
from polikarp.games.hunters.cards import FAILED, SYMBOLS, WAND, Cards

PLACES: Final = 3
MOST_UNSEEN: Final = 4  # of the newest cards; a round trip counts as a second at most, and brings two or three

# Moves. `notation.py` writes them for people. A slap says how many of the newest cards its player had not seen.
FLIP: Final = 0
PASS: Final = 1
SLAP: Final = 2  # + place + PLACES * unseen: judged by all open cards but these
MOVES: Final = 17  # SLAP + PLACES * (MOST_UNSEEN + 1)

NOBODY: Final = -1
NO_MOVE: Final = -1
UNSEEN: Final = -1  # a face or a monster

# Whose a monster is: PILE (or open), CAUGHT + seat, MISTAKEN + seat.
PILE: Final = 0
CAUGHT: Final = 1
MISTAKEN: Final = 17

RANDOM: Final = -1  # the first player, when nobody names one


class Hunters(State):
    cards: Cards
    failed_attacks: bool
    calm: bool
    wanted: i64  # the first player asked for, or RANDOM
    size: i64  # spells and weapons in play
    monsters: i64  # monsters in play

    first: i64  # who was dealt the first card
    opener: i64  # who turns up the first card of this round
    turn: i64  # who turns up next; with no deck left, the seat after the last that did
    newest: i64  # who turned up the newest open card, or NOBODY
    racing: i64  # the seat whose slap the others answer, or NOBODY (calm)
    answers: i64  # the seats that have answered, the first slap's too (calm)

    face: vec[i64]  # by card
    monster: vec[i64]  # by place in the shuffled row of monsters
    owner: vec[i64]
    drawn: vec[i64]  # by pile: monsters that were turned up so far
    top: vec[i64]  # by seat: where in its ring the deck begins
    open: vec[i64]  # cards of it that lie open
    seen: vec[i64]  # cards of it that everybody has seen, from its first on
    shown: vec[i64]  # by symbol: how often it lies open
    wands: i64
    sealed: vec[i64]  # by seat: its slap or pass in this race, or NO_MOVE (calm)
    queue: vec[i64]  # by seat: how many answered before it, or NO_MOVE (calm)
    told: vec[i64]  # by seat: PASS, or SLAP + place, in the last race that was decided, or NO_MOVE (calm)

    def __init__(self, cards: Cards, seats: i64, failed_attacks: bool, calm: bool, wanted: i64) -> None:
        super().__init__(seats, MOVES)
        self.cards = cards
        self.failed_attacks = failed_attacks
        self.calm = calm
        self.wanted = wanted
        self.size = cards.deck_size(failed_attacks)
        self.monsters = cards.monster_count(seats)
        self.first = 0
        self.opener = 0
        self.turn = 0
        self.newest = NOBODY
        self.racing = NOBODY
        self.answers = 0
        self.wands = 0
        self.face = numbers(self.size, 0)
        self.monster = numbers(self.monsters, 0)
        self.owner = numbers(self.monsters, PILE)
        self.drawn = numbers(PLACES, 0)
        self.top = numbers(seats, 0)
        self.open = numbers(seats, 0)
        self.seen = numbers(seats, 0)
        self.shown = numbers(6, 0)
        self.sealed = numbers(seats, NO_MOVE)
        self.queue = numbers(seats, NO_MOVE)
        self.told = numbers(seats, NO_MOVE)

    def blank(self) -> Hunters:
        return Hunters(self.cards, self.seats, self.failed_attacks, self.calm, self.wanted)

    def become(self, other: State) -> None:
        assert isinstance(other, Hunters)
        self.waiting = other.waiting
        self.first = other.first
        self.opener = other.opener
        self.turn = other.turn
        self.newest = other.newest
        self.racing = other.racing
        self.answers = other.answers
        self.wands = other.wands
        copy_into(self.face, other.face)
        copy_into(self.monster, other.monster)
        copy_into(self.owner, other.owner)
        copy_into(self.drawn, other.drawn)
        copy_into(self.top, other.top)
        copy_into(self.open, other.open)
        copy_into(self.seen, other.seen)
        copy_into(self.shown, other.shown)
        copy_into(self.sealed, other.sealed)
        copy_into(self.queue, other.queue)
        copy_into(self.told, other.told)

    def carry(self, tape: Tape) -> None:
        self.first = tape.one(self.first)
        self.opener = tape.one(self.opener)
        self.turn = tape.one(self.turn)
        self.newest = tape.one(self.newest)
        self.racing = tape.one(self.racing)
        self.answers = tape.one(self.answers)
        self.wands = tape.one(self.wands)
        self.face = tape.many(self.face)
        self.monster = tape.many(self.monster)
        self.owner = tape.many(self.owner)
        self.drawn = tape.many(self.drawn)
        self.top = tape.many(self.top)
        self.open = tape.many(self.open)
        self.seen = tape.many(self.seen)
        self.shown = tape.many(self.shown)
        self.sealed = tape.many(self.sealed)
        self.queue = tape.many(self.queue)
        self.told = tape.many(self.told)

    # Setup

    def deal(self, rng: Rng) -> None:
        self.lay_out_monsters(rng)
        self.lay_out_decks(rng)
        self.first = rng.below(self.seats) if self.wanted == RANDOM else self.wanted  # hunters.5
        for seat in range(self.seats):
            self.top[seat] = 0
            self.open[seat] = 0
            self.seen[seat] = 0
            self.told[seat] = NO_MOVE
        self.begin_table(self.first)
        log = self.log
        if log is not None:
            log.tell("begin", {"cards": int(self.size), "monsters": int(self.monsters), "seat": int(self.first)})
            for place in range(i64(PLACES)):
                self.tell_open(log, place)

    def lay_out_monsters(self, rng: Rng) -> None:
        at: i64 = 0
        for monster in range(i64(len(self.cards.players))):
            if self.cards.players[monster] <= self.seats:  # hunters.2
                self.monster[at] = monster
                at += 1
        rng.shuffle(self.monster, self.monsters)
        for at in range(self.monsters):
            self.owner[at] = PILE
        for place in range(i64(PLACES)):  # hunters.3
            self.drawn[place] = 1

    def lay_out_decks(self, rng: Rng) -> None:
        at: i64 = 0
        for face in range(i64(len(self.cards.kind))):
            if self.failed_attacks or self.cards.kind[face] != FAILED:  # hunters.4
                for copy in range(self.cards.copies[face]):
                    self.face[at] = face
                    at += 1
        rng.shuffle(self.face, self.size)

    # Where things are

    def deck_size(self, seat: i64) -> i64:
        """All cards of a seat, open or not."""  # hunters.4
        return (self.size - self.dealt_as(seat) + self.seats - 1) // self.seats

    def dealt_as(self, seat: i64) -> i64:
        """Which card of each round of dealing is the seat's."""
        return (seat - self.first + self.seats) % self.seats

    def card_at(self, seat: i64, depth: i64) -> i64:
        """A card of a seat's ring, counted from the one that was on top after the deal."""
        return depth * self.seats + self.dealt_as(seat)

    def open_card(self, seat: i64, nth: i64) -> i64:
        """The nth open card of a seat."""
        return self.card_at(seat, (self.top[seat] + nth) % self.deck_size(seat))

    def pile_size(self, place: i64) -> i64:
        """All monsters of a pile, with those that were taken."""  # hunters.3
        return (self.monsters - place + PLACES - 1) // PLACES

    def at_place(self, place: i64) -> i64:
        """Where in the row the open monster of a place is."""
        return (self.drawn[place] - 1) * PLACES + place

    def open_count(self) -> i64:
        count: i64 = 0
        for seat in range(self.seats):
            count += self.open[seat]
        return count

    def takings(self) -> i64:
        """How many monsters were taken so far."""
        return self.drawn[0] + self.drawn[1] + self.drawn[2] - PLACES

    # The course of the game

    def begin_table(self, seat: i64) -> None:
        """No card lies open, and no race is on; this seat turns up first."""
        self.opener = seat
        self.newest = NOBODY
        self.wands = 0
        for symbol in range(i64(6)):
            self.shown[symbol] = 0
        self.clear_answers()
        self.begin_from(seat)

    def clear_answers(self) -> None:
        self.racing = NOBODY
        self.answers = 0
        for seat in range(self.seats):
            self.sealed[seat] = NO_MOVE
            self.queue[seat] = NO_MOVE

    def begin_from(self, seat: i64) -> None:
        """Wait for the first seat from this one on that can turn up; with no deck left, for a slap of anybody."""
        self.turn = seat
        for other in range(self.seats):  # hunters.20
            if self.open[self.turn] < self.deck_size(self.turn):
                self.waiting = 1 << self.turn
                return
            self.turn = (self.turn + 1) % self.seats
        self.waiting = (1 << self.seats) - 1

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        log = self.log
        if log is not None:
            log.sealed = True
        if move == FLIP:
            self.turn_up(seat)
        elif self.calm:
            self.answer(seat, move)
        else:
            self.take(seat, move)

    def turn_up(self, seat: i64) -> None:  # hunters.10
        card = self.open_card(seat, self.open[seat])
        self.open[seat] += 1
        self.seen[seat] = max(self.seen[seat], min(self.top[seat] + self.open[seat], self.deck_size(seat)))
        self.newest = seat
        face = self.face[card]
        for symbol in range(i64(6)):
            self.shown[symbol] += self.cards.shows[face * 6 + symbol]
        self.wands += i64(self.cards.kind[face] == WAND)
        log = self.log
        if log is not None:
            self.tell_card(log, seat, face)
        self.begin_from((seat + 1) % self.seats)

    def missing(self, place: i64, unseen: i64) -> i64:
        """How many symbols of a monster nothing stands for, without the newest cards; none: it can be caught."""
        needs = self.monster[self.at_place(place)] * 6
        shown = self.shown
        wands = self.wands
        if unseen > 0:
            shown = self.shown_without(unseen)
            wands = shown[6]
        missing: i64 = 0
        for symbol in range(i64(6)):  # hunters.11
            missing += max(self.cards.needs[needs + symbol] - shown[symbol], i64(0))
        return max(missing - wands, i64(0))  # hunters.12

    def missing_names(self, place: i64, unseen: i64) -> str:
        """The same by name. Wands stand for those that come first."""
        needs = self.monster[self.at_place(place)] * 6
        shown = self.shown_without(unseen)
        names: list[str] = []
        for symbol in range(i64(6)):
            for lacking in range(self.cards.needs[needs + symbol] - shown[symbol]):
                names.append(SYMBOLS[symbol])
        return " ".join(names[int(shown[6]) :])

    def shown_without(self, unseen: i64) -> vec[i64]:
        """How often each symbol lies open, and then how many wands do, without so many of the newest cards."""
        cards = self.cards
        shown = numbers(7, self.wands)
        for symbol in range(i64(6)):
            shown[symbol] = self.shown[symbol]
        seat = self.newest
        nth = self.open[seat] - 1
        for gone in range(unseen):
            while gone > 0:  # back to who turned up before; some decks may have run out
                if seat == self.opener:
                    nth -= 1
                seat = (seat + self.seats - 1) % self.seats
                if self.open[seat] > nth:
                    break
            face = self.face[self.open_card(seat, nth)]
            shown[6] -= i64(cards.kind[face] == WAND)
            for symbol in range(i64(6)):
                shown[symbol] -= cards.shows[face * 6 + symbol]
        return shown

    def take(self, seat: i64, move: i64) -> None:
        """The slap that counts: its player takes the monster, and a new round begins."""
        place = (move - SLAP) % PLACES
        unseen = (move - SLAP) // PLACES
        at = self.at_place(place)
        caught = self.missing(place, unseen) == 0  # hunters.25, hunters.33
        self.owner[at] = (CAUGHT if caught else MISTAKEN) + seat  # hunters.13, hunters.14
        log = self.log
        if log is not None:
            self.tell_taken(log, seat, place, unseen, caught)
        self.drawn[place] += 1  # hunters.15
        if log is not None:
            self.tell_open(log, place)
        if self.drawn[place] == self.pile_size(place):  # hunters.21
            self.clear_answers()
            self.waiting = 0
            if log is not None:
                self.tell_end(log)
            return
        for other in range(self.seats):
            self.top[other] = (self.top[other] + self.open[other]) % self.deck_size(other)
            self.open[other] = 0
        self.begin_table(seat)
        if log is not None:
            log.tell("gather", {"seat": int(seat)})

    # A calm race: everybody answers in secret

    def answer(self, seat: i64, move: i64) -> None:  # hunters.35
        log = self.log
        if self.racing == NOBODY:
            self.racing = seat
            self.waiting = (1 << self.seats) - 1
            if log is not None:
                log.tell("race", {"seat": int(seat)})
        self.queue[seat] = self.count_answers()
        self.answers |= 1 << seat
        self.sealed[seat] = move
        self.waiting &= ~(1 << seat)
        if log is not None:
            if move == PASS:
                log.tell("your_pass", {}, bit(seat))
            else:
                log.tell("your_slap", {"place": int((move - SLAP) % PLACES + 1)}, bit(seat))
        if self.waiting == 0:
            self.tell_answers()
            winner = self.winner()
            self.take(winner, self.sealed[winner])

    def count_answers(self) -> i64:
        count: i64 = 0
        for seat in range(self.seats):
            count += self.answers >> seat & 1
        return count

    def winner(self) -> i64:
        """Of all slaps those on the highest priority number, and of these the earliest."""  # hunters.24
        best = self.racing
        for seat in range(self.seats):
            if self.sealed[seat] >= SLAP:
                ahead = self.priority_of(self.sealed[seat]) - self.priority_of(self.sealed[best])
                if ahead > 0 or (ahead == 0 and self.queue[seat] < self.queue[best]):
                    best = seat
        return best

    def priority_of(self, move: i64) -> i64:
        return self.cards.priority[self.monster[self.at_place((move - SLAP) % PLACES)]]

    # What a seat may do

    def list_moves(self, seat: i64) -> i64:
        if self.waiting == 0:
            return 0
        legal = self.legal
        count: i64 = 0
        if self.racing == NOBODY:
            if self.waiting == 1 << self.turn and self.turn == seat:
                legal[0] = FLIP
                count = 1
        elif self.answers >> seat & 1:
            return 0
        else:
            legal[0] = PASS
            count = 1
        for slap in range(PLACES * min(self.open_count(), i64(MOST_UNSEEN + 1))):
            legal[count] = SLAP + slap
            count += 1
        return count

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        if move == FLIP:
            return self.refuse_flip(seat)
        if self.answers >> seat & 1:
            return Refusal("hunters.24", "one_slap")
        if move == PASS:
            return None if self.racing != NOBODY else Refusal("hunters.35", "nothing_to_pass")
        opened = self.open_count()
        if opened == 0:
            return Refusal("hunters.25", "nothing_open")
        if (move - SLAP) // PLACES >= opened:
            return Refusal("hunters.25", "none_seen")
        return None

    def refuse_flip(self, seat: i64) -> Refusal | None:
        if self.racing != NOBODY:
            return Refusal("hunters.34", "race_is_on")
        if self.waiting != 1 << self.turn:
            return Refusal("hunters.20", "decks_empty")
        if self.turn != seat:
            return Refusal("hunters.10", "not_your_turn", {"waits_for": int(self.turn)})
        return None

    def let_go(self) -> i64:
        return PASS

    def first_counts(self, move: i64) -> bool:
        """A slap, unless it answers one: then all are compared."""  # hunters.16, hunters.35
        return move >= SLAP and self.racing == NOBODY

    # The result

    def score(self, seat: i64) -> i64:  # hunters.22
        points: i64 = 0
        for at in range(self.monsters):
            if self.owner[at] == CAUGHT + seat:
                points += self.cards.value[self.monster[at]]
            elif self.owner[at] == MISTAKEN + seat:
                points += self.cards.mistake
        return points

    def caught(self, seat: i64, value: i64) -> i64:
        """How many monsters of a value lie face up before a seat."""
        count: i64 = 0
        for at in range(self.monsters):
            count += i64(self.owner[at] == CAUGHT + seat and self.cards.value[self.monster[at]] == value)
        return count

    def standing(self, seat: i64) -> i64:
        """A number that is higher for who did better."""  # hunters.23
        rank = self.score(seat)
        for value in range(i64(5), i64(2), -1):
            rank = rank * 100 + self.caught(seat, value)
        return rank

    def place(self, seat: i64) -> i64:
        ahead: i64 = 1
        mine = self.standing(seat)
        for other in range(self.seats):
            ahead += i64(self.standing(other) > mine)
        return ahead

    # Who knows what

    def hide(self, seat: i64) -> None:
        """What was never turned up, and how others answered a calm race, or whether they did."""
        for at in range(self.monsters):
            if at // PLACES >= self.drawn[at % PLACES]:
                self.monster[at] = UNSEEN
        for owner in range(self.seats):
            for card in range(self.card_at(owner, self.seen[owner]), self.size, self.seats):
                self.face[card] = UNSEEN
        if self.racing != NOBODY:
            mine: i64 = 1 << seat if seat >= 0 else 0
            self.answers &= mine | 1 << self.racing
            self.waiting = ((1 << self.seats) - 1) & ~self.answers
            for other in range(self.seats):
                if other != seat:
                    self.sealed[other] = NO_MOVE
                if other != self.racing:
                    self.queue[other] = NO_MOVE

    def fill(self, seat: i64, rng: Rng) -> None:
        """Every order of what was never turned up is equally likely. Of others' answers nothing is known: they are
        taken not to have answered yet, and the first to have slapped any monster.
        """
        self.fill_monsters(rng)
        self.fill_decks(rng)
        if self.racing != NOBODY:
            if self.sealed[self.racing] == NO_MOVE:
                self.sealed[self.racing] = SLAP + rng.below(PLACES)
            if seat >= 0 and seat != self.racing and self.answers >> seat & 1:
                self.queue[seat] = 1

    def fill_monsters(self, rng: Rng) -> None:
        left = vec[i64]()
        for monster in range(i64(len(self.cards.players))):
            if self.cards.players[monster] <= self.seats and not has(self.monster, monster):
                left = append(left, monster)
        put_unseen(self.monster, left, rng)

    def fill_decks(self, rng: Rng) -> None:
        counts = numbers(i64(len(self.cards.kind)), 0)
        for card in range(self.size):
            if self.face[card] != UNSEEN:
                counts[self.face[card]] += 1
        left = vec[i64]()
        for face in range(i64(len(self.cards.kind))):
            if self.failed_attacks or self.cards.kind[face] != FAILED:
                for copy in range(self.cards.copies[face] - counts[face]):
                    left = append(left, face)
        put_unseen(self.face, left, rng)

    def totals(self) -> list[int]:
        """Cards of each face, monsters, and what the counts of open symbols and wands are off by."""
        faces = [0] * len(self.cards.kind)
        for card in range(self.size):
            faces[self.face[card]] += 1
        monsters = sorted([int(self.monster[at]) for at in range(self.monsters)])
        owned = sum([int(self.owner[at] != PILE) for at in range(self.monsters)])
        off = [-int(self.shown[symbol]) for symbol in range(6)]
        wands = -int(self.wands)
        for seat in range(self.seats):
            for nth in range(self.open[seat]):
                face = self.face[self.open_card(seat, nth)]
                wands += int(self.cards.kind[face] == WAND)
                for symbol in range(6):
                    off[symbol] += int(self.cards.shows[face * 6 + symbol])
        return [*faces, *monsters, owned - int(self.takings()), *off, wands]

    # Telling what happened

    def tell_open(self, log: Log, place: i64) -> None:
        log.tell("monster", self.monster_args(place))

    def monster_args(self, place: i64) -> dict[str, Arg]:
        monster = self.monster[self.at_place(place)]
        return {
            "place": int(place + 1),
            "priority": int(self.cards.priority[monster]),
            "value": int(self.cards.value[monster]),
            "symbols": symbol_names(self.cards.needs, monster),
        }

    def tell_card(self, log: Log, seat: i64, face: i64) -> None:
        kind = self.cards.kind[face]
        if kind == WAND:
            log.tell("wand", {"seat": int(seat)})
        else:
            key = "failed" if kind == FAILED else "turn_up"
            log.tell(key, {"seat": int(seat), "symbols": symbol_names(self.cards.pictures, face)})

    def tell_taken(self, log: Log, seat: i64, place: i64, unseen: i64, caught: bool) -> None:
        if unseen > 0:
            log.tell("unseen", {"seat": int(seat), "count": int(unseen)})
        args = self.monster_args(place)
        args["seat"] = int(seat)
        if not caught:
            args["missing"] = self.missing_names(place, unseen)
        log.tell("catch" if caught else "mistake", args)

    def tell_answers(self) -> None:
        """Everybody sees now who slapped which monster."""
        log = self.log
        for seat in range(self.seats):
            move = self.sealed[seat]
            self.told[seat] = move if move == PASS else SLAP + (move - SLAP) % PLACES
            if log is not None:
                if move == PASS:
                    log.tell("passed", {"seat": int(seat)})
                else:
                    log.tell("slapped", {"seat": int(seat), "place": int((move - SLAP) % PLACES + 1)})

    def tell_end(self, log: Log) -> None:
        log.tell("end", {})
        for seat in range(self.seats):
            log.tell("score", {"seat": int(seat), "points": int(self.score(seat))})
        winners = self.winners()
        if len(winners) == 1:
            log.tell("win", {"seat": winners[0]})
        else:
            log.tell("shared_win", {"seat": tuple(winners)})


def symbol_names(table: vec[i64], row: i64) -> str:
    """The symbols of a face or a monster by name, each as often as it counts."""
    names: list[str] = []
    for symbol in range(6):
        for copy in range(table[row * 6 + symbol]):
            names.append(SYMBOLS[symbol])
    return " ".join(names)


def has(row: vec[i64], value: i64) -> bool:
    for at in range(i64(len(row))):
        if row[at] == value:
            return True
    return False


def put_unseen(row: vec[i64], left: vec[i64], rng: Rng) -> None:
    """Put what is left, in any order, where something is unseen."""
    rng.shuffle(left, i64(len(left)))
    next_left: i64 = 0
    for at in range(i64(len(row))):
        if row[at] == UNSEEN:
            row[at] = left[next_left]
            next_left += 1
