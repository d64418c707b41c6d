"""What the tests of the command line share. Commands run in a process of their own, or in this one where that is
enough."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from polikarp.cli import main

Outcome = subprocess.CompletedProcess[str]
Command = Callable[..., Outcome]

PROGRAM = (sys.executable, "-m", "polikarp.cli")
PATIENCE = 300  # seconds after which a command of the tests is said to hang, on however busy a machine


@pytest.fixture(scope="session")
def surroundings() -> dict[str, str]:
    """The environment of a command: as here, but in English, and with paths that hold in any folder."""
    kept = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES")}
    kept.pop("PYTHONUNBUFFERED", None)  # output waits in its buffer, as it does for most people
    kept["LANG"] = "C.UTF-8"
    if "PYTHONPATH" in kept:
        kept["PYTHONPATH"] = os.pathsep.join(str(Path(part).resolve()) for part in kept["PYTHONPATH"].split(os.pathsep))
    return kept


@pytest.fixture
def run(surroundings: dict[str, str], tmp_path: Path) -> Command:
    """Runs a command in a process of its own, in an empty folder. Names in capitals are set in its environment."""

    def run(*args: str | bytes, stdin: str | bytes = b"", **changed: str) -> Outcome:
        done = subprocess.run(
            [*PROGRAM, *args],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**surroundings, **changed},
            timeout=PATIENCE,
        )
        return Outcome(args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")

    def call(*args: str) -> Outcome:
        capsys.readouterr()
        try:
            status = main(args)
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        return Outcome(args, status, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def record_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a finished game of three."""
    path = tmp_path_factory.mktemp("records") / "three.json"
    assert (
        main(["record", "crypt", "--seats", "3", "--bots", "greedy,random,greedy", "--seed", "1", "-o", str(path)]) == 0
    )
    return path


@pytest.fixture(scope="session")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a game of one bot that searches and two that do not."""
    path = tmp_path_factory.mktemp("weighed") / "game.json"
    bots = "strong:simulations=120,greedy,random"
    assert main(["record", "gold", "--seats", "3", "--bots", bots, "--seed", "why", "-o", str(path)]) == 0
    return path


def assert_refused(outcome: Outcome, status: int, *words: str) -> None:
    """The command ended with this status and one clean line on stderr, in which these words stand."""
    assert "Traceback" not in outcome.stderr
    assert outcome.returncode == status, outcome.stderr
    assert outcome.stdout == ""
    assert outcome.stderr.endswith("\n")
    line = outcome.stderr[:-1]
    assert line.startswith("polikarp")
    assert line.isprintable(), line
    for word in words:
        assert word in line


def files_in(folder: Path) -> set[Path]:
    """Everything in a folder, hidden files too."""
    return set(folder.rglob("*"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests that are slow by nature")
    parser.addoption("--quick", action="store_true", help="only tests that start no server, browser or other process")
    parser.addoption("--seeds", type=int, help="with how many random games every setting of a game is checked")


def pytest_configure(config: pytest.Config) -> None:
    """A shell starts what runs in the background deaf to interrupts, and so would be every command that a test starts
    and then interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# What a file of tests that starts servers, browsers or other processes has in it.
STARTS = re.compile(r"tests\.server\.(playing|house)|tests\.web\.|tests\.store|playwright|subprocess|\brun: Command")


@cache
def starts_processes(path: Path) -> bool:
    return STARTS.search(path.read_text("utf-8")) is not None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not asked for. The clean install takes longest: it begins first, so that nobody waits for it
    at the end."""
    quick, long = config.getoption("--quick"), config.getoption("--long")

    def wanted(item: pytest.Item) -> bool:
        return (long or not item.get_closest_marker("long")) and not (quick and starts_processes(item.path))

    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = sorted(filter(wanted, items), key=lambda item: "test_install" not in item.nodeid)
