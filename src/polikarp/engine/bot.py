"""Bots sit on seats as people do: a bot is given the seat's sight of the position, never the position itself."""

from __future__ import annotations

import math
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from polikarp.engine.rng import Rng
from polikarp.engine.state import State

WANDER: Final = 5  # of a hundred moves in games that a rating style plays on are any move


@mypyc_attr(allow_interpreted_subclasses=True)
class Bot:
    """Chooses moves for a seat. `rng` is the bot's own chance, apart from the table's.

    A bot that sets `volunteers` is also asked when it has a right and the game waits for others. Where the first
    counts, `reflexes` names the game's level by which it reacts; with none it reacts as one in the middle.
    """

    volunteers = False
    reflexes = ""

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        """One of the seat's legal moves. `sight` is this bot's to keep and change."""
        raise NotImplementedError

    def volunteer(self, sight: State, seat: i64, rng: Rng) -> i64:
        """A move that the game does not wait for, or -1 for none."""
        return -1

    def begin(self, sight: State, seat: i64, rng: Rng) -> None:
        """A game begins, in which it has this seat."""

    def end(self, sight: State, seat: i64) -> None:
        """The game that it began is over, or goes on no more."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Style(Bot):
    """How a game is played in the search's head, where `choose` is given a whole position and must be quick.

    This one knows nothing of any game: it plays on by any moves. A game may offer its own, which must use no more of a
    position than its seat may know.
    """

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        return sight.pick(seat, rng)

    def play_on(self, state: State, seat: i64, rng: Rng) -> i64:
        """A move in a game that is played to its end to see what a position is worth."""
        return self.choose(state, seat, rng)

    def start(self, sight: State) -> None:
        """A search begins here."""

    def consider(self, state: State, seat: i64) -> i64:
        """Fill `legal` with the moves that are worth a thought, and say how many."""
        return state.list_moves(seat)

    def knows(self, state: State) -> bool:
        """Whether `choose` draws what is played here as well as a search would: then it is chance to the search."""
        return False

    def outcome(self, state: State, finely: bool) -> i64:
        """A number for what came of such draws: positions that it tells apart are searched apart.

        It tells apart more where the search began with the draw.
        """
        return 0

    def learn(self, outcome: i64, visits: i64, value: float) -> None:
        """What an outcome of the draw with which the search began was worth to the seat that decides."""

    def settle(self, sight: State, seat: i64, rng: Rng) -> i64:
        """The move with which the search began, by what was learned."""
        return self.choose(sight, seat, rng)

    def opinion(self, sight: State, seat: i64, move: i64) -> tuple[float, float]:
        """Of what was just settled: how often this move is played there, and what it is worth, from 0 to 1."""
        raise NotImplementedError

    def stops(self, state: State) -> bool:
        """Whether it plays no further: `standing` says then how well everybody stands."""
        return False

    def standing(self, state: State, seat: i64) -> float:
        """How well a seat stands: the odds of winning are as the exponentials of this."""
        raise NotImplementedError

    def weigh(self, state: State, worth: vec[float]) -> None:
        """What the position is worth where it stops, by seat: the odds of winning."""
        best = -1.0e9
        for seat in range(state.seats):
            worth[seat] = self.standing(state, seat)
            best = max(best, worth[seat])
        total = 0.0
        for seat in range(state.seats):
            worth[seat] = math.exp(worth[seat] - best)
            total += worth[seat]
        for seat in range(state.seats):
            worth[seat] /= total


@mypyc_attr(allow_interpreted_subclasses=True)
class RatingStyle(Style):
    """A style that has an opinion of every move. What it likes is searched first and more often."""

    ratings: vec[float]  # filled by `rate`, as many as there are moves in all
    doubt: float  # of two moves rated so far apart, the better is e times as likely to be right

    def rate(self, state: State, seat: i64) -> i64:
        """List the seat's moves in `legal` of the state, rate them in `ratings` alongside, say how many there are."""
        raise NotImplementedError

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        """The move that is rated best, the first of equals."""
        best: i64 = 0
        for at in range(self.rate(sight, seat)):
            if self.ratings[at] > self.ratings[best]:
                best = at
        return sight.legal[best]

    def play_on(self, state: State, seat: i64, rng: Rng) -> i64:
        return state.pick(seat, rng) if rng.below(100) < WANDER else self.choose(state, seat, rng)
