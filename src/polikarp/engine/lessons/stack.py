"""A deal that comes out as a lesson wants it: an order of things, turned into the draws that shuffle them so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng

Thing = TypeVar("Thing")


def unshuffle(items: Sequence[Thing], wanted: Sequence[Thing], name: str) -> list[int]:
    """The draws with which `Rng.shuffle` turns `items` into `wanted` first, and behind it the rest, mixed but always in
    the same way. `name` is what the lesson calls them."""
    rest: list[Thing] = list(items)
    for one in wanted:
        if one not in rest:
            known = ", ".join(map(str, dict.fromkeys(items)))
            why = f"there is no {one!r} left" if one in items else f"there is no {one!r}; there are: {known}"
            raise UsageError(f"{name}: {why}")
        rest.remove(one)
    rng = FastRng(name)
    for last in range(len(rest) - 1, 0, -1):
        other = rng.below(last + 1)
        rest[last], rest[other] = rest[other], rest[last]
    goal: list[Thing] = [*wanted, *rest]
    now: list[Thing] = list(items)
    draws: list[int] = []
    for last in range(len(now) - 1, 0, -1):
        other = now.index(goal[last], 0, last + 1)
        draws.append(other)
        now[last], now[other] = now[other], now[last]
    return draws
