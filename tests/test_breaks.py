"""The lists of `scripts/breaks` fit the code: every break can be made, every rule of a rulebook has one, and there are
tests that should notice."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.breaks import (
    ROOT,
    broken_text,
    folder_of,
    forget,
    guards_of,
    is_game,
    listed,
    names,
    naming_tests,
    read_breaks,
    rules_of,
)

GAMES = [name for name in listed() if is_game(name)]
PARTS = [name for name in listed() if not is_game(name)]


@pytest.mark.parametrize("name", listed())
def test_every_break_can_be_made(name: str) -> None:
    """What is to be changed is found once in its file."""
    for one in read_breaks(name).breaks:
        path = (folder_of(name) / one.file).resolve()
        assert path.is_relative_to(ROOT / "src"), f"{one.of}, {one.so}: only the source is copied"
        try:
            broken_text(path.read_text("utf-8"), one.changes)
        except ValueError as mistake:
            pytest.fail(f"{one.of}, {one.so}: {path.name}: {mistake}")


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_has_a_break_and_a_test(game: str) -> None:
    breaks = read_breaks(game)
    broken = {one.of for one in breaks.breaks}
    for rule in rules_of(game):
        assert (rule in broken) != (rule in breaks.spared), f"{rule} needs a break, or a reason why it has none"
    assert [rule for rule in broken if not naming_tests(game, rule)] == []


@pytest.mark.parametrize("part", PARTS)
def test_every_broken_module_has_tests(part: str) -> None:
    assert [one.of for one in read_breaks(part).breaks if not guards_of(part, one.of)] == []


@pytest.mark.parametrize("name", listed())
def test_no_break_is_listed_twice(name: str) -> None:
    breaks = [(one.of, one.file, tuple(one.changes)) for one in read_breaks(name).breaks]
    assert len(set(breaks)) == len(breaks)


@pytest.mark.parametrize("game", GAMES)
def test_further_tests_are_there_and_name_rules_of_the_game(game: str) -> None:
    for file in read_breaks(game).tests:
        text = (ROOT / file).read_text("utf-8")
        assert any(names(text, rule) for rule in rules_of(game)), file


def test_rules_may_be_held_by_tests_outside_the_game() -> None:
    """As those about time are."""
    found = naming_tests("hunters", "hunters.16")
    assert "tests/hunters/test_hunting.py::test_a_slap_counts_once_and_everything_else_of_that_moment_is_gone" in found
    assert "tests/server/test_photo.py::test_only_the_first_slap_counts" in found


def test_a_package_that_is_forgotten_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A break outside the game's folder is in a file that may have been read before."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, text in (("forgetful", ""), ("forgetfully", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text, "utf-8")
    inside = tmp_path / "forgetful" / "inside.py"
    inside.write_text("KNOWN = 1", "utf-8")
    assert importlib.import_module("forgetful.inside").KNOWN == 1
    other = importlib.import_module("forgetfully")
    inside.write_text("KNOWN = 22", "utf-8")
    forget("forgetful")
    assert importlib.import_module("forgetful.inside").KNOWN == 22
    assert importlib.import_module("forgetfully") is other


def test_a_rule_is_named_by_its_number() -> None:
    assert names("gold.3: six rounds", "gold.3")
    assert names("as gold.3.", "gold.3")
    assert not names("gold.34, gold.3.1, marigold.3", "gold.3")
    assert names("gold.10 to gold.14", "gold.12")
    assert not names("gold.10 to gold.14", "gold.15")
    assert names("melee.a1 to melee.a20", "melee.a13")
    assert not names("melee.1 to melee.20", "melee.a13")


def test_a_text_that_is_not_there_or_there_twice_is_named() -> None:
    assert broken_text("one two", [("one", "two"), ("two two", "three")]) == "three"
    for changes, reason in (
        ([("o", "")], "found 2 times instead of once: 'o'"),
        ([("one", "one")], "changes nothing: 'one'"),
    ):
        with pytest.raises(ValueError, match=reason):
            broken_text("one two", changes)


def test_where_a_text_is_not_found_the_nearest_line_is_told() -> None:
    """It was changed, or it moved: with its number it is found at once."""
    text = "def play(self):\n    if self.hand > 3:\n        return\n    self.hand += 1\n"
    with pytest.raises(ValueError, match=r"nearest is line 4: '    self.hand \+= 1'"):
        broken_text(text, [("self.hands += 1", "")])
    with pytest.raises(ValueError, match=r"nearest is line 2: '    if self.hand > 3:\\n        return'"):
        broken_text(text, [("if self.hands > 4:\n        return", "")])
