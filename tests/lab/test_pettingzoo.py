"""Every game as a PettingZoo environment, by PettingZoo's own tests."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from polikarp.engine.game import Game
from polikarp.engine.phrase import Refused
from polikarp.games import all_games, find_game

pytest.importorskip("pettingzoo", reason="PettingZoo is an optional extra, and not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of how its tests make their own environments
    from pettingzoo.test import api_test, seed_test

from polikarp.lab.pettingzoo_env import TableEnv

SETTINGS = [(game, seats) for game in all_games().values() for seats in game.seats]


@pytest.mark.parametrize(("game", "seats"), SETTINGS, ids=lambda value: getattr(value, "id", str(value)))
def test_a_game_holds_what_pettingzoo_asks(game: Game, seats: int) -> None:
    with warnings.catch_warnings():
        # Said of every environment with a mask beside the observation, PettingZoo's own card games included.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be|Observation is not a")
        api_test(TableEnv(game, seats), num_cycles=30)
        seed_test(lambda: TableEnv(game, seats), num_cycles=30)


def test_rewards_come_at_the_end_and_to_everybody() -> None:
    env = TableEnv(find_game("leduc"), 2, reward="score")
    env.reset(seed=1)
    got = {}
    for agent in env.agent_iter():
        seen, reward, over, cut, _ = env.last()
        assert not cut
        if over:
            got[agent] = reward
            env.step(None)
        else:
            assert reward == 0
            env.step(int(np.flatnonzero(seen["action_mask"])[-1]))
    assert sorted(got) == ["seat_0", "seat_1"]
    assert sum(got.values()) == 0
    assert max(got.values()) > 0
    assert env.agents == []


def test_who_is_not_asked_has_no_moves_and_wrong_moves_are_refused() -> None:
    env = TableEnv(find_game("leduc"), 2, render_mode="ansi")
    env.reset(seed=1)
    assert env.agent_selection == "seat_0"
    assert env.observe("seat_0")["action_mask"].tolist() == [0, 1, 1]
    assert not env.observe("seat_1")["action_mask"].any()
    with pytest.raises(Refused):
        env.step(0)
    text = env.render()
    assert text is not None
    assert "seat_0: ?" in text


def test_a_right_that_nobody_waits_for_is_not_offered() -> None:
    """In Crypt a seat may have a move while the game waits for another."""
    rights = 0
    env = TableEnv(find_game("crypt"), 4)
    rng = np.random.default_rng(1)
    for seed in range(5):
        env.reset(seed=seed)
        while env.state_now.waiting:
            waiting = env.state_now.waiting
            rights += bool(env.state_now.acting() & ~waiting)
            for seat, agent in enumerate(env.possible_agents):
                assert bool(env.observe(agent)["action_mask"].any()) == bool(waiting >> seat & 1)
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    assert rights
