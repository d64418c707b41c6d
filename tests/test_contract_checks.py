"""Each check of the contract can fail: a sound toy game passes all of them, and every broken copy is caught."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polikarp.engine.conformance import (
    CHECKS,
    Broken,
    Setting,
    check_copies,
    check_end,
    check_events,
    check_leaks,
    check_moves,
    check_notation,
    check_pick,
    check_records,
    check_repeatable,
    check_seals,
    check_sights,
    check_totals,
)
from tests import toys

Check = Callable[[Setting], object]


def leaks(setting: Setting) -> int:
    return check_leaks(setting, 40)


def run(game: toys.ToyGame, check: Check) -> None:
    for seed in range(8):
        for seats in game.seats:
            check(Setting(game, seats, {}, seed))


@pytest.mark.parametrize("check", [*CHECKS, leaks], ids=lambda check: check.__name__)
def test_the_sound_game_passes(check: Check) -> None:
    run(toys.ToyGame(), check)


def test_the_leak_check_compares_positions_that_differ() -> None:
    assert sum(leaks(Setting(toys.ToyGame(), 3, {}, seed)) for seed in range(5)) > 100


@pytest.mark.parametrize(
    ("broken", "check", "reason"),
    [
        (toys.LeaksCard, leaks, "can tell two games apart"),
        (toys.LeaksByMoves, check_sights, "depend on what it does not know"),
        (toys.LeaksByEvent, check_events, "tells viewer"),
        (toys.LeaksByRefusal, check_sights, "can not show depends on what it does not know"),
        (toys.LeaksBySeal, check_events, "whether give can be taken back"),
        (toys.TakesIllegal, check_moves, "give by seat"),
        (toys.RefusesLegal, check_moves, "show by seat"),
        (toys.NamesNoRule, check_moves, "without naming a rule"),
        (toys.LosesCoin, check_totals, "lost or made"),
        (toys.SharesMemory, check_copies, "changed the original"),
        (toys.ForgetsInBytes, check_copies, "through bytes"),
        (toys.NeverEnds, check_end, "not over after 20 moves"),
        (toys.OwnChance, check_repeatable, "two different positions"),
        (toys.OwnChance, check_records, "another end"),
        (toys.ImaginesTooMuch, check_sights, "can tell what it imagines"),
        (toys.ShowsUnsealed, check_seals, "could be taken back"),
        (toys.PicksUnfairly, check_pick, "not equally likely"),
        (toys.WinsNothing, check_end, "the places at the end"),
    ],
)
def test_a_broken_game_is_caught(broken: type[toys.Toy], check: Check, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        run(toys.game_of(broken), check)


def test_a_notation_that_does_not_come_back_is_caught() -> None:
    with pytest.raises(Broken, match="move 1 is written 'keep'"):
        check_notation(toys.game_of(toys.Toy, text=lambda self, move: "keep"), 2)
