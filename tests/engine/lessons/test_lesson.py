"""A mistake in a lesson's file is found when it is read, and named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.data import DataError
from polikarp.engine.lessons.lesson import game_named, read_lesson, say
from tests.engine.lessons.pupils import PIG, PIG_LESSON, changed, read_changed

FIRST = "Roll the die. What you roll adds up."
LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen on."


def test_a_lesson_is_what_its_file_says() -> None:
    lesson = read_lesson(PIG_LESSON, PIG)
    assert (lesson.name, lesson.core, lesson.seconds, lesson.pupil, lesson.seats) == ("1-dare", True, 30, 0, 2)
    assert lesson.languages == ["en", "pl"]
    assert [len(step.ways) for step in lesson.steps] == [1, 2, 0]
    assert lesson.steps[0].barred[0].rule == "pig.3"
    assert lesson.steps[1].ways[1].effect.draws == (0,)
    assert game_named(PIG_LESSON) == "pig"


MISTAKES = {
    "another game": ('game = "pig"', 'game = "crypt"', 1, "game is 'crypt'; right is one of: pig"),
    "no English title": ('{ en = "Dare, or stop", pl', "{ pl", 5, "the title has no words in en"),
    "a language is missing": (f'{{ en = "{FIRST}", pl', "{ pl", 11, "say of step 1 has no words in en"),
    "a language too many": (f'en = "{FIRST}"', f'en = "{FIRST}", de = "Wirf."', 11, "has words in de, but the title"),
    "no end": (FIRST, "Roll the die", 11, "say of step 1 in en does not end as a sentence does: 'Roll the die'"),
    "too long": (FIRST, LONG, 11, "say of step 1 in en has 18 words; right is at most 17"),
    "a word that nobody wrote": (FIRST, "Press {page.move_jump}.", 11, "say of step 1 names {page.move_jump}"),
    "a brace": (FIRST, "Press {this.", 11, "does not end as a sentence does"),
    "an unknown role": (
        'light = ["score"]',
        'light = ["sky"]',
        42,
        "light of step 3 names 'sky', but the roles are",
    ),
    "an unknown rule": ('"pig.4"]', '"pig.44"]', 4, "there is no rule 'pig.44' in the rulebook of pig"),
    "too many seats": ("seats = 2", "seats = 9", 8, "start.seats is 9; right is a whole number from 2 to 6"),
    "an unknown option": ("seats = 2", "seats = 2\noptions = { x = 1 }", 9, "there is no option 'x'"),
    "a stack of a game that has none": ("seats = 2", "seats = 2\nstack = { a = 1 }", 9, "nobody knows start.stack.a"),
    "no such pupil": ("core = true", "core = true\npupil = 2", 3, "pupil is 2; right is a whole number from 0 to 1"),
    "an unknown field": ("core = true", "core = true\ncolour = 2", 3, "nobody knows colour"),
    "an unknown field of a step": ('light = ["score"]', "dark = 1", 42, "nobody knows dark of step 3"),
    "no path": ('"board.turn" = 0', '"Board turn" = 0', 13, "'Board turn' is no path"),
    "no list of moves": ('moves = ["stop"]\nreply', 'moves = "stop"\nreply', 29, "moves of do 1 of step 2 is 'stop'"),
    "no seconds": ("seconds = 30\n", "", 1, "seconds is missing"),
    "an effect that nobody sees": (
        "[[step.refused]]",
        '[[step.wrong]]\nmoves = ["stop"]\ntells = ["keep"]\nsay = { en = "No.", pl = "Nie." }\n[[step.refused]]',
        19,
        "wrong 1 of step 1 is not played, so nothing follows it; add play = true",
    ),
    "not TOML": ("core = true", "core = yes", 2, "can not be read"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    old, new, line, text = MISTAKES[name]
    with pytest.raises(DataError) as mistake:
        read_changed(tmp_path, old, new)
    assert text in str(mistake.value)
    assert f"1-dare.toml:{line}: " in str(mistake.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can not be read: No such file"):
        read_lesson(tmp_path / "2-none.toml", PIG)


def test_sentences_take_the_words_of_the_game(tmp_path: Path) -> None:
    path = changed(tmp_path, FIRST, "Press “{page.move_roll}”.")
    sentence = read_lesson(path, PIG).steps[0].say
    assert say(PIG, sentence, "en") == f"Press “{PIG.words('en').find('page', 'move_roll')}”."
    assert say(PIG, sentence, "pl") == "Rzuć kością. To, co wypadnie, się dodaje."
    assert say(PIG, sentence, "de") == say(PIG, sentence, "en"), "what is missing is said in English"
