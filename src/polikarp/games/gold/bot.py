"""`greedy` for Heroes' Gold: one move ahead, with the exact odds of the hidden guards, from the seat's sight only.

After each legal move it asks what the fight would bring if the slots still empty were filled by middling monsters of
nobody: the loot of every guard times the chance that the monsters get through to it, less the healing if they do not.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, numbers
from polikarp.games.gold.cards import LEVELS
from polikarp.games.gold.rules import EMPTY, MOST_SLOTS, REPLACE, Gold, loot_share


class GreedyBot(Bot):
    """The weights were tuned by play against `random` and against other weights."""

    def __init__(self) -> None:
        self.stand_in: i64 = 3  # how strong it thinks a monster will be that is not there yet
        self.envy = 1.0  # of a coin, that the others' coins are worth, on average

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert isinstance(sight, Gold)
        count = sight.list_moves(seat)
        odds = Odds(sight)
        best = sight.legal[0]
        best_value = -1000.0
        for at in range(count):
            move = sight.legal[at]
            value = self.value(sight, seat, move, odds)
            if value > best_value:
                best = move
                best_value = value
        return best

    def value(self, sight: Gold, seat: i64, move: i64, odds: Odds) -> float:
        """What the seat is ahead of the others after a move and the fight that may follow, in coins."""
        after = sight.blank()
        after.become(sight)
        if move >= REPLACE:
            move -= REPLACE
            after.send_back(seat, move)
        after.put(seat, move // MOST_SLOTS + 1, move % MOST_SLOTS)
        coins = odds.expected(after, self.stand_in)
        others = 0.0
        for other in range(after.seats):
            if other != seat:
                others += coins[other] + float(after.gold[other])
        own = coins[seat] + float(after.gold[seat])
        return own - self.envy * others / float(after.seats - 1)


class Odds:
    """The guards that nobody has seen, by level, and what follows from them."""

    strengths: vec[i64]  # of the unseen guards of a level, level after level
    loots: vec[i64]
    begin: vec[i64]  # by stars: where a level begins; the next one's beginning is its end

    def __init__(self, sight: Gold) -> None:
        cards = sight.cards
        left = numbers(cards.size, 0)
        count = sight.unseen_guards(left)
        self.strengths = numbers(count, 0)
        self.loots = numbers(count, 0)
        self.begin = numbers(LEVELS + 2, 0)
        for at in range(count):  # they come in rising number of stars
            self.strengths[at] = cards.strength[left[at]]
            self.loots[at] = cards.loot[left[at]]
            for stars in range(cards.stars[left[at]] + 1, i64(LEVELS + 2)):
                self.begin[stars] = at + 1
        self.limits = numbers(sight.seats, 0)  # by field: the strongest guard that the pair beats

    def expected(self, after: Gold, stand_in: i64) -> vec[float]:
        """By seat: the coins that the fight would bring on average, with stand-ins in the empty slots."""
        for slot in range(after.slots):
            if after.monster[slot] == EMPTY:
                after.monster[slot] = stand_in
                after.owner[slot] = -1
                after.pair[slot >> 1] += stand_in
        coins = vec[float]([0.0] * after.seats)
        weakest = after.weakest_pair()
        reached = 1.0
        for field in range(after.seats):
            self.limits[field] = after.pair[field]
            if after.changed(field, weakest):
                self.limits[field] -= after.cards.more_strength[after.order]
            self.add_loot(after, field, weakest, coins)
            through = 1.0
            for stars in range(i64(1), i64(LEVELS + 1)):
                through *= self.chance(after, stars, field + 1, i64(-1))
            self.add_healing(after, field, reached - through, coins)
            reached = through
        return coins

    def add_loot(self, after: Gold, field: i64, weakest: i64, coins: vec[float]) -> None:
        """The loot of one field, times the chance that its guard and all before it are beaten."""
        level = after.stars_at(after.gate() + field)
        others = 1.0
        for stars in range(i64(1), i64(LEVELS + 1)):
            if stars != level:
                others *= self.chance(after, stars, field, i64(-1))
        count = self.begin[level + 1] - self.begin[level]
        more: i64 = after.cards.more_loot[after.order] if after.changed(field, weakest) else 0
        one = field * 2
        two = one + 1
        for guard in range(self.begin[level], self.begin[level + 1]):
            if self.strengths[guard] <= self.limits[field]:
                chance = others * self.chance(after, level, field, self.strengths[guard]) / float(count)
                loot = max(i64(0), self.loots[guard] + more)
                if after.owner[one] == after.owner[two]:
                    if after.owner[one] >= 0:
                        coins[after.owner[one]] += chance * float(loot)
                else:
                    if after.owner[one] >= 0:
                        share = loot_share(loot, after.monster[one], after.monster[two])
                        coins[after.owner[one]] += chance * float(share)
                    if after.owner[two] >= 0:
                        share = loot_share(loot, after.monster[two], after.monster[one])
                        coins[after.owner[two]] += chance * float(share)

    def chance(self, after: Gold, stars: i64, fields: i64, taken: i64) -> float:
        """The chance that all guards of a level among the first fields are beaten. `taken` is the strength of a guard
        of this level that lies elsewhere, or -1.

        A pair that beats few guards beats only some of those that a stronger pair beats. So, from the weakest pair
        on, each has as many guards to choose from as it beats, less those given to the pairs before it.
        """
        left = self.begin[stars + 1] - self.begin[stars]
        if taken >= 0:
            left -= 1
        chance = 1.0
        given: i64 = 0
        done: i64 = 0  # fields counted already, a bit each
        while True:
            weakest: i64 = -1
            for field in range(fields):
                if not done >> field & 1 and after.stars_at(after.gate() + field) == stars:
                    if weakest < 0 or self.limits[field] < self.limits[weakest]:
                        weakest = field
            if weakest < 0:
                return chance
            done |= 1 << weakest
            limit = self.limits[weakest]
            beaten = -given
            for guard in range(self.begin[stars], self.begin[stars + 1]):
                if self.strengths[guard] <= limit:
                    beaten += 1
            if 0 <= taken <= limit:
                beaten -= 1
            if beaten <= 0:
                return 0.0
            chance *= float(beaten) / float(left - given)
            given += 1

    def add_healing(self, after: Gold, field: i64, chance: float, coins: vec[float]) -> None:
        """Healing, times the chance that this is the first guard to win."""
        for slot in range(field * 2, after.slots):
            if after.owner[slot] >= 0:
                coins[after.owner[slot]] -= chance * float(after.healing_cost(after.monster[slot]))
