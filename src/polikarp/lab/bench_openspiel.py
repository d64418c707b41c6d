"""What the speed table measures of OpenSpiel: its C++ rollouts and search, its Python API and its environment for
learning. Needs the extra `openspiel`.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

import pyspiel
from open_spiel.python import rl_environment

from polikarp.lab.rate import Run, rate

UCT_C = 1.4


def rollouts(name: str, games: int, per_move: bool) -> Run:
    """C++ rollouts from the first decision: one simulation of its MCTS bot evaluates it by `games` of them."""
    game = pyspiel.load_game(name)
    start = first_decision(game)
    moves = mean_length(start) if per_move else 1.0

    def run() -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(games, random.getrandbits(30))
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1000, False, 1, False)
        began = time.process_time()
        bot.mcts_search(start)
        return games * moves / (time.process_time() - began)

    return run


def search(name: str, simulations: int) -> Run:
    """One decision of its C++ information-set search, with one random rollout for each simulation."""
    start = first_decision(pyspiel.load_game(name))
    any_number, most_visited = -1, pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT

    def work() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, random.getrandbits(30))
        seed = random.getrandbits(30)
        bot = pyspiel.ISMCTSBot(seed, evaluator, UCT_C, simulations, any_number, most_visited, False, False)
        bot.step(start)
        return simulations

    return lambda: rate(work)


def stepped(name: str, games: int, per_move: bool) -> Run:
    """Random games through the Python API, from the deal on."""
    game = pyspiel.load_game(name)
    pick = random.Random(1)

    def work() -> int:
        moves = sum(play(game.new_initial_state(), pick) for _ in range(games))
        return moves if per_move else games

    return lambda: rate(work)


def environment(name: str, games: int) -> Run:
    """Random games in its environment for learning; a step is a decision."""
    env = rl_environment.Environment(name)
    pick = random.Random(1)

    def work() -> int:
        moves = 0
        for _ in range(games):
            now = env.reset()
            while not now.last():
                seen = now.observations
                now = env.step([pick.choice(seen["legal_actions"][seen["current_player"]])])
                moves += 1
        return moves

    return lambda: rate(work)


def first_decision(game: Any) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(random.Random(1).choice(state.chance_outcomes())[0])
    return state


def mean_length(start: Any) -> float:
    """Decisions in a random game; draws of chance are not counted, here and in our games."""
    pick = random.Random(1)
    return statistics.fmean(play(start.clone(), pick) for _ in range(200))


def play(state: Any, pick: random.Random) -> int:
    """One random game; says how many decisions it had."""
    moves = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(pick.choice(state.chance_outcomes())[0])
        else:
            state.apply_action(pick.choice(state.legal_actions()))
            moves += 1
    return moves
