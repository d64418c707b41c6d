"""The photo finish as a drawing: each slap of a race on one line of time, with its uncertainty as a band."""

from __future__ import annotations

import math

import msgspec

from polikarp.engine.strip import REACTION, UNSURE, Finish, Strip

LEAST_SPAN = 500  # milliseconds that a photo shows at least
STEPS = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000)  # between the marks of the line of time
MOST_MARKS = 6
WIDTH = 1000  # of the drawing, whatever that is on the screen
CORRECTED = 2.0  # milliseconds that a claim may be off before it is worth a word


class Slapped(msgspec.Struct, frozen=True):
    """A slap with its place in the drawing, in whole milliseconds. `spread`: how unsure its time is; `claimed`: what
    the player's program said, where something else counts; `unsure`: it may have been made before anybody could see
    the newest card, though its time says otherwise.
    """

    seat: int
    target: int
    outcome: str
    rule: str
    unseen: int
    vouched: bool
    time: int
    spread: int
    line: int
    x: float
    band_x: float
    band: float
    claimed: int | None
    unsure: bool


class Photo(msgspec.Struct, frozen=True):
    """`marks`: times with their places; `zone`: where nobody can have seen the newest card; `ahead`: by how much the
    slap that counts was before the next one.
    """

    calm: bool
    slaps: list[Slapped]
    marks: list[tuple[int, float]]
    zone: tuple[float, float]
    ahead: int | None


def photo_of(strip: Strip) -> Photo:
    """The slap that counts first, then the others by their times."""
    finishes = sorted(strip.finishes, key=lambda finish: (finish.outcome != "counts", finish.time))
    low = min(0.0, *(finish.time - finish.uncertainty for finish in finishes)) if finishes else 0.0
    high = max(LEAST_SPAN, *(finish.time + finish.uncertainty for finish in finishes)) if finishes else LEAST_SPAN
    step = next((step for step in STEPS if (high - low) / step <= MOST_MARKS), math.ceil((high - low) / MOST_MARKS))
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step

    def at(time: float) -> float:
        return round((time - low) / (high - low) * WIDTH, 1)

    return Photo(
        calm=strip.calm,
        slaps=[slapped(finish, at(finish.time), at(low + 2 * finish.uncertainty)) for finish in finishes],
        marks=[(time, at(time)) for time in range(low, high + 1, step)],
        zone=(at(0), at(low + REACTION)),
        ahead=lead(finishes),
    )


def slapped(finish: Finish, x: float, band: float) -> Slapped:
    off = finish.claimed is not None and abs(finish.claimed - finish.time) > CORRECTED
    claimed = round(finish.claimed) if off and finish.claimed is not None else None
    return Slapped(
        seat=finish.seat,
        target=finish.target,
        outcome=finish.outcome,
        rule=finish.rule,
        unseen=finish.unseen,
        vouched=finish.vouched,
        time=round(finish.time),
        spread=round(finish.uncertainty),
        line=round(finish.line),
        x=x,
        band_x=round(x - band / 2, 1),
        band=band,
        claimed=claimed,
        unsure=finish.judged == UNSURE,
    )


def lead(finishes: list[Finish]) -> int | None:
    """Milliseconds from the slap that counts to the next, if it was the earliest and another was later."""
    times = [finish.time for finish in finishes if finish.outcome in ("counts", "later")]
    if len(times) < 2 or finishes[0].outcome != "counts" or min(times) < times[0]:
        return None
    return round(sorted(times)[1] - times[0])
