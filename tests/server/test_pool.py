"""Bots in processes of their own. Every test runs real processes, under asyncio's own loop and under uvloop."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from polikarp.bots import make_bot, thoughts_of
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat
from polikarp.games import all_games
from polikarp.server.bots import pool as bot_workers
from polikarp.server.bots.pool import BotWorkers
from tests.server.playing import eventually, wait_until

LONG = 60.0  # seconds: longer than anything takes that goes well, on the slowest machine
CRYPT = all_games()["crypt"]
START = CRYPT.start(3, {"collectors": "B"}, FastRng("start"))
Test = Callable[[BotWorkers], Coroutine[Any, Any, None]]
Run = Callable[[Test, BotWorkers], None]


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Run:
    """Runs a test with its workers; afterwards no process may be left, and the loop has nothing to complain about."""
    runner = asyncio.run if request.param == "asyncio" else pytest.importorskip("uvloop").run

    async def start_and_stop(test: Test, workers: BotWorkers) -> None:
        await workers.start()
        try:
            async with asyncio.timeout(2 * LONG):
                await test(workers)
        finally:
            await workers.stop()

    def run(test: Test, workers: BotWorkers) -> None:
        runner(start_and_stop(test, workers))
        assert not [pid for pid in started(tmp_path) if exists(pid)]
        gc.collect()  # what was not closed warns now
        assert not [record for record in caplog.records if record.name == "asyncio" and record.levelno > logging.INFO]

    return run


@pytest.fixture
def toys(tmp_path: Path) -> list[str]:
    """The command of a worker with the toy bots."""
    return [sys.executable, str(Path(__file__).with_name("slow_worker.py")), str(tmp_path)]


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The seeds of the questions, one after the other."""
    count = itertools.count()
    monkeypatch.setattr(secrets, "token_hex", lambda size: f"seed {next(count)}")
    return (f"seed {number}" for number in itertools.count())


def started(folder: Path) -> list[int]:
    """The processes of the workers that were ever started here."""
    return [int(path.name.removeprefix("started-")) for path in folder.glob("started-*")]


def thinking(folder: Path) -> list[int]:
    return [int(path.name.removeprefix("thinking-")) for path in folder.glob("thinking-*")]


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def running(pid: int) -> bool:
    """Whether a process is there, and not just waiting to be reaped by whoever inherited it."""
    if not exists(pid):
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return exists(pid)


async def until(condition: Callable[[], object]) -> None:
    """Waits for something to become true."""
    await eventually(condition, LONG)


def soon(condition: Callable[[], object]) -> bool:
    """Whether something becomes true, without a loop."""
    wait_until(condition, LONG)
    return True


async def ask(workers: BotWorkers, bot: str, seat: int = 0, volunteer: bool = False) -> int | None:
    """Asks one of the toy bots."""
    sight = START.sight(seat).to_bytes()
    answer = await workers.choose("toy", 3, {"collectors": "B"}, sight, seat, bot, volunteer)
    return None if answer is None else answer.move


async def ready(workers: BotWorkers) -> int:
    """Waits for the first worker, and says which it is."""
    while (pid := await ask(workers, "quick")) is None:
        pass
    return pid


def positions() -> list[tuple[State, int]]:
    """Positions of one game of Crypt, each with a seat that it waits for."""
    rng = FastRng("game")
    state = CRYPT.start(3, {"collectors": "B"}, rng)
    found: list[tuple[State, int]] = []
    while state.waiting:
        seat = int(first_seat(state.waiting))
        found.append((state.sight(seat), seat))
        state.apply(seat, state.pick(seat, rng), rng)
    return found


def test_workers_answer_as_the_bots_themselves_do(run: Run, seeds: Iterator[str]) -> None:
    asked = [(sight, seat, bot) for sight, seat in positions() for bot in ("greedy", "random")]
    expected = [make_bot(CRYPT, bot).choose(sight.copy(), seat, FastRng(next(seeds))) for sight, seat, bot in asked]

    async def test(workers: BotWorkers) -> None:
        questions = [
            workers.choose("crypt", 3, {"collectors": "B"}, sight.to_bytes(), seat, bot) for sight, seat, bot in asked
        ]
        assert [answer and answer.move for answer in await asyncio.gather(*questions)] == expected
        assert (workers.busy, workers.queued, workers.replaced) == (0, 0, 0)

    assert len(set(expected)) > 10
    run(test, BotWorkers(3, limit=LONG))


def test_a_bot_that_searches_says_what_it_considered(run: Run, seeds: Iterator[str]) -> None:
    sight, seat = positions()[0]
    bot = make_bot(CRYPT, "strong:simulations=100")
    move = bot.choose(sight.copy(), seat, FastRng(next(seeds)))
    expected = thoughts_of(CRYPT, bot, move)
    assert expected is not None

    async def test(workers: BotWorkers) -> None:
        for name, thoughts in (("strong:simulations=100", expected), ("greedy", None)):
            answer = await workers.choose("crypt", 3, {"collectors": "B"}, sight.to_bytes(), seat, name)
            assert answer is not None
            assert answer.thoughts == thoughts

    run(test, BotWorkers(1, limit=LONG))


def test_a_bot_that_foresaw_the_question_goes_on_thinking(run: Run) -> None:
    """Twice in a turn, by one worker: the second time it has thought longer. Another bot begins anew."""
    tries, chance = 40, FastRng("worker")
    state = CRYPT.start(2, {}, chance)
    name = f"strong:simulations={tries}"

    async def test(workers: BotWorkers) -> None:
        more = 0
        for number in range(12):
            seat = first_seat(state.waiting)
            sight = state.sight(seat).to_bytes()
            other = await workers.choose("crypt", 2, {}, sight, seat, f"strong:simulations={number + 2}")
            answer = await workers.choose("crypt", 2, {}, sight, seat, name)
            assert answer is not None
            assert other is not None
            state.apply(seat, answer.move, chance)
            if answer.thoughts is not None:
                assert other.thoughts is not None
                assert other.thoughts.visits == number + 2
                more += answer.thoughts.visits > tries
        assert more > 2

    run(test, BotWorkers(1, limit=LONG))


def test_a_bot_is_asked_for_what_it_volunteers(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        assert await ask(workers, "eager", seat=2) == 2
        assert await ask(workers, "eager", seat=2, volunteer=True) == 102
        assert await ask(workers, "quick", volunteer=True) == -1

    run(test, BotWorkers(1, limit=LONG, command=toys))


def test_workers_think_side_by_side_and_the_rest_waits_in_line(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    order: list[int] = []

    async def test(workers: BotWorkers) -> None:
        async def wait_in_line(seat: int) -> None:
            assert await ask(workers, "eager", seat) == seat
            order.append(seat)

        slow = [asyncio.create_task(ask(workers, "slow")) for _ in range(2)]
        await until(lambda: len(thinking(tmp_path)) == 2)
        line = [asyncio.create_task(wait_in_line(seat)) for seat in (2, 0, 1)]
        await until(lambda: workers.queued == 3)
        assert workers.busy == 2
        held, other = thinking(tmp_path)
        os.kill(held, signal.SIGSTOP)  # so that the other worker does all the rest
        (tmp_path / "go").touch()
        await asyncio.gather(*line)
        assert order == [2, 0, 1]
        os.kill(held, signal.SIGCONT)
        assert set(await asyncio.gather(*slow)) == {held, other}
        assert len(started(tmp_path)) == 2

    run(test, BotWorkers(2, limit=LONG, patience=LONG, command=toys))


def test_a_killed_worker_is_replaced_and_its_question_asked_again(
    run: Run, toys: Sequence[str], tmp_path: Path
) -> None:
    async def test(workers: BotWorkers) -> None:
        question = asyncio.create_task(ask(workers, "slow"))
        await until(lambda: thinking(tmp_path))
        victim = thinking(tmp_path)[0]
        os.kill(victim, signal.SIGKILL)
        assert await ask(workers, "eager", seat=1) == 1  # the others go on
        await until(lambda: len(thinking(tmp_path)) == 2)
        (tmp_path / "go").touch()
        answer = await question
        assert answer != victim
        assert answer in thinking(tmp_path)
        await until(lambda: len(started(tmp_path)) == 3)
        assert workers.replaced == 1

    run(test, BotWorkers(2, limit=LONG, patience=LONG, command=toys))


def test_a_worker_killed_between_questions_is_replaced(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        victim = await ready(workers)
        os.kill(victim, signal.SIGKILL)
        assert await ask(workers, "quick") not in (victim, None)  # asked before anybody noticed
        victim = await ready(workers)
        os.kill(victim, signal.SIGKILL)
        await until(lambda: workers.replaced == 2)
        assert await ask(workers, "quick") not in (victim, None)  # asked while there is none

    run(test, BotWorkers(1, limit=LONG, command=toys))


def test_a_crash_costs_a_second_try_and_two_cost_the_answer(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        assert await ask(workers, "crashing_once") is not None
        assert workers.replaced == 1
        assert await ask(workers, "crashing") is None
        assert await ask(workers, "eager", seat=2) == 2
        assert workers.replaced == 3

    run(test, BotWorkers(1, limit=LONG, command=toys))


def test_a_question_for_a_worker_just_lost_goes_to_another(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        await ready(workers)
        (worker,) = workers._workers
        worker.lose()  # and there was no time yet to take it off the list
        assert await ask(workers, "crashing_once") is not None  # so both tries are still left
        assert workers.replaced == 2

    run(test, BotWorkers(1, limit=LONG, patience=LONG, command=toys))


def test_many_crashes_lose_no_other_question(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        bots = ["crashing", "eager", "raising", "eager"] * 5
        answers = await asyncio.gather(*(ask(workers, bot, seat=at % 3) for at, bot in enumerate(bots)))
        assert answers == [at % 3 if bot == "eager" else None for at, bot in enumerate(bots)]
        assert await ask(workers, "eager", seat=1) == 1
        assert workers.replaced == 10

    run(test, BotWorkers(2, limit=LONG, patience=LONG, command=toys))


def test_a_thought_over_the_limit_is_ended_and_tried_once_more(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        both: set[int | None] = set()
        while len(both) < 2 or None in both:
            both = set(await asyncio.gather(ask(workers, "quick"), ask(workers, "quick")))
        answer = await ask(workers, "stuck_once")
        (stuck,) = thinking(tmp_path)
        assert both == {stuck, answer}
        await until(lambda: not exists(stuck))
        await until(lambda: len(started(tmp_path)) == 3)
        assert workers.replaced == 1

    run(test, BotWorkers(2, limit=2.0, patience=LONG, command=toys))


def test_a_bot_that_is_always_stuck_has_no_answer(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        stuck = await ready(workers)
        assert await ask(workers, "stuck") is None
        await until(lambda: not exists(stuck))
        assert await ready(workers) not in thinking(tmp_path)

    run(test, BotWorkers(1, limit=1.0, patience=LONG, command=toys))


def test_a_slow_thought_delays_nobody(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        await ready(workers)
        slow = asyncio.create_task(ask(workers, "slow"))
        await until(lambda: thinking(tmp_path))
        assert await ask(workers, "quick") not in [*thinking(tmp_path), None]
        assert not slow.done()
        assert workers.busy == 1
        (tmp_path / "go").touch()
        assert await slow == thinking(tmp_path)[0]

    run(test, BotWorkers(1, limit=LONG, patience=0.2, command=toys))


def test_there_are_at_most_as_many_extra_workers_as_usual_ones(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        slow = [asyncio.create_task(ask(workers, "slow")) for _ in range(3)]
        await until(lambda: len(thinking(tmp_path)) == 2)
        await asyncio.sleep(1)  # much longer than the patience
        assert len(started(tmp_path)) == 2
        assert (workers.busy, workers.queued) == (2, 1)
        (tmp_path / "go").touch()
        assert set(await asyncio.gather(*slow)) <= set(started(tmp_path))

    run(test, BotWorkers(1, limit=LONG, patience=0.1, command=toys))


def test_extra_workers_leave_when_there_is_no_work(
    run: Run, toys: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_workers, "LINGER", 0.1)

    async def test(workers: BotWorkers) -> None:
        slow = [asyncio.create_task(ask(workers, "slow")) for _ in range(4)]
        await until(lambda: len(thinking(tmp_path)) == 4)
        (tmp_path / "go").touch()
        await asyncio.gather(*slow)
        await until(lambda: sum(exists(pid) for pid in started(tmp_path)) == 2)
        await asyncio.sleep(0.5)  # five times as long as an extra one stays
        assert len(started(tmp_path)) == 4  # the usual ones stay as they are
        assert await ask(workers, "eager", seat=1) == 1
        assert workers.replaced == 0

    run(test, BotWorkers(2, limit=LONG, patience=0.1, command=toys))


@pytest.mark.parametrize("bot", ["raising", "leaving", "wordy", "huge", "nobody", "quick:level=3"])
def test_a_bot_that_fails_leaves_its_worker_sound(
    run: Run, toys: Sequence[str], tmp_path: Path, bot: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def test(workers: BotWorkers) -> None:
        worker = await ready(workers)
        assert await ask(workers, bot) is None
        assert await ask(workers, "quick") == worker
        assert workers.replaced == 0

    run(test, BotWorkers(1, limit=LONG, command=toys))
    assert f"bot {bot} of toy failed" in caplog.text


def test_what_is_wrong_in_a_question_leaves_the_worker_sound(run: Run, toys: Sequence[str]) -> None:
    async def test(workers: BotWorkers) -> None:
        worker = await ready(workers)
        sight = START.sight(0).to_bytes()
        assert await workers.choose("chess", 3, {}, sight, 0, "random") is None
        assert await workers.choose("crypt", 9, {}, sight, 0, "random") is None
        assert await workers.choose("crypt", 3, {"torches": 7}, sight, 0, "random") is None
        assert await workers.choose("crypt", 3, {}, b"no sight", 0, "random") is None
        assert await ask(workers, "quick") == worker

    run(test, BotWorkers(1, limit=LONG, command=toys))


def test_what_a_bot_prints_is_no_answer(
    run: Run, toys: Sequence[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)

    async def test(workers: BotWorkers) -> None:
        worker = await ready(workers)
        assert await ask(workers, "printing") == worker
        assert await ask(workers, "eager", seat=2) == 2
        assert workers.replaced == 0

    run(test, BotWorkers(1, limit=LONG, command=toys))
    printed = capfd.readouterr()
    assert printed.out == ""
    assert [line for line in printed.err.splitlines() if line.startswith("I ")] == ["I print", "I write"]


IMPOSTORS = {
    "not there": ["/nowhere/python"],
    "not a program": [os.devnull],
    "breaks at once": [sys.executable, "-c", "import nothing_of_this_name"],
    "is never ready": [sys.executable, "-c", "import time; time.sleep(1000)"],
    "talks nonsense": [sys.executable, "-c", "print('Good morning! How can I help you?', flush=True); input()"],
    "says nothing that means anything": [sys.executable, "-c", r"print('\0\0\0\1!', end='', flush=True); input()"],
}


@pytest.mark.parametrize("command", IMPOSTORS.values(), ids=IMPOSTORS)
def test_a_worker_that_can_not_start_gives_no_answer_and_does_not_spin(
    run: Run, command: Sequence[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def test(workers: BotWorkers) -> None:
        began = time.monotonic()
        assert await asyncio.gather(*(ask(workers, "quick") for _ in range(5))) == [None] * 5
        took = time.monotonic() - began
        assert 1.0 <= took < LONG / 2
        tries = workers.replaced + caplog.text.count("can not be started")
        assert tries <= 2 * (1 + took / bot_workers.FIRST_PAUSE)
        assert workers.queued == 0

    run(test, BotWorkers(2, limit=1.0, command=command))


def test_pauses_grow_while_workers_can_not_start(
    run: Run, toys: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_workers, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(bot_workers, "LONGEST_PAUSE", 0.3)
    tries = tmp_path / "tries"
    good = tmp_path / "good"
    code = f"""if True:
        import os, sys, time
        with open({str(tries)!r}, "a") as file:
            print(time.monotonic(), file=file)
        if os.path.exists({str(good)!r}):
            os.execv(sys.executable, {toys!r})
    """

    async def test(workers: BotWorkers) -> None:
        question = asyncio.create_task(ask(workers, "eager", seat=2))
        await until(lambda: workers.replaced >= 6)
        times = [float(line) for line in tries.read_text().split()]
        for at, pause in enumerate([0.05, 0.1, 0.2, 0.3, 0.3]):
            assert times[at + 1] - times[at] > 0.9 * pause  # timers may be a little early
        good.touch()
        assert await question == 2  # a question waits while there is hope

    run(test, BotWorkers(1, limit=LONG, command=[sys.executable, "-c", code]))


LIAR = """if True:
    import sys
    from polikarp.server.bots.worker import LENGTH, BotAnswer, BotReady, framed
    import msgspec
    out = sys.stdout.buffer
    out.write(framed(BotReady()))
    out.flush()
    while head := sys.stdin.buffer.read(4):
        number = msgspec.msgpack.decode(sys.stdin.buffer.read(LENGTH.unpack(head)[0]))["number"]
        out.write(SAYS)
        out.flush()
"""
LIES = {
    "another number": "framed(BotAnswer(number - 1, 5))",
    "a second answer": "framed(BotAnswer(number, 5)) + framed(BotAnswer(number, 6))",
    "an endless answer": "b'x' * 100",
}


@pytest.mark.parametrize("says", LIES.values(), ids=LIES)
def test_an_answer_to_no_question_is_given_to_nobody(run: Run, says: str) -> None:
    async def test(workers: BotWorkers) -> None:
        answers = [await ask(workers, "quick") for _ in range(3)]
        assert answers == ([5] * 3 if says == LIES["a second answer"] else [None] * 3)
        await until(lambda: workers.replaced == (3 if says == LIES["a second answer"] else 6))

    command = [sys.executable, "-c", LIAR.replace("SAYS", says)]
    run(test, BotWorkers(1, limit=LONG, patience=LONG, command=command))


def test_stopping_answers_every_question_with_nothing(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        pending = [asyncio.create_task(ask(workers, bot)) for bot in ("stuck", "slow", "quick")]
        await until(lambda: thinking(tmp_path))
        began = time.monotonic()
        await workers.stop()
        assert not [pid for pid in started(tmp_path) if exists(pid)]
        assert await asyncio.gather(*pending) == [None] * 3
        assert await ask(workers, "quick") is None
        await workers.stop()
        assert time.monotonic() - began < LONG / 2
        assert (workers.busy, workers.queued, workers.replaced) == (0, 0, 0)

    run(test, BotWorkers(1, limit=LONG, patience=LONG, command=toys))


@pytest.mark.parametrize("pauses", range(6))
def test_stopping_does_not_wait_for_workers_that_start(run: Run, toys: Sequence[str], pauses: int) -> None:
    async def test(workers: BotWorkers) -> None:
        question = asyncio.create_task(ask(workers, "quick"))
        for _ in range(pauses):
            await asyncio.sleep(0)
        await workers.stop()
        assert await question is None

    run(test, BotWorkers(2, limit=LONG, command=toys))


def test_workers_that_were_never_started_give_no_answer(run: Run) -> None:
    async def test(_: BotWorkers) -> None:
        idle = BotWorkers(1, limit=LONG)
        assert await ask(idle, "quick") is None
        await idle.stop()

    run(test, BotWorkers(0))


def test_stopping_ends_a_pause_between_tries(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_workers, "FIRST_PAUSE", 10 * LONG)
    monkeypatch.setattr(bot_workers, "LONGEST_PAUSE", 10 * LONG)

    async def test(workers: BotWorkers) -> None:
        await until(lambda: workers.replaced)

    run(test, BotWorkers(1, limit=LONG, command=[sys.executable, "-c", ""]))


def test_a_loop_that_ends_without_stopping_leaves_no_worker(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(_: BotWorkers) -> None:
        left = BotWorkers(2, limit=LONG, patience=LONG, command=toys)
        await left.start()
        question = asyncio.create_task(ask(left, "stuck"))
        await until(lambda: thinking(tmp_path) and len(started(tmp_path)) == 2)
        assert not question.done()

    run(test, BotWorkers(0))


def test_a_dropped_question_costs_no_worker_and_its_answer_goes_to_nobody(
    run: Run, toys: Sequence[str], tmp_path: Path
) -> None:
    async def test(workers: BotWorkers) -> None:
        asked = asyncio.create_task(ask(workers, "slow"))
        await until(lambda: thinking(tmp_path))
        waiting = asyncio.create_task(ask(workers, "crashing"))
        following = asyncio.create_task(ask(workers, "eager", seat=2))
        await until(lambda: workers.queued == 2)
        for dropped in (asked, waiting):
            dropped.cancel()
            with pytest.raises(asyncio.CancelledError):
                await dropped
        assert (workers.busy, workers.queued) == (1, 1)
        (tmp_path / "go").touch()
        assert await following == 2
        assert await ask(workers, "quick") == thinking(tmp_path)[0]
        assert workers.replaced == 0

    run(test, BotWorkers(1, limit=LONG, patience=LONG, command=toys))


def test_a_dropped_question_is_not_asked_again(run: Run, toys: Sequence[str], tmp_path: Path) -> None:
    async def test(workers: BotWorkers) -> None:
        dropped = asyncio.create_task(ask(workers, "slow"))
        await until(lambda: thinking(tmp_path))
        dropped.cancel()
        os.kill(thinking(tmp_path)[0], signal.SIGKILL)
        assert await ask(workers, "eager", seat=1) == 1
        assert len(thinking(tmp_path)) == 1

    run(test, BotWorkers(1, limit=LONG, patience=LONG, command=toys))


SERVER = """if True:
    import asyncio, sys
    from polikarp.server.bots.pool import BotWorkers

    async def main(sight, bots, command):
        workers = BotWorkers(len(bots) + 1, limit=1000.0, patience=1000.0, command=command)
        await workers.start()
        await asyncio.gather(*(workers.choose("toy", 3, {"collectors": "B"}, sight, 0, bot) for bot in bots))

    if sys.argv[1] == "uvloop":
        import uvloop
        uvloop.run(main(bytes.fromhex(sys.argv[2]), ["slow", "stuck"], sys.argv[3:]))
    else:
        asyncio.run(main(bytes.fromhex(sys.argv[2]), ["slow", "stuck"], sys.argv[3:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a compiled bot thinks to its end")
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_killed_server_leaves_no_worker_behind(toys: Sequence[str], tmp_path: Path, loop: str) -> None:
    pytest.importorskip(loop)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, loop, START.sight(0).to_bytes().hex(), *toys], stdin=subprocess.DEVNULL
    ) as server:
        assert soon(lambda: len(started(tmp_path)) == 3 and len(thinking(tmp_path)) == 2)
        server.kill()
    assert soon(lambda: not any(running(pid) for pid in started(tmp_path)))
