"""What is installed only on request: without it a command says in one line how to get it, and the others work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.playing import Guest, serving

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("asyncpg", "openskill"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from polikarp.cli import main
sys.exit(main())
"""
COMMAND = (sys.executable, "-c", WITHOUT)
DATABASE = "postgresql://somebody:secret@127.0.0.1:1/tables"


def called(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--port", "0", "--database", DATABASE, "--data", "{folder}"),
        ("check", "--database", DATABASE, "--data", "{folder}"),
    ],
)
def test_postgresql_without_what_speaks_to_it(command: tuple[str, ...], tmp_path: Path) -> None:
    made = called(*(part.format(folder=tmp_path) for part in command))
    assert made.returncode == 1
    assert made.stdout == ""
    assert made.stderr == "polikarp: asyncpg is not installed; get it with: pip install 'polikarp[postgres]'\n"


def test_a_tournament_without_what_rates_it() -> None:
    made = called("tournament", "crypt", "--seats", "2", "--bots", "greedy,random", "--deals", "2")
    assert made.returncode == 2
    assert made.stdout == ""
    assert made.stderr.strip() == "polikarp: openskill is not installed; get it with: pip install 'polikarp[lab]'"


def test_everything_else_works_without_them(tmp_path: Path) -> None:
    assert called("simulate", "crypt", "--seats", "2", "--games", "2", "--bots", "random").returncode == 0
    assert called("study", "crypt", "--seats", "2", "--games", "30", "--bot", "random").returncode == 0
    with serving(tmp_path / "data", command=(*COMMAND, "serve")) as server:
        guest = Guest(server.url)
        assert guest.table(game="crypt", seats=2)
        guest.http.close()
