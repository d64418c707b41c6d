"""All that a game's folder teaches: its lessons, its coach and its crib sheet, read and checked.

A file with a mistake is left out and the mistake kept, with its file and line: the rest is taught as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path
from typing import NamedTuple, TypeVar

from polikarp.engine.data import DataError, told
from polikarp.engine.game import Game
from polikarp.engine.lessons.check import check_lesson
from polikarp.engine.lessons.coach import Coach, read_coach
from polikarp.engine.lessons.lesson import Lesson, read_lesson, read_roles
from polikarp.engine.lessons.sheet import Sheet, read_sheet
from polikarp.engine.option import UsageError

NUMBERED = re.compile(r"(\d+)-([a-z0-9-]+)")
OTHERS = ("coach", "sheet", "roles")

Taught = TypeVar("Taught")


class Shelf(NamedTuple):
    """What a game teaches, in order. `mistakes` are of the files that were left out."""

    game: Game
    lessons: tuple[Lesson, ...]
    coach: Coach | None
    sheet: Sheet | None
    mistakes: tuple[DataError, ...]

    @property
    def core(self) -> list[Lesson]:
        """What everybody does before the first game."""
        return [lesson for lesson in self.lessons if lesson.core]

    def course(self, name: str | None) -> list[Lesson]:
        """One lesson, or what everybody does before the first game."""
        if not self.lessons:
            raise UsageError(f"{self.game.id} has no lessons")
        return [self.find(name)] if name is not None else self.core or list(self.lessons)

    def find(self, name: str) -> Lesson:
        """The lesson of a name, with its number, without it, or by its number alone."""
        for lesson in self.lessons:
            number, _, rest = lesson.name.partition("-")
            if name in (lesson.name, number, rest):
                return lesson
        known = ", ".join(lesson.name for lesson in self.lessons) or "none"
        raise UsageError(f"{self.game.id} has no lesson {name[:40]!r}; the lessons are: {known}")

    def after(self, lesson: Lesson) -> Lesson | None:
        """The next lesson, in the core as long as that lasts."""
        among = self.core if lesson.core else list(self.lessons)
        later = among[among.index(lesson) + 1 :]
        return later[0] if later else None

    def taught(self) -> set[str]:
        """The rules that a lesson or a moment of the coach teaches."""
        by_coach = [moment.rules for moment in self.coach.moments] if self.coach else []
        return {rule for rules in (*(lesson.rules for lesson in self.lessons), *by_coach) for rule in rules}


@cache
def shelf(game: Game) -> Shelf:
    """What a game teaches."""
    folder = game.folder / "lessons"
    mistakes: list[DataError] = []

    def read(path: Path, reader: Callable[[Path, Game], Taught]) -> Taught | None:
        try:
            return reader(path, game) if path.is_file() else None
        except DataError as mistake:
            if str(mistake) not in map(str, mistakes):  # where roles.toml is wrong, everything says so
                mistakes.append(mistake)
        except Exception as mistake:  # a game's own code may fail: that is a mistake of its folder
            mistakes.append(DataError(path, 0, told(mistake)))
        return None

    lessons = [read(path, whole_lesson) for path in lesson_files(folder, mistakes)]
    coach, sheet = read(folder / "coach.toml", read_coach), read(folder / "sheet.toml", read_sheet)
    return Shelf(game, tuple(filter(None, lessons)), coach, sheet, tuple(mistakes))


def check_file(path: Path, game: Game) -> str:
    """What was found in a file that teaches a game. Raises `DataError` at the first mistake."""
    if path.stem == "coach":
        return f"{path}: {len(read_coach(path, game).moments)} moments"
    if path.stem == "roles":
        return f"{path}: {len(read_roles(path))} roles"
    if path.stem == "sheet":
        return f"{path}: {len(read_sheet(path, game).lines)} lines"
    lesson = read_lesson(path, game)
    walked = check_lesson(lesson)
    words = ", ".join(f"{count} words in {language}" for language, count in walked.words.items())
    played = f"{walked.paths} paths, {walked.moves} moves, {walked.tries} wrong tries"
    return f"{path}: holds; {played}; {words}; {ceil(walked.needs)} of {lesson.seconds} seconds"


def whole_lesson(path: Path, game: Game) -> Lesson:
    """A lesson that was read and played."""
    lesson = read_lesson(path, game)
    check_lesson(lesson)
    return lesson


def lesson_files(folder: Path, mistakes: list[DataError]) -> list[Path]:
    """The files of lessons, in the order of their numbers."""
    found: list[tuple[int, Path]] = []
    for path in sorted(folder.glob("*.toml")):
        named = NUMBERED.fullmatch(path.stem)
        if named:
            found.append((int(named[1]), path))
        elif path.stem not in OTHERS:
            mistakes.append(DataError(path, 0, "a lesson is called by its number and name, as 2-push.toml"))
    return [path for _, path in sorted(found)]
