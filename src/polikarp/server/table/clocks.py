"""Time at a table. Each decision has its seconds, and what it takes beyond them comes out of the seat's reserve.

Steps that can still be taken back belong to the same decision, so taking back wins no time. Time in which no
server ran does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.server.table.document import Document, Seat
from polikarp.store import Outage


def elapsed(since: float, now: float, outages: Sequence[Outage]) -> float:
    """Seconds from then till now without those in which no server ran."""
    down = sum(max(0.0, min(now, outage.ended) - max(since, outage.began)) for outage in outages)
    return max(0.0, now - since - down)


def reached(since: float, after: float, now: float, outages: Sequence[Outage]) -> float:
    """When `after` seconds since then will have passed, as far as can be said now."""
    return now + after - elapsed(since, now, outages)


def deadline(document: Document, seat: Seat, now: float, outages: Sequence[Outage]) -> float | None:
    """When the decision that a seat was last asked for is made for it; None if never."""
    if document.pace.kind == "none":
        return None
    return reached(seat.asked, document.pace.seconds + seat.asked_reserve, now, outages)


def time_is_up(document: Document, seat: Seat, now: float, outages: Sequence[Outage]) -> bool:
    ends = deadline(document, seat, now, outages) if seat.ticking else None
    return ends is not None and ends <= now


def absence_ends(document: Document, seat: Seat, now: float, outages: Sequence[Outage]) -> float | None:
    """When a bot will stand in for somebody who is away; None if not."""
    if not document.absence or seat.away is None or not seat.person or seat.held:
        return None
    return reached(seat.away, document.absence, now, outages)


def stop_clock(document: Document, seat: Seat, now: float, outages: Sequence[Outage]) -> None:
    """The seat has decided: take what it used out of its reserve."""
    over = elapsed(seat.asked, now, outages) - document.pace.seconds
    seat.reserve = max(0.0, seat.asked_reserve - max(0.0, over))
    seat.ticking = False


def start_clock(seat: Seat, now: float) -> None:
    """The game waits for this seat from now on."""
    seat.ticking = True
    seat.asked = now
    seat.asked_reserve = seat.reserve


def resume_clock(seat: Seat) -> None:
    """The seat took its decision back: the clock runs on as if it had never stopped."""
    seat.ticking = True
