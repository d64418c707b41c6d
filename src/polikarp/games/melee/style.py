"""Melee in the search's head: `greedy`, with attacks that are weighed in one pass instead of for every purse.

Where all stakes b up to m are as good as each other but for what they cost, an attack on a defender that names k
values is worth gain - c (m + 1) / 2 - k d / m, with c for a coin and d for the difference between winning and losing;
that is most at m = sqrt(2 k d / c). Stakes are drawn from 1 to m, and so are the values named.
"""

from __future__ import annotations

import math
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.bot import Style
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games.melee.bot import GreedyBot, draw, equilibrium, guess_chance, name_shares, stake_shares
from polikarp.games.melee.cards import CATAPULT, KNIGHT, SOLDIER
from polikarp.games.melee.rules import BIDDING, GARRISON, NAME, NAMING, STAKE, STAKING, Melee, size

LEAST: Final = 0.01  # that winning an attack is better than losing it, whatever the search says


class QuickBot(GreedyBot):
    """As `greedy`, but quick."""

    def __init__(self) -> None:
        super().__init__()
        self.top: i64 = 1  # of the stakes that are played in the attack that was weighed last
        self.gains: vec[float] = vec[float]([0.0] * 5)
        self.named: vec[float] = vec[float]([0.0] * 5)
        self.caps: vec[float] = vec[float]([0.0] * 5)

    def fight(self, sight: Melee, seat: i64, unit: i64, target: i64) -> float:
        if sight.guesses(seat, unit, target) == 0:
            return self.shot_worth(sight, target) - self.coin_worth(sight)
        stages = self.list_stages(sight, seat, unit, target)
        self.share_gold(sight.gold[seat], stages)
        coin = self.coin_worth(sight)
        loss = self.loss(sight, seat, unit)
        value = 0.0
        for back in range(stages - 1, i64(-1), -1):
            gain = self.gains[back] + max(0.0, value)
            apart = gain + loss
            top = min(self.caps[back], max(1.0, math.sqrt(2.0 * self.named[back] * apart / coin)))
            self.top = i64(top)
            if top <= self.named[back]:
                value = -loss - coin
            else:
                value = gain - coin * (top + 1.0) / 2.0 - self.named[back] * apart / top
        return value

    def list_stages(self, sight: Melee, seat: i64, unit: i64, target: i64) -> i64:
        """The defenders that an attack meets: what each brings, and how many values it names."""
        first = sight.first_defender(target)
        self.named[0] = float(sight.guesses(seat, unit, target))
        if unit == CATAPULT:
            self.gains[0] = self.shot_worth(sight, target)
            return 1
        owner = sight.owner(target)
        castle = sight.board.home[target] >= 0
        stages: i64 = 0
        for defender in range(first, i64(GARRISON + 1)):
            if defender == CATAPULT or (defender == GARRISON and not castle):
                continue
            if defender == GARRISON or sight.on[owner * 4 + defender] >> target & 1:
                if stages > 0:
                    self.named[stages] = float(self.names(sight, seat, unit, target, defender))
                self.gains[stages] = self.gain(sight, seat, unit, target, defender, False)
                stages += 1
        if not castle:
            self.gains[stages - 1] += 1.5 * self.province_worth(sight, target)
        return stages

    def share_gold(self, gold: i64, stages: i64) -> None:
        """The highest stake of each stage, so that something is left for those after it."""
        left = float(gold)
        for at in range(stages):
            cap = max(1.0, left * 2.0 / float(stages - at + 1))
            self.caps[at] = min(cap, left)
            left -= (cap + 1.0) / 2.0

    def highest(self, sight: Melee) -> i64:
        """The highest stake that is played in the attack that is on."""
        self.fight(sight, sight.player, sight.unit, sight.target)
        names = sight.guesses(sight.player, sight.unit, sight.target)
        return min(max(self.top, names + 1), sight.gold[sight.player])

    def choose_stake(self, sight: Melee, seat: i64, rng: Rng) -> i64:
        return STAKE + rng.below(self.highest(sight))

    def choose_name(self, sight: Melee, rng: Rng) -> i64:
        top = self.highest(sight)
        value = 1 + rng.below(top)
        while sight.was_named(value):
            value = value % top + 1
        return NAME + value - 1


class Line:
    """Points with weights, and the straight line through them."""

    def __init__(self) -> None:
        self.weight = 0.0
        self.x = 0.0
        self.y = 0.0
        self.xx = 0.0
        self.xy = 0.0

    def add(self, x: float, y: float, weight: float) -> None:
        self.weight += weight
        self.x += weight * x
        self.y += weight * y
        self.xx += weight * x * x
        self.xy += weight * x * y

    def middle(self) -> float:
        return self.x / max(self.weight, 1.0)

    def mean(self) -> float:
        return self.y / max(self.weight, 1.0)

    def spread(self) -> float:
        """The slope is `slant` by this."""
        return self.xx - self.x * self.middle()

    def slant(self) -> float:
        return self.xy - self.x * self.mean()


class MeleeStyle(Style):
    """Attacks are drawn, not searched: what is secret to one must not be known to the other."""

    def __init__(self) -> None:
        self.quick = QuickBot()
        # What odds of winning go with, when summer, autumn and winter begin: provinces, the root of gold, soldiers out
        # of the castle, knights, camps, catapults, +1 provinces. From games of this style with itself.
        summer = [0.10, 0.50, 0.25, 0.20, 0.20, 0.05, 0.10]
        autumn = [0.20, 0.60, 0.25, 0.25, 0.30, 0.10, 0.10]
        winter = [0.15, 0.45, 1.00, 0.55, 0.50, 0.13, 0.10]
        self.weights = vec[float](summer + autumn + winter)
        self.bids: i64 = 5  # that are worth a thought, from 0 on
        self.until: i64 = 0  # the season that is not played any more
        self.won = Line()  # what is learned of an attack, by stake: when it was not named, and when it was
        self.lost = Line()
        self.shares: vec[float] = vec[float]()  # of what was settled last, by stake counted from 0: how often
        self.worths: vec[float] = vec[float]()  # and what it is worth, if others play as well

    def start(self, sight: State) -> None:
        assert isinstance(sight, Melee)
        self.until = max(sight.season, 1) + 1
        self.won = Line()
        self.lost = Line()

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        return self.quick.choose(sight, seat, rng)

    def consider(self, state: State, seat: i64) -> i64:
        count = state.list_moves(seat)
        assert isinstance(state, Melee)
        return min(count, self.bids) if state.phase == BIDDING else count

    def knows(self, state: State) -> bool:
        assert isinstance(state, Melee)
        return state.phase == STAKING or state.phase == NAMING

    def outcome(self, state: State, finely: bool) -> i64:
        """Whether the stake was named, and which it was."""
        assert isinstance(state, Melee)
        return state.shown[7] + (2 * state.shown[6] if finely else 0)

    def learn(self, outcome: i64, visits: i64, value: float) -> None:
        line = self.lost if outcome & 1 else self.won
        line.add(float(outcome >> 1), value, float(visits))

    def settle(self, sight: State, seat: i64, rng: Rng) -> i64:
        """The equilibrium of what was learned."""
        assert isinstance(sight, Melee)
        won, lost = self.learned(sight.gold[sight.player], seat == sight.player)
        names = sight.guesses(sight.player, sight.unit, sight.target)
        value = equilibrium(won, lost, names)
        stakes = stake_shares(won, lost, value)
        self.worths = vec[float]([0.0] * len(won))
        if sight.phase == STAKING:
            self.shares = stakes
            for at in range(i64(len(won))):
                self.worths[at] = won[at] - guess_chance(won[at], lost[at], value) * (won[at] - lost[at])
            return STAKE + draw(stakes, rng)
        self.shares = name_shares(sight, won, lost, names)
        most = 0.0  # that naming a value takes from the attack
        for at in range(i64(len(won))):
            most = max(most, stakes[at] * (won[at] - lost[at]))
        for at in range(i64(len(won))):
            self.worths[at] = stakes[at] * (won[at] - lost[at]) - most - value
        return NAME + draw(self.shares, rng)

    def opinion(self, sight: State, seat: i64, move: i64) -> tuple[float, float]:
        assert isinstance(sight, Melee)
        at = move - (STAKE if sight.phase == STAKING else NAME)
        return self.shares[at], self.worths[at]

    def learned(self, gold: i64, attacking: bool) -> tuple[vec[float], vec[float]]:
        """By stake: what the attacker has when it is not named and when it is. A stake's price is the same in both."""
        sign = 1.0 if attacking else -1.0
        spread = self.won.spread() + self.lost.spread()
        slope = min(0.0, sign * (self.won.slant() + self.lost.slant()) / spread) if spread > 0.0 else 0.0
        won = sign * self.won.mean() - slope * self.won.middle()
        apart = max(LEAST, won - sign * self.lost.mean() + slope * self.lost.middle())
        if self.won.weight == 0.0 or self.lost.weight == 0.0:
            apart = 1.0
        wins: vec[float] = vec[float]()
        losses: vec[float] = vec[float]()
        for stake in range(i64(1), gold + 1):
            wins = append(wins, won + slope * float(stake))
            losses = append(losses, won + slope * float(stake) - apart)
        return wins, losses

    def stops(self, state: State) -> bool:
        """At the end of a season, but for winter: the next one blurs more than it shows."""
        assert isinstance(state, Melee)
        return state.phase == BIDDING and state.season == self.until

    def standing(self, state: State, seat: i64) -> float:
        """How well a seat stands when a season begins."""
        assert isinstance(state, Melee)
        castle: i64 = 1 << state.board.castle[seat]
        held = state.held(seat)
        at = (state.season - 2) * 7
        value = self.weights[at] * float(size(held & ~castle))
        value += self.weights[at + 1] * math.sqrt(float(state.gold[seat]))
        value += self.weights[at + 2] * float(size(state.on[seat * 4 + SOLDIER] & ~castle))
        for unit in range(i64(KNIGHT), i64(CATAPULT + 1)):
            value += self.weights[at + 2 + unit] * float(size(state.on[seat * 4 + unit]))
        return value + self.weights[at + 6] * float(size(held & state.board.marked))
