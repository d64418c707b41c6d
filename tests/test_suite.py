"""The run of all tests: what it says in the end, what it leaves out, and that it can be started anywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PATIENCE
from tests.suite import Report

ROOT = Path(__file__).parents[1]
CLOSING = re.compile(r"(?:\d+ (?:failed|passed|skipped|deselected|errors?)(?:, )?)+ in [0-9.]+s(?: \(\d+:\d\d:\d\d\))?")


def pytest_says(*args: str, launcher: tuple[str, ...] = (), **changed: str) -> str:
    """The output of a run in a process of its own, without a terminal."""
    command = [*launcher, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **changed},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout


def test_the_closing_line_is_that_of_pytest_for_both_builds(tmp_path: Path) -> None:
    test = tmp_path / "test_some.py"
    test.write_text(
        "import pytest\n\ndef test_one(): pass\n\ndef test_two(): assert 0\n\ndef test_three(): pytest.skip()\n"
    )
    report = Report()
    for build in ("compiled", "pure"):
        out = pytest_says(str(test), f"--rootdir={tmp_path}", "-q", f"--junitxml={tmp_path / build}.xml")
        assert "1 failed, 1 passed, 1 skipped in " in out
        report.read(build, tmp_path / f"{build}.xml")
    assert {(test.build, test.name.rpartition("::")[2]) for test in report.tests} == {
        (build, f"test_{name}") for build in ("compiled", "pure") for name in ("one", "two", "three")
    }
    assert report.closing_line(7.125) == "2 failed, 2 passed, 2 skipped in 7.12s"
    report.read("pure", tmp_path / "never made.xml")
    assert report.closing_line(3671) == "2 failed, 2 passed, 2 skipped, 1 error in 3671.00s (1:01:11)"
    for seconds in (7.125, 3671):
        assert CLOSING.fullmatch(report.closing_line(seconds))


def test_what_is_started_in_the_background_hears_interrupts(tmp_path: Path) -> None:
    """A shell without job control starts it with interrupts ignored, and so does `nohup scripts/test &`."""
    test = tmp_path / "test_stop.py"
    test.write_text(
        "import signal, subprocess, sys\n"
        "def test_stop():\n"
        "    sleeper = subprocess.Popen([sys.executable, '-c', 'import time; print(1, flush=True); time.sleep(99)'],\n"
        "                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)\n"
        "    sleeper.stdout.readline()\n"
        "    sleeper.send_signal(signal.SIGINT)\n"
        "    assert sleeper.wait() == -signal.SIGINT\n"
        "    sleeper.stdout.close()\n"
    )
    deaf = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    assert "1 passed" in pytest_says(str(test), f"--rootdir={tmp_path}", "-p", "tests.conftest", launcher=deaf)


@pytest.mark.parametrize(
    ("args", "collected"),
    [((), False), (("--long",), True), (("--long", "--quick"), False)],
    ids=["usual", "long", "quick"],
)
def test_what_is_slow_by_nature_is_run_when_it_is_asked_for(args: tuple[str, ...], collected: bool) -> None:
    said = pytest_says("--collect-only", "tests/test_install.py", *args)
    assert ("test_a_clean_install_works" in said) == collected
