"""The games are found by their folders, and so are the languages that they speak."""

from __future__ import annotations

from polikarp.engine.words import house_languages
from polikarp.games import all_games, broken_games, spoken_languages


def test_the_house_speaks_what_it_has_files_for() -> None:
    assert house_languages() == ("pl", "en")
    assert spoken_languages() == ("pl", "en", "de")
    assert all_games()["pig"].languages() == ["de", "pl", "en"]
    assert all_games()["pig"].title("de") == "Böse Eins"
    assert all_games()["crypt"].title("de") == "Crypt"


def test_all_folders_hold_games() -> None:
    assert broken_games() == {}
