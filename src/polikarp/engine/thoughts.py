"""What a bot considered before a move, as records keep it. It tells what the bot's seat knew, so it is for after the
end of the game and for nobody before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

MOST = 8  # candidates that are kept
DIGITS = 3  # of a value

Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Candidate(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """`[move, visits, value]`: a move in the game's notation, how often it was tried, and what it was worth to the
    seat, from 0 to 1.
    """

    move: str
    visits: Count
    value: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Thoughts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The moves that were tried most, the first one most; how many others there were, and how often those were tried
    together.
    """

    best: Annotated[list[Candidate], msgspec.Meta(min_length=1, max_length=MOST)]
    others: Count = 0
    other_visits: Count = 0

    @property
    def visits(self) -> int:
        return sum(one.visits for one in self.best) + self.other_visits


def keep_best(candidates: Iterable[Candidate], chosen: str) -> Thoughts | None:
    """What is worth keeping of all that was considered; the move that was chosen is. None if there was nothing."""
    ranked = sorted(candidates, key=lambda one: (-one.visits, one.move != chosen, -one.value))
    if not ranked:
        return None
    first = {one.move for one in ranked[:MOST]}
    if chosen not in first and any(one.move == chosen for one in ranked):
        first = {*(one.move for one in ranked[: MOST - 1]), chosen}
    others = [one for one in ranked if one.move not in first]
    return Thoughts(
        best=[msgspec.structs.replace(one, value=round(one.value, DIGITS)) for one in ranked if one.move in first],
        others=len(others),
        other_visits=sum(one.visits for one in others),
    )
