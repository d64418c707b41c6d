"""The photo finish: which slap was first. A pure decision, with no clock and no line in it: whoever calls it has
measured the lines (`latency.py`), noted when each card was sent to whom, and heard the slaps.

A slap's time counts from the moment its player was shown the newest card. The server can not see that moment; it
knows when it sent the card, when it heard the slap, and how long a round trip takes. What is left over is the
reaction. The player's program has seen both moments and claims a time; the claim is kept within what the round trips
allow, and being ahead of what the usual trip says costs credit, which runs out. All times are in milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from polikarp.engine.race import Race
from polikarp.engine.strip import BEFORE, REACTION, SEEN, UNSURE, Finish, Strip, judge, move_of
from polikarp.server.race.latency import MOST_UNCERTAINTY, Bounds, Latency, bounds

WINDOW = 250.0  # that others are waited for at most, after the first slap was heard
SOONEST_CARD = 500.0  # after the one before
EARLIEST_SHOWING = 150.0  # that a slow line is sent a card before the others
REFILL = 0.2  # of a line's credit comes back with each race that was decided


class Player(msgspec.Struct, frozen=True):
    """A seat as the race sees it. `screen`: players with the same one share a clock."""

    latency: Latency
    credit: float  # left
    sent: dict[int, float]  # by card of this round: when it was sent
    screen: str = ""


class Slap(msgspec.Struct, frozen=True):
    """A slap as it was heard. `round` and `card` are the newest that the player's program had shown; `claimed` is
    the time since it showed that card.
    """

    seat: int
    target: int
    round: int
    card: int
    heard: float
    claimed: float | None = None


class Decision(msgspec.Struct, frozen=True):
    """The slap that counts and the move to play, if any does; the strip; and what credit the seats have left."""

    seat: int | None
    move: str | None
    strip: Strip
    credit: dict[int, float]


def decide(race: Race, players: Mapping[int, Player], slaps: Sequence[Slap], calm: bool = False) -> Decision:
    """Which of the slaps that were heard counts."""
    known = {seat: bounds(player.latency) for seat, player in players.items()}
    finishes = [measure(race, players[slap.seat], known[slap.seat], slap) for slap in slaps]
    finishes, first = judge(race, finishes, calm)
    return Decision(
        seat=None if first is None else first.seat,
        move=None if first is None else move_of(race, first),
        strip=Strip(race.round, race.card, calm, finishes),
        credit=credit_left(players, known, finishes, decided=first is not None),
    )


def measure(race: Race, player: Player, line: Bounds, slap: Slap) -> Finish:
    """The time of a slap, as far as it can be known."""
    elapsed = slap.heard - player.sent.get(race.card, slap.heard)
    estimate = elapsed - line.usual
    claimed = since_newest(race, player, slap)
    ahead = min(player.credit, line.credit)
    time = estimate if claimed is None else max(claimed, estimate - ahead)
    time = round(min(time, elapsed - line.least), 1)
    judged, unseen = judged_by(race, player, line, slap, time)
    return Finish(
        seat=slap.seat,
        target=slap.target,
        round=slap.round,
        elapsed=round(elapsed, 1),
        claimed=None if claimed is None else round(claimed, 1),
        line=round(line.usual, 1),
        vouched=line.vouched,
        credit=round(estimate - time, 1),
        time=time,
        uncertainty=round(line.uncertainty, 1),
        screen=player.screen,
        judged=judged,
        unseen=unseen,
    )


def judged_by(race: Race, player: Player, line: Bounds, slap: Slap, time: float) -> tuple[str, int]:
    """What a slap of this time is judged by, and without how many of the newest cards.

    A card was not seen if less than a reaction was left for it, even after the quickest trip. If a slow trip would have
    left less, that can not be told, whatever the claim is. Otherwise the slap's own time says it.
    """
    newest = shown = player.sent.get(race.card, slap.heard)
    surely = perhaps = unseen = 0
    for card in range(race.card, 0, -1):
        shown = player.sent.get(card, shown)  # who came later was shown it together with the next
        since = slap.heard - shown
        surely += since - line.least < REACTION
        perhaps += since - line.slow < REACTION
        unseen += since - line.slow < REACTION or time + newest - shown < REACTION  # hunters.25, hunters.33
    if unseen == 0:
        return SEEN, 0
    return (UNSURE if perhaps > surely else BEFORE), unseen


def since_newest(race: Race, player: Player, slap: Slap) -> float | None:
    """A claim counts from the card that the player's program had shown; here it counts from the newest."""
    if slap.claimed is None or not math.isfinite(slap.claimed):
        return None
    if slap.round != race.round or slap.card not in player.sent or race.card not in player.sent:
        return None
    return slap.claimed - (player.sent[race.card] - player.sent[slap.card])


def credit_left(
    players: Mapping[int, Player], known: Mapping[int, Bounds], finishes: Iterable[Finish], decided: bool
) -> dict[int, float]:
    """Whoever was ahead of their usual trip has that much less, whoever was behind it that much more. A void slap
    changes nothing: it may claim anything, and would be a way to get credit back.
    """
    spent: dict[int, float] = {}
    for finish in finishes:
        if finish.outcome in ("old", "void"):
            continue
        spent[finish.seat] = max(finish.credit, spent.get(finish.seat, finish.credit))
    refill = REFILL if decided else 0.0
    return {
        seat: max(0.0, min(known[seat].credit, player.credit - spent.get(seat, 0.0) + refill * known[seat].credit))
        for seat, player in players.items()
    }


def calm_moves(race: Race, finishes: Iterable[Finish]) -> list[tuple[int, str]]:
    """The slaps of a calm race in the order in which the rules are to hear them: the one that counts first."""
    ordered = sorted(finishes, key=lambda finish: (finish.outcome != "counts", finish.time))
    moves = [(finish.seat, move_of(race, finish)) for finish in ordered if finish.outcome not in ("old", "second")]
    return [(seat, move) for seat, move in moves if move is not None]


# When things are shown and waited for


def window(lines: Iterable[Latency]) -> float:
    """How long slaps are waited for after the first was heard, where these lines may still bring one that was made
    as early, or can not be told apart from it.
    """
    waits = [line.usual + 2 * line.spread + line.uncertainty + MOST_UNCERTAINTY for line in map(bounds, lines)]
    return min(WINDOW, max(waits, default=0.0))


def head_starts(lines: Mapping[int, Latency]) -> dict[int, float]:
    """By seat: how long to hold a card back, so that all are shown it at one moment. The slowest line goes first."""
    ways = {seat: min(bounds(line).usual / 2, EARLIEST_SHOWING) for seat, line in lines.items()}
    longest = max(ways.values(), default=0.0)
    return {seat: longest - way for seat, way in ways.items()}


def card_due(shown: float, pace: float, pressed: float | None, rest: float = 0.0) -> float:
    """When the next card turns up: as soon as its player has pressed, and by itself after `pace` seconds; the first
    after a slap that counted when everybody has had `rest` seconds to see what became of it.
    """
    soonest = shown + max(SOONEST_CARD, rest * 1000)  # hunters.31
    latest = max(shown + pace * 1000, soonest)
    return latest if pressed is None else min(latest, max(pressed, soonest))
