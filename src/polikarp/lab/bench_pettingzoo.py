"""What the speed table measures of PettingZoo: the fastest of its classic environments that are installed. Needs the
extra `bench`.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from polikarp.lab.rate import Run, rate

CLASSIC = (
    "rps_v2",
    "tictactoe_v3",
    "connect_four_v3",
    "leduc_holdem_v4",
    "texas_holdem_v4",
    "texas_holdem_no_limit_v6",
    "chess_v6",
    "go_v5",
)
BRIEFLY, LONGER = 0.05, 0.2  # CPU seconds


def fastest() -> tuple[str, Run]:
    """The name and the pace of the one that makes most steps. An ImportError if there is none."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would greet on standard output
    found = {}
    missing = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of theirs, about their observations
        for name in CLASSIC:
            try:
                found[name] = import_module(f"pettingzoo.classic.{name}").env()
            except ImportError as reason:
                missing = reason
    if not found:
        raise ImportError("no classic environment") from missing
    best = max(found, key=lambda name: stepped(found[name], BRIEFLY)())
    return best, stepped(found[best], LONGER)


def stepped(env: Any, seconds: float) -> Run:
    """Random games for so many CPU seconds; a step is a decision of one agent."""
    pick = random.Random(1)
    env.reset(seed=1)

    def work() -> int:
        moves = 0
        end = time.process_time() + seconds
        while time.process_time() < end:
            env.reset()
            moves += play(env, pick)
        return moves

    return lambda: rate(work)


def play(env: Any, pick: random.Random) -> int:
    """One random game; says how many decisions it had."""
    moves = 0
    for agent in env.agent_iter():
        seen, _, over, cut, _ = env.last()
        if over or cut:
            env.step(None)
            continue
        if isinstance(seen, dict):
            env.step(int(pick.choice(np.flatnonzero(seen["action_mask"]))))
        else:
            env.step(pick.randrange(env.action_space(agent).n))
        moves += 1
    return moves
