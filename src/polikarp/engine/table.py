"""A table: a game in progress with its committed seed and its history. What a person plays with from Python.

The chance of the deal is step 0 of the seed, that of the k-th move step k. So replay, taking back and
verification agree, and nobody can choose chance after seeing a move. Players can add shares of their own to the
seed, so that whoever chose the seed did not choose the chance.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from polikarp.engine.game import Game, Result, View
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.phrase import Event, Refusal, Refused
from polikarp.engine.rng import Rng, ScriptRng, SeedRng
from polikarp.engine.state import WATCHER, Cut, Log, State, bit, seats_of
from polikarp.engine.strip import Strip
from polikarp.engine.thoughts import Thoughts

LONGEST_SHARE = 64  # bytes


def make_seed(seed: int | str | bytes | None) -> bytes:
    """Thirty-two bytes: those given, those that a number or a word stands for, or fresh ones."""
    if seed is None:
        return secrets.token_bytes(32)
    if isinstance(seed, bytes):
        if len(seed) != 32:
            raise UsageError(f"a seed of bytes has 32 of them, not {len(seed)}")
        return seed
    return hashlib.sha256(f"polikarp seed {seed}".encode()).digest()


def commitment(secret: bytes) -> str:
    """The hash that is published before a seed or a share is."""
    return hashlib.sha256(secret).hexdigest()


def mix(seed: bytes, shares: Sequence[bytes]) -> bytes:
    """What all draws follow from: the seed, with the players' shares of chance mixed in if there are any."""
    for share in shares:
        if not 1 <= len(share) <= LONGEST_SHARE:
            raise UsageError(f"a share has 1 to {LONGEST_SHARE} bytes, not {len(share)}")
    if not shares:
        return seed
    # Each share is told apart from the next by its length: nobody can move a byte from one to the other.
    message = b"".join(len(share).to_bytes(4, "big") + share for share in shares)
    return hmac.digest(seed, b"polikarp shares" + message, "sha256")


class Step(NamedTuple):
    """One move of a table's history, with its draws and what it told."""

    seat: int
    move: int
    drawn: list[int]
    events: list[Event]
    sealed: bool
    before: bytes | None  # the position before it, from `to_bytes`; stores need not keep it
    at: int | None  # milliseconds since the deal, where somebody keeps time
    strip: Strip | None = None  # of the race that this move ended
    thoughts: Thoughts | None = None  # of the bot that made this move


class Prepared(NamedTuple):
    """A move that was worked out but not made: its step, and the position after it."""

    step: Step
    state: State
    source: State  # the position it was prepared in
    cuts: list[Cut]  # moments on the way, which nobody keeps: playing again gives them again


class Table:
    """A dealt game. `play`, `undo`, `view`, `moves`; `state` is the position itself.

    `script` holds draws that were written down, a list for the deal and one for each move: they are repeated, and
    only what comes after them is drawn from the seed. `timed` tables note when each move was made. `shares` are what
    the players add to the seed, in order; `factions` are those that they chose, by seat.
    """

    dealt: list[int]  # the draws of the deal
    dealt_events: list[Event]
    steps: list[Step]
    script: list[list[int]]
    began: float | None
    factions: list[str]  # by seat; [] where a game has none

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Mapping[str, OptionValue] | None = None,
        seed: int | str | bytes | None = None,
        script: list[list[int]] | None = None,
        timed: bool = False,
        shares: Sequence[bytes] = (),
        factions: Sequence[str] = (),
    ) -> None:
        self._open(game, options or {}, make_seed(seed), shares)
        self.script = script or []
        self.began = time.monotonic() if timed else None
        log = Log()
        rng, self.dealt = self.chance(0)
        self.state = game.start(seats, self.options, rng, log)
        if isinstance(rng, ScriptRng):
            rng.finish()
        self.dealt_events = log.events
        self.factions = game.seat_factions(seats, factions)

    @classmethod
    def restore(
        cls,
        game: Game,
        seats: int,
        options: Mapping[str, OptionValue],
        seed: bytes,
        shares: Sequence[bytes],
        *,
        dealt: list[int],
        dealt_events: list[Event],
        steps: list[Step],
        state: bytes,
        factions: Sequence[str] = (),
    ) -> Table:
        """The table that a store kept, with nothing played again: `dealt`, `dealt_events` and `steps` as they were,
        `state` from `to_bytes`.
        """
        table = cls.__new__(cls)
        table._open(game, options, make_seed(seed), shares)
        table.dealt = dealt
        table.dealt_events = dealt_events
        table.steps = list(steps)
        table.state = game.load(seats, state, table.options)
        table.factions = game.seat_factions(seats, factions)
        return table

    def _open(self, game: Game, options: Mapping[str, OptionValue], seed: bytes, shares: Sequence[bytes]) -> None:
        """What a table has before anything is dealt."""
        self.game = game
        self.options = read_options(game.options, options)
        self.seed = seed
        self.shares = tuple(shares)
        self.chance_seed = mix(seed, self.shares)
        self.script = []
        self.began = None
        self.steps = []

    def __getstate__(self) -> dict[str, Any]:
        """A clock is not the same elsewhere: what is saved is how long ago the table was dealt."""
        began = None if self.began is None else time.monotonic() - self.began
        return {**self.__dict__, "began": began}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        if self.began is not None:
            self.began = time.monotonic() - self.began

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

    def play_move(self, seat: int, move: int) -> Step:
        """Play a move given as a number."""
        prepared = self.prepare(seat, move)
        self.accept(prepared)
        return prepared.step

    def prepare(self, seat: int, move: int, at: int | None = None) -> Prepared:
        """Work a move out and leave the table as it is, so that the move can be written down before it counts.

        `at` says when it was made, for those who keep time themselves.
        """
        state = self.state.copy()
        rng, drawn = self.chance(len(self.steps) + 1)
        log = state.play(seat, move, rng)
        if isinstance(rng, ScriptRng):
            rng.finish()
        if at is None and self.began is not None:
            at = int((time.monotonic() - self.began) * 1000)
        step = Step(seat, move, drawn, log.events, log.sealed, self.state.to_bytes(), at)
        return Prepared(step, state, self.state, log.cuts)

    def accept(self, prepared: Prepared) -> None:
        """Make the move that was prepared in this very position."""
        if prepared.source is not self.state:
            raise UsageError("the move was prepared in another position")
        self.steps.append(prepared.step)
        self.state = prepared.state

    def chance(self, step: int) -> tuple[Rng, list[int]]:
        """The source of a step's draws, and the list that they are in afterwards."""
        if step < len(self.script):
            return ScriptRng(self.script[step]), self.script[step]
        rng = SeedRng(self.chance_seed, step)
        return rng, rng.drawn

    def can_undo(self, seat: int) -> bool:
        """One's own last step can be taken back while nothing was shown, drawn or answered since, until the end.

        A choice that several make at once can not: it may be changed instead, and that nobody else has chosen since
        is not for this seat to know.
        """
        if not self.steps or self.over:
            return False
        last = self.steps[-1]
        if last.seat != seat or last.sealed or last.drawn:
            return False
        return self.before_last().sight(seat).waiting & ~bit(seat) == 0

    def undo(self, seat: int | None = None) -> None:
        """Take back the last step; it must be the seat's own and have shown or drawn nothing."""
        if not self.steps or not self.can_undo(self.steps[-1].seat if seat is None else seat):
            raise Refused(Refusal("", "no_undo"))
        self.state = self.before_last()
        self.steps.pop()

    def before_last(self) -> State:
        """The position before the last step."""
        last = self.steps[-1]
        if last.before is None:
            last = self.steps[-1] = last._replace(before=self.played_again(len(self.steps) - 1).to_bytes())
        assert last.before is not None
        return self.game.load(self.seats, last.before, self.options)

    def played_again(self, count: int) -> State:
        """The position after so many steps, played from the deal on with the draws that were written down."""
        state = self.game.start(self.seats, self.options, ScriptRng(self.dealt))
        for step in self.steps[:count]:
            state.play(step.seat, step.move, ScriptRng(step.drawn))
        return state

    def view(self, seat: int | None = None) -> View:
        """All that a seat may know; of a watcher if no seat is given."""
        return self.game.view(self.state, seat, self.factions)

    def cut_view(self, cut: Cut, before: View) -> View:
        """A moment inside the last move, for whoever had that view before it."""
        return self.game.cut_view(self.game.load(self.seats, cut.state, self.options), before, self.factions)

    def log(self, seat: int | None = None, since: int | None = None) -> list[Event]:
        """What happened, as far as a seat (or a watcher) may know it: from the deal on, or after `since` steps."""
        if seat is not None:
            self.state.check_seat(seat)
        may = bit(WATCHER if seat is None else seat)
        told = self.dealt_events if since is None else []
        later = (event for step in self.steps[since or 0 :] for event in step.events)
        return [event for event in (*told, *later) if event.audience & may]
