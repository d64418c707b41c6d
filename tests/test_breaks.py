"""The lists of `scripts/breaks` fit the code: every break can be made, and every rule of the rulebook has one."""

from __future__ import annotations

import pytest

from tests.breaks import broken_text, folder_of, listed_games, names, naming_tests, read_breaks, rules_of


@pytest.mark.parametrize("game", listed_games())
def test_every_break_can_be_made(game: str) -> None:
    """What is to be changed is found once in its file."""
    for one in read_breaks(game).breaks:
        try:
            broken_text((folder_of(game) / one.file).read_text("utf-8"), one.changes)
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
