"""What a game in which the first counts tells whoever keeps the time. The rules themselves know nothing of time.

A race is about targets that anybody may slap at any moment, by what has been shown to them. Whoever keeps the time
orders the slaps, finds the one that counts and plays its move. This is not for players: it tells which slaps would
be void.
"""

from __future__ import annotations

import msgspec

from polikarp.engine.phrase import Refusal


class Target(msgspec.Struct, frozen=True):
    """Something to slap. The lists go by how many of the newest cards a slap's player had not seen: none, one, two…
    A slap is void for which there is no move.
    """

    priority: int  # of slaps that can not be told apart, the one on the highest counts
    moves: list[str]
    right: list[bool]  # whether it is right without these cards
    void: Refusal  # why there is no move
    unsure: Refusal  # why a wrong slap is void where it is not sure how many its player had seen


class Race(msgspec.Struct, frozen=True):
    """What can be slapped now. A slap is for one round, and a new round begins whenever a slap has counted."""

    round: int  # how many slaps have counted so far
    card: int  # how many cards were shown in this round; the newest has this number
    order: list[int]  # all seats; of slaps on one target that can not be told apart, the first in this order counts
    targets: list[Target]
    rules: dict[str, str]  # the rule that makes a slap: counts, later, lower, order, second, old, impossible
    turn: int | None = None  # who shows the next card; None while nobody does
    flip: str = ""  # the move that shows it
    answering: list[int] = []  # the seats that a calm race still waits for
    skip: str = ""  # the move by which they let it go


class Timing(msgspec.Struct, frozen=True):
    """The seconds that a race is played with: from card to card, for answers to a slap, none if 0, and from a slap that
    counted to the first card after it at least.
    """

    pace: float
    calm: float
    rest: float


class Intent(msgspec.Struct, frozen=True):
    """What a bot means to do: slap a target, so many milliseconds after the newest card was shown."""

    target: int
    after: float
