"""The whole suite, as `scripts/test` runs it: the checks, then both builds beside each other, and in the end where the
time went. With `--long`, what is slow by nature is tested too.

Everything runs on the compiled build. The pure build is the same Python but for the compiled files, so it gets the
tests of these: rules, bots, records and what every game must hold. With `--long` it gets the command line too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[1]
COMPILED = ROOT / ".build" / "compiled"
CORES = os.cpu_count() or 1
SLOWEST = 20
ONCE = ("lab", "server", "store", "web", "test_install.py")  # the same Python in both builds
COMMANDS = (
    "games/test_words.py",
    "terminal",
    "test_bench.py",
    "test_breaks.py",
    "test_cli.py",
    "test_cli_records.py",
    "test_docs.py",
)


class Spent(NamedTuple):
    """The time of one part of a run, in seconds: by the clock, and of work on all cores together."""

    name: str
    clock: float
    work: float


class Part:
    """A part of the run: a process whose output is kept or shown at once."""

    def __init__(self, name: str, command: list[str], output: IO[bytes] | None = None, **environment: str) -> None:
        self.name = name
        self.output = output
        self.began = time.monotonic()
        print(f"{name} …", file=sys.stderr, flush=True)
        self.process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )

    def ended(self, status: int, usage: resource.struct_rusage) -> Spent:
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return Spent(self.name, time.monotonic() - self.began, usage.ru_utime + usage.ru_stime)

    def said(self) -> str:
        assert self.output is not None
        self.output.seek(0)
        return self.output.read().decode("utf-8", "replace").rstrip()


class Test(NamedTuple):
    seconds: float
    build: str
    name: str


class Report:
    """What the runs of pytest found."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.tests: list[Test] = []

    def read(self, build: str, path: Path) -> None:
        if not path.exists():
            self.counts["error"] += 1
            return
        for suite in ElementTree.parse(path).getroot().iter("testsuite"):
            tests, failed, error, skipped = (
                int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
            )
            self.counts += Counter(failed=failed, passed=tests - failed - error - skipped, skipped=skipped, error=error)
            for case in suite.iter("testcase"):
                name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
                self.tests.append(Test(float(case.get("time", 0)), build, name))

    def closing_line(self, seconds: float) -> str:
        """As pytest writes it, for both builds together."""
        names = {"error": "error" if self.counts["error"] == 1 else "errors"}
        found = [
            f"{self.counts[what]} {names.get(what, what)}"
            for what in ("failed", "passed", "skipped", "error")
            if self.counts[what]
        ]
        minutes = f" ({timedelta(seconds=int(seconds))})" if seconds >= 60 else ""
        return f"{', '.join(found) or 'no tests ran'} in {seconds:.2f}s{minutes}"


class Suite:
    def __init__(self, folder: Path, long: bool) -> None:
        self.folder = folder
        self.long = long
        self.running: dict[int, Part] = {}
        self.spent: list[Spent] = []
        self.report = Report()
        self.failed = False
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        setting_up = time.time() - float(os.environ.get("POLIKARP_BEGAN", time.time()))
        self.began = time.monotonic() - setting_up
        # This process was scripts/test until a moment ago, so the work of its children was the set-up.
        self.spent.append(Spent("set-up", setting_up, sum(one.ru_utime + one.ru_stime for one in usage)))

    def start(self, part: Part) -> Part:
        self.running[part.process.pid] = part
        return part

    def next_end(self) -> Part:
        """Wait until some part ends. One that fails is remembered."""
        pid, status, usage = os.wait4(-1, 0)
        part = self.running.pop(pid)
        self.spent.append(part.ended(status, usage))
        self.failed |= part.process.returncode != 0
        return part

    def keep(self, name: str) -> IO[bytes]:
        return (self.folder / name).open("w+b")

    def pytest(self, build: str, *args: str) -> list[str]:
        long = ["--long"] if self.long else []
        return [sys.executable, "-m", "pytest", *long, f"--junitxml={self.folder / build}.xml", *args]

    def start_pure(self) -> Part:
        left = [f"--ignore=tests/{name}" for name in ONCE + (() if self.long else COMMANDS)]
        command = self.pytest("pure", "--seeds=1", *left)
        return self.start(Part("the pure build", command, self.keep("pure"), POLIKARP_EXPECT="pure"))

    def start_compiled(self) -> Part:
        command = self.pytest("compiled", f"-n{CORES}", "--dist=loadfile", "--no-loadscope-reorder")
        path = os.pathsep.join([str(COMPILED), *filter(None, [os.environ.get("PYTHONPATH")])])
        return self.start(Part("the compiled build", command, None, POLIKARP_EXPECT="compiled", PYTHONPATH=path))

    def run(self) -> None:
        """Checks and compiler first; if one of them fails, nothing is tested."""
        checks = self.start(Part("the checks", ["scripts/check"], self.keep("checks")))
        compiler = self.start(Part("compiling", [sys.executable, "scripts/compile.py"], self.keep("compiling")))
        while self.running:
            part = self.next_end()
            if part.output is not None and part.said():
                print(part.said(), flush=True)
            if self.failed and part in (checks, compiler):
                self.report.counts["error"] += 1
                return
        pure, compiled = self.start_pure(), self.start_compiled()
        while self.running:
            self.next_end()
        print(f"{pure.name}:\n{pure.said()}")
        for part in (compiled, pure):
            build = "compiled" if part is compiled else "pure"
            self.report.read(build, self.folder / f"{build}.xml")

    def stop(self) -> None:
        for part in self.running.values():
            part.process.terminate()
        while self.running:
            self.next_end()

    def tell(self) -> None:
        """The slowest tests, where the time went, and the closing line."""
        seconds = time.monotonic() - self.began
        print(f"\nthe {SLOWEST} slowest tests:")
        for test in sorted(self.report.tests, reverse=True)[:SLOWEST]:
            print(f"{test.seconds:8.1f} s  {test.build:8}  {test.name}")
        print(f"\n{'where the time went':20} {'by the clock':>14} {'work of ' + str(CORES) + ' cores':>18}")
        for one in self.spent:
            print(f"{one.name:20} {one.clock:12.0f} s {one.work:16.0f} s")
        work = sum(one.work for one in self.spent)
        print(f"{'all':20} {seconds:12.0f} s {work:16.0f} s, and {max(0.0, CORES * seconds - work):.0f} s of waiting\n")
        print(self.report.closing_line(seconds), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/test")
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(Path(folder), args.long)
        try:
            suite.run()
        finally:
            suite.stop()
        suite.tell()
        return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
