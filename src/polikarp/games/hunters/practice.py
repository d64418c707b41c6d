"""How somebody does who practises alone: catches per minute, reaction times, and mistakes by kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from polikarp.engine.strip import UNSURE, Finish
from polikarp.games.hunters.hunts import Hunt

PLOT_WIDTH, PLOT_HEIGHT = 300, 90
PLOT_STEP = 500  # milliseconds between the lines of the plot


class Practice(msgspec.Struct, frozen=True):
    """`times`: of the catches, in milliseconds since the newest card. Mistakes: the monster lacked symbols and so did
    the others; it did while another could be caught. False starts: mistakes that were none a moment later, and void.
    """

    minutes: float
    catches: int
    times: list[float]
    lacking: int
    wrong: int
    false_starts: int

    def per_minute(self) -> float:
        return self.catches / self.minutes if self.minutes else 0.0

    def median(self) -> float:
        return median(self.times) if self.times else 0.0

    def best(self) -> float:
        return min(self.times, default=0.0)

    def top(self) -> int:
        """The time at the upper edge of the plot."""
        return int(max(self.times, default=0) // PLOT_STEP + 1) * PLOT_STEP

    def lines(self) -> list[tuple[int, float]]:
        """Times that the plot has a line for, and how high it is."""
        return [(time, self.height(time)) for time in range(0, self.top() + 1, PLOT_STEP)]

    def points(self) -> list[tuple[float, float]]:
        """The plot: a point for each catch, from left to right."""
        apart = PLOT_WIDTH / max(12, len(self.times))
        return [(round((nth + 0.5) * apart, 1), self.height(time)) for nth, time in enumerate(self.times)]

    def height(self, time: float) -> float:
        return round(PLOT_HEIGHT - max(0.0, time) / self.top() * PLOT_HEIGHT, 1)


class Plot(msgspec.Struct, frozen=True):
    """Practice as the page tells it, in whole numbers but for the catches per minute. Of the times there are none
    before the first catch."""

    catches: int
    per_minute: str
    median: int | None
    best: int | None
    times: list[int]
    lines: list[tuple[int, float]]
    points: list[tuple[float, float]]
    lacking: int
    wrong: int
    false_starts: int


def plot(of: Practice) -> Plot:
    return Plot(
        catches=of.catches,
        per_minute=f"{of.per_minute():.1f}",
        median=round(of.median()) if of.times else None,
        best=round(of.best()) if of.times else None,
        times=[round(time) for time in of.times],
        lines=of.lines(),
        points=of.points(),
        lacking=of.lacking,
        wrong=of.wrong,
        false_starts=of.false_starts,
    )


def practising(levels: Sequence[str]) -> int | None:
    """The seat of the only person at a table whose bots do nothing; None at other tables. `levels`: of the bots, by
    seat."""
    people = [seat for seat, level in enumerate(levels) if not level]
    alone = len(people) == 1 and all(level == "still" for level in levels if level)
    return people[0] if alone else None


def practice(seat: int, hunts: Sequence[Hunt], finishes: Iterable[Finish], milliseconds: float) -> Practice:
    """What the hunts and the slaps of so long a game say of one seat."""
    slaps = [finish for finish in finishes if finish.seat == seat]
    caught = {at for at, hunt in enumerate(hunts) if hunt.seat == seat and hunt.caught}
    mistaken = [hunt for hunt in hunts if hunt.seat == seat and not hunt.caught]
    early = sum(hunt.place in hunt.catchable() for hunt in mistaken)
    wrong = sum(bool(hunt.catchable()) for hunt in mistaken) - early
    return Practice(
        minutes=milliseconds / 60_000,
        catches=len(caught),
        times=[slap.time for slap in slaps if slap.outcome == "counts" and slap.round in caught],
        lacking=len(mistaken) - wrong - early,
        wrong=wrong,
        false_starts=early + sum(slap.outcome == "void" and slap.judged == UNSURE for slap in slaps),
    )
