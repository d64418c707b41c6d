"""The crib sheet of a game: all that one has to remember, on one page, in lines that begin with a bold word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from polikarp.engine.data import Data, DataError, read_data
from polikarp.engine.game import Game
from polikarp.engine.lessons.lesson import Sentence, read_title, say

MOST_WORDS = 90
WORD = re.compile(r"\S*\w\S*")  # a plus or a star is none


class Line(NamedTuple):
    """`head` stands in bold; what follows may be missing."""

    head: Sentence
    text: Sentence


class Sheet(msgspec.Struct, frozen=True):
    """`pictures` says what each picture beside the lines shows."""

    game: Game
    path: Path
    title: Sentence
    pictures: tuple[Sentence, ...]
    lines: tuple[Line, ...]

    def text(self, language: str) -> list[str]:
        """The lines as plain text."""
        return [f"{say(self.game, head, language)} {say(self.game, rest, language)}" for head, rest in self.lines]


def read_sheet(path: Path, game: Game) -> Sheet:
    """The crib sheet of a game. Raises `DataError` at the first mistake."""
    data = read_data(path)
    data.choice("game", [game.id])
    title = read_title(data)
    pictures = tuple(words(each, "shows", title) for each in data.tables("picture"))
    lines = tuple(Line(words(each, "head", title), words(each, "text", title)) for each in data.tables("line"))
    data.finish()
    sheet = Sheet(game, path, title, pictures, lines)
    for language in title:
        count = sum(len(WORD.findall(each)) for each in sheet.text(language))
        if count > MOST_WORDS:
            raise DataError(path, 1, f"the sheet has {count} words in {language}; right is at most {MOST_WORDS}")
    return sheet


def words(data: Data, name: str, title: Sentence) -> Sentence:
    """A text in the languages of the title."""
    given = data.take(name)
    good = isinstance(given, dict) and all(isinstance(text, str) and text for text in given.values())
    data.check(good and given.keys() == title.keys(), name, f"a text in each of: {', '.join(title)}")
    return dict(given)
