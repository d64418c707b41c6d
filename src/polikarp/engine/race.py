"""What a game in which the first counts tells whoever keeps the time. The rules themselves know nothing of time.

A race is about targets that anybody may slap at any moment, by what has been shown to them. Whoever keeps the time
orders the slaps, finds the one that counts and plays its move. This is not for players: it tells which slaps would
be void.
"""

from __future__ import annotations

import msgspec

from polikarp.engine.phrase import Refusal


class Target(msgspec.Struct, frozen=True):
    """Something to slap. Which of three moves a slap is depends on what its player had been shown; a move that is
    None would be void, and then there is a reason.
    """

    priority: int  # of slaps that can not be told apart, the one on the highest counts
    seen: str | None  # by somebody who had time to see the newest card
    before: str | None  # by somebody to whom the newest card had not been shown
    early: str | None  # by somebody who had no time yet to see it
    void: dict[str, Refusal] = {}  # by `seen`, `before`, `early`: why the slap would be void


class Race(msgspec.Struct, frozen=True):
    """What can be slapped now. A slap is for one table, and a new table begins whenever a slap has counted."""

    table: int  # how many slaps have counted so far
    card: int  # how many cards were shown on this table; the newest has this number
    order: list[int]  # all seats; of slaps on one target that can not be told apart, the first in this order counts
    targets: list[Target]
    rules: dict[str, str]  # the rule that makes a slap: counts, later, lower, order, second, old
    turn: int | None = None  # who shows the next card; None while nobody does
    flip: str = ""  # the move that shows it
    answering: list[int] = []  # the seats that a calm race still waits for
    skip: str = ""  # the move by which they let it go


class Timing(msgspec.Struct, frozen=True):
    """The seconds that a race is played with: from card to card, and for answers to a slap, none if 0."""

    pace: float
    calm: float


class Intent(msgspec.Struct, frozen=True):
    """What a bot means to do: slap a target, so many milliseconds after the newest card was shown."""

    target: int
    after: float
