"""The data file: what can not be played with is refused with a sentence that says what to mend."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.data import Data, DataError, read_data
from polikarp.games.hunters import HuntersGame, game
from polikarp.games.hunters.cards import Cards

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> Cards:
    data = copy.deepcopy(dict(game.data))
    change(data)
    return Cards(Data(data))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.pop("mistake"), "mistake.points is missing; right is a whole number from -9 to 0"),
        (lambda data: data["mistake"].update(points=1), "mistake.points is 1; right is a whole number from -9 to 0"),
        (lambda data: data.pop("card"), "there is no list of [[card]]"),
        (lambda data: data.update(monster=[1]), "there is no list of [[monster]]"),
        (
            lambda data: data["card"][0].update(kind="trap"),
            "kind of card 1 is 'trap'; right is one of: basic, ",
        ),
        (
            lambda data: data["card"][0].update(symbols=[]),
            "symbols of card 1 is []; right is a list of 1 out of: fire",
        ),
        (lambda data: data["card"][0].update(copies=True), "copies of card 1 is True"),
        (lambda data: data["card"][0].update(copies=150), "there are more than 200 spells and weapons"),
        (
            lambda data: data["monster"][0].update(symbols=["net"]),
            "symbols of monster 1 is ['net']; right is a list of 1 to 9 out of: fire, ice",
        ),
        (lambda data: data["monster"][0].update(symbols=[]), "symbols of monster 1 is []; right is a list of 1 to 9"),
        (lambda data: data["monster"][0].update(priority=2), "two monsters have the priority number 2"),
        (
            lambda data: data["monster"][0].update(value=6),
            "value of monster 1 is 6; right is a whole number from 3 to 5",
        ),
        (lambda data: data["monster"][0].update(players=1), "players of monster 1 is 1"),
        (lambda data: data["monster"][3].update(worth=1), "nobody knows worth of monster 4; known are: players"),
        (lambda data: data.update(monster=data["monster"][:5]), "two players have too few monsters"),
        (lambda data: data.update(card=data["card"][-1:]), "there are too few spells and weapons"),
        (lambda data: data.update(card=data["card"][1:6]), "monster 1 can not be caught with all cards open"),
    ],
)
def test_data_that_can_not_be_played_with(change: Change, words: str) -> None:
    """hunters.2, hunters.4, hunters.20"""
    with pytest.raises(DataError) as mistake:
        changed(change)
    assert words in str(mistake.value)


@pytest.mark.parametrize(("copies", "enough"), [(3, True), (2, False)])
def test_wands_count_where_all_cards_lie_open(copies: int, enough: bool) -> None:
    """hunters.20: nine fires are needed; three combinations have one, and there are three wands."""

    def change(data: dict[str, Any]) -> None:
        data["card"][0].update(copies=copies)
        data["monster"][0].update(symbols=["fire"] * 9)

    if enough:
        assert changed(change).copies[0] == copies
    else:
        with pytest.raises(DataError, match="monster 1 can not be caught"):
            changed(change)


def test_a_corrected_card_gives_other_rules(tmp_path: Path) -> None:
    text = (game.folder / "cards.toml").read_text("utf-8")
    path = tmp_path / "cards.toml"
    path.write_text(text.replace("copies = 14", "copies = 15", 1), "utf-8")
    mended = HuntersGame(path)
    assert mended.cards.deck_size(True) == 109
    assert mended.rules != game.rules
    path.write_text(text.replace('source = "made by us"', 'source = "box"'), "utf-8")
    assert HuntersGame(path).rules == game.rules


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cards.toml: can not be read"):
        read_data(tmp_path / "cards.toml")
