"""Does a test fail when something is broken? `scripts/breaks gold gold.12`, `scripts/breaks engine rng`, or
`python -m tests.breaks` (mutation testing, with mutants written by hand).

`tests/GAME/breaks.toml` has breaks of every rule: a place in the game's folder, and what to put there so that the rule
no longer holds. Each is made in a copy of the source; then a test that names the rule must fail. If none of them does,
the other tests of the game and those of the contract are asked too: a break that only they notice lacks its test.
Where the engine or the server carries a rule out, a list may name their files, and further files of tests.

`tests/PART/breaks.toml`, such as that of the engine, has breaks of modules, and a test of that module must fail.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import os
import re
import resource
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
PATIENCE = 90  # seconds of work after which a test is said to never end
FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+)", re.MULTILINE)


class Break(NamedTuple):
    """One way to break a rule or a module, told as what would then be so."""

    of: str  # `gold.12`, or of the engine `rng`
    so: str
    file: str  # in the folder of the game or part, or from there: `../../engine/strip.py`
    changes: list[tuple[str, str]]  # each text is found once in the file, and replaced


class Breaks(NamedTuple):
    """The list of a game, or of a part such as the engine. `spared` are rules that no code carries out, with the
    reason; `tests` are files of tests, beside those in the game's own folder, that hold its rules."""

    name: str
    breaks: list[Break]
    spared: dict[str, str]
    tests: list[str]


def read_breaks(name: str) -> Breaks:
    data = tomllib.loads((TESTS / name / "breaks.toml").read_text("utf-8"))
    spared: dict[str, str] = data.pop("spared", {})
    tests: list[str] = data.pop("tests", [])
    breaks = []
    for of, ways in data.items():
        usual = "rules.py" if is_game(name) else f"{of}.py"
        for way in ways:
            found, put = way["find"], way["put"]
            changes = list(zip(found, put, strict=True)) if isinstance(found, list) else [(found, put)]
            breaks.append(Break(of, way["so"], way.get("file", usual), changes))
    return Breaks(name, breaks, spared, tests)


def listed() -> list[str]:
    """The games and parts that have a list."""
    return sorted(path.parent.name for path in TESTS.glob("*/breaks.toml"))


def is_game(name: str) -> bool:
    return (ROOT / "src" / "polikarp" / "games" / name).is_dir()


def folder_of(name: str, root: Path = ROOT) -> Path:
    package = root / "src" / "polikarp"
    return package / "games" / name if is_game(name) else package / name


def broken_text(text: str, changes: list[tuple[str, str]]) -> str:
    """A file with a break in it. Raises `ValueError` where a text is not there exactly once."""
    for found, put in changes:
        if found not in text:
            number, nearest = nearest_lines(text, found)
            raise ValueError(f"not found: {found!r}; nearest is line {number}: {nearest!r}")
        if text.count(found) > 1:
            raise ValueError(f"found {text.count(found)} times instead of once: {found!r}")
        if found == put:
            raise ValueError(f"changes nothing: {found!r}")
        text = text.replace(found, put)
    return text


def nearest_lines(text: str, lost: str) -> tuple[int, str]:
    """The lines of a text that are most like some that are not there, and the number of the first."""
    lines = text.split("\n")
    height = lost.count("\n") + 1
    compared = difflib.SequenceMatcher(autojunk=False)
    compared.set_seq2(lost.strip())

    def likeness(start: int) -> float:
        compared.set_seq1("\n".join(lines[start : start + height]).strip())
        return compared.ratio()

    start = max(range(len(lines)), key=likeness)
    return start + 1, "\n".join(lines[start : start + height])


def rules_of(game: str) -> list[str]:
    """The numbers of the rulebook."""
    text = (folder_of(game) / "rulebook" / "en.md").read_text("utf-8")
    return list(dict.fromkeys(re.findall(rf"\*\*({game}\.a?[0-9.]*[0-9][AB]?)\*\*", text)))


def names(text: str, rule: str) -> bool:
    """Whether a text names a rule, by itself or in a row such as `gold.10 to gold.14`."""
    if re.search(rf"(?<![\w.]){re.escape(rule)}(?!\.?\w)", text):
        return True
    counted = re.fullmatch(r"(.*?)([0-9]+)", rule)
    if counted is None:
        return False
    stem, number = re.escape(counted[1]), int(counted[2])
    rows = re.findall(rf"(?<![\w.]){stem}([0-9]+) to {stem}([0-9]+)(?!\.?\w)", text)
    return any(int(first) <= number <= int(last) for first, last in rows)


def guards_of(name: str, of: str) -> list[str]:
    """Those that must notice a break: of a rule, the tests that name it; of a module, the tests that have its name."""
    if is_game(name):
        return naming_tests(name, of)
    files = sorted((TESTS / name).rglob(f"test_{Path(of).name}.py"))
    return [f"{path.relative_to(ROOT)}::{test}" for path in files for test in tests_in(path)[1]]


def naming_tests(game: str, rule: str) -> list[str]:
    """The tests of a game that name a rule, or are in a file whose first words name it."""
    found = []
    further = [ROOT / file for file in read_breaks(game).tests]
    for path in [*sorted((TESTS / game).glob("test_*.py")), *further]:
        head, tests = tests_in(path)
        everything = names(head, rule)
        found += [
            f"{path.relative_to(ROOT)}::{name}" for name, text in tests.items() if everything or names(text, rule)
        ]
    return found


@cache
def tests_in(path: Path) -> tuple[str, dict[str, str]]:
    """The first words of a file, and its tests with their text."""
    text = path.read_text("utf-8")
    lines, tree = text.splitlines(), ast.parse(text)
    tests = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            tests[node.name] = "\n".join(lines[start - 1 : node.end_lineno])
    return ast.get_docstring(tree) or "", tests


def forget(package: str) -> None:
    """Have a package read from its files again when it is next imported."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]


class Workshop:
    """A copy of the source in which one thing at a time is broken. Tests run in a child of this process, which has all
    in memory but the game itself; `anew` is set while something else is broken, and then it has nothing. What a test
    starts reads the copy too."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.anew = False
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        sys.path.insert(0, str(folder / "src"))
        os.environ["PYTHONPATH"] = str(folder / "src")
        sys.dont_write_bytecode = True  # a file that was just changed back looks as old as one that was not
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        os.environ.pop("POLIKARP_EXPECT", None)
        os.chdir(ROOT)
        for module in ("pytest", "polikarp.cli", "polikarp.lab.match", "polikarp.engine.conformance"):
            importlib.import_module(module)
        assert f"polikarp.games.{name}" not in sys.modules

    def child(self, work: Callable[[], int]) -> tuple[int, str]:
        """Do something in a process of its own: its status and what it printed. One that never ends is stopped."""
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if child == 0:
                for stream in (1, 2):
                    os.dup2(said.fileno(), stream)
                resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
                status = 99
                try:
                    if self.anew:
                        forget("polikarp")
                    status = work()
                finally:
                    sys.stdout.flush()
                    os._exit(status)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            return status, said.read().decode("utf-8", "replace")

    def run(self, *args: str) -> str | None:
        """Run tests up to the first that fails: which one it is, or None."""

        def tests() -> int:
            import pytest

            return int(pytest.main(["-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", *args]))

        status, said = self.child(tests)
        if status == 0:
            return None
        if status < 0:
            return "a test that never ends"
        failed = FAILED.search(said)
        if failed is None:
            raise RuntimeError(f"the tests did not run: {said[-2000:]}")
        return failed[1]

    def run_tests(self, tests: list[str]) -> str | None:
        """Run some tests; a file that can not be read any more says nothing, and its tests are left out."""
        while tests:
            noticed = self.run(*tests)
            if noticed is None or not noticed.endswith(".py"):
                return noticed
            tests = [test for test in tests if not test.startswith(f"{noticed}::")]
        return None

    def run_own(self) -> str | None:
        return self.run(f"tests/{self.name}", *read_breaks(self.name).tests)

    def run_all(self) -> str | None:
        noticed = self.run_own()
        if noticed is None and is_game(self.name):
            return self.run("tests/games/test_contract.py", "-k", self.name)
        return noticed

    def run_unbroken(self, wanted: list[Break], only_named: bool) -> str | None:
        """Run what will be asked, while nothing is broken yet."""
        if is_game(self.name):
            return self.run_own() if only_named else self.run_all()
        return self.run_tests(sorted({test for one in wanted for test in guards_of(self.name, one.of)}))

    def loads(self, path: Path) -> bool:
        """Whether the game can still be loaded, or all that a part is used by, and the file that was changed."""
        module = ".".join(path.relative_to((self.folder / "src").resolve()).with_suffix("").parts)

        def load() -> int:
            importlib.import_module(f"polikarp.games.{self.name}" if is_game(self.name) else "polikarp.cli")
            if path.suffix == ".py":
                importlib.import_module(module)
            return 0

        return self.child(load)[0] == 0

    def outcome(self, one: Break, only_named: bool) -> tuple[bool, str]:
        """Whether a test of what is broken notices; and what is to be said."""
        home = folder_of(self.name, self.folder).resolve()
        path = (home / one.file).resolve()
        whole = path.read_text("utf-8")
        try:
            path.write_text(broken_text(whole, one.changes), "utf-8")
        except ValueError as mistake:
            return False, f"NO BREAK: {mistake}"
        self.anew = not (is_game(self.name) and path.is_relative_to(home))
        try:
            if not self.loads(path):
                return False, "NO BREAK: it can not be loaded any more"
            noticed = self.run_tests(guards_of(self.name, one.of))
            if noticed is not None:
                return True, f"caught by {noticed}"
            if only_named:
                return False, f"MISSED by the tests of {one.of}"
            noticed = self.run_all()
            return False, "MISSED" if noticed is None else f"NOT NAMED: caught only by {noticed}"
        finally:
            self.anew = False
            path.write_text(whole, "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/breaks", description="Does a test fail when something is broken?")
    parser.add_argument("name", choices=listed(), help="a game, or a part such as the engine")
    parser.add_argument("of", nargs="*", help="only these rules or modules, such as gold.12 or rng")
    parser.add_argument("--named", action="store_true", help="ask only the tests that name the rule or module")
    args = parser.parse_args()
    breaks = read_breaks(args.name)
    wanted = [one for one in breaks.breaks if not args.of or one.of in args.of]
    if not wanted:
        parser.error(f"there is no break of {' '.join(args.of)} in tests/{args.name}/breaks.toml")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(args.name, Path(folder))
        noticed = workshop.run_unbroken(wanted, args.named)
        if noticed is not None:
            print(f"nothing is broken yet, but this fails: {noticed}")
            return 1
        for one in wanted:
            caught, words = workshop.outcome(one, args.named)
            failures += not caught
            print(f"{one.of}, {one.so}: {words}", flush=True)
    for rule in without_break(breaks):
        print(f"{rule} has no break: {breaks.spared.get(rule, 'MISSING')}")
        failures += rule not in breaks.spared
    kind = "rule" if is_game(args.name) else "module"
    count = len({one.of for one in wanted})
    print(f"{args.name}: {len(wanted)} breaks of {count} {kind}s, {failures} that no test of the {kind} notices")
    return 1 if failures else 0


def without_break(breaks: Breaks) -> list[str]:
    broken = {one.of for one in breaks.breaks}
    return [rule for rule in rules_of(breaks.name) if rule not in broken] if is_game(breaks.name) else []


if __name__ == "__main__":
    sys.exit(main())
