"""Each check of the contract can fail: a sound toy game passes all of them, and every broken copy is caught."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polikarp.engine.conformance import (
    CHECKS,
    Broken,
    Setting,
    check_copies,
    check_cuts,
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
from polikarp.engine.rng import FastRng
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
        (toys.LeaksCard, leaks, r"can tell two games apart .*: view.board.hands\[0\] is \d and \d"),
        (toys.LeaksByMoves, check_sights, "depend on what it does not know"),
        (toys.LeaksByEvent, check_events, r"tells viewer .*: event \[1\].args.card is \d and \d"),
        (toys.LeaksByRefusal, check_sights, "can not show depends on what it does not know"),
        (toys.LeaksBySeal, check_events, "whether give can be taken back"),
        (toys.TakesIllegal, check_moves, "give by seat"),
        (toys.PlaysRefused, check_moves, "is not offered, but plays"),
        (toys.RefusesLegal, check_moves, "show by seat"),
        (toys.NamesNoRule, check_moves, "without naming a rule"),
        (toys.LosesCoin, check_totals, "lost or made"),
        (toys.SharesMemory, check_copies, "changed the original"),
        (toys.ForgetsInBytes, check_copies, r"through bytes: shown\[\d\] is 0 and 1"),
        (toys.NeverEnds, check_end, "not over after 20 moves"),
        (toys.OwnChance, check_repeatable, r"two different positions: rolled is \d+ and \d+"),
        (toys.OwnChance, check_records, r"another end: rolled is \d+ and \d+"),
        (toys.ImaginesTooMuch, check_sights, r"can tell what it imagines .*: view.board.hands\[\d\] is 0 and \d"),
        (toys.ShowsUnsealed, check_seals, r"could be taken back: view.board.hands\[\d\] is"),
        (toys.PicksUnfairly, check_pick, "not equally likely"),
        (toys.WinsNothing, check_end, "the places at the end"),
        (toys.CutsInBetween, check_cuts, r"lost or twice at a cut: \[0\] is \d and \d"),
        (toys.CutsForItself, check_cuts, "another move when somebody listens: rolled is 7 and"),
        (toys.CutsTooEarly, check_events, r"two cuts apart .*: board.hands\[\d\] is \d and \d"),
        (toys.CutsTooEarly, leaks, r"two cuts apart .*: board.hands\[\d\] is \d and \d"),
        (toys.CutsBySecret, check_events, "where a move is cut tells viewer"),
        (toys.CutsBySecret, leaks, "where a move is cut tells viewer"),
    ],
)
def test_a_broken_game_is_caught(broken: type[toys.Toy], check: Check, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        run(toys.game_of(broken), check)


@pytest.mark.parametrize("check", [*CHECKS, leaks], ids=lambda check: check.__name__)
def test_a_sound_game_that_cuts_its_moves_passes(check: Check) -> None:
    run(toys.game_of(toys.Cuts), check)


def test_a_game_without_secrets_passes_by_saying_so() -> None:
    open_game = toys.game_of(toys.Open, secrets=False)
    for check in (*CHECKS, leaks):
        run(open_game, check)
    assert leaks(Setting(open_game, 3, {}, 1)) > 40
    assert not open_game.secret(open_game.start(2, {}, FastRng(0)))


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (toys.Toy, "toy says that it has no secrets, but not everybody is told of hand"),
        (toys.TellsNobody, r"but viewer -1 sees others: sight.hand\[0\] is -1 and \d"),
        (toys.OpenButForOne, r"but viewer 1 sees others: view.board.rolled is -1 and \d"),
        (toys.OpenButForCuts, r"but viewer \d sees others: board.rolled is -2 and -1"),
    ],
)
def test_a_game_that_only_says_that_it_has_no_secrets_is_caught(state: type[toys.Toy], reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        run(toys.game_of(state, secrets=False), leaks)


def test_a_notation_that_does_not_come_back_is_caught() -> None:
    with pytest.raises(Broken, match="move 1 is written 'keep'"):
        check_notation(toys.game_of(toys.Toy, text=lambda self, move: "keep"), 2)
