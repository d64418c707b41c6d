"""A bot that looks under the cards: the search of `strong` in the position itself instead of in what its seat imagines.

It is for the lab alone, to measure what hidden knowledge is worth and to show that `strong` does not have it. No name
makes one; `play_match` hands it the position.
"""

from __future__ import annotations

from mypy_extensions import i64

from polikarp.bots.search import Searcher, StrongBot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State


class OpenSearcher(Searcher):
    """Begins every simulation from the position as it is. Dice that are yet to fall are unknown to it too."""

    def imagine(self, sight: State, seat: i64, rng: Rng) -> None:
        self.state.become(sight)

    def draws(self, state: State, first: bool) -> bool:
        """What would be a guess in the dark is none for who can look."""
        return not first and super().draws(state, first)


class CheatingBot(StrongBot):
    def __init__(self) -> None:
        super().__init__()
        self.truth: State | None = None  # the position of the game that it plays, kept up to date by who plays it

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert self.truth is not None, "the cheater plays only where it is shown the position"
        return super().choose(self.truth.copy(), seat, rng)

    def keep(self, searcher: Searcher, sight: State, seat: i64, move: i64, rng: Rng) -> None:
        """Nothing: it imagines nothing, so it foresees nothing either."""

    def searcher(self, sight: State) -> Searcher:
        return OpenSearcher(sight, self.style, self.curiosity)
