"""`greedy` has no tells. `benchmarks/greedy.py` measures how far ahead of `random` it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from polikarp.bots import make_bot
from polikarp.engine.bot import Bot
from polikarp.engine.build import COMPILED
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State
from polikarp.games.melee import game
from polikarp.games.melee.rules import Melee

from .positions import attacking, play
from .test_season import bidding


def steps_of(bot: Bot, sight: State, seat: int, seed: int) -> tuple[int, int]:
    """What a bot chooses, and how many lines of code it went through for that."""
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        nonlocal steps
        if "polikarp" not in frame.f_code.co_filename:
            return None  # what the collector lets go of in between is none of the bot's work
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        move = bot.choose(sight, seat, FastRng(seed))
    finally:
        sys.settrace(before)
    return move, steps


def staking() -> Melee:
    state = attacking({0: "soldier Y1, knight Y1", 1: "soldier Y0"})
    play(state, 0, "use knight at Y1", "attack Y0")
    return state


def naming() -> Melee:
    state = staking()
    play(state, 0, "stake 3")
    return state


@pytest.mark.skipif(COMPILED, reason="compiled code can not be counted")
@pytest.mark.parametrize(("position", "seat"), [(staking, 0), (naming, 1), (partial(bidding, 3), 1)])
def test_how_long_it_thinks_does_not_tell_what_it_chose(position: Callable[[], Melee], seat: int) -> None:
    """melee.80: the work for a stake, a value or a bid is the same for all of them, but for a line in a hundred."""
    sight = position().sight(seat)
    seen = [steps_of(make_bot(game, "greedy"), sight.copy(), seat, seed) for seed in range(40)]
    assert len({move for move, _ in seen}) >= 3, "it does not always choose the same"
    fewest, most = min(steps for _, steps in seen), max(steps for _, steps in seen)
    assert most - fewest <= fewest / 100
