"""The speed table: rates per CPU second on one core, measured in interleaved rounds.

Absolute times on shared machines are noise, so what counts are ratios: in every round each contestant runs once,
right after another, and a ratio is the median over the rounds. The pure build and OpenSpiel are measured beside
the compiled build in the same run.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from polikarp.engine.build import COMPILED
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat, playouts
from polikarp.games import find_game

Run = Callable[[], float]  # does some work; says the work done per CPU second


class Row(msgspec.Struct, frozen=True):
    """One line of the table. `target` is the ratio that we promise, where we promise one."""

    what: str
    ours: float
    against: str
    theirs: float
    ratio: float
    low: float  # the quartiles of the rounds' ratios
    high: float
    target: float | None

    @property
    def held(self) -> bool:
        return self.target is None or self.ratio >= self.target


class BenchTable(msgspec.Struct, frozen=True):
    """All lines, and what they were measured with."""

    build: str
    rounds: int
    rows: list[Row]

    def text(self) -> str:
        """The table for people."""
        lines = [f"{self.build} build, {self.rounds} interleaved rounds on one core, rates per CPU second", ""]
        lines.append(f"{'ours':44} {'rate':>10}   {'against':44} {'rate':>10}   ratio (quartiles)   target")
        for row in self.rows:
            target = "" if row.target is None else f"≥ {row.target:g} {'held' if row.held else 'NOT HELD'}"
            spread = f"{row.ratio:6.2f} ({row.low:.2f}–{row.high:.2f})"
            rates = f"{row.what:44} {si(row.ours):>10}   {row.against:44} {si(row.theirs):>10}"
            lines.append(f"{rates}   {spread:19} {target}")
        lost = [f"{row.what} against {row.against}" for row in self.rows if row.ratio < 1]
        lines += ["", f"Where we lose: {'; '.join(lost) or 'nowhere here'}"]
        return "\n".join(line.rstrip() for line in lines)


def si(rate: float) -> str:
    """A rate with a unit prefix."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.2f} {unit}"
    return f"{rate:.1f}"


def rate(work: Callable[[], int]) -> float:
    began = time.process_time()
    done = work()
    return done / (time.process_time() - began)


def inside(game: str, seats: int, games: int, per_move: bool) -> Run:
    """Random games inside the engine, from one dealt position."""
    rng = FastRng(1)
    start = find_game(game).start(seats, {}, rng)

    def work() -> int:
        moves = playouts(start, games, rng)
        return moves if per_move else games

    return lambda: rate(work)


def stepped(game: str, seats: int, games: int, per_move: bool) -> Run:
    """Random games stepped from Python: ask for the moves, choose one, play it."""
    rng = FastRng(1)
    start = find_game(game).start(seats, {}, rng)
    pick = random.Random(1)

    def play(state: State) -> int:
        state.deal(rng)
        moves = 0
        while state.waiting:
            seat = first_seat(state.waiting)
            state.apply(seat, pick.choice(state.moves(seat)), rng)
            moves += 1
        return moves

    def work() -> int:
        moves = sum(play(start.copy()) for _ in range(games))
        return moves if per_move else games

    return lambda: rate(work)


class Worker:
    """Another Python process that answers each line with a rate. Here: the pure build of this very package."""

    def __init__(self, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shutil.copytree(Path(__file__).parents[1], folder / "polikarp", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, "-m", "polikarp.lab.bench"]
        self.process = stack.enter_context(
            subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(self.process.kill)

    def run(self, game: str, seats: int, games: int, per_move: bool) -> Run:
        def ask() -> float:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            print(game, seats, games, int(per_move), file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
            if not answer:
                raise UsageError("the pure build, which runs beside this one, has stopped")
            return float(answer)

        return ask


def answer_as_worker() -> None:
    """The other end of `Worker`."""
    runs: dict[str, Run] = {}
    for line in sys.stdin:
        if line not in runs:
            game, seats, games, per_move = line.split()
            runs[line] = inside(game, int(seats), int(games), per_move == "1")
        print(runs[line](), flush=True)


class OpenSpiel:
    """OpenSpiel's own random play: its C++ rollouts, and its Python API."""

    def __init__(self) -> None:
        try:
            import pyspiel
        except ImportError:
            raise UsageError("OpenSpiel is not installed; install it with: pip install 'polikarp[openspiel]'") from None
        self.pyspiel: Any = pyspiel

    def first_decision(self, game: Any) -> Any:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(random.Random(1).choice(state.chance_outcomes())[0])
        return state

    def rollouts(self, name: str, games: int, per_move: bool) -> Run:
        """C++ rollouts from the first decision: one simulation of its MCTS bot evaluates it by `games` of them."""
        game = self.pyspiel.load_game(name)
        start = self.first_decision(game)
        moves = self.mean_length(start) if per_move else 1.0

        def run() -> float:
            evaluator = self.pyspiel.RandomRolloutEvaluator(games, random.getrandbits(30))
            bot = self.pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1000, False, 1, False)
            began = time.process_time()
            bot.mcts_search(start)
            return games * moves / (time.process_time() - began)

        return run

    def mean_length(self, start: Any) -> float:
        """Decisions in a random game; draws of chance are not counted, here and in our games."""
        pick = random.Random(1)
        return statistics.fmean(self.play(start.clone(), pick) for _ in range(200))

    def play(self, state: Any, pick: random.Random) -> int:
        """One random game; says how many decisions it had."""
        moves = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(pick.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(pick.choice(state.legal_actions()))
                moves += 1
        return moves

    def stepped(self, name: str, games: int, per_move: bool) -> Run:
        """The same loop through the Python API, from the deal on."""
        game = self.pyspiel.load_game(name)
        pick = random.Random(1)

        def work() -> int:
            moves = sum(self.play(game.new_initial_state(), pick) for _ in range(games))
            return moves if per_move else games

        return lambda: rate(work)


class Pair:
    """Two contestants for one line of the table."""

    def __init__(self, what: str, ours: Run, against: str, theirs: Run, target: float | None = None) -> None:
        self.what, self.ours, self.against, self.theirs, self.target = what, ours, against, theirs, target
        self.rates: list[tuple[float, float]] = []

    def measure(self, ours_first: bool) -> None:
        """One round; who runs first changes from round to round."""
        if ours_first:
            mine = self.ours()
            self.rates.append((mine, self.theirs()))
        else:
            others = self.theirs()
            self.rates.append((self.ours(), others))

    def row(self) -> Row:
        ratios = sorted(mine / others for mine, others in self.rates)
        quarter = len(ratios) // 4
        return Row(
            what=self.what,
            ours=statistics.median(mine for mine, _ in self.rates),
            against=self.against,
            theirs=statistics.median(others for _, others in self.rates),
            ratio=statistics.median(ratios),
            low=ratios[quarter],
            high=ratios[-1 - quarter],
            target=self.target,
        )


def pairs(against: str | None, stack: ExitStack) -> list[Pair]:
    """All that is measured."""
    listed = []
    if COMPILED:
        pure = Worker(stack)
        listed += [
            Pair(
                "crypt, 4 seats, inside: moves",
                inside("crypt", 4, 2000, True),
                "the pure build",
                pure.run("crypt", 4, 20, True),
                15,
            ),
            Pair(
                "gold, 4 seats, inside: moves",
                inside("gold", 4, 4000, True),
                "the pure build",
                pure.run("gold", 4, 30, True),
                15,
            ),
            Pair(
                "melee, 4 seats, inside: moves",
                inside("melee", 4, 2000, True),
                "the pure build",
                pure.run("melee", 4, 20, True),
                15,
            ),
            Pair(
                "leduc inside: games",
                inside("leduc", 2, 200_000, False),
                "the pure build",
                pure.run("leduc", 2, 4000, False),
                15,
            ),
        ]
    if against == "openspiel":
        openspiel = OpenSpiel()
        listed += [
            Pair(
                "leduc inside: games",
                inside("leduc", 2, 200_000, False),
                "OpenSpiel C++ rollouts of leduc_poker",
                openspiel.rollouts("leduc_poker", 40_000, False),
                4,
            ),
            Pair(
                "leduc stepped from Python: games",
                stepped("leduc", 2, 8000, False),
                "OpenSpiel Python API, leduc_poker",
                openspiel.stepped("leduc_poker", 2500, False),
                3,
            ),
            Pair(
                "crypt, 4 seats, inside: moves",
                inside("crypt", 4, 2000, True),
                "OpenSpiel C++ rollouts of hearts",
                openspiel.rollouts("hearts", 2000, True),
                1,
            ),
            Pair(
                "crypt, 4 seats, inside: moves",
                inside("crypt", 4, 2000, True),
                "OpenSpiel C++ rollouts of euchre",
                openspiel.rollouts("euchre", 4000, True),
            ),
            Pair(
                "melee, 4 seats, inside: moves",
                inside("melee", 4, 400, True),
                "OpenSpiel C++ rollouts of hearts",
                openspiel.rollouts("hearts", 2000, True),
            ),
            Pair(
                "melee, 4 seats, inside: moves",
                inside("melee", 4, 400, True),
                "OpenSpiel C++ rollouts of euchre",
                openspiel.rollouts("euchre", 4000, True),
            ),
            Pair(
                "melee, 4 seats, stepped from Python: moves",
                stepped("melee", 4, 30, True),
                "OpenSpiel Python API, hearts",
                openspiel.stepped("hearts", 100, True),
            ),
            Pair(
                "crypt, 4 seats, stepped from Python: moves",
                stepped("crypt", 4, 100, True),
                "OpenSpiel Python API, hearts",
                openspiel.stepped("hearts", 100, True),
            ),
            Pair(
                "gold, 4 seats, inside: moves",
                inside("gold", 4, 4000, True),
                "OpenSpiel C++ rollouts of hearts",
                openspiel.rollouts("hearts", 2000, True),
                1,
            ),
            Pair(
                "gold, 4 seats, inside: moves",
                inside("gold", 4, 4000, True),
                "OpenSpiel C++ rollouts of euchre",
                openspiel.rollouts("euchre", 4000, True),
                1,
            ),
        ]
    return listed


def bench(against: str | None, rounds: int, show: bool) -> BenchTable:
    """Measure everything, round by round, on one core."""
    if not COMPILED and against is None:
        raise UsageError("this is the pure build, with nothing to measure it against; see --against")
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    with ExitStack() as stack:
        if cores:
            os.sched_setaffinity(0, {min(cores)})
            stack.callback(os.sched_setaffinity, 0, cores)
        contest = pairs(against, stack)
        for number in range(rounds + 1):  # the first round warms up
            for pair in contest:
                pair.measure(number % 2 == 0)
            if number == 0:
                for pair in contest:
                    pair.rates.clear()
            if show:
                sys.stderr.write(f"\rround {number} of {rounds}" if number < rounds else "\r\033[K")
                sys.stderr.flush()
    return BenchTable("compiled" if COMPILED else "pure", rounds, [pair.row() for pair in contest])


if __name__ == "__main__":
    answer_as_worker()
