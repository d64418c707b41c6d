"""The rules of Crypt for one to four players. Comments give the number of the rule; `rulebook/` explains it.

Cards are known by the order in which they leave the deck: card 0 is drawn first. So nothing has to be moved
about: each card has a kind, a value, a place and a set of those who know its value. In the solo game the ghost
is one more heir, behind the only seat.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import EVERYONE, WATCHER_BIT, Log, State, Tape, bit, copy_into, numbers, seats_of
from polikarp.games.crypt.cards import (
    JEWELLERY,
    KINDS,
    MANUSCRIPT,
    MOST_DICE,
    MOST_SLOTS,
    POTTERY,
    REMAINS,
    STATUE,
    TAPESTRY,
    TOP_VALUE,
    Cards,
)

# Moves. `notation.py` writes them for people.
DONE: Final = 0
RECOVER: Final = 1
LOOK: Final = 2
REVIVE: Final = 3
REROLL: Final = 4  # + value shown - 1
TAKE: Final = 10  # + slot
SEND: Final = 16  # + slot * 18 + (dice - 1) * 6 + value shown - 1
MOVES: Final = 124

# Phases: those in which the game waits for a decision, and the one after the last.
POTTERY_WINDOWS: Final = 0
SERVANTS: Final = 1
STATUE_WINDOWS: Final = 2
OVER: Final = 3
PHASES: Final = ("pottery", "servants", "statues", "over")

# Where a card is.
DECK: Final = 0
CRYPT: Final = 1
DISCARDED: Final = 2
OWNED: Final = 3  # + seat

# Sides of a collector; RANDOM is an option that the deal settles.
A: Final = 0
B: Final = 1
RANDOM: Final = 2

NOBODY: Final = -1
NO_CARD: Final = -1
NO_DIE: Final = -1
NO_ROLL: Final = 0
UNSEEN_KIND: Final = -1
UNSEEN: Final = 0  # a value

SLOTS: Final = ("A", "B", "C", "D", "E", "F")


def send_move(slot: i64, dice: i64, shows: i64) -> i64:
    """The number of the move that sends dice to a treasure."""
    return SEND + slot * 18 + (dice - 1) * 6 + shows - 1


def send_parts(move: i64) -> tuple[i64, i64, i64]:
    """Slot, dice and what they show, out of the number of a send."""
    slot = (move - SEND) // 18
    rest = move - SEND - slot * 18
    dice = rest // 6
    return slot, dice + 1, rest - dice * 6 + 1


class Crypt(State):
    cards: Cards
    heirs: i64  # those who send servants: the seats, and the ghost in the solo game
    size: i64  # cards in play
    slots: i64  # cards laid out each round
    face_up: i64  # how many of them face up
    turns: i64  # turns in a round
    first: i64  # the seat that was chosen to lead, or NOBODY: chance decides

    wanted: vec[i64]  # by kind: the side asked for: A, B or RANDOM
    sides: vec[i64]  # by kind: the side in use
    leader: i64
    round: i64  # from 1
    phase: i64
    turn: i64  # of this round, from 0
    window: i64  # of this phase, from 0, counted from the leader
    drawn: i64  # cards drawn from the deck so far
    groups: i64  # sent in this turn
    used: i64  # slots sent to in this turn, a bit each
    claimed: i64  # whether the first Statue B award was given

    kind: vec[i64]  # by card
    value: vec[i64]
    where: vec[i64]
    known: vec[i64]  # those who know its value
    turned: vec[i64]  # whether its owner turned it up to pay a collector
    floor: vec[i64]  # the least that its value can be, as everybody can work out

    # By slot. Where a treasure was collected they stay as they were until the next deal: dice can be rolled again.
    slot: vec[i64]  # the card that lies there
    holder: vec[i64]
    dice: vec[i64]  # how many dice hold it
    shows: vec[i64]  # what each of them shows
    rolls: vec[i64]  # by slot and die: what it rolled in this round, or NO_ROLL; NO_ROLL too if Remains A woke it since

    ready: vec[i64]  # by heir: dice
    tired: vec[i64]
    sent: vec[i64]  # whether the heir sent servants this round
    owned: vec[i64]  # by heir and kind: cards
    down: vec[i64]  # of these, cards still face down
    award: vec[i64]  # by heir: coins from Statue B
    tie: vec[i64]  # by heir: sum of all rolls for a tie, or -1 if there was none
    final: vec[i64]  # by heir: place at the end

    def __init__(self, cards: Cards, seats: i64, first: i64) -> None:
        super().__init__(seats, MOVES)
        self.cards = cards
        self.first = first
        self.heirs = 2 if seats == 1 else seats
        self.size = cards.deck[seats]
        self.face_up = cards.face_up[seats]
        self.slots = self.face_up + cards.face_down[seats]
        self.turns = 3 if self.heirs == 2 else seats
        self.wanted = numbers(6, A)
        self.sides = numbers(6, A)
        self.leader = 0
        self.round = 0
        self.phase = POTTERY_WINDOWS
        self.turn = 0
        self.window = 0
        self.drawn = 0
        self.groups = 0
        self.used = 0
        self.claimed = 0
        self.kind = numbers(self.size, 0)
        self.value = numbers(self.size, 0)
        self.where = numbers(self.size, DECK)
        self.known = numbers(self.size, 0)
        self.turned = numbers(self.size, 0)
        self.floor = numbers(self.size, 0)
        self.slot = numbers(MOST_SLOTS, NO_CARD)
        self.holder = numbers(MOST_SLOTS, NOBODY)
        self.dice = numbers(MOST_SLOTS, 0)
        self.shows = numbers(MOST_SLOTS, 0)
        self.rolls = numbers(MOST_SLOTS * MOST_DICE, NO_ROLL)
        self.ready = numbers(self.heirs, 0)
        self.tired = numbers(self.heirs, 0)
        self.sent = numbers(self.heirs, 0)
        self.owned = numbers(self.heirs * 6, 0)
        self.down = numbers(self.heirs * 6, 0)
        self.award = numbers(self.heirs, 0)
        self.tie = numbers(self.heirs, -1)
        self.final = numbers(self.heirs, 0)

    def blank(self) -> Crypt:
        made = Crypt(self.cards, self.seats, self.first)
        copy_into(made.wanted, self.wanted)
        return made

    def become(self, other: State) -> None:
        assert isinstance(other, Crypt)
        self.waiting = other.waiting
        self.leader = other.leader
        self.round = other.round
        self.phase = other.phase
        self.turn = other.turn
        self.window = other.window
        self.drawn = other.drawn
        self.groups = other.groups
        self.used = other.used
        self.claimed = other.claimed
        copy_into(self.wanted, other.wanted)
        copy_into(self.sides, other.sides)
        copy_into(self.kind, other.kind)
        copy_into(self.value, other.value)
        copy_into(self.where, other.where)
        copy_into(self.known, other.known)
        copy_into(self.turned, other.turned)
        copy_into(self.floor, other.floor)
        copy_into(self.slot, other.slot)
        copy_into(self.holder, other.holder)
        copy_into(self.dice, other.dice)
        copy_into(self.shows, other.shows)
        copy_into(self.rolls, other.rolls)
        copy_into(self.ready, other.ready)
        copy_into(self.tired, other.tired)
        copy_into(self.sent, other.sent)
        copy_into(self.owned, other.owned)
        copy_into(self.down, other.down)
        copy_into(self.award, other.award)
        copy_into(self.tie, other.tie)
        copy_into(self.final, other.final)

    def carry(self, tape: Tape) -> None:
        self.leader = tape.one(self.leader)
        self.round = tape.one(self.round)
        self.phase = tape.one(self.phase)
        self.turn = tape.one(self.turn)
        self.window = tape.one(self.window)
        self.drawn = tape.one(self.drawn)
        self.groups = tape.one(self.groups)
        self.used = tape.one(self.used)
        self.claimed = tape.one(self.claimed)
        self.wanted = tape.many(self.wanted)
        self.sides = tape.many(self.sides)
        self.kind = tape.many(self.kind)
        self.value = tape.many(self.value)
        self.where = tape.many(self.where)
        self.known = tape.many(self.known)
        self.turned = tape.many(self.turned)
        self.floor = tape.many(self.floor)
        self.slot = tape.many(self.slot)
        self.holder = tape.many(self.holder)
        self.dice = tape.many(self.dice)
        self.shows = tape.many(self.shows)
        self.rolls = tape.many(self.rolls)
        self.ready = tape.many(self.ready)
        self.tired = tape.many(self.tired)
        self.sent = tape.many(self.sent)
        self.owned = tape.many(self.owned)
        self.down = tape.many(self.down)
        self.award = tape.many(self.award)
        self.tie = tape.many(self.tie)
        self.final = tape.many(self.final)

    # Setup

    def deal(self, rng: Rng) -> None:
        for kind in range(i64(6)):  # crypt.5
            wanted = self.wanted[kind]
            self.sides[kind] = rng.below(2) if wanted == RANDOM else wanted
        self.shuffle_deck(rng)
        for heir in range(self.heirs):
            self.ready[heir] = self.cards.dice  # crypt.6
            self.tired[heir] = 0
            self.award[heir] = 0
            self.tie[heir] = -1
            self.final[heir] = 0
            for kind in range(i64(6)):
                self.owned[heir * 6 + kind] = 0
                self.down[heir * 6 + kind] = 0
        self.leader = self.first  # crypt.7
        if self.first == NOBODY:
            self.leader = i64(0) if self.seats == 1 else rng.below(self.seats)  # crypt.7, crypt.50
        self.round = 0
        self.drawn = 0
        self.claimed = 0
        log = self.log
        if log is not None:
            sides = "".join(["AB"[self.sides[kind]] for kind in range(6)])
            log.tell("begin", {"sides": sides, "cards": int(self.size)})
            self.tell_torches(log)
        self.lay_out()
        self.go_on(rng)

    def shuffle_deck(self, rng: Rng) -> None:
        at: i64 = 0
        for kind in range(i64(6)):  # crypt.2, crypt.3
            for value in range(i64(1), i64(TOP_VALUE + 1)):
                for copy in range(self.cards.copies_of(self.seats, kind, value)):
                    self.value[at] = kind * 8 + value
                    at += 1
        rng.shuffle(self.value, self.size)
        for card in range(self.size):
            self.kind[card] = self.value[card] >> 3
            self.value[card] &= 7
            self.where[card] = DECK
            self.known[card] = 0
            self.turned[card] = 0
            self.floor[card] = 0

    # The course of a round

    def go_on(self, rng: Rng) -> None:
        """Go on to the next decision, carrying out all that needs none."""
        self.waiting = 0
        while self.waiting == 0 and self.phase != OVER:
            if self.phase == SERVANTS:
                if self.turn == self.turns:
                    self.collect(rng)
                else:
                    self.begin_turn(rng)
            elif self.window == self.heirs or not self.has_windows():
                if self.phase == POTTERY_WINDOWS:
                    self.phase = SERVANTS
                else:
                    self.end_round(rng)
            elif self.window_open(self.window_seat()):
                self.waiting = 1 << self.window_seat()
            else:
                self.window += 1

    def has_windows(self) -> bool:
        """Whether the collector of this phase's windows shows the side that has them."""
        return self.sides[POTTERY] == B if self.phase == POTTERY_WINDOWS else self.sides[STATUE] == A

    def window_seat(self) -> i64:
        """Whose window it is: from the leader clockwise."""
        return (self.leader + self.window) % self.heirs

    def window_open(self, seat: i64) -> bool:
        """Whether this seat can use the collector whose windows these are."""
        if self.phase == POTTERY_WINDOWS:  # crypt.44B
            if self.down[seat * 6 + POTTERY] < self.cards.pottery_flip:
                return False
            for slot in range(self.slots):
                if self.slot[slot] >= 0 and self.laid_down(self.slot[slot]):
                    return True
            return False
        if self.down[seat * 6 + STATUE] < self.cards.statue_flip:  # crypt.41A
            return False
        for shows in range(i64(2), i64(7)):
            if self.failed_die(seat, shows) != NO_DIE:
                return True
        return False

    def failed_die(self, seat: i64, shows: i64) -> i64:
        """The first of a seat's dice that showed this and failed in this round: its place in `rolls`, or NO_DIE."""
        for slot in range(self.slots):
            if self.holder[slot] == seat and self.shows[slot] == shows:
                for at in range(slot * MOST_DICE, slot * MOST_DICE + self.dice[slot]):
                    if NO_ROLL < self.rolls[at] < shows:
                        return at
        return NO_DIE

    def laid_down(self, card: i64) -> bool:
        """Whether the card was laid face down: the last drawn of each round are."""  # crypt.10
        return card % self.slots >= self.face_up

    def lay_out(self) -> None:
        """Reveal: the next cards form the crypt."""  # crypt.10
        self.round += 1
        self.phase = POTTERY_WINDOWS
        self.window = 0
        self.turn = 0
        for heir in range(self.heirs):
            self.sent[heir] = 0
        for at in range(self.slots * MOST_DICE):
            self.rolls[at] = NO_ROLL
        for slot in range(self.slots):
            card = self.drawn + slot
            self.where[card] = CRYPT
            self.known[card] = 0 if self.laid_down(card) else EVERYONE
            self.slot[slot] = card
            self.holder[slot] = NOBODY
            self.dice[slot] = 0
            self.shows[slot] = 0
        self.drawn += self.slots
        if self.seats == 1:
            self.sort_slots()
        log = self.log
        if log is not None:
            self.tell_crypt(log)

    def sort_slots(self) -> None:
        """The solo crypt is ordered by value, highest first; the earlier drawn first among equals."""  # crypt.51
        for end in range(i64(1), self.slots):
            at = end
            while at > 0 and self.rank(self.slot[at - 1]) < self.rank(self.slot[at]):
                held = self.slot[at - 1]
                self.slot[at - 1] = self.slot[at]
                self.slot[at] = held
                at -= 1

    def rank(self, card: i64) -> i64:
        """Twice the value by which the solo crypt is ordered: a face-down card counts 2.5."""  # crypt.51
        return 5 if self.laid_down(card) else self.value[card] * 2

    def heir_of_turn(self) -> i64:
        """Who takes this turn: from the leader clockwise; with two heirs the leader again at the end."""
        return (self.leader + self.turn) % self.heirs  # crypt.12, crypt.16

    def lights_out(self) -> bool:
        """Whether this turn is the one that may go to one treasure only."""  # crypt.15, crypt.16
        return self.turn == self.turns - 1

    def begin_turn(self, rng: Rng) -> None:
        heir = self.heir_of_turn()
        self.groups = 0
        self.used = 0
        log = self.log
        if heir >= self.seats:
            if log is not None:
                log.cut(self)
            self.ghost_turn(rng)
            self.turn += 1
        elif self.ready[heir] == 0 and not self.can_revive(heir):  # crypt.19
            if log is not None:
                log.cut(self)
            self.recover(heir, "recover_self", "pass_self")
            self.turn += 1
        else:
            self.waiting = 1 << heir

    def recover(self, seat: i64, key: str, pass_key: str) -> None:
        """All exhausted dice become ready."""  # crypt.18
        dice = self.tired[seat]
        self.ready[seat] += dice
        self.tired[seat] = 0
        log = self.log
        if log is not None:
            if dice > 0:
                log.tell(key, {"seat": int(seat), "dice": int(dice)})
            else:
                log.tell(pass_key, {"seat": int(seat)})

    # Moves

    def list_moves(self, seat: i64) -> i64:
        legal = self.legal
        count: i64 = 0
        if self.phase == OVER:
            return 0
        if self.can_look(seat):
            legal[0] = LOOK
            count = 1
        if self.can_revive(seat):
            legal[count] = REVIVE
            count += 1
        if self.waiting != 1 << seat:
            return count
        if self.phase == POTTERY_WINDOWS:
            legal[count] = DONE
            count += 1
            for slot in range(self.slots):
                if self.slot[slot] >= 0 and self.laid_down(self.slot[slot]):
                    legal[count] = TAKE + slot
                    count += 1
            return count
        if self.phase == STATUE_WINDOWS:
            legal[count] = DONE
            count += 1
            for shows in range(i64(2), i64(7)):
                if self.failed_die(seat, shows) != NO_DIE:
                    legal[count] = REROLL + shows - 1
                    count += 1
            return count
        if self.groups == 0:
            legal[count] = RECOVER
        else:
            legal[count] = DONE
        count += 1
        dice = self.ready[seat]
        if dice == 0 or (self.groups > 0 and self.lights_out()):
            return count
        for slot in range(self.slots):
            if self.slot[slot] >= 0 and not self.used >> slot & 1:
                held = self.dice[slot] * self.shows[slot]
                first = SEND + slot * 18
                if held == 0:
                    for move in range(first, first + dice * 6):
                        legal[count] = move
                        count += 1
                else:
                    for number in range(i64(1), dice + 1):
                        for move in range(first + held // number, first + 6):  # crypt.14
                            legal[count] = move
                            count += 1
                        first += 6
        return count

    def pick(self, seat: i64, rng: Rng) -> i64:
        """As the list would give, without writing its up to 109 sends: draws from all of them until one is legal."""
        if self.phase != SERVANTS or self.waiting != 1 << seat or self.can_look(seat) or self.can_revive(seat):
            return super().pick(seat, rng)
        width = self.ready[seat] * 6  # the sends to one treasure
        if self.groups > 0 and self.lights_out():
            width = 0
        while True:
            nth = rng.below(1 + self.slots * width) - 1
            if nth < 0:
                return RECOVER if self.groups == 0 else DONE
            slot = nth // width
            rest = nth - slot * width
            if self.slot[slot] >= 0 and not self.used >> slot & 1:
                number = rest // 6 + 1
                if number * (rest - number * 6 + 7) > self.dice[slot] * self.shows[slot]:  # crypt.14
                    return SEND + slot * 18 + rest

    def can_look(self, seat: i64) -> bool:  # crypt.43B
        if self.sides[MANUSCRIPT] != B or self.down[seat * 6 + MANUSCRIPT] < self.cards.manuscript_flip:
            return False
        return self.unseen_in_crypt(seat)

    def unseen_in_crypt(self, seat: i64) -> bool:
        for slot in range(self.slots):
            if self.unseen(seat, slot):
                return True
        return False

    def unseen(self, seat: i64, slot: i64) -> bool:
        """Whether a card lies there whose value the seat does not know."""
        card = self.slot[slot]
        return card >= 0 and self.where[card] == CRYPT and not self.known[card] & bit(seat)

    def can_revive(self, seat: i64) -> bool:  # crypt.45A
        if self.sides[REMAINS] != A or self.tired[seat] == 0:
            return False
        return self.down[seat * 6 + REMAINS] >= self.cards.remains_flip

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        if move >= SEND:
            slot, dice, shows = send_parts(move)
            self.send(seat, slot, dice, shows)
        elif move == DONE:
            if self.phase == SERVANTS:
                log = self.log
                if log is not None:
                    log.tell("done", {"seat": int(seat)})
                self.turn += 1
            else:
                self.window += 1
            self.go_on(rng)
        elif move == RECOVER:
            self.recover(seat, "recover", "pass")
            self.turn += 1
            self.go_on(rng)
        else:
            if move == LOOK:
                self.look(seat)
            elif move == REVIVE:
                self.revive(seat)
            elif move >= TAKE:
                self.take(seat, move - TAKE)
            else:
                self.reroll(seat, move - REROLL + 1, rng)
            if self.phase != SERVANTS and not self.window_open(self.window_seat()):
                self.window += 1
                self.go_on(rng)

    def send(self, seat: i64, slot: i64, dice: i64, shows: i64) -> None:
        """Put dice on a treasure; those that lay there go home."""  # crypt.13, crypt.14
        holder = self.holder[slot]
        pushed = self.dice[slot]
        log = self.log
        if log is not None:
            self.tell_send(log, seat, slot, dice, shows)
        if holder >= 0:  # crypt.17: one's own too; they can not go on, for only the one-treasure turn meets them
            self.ready[holder] += pushed
        self.ready[seat] -= dice
        self.holder[slot] = seat
        self.dice[slot] = dice
        self.shows[slot] = shows
        if seat < self.seats:
            self.sent[seat] = 1
            self.groups += 1
            self.used |= 1 << slot

    def turn_up(self, seat: i64, kind: i64, count: i64) -> None:
        """Pay a collector: turn own cards of a kind up, those of public value first, then the lowest."""  # crypt.40
        for paid in range(count):
            best: i64 = NO_CARD
            best_rank: i64 = 100
            for card in range(self.drawn):
                if self.where[card] == OWNED + seat and self.kind[card] == kind and not self.turned[card]:
                    rank: i64 = 0 if self.known[card] & WATCHER_BIT else self.value[card]
                    if rank < best_rank:
                        best = card
                        best_rank = rank
            self.turned[best] = 1
            self.known[best] = EVERYONE
            self.down[seat * 6 + kind] -= 1
            if best_rank > 0:
                self.learn_floors(seat, kind, best)
            log = self.log
            if log is not None:
                log.sealed = True
                place: i64 = 0  # in the collection: of cards that are alike it is seen which one lies open
                for card in range(best):
                    place += self.where[card] == OWNED + seat
                value = int(self.value[best])
                log.tell("turn_up", {"seat": int(seat), "kind": KINDS[kind], "value": value, "place": int(place)})

    def learn_floors(self, seat: i64, kind: i64, shown: i64) -> None:
        """The lowest hidden card was turned up: the other hidden ones can not be lower, as all can tell."""
        for card in range(self.drawn):
            if self.where[card] == OWNED + seat and self.kind[card] == kind and not self.known[card] & WATCHER_BIT:
                least = self.value[shown] + 1 if card < shown else self.value[shown]
                self.floor[card] = max(self.floor[card], least)

    def look(self, seat: i64) -> None:  # crypt.43B
        self.turn_up(seat, MANUSCRIPT, self.cards.manuscript_flip)
        log = self.log
        if log is not None:
            log.tell("look", {"seat": int(seat)})
        for slot in range(self.slots):
            if self.unseen(seat, slot):
                self.known[self.slot[slot]] |= bit(seat)
                if log is not None:
                    log.tell("look_card", self.card_args(slot), bit(seat))

    def revive(self, seat: i64) -> None:  # crypt.45A
        self.turn_up(seat, REMAINS, self.cards.remains_flip)
        self.tired[seat] -= 1
        self.ready[seat] += 1
        if self.failed_dice(seat) > self.tired[seat]:
            shows: i64 = 6
            while self.failed_die(seat, shows) == NO_DIE:
                shows -= 1
            self.rolls[self.failed_die(seat, shows)] = NO_ROLL
        log = self.log
        if log is not None:
            log.tell("revive", {"seat": int(seat)})

    def failed_dice(self, seat: i64) -> i64:
        """How many of a seat's dice failed in this round and were neither rolled again with success nor woken."""
        count: i64 = 0
        for slot in range(self.slots):
            if self.holder[slot] == seat:
                for at in range(slot * MOST_DICE, slot * MOST_DICE + self.dice[slot]):
                    if NO_ROLL < self.rolls[at] < self.shows[slot]:
                        count += 1
        return count

    def take(self, seat: i64, slot: i64) -> None:  # crypt.44B
        self.turn_up(seat, POTTERY, self.cards.pottery_flip)
        log = self.log
        card = self.slot[slot]
        if log is not None:
            log.tell("take", {"seat": int(seat), "slot": SLOTS[slot], "kind": KINDS[self.kind[card]]})
            if not self.known[card] & bit(seat):
                log.tell("see_card", self.card_args(slot), bit(seat))
        self.own(seat, card)
        self.slot[slot] = NO_CARD

    def own(self, seat: i64, card: i64) -> None:
        """The card joins the seat's collection, face down; its owner has seen it."""  # crypt.23, crypt.24
        self.where[card] = OWNED + seat
        self.known[card] |= bit(seat)
        self.owned[seat * 6 + self.kind[card]] += 1
        self.down[seat * 6 + self.kind[card]] += 1

    def reroll(self, seat: i64, shows: i64, rng: Rng) -> None:  # crypt.41A
        self.turn_up(seat, STATUE, self.cards.statue_flip)
        at = self.failed_die(seat, shows)
        rolled = rng.below(6) + 1
        self.rolls[at] = rolled
        if rolled >= shows:
            self.tired[seat] -= 1
            self.ready[seat] += 1
        log = self.log
        if log is not None:
            key = "reroll_kept" if rolled >= shows else "reroll_tired"
            slot = SLOTS[at // MOST_DICE]
            log.tell(key, {"seat": int(seat), "slot": slot, "shows": int(shows), "rolled": int(rolled)})

    # Collecting, in the order of crypt.26

    def collect(self, rng: Rng) -> None:
        log = self.log
        if log is not None:
            log.sealed = True
            log.cut(self)
        self.discard_unclaimed()
        self.recover_free()
        if log is not None:
            log.cut(self)
        self.phase = STATUE_WINDOWS  # from here on all dice are at home
        self.window = 0
        if self.seats == 1:
            self.ready[1] = self.cards.dice
        for slot in range(self.slots):
            if 0 <= self.holder[slot] < self.seats:
                self.roll_dice(slot, rng)
        if log is not None:
            log.cut(self)
        self.take_treasures()

    def discard_unclaimed(self) -> None:
        """What nobody holds is discarded, unseen if it lay face down."""  # crypt.20
        for slot in range(self.slots):
            if self.slot[slot] >= 0 and self.holder[slot] == NOBODY:
                self.discard(slot)

    def discard(self, slot: i64) -> None:
        card = self.slot[slot]
        log = self.log
        if log is not None:
            if self.laid_down(card):
                log.tell("discard_hidden", {"slot": SLOTS[slot], "kind": KINDS[self.kind[card]]})
            else:
                log.tell("discard", self.card_args(slot))
        self.where[card] = DISCARDED
        self.slot[slot] = NO_CARD

    def recover_free(self) -> None:
        """Who sent servants and has none left on a treasure gets the exhausted ones back."""  # crypt.21
        log = self.log
        for seat in range(self.seats):
            if self.sent[seat] and self.tired[seat] > 0 and not self.holds_any(seat):
                if log is not None:
                    log.tell("free_recovery", {"seat": int(seat), "dice": int(self.tired[seat])})
                self.ready[seat] += self.tired[seat]
                self.tired[seat] = 0

    def holds_any(self, seat: i64) -> bool:
        for slot in range(self.slots):
            if self.holder[slot] == seat:
                return True
        return False

    def roll_dice(self, slot: i64, rng: Rng) -> None:
        """Each die is rolled against what it showed; a 1 can not fail and is not rolled."""  # crypt.22
        seat = self.holder[slot]
        shows = self.shows[slot]
        log = self.log
        for die in range(self.dice[slot]):
            rolled = rng.below(6) + 1 if shows > 1 else i64(NO_ROLL)
            self.rolls[slot * MOST_DICE + die] = rolled
            if rolled >= shows or shows == 1:
                self.ready[seat] += 1
            else:
                self.tired[seat] += 1
            if log is not None and shows > 1:
                key = "roll_kept" if rolled >= shows else "roll_tired"
                log.tell(key, {"seat": int(seat), "slot": SLOTS[slot], "shows": int(shows), "rolled": int(rolled)})

    def take_treasures(self) -> None:
        """Owners take their treasures, whatever was rolled; what the ghost holds is discarded."""  # crypt.23, crypt.55
        log = self.log
        for slot in range(self.slots):
            holder = self.holder[slot]
            if holder >= self.seats:
                self.discard(slot)
                self.holder[slot] = NOBODY
                self.dice[slot] = 0
                self.shows[slot] = 0
            elif holder >= 0:
                if log is not None:
                    self.tell_collect(log, holder, slot)
                self.own(holder, self.slot[slot])

    def end_round(self, rng: Rng) -> None:
        log = self.log
        if log is not None:
            log.cut(self)
        self.give_statue_awards()
        if self.drawn == self.size:  # crypt.30
            self.finish(rng)
        else:
            self.leader = (self.leader + 1) % self.heirs  # crypt.25
            if log is not None:
                self.tell_torches(log)
            self.lay_out()

    def give_statue_awards(self) -> None:  # crypt.41B
        if self.sides[STATUE] != B:
            return
        first = self.claimed == 0
        log = self.log
        for seat in range(self.seats):
            if self.owned[seat * 6 + STATUE] >= self.cards.statue_need and self.award[seat] == 0:
                self.claimed = 1
                if first:
                    self.turn_up(seat, STATUE, self.cards.statue_need)
                self.award[seat] = self.cards.statue_first if first else self.cards.statue_later
                if log is not None:
                    log.tell("award", {"seat": int(seat), "coins": int(self.award[seat])})
        if log is not None:
            log.cut(self)

    # The ghost of the solo game

    def ghost_turn(self, rng: Rng) -> None:
        """Roll the ghost's dice, join equal ones, and place the groups from the highest total."""  # crypt.52
        log = self.log
        ghost = self.seats
        again = self.turn > 0 and self.leader == ghost  # crypt.54
        if self.ready[ghost] == 0:
            if log is not None:
                log.tell("ghost_rests", {})
            return
        showing = numbers(7, 0)
        for die in range(self.ready[ghost]):
            showing[rng.below(6) + 1] += 1
        if log is not None:
            rolled = [face for face in range(6, 0, -1) for die in range(showing[face])]
            log.tell("ghost_roll", {"rolled": " ".join([str(face) for face in rolled])})
        while self.ready[ghost] > 0:
            face: i64 = 0
            best: i64 = 0
            for other in range(i64(1), i64(7)):  # of equal totals the joined group shows the lower face: it is first
                if showing[other] * other > best:
                    best = showing[other] * other
                    face = other
            dice = showing[face]
            showing[face] = 0
            slot = self.ghost_target(dice * face)
            if slot >= 0:
                self.send(ghost, slot, dice, face)
            else:
                self.ready[ghost] -= dice
                if log is not None:
                    log.tell("ghost_aside", {"dice": int(dice), "shows": int(face)})
            if again:
                self.ready[ghost] = 0

    def ghost_target(self, total: i64) -> i64:
        """The first treasure in order that is free, or that the player holds with less."""  # crypt.53
        for slot in range(self.slots):
            if self.slot[slot] >= 0 and self.holder[slot] != self.seats:
                if self.holder[slot] == NOBODY or self.dice[slot] * self.shows[slot] < total:
                    return slot
        return NOBODY

    # The end

    def finish(self, rng: Rng) -> None:
        log = self.log
        for seat in range(self.seats):
            while self.can_revive(seat):  # crypt.33
                self.revive(seat)
        for seat in range(self.seats):
            self.show_cards(seat)
        if log is not None:
            log.cut(self)
        self.phase = OVER
        self.waiting = 0
        if log is not None:
            for seat in range(self.seats):
                log.tell("score", {"seat": int(seat), "coins": int(self.score(seat))})
        if self.seats == 1:  # crypt.57
            self.final[0] = 1 if self.score(0) >= self.cards.rich else 2
            if log is not None:
                log.tell("solo_end", {"coins": int(self.score(0)), "title": self.title()})
        else:
            self.rank_seats(rng)

    def show_cards(self, seat: i64) -> None:
        """A seat's collection is turned up."""  # crypt.60
        log = self.log
        for card in range(self.size):
            if self.where[card] == OWNED + seat and not self.known[card] & WATCHER_BIT:
                self.known[card] = EVERYONE
                if log is not None:
                    log.sealed = True
                    kind = KINDS[self.kind[card]]
                    log.tell("show", {"seat": int(seat), "kind": kind, "value": int(self.value[card])})

    def title(self) -> str:
        """What the solo game calls its result."""  # crypt.57
        coins = self.score(0)
        if coins >= self.cards.wealthy:
            return "wealthy"
        if coins >= self.cards.rich:
            return "rich"
        return "amateur" if coins >= self.cards.amateur else "fool"

    def rank_seats(self, rng: Rng) -> None:
        """Give places by score, with the rolls for a tie for the first place; lower places are shared."""  # crypt.32
        coins = numbers(self.seats, 0)
        values = self.printed_values()
        for seat in range(self.seats):
            coins[seat] = self.coins(seat, values)
        winners = self.break_tie(coins, rng)
        for seat in range(self.seats):
            ahead: i64 = 0
            for other in range(self.seats):
                if coins[other] > coins[seat]:
                    ahead += 1
            self.final[seat] = ahead + 1
        log = self.log
        if log is not None:
            log.tell("shared_win" if winners & (winners - 1) else "win", {"seat": tuple(seats_of(winners))})

    def break_tie(self, coins: vec[i64], rng: Rng) -> i64:
        """Those tied for the first place roll their ready dice and add the sum, until one is ahead; with no die among
        them they share the win. Says who wins."""  # crypt.32
        tied = self.seats_ahead(coins)
        while tied & (tied - 1) and self.has_dice(tied):
            for seat in range(self.seats):
                if tied >> seat & 1:
                    coins[seat] += self.roll_for_tie(seat, coins[seat], rng)
            tied = self.seats_ahead(coins)
        return tied

    def seats_ahead(self, coins: vec[i64]) -> i64:
        """The seats that have the most."""
        most: i64 = 0
        ahead: i64 = 0
        for seat in range(self.seats):
            if coins[seat] > most:
                most = coins[seat]
                ahead = 0
            if coins[seat] == most:
                ahead |= 1 << seat
        return ahead

    def has_dice(self, seats: i64) -> bool:
        """Whether one of them has a ready die, now that all dice are home."""
        for seat in range(self.seats):
            if seats >> seat & 1 and self.ready[seat] > 0:
                return True
        return False

    def roll_for_tie(self, seat: i64, coins: i64, rng: Rng) -> i64:
        """The sum of a seat's ready dice, which joins its score."""
        faces = ""
        rolled: i64 = 0
        for die in range(self.ready[seat]):
            face = rng.below(6) + 1
            rolled += face
            faces += f" {face}"
        self.tie[seat] = max(self.tie[seat], i64(0)) + rolled
        log = self.log
        if log is not None:
            if rolled > 0:
                added: dict[str, Arg] = {"rolled": int(rolled), "coins": int(coins + rolled)}
                log.tell("tie_roll", {"seat": int(seat), "dice": faces[1:], **added})
            else:
                log.tell("tie_no_dice", {"seat": int(seat)})
        return rolled

    def score(self, seat: i64) -> i64:
        """Treasures, collectors, servants and rolls for a tie. Of a sight: as much of it as the seat can tell."""
        return self.coins(seat, self.printed_values()) + self.tie_coins(seat)

    def tie_coins(self, seat: i64) -> i64:
        return max(self.tie[seat], i64(0))  # crypt.32

    def coins(self, seat: i64, values: vec[i64]) -> i64:  # crypt.31
        coins = self.servant_coins(seat)
        for kind in range(i64(6)):
            coins += values[seat * 6 + kind] + self.collector_coins(seat, kind, values)
        return coins

    def servant_coins(self, seat: i64) -> i64:
        return (self.cards.dice - self.tired[seat]) * self.cards.die_coins

    def printed_values(self) -> vec[i64]:
        """By heir and kind: the sum of the values printed on their cards."""
        values = numbers(self.heirs * 6, 0)
        for card in range(self.drawn):
            if self.where[card] >= OWNED:
                values[(self.where[card] - OWNED) * 6 + self.kind[card]] += self.value[card]
        return values

    def collector_coins(self, seat: i64, kind: i64, values: vec[i64]) -> i64:
        """What the collector of a kind adds at the end."""
        cards = self.cards
        side = self.sides[kind]
        count = self.owned[seat * 6 + kind]
        if kind == STATUE:
            return self.award[seat]  # crypt.41B
        if count == 0:
            return 0
        if kind == JEWELLERY:
            if side == B:
                return count * cards.jewellery_each  # crypt.42B
            return self.highest(seat, kind) if count >= cards.jewellery_need else 0  # crypt.42A
        if kind == MANUSCRIPT:
            if side == B or count < cards.manuscript_need:
                return 0
            return count * cards.manuscript_worth - values[seat * 6 + kind]  # crypt.43A
        if kind == POTTERY:
            if side == B:
                return 0
            return cards.pottery_bonus(count)
        if kind == REMAINS:
            return cards.remains_coins if side == B and count >= cards.remains_need else 0  # crypt.45B
        return self.tapestry_bonus(seat, values)

    def highest(self, seat: i64, kind: i64) -> i64:
        """The most valuable of a seat's cards of a kind."""
        value: i64 = 0
        for card in range(self.drawn):
            if self.where[card] == OWNED + seat and self.kind[card] == kind:
                value = max(value, self.value[card])
        return value

    def tapestry_bonus(self, seat: i64, values: vec[i64]) -> i64:
        cards = self.cards
        if self.sides[TAPESTRY] == A:  # crypt.46A
            mine = values[seat * 6 + TAPESTRY]
            for other in range(self.seats):
                if values[other * 6 + TAPESTRY] > mine:
                    return 0
            return cards.tapestry_coins if mine > 0 else 0
        if self.owned[seat * 6 + TAPESTRY] < cards.tapestry_need:  # crypt.46B
            return 0
        for other in range(self.seats):
            if other != seat and self.owned[other * 6 + TAPESTRY] >= cards.tapestry_need:
                return cards.tapestry_shared
        return cards.tapestry_alone

    def place(self, seat: i64) -> i64:
        return self.final[seat]

    # Who knows what

    def hide(self, seat: i64) -> None:  # crypt.60, crypt.4
        viewer = bit(seat)
        for card in range(self.size):
            if self.where[card] == DECK:
                self.value[card] = UNSEEN
                if card != self.drawn:
                    self.kind[card] = UNSEEN_KIND
            elif not self.known[card] & viewer:
                self.value[card] = UNSEEN

    def fill(self, seat: i64, rng: Rng) -> None:
        """Every way to lay the unseen cards that fits the known kinds and floors is equally likely."""
        left = numbers(6 * 8, 0)  # by kind and value: cards that lie nowhere yet
        for kind in range(i64(6)):
            for value in range(i64(1), i64(TOP_VALUE + 1)):
                left[kind * 8 + value] = self.cards.copies_of(self.seats, kind, value)
        for card in range(self.size):
            if self.value[card] != UNSEEN:
                left[self.kind[card] * 8 + self.value[card]] -= 1
        # Those with the highest floor first: then each next one has the same number of ways, whatever came before.
        for floor in range(i64(TOP_VALUE), i64(-1), -1):
            for card in range(min(self.drawn + 1, self.size)):
                if self.value[card] == UNSEEN and self.floor[card] == floor:
                    self.value[card] = draw_value(left, self.kind[card], max(floor, i64(1)), rng)
        at = self.drawn + 1
        for kind in range(i64(6)):
            for value in range(i64(1), i64(TOP_VALUE + 1)):
                for copy in range(left[kind * 8 + value]):
                    self.value[at] = kind * 8 + value
                    at += 1
        for last in range(self.size - 1, self.drawn + 1, -1):
            other = self.drawn + 1 + rng.below(last - self.drawn)
            held = self.value[last]
            self.value[last] = self.value[other]
            self.value[other] = held
        for card in range(self.drawn + 1, self.size):
            self.kind[card] = self.value[card] >> 3
            self.value[card] &= 7

    def totals(self) -> list[int]:
        """Cards of each kind and value, the dice of every heir, and what the counts of collections are off by."""
        sums = [0] * (6 * 8)
        for card in range(self.size):
            sums[self.kind[card] * 8 + self.value[card]] += 1
        for heir in range(self.heirs):
            dice = self.ready[heir] + self.tired[heir]
            for slot in range(self.slots):
                if self.phase == SERVANTS and self.holder[slot] == heir:
                    dice += self.dice[slot]
            if heir >= self.seats and self.phase == SERVANTS:
                dice = self.cards.dice  # the ghost's dice that were set aside lie beside the crypt
            sums.append(int(dice))
        for seat in range(self.seats):
            for kind in range(i64(6)):
                count: i64 = 0
                down: i64 = 0
                for card in range(self.size):
                    if self.where[card] == OWNED + seat and self.kind[card] == kind:
                        count += 1
                        down += 1 - self.turned[card]
                sums.append(int(self.owned[seat * 6 + kind] - count))
                sums.append(int(self.down[seat * 6 + kind] - down))
        return sums

    # Why not

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        if move == LOOK:
            return self.refuse_look(seat)
        if move == REVIVE:
            return self.refuse_revive(seat)
        if self.waiting != 1 << seat:
            return self.refuse_turn()
        if move == DONE:
            if self.phase == SERVANTS and self.groups == 0:
                return Refusal("crypt.13", "nothing_sent")
            return None
        if move == RECOVER:
            if self.phase != SERVANTS:
                return Refusal("crypt.12", "window_first", {"phase": PHASES[self.phase]})
            return Refusal("crypt.12", "already_sending") if self.groups > 0 else None
        if move >= SEND:
            slot, dice, shows = send_parts(move)
            return self.refuse_send(seat, slot, dice, shows)
        if move >= TAKE:
            return self.refuse_take(move - TAKE)
        return self.refuse_reroll(seat, move - REROLL + 1)

    def refuse_turn(self) -> Refusal:
        rule = "crypt.12"
        seat = self.heir_of_turn()
        if self.phase != SERVANTS:
            rule = "crypt.44B" if self.phase == POTTERY_WINDOWS else "crypt.41A"
            seat = self.window_seat()
        return Refusal(rule, "not_your_turn", {"waits_for": int(seat)})

    def refuse_price(self, seat: i64, kind: i64, flip: i64) -> Refusal | None:
        """Whether the seat has too few cards face down to pay a collector."""
        have = self.down[seat * 6 + kind]
        if have >= flip:
            return None
        return Refusal("crypt.40", "too_few_down", {"kind": KINDS[kind], "have": int(have), "need": int(flip)})

    def refuse_look(self, seat: i64) -> Refusal | None:
        if self.sides[MANUSCRIPT] != B:
            return Refusal("crypt.43B", "other_side", {"kind": KINDS[MANUSCRIPT], "side": "B"})
        if not self.unseen_in_crypt(seat):
            return Refusal("crypt.43B", "nothing_to_look_at")
        return self.refuse_price(seat, MANUSCRIPT, self.cards.manuscript_flip)

    def refuse_revive(self, seat: i64) -> Refusal | None:
        if self.sides[REMAINS] != A:
            return Refusal("crypt.45A", "other_side", {"kind": KINDS[REMAINS], "side": "A"})
        if self.tired[seat] == 0:
            return Refusal("crypt.45A", "nobody_tired")
        return self.refuse_price(seat, REMAINS, self.cards.remains_flip)

    def refuse_reroll(self, seat: i64, shows: i64) -> Refusal | None:
        if self.sides[STATUE] != A:
            return Refusal("crypt.41A", "other_side", {"kind": KINDS[STATUE], "side": "A"})
        if self.phase != STATUE_WINDOWS:
            return Refusal("crypt.41A", "only_after_rolls")
        if self.failed_die(seat, shows) == NO_DIE:
            return Refusal("crypt.41A", "no_failed_die", {"shows": int(shows)})
        return None  # a window is open only for who can pay

    def refuse_take(self, slot: i64) -> Refusal | None:
        if self.sides[POTTERY] != B:
            return Refusal("crypt.44B", "other_side", {"kind": KINDS[POTTERY], "side": "B"})
        if self.phase != POTTERY_WINDOWS:
            return Refusal("crypt.44B", "only_before_servants")
        if slot >= self.slots or self.slot[slot] < 0:
            return Refusal("crypt.44B", "no_treasure", {"slot": SLOTS[slot]})
        if not self.laid_down(self.slot[slot]):
            return Refusal("crypt.44B", "face_up", {"slot": SLOTS[slot]})
        return None

    def refuse_send(self, seat: i64, slot: i64, dice: i64, shows: i64) -> Refusal | None:
        if self.phase != SERVANTS:
            return Refusal("crypt.12", "window_first", {"phase": PHASES[self.phase]})
        if slot >= self.slots or self.slot[slot] < 0:
            return Refusal("crypt.13", "no_treasure", {"slot": SLOTS[slot]})
        if self.used >> slot & 1:
            return Refusal("crypt.13", "one_group", {"slot": SLOTS[slot]})
        if self.groups > 0 and self.lights_out():
            return Refusal("crypt.15", "one_treasure")
        if dice > self.ready[seat]:
            return Refusal("crypt.13", "too_few_dice", {"have": int(self.ready[seat]), "need": int(dice)})
        held = self.dice[slot] * self.shows[slot]
        if dice * shows <= held:
            rule = "crypt.17" if self.holder[slot] == seat else "crypt.14"
            args = {"slot": SLOTS[slot], "total": int(dice * shows), "held": int(held)}
            return Refusal(rule, "too_low", {**args})
        return None

    # Telling what happened

    def tell_torches(self, log: Log) -> None:
        if self.seats == 1:
            log.tell("torches_you" if self.leader == 0 else "torches_ghost", {})
        elif self.seats == 2:
            log.tell("torches_both", {"leader": int(self.leader)})
        else:
            last = (self.leader + self.seats - 1) % self.seats
            log.tell("torches", {"leader": int(self.leader), "whose": int(last)})

    def tell_crypt(self, log: Log) -> None:
        log.tell("round", {"round": int(self.round), "rounds": int(self.size // self.slots)})
        log.sealed = True
        for card in range(self.drawn - self.slots, self.drawn):  # in the order drawn, which all have seen
            slot: i64 = 0
            while self.slot[slot] != card:
                slot += 1
            if self.laid_down(card):
                log.tell("lay_hidden", {"slot": SLOTS[slot], "kind": KINDS[self.kind[card]]})
            else:
                log.tell("lay", self.card_args(slot))
        if self.drawn < self.size:
            left = self.size - self.drawn
            log.tell("deck", {"kind": KINDS[self.kind[self.drawn]], "cards": int(left)})
        else:
            log.tell("last_round", {})

    def card_args(self, slot: i64) -> dict[str, Arg]:
        card = self.slot[slot]
        return {"slot": SLOTS[slot], "kind": KINDS[self.kind[card]], "value": int(self.value[card])}

    def tell_send(self, log: Log, seat: i64, slot: i64, dice: i64, shows: i64) -> None:
        holder = self.holder[slot]
        args: dict[str, Arg] = {
            "slot": SLOTS[slot],
            "kind": KINDS[self.kind[self.slot[slot]]],
            "dice": int(dice),
            "shows": int(shows),
            "total": int(dice * shows),
        }
        if seat >= self.seats:
            if holder >= 0:
                args["whose"] = int(holder)
                args["held"] = int(self.dice[slot] * self.shows[slot])
                args["pushed"] = int(self.dice[slot])
            log.tell("ghost_push" if holder >= 0 else "ghost_send", args)
            return
        args["seat"] = int(seat)
        if holder >= 0:
            args["held"] = int(self.dice[slot] * self.shows[slot])
            args["pushed"] = int(self.dice[slot])
        if holder == NOBODY:
            log.tell("send", args)
        elif holder >= self.seats:
            log.tell("push_ghost", args)
        elif holder == seat:
            log.tell("push_own", args)
        else:
            args["whose"] = int(holder)
            log.tell("push", args)

    def tell_collect(self, log: Log, seat: i64, slot: i64) -> None:
        card = self.slot[slot]
        args = self.card_args(slot)
        args["seat"] = int(seat)
        if not self.laid_down(card):
            log.tell("collect", args)
        else:
            log.tell("collect_hidden", {"seat": int(seat), "slot": SLOTS[slot], "kind": KINDS[self.kind[card]]})
            if not self.known[card] & bit(seat):
                log.tell("see_card", self.card_args(slot), bit(seat))


def draw_value(left: vec[i64], kind: i64, least: i64, rng: Rng) -> i64:
    """Take one of the cards of a kind that are left, of at least this value, all equally likely."""
    count: i64 = 0
    for value in range(least, i64(TOP_VALUE + 1)):
        count += left[kind * 8 + value]
    nth = rng.below(count)
    value = least
    while nth >= left[kind * 8 + value]:
        nth -= left[kind * 8 + value]
        value += 1
    left[kind * 8 + value] -= 1
    return value
