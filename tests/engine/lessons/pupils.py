"""Lessons for tests: those of all games, and a small one of Pig that a test changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from polikarp.engine.game import Game
from polikarp.engine.lessons.lesson import Lesson, read_lesson
from polikarp.engine.lessons.shelf import shelf
from polikarp.engine.lessons.walk import Walk
from polikarp.games import all_games

TEACHING = [game for game in all_games().values() if (game.folder / "lessons").is_dir()]
LESSONS = [lesson for game in TEACHING for lesson in shelf(game).lessons]
PIG = all_games()["pig"]
PIG_LESSON = PIG.folder / "lessons" / "1-dare.toml"


def called(lesson: Lesson) -> str:
    return f"{lesson.game.id}/{lesson.name}"


def lesson_of(game: str, name: str) -> Lesson:
    return shelf(all_games()[game]).find(name)


def changed(folder: Path, old: str, new: str, source: Path = PIG_LESSON) -> Path:
    """A lesson with something in it changed, as a file of its own."""
    text = source.read_text("utf-8")
    assert text.count(old) == 1, f"{source} has {old!r} {text.count(old)} times"
    path = folder / source.name
    path.write_text(text.replace(old, new), "utf-8")
    return path


def read_changed(folder: Path, old: str, new: str, source: Path = PIG_LESSON, game: Game = PIG) -> Lesson:
    return read_lesson(changed(folder, old, new, source), game)


def first_path(lesson: Lesson, choose: Callable[[list[str]], str] = lambda moves: moves[0]) -> list[str]:
    """A trail from the beginning of a lesson to its end."""
    walk = Walk(lesson)
    while not walk.over:
        walk = walk.read_on() if walk.reading else walk.answer(choose(walk.right())).walk
    return list(walk.trail)
