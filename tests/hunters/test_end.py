"""The end, the score, and ties."""

from __future__ import annotations

import msgspec
import pytest

from polikarp.engine.record import RecordError, make_record, read_record, record_json, replay
from polikarp.games.hunters import game
from polikarp.games.hunters.rules import MISTAKEN

from .positions import board, deal, flip, give, keys, play, position, told

OLU = ["fire", "ice", "bow"]  # monster 1


def empty_pile(seats: int, place: int) -> int:
    """Slap at one place until the game is over; says how often."""
    state = deal(seats)
    slaps = 0
    while state.waiting:
        flip(state)
        play(state, 0, f"slap {place}")
        slaps += 1
    return slaps


@pytest.mark.parametrize(("seats", "slaps"), [(2, 7), (4, 9), (5, 11)])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_the_game_ends_when_the_last_card_of_any_pile_is_drawn(seats: int, slaps: int, place: int) -> None:
    """hunters.21: a pile of 8, 10 or 12: one lies open, and the last one drawn ends the game. Mistakes end it too."""
    assert empty_pile(seats, place) == slaps


def before_the_last(right: bool) -> list[int]:
    """Scores after the last slap, right or wrong, on a pile with one card left."""
    state = position(2, monsters=[1], turned=OLU if right else OLU[:2])
    state.drawn[0] = 7
    state.monster[0], state.monster[18] = state.monster[18], state.monster[0]
    log = play(state, 1, "slap 1")
    assert keys(log)[:2] == ["catch" if right else "mistake", "monster"]
    assert keys(log)[2:] == ["end", "score", "score", "win"]
    assert state.waiting == 0
    assert board(state).piles[0] == 0
    return [state.score(seat) for seat in range(2)]


def test_the_monster_just_taken_counts_and_open_ones_do_not() -> None:
    """hunters.21: those lying open, the new one too, score for nobody."""
    assert before_the_last(True) == [0, 3]
    assert before_the_last(False) == [0, -1]


def test_the_score_of_the_book() -> None:
    """hunters.22: 2×3 + 2×4 + 5 − 2 = 17."""
    state = deal(3)
    give(state, 1, caught=[3, 3, 4, 4, 5], mistakes=2)
    assert [state.score(seat) for seat in range(3)] == [0, 17, 0]


def places(hands: list[tuple[list[int], int]]) -> list[int]:
    state = deal(len(hands))
    for seat, (values, wrong) in enumerate(hands):
        give(state, seat, values, wrong)
    state.waiting = 0
    return [state.place(seat) for seat in range(len(hands))]


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        ([([5, 5], 0), ([3, 4, 4], 0)], [2, 1]),  # 10 against 11: the score comes first
        ([([5, 5, 5], 0), ([4, 4, 4, 3], 0)], [1, 2]),  # 15 each: more fives
        ([([5, 4], 1), ([5, 3], 0)], [1, 2]),  # 8 each, a five each: more fours
        ([([4, 4], 1), ([4, 3], 0)], [1, 2]),  # 7 each, no five: more fours
        ([([3, 3], 3), ([3], 0)], [1, 2]),  # 3 each: more threes
        ([([5, 3], 0), ([5, 3], 0), ([3], 0)], [1, 1, 3]),  # equal in everything: shared
        ([([], 1), ([], 1), ([], 2)], [1, 1, 3]),  # scores may be below 0; face-down monsters break no tie
    ],
)
def test_ties(hands: list[tuple[list[int], int]], expected: list[int]) -> None:
    """hunters.23: most 5-point monsters, then 4, then 3, then shared."""
    assert places(hands) == expected


def test_a_face_down_monster_breaks_no_tie() -> None:
    """hunters.23: only face-up monsters count: 4 − 1 each, and the mistakes were a five and a three."""
    state = deal(2)
    for seat, value in enumerate((5, 3)):
        give(state, seat, caught=[4])
        values = [state.cards.value[state.monster[at]] for at in range(3, 24)]
        state.owner[3 + values.index(value)] = MISTAKEN + seat
    state.waiting = 0
    assert [state.score(0), state.score(1)] == [3, 3]
    assert [state.place(0), state.place(1)] == [1, 1]


def test_a_shared_win_is_told() -> None:
    """hunters.23"""
    state = position(2, monsters=[1], turned=OLU)
    state.drawn[0] = 7
    state.monster[0], state.monster[18] = state.monster[18], state.monster[0]
    give(state, 0, caught=[3])
    log = play(state, 1, "slap 1")
    assert told(log, "shared_win") == [{"seat": (0, 1)}]
    assert state.winners() == [0, 1]


def test_a_record_of_the_rules_before_is_refused_in_one_sentence() -> None:
    """hunters.25, hunters.33: its early slaps were judged otherwise; its strips can still be read."""
    table = game.deal(seats=2, seed=1)
    for _ in range(2):
        table.play("flip")
    table.play("slap 1", 0)
    plain = msgspec.json.decode(record_json(make_record(table, ["A", "B"])))
    finish: dict[str, object] = {
        "seat": 0,
        "target": 0,
        "table": 0,
        "elapsed": 90.0,
        "claimed": None,
        "line": 0.0,
        "vouched": True,
    }
    finish |= {"credit": 0.0, "time": 90.0, "uncertainty": 5.0, "screen": "", "judged": "early"}
    strip = {"table": 0, "card": 2, "calm": False, "finishes": [finish | {"outcome": "counts", "rule": "hunters.16"}]}
    plain["moves"][2] = [0, "slap 1 early", [], None, strip]
    old = plain | {"polikarp": 3, "rules": game.rules.replace("2+", "1+")}
    with pytest.raises(RecordError) as refused:
        replay(game, read_record(msgspec.json.encode(old)))
    assert str(refused.value) == f"the record was played under rules {old['rules']}; installed are {game.rules}"
