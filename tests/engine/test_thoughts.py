"""What bots considered: the best of it is kept beside the move, in records that hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.record import RecordError, read_record, record_json, replay, verify
from polikarp.engine.thoughts import MOST, Candidate, keep_best
from polikarp.games import find_game

GOLD = find_game("gold")
Fields = dict[str, Any]


def candidates(*visits: int) -> list[Candidate]:
    return [Candidate(f"move {number}", count, 0.12345) for number, count in enumerate(visits)]


def test_the_best_are_kept_and_the_others_summed_up() -> None:
    kept = keep_best(candidates(*range(1, 21)), "move 19")
    assert kept is not None
    assert [one.visits for one in kept.best] == [20, 19, 18, 17, 16, 15, 14, 13]
    assert (kept.others, kept.other_visits, kept.visits) == (12, 78, 210)
    assert {one.value for one in kept.best} == {0.123}


def test_the_chosen_move_is_kept_however_rarely_it_was_tried() -> None:
    kept = keep_best(candidates(*range(1, 21)), "move 2")
    assert kept is not None
    assert [one.move for one in kept.best][-2:] == ["move 13", "move 2"]
    assert (len(kept.best), kept.others, kept.visits) == (MOST, 12, 210)


def test_of_moves_that_were_tried_equally_often_the_chosen_one_comes_first() -> None:
    kept = keep_best(candidates(5, 5, 5), "move 1")
    assert kept is not None
    assert [one.move for one in kept.best] == ["move 1", "move 0", "move 2"]


def test_few_are_kept_whole_and_of_nothing_nothing() -> None:
    kept = keep_best(candidates(3, 9), "move 0")
    assert kept is not None
    assert ([one.visits for one in kept.best], kept.others, kept.other_visits) == ([9, 3], 0, 0)
    assert keep_best([], "move 0") is None


def test_a_record_keeps_them_and_holds(weighed: Path) -> None:
    record = read_record(weighed.read_bytes())
    assert record.polikarp == 4
    assert verify(GOLD, record) > 0
    assert record_json(record) == weighed.read_bytes()
    played = replay(GOLD, record).steps
    assert [step.thoughts for step in played] == [move.thoughts for move in record.moves]
    with_thoughts = [move for move in record.moves if move.thoughts is not None]
    assert len(with_thoughts) > 5
    assert {move.seat for move in with_thoughts} == {0}
    for move in with_thoughts:
        assert move.thoughts is not None
        assert move.thoughts.visits == 120
        assert move.move in [one.move for one in move.thoughts.best]


def test_a_record_without_them_is_written_as_before(record_file: Path) -> None:
    record = read_record(record_file.read_bytes())
    assert record.polikarp == 2
    assert {len(move) for move in json.loads(record_file.read_bytes())["moves"]} == {4}


def first_thoughts(fields: Fields) -> Fields:
    thoughts: Fields = next(move[5] for move in fields["moves"] if len(move) > 4)
    return thoughts


def put(*way: str | int, value: object) -> Callable[[Fields], None]:
    """Writes something else into the first thoughts of a record."""

    def write(fields: Fields) -> None:
        inner: Any = first_thoughts(fields)
        for step in way[:-1]:
            inner = inner[step]
        inner[way[-1]] = value

    return write


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda fields: fields.update(polikarp=3), "moves in format 3 have no thoughts"),
        (put("best", 0, 0, value="place 9 at 9z"), "does not hold"),
        (put("best", 0, 0, value="place 1 at 4a"), "which is not legal there"),
        (put("best", 0, 0, value=7), "not a record"),
        (put("best", 0, 1, value=-1), "not a record"),
        (put("best", 0, 2, value=1.5), "not a record"),
        (put("best", 0, 2, value=None), "not a record"),
        (put("best", value=[]), "not a record"),
        (put("others", value=-1), "not a record"),
        (put("because", value="it felt right"), "not a record"),
        (lambda fields: first_thoughts(fields)["best"].extend([["place 1 at 1a", 1, 0.5]] * MOST), "not a record"),
    ],
)
def test_thoughts_that_can_not_be_are_found_out(weighed: Path, change: Callable[[Fields], None], why: str) -> None:
    fields = json.loads(weighed.read_bytes())
    change(fields)
    with pytest.raises(RecordError, match=why):
        replay(GOLD, read_record(json.dumps(fields).encode()))
