"""The rulebook and the other texts of Heroes' Gold say what is so, and whose word it is."""

from __future__ import annotations

import re

import pytest

from polikarp.games.gold import game

MARKS = {"pl": ("odtworzone", "wymyślone przez nas"), "en": ("reconstructed", "made by us")}
every_language = pytest.mark.parametrize("language", MARKS)


def rule(number: str, language: str) -> str:
    """A rule of the rulebook: its paragraph."""
    found = re.search(rf"^\*\*{re.escape(number)}\*\* (.*)$", game.rulebook(language), re.MULTILINE)
    assert found is not None
    return found[1]


@every_language
def test_numbers_that_are_ours_are_not_called_reconstructed(language: str) -> None:
    """gold.5, gold.6: the ranges on the backs are in reviews, what each guard and each healing costs is not."""
    reconstructed, ours = MARKS[language]
    for number in ("gold.5", "gold.6"):
        marks = rule(number, language).rpartition("(")[2]
        assert reconstructed in marks
        assert ours in marks
    opening = game.rulebook(language).partition("\n")[0]
    assert f"({reconstructed})" in opening
    assert f"({ours})" in opening
    guards = {"pl": "siła i łup każdego strażnika z osobna", "en": "each guard's own strength and loot"}[language]
    assert f"{guards}: {ours}" in rule("gold.5", language)
    told = game.words(language).template("facts", "sources")
    assert {"pl": "wymyślone przez nas", "en": "made by us"}[language] in told


@every_language
def test_the_faction_is_chosen(language: str) -> None:
    """gold.6"""
    text = rule("gold.6", language)
    assert {"pl": "Każdy wybiera frakcję, której nie ma nikt inny", "en": "Everyone chooses a faction that"}[
        language
    ] in text
    assert {"pl": "miejsca przy stole", "en": "the seat says"}[language] not in text


def test_who_has_two_monsters_passes_and_the_polish_says_how() -> None:
    """gold.18: it happens by itself, which is not the same as that the same happens."""
    text = rule("gold.18", "pl")
    assert "to samo" not in text
    assert "gra robi to za ciebie" in text


@every_language
def test_what_is_public_when_an_order_changes_hands_is_told(language: str) -> None:
    """gold.35, gold.34.2: then nobody holds what they did not play before, and hands are public in any round."""
    text = rule("gold.35", language)
    assert "gold.34.2" in text
    assert {"pl": "w tej rundzie ręce są jawne", "en": "in that round hands are public"}[language] in text
