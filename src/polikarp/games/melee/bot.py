"""`greedy` for Melee: looks one unit ahead, from the seat's sight only. Stakes and guesses are exact equilibria.

An attack is a matrix game: the attacker stakes b out of g gold, the defender names k values. With s_b and f_b the
attacker's values when b is not named and named, the defender names b with probability (s_b - v) / (s_b - f_b), where
the value v makes these sum to k; the attacker stakes with odds 1 / (s_b - f_b) among those with s_b > v.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, numbers
from polikarp.games.melee.boards import COUNT
from polikarp.games.melee.cards import CAMP, CATAPULT, KNIGHT, SEASONS, SOLDIER, TOP_OFFER, VETERANS
from polikarp.games.melee.rules import (
    ACTING,
    ATTACK,
    ATTACK_CARD,
    BID,
    BIDDING,
    CHOICES,
    CHOOSE,
    CHOOSING,
    DONE,
    FIRST,
    GARRISON,
    GO,
    LEAD,
    LEADING,
    MARCH,
    MOVING,
    NAME,
    NAMING,
    NOBODY,
    OFFER,
    ORDERING,
    PASS,
    PRELIMINARY,
    PRESS,
    PRESSING,
    RECRUIT,
    RECRUIT_CARD,
    STAKE,
    STAKING,
    TAX_CARD,
    USE,
    WITHDRAW,
    Melee,
    size,
)

FINE: Final = 1 << 30
ALMOST_NOTHING: Final = 1e-9


def equilibrium(won: vec[float], lost: vec[float], names: i64) -> float:
    """The value of an attack: by stake, what the attacker has when it is not named, and when it is, which is less."""
    stakes = i64(len(won))
    low = lost[0]
    for at in range(stakes):
        low = max(low, lost[at])  # a stake that loses this little can always be played
    if stakes <= names or guess_sum(won, lost, low) <= float(names):
        return low
    # From here up no chance is cut at 1, so the sum is convex: each tangent ends at or below the value, and has reached
    # it when it leaves out no stake that the one before had.
    value = low
    while True:
        weights = 0.0
        worths = -float(names)
        for at in range(stakes):
            if won[at] > value:
                weight = 1.0 / (won[at] - lost[at])
                weights += weight
                worths += won[at] * weight
        end = worths / weights
        if end <= value:
            return value
        value = end


def guess_chance(won: float, lost: float, value: float) -> float:
    """How likely a stake is named."""
    return min(max((won - value) / (won - lost), 0.0), 1.0)


def guess_sum(won: vec[float], lost: vec[float], value: float) -> float:
    total = 0.0
    for at in range(i64(len(won))):
        total += guess_chance(won[at], lost[at], value)
    return total


def stake_shares(won: vec[float], lost: vec[float], value: float) -> vec[float]:
    """By stake, counted from 0: how often the equilibrium plays it."""
    shares = vec[float]([0.0] * len(won))
    total = 0.0
    for at in range(i64(len(won))):
        if lost[at] >= value:
            shares = vec[float]([0.0] * len(won))
            shares[at] = 1.0  # nothing is better, named or not
            return shares
        if won[at] > value:
            shares[at] = 1.0 / (won[at] - lost[at])
            total += shares[at]
    if total == 0.0:
        shares[0] = total = 1.0
    for at in range(i64(len(won))):
        shares[at] /= total
    return shares


def guess_shares(chances: vec[float], before: vec[i64]) -> vec[float]:
    """By value, counted from 0: how often it is the next to be named, after those named before.

    The chances lie side by side on a line, and values are named where the points u, u + 1, u + 2 fall on it: so each
    is named with its own chance. What was named before tells between which bounds u lies.
    """
    low = 0.0
    high = 1.0
    for place in range(i64(len(before))):
        start = 0.0
        for at in range(before[place]):
            start += chances[at]
        low = max(low, start - float(place))
        high = min(high, start + chances[before[place]] - float(place))
    shares = vec[float]([0.0] * len(chances))
    total = 0.0
    spare: i64 = -1
    start = -low - float(len(before))
    for at in range(i64(len(chances))):
        named = False
        for place in range(i64(len(before))):
            named = named or before[place] == at
        if not named:
            spare = at
            shares[at] = max(0.0, min(start + chances[at], high - low) - max(start, 0.0))
            total += shares[at]
        start += chances[at]
    shares[spare] += max(0.0, high - low - total, ALMOST_NOTHING - total)  # where there is nothing to be feared
    total = max(total, high - low, ALMOST_NOTHING)
    for at in range(i64(len(chances))):
        shares[at] /= total
    return shares


def draw(shares: vec[float], rng: Rng) -> i64:
    """A place, as often as its share says."""
    left = fraction(rng)
    chosen: i64 = 0
    for at in range(i64(len(shares))):
        if shares[at] > 0.0 and left >= 0.0:
            chosen = at
            left -= shares[at]
    return chosen


def name_shares(sight: Melee, won: vec[float], lost: vec[float], names: i64) -> vec[float]:
    """By value, counted from 0: how often it is the next to be named in the attack that is on."""
    value = equilibrium(won, lost, names)
    chances: vec[float] = vec[float]()
    for at in range(i64(len(won))):
        chances = append(chances, guess_chance(won[at], lost[at], value))
    before = numbers(sight.names, 0)
    for at in range(sight.names):
        before[at] = sight.named[at] - 1
    return guess_shares(chances, before)


def fraction(rng: Rng) -> float:
    return float(rng.below(FINE)) / float(FINE)


class GreedyBot(Bot):
    """The weights were chosen by play against `random` and against other weights."""

    def __init__(self) -> None:
        self.coin = 0.45  # what a coin is worth, and how much less each season
        self.province = 2.2  # what a province is worth, and how much more each season
        self.win = 60.0  # what a castle is worth

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert isinstance(sight, Melee)
        phase = sight.phase
        if phase == STAKING:
            return self.choose_stake(sight, seat, rng)
        if phase == NAMING:
            return self.choose_name(sight, rng)
        if phase == PRESSING:
            return PRESS if self.fight(sight, seat, sight.unit, sight.target) > 0.0 else WITHDRAW
        if phase == MOVING or phase == ACTING:
            return self.best_move(sight, seat)
        if phase == CHOOSING:
            return self.choose_cards(sight, seat, rng)
        if phase == ORDERING:
            return self.choose_order(sight, seat)
        if phase == LEADING:
            return LEAD + sight.board.colour[seat]
        if phase == BIDDING:
            return BID + (rng.below(3) if sight.gold[seat] > 6 else 0)
        return self.choose_recruit(sight, seat)

    # What things are worth

    def coin_worth(self, sight: Melee) -> float:
        return self.coin * float(SEASONS + 1 - sight.season) / 2.0

    def province_worth(self, sight: Melee, province: i64) -> float:
        marked = 1.0 if sight.board.marked >> province & 1 else 0.0
        return self.province + 0.5 * float(sight.season) + marked

    def unit_worth(self, unit: i64) -> float:
        if unit == KNIGHT:
            return 3.0
        return 1.6 if unit == CAMP else 1.2

    # Attacks

    def fight(self, sight: Melee, seat: i64, unit: i64, target: i64) -> float:
        """What it is worth to attack a province, all its defenders together."""
        if sight.guesses(seat, unit, target) == 0:
            return self.shot_worth(sight, target) - self.coin_worth(sight)
        values = self.stages(sight, seat, unit, target)
        return values[sight.gold[seat]]

    def stages(self, sight: Melee, seat: i64, unit: i64, target: i64) -> vec[float]:
        """By the attacker's gold: the value of the attack on the first defender, with what may follow it."""
        gold = sight.gold[seat]
        owner = sight.owner(target)
        after = vec[float]([0.0] * int(gold + 1))
        left: vec[i64] = vec[i64]()
        if unit == CATAPULT:
            left = append(left, sight.first_defender(target))
        else:
            for defender in range(i64(CATAPULT)):
                if sight.on[owner * 4 + defender] >> target & 1:
                    left = append(left, defender)
            if sight.board.home[target] >= 0:
                left = append(left, GARRISON)
        for back in range(i64(len(left)) - 1, i64(-1), -1):
            names = self.names(sight, seat, unit, target, left[back])
            gain = self.gain(sight, seat, unit, target, left[back], back == len(left) - 1)
            now = vec[float]([0.0] * int(gold + 1))
            for have in range(i64(1), gold + 1):
                won = self.won(sight, gain, after, have)
                lost = self.lost(sight, seat, unit, have)
                now[have] = max(0.0, equilibrium(won, lost, names)) if back > 0 else equilibrium(won, lost, names)
            after = now
        return after

    def names(self, sight: Melee, seat: i64, unit: i64, target: i64, defender: i64) -> i64:
        """How many values a defender would name once its turn has come."""
        if defender == sight.first_defender(target):
            return sight.guesses(seat, unit, target)
        double = sight.board.home[target] >= 0 or (sight.board.mountains >> target & 1 != 0 and defender != KNIGHT)
        return 2 if double else 1

    def gain(self, sight: Melee, seat: i64, unit: i64, target: i64, defender: i64, last: bool) -> float:
        """What beating this defender brings."""
        if unit == CATAPULT:
            return self.shot_worth(sight, target)
        if defender == GARRISON:
            return self.win
        worth = self.unit_worth(defender)
        if last:
            worth += 1.5 * self.province_worth(sight, target)
            if defender == CAMP and sight.reserve[seat * 4 + CAMP] > 0:
                worth += self.unit_worth(CAMP)
        return worth

    def shot_worth(self, sight: Melee, target: i64) -> float:
        owner = sight.owner(target)
        worth = -self.unit_worth(CATAPULT) + 0.5 * self.province_worth(sight, target)
        for unit in range(i64(4)):
            if sight.on[owner * 4 + unit] >> target & 1:
                worth += self.unit_worth(unit)
        return worth

    def won(self, sight: Melee, gain: float, after: vec[float], gold: i64) -> vec[float]:
        """By stake: what the attacker has when it is not named."""
        coin = self.coin_worth(sight)
        worths: vec[float] = vec[float]()
        for stake in range(i64(1), gold + 1):
            worths = append(worths, gain + after[gold - stake] - coin * float(stake))
        return worths

    def lost(self, sight: Melee, seat: i64, unit: i64, gold: i64) -> vec[float]:
        """By stake: what the attacker has when it is named."""
        loss = self.loss(sight, seat, unit)
        coin = self.coin_worth(sight)
        worths: vec[float] = vec[float]()
        for stake in range(i64(1), gold + 1):
            worths = append(worths, -loss - coin * float(stake))
        return worths

    def loss(self, sight: Melee, seat: i64, unit: i64) -> float:
        """What an attack that fails costs, but for the stake."""
        stays = unit == SOLDIER and sight.able(seat, VETERANS)
        return 0.3 if stays or unit == CATAPULT else self.unit_worth(unit) + 0.6

    def duel(self, sight: Melee) -> tuple[vec[float], vec[float], i64]:
        """The matrix game of the attack that is on: values by stake, won and lost, and how many values are named."""
        seat = sight.player
        gold = sight.gold[seat]
        target = sight.target
        after = vec[float]([0.0] * int(gold + 1))
        defender = sight.first_defender(target)
        last = self.is_last(sight, target, defender)
        if sight.unit != CATAPULT and not last:
            after = self.stages_after(sight, seat, sight.unit, target, defender)
        gain = self.gain(sight, seat, sight.unit, target, defender, last)
        names = sight.guesses(seat, sight.unit, target)
        return self.won(sight, gain, after, gold), self.lost(sight, seat, sight.unit, gold), names

    def is_last(self, sight: Melee, target: i64, defender: i64) -> bool:
        if defender == GARRISON:
            return True
        if sight.board.home[target] >= 0:
            return False
        owner = sight.owner(target)
        for unit in range(defender + 1, i64(CATAPULT)):
            if sight.on[owner * 4 + unit] >> target & 1:
                return False
        return True

    def stages_after(self, sight: Melee, seat: i64, unit: i64, target: i64, defender: i64) -> vec[float]:
        """As `stages`, once the first defender is beaten; never less than withdrawing."""
        at = sight.owner(target) * 4 + defender
        sight.on[at] &= ~(1 << target)
        values = self.stages(sight, seat, unit, target)
        sight.on[at] |= 1 << target
        for gold in range(i64(len(values))):
            values[gold] = max(values[gold], 0.0)
        return values

    def choose_stake(self, sight: Melee, seat: i64, rng: Rng) -> i64:
        won, lost, names = self.duel(sight)
        return STAKE + draw(stake_shares(won, lost, equilibrium(won, lost, names)), rng)

    def choose_name(self, sight: Melee, rng: Rng) -> i64:
        won, lost, names = self.duel(sight)
        return NAME + draw(name_shares(sight, won, lost, names), rng)

    # Units

    def best_move(self, sight: Melee, seat: i64) -> i64:
        """The best of the unit at hand, or the best unit to take in hand."""
        count = sight.list_moves(seat)
        moves = numbers(count, 0)
        for at in range(count):
            moves[at] = sight.legal[at]
        best = moves[0]  # done, or stop
        best_value = 0.05
        for at in range(i64(1), count):
            move = moves[at]
            if move >= GO:
                value = self.step_worth(sight, seat, sight.unit, sight.at, move)
            else:
                unit = (move - USE) // COUNT
                value = self.unit_prospect(sight, seat, unit, move - USE - unit * COUNT)
            if value > best_value:
                best = move
                best_value = value
        return best

    def unit_prospect(self, sight: Melee, seat: i64, unit: i64, at: i64) -> float:
        """The best that a unit can do."""
        best = 0.0
        goes = sight.go_targets(seat, unit, at)
        attacks = sight.attack_targets(seat, unit, at)
        for province in range(i64(COUNT)):
            if goes >> province & 1:
                best = max(best, self.step_worth(sight, seat, unit, at, GO + province))
            if attacks >> province & 1:
                best = max(best, self.step_worth(sight, seat, unit, at, ATTACK + province))
        return best

    def step_worth(self, sight: Melee, seat: i64, unit: i64, at: i64, move: i64) -> float:
        if move >= ATTACK:
            return self.fight(sight, seat, unit, move - ATTACK) - self.left_behind(sight, seat, unit, at) / 2.0
        if move >= MARCH:
            province = move - MARCH
            return 0.8 * self.attack_from(sight, seat, unit, province) - self.left_behind(sight, seat, unit, at)
        province = move - GO
        worth = -self.left_behind(sight, seat, unit, at)
        if not sight.held(seat) >> province & 1 and province != sight.board.castle[seat]:
            worth += self.province_worth(sight, province)
        if sight.enemies(seat) >> province & 1:
            worth += self.unit_worth(CATAPULT) + 0.5 * self.province_worth(sight, province)
        if unit == KNIGHT:
            worth = max(worth, worth + 0.8 * self.attack_from(sight, seat, unit, province))
        return worth

    def attack_from(self, sight: Melee, seat: i64, unit: i64, province: i64) -> float:
        """The best attack that a unit would have from another province."""
        best = 0.0
        targets = sight.attack_targets(seat, unit, province)
        for target in range(i64(COUNT)):
            if targets >> target & 1:
                best = max(best, self.fight(sight, seat, unit, target))
        return best

    def left_behind(self, sight: Melee, seat: i64, unit: i64, at: i64) -> float:
        """What is given up when a unit leaves its province."""
        if sight.board.castle[seat] == at:
            return 0.4
        for other in range(i64(4)):
            if other != unit and sight.on[seat * 4 + other] >> at & 1:
                return 0.2
        return self.province_worth(sight, at)

    # Cards

    def card_worth(self, sight: Melee, seat: i64, card: i64) -> float:
        if card == TAX_CARD:
            return float(sight.tax(seat)) * self.coin_worth(sight) * 1.4
        if card == RECRUIT_CARD:
            return self.recruit_worth(sight, seat)
        worth = 0.0
        for unit in range(i64(4)):
            for province in range(i64(COUNT)):
                if unit != CAMP and sight.on[seat * 4 + unit] >> province & 1:
                    worth += 0.8 * self.unit_prospect(sight, seat, unit, province)
        return worth

    def recruit_worth(self, sight: Melee, seat: i64) -> float:
        """What a round of recruiting would bring: a land for each cheap unit, then units beside others."""
        units = sight.gold[seat] // 2
        lands = sight.board.lands[seat] & ~sight.held(seat) & ~sight.enemies(seat) & ~sight.board.castles
        fresh = min(units, size(lands))
        more = min(units - fresh, i64(3))
        return float(fresh) * (self.province + 0.5 * float(sight.season) - 0.5) + 0.7 * float(more)

    def choose_cards(self, sight: Melee, seat: i64, rng: Rng) -> i64:
        worths = vec[float]([0.0, 0.0, 0.0])
        for unit in range(i64(4)):
            sight.acted[unit] = 0
        for card in range(i64(3)):
            worths[card] = self.card_worth(sight, seat, card) + fraction(rng) * 0.3
        best: i64 = 3 if sight.season == SEASONS else 0
        best_value = -1.0
        for choice in range(best, best + 3):
            value = 0.0
            for card in range(i64(3)):
                if CHOICES[choice] >> card & 1:
                    value += worths[card]
            if value > best_value:
                best = choice
                best_value = value
        return CHOOSE + best

    def choose_order(self, sight: Melee, seat: i64) -> i64:
        """Taxes first; recruit after a fight, which needs the gold, unless there is nobody to fight with."""
        chosen = sight.chosen[seat]
        if chosen >> TAX_CARD & 1:
            return FIRST + TAX_CARD
        for unit in range(i64(4)):
            sight.acted[unit] = 0
        return FIRST + (ATTACK_CARD if self.card_worth(sight, seat, ATTACK_CARD) > 2.0 else RECRUIT_CARD)

    # Recruiting

    def choose_recruit(self, sight: Melee, seat: i64) -> i64:
        early = sight.phase == PRELIMINARY
        count = sight.list_moves(seat)
        best: i64 = PASS if early else DONE
        best_value = 0.0
        for at in range(i64(1), count):
            move = sight.legal[at]
            value = 0.0
            if move >= OFFER:
                value = self.offer_worth(sight, seat, move)
            else:
                unit = (move - RECRUIT) // COUNT
                value = self.new_unit_worth(sight, seat, unit, move - RECRUIT - unit * COUNT)
            if value > best_value:
                best = move
                best_value = value
        return best

    def offer_worth(self, sight: Melee, seat: i64, move: i64) -> float:
        """One ability, as cheaply as it goes."""
        slot = (move - OFFER) // TOP_OFFER
        gold = move - OFFER - slot * TOP_OFFER + 1
        for other in range(sight.slots):
            if sight.offerer[other] == seat:
                return 0.0
        return 4.1 - float(gold) if sight.offerer[slot] == NOBODY else 3.1 - float(gold)

    def new_unit_worth(self, sight: Melee, seat: i64, unit: i64, province: i64) -> float:
        seasons = SEASONS + 1 - sight.season if sight.season > 0 else SEASONS
        worth = self.unit_worth(unit)
        if not sight.held(seat) >> province & 1 and province != sight.board.castle[seat]:
            worth += self.province_worth(sight, province)
        if unit == CAMP:
            worth += float(seasons - 1) * 0.6
        if unit == SOLDIER:
            worth += 0.4 if sight.board.castle[seat] != province else 0.0
        keep = 3 if sight.season < SEASONS else 0  # gold to attack with
        if sight.gold[seat] - sight.price(seat, unit) < keep:
            worth -= 2.0
        return worth - float(sight.price(seat, unit)) * self.coin_worth(sight)
