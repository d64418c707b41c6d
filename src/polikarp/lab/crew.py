"""Who does the work of a long run: processes on this machine, or a Ray cluster of many. Both give the same results, in
the order of the tasks, and when one that works is killed, its task is done again by another.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, redirect_stdout, suppress
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Protocol, TypeVar

from polikarp.engine.option import UsageError

Task = TypeVar("Task")
Done = TypeVar("Done")

TRIES = 5  # how often a task is begun before it is given up
AHEAD = 4  # tasks for each worker that may be under way or wait for an earlier one
MOST_WORKERS = 1024
FARTHEST = 10.0  # seconds until a cluster must have answered


class CrewLost(Exception):
    """The work can not be done: a task has ended whoever did it, or nobody is left."""


class Crew(Protocol):
    def results(self, work: Callable[[Task], Done], tasks: Iterable[Task]) -> Iterator[Done]:
        """What `work` makes of each task. Tasks are drawn only a little ahead of the results that were taken."""


def hire(where: str, workers: int | None) -> AbstractContextManager[Crew]:
    """The crew that is written `processes`, `ray` or `ray://HOST:PORT`."""
    if where == "processes":
        count = workers if workers is not None else os.cpu_count() or 1
        if not 1 <= count <= MOST_WORKERS:
            raise UsageError(f"{count} workers can not be had; right is: 1 to {MOST_WORKERS}")
        return Processes(count)
    if where == "ray" or where.startswith("ray://"):
        if workers is not None:
            raise UsageError("the number of workers is for processes; a Ray cluster knows its own")
        return RayCluster(where.removeprefix("ray").removeprefix("://"))
    raise UsageError(f"work can not be done on {where[:40]!r}; right is: processes, ray or ray://HOST:PORT")


class Worker:
    """One process, and the task that it is at."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.task: int | None = None

    def stop(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.join()


def serve(line: Connection) -> None:
    """The other end: does what comes until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            work, task = line.recv()
            line.send(work(task))
        except (EOFError, OSError):
            return


class Processes:
    """Processes on this machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.workers: list[Worker] = []

    def __enter__(self) -> Processes:
        self.workers = [Worker() for _ in range(self.count)]
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        for worker in self.workers:
            worker.stop()

    def results(self, work: Callable[[Task], Done], tasks: Iterable[Task]) -> Iterator[Done]:
        coming = enumerate(tasks)
        begun: dict[int, tuple[Task, int]] = {}  # by number: tasks whose result was not given yet, and tries
        again: deque[int] = deque()  # whose worker was lost
        done: dict[int, Done] = {}
        given = 0
        while True:
            for worker in self.workers:
                if worker.task is None:
                    if not again and len(begun) < AHEAD * self.count and (drawn := next(coming, None)):
                        begun[drawn[0]] = (drawn[1], 0)
                        again.append(drawn[0])
                    if again:
                        begun[again[0]] = self.begin(worker, work, again[0], *begun[again[0]])
                        again.popleft()
            if not begun:
                return
            ready = wait([worker.line for worker in self.workers if worker.task is not None])
            for at, worker in enumerate(self.workers):
                if worker.line in ready and worker.task is not None:
                    number = worker.task
                    try:
                        done[number] = worker.line.recv()
                        worker.task = None
                    except (EOFError, OSError):
                        again.append(number)
                        worker.stop()
                        self.workers[at] = Worker()
            while given in done:
                del begun[given]
                yield done.pop(given)
                given += 1

    def begin(
        self, worker: Worker, work: Callable[[Task], Done], number: int, task: Task, tries: int
    ) -> tuple[Task, int]:
        if tries == TRIES:
            raise CrewLost(f"a task ended {TRIES} processes that tried it, and is given up")
        worker.task = number
        with suppress(OSError):  # it is dead already, which shows when its answer is read
            worker.line.send((work, task))
        return task, tries + 1


def check_address(address: str) -> None:
    """Somebody must listen there: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), FARTHEST).close()
    except (OSError, ValueError, OverflowError) as reason:
        raise UsageError(f"there is no Ray cluster at {address[:60]!r}: {reason}") from None


class RayCluster:
    """A Ray cluster: the one at an address, else the one of this machine, which is started if there is none."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.ray: Any = None
        self.notices = redirect_stdout(sys.stderr)  # Ray prints there that a node was lost

    def __enter__(self) -> RayCluster:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError:
            raise UsageError("Ray is not installed; get it with: pip install 'polikarp[ray]'") from None
        self.ray = ray
        if self.address:
            check_address(self.address)
        self.notices.__enter__()
        ray.init(address=self.address or None, log_to_driver=False, logging_level="ERROR")
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self.ray.shutdown()
        self.notices.__exit__(None, None, None)

    def results(self, work: Callable[[Task], Done], tasks: Iterable[Task]) -> Iterator[Done]:
        remote = self.ray.remote(max_retries=TRIES - 1)(work)
        coming = iter(tasks)
        begun: deque[Any] = deque()
        while True:
            most = AHEAD * max(1, int(self.ray.cluster_resources().get("CPU", 1)))
            while len(begun) < most and (drawn := next(coming, None)) is not None:
                begun.append(remote.remote(drawn))
            if not begun:
                return
            try:
                done: Done = self.ray.get(begun.popleft())
            except self.ray.exceptions.RayError as reason:
                raise CrewLost(f"the Ray cluster gave a task up: {reason}") from None
            yield done
