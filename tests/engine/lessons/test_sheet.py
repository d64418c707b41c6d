"""The crib sheets: one page, in every language, with the numbers of the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.data import DataError
from polikarp.engine.game import Game
from polikarp.engine.lessons.sheet import MOST_WORDS, Sheet, read_sheet
from polikarp.engine.lessons.shelf import shelf
from polikarp.engine.words import house_languages
from polikarp.games import all_games, offered_games
from tests.engine.lessons.pupils import changed


def sheet_of(game: Game) -> Sheet:
    sheet = shelf(game).sheet
    assert sheet is not None
    return sheet


@pytest.mark.parametrize("game", offered_games(), ids=lambda game: game.id)
def test_every_game_has_a_sheet_in_every_language(game: Game) -> None:
    sheet = sheet_of(game)
    assert set(sheet.title) >= set(house_languages())
    for language in house_languages():
        assert len(sheet.text(language)) == len(sheet.lines) >= 6
        assert all(line[0].isupper() and line[-1] in ".:" for line in sheet.text(language))
    assert 2 <= len(sheet.pictures) <= 5


def test_numbers_are_those_of_the_data() -> None:
    """Numbers on the sheets are written out: a card that is corrected must be corrected here too."""
    games = all_games()
    gold, melee = games["gold"].data, games["melee"].data
    costs = ", ".join(map(str, gold["healing"]["costs"]))
    prices = [melee["unit"][unit]["price"] for unit in ("soldier", "knight", "camp", "catapult")]
    stars = [f"{gold['replacing']['treasury']} + {owner}" for owner in gold["replacing"]["owner"][1:]]
    for language in house_languages():
        text = "\n".join(sheet_of(games["gold"]).text(language))
        assert costs in text
        assert f"★★ {stars[0]}, ★★★ {stars[1]}" in text
        lines = sheet_of(games["melee"]).text(language)
        assert [int(word.strip(",.")) for word in lines[3].split() if word.strip(",.").isdigit()] == prices
        assert str(melee["gold"]["tax"]) in lines[4]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('{ en = "Tax:", pl = "Podatek:" }', '{ en = "Tax:" }', "head of line 5 is"),
        ('en = "3 gold."', f'en = "{"gold " * MOST_WORDS}"', "words in en; right is at most 90"),
        ('game = "melee"', 'game = "gold"', "right is one of: melee"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, text: str) -> None:
    sheet = sheet_of(all_games()["melee"])
    with pytest.raises(DataError, match=text):
        read_sheet(changed(tmp_path, old, new, sheet.path), sheet.game)
