"""The rules of Heroes' Gold for three to six players. Comments give the number of the rule; `rulebook/` explains it.

Guards are known by the order in which they leave the deck: those of round 1 come first, from the gate on. So a
guard's place in the deck says when and where it is met. A player's monsters are bits: monster 3 is bit 3 of the
hand or of what is laid aside. The two slots of field 1 are slots 0 and 1, those of field 2 are 2 and 3, and so on.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import WATCHER, Log, State, Tape, bit, copy_into, first_seat, numbers, seats_of
from polikarp.games.gold.cards import (
    EQUAL_PAIRS,
    FIRST,
    FIRST_TWO,
    LAST,
    LAST_TWO,
    MOST,
    NONE,
    ORDERS,
    SECOND,
    STRONGEST,
    WEAKEST_PAIRS,
    Cards,
    count_bits,
)

# Moves. `notation.py` writes them for people.
PLACE: Final = 0  # + (strength - 1) * 12 + slot
REPLACE: Final = 60  # + the same
MOVES: Final = 120
MOST_SLOTS: Final = 12

EMPTY: Final = 0  # a slot without a monster
NO_ORDER: Final = 0  # also a king's tile that is not known
ALL_MONSTERS: Final = 62  # bits 1 to 5

FACTIONS: Final = ("dragons", "insects", "trolls", "beasts", "undead", "demons")  # by seat, for who does not mind
SLOTS: Final = tuple(f"{field}{side}" for field in range(1, MOST + 1) for side in "ab")


class Gold(State):
    cards: Cards
    slots: i64
    rounds: i64

    sorted_guards: i64  # the options
    kings_orders: i64
    start_gold: i64

    round: i64  # from 1
    first: i64  # the first player
    order: i64  # the king's order of this round, or NO_ORDER
    public: i64  # whether everybody can tell every hand
    treasury: i64  # what went into it, less what came out of it
    empty: i64  # slots without a monster, a bit each

    guard: vec[i64]  # by place in the deck
    shown: vec[i64]  # by round from 0: guards revealed
    tile: vec[i64]  # by round from 0: the number of the king's order; those that stay in the box come last

    gold: vec[i64]  # by seat
    hand: vec[i64]  # monsters, a bit each
    aside: vec[i64]
    seen: vec[i64]  # monsters that were in the castle this round
    placed: vec[i64]  # how many are there now

    owner: vec[i64]  # by slot
    monster: vec[i64]  # its strength, or EMPTY
    pair: vec[i64]  # by field: the sum of its monsters
    weaker: vec[i64]  # by strength: slots whose monster it may replace, but for the price

    past_owner: vec[i64]  # the same of the last fight
    past_monster: vec[i64]
    past_paid: vec[i64]  # by seat: for healing

    def __init__(self, cards: Cards, seats: i64) -> None:
        super().__init__(seats, MOVES)
        self.cards = cards
        self.slots = seats * 2
        self.rounds = cards.rounds[seats]
        self.sorted_guards = 0
        self.kings_orders = 0
        self.start_gold = 0
        self.round = 0
        self.first = 0
        self.order = NO_ORDER
        self.public = 0
        self.treasury = 0
        self.empty = 0
        self.guard = numbers(cards.size, 0)
        self.shown = numbers(self.rounds, 0)
        self.tile = numbers(ORDERS, NO_ORDER)
        self.gold = numbers(seats, 0)
        self.hand = numbers(seats, 0)
        self.aside = numbers(seats, 0)
        self.seen = numbers(seats, 0)
        self.placed = numbers(seats, 0)
        self.owner = numbers(self.slots, 0)
        self.monster = numbers(self.slots, EMPTY)
        self.pair = numbers(seats, 0)
        self.weaker = numbers(STRONGEST + 1, 0)
        self.past_owner = numbers(self.slots, 0)
        self.past_monster = numbers(self.slots, EMPTY)
        self.past_paid = numbers(seats, 0)

    def blank(self) -> Gold:
        made = Gold(self.cards, self.seats)
        made.sorted_guards = self.sorted_guards
        made.kings_orders = self.kings_orders
        made.start_gold = self.start_gold
        return made

    def become(self, other: State) -> None:
        assert isinstance(other, Gold)
        self.waiting = other.waiting
        self.sorted_guards = other.sorted_guards
        self.kings_orders = other.kings_orders
        self.start_gold = other.start_gold
        self.round = other.round
        self.first = other.first
        self.order = other.order
        self.public = other.public
        self.treasury = other.treasury
        self.empty = other.empty
        copy_into(self.guard, other.guard)
        copy_into(self.shown, other.shown)
        copy_into(self.tile, other.tile)
        copy_into(self.gold, other.gold)
        copy_into(self.hand, other.hand)
        copy_into(self.aside, other.aside)
        copy_into(self.seen, other.seen)
        copy_into(self.placed, other.placed)
        copy_into(self.owner, other.owner)
        copy_into(self.monster, other.monster)
        copy_into(self.pair, other.pair)
        copy_into(self.weaker, other.weaker)
        copy_into(self.past_owner, other.past_owner)
        copy_into(self.past_monster, other.past_monster)
        copy_into(self.past_paid, other.past_paid)

    def carry(self, tape: Tape) -> None:
        self.sorted_guards = tape.one(self.sorted_guards)
        self.kings_orders = tape.one(self.kings_orders)
        self.start_gold = tape.one(self.start_gold)
        self.round = tape.one(self.round)
        self.first = tape.one(self.first)
        self.order = tape.one(self.order)
        self.public = tape.one(self.public)
        self.treasury = tape.one(self.treasury)
        self.empty = tape.one(self.empty)
        self.guard = tape.many(self.guard)
        self.shown = tape.many(self.shown)
        self.tile = tape.many(self.tile)
        self.gold = tape.many(self.gold)
        self.hand = tape.many(self.hand)
        self.aside = tape.many(self.aside)
        self.seen = tape.many(self.seen)
        self.placed = tape.many(self.placed)
        self.owner = tape.many(self.owner)
        self.monster = tape.many(self.monster)
        self.pair = tape.many(self.pair)
        self.weaker = tape.many(self.weaker)
        self.past_owner = tape.many(self.past_owner)
        self.past_monster = tape.many(self.past_monster)
        self.past_paid = tape.many(self.past_paid)

    # Setup

    def deal(self, rng: Rng) -> None:
        log = self.log
        if log is not None:
            log.tell("begin", {"rounds": int(self.rounds), "gold": int(self.start_gold)})
        for number in range(i64(ORDERS)):  # gold.3
            self.tile[number] = number + 1
        rng.shuffle(self.tile, ORDERS)
        copy_into(self.guard, self.cards.deck)  # gold.4
        rng.shuffle(self.guard, self.cards.size)
        for number in range(self.rounds):
            self.shown[number] = 0
        self.treasury = -self.start_gold * self.seats
        for seat in range(self.seats):
            self.gold[seat] = self.start_gold  # gold.7
            self.past_paid[seat] = 0
            self.deal_monsters(seat, rng)
        for slot in range(self.slots):
            self.past_monster[slot] = EMPTY
            self.past_owner[slot] = 0
        self.first = rng.below(self.seats)  # gold.9
        self.round = 0
        self.clear_castle()
        self.begin_round()

    def deal_monsters(self, seat: i64, rng: Rng) -> None:
        """Two of the five, at random, are laid aside."""  # gold.6, gold.8
        monsters = numbers(STRONGEST, 0)
        for at in range(i64(STRONGEST)):
            monsters[at] = at + 1
        rng.shuffle(monsters, STRONGEST)
        self.aside[seat] = 1 << monsters[0] | 1 << monsters[1]
        self.hand[seat] = ALL_MONSTERS & ~self.aside[seat]
        log = self.log
        if log is not None:
            self.tell_hand(log, "hand", seat)

    # The course of a round

    def begin_round(self) -> None:
        """Lay guards and turn up the king's order, up to the first player's turn."""
        self.round += 1
        self.public = i64(self.round > 1)
        self.order = NO_ORDER
        if self.sorted_guards:
            self.sort_guards()
        for seat in range(self.seats):
            self.seen[seat] = 0
        for strength in range(i64(STRONGEST + 1)):
            self.weaker[strength] = 0
        self.waiting = 1 << self.first  # gold.10
        if self.kings_orders:
            self.order = self.tile[self.round - 1]  # gold.31
        log = self.log
        if log is not None:
            self.tell_round(log)
        hand = self.cards.hand[self.order]
        if hand:  # gold.34.2
            self.public = 1
            for seat in range(self.seats):
                self.hand[seat] = hand
                self.aside[seat] = ALL_MONSTERS & ~hand
                if log is not None:
                    self.tell_hand(log, "hand", seat)

    def clear_castle(self) -> None:
        """No monster is in the castle."""
        self.empty = (1 << self.slots) - 1
        for seat in range(self.seats):
            self.placed[seat] = 0
            self.pair[seat] = 0
        for slot in range(self.slots):
            self.monster[slot] = EMPTY
            self.owner[slot] = 0

    def sort_guards(self) -> None:
        """The guards of this round in rising number of stars; equal ones stay as they were drawn."""  # gold.30
        base = self.gate()
        for end in range(base + 1, base + self.seats):
            at = end
            while at > base and self.stars_at(at - 1) > self.stars_at(at):
                held = self.guard[at - 1]
                self.guard[at - 1] = self.guard[at]
                self.guard[at] = held
                at -= 1

    def stars_at(self, place: i64) -> i64:
        """The stars of the guard at a place in the deck."""
        return self.cards.stars[self.guard[place]]

    def gate(self) -> i64:
        """The place in the deck of this round's first guard."""
        return (self.round - 1) * self.seats

    # Phase 1: playing monsters

    def list_moves(self, seat: i64) -> i64:
        if self.waiting != 1 << seat:
            return 0
        legal = self.legal
        count: i64 = 0
        payable = self.payable(seat)
        hand = self.playable(seat)
        for strength in range(i64(1), i64(STRONGEST + 1)):
            if hand >> strength & 1:
                first: i64 = PLACE + (strength - 1) * MOST_SLOTS
                replaced = self.weaker[strength] & payable
                for slot in range(self.slots):
                    if self.empty >> slot & 1:
                        legal[count] = first + slot
                        count += 1
                    elif replaced >> slot & 1:
                        legal[count] = first + REPLACE + slot
                        count += 1
        return count

    def pick(self, seat: i64, rng: Rng) -> i64:
        """As the list would give, without writing it."""
        if self.waiting != 1 << seat:
            return super().pick(seat, rng)
        payable = self.payable(seat)
        hand = self.playable(seat)
        empty = self.empty
        free = count_bits(empty)
        count: i64 = 0
        left = hand >> 1
        strength: i64 = 1
        while left:
            if left & 1:
                count += free + count_bits(self.weaker[strength] & payable)
            left >>= 1
            strength += 1
        nth = rng.below(count)
        strength = 1
        left = hand >> 1
        while True:
            if left & 1:
                slots = empty | self.weaker[strength] & payable
                here = count_bits(slots)
                if nth < here:
                    break
                nth -= here
            left >>= 1
            strength += 1
        while nth:
            slots &= slots - 1
            nth -= 1
        slot = first_seat(slots)
        move: i64 = (strength - 1) * MOST_SLOTS + slot
        return move if empty >> slot & 1 else move + REPLACE

    def playable(self, seat: i64) -> i64:
        """The monsters in hand that the king's order lets the seat play."""  # gold.34.1
        return self.hand[seat] & ~(1 << self.cards.barred[self.order])

    def payable(self, seat: i64) -> i64:
        """The slots whose monster the seat has the gold to replace."""  # gold.17
        have = self.gold[seat]
        if have >= self.cards.dearest:
            return (1 << self.slots) - 1
        slots: i64 = 0
        for slot in range(self.slots):
            if self.price(seat, slot) <= have:
                slots |= 1 << slot
        return slots

    def price(self, seat: i64, slot: i64) -> i64:
        """What it costs this seat to replace the monster in a slot."""
        if self.owner[slot] == seat:
            return self.cards.own_price  # gold.16
        return self.cards.treasury_price + self.owner_share(slot)

    def owner_share(self, slot: i64) -> i64:
        """What the owner of a monster gets when somebody else replaces it."""  # gold.15
        return self.cards.owner_price[self.stars_at(self.gate() + (slot >> 1))]

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        log = self.log
        if move >= REPLACE:
            self.send_back(seat, move - REPLACE)
            move -= REPLACE
        elif log is not None:
            strength = move // MOST_SLOTS + 1
            log.tell("place", {"seat": int(seat), "strength": int(strength), "at": SLOTS[move % MOST_SLOTS]})
        self.put(seat, move // MOST_SLOTS + 1, move % MOST_SLOTS)
        if self.empty == 0:  # gold.19
            if log is not None:
                log.cut(self)
            self.fight()
            self.end_round()
            return
        seat += 1
        if seat == self.seats:
            seat = 0
        while self.placed[seat] == 2:  # gold.18
            seat += 1
            if seat == self.seats:
                seat = 0
        self.waiting = 1 << seat

    def send_back(self, seat: i64, move: i64) -> None:
        """The monster in a slot returns to its owner's hand, and is paid for."""  # gold.12
        slot = move % MOST_SLOTS
        owner = self.owner[slot]
        price = self.price(seat, slot)
        share: i64 = 0 if owner == seat else price - self.cards.treasury_price
        log = self.log
        if log is not None:
            self.tell_replace(log, seat, move // MOST_SLOTS + 1, slot, price, share)
        self.gold[seat] -= price
        self.gold[owner] += share
        self.treasury += price - share
        self.hand[owner] |= 1 << self.monster[slot]
        self.placed[owner] -= 1

    def put(self, seat: i64, strength: i64, slot: i64) -> None:
        """A monster goes from the hand to a slot, face up."""  # gold.11
        field = slot >> 1
        log = self.log
        if log is not None and not self.knows_hand(WATCHER, seat) and not self.seen[seat] >> strength & 1:
            log.sealed = True  # nobody else could tell that it was in hand
        self.pair[field] += strength - self.monster[slot]
        self.monster[slot] = strength
        self.owner[slot] = seat
        self.hand[seat] &= ~(1 << strength)
        self.seen[seat] |= 1 << strength
        self.placed[seat] += 1
        self.empty &= ~(1 << slot)
        self.note_weaker(field)

    def note_weaker(self, field: i64) -> None:
        """Which monsters at a guard can be replaced, and by which strength."""  # gold.12, gold.13, gold.14
        first = field * 2
        both: i64 = 3 << first
        strength: i64 = 0
        if self.pair[field] < self.cards.top[self.guard[self.gate() + field]]:  # gold.32: the printed maximum
            strength = STRONGEST
        one = self.monster[first]
        two = self.monster[first + 1]
        weaker = self.weaker
        for stronger in range(i64(2), i64(STRONGEST + 1)):
            slots = weaker[stronger] & ~both
            if stronger <= strength:
                if 0 < one < stronger:
                    slots |= 1 << first
                if 0 < two < stronger:
                    slots |= 2 << first
            weaker[stronger] = slots

    # Phase 2: fighting

    def fight(self) -> None:
        """Guard after guard from the gate, until one wins; then the beaten and those who wait are healed."""
        log = self.log
        weakest = self.weakest_pair()
        base = self.gate()
        copy_into(self.past_owner, self.owner)
        copy_into(self.past_monster, self.monster)
        for seat in range(self.seats):
            self.past_paid[seat] = 0
        field: i64 = 0
        won = True
        while won and field < self.seats:  # gold.20, gold.23
            guard = self.guard[base + field]
            strength = self.strength_of(guard, field, weakest)
            loot = self.loot_of(guard, field, weakest)
            won = self.pair[field] >= strength
            if log is not None:
                self.tell_guard(log, guard, field, strength, loot)
            if won:
                self.share_loot(field, loot)
            field += 1
            self.shown[self.round - 1] = field
            if log is not None:
                log.cut(self)
        if log is not None and won:
            log.tell("all_beaten", {})
        self.heal(self.seats if won else field - 1)
        if log is not None:
            log.cut(self)

    def weakest_pair(self) -> i64:
        """The lowest sum of two monsters at a guard."""  # gold.34.10
        weakest = self.pair[0]
        for field in range(i64(1), self.seats):
            weakest = min(weakest, self.pair[field])
        return weakest

    def changed(self, field: i64, weakest: i64) -> bool:
        """Whether the king's order changes the guard of a field."""  # gold.37
        meant = self.cards.meant[self.order]
        last = self.seats - 1
        if meant == NONE:
            return False
        if meant == FIRST:
            return field == 0
        if meant == FIRST_TWO:
            return field <= 1
        if meant == SECOND:
            return field == 1
        if meant == LAST:
            return field == last
        if meant == LAST_TWO:
            return field >= last - 1
        if meant == EQUAL_PAIRS:
            return self.monster[field * 2] == self.monster[field * 2 + 1]
        assert meant == WEAKEST_PAIRS
        return self.pair[field] == weakest

    def strength_of(self, guard: i64, field: i64, weakest: i64) -> i64:
        """A guard's strength at a field, as the king's order has it."""
        strength = self.cards.strength[guard]
        if self.order != NO_ORDER and self.changed(field, weakest):
            strength = max(i64(0), strength + self.cards.more_strength[self.order])  # gold.33
        return strength

    def loot_of(self, guard: i64, field: i64, weakest: i64) -> i64:
        """A guard's loot at a field, as the king's order has it."""
        loot = self.cards.loot[guard]
        if self.order != NO_ORDER and self.changed(field, weakest):
            loot = max(i64(0), loot + self.cards.more_loot[self.order])  # gold.33
        return loot

    def share_loot(self, field: i64, loot: i64) -> None:
        one = self.owner[field * 2]
        two = self.owner[field * 2 + 1]
        mine = loot_share(loot, self.monster[field * 2], self.monster[field * 2 + 1])  # gold.21
        yours = loot_share(loot, self.monster[field * 2 + 1], self.monster[field * 2])
        if one == two:  # gold.22
            mine, yours = loot, i64(0)
        self.pay_out(one, mine)
        self.pay_out(two, yours)
        log = self.log
        if log is not None:
            self.tell_loot(log, field, loot, mine, yours)

    def pay_out(self, seat: i64, coins: i64) -> None:
        self.gold[seat] += coins
        self.treasury -= coins

    # Phase 3: healing and the next round

    def heal(self, lost: i64) -> None:
        """Everyone pays for the monsters from the guard that won on."""  # gold.24
        log = self.log
        for seat in range(self.seats):
            cost: i64 = 0
            for slot in range(lost * 2, self.slots):
                if self.owner[slot] == seat:
                    cost += self.healing_cost(self.monster[slot])
            paid = min(cost, self.gold[seat])  # gold.25
            self.gold[seat] -= paid
            self.treasury += paid
            self.past_paid[seat] = paid
            if log is not None and cost > 0:
                self.tell_healing(log, seat, lost, cost, paid)

    def healing_cost(self, strength: i64) -> i64:
        cards = self.cards
        if strength >= cards.heal_from[self.order]:  # gold.34.4
            return cards.heal[self.order]
        return cards.healing[strength]

    def end_round(self) -> None:
        for seat in range(self.seats):  # gold.26
            self.hand[seat] |= self.aside[seat]
            self.aside[seat] = 0
        for slot in range(self.slots):
            self.aside[self.owner[slot]] |= 1 << self.monster[slot]
        self.clear_castle()
        self.public = 1  # everybody has seen which two went home
        log = self.log
        if log is not None:
            log.tell("home", {})
            for seat in range(self.seats):
                self.tell_hand(log, "home_hand", seat)
            log.cut(self)
        if self.round == self.rounds:  # gold.28, gold.29
            self.finish()
        else:
            self.first += 1
            if self.first == self.seats:
                self.first = 0
            self.begin_round()

    def finish(self) -> None:
        self.waiting = 0
        log = self.log
        if log is not None:
            for seat in range(self.seats):
                log.tell("score", {"seat": int(seat), "gold": int(self.gold[seat])})
            winners = 0
            for seat in range(self.seats):
                if self.place(seat) == 1:
                    winners |= 1 << seat
            log.tell("shared_win" if winners & (winners - 1) else "win", {"seat": tuple(seats_of(winners))})

    def score(self, seat: i64) -> i64:
        return self.gold[seat]

    def place(self, seat: i64) -> i64:
        """Most gold wins; who has the same has the same place."""  # gold.29
        place: i64 = 1
        for other in range(self.seats):
            if self.gold[other] > self.gold[seat]:
                place += 1
        return place

    # Who knows what

    def knows_hand(self, viewer: i64, seat: i64) -> bool:
        """Whether a viewer can tell which monsters a seat holds and which it laid aside."""  # gold.8, gold.35
        return viewer == seat or self.public != 0 or count_bits(self.seen[seat]) == 3

    def hide(self, seat: i64) -> None:
        for other in range(self.seats):
            if not self.knows_hand(seat, other):
                self.hand[other] &= self.seen[other]
                self.aside[other] = 0
        cards = self.cards
        guard = self.guard
        stars = cards.stars
        for number in range(self.round):  # gold.5, gold.27: backs of all that were not revealed
            for place in range(number * self.seats + self.shown[number], (number + 1) * self.seats):
                guard[place] = cards.back(stars[guard[place]])
        top = self.round * self.seats
        if top < cards.size:  # gold.36: and the top of the deck
            guard[top] = cards.back(stars[guard[top]])
        unknown = cards.unknown()
        for place in range(top + 1, cards.size):
            guard[place] = unknown
        turned: i64 = self.round if self.kings_orders else 0
        for number in range(turned, i64(ORDERS)):  # gold.3, gold.31
            self.tile[number] = NO_ORDER

    def fill(self, seat: i64, rng: Rng) -> None:
        """Every way to lay out what is hidden is equally likely, as long as stars and seen monsters fit."""
        for other in range(self.seats):
            if not self.knows_hand(seat, other):
                self.fill_hand(other, rng)
        self.fill_guards(rng)
        self.fill_tiles(rng)

    def fill_hand(self, seat: i64, rng: Rng) -> None:
        """Of the monsters not seen yet, so many are in hand as make three with those seen."""
        unseen = numbers(STRONGEST, 0)
        count: i64 = 0
        for strength in range(i64(1), i64(STRONGEST + 1)):
            if not self.seen[seat] >> strength & 1:
                unseen[count] = strength
                count += 1
        rng.shuffle(unseen, count)
        for at in range(count):
            if at < 2:
                self.aside[seat] |= 1 << unseen[at]
            else:
                self.hand[seat] |= 1 << unseen[at]

    def fill_guards(self, rng: Rng) -> None:
        cards = self.cards
        left = numbers(cards.size, 0)
        count = self.unseen_guards(left)
        rng.shuffle(left, count)
        for place in range(cards.size):  # those whose stars are known take the next that has as many
            stars = self.stars_at(place)
            if self.guard[place] >= cards.size and stars > 0:
                at: i64 = 0
                while left[at] < 0 or cards.stars[left[at]] != stars:
                    at += 1
                self.guard[place] = left[at]
                left[at] = -1
        at = 0
        for place in range(cards.size):
            if self.guard[place] >= cards.size:
                while left[at] < 0:
                    at += 1
                self.guard[place] = left[at]
                at += 1

    def unseen_guards(self, left: vec[i64]) -> i64:
        """Write the guards that lie nowhere in sight into a row; says how many there are."""
        cards = self.cards
        seen = numbers(cards.size, 0)
        for place in range(cards.size):
            if self.guard[place] < cards.size:
                seen[self.guard[place]] += 1
        count: i64 = 0
        for at in range(cards.size):
            guard = cards.deck[at]
            if seen[guard] > 0:
                seen[guard] -= 1
            else:
                left[count] = guard
                count += 1
        return count

    def fill_tiles(self, rng: Rng) -> None:
        left = numbers(ORDERS, 0)
        count: i64 = 0
        for order in range(i64(1), i64(ORDERS + 1)):
            at: i64 = 0
            while at < ORDERS and self.tile[at] != order:
                at += 1
            if at == ORDERS:
                left[count] = order
                count += 1
        rng.shuffle(left, count)
        for number in range(i64(ORDERS)):
            if self.tile[number] == NO_ORDER:
                count -= 1
                self.tile[number] = left[count]

    def totals(self) -> list[int]:
        """The gold of all and of the treasury; guards, tiles and monsters; and what is kept twice."""
        coins = self.treasury
        for seat in range(self.seats):
            coins += self.gold[seat]
        sums = [int(coins)]
        sums += sorted([self.guard[place] for place in range(self.cards.size)])
        sums += sorted([self.tile[number] for number in range(ORDERS)])
        for seat in range(self.seats):
            out: i64 = 0
            placed: i64 = 0
            for slot in range(self.slots):
                if self.monster[slot] != EMPTY and self.owner[slot] == seat:
                    out |= 1 << self.monster[slot]
                    placed += 1
            sums.append(int(self.hand[seat] ^ self.aside[seat] ^ out))
            sums.append(int(count_bits(self.hand[seat]) + placed))
            sums.append(int(self.placed[seat] - placed))
        for field in range(self.seats):
            sums.append(int(self.pair[field] - self.monster[field * 2] - self.monster[field * 2 + 1]))
        return sums

    # Why not

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        if self.waiting != 1 << seat:
            args: dict[str, Arg] = {"waits_for": int(first_seat(self.waiting))}
            if self.placed[seat] == 2:
                return Refusal("gold.18", "two_placed", args)
            return Refusal("gold.10", "not_your_turn", args)
        replacing = move >= REPLACE
        if replacing:
            move -= REPLACE
        strength, slot = move // MOST_SLOTS + 1, move % MOST_SLOTS
        if slot >= self.slots:
            return Refusal("gold.2", "no_such_field", {"at": SLOTS[slot], "fields": int(self.seats)})
        refused = self.refuse_monster(seat, strength)
        if refused is not None:
            return refused
        there = self.monster[slot]
        if replacing:
            return self.refuse_replace(seat, strength, slot)
        if there != EMPTY:
            return Refusal("gold.11", "taken", {"at": SLOTS[slot], "there": int(there)})
        return None

    def refuse_monster(self, seat: i64, strength: i64) -> Refusal | None:
        if self.aside[seat] >> strength & 1:
            return Refusal("gold.8", "laid_aside", {"strength": int(strength)})
        if not self.hand[seat] >> strength & 1:
            return Refusal("gold.11", "in_castle", {"strength": int(strength)})
        if self.cards.barred[self.order] == strength:
            return Refusal("gold.34.1", "barred", {"strength": int(strength)})
        return None

    def refuse_replace(self, seat: i64, strength: i64, slot: i64) -> Refusal | None:
        there = self.monster[slot]
        if there == EMPTY:
            return Refusal("gold.12", "nobody_there", {"at": SLOTS[slot]})
        if there == STRONGEST:
            return Refusal("gold.14", "strongest", {"at": SLOTS[slot]})
        if there >= strength:
            return Refusal("gold.12", "not_weaker", {"at": SLOTS[slot], "there": int(there), "strength": int(strength)})
        total = self.pair[slot >> 1]
        most = self.cards.top[self.guard[self.gate() + (slot >> 1)]]
        if total >= most:
            return Refusal(
                "gold.13", "strong_enough", {"field": int(slot // 2 + 1), "total": int(total), "most": int(most)}
            )
        price = self.price(seat, slot)
        if price > self.gold[seat]:
            return Refusal("gold.17", "too_poor", {"price": int(price), "have": int(self.gold[seat])})
        return None

    # Telling what happened

    def tell_round(self, log: Log) -> None:
        log.sealed = True
        log.tell("round", {"round": int(self.round), "rounds": int(self.rounds)})
        log.tell("first", {"seat": int(self.first)})
        base = self.gate()
        stars = [str(self.stars_at(base + field)) for field in range(self.seats)]
        log.tell("guards", {"stars": ", ".join(stars)})
        if base + self.seats < self.cards.size:
            log.tell("deck", {"stars": int(self.stars_at(base + self.seats))})
        if self.order != NO_ORDER:
            log.tell("order", {"order": str(self.order)})

    def tell_replace(self, log: Log, seat: i64, strength: i64, slot: i64, price: i64, share: i64) -> None:
        owner = self.owner[slot]
        args: dict[str, Arg] = {"seat": int(seat), "strength": int(strength), "at": SLOTS[slot]}
        args["there"] = int(self.monster[slot])
        args["treasury"] = int(price - share)
        if owner == seat:
            log.tell("replace_own", args)
            return
        args["whose"] = int(owner)
        if share == 0:
            log.tell("replace", args)
        else:
            args["share"] = int(share)
            log.tell("replace_share", args)

    def tell_guard(self, log: Log, guard: i64, field: i64, strength: i64, loot: i64) -> None:
        """A guard is revealed, and what it is worth by the king's order."""
        log.sealed = True
        args: dict[str, Arg] = {"field": int(field + 1)}
        args["printed"] = int(self.cards.strength[guard])
        args["loot"] = int(self.cards.loot[guard])
        log.tell("reveal", args)
        if strength != self.cards.strength[guard] or loot != self.cards.loot[guard]:
            log.tell("by_order", {"field": int(field + 1), "power": int(strength), "loot": int(loot)})
        outcome: dict[str, Arg] = {"field": int(field + 1), "sum": int(self.pair[field]), "power": int(strength)}
        if self.pair[field] >= strength:
            log.tell("beaten", outcome)
        else:
            log.tell("repelled", outcome)

    def tell_loot(self, log: Log, field: i64, loot: i64, mine: i64, yours: i64) -> None:
        """Who gets what of a guard's loot, and for which monster."""
        one, two = int(self.owner[field * 2]), int(self.owner[field * 2 + 1])
        first, second = SLOTS[field * 2], SLOTS[field * 2 + 1]
        both: dict[str, Arg] = {"field": int(field + 1), "at": f"{first}, {second}"}
        if one == two:
            log.tell("loot_all", {**both, "seat": one, "coins": int(mine)})
            return
        log.tell("loot", {**both, "seat": one, "coins": int(mine), "at": first})
        log.tell("loot", {**both, "seat": two, "coins": int(yours), "at": second})
        if mine + yours < loot:
            log.tell("odd_coin", both)

    def tell_healing(self, log: Log, seat: i64, lost: i64, cost: i64, paid: i64) -> None:
        """What a seat pays, and what each of its monsters from the guard that won on costs."""
        costs: list[str] = []
        for slot in range(lost * 2, self.slots):
            if self.owner[slot] == seat:
                costs.append(f"{SLOTS[slot]}: {self.healing_cost(self.monster[slot])}")
        args: dict[str, Arg] = {"seat": int(seat), "coins": int(paid), "costs": ", ".join(costs)}
        if paid == cost:
            log.tell("heal", args)
        else:
            args["cost"] = int(cost)
            log.tell("heal_part", args)

    def tell_hand(self, log: Log, key: str, seat: i64) -> None:
        """Which monsters a seat holds now, for its owner alone."""
        hand, aside = monster_list(self.hand[seat]), monster_list(self.aside[seat])
        log.tell(key, {"hand": hand, "aside": aside}, bit(seat))


def loot_share(loot: i64, own: i64, other: i64) -> i64:
    """What the owner of one of two monsters gets: half, and the odd coin if theirs is the stronger."""  # gold.21
    half = loot >> 1
    return half + (loot & 1) if own > other else half


def monster_list(monsters: i64) -> str:
    """Monsters as text: `1, 4, 5`."""
    return ", ".join([str(strength) for strength in range(1, STRONGEST + 1) if monsters >> strength & 1])
