"""Who knows what, long games, and what is told to whoever keeps the time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polikarp.engine import conformance
from polikarp.engine.conformance import Setting, check_leaks
from polikarp.engine.phrase import Refusal
from polikarp.engine.rng import FastRng
from polikarp.engine.state import WATCHER
from polikarp.games.hunters import game
from polikarp.games.hunters.rules import UNSEEN, Hunters

from .positions import board, deal, flip, mostly_flips, play, position

OLU = ["fire", "ice", "bow"]


SLOW = (conformance.check_copies, conformance.check_sights, conformance.check_events)  # see the next test


@pytest.mark.parametrize("check", [check for check in conformance.CHECKS if check not in SLOW])
def test_the_contract_holds_in_long_games(check: Callable[[Setting], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Random games slap so soon that decks never run out; here they do, and come round."""
    monkeypatch.setattr(conformance, "choose", mostly_flips)
    check(Setting(game, 3, {"failed_attacks": False}, "long"))


def test_knowledge_in_long_games() -> None:
    """hunters.15: what was turned up once is known to all; the rest is imagined in any order that fits."""
    rng = FastRng("long")
    state = deal(3, failed_attacks=False)
    for number in range(400):
        if not state.waiting:
            break
        if number % 20 == 0:
            for viewer in (WATCHER, 0, 2):
                imagined = state.imagine(viewer, FastRng(number))
                assert imagined.sight(viewer).to_bytes() == state.sight(viewer).to_bytes()
                assert imagined.totals() == state.totals()
                assert game.load(3, imagined.to_bytes(), {"failed_attacks": False}).to_bytes() == imagined.to_bytes()
        state.apply(*mostly_flips(state, rng), rng)
    assert number > 200


def test_nothing_leaks_in_long_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "choose", mostly_flips)
    assert check_leaks(Setting(game, 2, {"calm": 5}, "long"), 12) > 20


def test_decks_and_piles_are_hidden_until_they_are_turned_up() -> None:
    """Nobody knows the next card, nor the next monster."""
    state = position(3, turned=OLU)
    for viewer in (WATCHER, 0, 1, 2):
        sight = state.sight(viewer)
        assert isinstance(sight, Hunters)
        assert [at for at in range(state.size) if sight.face[at] != UNSEEN] == [0, 1, 2]
        assert [at for at in range(state.monsters) if sight.monster[at] != UNSEEN] == [0, 1, 2]


def test_everybody_sees_the_same() -> None:
    """hunters.32: the same three targets and the same open cards for every seat, and for who turned up too."""
    state = position(4, turned=[*OLU, "wand"])
    assert len({str(board(state, seat)) for seat in (None, 0, 1, 2, 3)}) == 1


def test_what_keeps_the_time_is_told() -> None:
    """hunters.17, hunters.18, hunters.25, hunters.33: priorities, turn order from who turns up next, void slaps."""
    state = position(4, monsters=[1, 29, 13], turned=[*OLU, "axe", "sword"])
    race = game.race(state)
    assert (race.round, race.card) == (0, 5)
    assert race.order == [1, 2, 3, 0]
    assert [target.priority for target in race.targets] == [1, 29, 13]
    assert race.targets[2].moves == ["slap 3", "slap 3 before", *(f"slap 3 before {count}" for count in (2, 3, 4))]
    right = [target.right for target in race.targets]
    assert right == [[True] * 3 + [False] * 2, [False] * 5, [True] * 2 + [False] * 3]
    assert {(target.void.rule, target.unsure.rule) for target in race.targets} == {("hunters.25", "hunters.33")}
    assert (race.turn, race.flip, race.answering) == (1, "flip", [])
    play(state, 2, "slap 1")
    fresh = game.race(state)
    assert (fresh.round, fresh.card, fresh.order[0]) == (1, 0, 2)
    assert fresh.targets[0].moves == []
    assert fresh.targets[0].void == Refusal("hunters.25", "nothing_open")
    play(state, 2, "flip")
    assert game.race(state).targets[0].moves == ["slap 1"]
    assert game.race(state).targets[0].void == Refusal("hunters.25", "none_seen")


def test_nobody_is_told_what_a_void_slap_lacked() -> None:
    """hunters.33: nor can anybody tell by what they may do which monsters can be caught without the newest card."""
    able, unable = (position(3, monsters=[monster, 29, 30], turned=[*OLU, "axe"]) for monster in (1, 25))
    for state in (able, unable):
        for target in game.race(state).targets:
            assert target.unsure.key == "false_start"
            assert set(target.unsure.args) == {"place"}
    assert [able.moves(seat) for seat in range(3)] == [unable.moves(seat) for seat in range(3)]


def test_every_outcome_has_its_rule() -> None:
    """What a strip gives as the reason: hunters.16, hunters.17, hunters.18, hunters.24, hunters.25, hunters.30."""
    assert game.race(deal(3)).rules == {
        "counts": "hunters.16",
        "later": "hunters.16",
        "lower": "hunters.17",
        "order": "hunters.18",
        "second": "hunters.24",
        "old": "hunters.25",
        "impossible": "hunters.30",
    }


def test_what_keeps_the_time_is_told_of_a_calm_race() -> None:
    """hunters.34, hunters.35: who is still to answer, and that no card is turned up; whoever has answered."""
    for first in range(3):
        state = position(3, monsters=[1, 29, 13], turned=[*OLU, "axe", "sword"], calm=5)
        before = game.race(state)
        play(state, first, "slap 1")
        race = game.race(state)
        assert race.targets == before.targets
        assert (race.turn, race.skip) == (None, "pass")
        assert race.answering == [seat for seat in range(3) if seat != first]


def test_turn_order_with_no_deck_left_counts_from_the_seat_after_the_last() -> None:
    """hunters.18"""
    state = deal(5, first="2")
    flip(state, 108)
    assert state.newest == 3
    assert game.race(state).order == [4, 0, 1, 2, 3]
