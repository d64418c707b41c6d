"""The lists of `scripts/breaks` fit the code: every break can be made, and every rule of the rulebook has one."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.breaks import ROOT, broken_text, folder_of, forget, listed_games, names, naming_tests, read_breaks, rules_of


@pytest.mark.parametrize("game", listed_games())
def test_every_break_can_be_made(game: str) -> None:
    """What is to be changed is found once in its file."""
    for one in read_breaks(game).breaks:
        path = (folder_of(game) / one.file).resolve()
        assert path.is_relative_to(ROOT / "src"), f"{one.rule}, {one.so}: only the source is copied"
        try:
            broken_text(path.read_text("utf-8"), one.changes)
        except ValueError as mistake:
            pytest.fail(f"{one.rule}, {one.so}: {mistake}")


@pytest.mark.parametrize("game", listed_games())
def test_every_rule_has_a_break_and_a_test(game: str) -> None:
    listed = read_breaks(game)
    broken = {one.rule for one in listed.breaks}
    for rule in rules_of(game):
        assert (rule in broken) != (rule in listed.spared), f"{rule} needs a break, or a reason why it has none"
    assert [rule for rule in broken if not naming_tests(game, rule)] == []


@pytest.mark.parametrize("game", listed_games())
def test_no_break_is_listed_twice(game: str) -> None:
    breaks = [(one.rule, one.file, tuple(one.changes)) for one in read_breaks(game).breaks]
    assert len(set(breaks)) == len(breaks)


@pytest.mark.parametrize("game", listed_games())
def test_further_tests_are_there_and_name_rules_of_the_game(game: str) -> None:
    for file in read_breaks(game).tests:
        text = (ROOT / file).read_text("utf-8")
        assert any(names(text, rule) for rule in rules_of(game)), file


def test_rules_may_be_held_by_tests_outside_the_game() -> None:
    """As those about time are."""
    found = naming_tests("hunters", "hunters.16")
    assert "tests/hunters/test_hunting.py::test_a_slap_counts_once_and_everything_else_of_that_moment_is_gone" in found
    assert "tests/server/test_race.py::test_only_the_first_slap_counts" in found


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
    for changes in ([("four", "")], [("o", "")], [("one", "one")]):
        with pytest.raises(ValueError, match=r"instead of once|changes nothing"):
            broken_text("one two", changes)
