"""Whoever works, the results are the same and in order, and who is killed costs only a task."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from polikarp.engine.option import UsageError
from polikarp.lab.crew import AHEAD, TRIES, CrewLost, Processes, hire
from tests.lab.crews import Chore, do_chore


def test_a_killed_process_costs_only_its_task(tmp_path: Path) -> None:
    with Processes(2) as crew:
        chores = [Chore(str(tmp_path), number, deadly=int(number in (3, 7))) for number in range(12)]
        assert list(crew.results(do_chore, chores)) == [number**2 for number in range(12)]
        first = {worker.process.pid for worker in crew.workers}
        assert all(worker.process.is_alive() for worker in crew.workers)
    begun = sorted(path.name for path in tmp_path.iterdir())
    assert begun == sorted([*(f"{number}-0" for number in range(12)), "3-1", "7-1"])
    for pid in first:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_task_that_ends_everyone_is_given_up(tmp_path: Path) -> None:
    with Processes(2) as crew, pytest.raises(CrewLost, match="given up"):
        list(crew.results(do_chore, [Chore(str(tmp_path), number, 99 * (number == 1)) for number in range(3)]))
    assert sum(path.name.startswith("1-") for path in tmp_path.iterdir()) == TRIES


def test_tasks_are_drawn_only_a_little_ahead(tmp_path: Path) -> None:
    """While the first one takes its time, the other worker does not run away."""
    drawn = []

    def chores() -> Iterator[Chore]:
        for number in range(1000):
            drawn.append(number)
            yield Chore(str(tmp_path), number, slow=2.0 * (number == 0))

    with Processes(2) as crew:
        results = crew.results(do_chore, chores())
        assert next(results) == 0
        assert len(drawn) == 2 * AHEAD
        assert [next(results) for _ in range(3)] == [1, 4, 9]


@pytest.mark.parametrize(
    ("where", "workers", "words"),
    [
        ("moon", None, "right is: processes, ray or ray://HOST:PORT"),
        ("processes", 0, "0 workers"),
        ("processes", -1, "-1 workers"),
        ("ray", 3, "for processes"),
    ],
)
def test_a_crew_that_can_not_be_had(where: str, workers: int | None, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        hire(where, workers)
