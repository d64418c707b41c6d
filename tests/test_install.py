"""The package installs from a checkout into an empty environment, with and without a C compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")


@pytest.mark.long
@pytest.mark.parametrize("compiler", [True, False], ids=["with a compiler", "without one"])
def test_a_clean_install_works(tmp_path: Path, compiler: bool) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for part in PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, checkout / part)
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CC")}
    environment.pop("POLIKARP_BUILD", None)
    environment["POLIKARP_OPT"] = "0"  # built soonest
    if not compiler:
        environment["PATH"] = str(home / "bin")
    run = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True}
    constraints = str(ROOT / "constraints.txt")
    command = [str(home / "bin" / "python"), "-m", "pip", "install", "-v", "-c", constraints, str(checkout)]
    installed = subprocess.run(command, check=False, **run)  # type: ignore[call-overload]
    assert installed.returncode == 0, installed.stderr
    said = installed.stdout + installed.stderr
    assert ("this is the slower pure build" in said) == (not compiler)
    polikarp = str(home / "bin" / "polikarp")
    version = subprocess.run([polikarp, "--version"], check=True, **run)  # type: ignore[call-overload]
    assert ("compiled" if compiler else "pure") in version.stdout
    command = [
        polikarp,
        "simulate",
        "crypt",
        "--seats",
        "3",
        "--games",
        "5",
        "--bots",
        "greedy",
        "--seed",
        "1",
        "--json",
    ]
    here = [sys.executable, "-m", "polikarp.cli", *command[1:]]
    there = subprocess.run(command, check=True, **run).stdout  # type: ignore[call-overload]
    assert without_seconds(there) == without_seconds(subprocess.check_output(here, text=True))


def without_seconds(line: str) -> str:
    before, _, after = line.partition('"seconds":')
    assert after
    return before + after.partition(",")[2]
