"""The photo of a race, as everybody sees it and as records keep it: every slap with its time, and what became of it.

Who was first follows from the strip and from what could be slapped (`race.py`), and from nothing else. So a record
that has both can be checked. All times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polikarp.engine.phrase import Refusal
from polikarp.engine.race import Race

REACTION = 100.0  # in less nobody sees a card and slaps
LONGEST = 2.0**53  # milliseconds that anything takes
SAME_CLOCK = 1.0  # the uncertainty between two players at one screen

# What a slap is judged by: all cards; all but those that its player can not have seen; the same, but whether they were
# seen can not be told, and then the slap counts only if it is right.
SEEN, BEFORE, UNSURE = "seen", "before", "unsure"


class Finish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One slap on the strip that everybody sees: what was heard and claimed, what was made of it, and why."""

    seat: int
    target: int
    round: int = msgspec.field(name="table")
    elapsed: float  # from sending the newest card until the slap was heard
    claimed: float | None  # the time since the newest card was shown, as the player's program says
    line: float  # the usual round trip
    vouched: bool
    credit: float  # by how much the time is ahead of what the usual trip says
    time: float
    uncertainty: float
    screen: str
    judged: str  # seen, before, unsure
    outcome: str = ""  # counts, later, lower, order, second, old, void
    rule: str = ""  # that makes it so
    unseen: int = 0  # how many of the newest cards it is judged without


class Strip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The photo of one race. `calm`: all slaps were compared, however late."""

    round: int = msgspec.field(name="table")
    card: int
    calm: bool
    finishes: list[Finish]


def may_be_judged_by(time: float) -> tuple[str, str]:
    """What a slap of this time may have been judged by."""  # hunters.25, hunters.33
    return (BEFORE if time < REACTION else SEEN, UNSURE)


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
        if finish.round != race.round:
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
    contenders = list(valid) if calm else close_to_first(finishes, valid)
    highest = max(race.targets[finishes[at].target].priority for at in contenders)
    on_highest = [at for at in contenders if race.targets[finishes[at].target].priority == highest]
    outcomes |= {at: "lower" for at in contenders if at not in on_highest}
    close = close_to_first(finishes, on_highest)
    outcomes |= dict.fromkeys(close, "order")
    outcomes[min(close, key=lambda at: race.order.index(finishes[at].seat))] = "counts"
    return outcomes


def close_to_first(finishes: Sequence[Finish], ordered: Sequence[int]) -> list[int]:
    """Of slaps in the order of their times, those that share the earliest, and all that can not be told apart from one
    of these.
    """
    first = [at for at in ordered if finishes[at].time == finishes[ordered[0]].time]
    return [at for at in ordered if not all(told_apart(finishes[one], finishes[at]) for one in first)]


def move_of(race: Race, finish: Finish) -> str | None:
    """The move that a slap is; None if it is void."""
    return race.targets[finish.target].moves[finish.unseen] if why_void(race, finish) is None else None


def why_void(race: Race, finish: Finish) -> Refusal | None:
    """Why a slap that is for this round is void, if it is."""
    target = race.targets[finish.target]
    if finish.unseen >= len(target.moves):
        return target.void
    if finish.judged == UNSURE and not target.right[finish.unseen]:
        return target.unsure  # hunters.33
    return None


def rule_of(race: Race, finish: Finish, outcome: str) -> str:
    void = why_void(race, finish) if outcome == "void" else None
    return race.rules.get(outcome, "") if void is None else void.rule


def strip_fits(race: Race, strip: Strip) -> bool:
    """Whether a strip, perhaps a made-up one, can be of this race."""
    return (strip.round, strip.card) == (race.round, race.card) and all(
        finish.seat in race.order
        and 0 <= finish.target < len(race.targets)
        and finish.judged in may_be_judged_by(finish.time)
        and abs(finish.time) <= LONGEST
        and 0 <= finish.uncertainty <= LONGEST
        and 0 <= finish.unseen <= race.card
        and (finish.unseen == 0) == (finish.judged == SEEN)
        for finish in strip.finishes
    )
