"""What all games teach: nothing is left out, nothing takes too long, and which rules nobody teaches."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from polikarp.engine.data import Data, DataError
from polikarp.engine.game import Game
from polikarp.engine.lessons.lesson import Lesson, game_named, rule_numbers
from polikarp.engine.lessons.shelf import Shelf, check_file, shelf
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.words import house_languages
from polikarp.games import all_games, offered_games
from tests.engine.lessons.pupils import LESSONS, PIG, PIG_LESSON, TEACHING, called
from tests.poor import SticksGame

ROOT = Path(__file__).parents[3]
UNTAUGHT = Path(__file__).parent / "untaught.txt"
COUNTS = {"crypt": 8, "gold": 6, "hunters": 6, "melee": 8, "pig": 1}


def test_nothing_is_left_out() -> None:
    assert {game.id: shelf(game).mistakes for game in TEACHING} == dict.fromkeys(COUNTS, ())
    assert {game.id: len(shelf(game).lessons) for game in TEACHING} == COUNTS


def test_the_poor_game_teaches_too() -> None:
    lessons = shelf(SticksGame())
    assert (len(lessons.lessons), lessons.coach, lessons.sheet, lessons.mistakes) == (1, None, None, ())


def test_a_game_without_lessons_teaches_nothing() -> None:
    assert shelf(all_games()["leduc"]) == Shelf(all_games()["leduc"], (), None, None, ())


@pytest.mark.parametrize("lesson", LESSONS, ids=called)
def test_lessons_speak_every_language_of_the_house(lesson: Lesson) -> None:
    assert set(lesson.languages) >= set(house_languages())


@pytest.mark.parametrize("game", offered_games(), ids=lambda game: game.id)
def test_the_core_takes_less_than_four_minutes(game: Game) -> None:
    core = shelf(game).core
    assert len(core) >= 5
    assert sum(lesson.seconds for lesson in core) < 240


def untaught(game: Game) -> list[str]:
    """The rules that no lesson and no moment teaches, in the order of the rulebook."""
    order = [line.split("**")[1] for line in game.rulebook("en").splitlines() if line.startswith(f"**{game.id}.")]
    assert set(order) == rule_numbers(game)
    return [rule for rule in order if rule not in shelf(game).taught()]


def test_the_rules_that_nobody_teaches_are_those_on_the_list() -> None:
    """A rule that is new, or that a lesson no longer teaches, has to be taught or put on the list; read it before."""
    listed = [line.split()[0] for line in UNTAUGHT.read_text("utf-8").splitlines() if line and line[0] != "#"]
    assert [rule for game in offered_games() for rule in untaught(game)] == listed


def test_lessons_are_found_by_name_and_number() -> None:
    crypt = shelf(all_games()["crypt"])
    assert [crypt.find(name).name for name in ("2-push", "push", "2")] == ["2-push"] * 3
    with pytest.raises(UsageError, match="crypt has no lesson 'dance'; the lessons are: 1-first-treasure, 2-push"):
        crypt.find("dance")


def test_a_course_is_the_core_or_one_lesson() -> None:
    crypt = shelf(all_games()["crypt"])
    assert crypt.course(None) == crypt.core == list(crypt.lessons[:5])
    assert crypt.course("ghost") == [crypt.lessons[7]]
    following = crypt.after(crypt.lessons[0])
    assert following is not None
    assert following.name == "2-push"
    assert crypt.after(crypt.lessons[4]) is None, "the first game comes after the core"
    with pytest.raises(UsageError, match="leduc has no lessons"):
        shelf(all_games()["leduc"]).course(None)


class PigElsewhere(type(PIG)):  # type: ignore[misc]
    """Pig with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder


def test_a_wrong_file_is_left_out_and_the_rest_is_taught(tmp_path: Path) -> None:
    shutil.copytree(PIG.folder, tmp_path, dirs_exist_ok=True)
    good = PIG_LESSON.read_text("utf-8")
    folder = tmp_path / "lessons"
    (folder / "2-wrong.toml").write_text(good.replace('"board.turn" = 5', '"board.turn" = 6'), "utf-8")
    (folder / "10-last.toml").write_text(good, "utf-8")
    (folder / "stray.toml").write_text(good, "utf-8")
    (folder / "coach.toml").write_text('game = "pig"\n', "utf-8")
    lessons = shelf(PigElsewhere(tmp_path))
    assert [lesson.name for lesson in lessons.lessons] == ["1-dare", "10-last"]
    said = [str(mistake).removeprefix(str(folder)) for mistake in lessons.mistakes]
    assert said == [
        "/stray.toml: a lesson is called by its number and name, as 2-push.toml",
        "/2-wrong.toml:18: step 1, after roll: board.turn is 5, the lesson says 6",
        '/coach.toml:1: title is missing; right is a title in each language: { en = "…", pl = "…" }',
    ]


GOLD = all_games()["gold"].folder / "lessons"
WRONG = ("5", "-1", "true", '""', '"x"', "[]", "[1]", '["x"]', "[[1], {}]", "{}", "{ en = 5 }", '{ en = "A." }', "1e9")
FILES = [PIG_LESSON, GOLD / "1-rob-together.toml", GOLD / "coach.toml", GOLD / "sheet.toml"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_whatever_stands_in_a_file_it_holds_or_one_sentence_says_why_not(file: Path, tmp_path: Path) -> None:
    """Every line of it left out, and every value replaced by some others."""
    game = all_games()[game_named(file)]
    lines = file.read_text("utf-8").splitlines()
    copy = tmp_path / file.name
    said: list[str] = []
    for at, line in enumerate(lines):
        name, equals, _ = line.partition(" = ")
        for other in ("", *(f"{name} = {value}" for value in WRONG[at % 4 :: 4] if equals)):
            copy.write_text("\n".join([*lines[:at], other, *lines[at + 1 :]]), "utf-8")
            try:
                check_file(copy, game)
            except DataError as mistake:
                said.append(str(mistake))
    assert len(said) > len(lines)
    for sentence in said:
        assert re.fullmatch(rf"{re.escape(str(copy))}:\d+: [^\n]+", sentence)


class PigThatFails(type(PIG)):  # type: ignore[misc]
    """Pig with a mistake in its code."""

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        raise ValueError("no idea")


def test_a_game_whose_code_fails_teaches_nothing_and_says_so() -> None:
    lessons = shelf(PigThatFails())
    assert lessons.lessons == ()
    assert len(lessons.mistakes) == 1
    assert str(lessons.mistakes[0]).startswith("games/pig/lessons/1-dare.toml: ")
    assert str(lessons.mistakes[0]).endswith("ValueError: no idea")


def test_wrong_roles_are_told_once(tmp_path: Path) -> None:
    shutil.copytree(PIG.folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "lessons" / "2-again.toml").write_text(PIG_LESSON.read_text("utf-8"), "utf-8")
    (tmp_path / "lessons" / "roles.toml").write_text('roles = "all"\n', "utf-8")
    lessons = shelf(PigElsewhere(tmp_path))
    assert lessons.lessons == ()
    assert [str(mistake).removeprefix(str(tmp_path)) for mistake in lessons.mistakes] == [
        '/lessons/roles.toml:1: roles is \'all\'; right is a list of texts: ["…", "…"]'
    ]


def test_the_package_has_the_files() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["polikarp.games"]
    for lesson in LESSONS:
        assert any(lesson.path.match(pattern) for pattern in patterns)
    assert "*/lessons/*.toml" in patterns
