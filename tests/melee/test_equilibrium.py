"""The attack as a matrix game: the bot's equilibrium is that of a linear program, and its draws have its odds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from librt.vecs import vec
from mypy_extensions import i64
from scipy.optimize import linprog

from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.melee import game
from polikarp.games.melee.bot import GreedyBot, draw, equilibrium, guess_chance, guess_shares, stake_shares
from polikarp.games.melee.rules import STAKING, Melee

from .positions import attacking, play


def random_game(gold: int, seed: object) -> tuple[list[float], list[float]]:
    """Values by stake, not named and named, with every difference positive."""
    rng = FastRng(seed)
    won = [rng.below(2000) / 100 - 5 for _ in range(gold)]
    lost = [value - (1 + rng.below(1500)) / 100 for value in won]
    return won, lost


def solved(won: list[float], lost: list[float], names: int) -> float:
    """The value by linear programming over the odds of each stake being named: the defender keeps every stake's value
    at or below v, naming each at most surely and `names` in all."""
    gold = len(won)
    rows = [[0.0] * gold + [-1.0] for _ in range(gold)]
    for at in range(gold):
        rows[at][at] = -(won[at] - lost[at])
    rows.append([1.0] * gold + [0.0])
    limits = [-value for value in won] + [float(min(names, gold))]
    bounds = [(0.0, 1.0)] * gold + [(None, None)]
    done = linprog([0.0] * gold + [1.0], A_ub=np.array(rows), b_ub=np.array(limits), bounds=bounds, method="highs")
    assert done.status == 0
    return float(done.fun)


@pytest.mark.parametrize("names", [1, 2, 3])
@pytest.mark.parametrize("gold", range(1, 21))
def test_the_value_is_that_of_a_linear_program(gold: int, names: int) -> None:
    """g 1 to 20, k 1, 2, 3."""
    for number in range(6):
        won, lost = random_game(gold, (gold, names, number))
        value = equilibrium(vec[float](won), vec[float](lost), names)
        assert value == pytest.approx(solved(won, lost, names), abs=1e-9)


def test_the_value_is_that_of_a_linear_program_in_games() -> None:
    """The attacks that `greedy` meets when it plays with itself, with all that may follow them."""
    bot = GreedyBot()
    solved_nodes = 0
    for deal in range(12):
        rng = FastRng(("attacks", deal))
        state = game.start(2 + deal % 3, {"rules": "advanced" if deal % 2 else "basic"}, rng)
        while state.waiting:
            seat = first_seat(state.waiting)
            if isinstance(state, Melee) and state.phase == STAKING:
                won, lost, names = bot.duel(state)
                expected = solved(list(won), list(lost), names)
                assert equilibrium(won, lost, names) == pytest.approx(expected, abs=1e-9)
                solved_nodes += 1
            state.apply(seat, bot.choose(state.sight(seat), seat, rng), rng)
    assert solved_nodes > 40


@pytest.mark.parametrize("names", [1, 2, 3])
def test_the_value_is_that_of_a_linear_program_with_much_gold(names: int) -> None:
    """Up to all the gold that anybody can have, with values as far apart as a castle and a coin."""
    for number in range(20):
        rng = FastRng((names, number))
        gold = 30 + rng.below(41)
        won = [60.0 - rng.below(6000) / 100 for _ in range(gold)]
        lost = [value - (1 + rng.below(9000)) / 1000 for value in won]
        value = equilibrium(vec[float](won), vec[float](lost), names)
        assert value == pytest.approx(solved(won, lost, names), abs=1e-9)


@pytest.mark.parametrize("names", [1, 2])
def test_the_value_is_that_of_the_whole_matrix(names: int) -> None:
    """Against every set of values that could be named, as the attacker's program."""
    for number in range(5):
        gold = 5
        won, lost = random_game(gold, ("matrix", number))
        sets = list(itertools.combinations(range(gold), names))
        rows = [[-(lost[at] if at in named else won[at]) for at in range(gold)] + [1.0] for named in sets]
        done = linprog(
            [0.0] * gold + [-1.0],
            A_ub=np.array(rows),
            b_ub=np.zeros(len(sets)),
            A_eq=np.array([[1.0] * gold + [0.0]]),
            b_eq=np.array([1.0]),
            bounds=[(0.0, 1.0)] * gold + [(None, None)],
            method="highs",
        )
        value = equilibrium(vec[float](won), vec[float](lost), names)
        assert value == pytest.approx(-float(done.fun), abs=1e-9)


def test_stakes_are_drawn_with_odds_that_no_value_named_beats() -> None:
    won, lost = [5.0, 4.0, 3.0, 2.0, 1.0], [-1.0, -3.0, -3.5, -4.0, -9.0]
    value = equilibrium(vec[float](won), vec[float](lost), 1)
    rng = FastRng("stakes")
    drawn = [0] * 5
    for _ in range(20_000):
        drawn[draw(stake_shares(vec[float](won), vec[float](lost), value), rng)] += 1
    for named in range(5):
        against = sum(drawn[at] * (lost[at] if at == named else won[at]) for at in range(5)) / 20_000
        assert against > value - 0.15
    assert drawn[4] == 0


def test_a_stake_that_can_not_lose_is_played_outright() -> None:
    won, lost = [9.0, 1.0, 1.0], [4.0, 0.0, 0.0]
    value = equilibrium(vec[float](won), vec[float](lost), 1)
    assert value == 4.0
    assert list(stake_shares(vec[float](won), vec[float](lost), value)) == [1] + [0] * (len(won) - 1)


@pytest.mark.parametrize("names", [1, 2, 3])
def test_values_are_named_with_their_odds(names: int) -> None:
    """One after another, as a bot that remembers nothing names them."""
    won, lost = random_game(8, "names")
    value = equilibrium(vec[float](won), vec[float](lost), names)
    chances = vec[float]([guess_chance(won[at], lost[at], value) for at in range(8)])
    rng = FastRng(("names", names))
    counts = [0] * 8
    for _ in range(8000):
        before: list[int] = []
        for _ in range(names):
            before.append(draw(guess_shares(chances, vec[i64](before)), rng))
        assert len(set(before)) == names
        for at in before:
            counts[at] += 1
    spare = names - sum(chances)  # where nothing is left to be feared, values are named to make up the number
    for at in range(8):
        assert chances[at] - 0.03 < counts[at] / 8000 < chances[at] + spare + 0.03
    assert spare == pytest.approx(0, abs=1e-9) or names == 3


def test_both_bots_think_of_the_same_attack() -> None:
    """melee.47: what the attacker has at stake follows from what the defender knows too."""
    state = attacking({0: "soldier Y1", 1: "soldier Y0"}, gold=7)
    play(state, 0, "use soldier at Y1", "attack Y0")
    attacker = GreedyBot().duel(state.sight(0))  # type: ignore[arg-type]
    play(state, 0, "stake 3")
    defender = GreedyBot().duel(state.sight(1))  # type: ignore[arg-type]
    assert [list(part) if not isinstance(part, int) else part for part in attacker] == [
        list(part) if not isinstance(part, int) else part for part in defender
    ]
