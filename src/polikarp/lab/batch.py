"""Many games at once as numpy arrays, for programs that learn. The arrays lie over the memory in which the games are
played: nothing is copied, and after every step they show what is now. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, UsageError
from polikarp.lab.rows import Rows

Reward = Literal["win", "score"]
MOST_GAMES = 1_000_000


def by_score(reward: str) -> bool:
    if reward not in ("win", "score"):
        raise UsageError(f"there is no reward {reward[:40]!r}; right is: win, score")
    return reward == "score"


class Batch:
    """`count` games of the same kind. A line of each array belongs to one game:

    - `observation`: all that the seat in `actor` knows, as whole numbers;
    - `mask`: 1 for each of its legal moves;
    - `reward`, by seat: 0 until a game is over; then the share of the win beyond a fair one, or the score;
    - `over`: whether the step ended a game. The next one is dealt already.
    """

    def __init__(
        self,
        game: Game,
        seats: int,
        count: int,
        seed: object = 0,
        options: Mapping[str, OptionValue] | None = None,
        reward: Reward = "win",
    ) -> None:
        if not 1 <= count <= MOST_GAMES:
            raise UsageError(f"{count} games can not be played at once; right is: 1 to {MOST_GAMES}")
        start = game.empty(seats, options or {})
        self.made = (game, seats, count, seed, dict(options or {}), reward)
        self.rows = Rows(start, count, ("batch", seed), by_score(reward))
        self.observation: NDArray[np.int64] = over(self.rows.observation, np.int64).reshape(count, -1)
        self.mask: NDArray[np.uint8] = over(self.rows.mask, np.uint8).reshape(count, -1)
        self.actor: NDArray[np.int64] = over(self.rows.actor, np.int64)
        self.reward: NDArray[np.float64] = over(self.rows.reward, np.float64).reshape(count, -1)
        self.over: NDArray[np.uint8] = over(self.rows.over, np.uint8)

    def step(self, moves: NDArray[np.integer[Any]]) -> None:
        """One legal move in every game; if one of them is not legal, none is made."""
        self.rows.step(moves.tolist())

    def __reduce__(self) -> tuple[Any, ...]:
        return go_on, (self.made, self.rows.save())


def go_on(made: tuple[Any, ...], saved: tuple[Any, ...]) -> Batch:
    """A batch that was saved by `pickle` or copied, with its games as they were."""
    batch = Batch(*made)
    batch.rows.load(saved)
    return batch


def over(numbers: Any, kind: type[Any]) -> NDArray[Any]:
    """An array over the same memory, for reading."""
    return np.frombuffer(numbers, dtype=kind)
