"""The lines between the server and its players (latency), as the server itself measures them: pure, no clock in it.

A round trip begins with a random nonce, so that nobody can answer before they were asked. A program can be slow to
answer on purpose, to seem to be farther away. Where the server holds the connection, the kernel knows the round trips
of the bare packets (`TCP_INFO`), and they vouch for the line: nothing slower than they are is believed. Where a proxy
holds it, the proxy may tell what its kernel knows. If it does not, only the program's own answers are known; they are
believed as far as credit goes, and the strip says so.
"""

from __future__ import annotations

import math
from statistics import fmean

import msgspec

TRIPS = 40  # that are remembered
SLOWEST = 1000.0  # what took longer tells nothing about a line
DEVIATIONS = 1.25  # of the kernel's mean deviation make one standard deviation

SPREADS_ABOVE_LEAST = 3.0  # that the usual trip may be above the quickest packets; more is one held back (delayed ACK)
CLOSE = 5.0  # and that it may be above them in any case

LEAST_CREDIT, MOST_CREDIT = 10.0, 100.0
CREDIT_SPREADS = 3.0
LONGEST_TRIP = MOST_CREDIT  # of a line that nothing vouches for; a longer one counts as so long
LEAST_UNCERTAINTY, MOST_UNCERTAINTY = 5.0, 25.0
MOST_SLOWER = 50.0  # that a slow trip is above the usual one


class Packets(msgspec.Struct, frozen=True):
    """What the kernel says of a connection, in milliseconds: the usual round trip, its mean deviation, and the quickest
    of the last minutes.
    """

    trip: float
    deviation: float
    least: float

    def and_then(self, rest: Packets | None) -> Packets:
        """Of two connections, one after the other."""
        if rest is None:
            return self
        return Packets(self.trip + rest.trip, self.deviation + rest.deviation, self.least + rest.least)


def packets_told(text: str) -> Packets | None:
    """What a proxy says of a line: its round trip and the deviation, in microseconds."""
    trip, _, deviation = text.partition(" ")
    if not all(number.isascii() and number.isdigit() and len(number) < 9 for number in (trip, deviation)):
        return None
    return Packets(int(trip) / 1000, int(deviation) / 1000, int(trip) / 1000)


class Latency(msgspec.Struct, frozen=True):
    """Round trips of one line, in milliseconds, the newest last. Somebody at the server itself has none."""

    trips: tuple[float, ...] = ()
    packets: tuple[Packets, ...] = ()

    def with_trip(self, trip: float, packets: Packets | None = None) -> Latency:
        """The line after one more round trip, and what the kernel said then."""
        known = self.packets if packets is None else (*self.packets, packets)[-TRIPS:]
        return Latency((*self.trips, min(trip, SLOWEST))[-TRIPS:], known)


class Bounds(msgspec.Struct, frozen=True):
    """What follows for a slap that came over a line, in milliseconds."""

    least: float  # nothing comes and goes faster
    usual: float  # what is taken off the time between showing a card and hearing a slap
    slow: float  # few take longer: what is left without it was surely there to see the card
    spread: float
    credit: float  # the most that a claim may be ahead of what the usual trip says
    uncertainty: float
    vouched: bool  # by a kernel


def bounds(latency: Latency) -> Bounds:
    """What the measurements allow."""
    trips = latency.trips or tuple(packets.trip for packets in latency.packets) or (0.0,)
    usual = fmean(trips)
    spread = math.sqrt(fmean((trip - usual) ** 2 for trip in trips))
    least = min(trips)
    if latency.packets:
        usual = min(usual, fmean(packets.trip for packets in latency.packets))
        spread = min(spread, DEVIATIONS * fmean(packets.deviation for packets in latency.packets))
        quickest = min(packets.least for packets in latency.packets)
        usual = min(usual, quickest + max(CLOSE, SPREADS_ABOVE_LEAST * spread))
        least, slow = min(least, usual, quickest), usual
        most = MOST_CREDIT
    else:
        slow = usual  # beyond what is believed too: who seems farther away gains nothing by it
        least, usual = min(least, LONGEST_TRIP), min(usual, LONGEST_TRIP)
        most = max(LEAST_CREDIT, LONGEST_TRIP - usual)  # the trip itself is taken on credit
    return Bounds(
        least=least,
        usual=usual,
        slow=slow + min(spread, MOST_SLOWER),
        spread=spread,
        credit=within(CREDIT_SPREADS * spread, LEAST_CREDIT, most),
        uncertainty=within(spread / 2, LEAST_UNCERTAINTY, MOST_UNCERTAINTY),
        vouched=bool(latency.packets) or not latency.trips,
    )


def within(value: float, low: float, high: float) -> float:
    return max(low, min(value, high))


class Pings:
    """The questions that one line has not answered yet. Whoever asks makes the nonces and reads the clock."""

    def __init__(self) -> None:
        self.asked: dict[str, float] = {}

    def ask(self, nonce: str, now: float) -> None:
        """A question goes out; of those that are never answered only some are remembered."""
        self.asked[nonce] = now
        while len(self.asked) > TRIPS:
            self.asked.pop(next(iter(self.asked)))

    def answer(self, nonce: str, now: float) -> float | None:
        """The round trip, or None for an answer to what was not asked, or was answered before."""
        asked = self.asked.pop(nonce, None)
        return None if asked is None else max(0.0, now - asked)
