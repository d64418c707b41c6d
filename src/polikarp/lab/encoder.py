"""Observations as features: float32 numbers from 0 to 1, told from the seat that looks (`engine/observation.py`). Works
on one observation or on all of a batch at once. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polikarp.engine.game import Game
from polikarp.engine.observation import Step
from polikarp.engine.option import OptionValue, UsageError


class View:
    """How the features of one seat are made: for each kind of step, which they are and what of."""

    def __init__(self, steps: list[Step]) -> None:
        self.scaled, self.scale = self.pick(steps, "scale")
        self.compared, self.compare = self.pick(steps, "is")
        self.bits, self.bit = self.pick(steps, "bit")
        self.span = np.array([step.span for step in steps if step.op == "scale"], np.float32)
        none = -(2**62)  # no number is so low
        hidden = [none if step.hidden is None else step.hidden for step in steps if step.op == "scale"]
        self.hidden = np.array(hidden, np.int64)

    def pick(self, steps: list[Step], op: str) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The features made so; and below each other their columns and values."""
        at = [number for number, step in enumerate(steps) if step.op == op]
        told = [[steps[number].column for number in at], [steps[number].value for number in at]]
        return np.array(at, np.intp), np.array(told, np.int64).reshape(2, -1)

    def encode(self, rows: NDArray[np.int64], into: NDArray[np.float32]) -> None:
        column, low = self.scale
        numbers = rows[:, column]
        part = np.clip((numbers - low) / self.span, 0, 1)
        into[:, self.scaled] = np.where(numbers == self.hidden, 0, part)
        column, value = self.compare
        into[:, self.compared] = rows[:, column] == value
        column, bit = self.bit
        into[:, self.bits] = rows[:, column] >> bit & 1


class Encoder:
    """Makes features of observations of a game. `names` has the feature in each column, `actions` the move of each
    number."""

    def __init__(self, game: Game, seats: int, options: Mapping[str, OptionValue] | None = None) -> None:
        spec = game.observation_spec(seats, options)
        self.width = len(spec.columns)
        self.names = [feature.name for feature in spec.features]
        self.actions = spec.actions
        self.views = [View(spec.steps(seat)) for seat in range(seats)]

    def encode(self, observation: NDArray[Any]) -> NDArray[np.float32]:
        """Of one observation a row of features; of several, below each other, as many rows."""
        rows = np.atleast_2d(np.asarray(observation, np.int64))
        if rows.shape[-1] != self.width:
            raise UsageError(f"an observation has {self.width} numbers here, not {rows.shape[-1]}")
        made = np.empty((len(rows), len(self.names)), np.float32)
        for seat, view in enumerate(self.views):
            mine = np.flatnonzero(rows[:, 0] == seat)
            if len(mine):
                part = np.empty((len(mine), len(self.names)), np.float32)
                view.encode(rows[mine], part)
                made[mine] = part
        return made if np.ndim(observation) == 2 else made[0]
