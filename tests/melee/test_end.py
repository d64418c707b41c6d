"""How a game ends: a castle falls, or provinces are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.record import read_record, replay
from polikarp.games.melee import game
from polikarp.games.melee.rules import Melee

from .positions import attacking, board, fight, gold, keys, play, position, told


def counted(units: dict[int, str], purse: dict[int, int], seats: int = 3) -> tuple[list[int], list[int]]:
    """Provinces and places when winter ends with nobody doing anything; the last has no card to act with."""
    state = position(seats, units, purse, season="winter", turn=seats)
    assert not state.waiting
    result = game.result(state)
    assert result is not None
    return result.scores, result.places


def test_most_provinces_win() -> None:
    """melee.71: with at least one own unit each, and one's own castle always."""
    units = {0: "soldier R1, knight R1, soldier R2", 1: "soldier Y0, camp Y1, catapult Y2, soldier M", 2: ""}
    assert counted(units, {0: 9}) == ([3, 4, 1], [2, 1, 3])


def test_ties_go_to_the_most_gold_and_then_are_shared() -> None:
    """melee.71"""
    units = {0: "soldier R1", 1: "soldier Y1", 2: "soldier G1"}
    assert counted(units, {0: 3, 1: 5, 2: 1})[1] == [2, 1, 3]
    assert counted(units, {0: 5, 1: 5, 2: 1})[1] == [1, 1, 3]
    state = position(3, units, {0: 5, 1: 5}, season="winter", turn=3)
    assert state.winners() == [0, 1]


def test_a_castle_beats_any_count() -> None:
    """melee.70, melee.72: at once, in any season; nothing more happens."""
    units = {0: "soldier Y1", 1: "soldier Y2, camp Y2, soldier M, camp M, soldier F"}
    state = attacking(units, gold=9)
    play(state, 0, "use soldier at Y1", "attack Y0")
    log = fight(state, 1, 2, 3)
    assert keys(log) == ["your_guess", "named_wrong", "castle", "win"]
    assert told(log, "win") == [{"seat": (0,)}]
    assert (gold(state, 1), board(state).season, board(state).phase) == (9, "summer", "over")
    assert state.place(0) == 1


@pytest.mark.parametrize("seat", range(4))
def test_who_lost_the_castle_shares_the_second_place(seat: int) -> None:
    """melee.70"""
    state = attacking({0: "soldier Y1"}, gold=9)
    play(state, 0, "use soldier at Y1", "attack Y0")
    fight(state, 1, 2, 3)
    assert state.place(seat) == (1 if seat == 0 else 2)


GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("ending", ["castle", "provinces", "gold", "shared", "no_chance"])
def test_there_is_a_recorded_game_for_every_way_to_end(ending: str) -> None:
    """melee.70, melee.71, melee.25: a castle, most provinces, most gold, a shared win, and a last turn not taken."""
    table = replay(game, read_record((GOLDEN / f"melee-ending-{ending}.json").read_bytes()))
    state = table.state
    assert isinstance(state, Melee)
    told_last = [event.key for event in table.steps[-1].events]
    most = sorted((state.provinces(seat) for seat in range(state.seats)), reverse=True)
    assert ("castle" in told_last) == (ending == "castle") == (state.taker >= 0)
    assert ("shared_win" in told_last) == (ending == "shared")
    if ending in ("provinces", "gold"):
        assert (most[0] == most[1]) == (ending == "gold")
    if ending == "no_chance":
        assert "no_chance" in told_last


@pytest.mark.parametrize("rules", ["basic", "advanced"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_there_is_a_recorded_game_on_every_board(seats: int, rules: str) -> None:
    record = read_record((GOLDEN / f"melee-{seats}-{rules}.json").read_bytes())
    assert (len(record.players), record.options) == (seats, {"rules": rules})
