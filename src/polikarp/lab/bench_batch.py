"""What the speed table measures of our batches. Needs the extra `batch`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polikarp.games import find_game
from polikarp.lab.batch import Batch
from polikarp.lab.rate import Run, rate

GAMES = 256


def batched(game: str, seats: int, steps: int) -> Run:
    """Random moves in many games at once, chosen by the mask; a step is a decision in one game."""
    batch = Batch(find_game(game), seats, GAMES, seed=1)
    rng = np.random.default_rng(1)

    def work() -> int:
        for _ in range(steps):
            batch.step(any_moves(batch.mask, rng))
        return steps * GAMES

    return lambda: rate(work)


def any_moves(mask: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal move for each game, all equally likely."""
    games, moves = mask.shape
    starts = np.arange(games + 1) * moves
    legal = np.flatnonzero(mask.view(np.bool_))
    first = np.searchsorted(legal, starts)
    chosen = first[:-1] + (rng.random(games) * np.diff(first)).astype(np.int64)
    picked: NDArray[np.int64] = legal[chosen] - starts[:-1]
    return picked
