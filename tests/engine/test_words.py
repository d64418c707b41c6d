"""What is said where words are missing: another language, and in the end the key in plain words. Nothing raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.data import DataError
from polikarp.engine.words import Words, best_language, missing

NAMES = ("Ala", "Bo")
ENGLISH = """
[event]
takes = "{seat} takes {sticks#stick|sticks}."
holds = "{seat} holds {kind.acc}."
typo = "{sat} takes."
[term.kind.oak]
nom = "an oak"
[prompt]
turn = "Take some."
"""
CZECH = """
[event]
takes = "{seat} bere {sticks#hůlku|hůlky|hůlek}."
[term.kind.oak]
nom = "dub"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en.toml").write_text(ENGLISH, "utf-8")
    (tmp_path / "cs.toml").write_text(CZECH, "utf-8")
    return tmp_path


def test_a_text_falls_back_to_english_and_then_to_its_key(folder: Path) -> None:
    cs = Words.load(folder, "cs")
    assert cs.say("event", "takes", {"seat": 0, "sticks": 5}, NAMES) == "Ala bere 5 hůlek."
    assert cs.say("event", "loses_it_all", {"seat": 1, "sticks": 2}, NAMES) == "Loses it all: Bo, 2"
    assert cs.say("prompt", "nothing", {}) == "Nothing"
    assert cs.template("game", "tag_line") == "Tag line"
    assert cs.find("option", "pace", "help") is None


def test_a_sentence_is_all_of_one_language(folder: Path) -> None:
    """With the plural forms and the terms of that language."""
    cs = Words.load(folder, "cs")
    assert cs.say("event", "holds", {"seat": 0, "kind": "oak"}, NAMES) == "Ala holds an oak."
    (folder / "en.toml").write_text(ENGLISH + "[page]\nleft = '{count#stick|sticks} left'\n", "utf-8")
    Words.load.cache_clear()
    assert Words.load(folder, "cs").say("page", "left", {"count": 5}) == "5 sticks left"
    assert Words.load(folder, "fr").say("page", "left", {"count": 0}) == "0 sticks left"


def test_terms_fall_back_to_their_first_form_and_to_plain_words(folder: Path) -> None:
    en = Words.load(folder, "en")
    assert en.say("event", "holds", {"seat": 0, "kind": "oak"}, NAMES) == "Ala holds an oak."
    assert en.say("event", "holds", {"seat": 0, "kind": "red_pine"}, NAMES) == "Ala holds red pine."


def test_what_is_not_given_is_a_question_mark(folder: Path) -> None:
    """Unless another language can say all of it."""
    assert Words.load(folder, "en").say("event", "typo", {"seat": 0}, NAMES) == "? takes."
    (folder / "cs.toml").write_text('[event]\ntakes = "{sat} bere."\nholds = "{seat} {sat}."\n', "utf-8")
    cs = Words.load(folder, "cs")
    assert cs.say("event", "takes", {"seat": 0, "sticks": 1}, NAMES) == "Ala takes 1 stick."
    assert cs.say("event", "holds", {"kind": "oak"}, NAMES) == "? ?."


def test_a_game_comes_before_the_house(folder: Path) -> None:
    """In the language that is asked for where the game does not say it at all."""
    pl = Words.load(folder, "pl")
    assert pl.say("prompt", "turn", {}) == "Take some."
    assert pl.say("prompt", "wait", {"waits_for": 1}, NAMES) == "Teraz decyduje Bo."
    assert Words.load(folder, "cs").say("prompt", "wait", {"waits_for": 1}, NAMES) == "Bo decides now."


def test_odd_arguments_are_said_as_they_are(folder: Path) -> None:
    en = Words.load(folder, "en")
    assert en.say("event", "takes", {"seat": 7, "sticks": "some"}, NAMES) == "8 takes some."
    assert en.say("event", "takes", {"seat": (0, 1), "sticks": 1}, NAMES) == "Ala + Bo takes 1 stick."


def test_too_few_plural_forms_are_made_do_with(tmp_path: Path) -> None:
    (tmp_path / "pl.toml").write_text('[event]\ntakes = "{sticks#patyk|patyki}"\n', "utf-8")
    assert Words.load(tmp_path, "pl").say("event", "takes", {"sticks": 5}) == "5 patyki"


def test_what_is_missing_is_listed(folder: Path) -> None:
    assert missing(folder, "cs") == ["event.holds", "event.typo", "prompt.turn"]
    assert missing(folder, "en") == []
    assert "term.kind.oak" in missing(folder, "de")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[event]\ntakes = "a\n', r"en.toml:2: can not be read"),
        ("[event]\n\nminutes = 30\n", r"en.toml:3: event.minutes is 30; right is a text in quotes"),
        ('title = "Sticks"\n', r"en.toml:1: title is 'Sticks'; right is a table, such as \[event\]"),
    ],
)
def test_a_mistake_in_a_file_of_words_names_its_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "en.toml").write_text(text, "utf-8")
    with pytest.raises(DataError, match=reason):
        Words.load(tmp_path, "pl")


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("pl", "pl"),
        ("de-DE,de;q=0.9,pl;q=0.5", "pl"),
        ("pl_PL.UTF-8", "pl"),
        ("en,pl", "en"),
        ("pl,en", "pl"),
        ("de", "en"),
        ("", "en"),
        ("plx", "en"),
    ],
)
def test_a_language_that_only_some_games_speak_is_nobody_s_by_default(wanted: str, language: str) -> None:
    assert best_language(wanted) == language
