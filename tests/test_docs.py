"""What the documents show is true: their Python runs, their commands exist, and their links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import polikarp
from polikarp.cli import build_parser

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_examples_of_the_readme_run() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0
    result = doctest.testmod(polikarp)
    assert (result.attempted, result.failed) == (3, 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_can_be_parsed(page: Path) -> None:
    for line in re.findall(r"^\$ (.*)$", page.read_text("utf-8"), re.MULTILINE):
        words = shlex.split(line, comments=True)
        if words[0] == "polikarp":
            assert "run" in build_parser().parse_args(words[1:])
        elif words[0] != "pip":
            script = words[1] if words[0] == "python" else words[0]
            assert (ROOT / script).is_file(), line


def test_the_map_of_contributing_is_of_this_house() -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len(named) > 40
    house = ROOT / "src" / "polikarp"
    inside = ("games/crypt", "server", "store", "web", "web/templates")
    rooms = (ROOT, house, *(house / room for room in inside))
    for name in named:
        path = name.replace("GAME", "crypt").replace("CODE", "en")
        assert any((room / path).exists() for room in rooms), name


def test_the_modules_that_contributing_names_are_there() -> None:
    """In the picture and in the tables, where most stand without their folder."""
    named = set(re.findall(r"[\w./]+\.(?:py|ts)\b", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    files = [path for folder in ("src", "examples") for path in (ROOT / folder).rglob("*")]
    there = [f"/{path.relative_to(ROOT)}" for path in files if path.suffix in (".py", ".ts")]
    lost = [name for name in named if not any(path.endswith(f"/{name.replace('GAME', 'crypt')}") for path in there)]
    assert sorted(lost) == ["test_x.py", "x.py"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
