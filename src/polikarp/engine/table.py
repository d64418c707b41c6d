"""A table: a game in progress with its committed seed and its history. What a person plays with from Python.

The chance of the deal is step 0 of the seed, that of the k-th move step k. So replay, taking back and
verification agree, and nobody can choose chance after seeing a move.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping
from typing import NamedTuple

from polikarp.engine.game import Game, Result, View
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.phrase import Event, Refusal, Refused
from polikarp.engine.rng import Rng, ScriptRng, SeedRng
from polikarp.engine.state import WATCHER, Log, State, bit, seats_of


def make_seed(seed: int | str | bytes | None) -> bytes:
    """Thirty-two bytes: those given, those that a number or a word stands for, or fresh ones."""
    if seed is None:
        return secrets.token_bytes(32)
    if isinstance(seed, bytes):
        if len(seed) != 32:
            raise UsageError(f"a seed of bytes has 32 of them, not {len(seed)}")
        return seed
    return hashlib.sha256(f"polikarp seed {seed}".encode()).digest()


def commitment(seed: bytes) -> str:
    """The hash that is published before the seed is."""
    return hashlib.sha256(seed).hexdigest()


class Step(NamedTuple):
    """One move of a table's history, with its draws, what it told, and the position before it."""

    seat: int
    move: int
    drawn: list[int]
    events: list[Event]
    sealed: bool
    before: State
    at: int | None  # milliseconds since the deal, where the table keeps time


class Table:
    """A dealt game. `play`, `undo`, `view`, `moves`; `state` is the position itself.

    `script` holds draws that were written down, a list for the deal and one for each move: they are repeated, and
    only what comes after them is drawn from the seed. `timed` tables note when each move was made.
    """

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Mapping[str, OptionValue] | None = None,
        seed: int | str | bytes | None = None,
        script: list[list[int]] | None = None,
        timed: bool = False,
    ) -> None:
        self.game = game
        self.options = read_options(game.options, options or {})
        self.seed = make_seed(seed)
        self.script = script or []
        self.began = time.monotonic() if timed else None
        self.steps: list[Step] = []
        log = Log()
        rng, drawn = self.chance(0)
        self.state = game.start(seats, self.options, rng, log)
        if isinstance(rng, ScriptRng):
            rng.finish()
        self.dealt: list[int] = drawn
        self.dealt_events: list[Event] = log.events

    @property
    def seats(self) -> int:
        return self.state.seats

    @property
    def over(self) -> bool:
        return not self.state.waiting

    @property
    def waiting(self) -> list[int]:
        """The seats whose decision the game waits for."""
        return seats_of(self.state.waiting)

    @property
    def result(self) -> Result | None:
        return self.game.result(self.state)

    def seat_or_only(self, seat: int | None) -> int:
        """The seat meant when none is named: the only one the game waits for."""
        if seat is not None:
            return seat
        if self.over:
            raise Refused(Refusal("", "game_over"))
        if len(self.waiting) > 1:
            raise UsageError(f"say which seat: the game waits for {', '.join(map(str, self.waiting))}")
        return self.waiting[0]

    def moves(self, seat: int | None = None) -> list[str]:
        """The legal moves of a seat, in the game's notation."""
        if seat is None and self.over:
            return []
        return [self.game.text(move) for move in self.state.moves(self.seat_or_only(seat))]

    def why_not(self, text: str, seat: int | None = None) -> Refusal | None:
        """Why a move is not legal; None if it is."""
        return self.state.why_not(self.seat_or_only(seat), self.game.parse(text))

    def play(self, text: str, seat: int | None = None) -> list[Event]:
        """Play a move given in the game's notation; says what happened. Raises `Refused` if it is not legal."""
        return self.play_move(self.seat_or_only(seat), self.game.parse(text)).events

    def play_move(self, seat: int, move: int) -> Log:
        """Play a move given as a number."""
        before = self.state.copy()
        rng, drawn = self.chance(len(self.steps) + 1)
        try:
            log = self.state.play(seat, move, rng)
            if isinstance(rng, ScriptRng):
                rng.finish()
        except BaseException:
            self.state = before
            raise
        at = None if self.began is None else int((time.monotonic() - self.began) * 1000)
        self.steps.append(Step(seat, move, drawn, log.events, log.sealed, before, at))
        return log

    def chance(self, step: int) -> tuple[Rng, list[int]]:
        """The source of a step's draws, and the list that they are in afterwards."""
        if step < len(self.script):
            return ScriptRng(self.script[step]), self.script[step]
        rng = SeedRng(self.seed, step)
        return rng, rng.drawn

    def can_undo(self, seat: int) -> bool:
        """One's own last step can be taken back while nothing was shown, drawn or answered since, until the end."""
        if not self.steps or self.over:
            return False
        last = self.steps[-1]
        return last.seat == seat and not last.sealed and not last.drawn

    def undo(self, seat: int | None = None) -> None:
        """Take back the last step; it must be the seat's own and have shown or drawn nothing."""
        if self.steps and self.can_undo(self.steps[-1].seat if seat is None else seat):
            self.state = self.steps.pop().before
        else:
            raise Refused(Refusal("", "no_undo"))

    def view(self, seat: int | None = None) -> View:
        """All that a seat may know; of a watcher if no seat is given."""
        return self.game.view(self.state, seat)

    def log(self, seat: int | None = None, since: int | None = None) -> list[Event]:
        """What happened, as far as a seat (or a watcher) may know it: from the deal on, or after `since` steps."""
        if seat is not None:
            self.state.check_seat(seat)
        may = bit(WATCHER if seat is None else seat)
        told = self.dealt_events if since is None else []
        later = (event for step in self.steps[since or 0 :] for event in step.events)
        return [event for event in (*told, *later) if event.audience & may]
