"""The server's side of the bot workers: processes that are asked for moves, one question at a time each.

Questions wait in a queue that is fair to people and their tables (`queue.py`). A process that crashes, hangs or
says nonsense is replaced, and its question goes to another; a thought that takes long gets an extra process beside it,
so that it delays nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import secrets
import signal
import sys
from collections.abc import Mapping, Sequence
from subprocess import PIPE
from typing import Any, cast

import msgspec

from polikarp.engine.option import OptionValue
from polikarp.server.bots.queue import BotQueue
from polikarp.server.bots.worker import (
    LENGTH,
    SEARCHER,
    BotAnswer,
    BotFailure,
    BotQuestion,
    BotReady,
    BotReply,
    framed,
)

log = logging.getLogger(__name__)

COMMAND = (sys.executable, "-m", "polikarp.server.bots.worker")
TRIES = 2  # how often a question is asked before it is given up
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds before a process that was of no use is started again
LONGEST_START = 30.0  # seconds that a process may take until it is ready
LINGER = 60.0  # seconds that an extra process stays without work
LONGEST_REPLY = 65536  # bytes


class Question:
    """A question on its way to its answer, asked for somebody's table."""

    def __init__(self, question: BotQuestion, person: str, table: str) -> None:
        loop = asyncio.get_running_loop()
        self.number = question.number
        self.person = person
        self.table = table
        self.searching = question.bot.partition(":")[0] == SEARCHER
        self.again = False
        self.bot = f"{question.bot} of {question.game}"
        self.frame = framed(question)
        self.answer: asyncio.Future[BotAnswer | None] = loop.create_future()
        self.since = loop.time()
        self.failures = 0

    def settle(self, answer: BotAnswer | None) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


class Worker(asyncio.SubprocessProtocol):
    """One running process."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[bool] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()  # it is of no more use
        self.ended: asyncio.Future[None] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()  # ended, and its pipes are closed
        self.reply: asyncio.Future[BotAnswer | BotFailure | None] = loop.create_future()
        self.reply.set_result(None)
        self.asked = 0
        self.number = 0  # of the question that it thinks about
        self.received = bytearray()
        self.replies: msgspec.msgpack.Decoder[BotReply] = msgspec.msgpack.Decoder(BotReply)

    def ask(self, question: Question) -> asyncio.Future[BotAnswer | BotFailure | None]:
        """Hands a question over. The reply will be None if the worker is lost first."""
        self.asked += 1
        self.number = question.number
        self.reply = asyncio.get_running_loop().create_future()
        cast(asyncio.WriteTransport, self.transport.get_pipe_transport(0)).write(question.frame)
        return self.reply

    def lose(self) -> None:
        """Gives the process up."""
        if self.transport.get_returncode() is None:
            with contextlib.suppress(ProcessLookupError):  # not transport.kill(), which may reap what asyncio waits for
                os.kill(self.transport.get_pid(), signal.SIGKILL)
        if not self.lost.done():
            self.lost.set_result(None)
        if not self.ready.done():
            self.ready.set_result(False)
        if not self.reply.done():
            self.reply.set_result(None)

    async def end(self) -> None:
        """Ends the process, and waits until nothing is left of it."""
        self.lose()
        try:
            await asyncio.wait([self.ended])
        finally:
            self.transport.close()
        await asyncio.wait([self.gone])

    def hear(self, reply: BotReply) -> None:
        if isinstance(reply, BotReady):
            if not self.ready.done():
                self.ready.set_result(True)
        elif reply.number == self.number and not self.reply.done():
            self.reply.set_result(reply)
        else:
            log.error("bot worker %s answers what it was not asked", self.transport.get_pid())
            self.lose()

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.received += data
        while not self.lost.done() and len(self.received) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self.received)[0]
            if end > LONGEST_REPLY:
                log.error("bot worker %s writes something that is not a reply", self.transport.get_pid())
                self.lose()
            elif len(self.received) < end:
                return
            else:
                body = bytes(self.received[LENGTH.size : end])
                del self.received[:end]
                try:
                    self.hear(self.replies.decode(body))
                except msgspec.DecodeError:
                    log.exception("bot worker %s writes something that is not a reply", self.transport.get_pid())
                    self.lose()

    def process_exited(self) -> None:
        self.lose()
        self.ended.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set_result(None)


class BotWorkers:
    """All bot workers of a server.

    A question that takes longer than `patience` no longer counts against the `count` of processes: another is started
    beside it, up to `count` more. At `limit` its process is killed. Both are in seconds. Whoever starts them must stop
    them, after an error too: a loop that ends while one of its processes is being started may hang.
    """

    def __init__(
        self,
        count: int | None = None,
        limit: float = 10.0,
        patience: float = 0.5,
        command: Sequence[str] | None = None,
    ) -> None:
        self.count = count if count is not None else max(2, os.cpu_count() or 1)
        self.limit = limit
        self.patience = min(patience, limit)
        self.command = command or COMMAND
        self.busy = 0  # workers that think
        self.replaced = 0  # workers that were lost, from the start on
        self._slow = 0  # workers that think for longer than `patience`
        self._ready = 0  # workers that can be asked, or are being asked
        self._last_ready = 0.0  # when there was one, if there is none now
        self._places: set[asyncio.Task[None]] = set()  # each has one worker, or is about to
        self._workers: set[Worker] = set()
        self._free: list[asyncio.Future[Question]] = []  # of workers that wait for a question
        self._queue: BotQueue[Question] = BotQueue()
        self._open: set[Question] = set()  # all that have no answer yet
        self._numbers = itertools.count(1)
        self._stopping: asyncio.Future[None] | None = None

    @property
    def queued(self) -> int:
        """Questions that wait for a worker."""
        return len(self._queue.waiting)

    def figures(self) -> dict[str, int]:
        return {"busy": self.busy, "queued": self.queued, "replaced": self.replaced}

    async def start(self) -> None:
        """Starts the processes, and does not wait until they are ready: questions do."""
        loop = asyncio.get_running_loop()
        self._stopping = loop.create_future()
        self._last_ready = loop.time()
        self._fill_places()

    async def stop(self) -> None:
        """Ends all processes; questions without an answer get None."""
        if self._stopping is None:
            return
        if not self._stopping.done():
            self._stopping.set_result(None)
        for question in self._open:
            question.settle(None)
        for worker in self._workers:
            worker.lose()
        if self._places:
            await asyncio.wait(self._places)

    async def choose(
        self,
        game_id: str,
        seats: int,
        options: Mapping[str, OptionValue],
        sight: bytes,
        seat: int,
        bot: str,
        volunteer: bool = False,
        *,
        person: str = "",
        table: str = "",
    ) -> BotAnswer | None:
        """A bot's answer out of its seat's sight, asked for a person's table; None if none can be had."""
        if self._is_stopping():
            return None
        number, seed = next(self._numbers), secrets.token_hex(16)
        asked = BotQuestion(number, game_id, seats, dict(options), sight, seat, bot, volunteer, seed)
        question = Question(asked, person, table)
        self._open.add(question)
        self._queue.add(question)
        self._hand_out()
        try:
            while not question.answer.done():
                left = self._hopeless_at(question) - asyncio.get_running_loop().time()
                if left <= 0:
                    log.error("bot %s can not be asked: no bot worker is ready", question.bot)
                    return None
                await asyncio.wait([question.answer], timeout=left)
            return question.answer.result()
        finally:
            self._open.discard(question)
            question.answer.cancel()
            self._queue.drop(question)

    def _is_stopping(self) -> bool:
        return self._stopping is None or self._stopping.done()

    def _hopeless_at(self, question: Question) -> float:
        """When a question is given up if there is no worker till then. While there is one, that is always later."""
        now = asyncio.get_running_loop().time()
        return max(question.since, now if self._ready else self._last_ready) + self.limit

    def _hand_out(self) -> None:
        while self._free and (question := self._queue.take()) is not None:
            self._free.pop().set_result(question)

    # Places: as many as there should be processes. A place starts its process, and starts it again when it is lost.

    def _wanted_places(self) -> int:
        return self.count + min(self.count, self._slow)

    def _fill_places(self) -> None:
        while len(self._places) < self._wanted_places() and not self._is_stopping():
            self._places.add(asyncio.create_task(self._keep_place()))

    async def _keep_place(self) -> None:
        pause = 0.0
        try:
            while not self._is_stopping() and len(self._places) <= self._wanted_places():
                # Whoever takes a question down with it is replaced at once: there are no more of them than questions.
                pause = 0.0 if await self._employ() else min(max(FIRST_PAUSE, 2 * pause), LONGEST_PAUSE)
                assert self._stopping is not None
                await asyncio.wait([self._stopping], timeout=pause)
        finally:
            self._places.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _employ(self) -> int:
        """One process from its start to its end. Says how many questions it was asked."""
        try:
            _, worker = await asyncio.get_running_loop().subprocess_exec(
                Worker, *self.command, stdin=PIPE, stdout=PIPE, stderr=None
            )
        except Exception as reason:  # whatever it is, the next try comes after a pause
            log.error("bot worker %s can not be started: %s", self.command[0], reason)
            return 0
        self._workers.add(worker)
        try:
            if self._is_stopping():
                worker.lose()
            await self._serve(worker)
        finally:
            self._workers.discard(worker)
            if worker.lost.done() and not self._is_stopping():
                self.replaced += 1
                log.warning("bot worker %s is replaced", worker.transport.get_pid())
            await worker.end()
        return worker.asked

    async def _serve(self, worker: Worker) -> None:
        """Bring questions to a worker until it is lost, or one too many."""
        await asyncio.wait([worker.ready], timeout=LONGEST_START)
        if not worker.ready.done() or not worker.ready.result():
            worker.lose()
            return
        self._ready += 1
        try:
            while not worker.lost.done() and (question := await self._next_question(worker)):
                try:
                    await self._put(question, worker)
                finally:
                    self._queue.done(question)
        finally:
            self._ready -= 1
            self._last_ready = asyncio.get_running_loop().time()

    async def _next_question(self, worker: Worker) -> Question | None:
        """Waits for a question; None if the worker is lost, or one too many."""
        question: asyncio.Future[Question] = asyncio.get_running_loop().create_future()
        either: list[asyncio.Future[Any]] = [question, worker.lost]
        self._free.append(question)
        self._hand_out()
        while not question.done():
            done, _ = await asyncio.wait(either, timeout=LINGER, return_when=asyncio.FIRST_COMPLETED)
            too_many = not done and len(self._workers) > self._wanted_places()
            if not question.done() and (worker.lost.done() or too_many):
                self._free.remove(question)
                self._workers.discard(worker)  # now, so that of several that wait for nothing only the extra ones leave
                return None
        return question.result()

    async def _put(self, question: Question, worker: Worker) -> None:
        """Put a question to a worker, and settle it by the reply."""
        if question.answer.done():
            return  # nobody wants it any more
        if worker.lost.done():
            self._ask_next(question)
            return
        reply = worker.ask(question)
        self.busy += 1
        try:
            await asyncio.wait([reply], timeout=self.patience)
            if not reply.done():
                await self._wait_longer(reply)
        finally:
            self.busy -= 1
        said = reply.result() if reply.done() else None
        if isinstance(said, BotAnswer):
            question.settle(said)
        elif isinstance(said, BotFailure):
            log.error("bot %s failed: %s", question.bot, said.reason)
            question.settle(None)
        else:
            worker.lose()
            question.failures += 1
            if question.failures == TRIES:
                log.error("bot %s has no answer after %s tries", question.bot, TRIES)
                question.settle(None)
            elif not question.answer.done():
                self._ask_next(question)

    async def _wait_longer(self, reply: asyncio.Future[BotAnswer | BotFailure | None]) -> None:
        self._slow += 1
        self._fill_places()
        try:
            await asyncio.wait([reply], timeout=self.limit - self.patience)
        finally:
            self._slow -= 1

    def _ask_next(self, question: Question) -> None:
        question.again = True
        self._queue.add(question)
        self._hand_out()
