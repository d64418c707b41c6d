"""What is to happen at a table though nobody sends a message, and when. Pure: the store's due time, the alarm of the
process that has the table open, and the sweep that does what is due all follow from one list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from polikarp.server.table.clocks import absence_ends, deadline
from polikarp.server.table.document import DEALING, HOUR, OPEN, PLAYING, Document
from polikarp.store import Outage

BOT_SECONDS = 5.0  # after which another server sees to a bot that did not answer
OPEN_HOURS = 24  # that a table waits for its players


class Due(NamedTuple):
    """`deal`: shares that were not shown do not count; `close`: nobody began; `stand_in`: somebody was away for too
    long; `decide`: somebody's time is up; `look`: bots think or a race runs, and whoever does that may be gone.
    """

    at: float
    what: Literal["deal", "close", "stand_in", "decide", "look"]
    seat: int = -1


class Bustle(NamedTuple):
    """What goes on at a table besides what is stored of it."""

    waiting: Sequence[int] = ()  # the seats that the game waits for
    awake: bool = False  # bots think here
    racing: bool = False  # the first counts in this game: the referee asks bots, and there are no clocks
    race_goes_on: bool = False


def due_list(
    document: Document, bustle: Bustle, now: float, outages: Sequence[Outage], closes: float | None = None
) -> list[Due]:
    """Everything that is to come. `closes`: when an open table was said to close, if it is not said anew now."""
    if document.stage == OPEN:
        return [Due(now + OPEN_HOURS * HOUR if closes is None else closes, "close")]
    if document.stage == DEALING:
        return [] if document.deal_by is None else [Due(document.deal_by, "deal")]
    if document.stage != PLAYING:
        return []
    found: list[Due] = []
    for number, seat in enumerate(document.seats):
        ends = absence_ends(document, seat, now, outages)
        if ends is not None:
            found.append(Due(ends, "stand_in", number))
    if bustle.racing:
        return [*found, Due(now + BOT_SECONDS, "look")] if bustle.race_goes_on else found
    for number in bustle.waiting:
        seat = document.seats[number]
        if seat.player:
            found += [Due(now + BOT_SECONDS, "look", number)] if bustle.awake else []
        elif (until := deadline(document, seat, now, outages)) is not None:
            found.append(Due(until, "decide", number))
    return found


def next_due(found: Sequence[Due]) -> float | None:
    """When the store is to say that the table needs somebody."""
    return min((due.at for due in found), default=None)


def next_alarm(found: Sequence[Due], now: float) -> float | None:
    """When the process that has the table open is to look: bots are waited for already, and a time that is up is seen
    to at once.
    """
    times = [due.at for due in found if due.what in ("deal", "stand_in") or (due.what == "decide" and due.at > now)]
    return min(times, default=None)


def overdue(found: Sequence[Due], now: float) -> list[Due]:
    return [due for due in found if due.at <= now]
