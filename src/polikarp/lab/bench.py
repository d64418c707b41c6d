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
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path

import msgspec

from polikarp.bots import LONGEST
from polikarp.bots.search import SearchBot
from polikarp.engine.build import COMPILED
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat, playouts
from polikarp.games import find_game
from polikarp.lab.rate import Run, rate


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


def searched(game: str, seats: int, simulations: int) -> Run:
    """The first decision of a game by search, with a random playout for each simulation."""
    rng = FastRng(1)
    start = find_game(game).start(seats, {}, rng)
    seat = first_seat(start.waiting)
    sight = start.sight(seat)

    def work() -> int:
        SearchBot(simulations, LONGEST).choose(sight, seat, rng)
        return simulations

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


def beside_pure(stack: ExitStack) -> list[Pair]:
    """The compiled build beside the pure one."""
    pure = Worker(stack)

    def pair(what: str, game: str, seats: int, many: int, few: int, per_move: bool = True) -> Pair:
        ours, theirs = inside(game, seats, many, per_move), pure.run(game, seats, few, per_move)
        return Pair(what, ours, "the pure build", theirs, 15)

    return [
        pair("crypt, 4 seats, inside: moves", "crypt", 4, 2000, 20),
        pair("gold, 4 seats, inside: moves", "gold", 4, 4000, 30),
        pair("melee, 4 seats, inside: moves", "melee", 4, 2000, 20),
        pair("leduc inside: games", "leduc", 2, 200_000, 4000, per_move=False),
    ]


def paced(count: int) -> int:
    """So much work for the compiled build; for the pure one, what it does in about the time."""
    return count if COMPILED else count // 20


def beside_openspiel() -> list[Pair]:
    """Our play, search and batches beside OpenSpiel's."""
    try:
        from polikarp.lab import bench_openspiel as openspiel
        from polikarp.lab.bench_batch import batched
    except ImportError:
        raise UsageError("OpenSpiel is not installed; install it with: pip install 'polikarp[openspiel]'") from None

    def rolled(game: str, games: int, name: str, their_games: int, target: float | None = None) -> Pair:
        theirs = openspiel.rollouts(name, their_games, True)
        ours = inside(game, 4, paced(games), True)
        return Pair(f"{game}, 4 seats, inside: moves", ours, f"OpenSpiel C++ rollouts of {name}", theirs, target)

    def walked(game: str, games: int) -> Pair:
        theirs = openspiel.stepped("hearts", 100, True)
        ours = stepped(game, 4, games, True)
        return Pair(f"{game}, 4 seats, stepped from Python: moves", ours, "OpenSpiel Python API, hearts", theirs)

    def learned(game: str, steps: int) -> Pair:
        theirs = openspiel.environment("euchre", 15)
        ours = batched(game, 4, paced(steps))
        return Pair(f"{game}, 4 seats, batched: steps", ours, "OpenSpiel rl_environment, euchre", theirs, 50)

    return [
        Pair(
            "leduc inside: games",
            inside("leduc", 2, paced(200_000), False),
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
        rolled("crypt", 2000, "hearts", 2000, 1),
        rolled("crypt", 2000, "euchre", 4000),
        rolled("melee", 400, "hearts", 2000),
        rolled("melee", 400, "euchre", 4000),
        walked("melee", 30),
        walked("crypt", 100),
        rolled("gold", 4000, "hearts", 2000, 1),
        rolled("gold", 4000, "euchre", 4000, 1),
        Pair(
            "gold, 4 seats, search: simulations",
            searched("gold", 4, paced(3000)),
            "OpenSpiel C++ ISMCTS on hearts",
            openspiel.search("hearts", 3000),
            2,
        ),
        learned("gold", 120),
        learned("crypt", 80),
    ]


def beside_pettingzoo() -> list[Pair]:
    """Our batches beside PettingZoo's fastest."""
    try:
        from polikarp.lab.bench_batch import batched
        from polikarp.lab.bench_pettingzoo import fastest

        name, theirs = fastest()
    except ImportError:
        raise UsageError(
            "PettingZoo's classic environments are not installed; install them with: pip install 'polikarp[bench]'"
        ) from None
    against = f"PettingZoo {name}, its fastest"
    return [
        Pair("gold, 4 seats, batched: steps", batched("gold", 4, paced(120)), against, theirs, 25),
        Pair("crypt, 4 seats, batched: steps", batched("crypt", 4, paced(80)), against, theirs),
    ]


def pairs(against: Collection[str], stack: ExitStack) -> list[Pair]:
    """All that is measured."""
    listed = []
    if "openspiel" in against:
        listed += beside_openspiel()
    if "pettingzoo" in against:
        listed += beside_pettingzoo()
    return (beside_pure(stack) if COMPILED else []) + listed


def bench(against: Collection[str], rounds: int, show: bool) -> BenchTable:
    """Measure everything, round by round, on one core."""
    if not COMPILED and not against:
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
