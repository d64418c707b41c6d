"""The photo finish: which slap was first. A pure decision, with no clock and no line in it: whoever calls it has
measured the lines (`lines.py`), noted when each card was sent to whom, and heard the slaps.

A slap's time counts from the moment its player was shown the newest card. The server can not see that moment; it
knows when it sent the card, when it heard the slap, and how long a round trip takes. What is left over is the
reaction. The player's program has seen both moments and claims a time; the claim is kept within what the round trips
allow, and being ahead of what the usual trip says costs credit, which runs out. All times are in milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from polikarp.engine.race import Race, Target
from polikarp.server.lines import MOST_UNCERTAINTY, Bounds, Line, bounds

WINDOW = 250.0  # that others are waited for at most, after the first slap was heard
REACTION = 100.0  # in less nobody sees a card and slaps
SAME_CLOCK = 1.0  # the uncertainty between two players at one screen
SOONEST_CARD = 500.0  # after the one before
EARLIEST_SHOWING = 150.0  # that a slow line is sent a card before the others
REFILL = 0.2  # of a line's credit comes back with each race that was decided

SEEN, BEFORE, EARLY = "seen", "before", "early"


class Player(msgspec.Struct, frozen=True):
    """A seat as the race sees it. `screen`: players with the same one share a clock."""

    line: Line
    credit: float  # left
    sent: dict[int, float]  # by card of this table: when it was sent
    screen: str = ""


class Slap(msgspec.Struct, frozen=True):
    """A slap as it was heard. `table` and `card` are the newest that the player's program had shown; `claimed` is
    the time since it showed that card.
    """

    seat: int
    target: int
    table: int
    card: int
    heard: float
    claimed: float | None = None


class Finish(msgspec.Struct, frozen=True):
    """One slap on the strip that everybody sees: what was heard and claimed, what was made of it, and why."""

    seat: int
    target: int
    table: int
    elapsed: float  # from sending the newest card until the slap was heard
    claimed: float | None  # the time since the newest card was shown, as the player's program says
    line: float  # the usual round trip
    vouched: bool
    credit: float  # by how much the time is ahead of what the usual trip says
    time: float
    uncertainty: float
    screen: str
    judged: str  # by what its player had been shown: seen, before, early
    outcome: str = ""  # counts, later, lower, order, second, old, void
    rule: str = ""  # that makes it so


class Strip(msgspec.Struct, frozen=True):
    """The photo of one race. `calm`: all slaps were compared, however late."""

    table: int
    card: int
    calm: bool
    finishes: list[Finish]


class Decision(msgspec.Struct, frozen=True):
    """The slap that counts and the move to play, if any does; the strip; and what credit the seats have left."""

    seat: int | None
    move: str | None
    strip: Strip
    credit: dict[int, float]


def decide(race: Race, players: Mapping[int, Player], slaps: Sequence[Slap], calm: bool = False) -> Decision:
    """Which of the slaps that were heard counts."""
    known = {seat: bounds(player.line) for seat, player in players.items()}
    finishes = [measure(race, players[slap.seat], known[slap.seat], slap) for slap in slaps]
    finishes, first = judge(race, finishes, calm)
    return Decision(
        seat=None if first is None else first.seat,
        move=None if first is None else move_of(race, first),
        strip=Strip(race.table, race.card, calm, finishes),
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
    return Finish(
        seat=slap.seat,
        target=slap.target,
        table=slap.table,
        elapsed=round(elapsed, 1),
        claimed=None if claimed is None else round(claimed, 1),
        line=round(line.usual, 1),
        vouched=line.vouched,
        credit=round(estimate - time, 1),
        time=time,
        uncertainty=round(line.uncertainty, 1),
        screen=player.screen,
        judged=BEFORE if time < 0 else EARLY if time < REACTION else SEEN,
    )


def since_newest(race: Race, player: Player, slap: Slap) -> float | None:
    """A claim counts from the card that the player's program had shown; here it counts from the newest."""
    if slap.claimed is None or not math.isfinite(slap.claimed):
        return None
    if slap.table != race.table or slap.card not in player.sent or race.card not in player.sent:
        return None
    return slap.claimed - (player.sent[race.card] - player.sent[slap.card])


def told_apart(one: Finish, other: Finish) -> bool:
    """Whether it can be told which was first."""  # hunters.19
    difference = abs(one.time - other.time)
    if one.screen and one.screen == other.screen:
        return difference >= SAME_CLOCK
    return difference > 0 and difference >= one.uncertainty + other.uncertainty


def judge(race: Race, finishes: Sequence[Finish], calm: bool) -> tuple[list[Finish], Finish | None]:
    """Every slap with what became of it, and the one that counts. Needs nothing but the strip and the race, so
    anybody who has both can check it.
    """
    by_time = sorted(range(len(finishes)), key=lambda at: (finishes[at].time, race.order.index(finishes[at].seat)))
    outcomes: dict[int, str] = {}
    valid: list[int] = []
    for at in by_time:
        finish = finishes[at]
        if finish.table != race.table:
            outcomes[at] = "old"
        elif move_of(race, finish) is None:
            outcomes[at] = "void"
        elif any(finishes[other].seat == finish.seat for other in valid):
            outcomes[at] = "second"
        else:
            valid.append(at)
    outcomes |= compare(race, finishes, valid, calm)
    judged = [
        msgspec.structs.replace(finish, outcome=outcomes[at], rule=rule_of(race, finish, outcomes[at]))
        for at, finish in enumerate(finishes)
    ]
    return judged, next((finish for finish in judged if finish.outcome == "counts"), None)


def compare(race: Race, finishes: Sequence[Finish], valid: Sequence[int], calm: bool) -> dict[int, str]:
    """Of slaps that are not void, in the order of their times, what becomes of each."""  # hunters.24
    outcomes = dict.fromkeys(valid, "later")
    if not valid:
        return outcomes
    contenders = [at for at in valid if calm or at == valid[0] or not told_apart(finishes[valid[0]], finishes[at])]
    highest = max(race.targets[finishes[at].target].priority for at in contenders)
    on_highest = [at for at in contenders if race.targets[finishes[at].target].priority == highest]
    outcomes |= {at: "lower" for at in contenders if at not in on_highest}
    first = on_highest[0]
    close = [at for at in on_highest if at == first or not told_apart(finishes[first], finishes[at])]
    outcomes |= dict.fromkeys(close, "order")
    outcomes[min(close, key=lambda at: race.order.index(finishes[at].seat))] = "counts"
    return outcomes


def move_of(race: Race, finish: Finish) -> str | None:
    """The move that a slap is; None if it is void."""
    target = race.targets[finish.target]
    return {SEEN: target.seen, BEFORE: target.before, EARLY: target.early}[finish.judged]


def rule_of(race: Race, finish: Finish, outcome: str) -> str:
    target: Target = race.targets[finish.target]
    return target.void.get(finish.judged, "") if outcome == "void" else race.rules.get(outcome, "")


def credit_left(
    players: Mapping[int, Player], known: Mapping[int, Bounds], finishes: Iterable[Finish], decided: bool
) -> dict[int, float]:
    """Whoever was ahead of their usual trip has that much less, whoever was behind it that much more."""
    spent: dict[int, float] = {}
    for finish in finishes:
        spent[finish.seat] = max(finish.credit, spent.get(finish.seat, finish.credit))
    refill = REFILL if decided else 0.0
    return {
        seat: max(0.0, min(known[seat].credit, player.credit - spent.get(seat, 0.0) + refill * known[seat].credit))
        for seat, player in players.items()
    }


def calm_moves(race: Race, decision: Decision) -> list[tuple[int, str]]:
    """The slaps of a calm race in the order in which the rules are to hear them: the one that counts first."""
    finishes = sorted(decision.strip.finishes, key=lambda finish: (finish.outcome != "counts", finish.time))
    moves = [(finish.seat, move_of(race, finish)) for finish in finishes if finish.outcome not in ("old", "second")]
    return [(seat, move) for seat, move in moves if move is not None]


# When things are shown and waited for


def window(lines: Iterable[Line]) -> float:
    """How long slaps are waited for after the first was heard, where these lines may still bring one that was made
    as early, or can not be told apart from it.
    """
    waits = [line.usual + 2 * line.spread + line.uncertainty + MOST_UNCERTAINTY for line in map(bounds, lines)]
    return min(WINDOW, max(waits, default=0.0))


def head_starts(lines: Mapping[int, Line]) -> dict[int, float]:
    """By seat: how long to hold a card back, so that all are shown it at one moment. The slowest line goes first."""
    ways = {seat: min(bounds(line).usual / 2, EARLIEST_SHOWING) for seat, line in lines.items()}
    longest = max(ways.values(), default=0.0)
    return {seat: longest - way for seat, way in ways.items()}


def card_due(shown: float, pace: float, pressed: float | None) -> float:
    """When the next card turns up: as soon as its player has pressed, and by itself after `pace` seconds."""
    latest = shown + pace * 1000  # hunters.31
    return latest if pressed is None else min(latest, max(pressed, shown + SOONEST_CARD))
