"""Crews and tasks for tests."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")


class Alone:
    """Works in this process, one task after another."""

    def results(self, work: Callable[[Task], Done], tasks: Iterable[Task]) -> Iterator[Done]:
        return (work(task) for task in tasks)


class Chore(NamedTuple):
    """Notes in a folder that it was begun; `deadly` ends whoever does it, so many times; `slow` takes so long."""

    folder: str
    number: int
    deadly: int = 0
    slow: float = 0.0


def do_chore(chore: Chore) -> int:
    begun = sum(name.startswith(f"{chore.number}-") for name in os.listdir(chore.folder))  # noqa: PTH208
    Path(chore.folder, f"{chore.number}-{begun}").touch()
    if begun < chore.deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(chore.slow)
    return chore.number**2
