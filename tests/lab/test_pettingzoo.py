"""Every game as a PettingZoo environment, by PettingZoo's own tests."""

from __future__ import annotations

import copy
import pickle
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


def test_where_the_first_counts_every_agent_may_slap_after_every_card() -> None:
    hunters = find_game("hunters")
    flip, slap, let_go = (hunters.parse(text) for text in ("flip", "slap 1", "pass"))
    env = TableEnv(hunters, 3, options={"first": "1"})
    env.reset(seed=1)
    assert env.agent_selection == "seat_0"
    env.step(flip)
    for agent in ("seat_0", "seat_1", "seat_2"):
        assert env.agent_selection == agent
        offered = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
        assert offered == [flip if agent == "seat_1" else let_go, slap, slap + 1, slap + 2]
        with pytest.raises(Refused):
            env.step(let_go if agent == "seat_1" else flip)
        env.step(slap if agent == "seat_2" else offered[0])
    assert [env.state_now.score(seat) for seat in range(3)] == [0, 0, -1]
    assert env.agent_selection == "seat_2"  # who took a monster turns up first


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_an_environment_comes_back_from_pickle_and_copies(game: Game) -> None:
    env = TableEnv(game, game.seats[-1])
    env.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(1):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(60):
        seen, reward, over, _, _ = env.last()
        if over:
            break
        move = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        for twin in twins:
            assert twin.agent_selection == env.agent_selection
            assert (twin.last()[0]["observation"] == seen["observation"]).all()
            assert twin.last()[1] == reward
            twin.step(move)
        env.step(move)
    assert all(twin.state_now.to_bytes() == env.state_now.to_bytes() for twin in twins)
