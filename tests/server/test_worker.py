"""One bot worker, asked by hand: a real process, without a server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from polikarp.server.bots import worker as bot_worker
from polikarp.server.bots.worker import LENGTH, BotAnswer, BotFailure, BotQuestion, BotReady, BotReply, framed
from tests.server.test_pool import LONG, START, soon, thinking, toys

__all__ = ["toys"]  # a fixture


class OneWorker:
    """A worker without a server, asked by hand."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.hear() == BotReady()

    def hear(self) -> BotReply:
        assert self.process.stdout is not None
        (length,) = LENGTH.unpack(self.process.stdout.read(LENGTH.size))
        reply: BotReply = msgspec.msgpack.decode(self.process.stdout.read(length), type=BotReply)
        return reply

    def ask(self, number: int, bot: str, seat: int = 0) -> None:
        assert self.process.stdin is not None
        sight = START.sight(seat).to_bytes()
        question = BotQuestion(number, "toy", 3, {"collectors": "B"}, sight, seat, bot, False, "seed")
        self.process.stdin.write(framed(question))
        self.process.stdin.flush()

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(LONG)


@pytest.fixture
def worker(toys: Sequence[str]) -> Iterator[OneWorker]:
    made = OneWorker(toys)
    with made.process:
        yield made
        made.process.kill()


def test_a_worker_answers_by_number_and_says_why_a_bot_failed(worker: OneWorker) -> None:
    worker.ask(7, "eager", seat=2)
    assert worker.hear() == BotAnswer(7, 2)
    worker.ask(9, "raising")
    failure = worker.hear()
    assert isinstance(failure, BotFailure)
    assert failure.number == 9
    assert failure.reason.startswith("RuntimeError: no idea")
    assert len(failure.reason) == 500
    worker.ask(11, "nobody")
    failure = worker.hear()
    assert isinstance(failure, BotFailure)
    assert "the bots are: random, quick" in failure.reason
    assert worker.close() == 0


def test_a_worker_ends_when_it_is_closed_in_the_middle_of_a_thought(worker: OneWorker, tmp_path: Path) -> None:
    worker.ask(1, "slow")
    assert soon(lambda: thinking(tmp_path))
    assert worker.close() == 0


def test_a_worker_does_not_wait_for_what_its_bots_left_behind(worker: OneWorker) -> None:
    worker.ask(1, "littering")
    assert worker.hear() == BotAnswer(1, worker.process.pid)
    assert worker.close() == 0


def test_a_worker_ignores_ctrl_c_and_lets_others_go_first(worker: OneWorker) -> None:
    worker.process.send_signal(signal.SIGINT)
    worker.ask(1, "quick")
    assert worker.hear() == BotAnswer(1, worker.process.pid)
    assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == min(19, os.nice(0) + 5)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such time")
def test_a_search_gets_the_time_that_nobody_else_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    """It alone: the worker itself, and bots that answer at once, go on as they were."""
    monkeypatch.setattr(bot_worker, "reply_to", lambda question: b"%d" % os.sched_getscheduler(0))
    usual = os.sched_getscheduler(0)
    for bot, policy in (("strong", os.SCHED_IDLE), ("greedy", usual), ("strong:level=easy", os.SCHED_IDLE)):
        question = BotQuestion(1, "crypt", 3, {}, b"", 0, bot, False, "seed")
        assert int(bot_worker.consider(question)) == policy
    assert os.sched_getscheduler(0) == usual
