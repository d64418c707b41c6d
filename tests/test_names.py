"""Whoever changes `x.py` finds `test_x.py`, and the tests of a package are in the folder of its name. The rules of a
game are tested by chapters of its rulebook instead, and `git grep gold.12` finds the test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "polikarp"
FOLDERS = ("", "engine", "games", "bots", "lab", "store", "terminal")

# Modules that are tested under another name, and where.
ELSEWHERE = {
    "__init__": "tests/test_docs.py",
    "__main__": "tests/test_cli.py",
    "bots/fault": "tests/test_anywhere.py",
    "bots/seated": "tests/test_anywhere.py",
    "engine/build": "tests/test_parity.py",
    "engine/phrase": "tests/games/test_words.py",
    "engine/race": "tests/server/test_photo.py",
    "lab/bench_batch": "tests/test_bench.py",
    "lab/bench_openspiel": "tests/test_bench.py",
    "lab/bench_pettingzoo": "tests/test_bench.py",
    "lab/match": "tests/bots/test_bots.py",
    "lab/openspiel_game": "tests/lab/test_openspiel.py",
    "lab/pettingzoo_env": "tests/lab/test_pettingzoo.py",
    "lab/rate": "tests/lab/test_tournament.py",
    "lab/rows": "tests/lab/test_batch.py",
    "lab/simulate": "tests/test_cli.py",
    "store/opening": "tests/store/test_store.py",
}


def modules(folder: str) -> list[str]:
    """The modules of a package that have something in them to be tested."""
    found = []
    for path in sorted((PACKAGE / folder).glob("*.py")):
        if len(ast.parse(path.read_text("utf-8")).body) > 1:
            found.append(f"{folder}/{path.stem}".lstrip("/"))
    return found


def has_tests(module: str) -> bool:
    """In the folder of its package or above; those of a package itself are called like the package."""
    folder, _, name = module.rpartition("/")
    file = f"test_{folder if name == '__init__' else name}.py"
    return (TESTS / folder / file).is_file() or (TESTS / file).is_file()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder or "polikarp")
def test_every_module_has_tests_of_its_name(folder: str) -> None:
    without = [module for module in modules(folder) if not has_tests(module)]
    assert without == [module for module in sorted(ELSEWHERE) if Path(module).parent == Path(folder)]


@pytest.mark.parametrize("file", sorted(set(ELSEWHERE.values())))
def test_what_is_tested_elsewhere_is(file: str) -> None:
    assert (TESTS.parent / file).is_file()
