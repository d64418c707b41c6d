"""The data file: what an owner of the box may correct, and what a mistake in it is answered with.

And the size of the tree of moves, which changes with any change of the rules.
"""

from __future__ import annotations

import copy
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.data import Data, DataError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat
from polikarp.engine.words import house_languages
from polikarp.games.crypt import CryptGame, game
from polikarp.games.crypt.cards import KINDS, Cards
from polikarp.games.crypt.view import pottery_numbers

from .numbers import corrected


def changed(place: str, value: object) -> Data:
    """The data with one value replaced; a number in the place counts in a list."""
    data: dict[str, Any] = copy.deepcopy(dict(game.data))
    *path, last = place.split(".")
    at: Any = data
    for part in path:
        at = at[int(part)] if part.isdecimal() else at[part]
    at[int(last) if last.isdecimal() else last] = value
    return Data(data)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ("servants.dice", 4, "servants.dice is 4; right is a whole number from 3 to 3"),
        ("servants.dice", 3.0, "servants.dice is 3.0"),
        ("servants.coins", True, "servants.coins is True"),
        ("servants", 3, "servants.dice is missing"),
        ("collector.statue.B.first", 0, "first is 0; right is a whole number from 1"),
        ("collector.statue.B.first", 10**20, "first is 1000"),
        ("collector.pottery.A.coins", [], "a list of 1 to 99 whole numbers"),
        ("collector.pottery.A.coins", 3, "a list of 1 to 99 whole numbers"),
        ("collector.pottery.A.coins.2", "two", "'two', .*; right is a list"),
        ("collector.remains.A.flip", 0, "flip is 0; right is a whole number from 1"),
        ("solo.rich", 29, "solo.rich is 29; right is a whole number from 30"),
        ("crypt.face_up", [2, 2, 3], "a list of 4 whole numbers"),
        ("crypt.face_down.3", 3, "with 4 players 7 cards lie in the crypt"),
        ("crypt.face_up.2", 4, "with 3 players 36 cards do not fill rounds of 5"),
        ("treasure", [], "there is no list of ..treasure.."),
        ("treasure.0.kind", "sword", "kind of treasure 1 is 'sword'; right is one of: statue"),
        ("treasure.0.value", 5, "value of treasure 1 is 5; right is a whole number from 1 to 4"),
        ("treasure.0.copies.0", -1, "copies of treasure 1 is .-1, "),
        ("treasure.3", "statue 4", "there is no list of ..treasure.."),
        ("servants.fingers", 3, "nobody knows servants.fingers; known are: coins, dice"),
        ("treasure.1.worth", 3, "nobody knows worth of treasure 2; known are: copies, kind, value"),
    ],
)
def test_a_mistake_in_the_data_is_named(place: str, value: object, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        Cards(changed(place, value))


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    for text in (b"servants = [", b"\xff\xfe"):
        (tmp_path / "cards.toml").write_bytes(text)
        with pytest.raises(DataError, match=r"cards.toml:1: can not be read"):
            CryptGame(tmp_path / "cards.toml")


def test_a_corrected_file_is_another_game_and_a_comment_is_not(tmp_path: Path) -> None:
    """A record names the data it was played with; notes and comments do not count."""
    path = tmp_path / "cards.toml"
    text = (game.folder / "cards.toml").read_text("utf-8")
    path.write_text(text.replace('source = "reconstructed"', 'source = "the box"') + "\n# seen on the cards\n", "utf-8")
    assert CryptGame(path).rules == game.rules
    path.write_text(text.replace("coins = 10 }", "coins = 11 }"), "utf-8")
    corrected = CryptGame(path)
    assert corrected.rules != game.rules
    path.unlink()
    assert corrected.rules != game.rules, "the mark is of what was loaded, not of what lies there now"


def test_every_reconstructed_row_says_so() -> None:
    data = tomllib.loads((game.folder / "cards.toml").read_text("utf-8"))
    assert {row["source"] for row in data["treasure"]} == {"reconstructed"}
    for group in ("servants", "crypt", "solo"):
        assert data[group]["source"] == "book"
    assert {collector["source"] for collector in data["collector"].values()} == {"book"}


def positions_by_depth(state: State, depth: int) -> list[int]:
    """How many sequences of moves there are, by their length; dice fall the same way in each."""
    counts = [1] + [0] * depth
    if depth and state.waiting:
        seat = first_seat(state.waiting)
        for move in state.moves(seat):
            twin = state.copy()
            twin.apply(seat, move, FastRng("dice"))
            for at, count in enumerate(positions_by_depth(twin, depth - 1)):
                counts[at + 1] += count
    return counts


@pytest.mark.parametrize(
    ("seats", "sides", "counts"),
    [
        (1, "A", [1, 55, 734, 3034]),
        (2, "B", [1, 55, 757, 5137]),
        (3, "ABABAB", [1, 73, 1441]),
        (4, "A", [1, 109, 3457]),
    ],
)
def test_the_tree_of_moves_has_its_size(seats: int, sides: str, counts: list[int]) -> None:
    state = game.start(seats, {"collectors": sides}, FastRng("tree"))
    assert positions_by_depth(state, 3 if seats < 3 else 2) == counts


@pytest.mark.parametrize("language", house_languages())
@pytest.mark.parametrize("side", ["A", "B"])
def test_a_corrected_number_is_explained_and_no_old_one_is_left(tmp_path: Path, side: str, language: str) -> None:
    """crypt.41A to crypt.46B: what the terminal says of a collector is filled in from the file that is played with."""
    made, numbers = corrected(tmp_path)
    lines = made.explain(made.deal(seats=2, seed=1, collectors=side).view(0), game.words(language))
    assert len(lines) == len(KINDS)
    for kind, line in zip(KINDS, lines, strict=True):
        said = [int(number) for number in re.findall(r"\d+", line)]
        counts = [2, 3, 4] if (kind, side) == ("pottery", "A") else []  # places in the list of what it gives
        assert set(said) == {*numbers[f"{kind} {side}"], *counts}, line


@pytest.mark.parametrize(
    ("coins", "counts", "given"),
    [([0, 0, 2, 4, 8], "2, 3, 4+", "2, 4, 8"), ([0, 3, 3, 5, 5], "1, 3+", "3, 5"), ([7], "1+", "7"), ([0], "1+", "0")],
)
def test_pottery_tells_the_steps_of_what_it_gives(coins: list[int], counts: str, given: str) -> None:
    """crypt.44A: however long the list is, each number of cards from which on it gives another number of coins."""
    told = pottery_numbers(Cards(changed("collector.pottery.A.coins", coins)))
    assert (told["counts"], told["coins"]) == (counts, given)


@pytest.mark.parametrize("language", house_languages())
def test_no_sentence_has_a_number_of_a_collector_in_it(language: str) -> None:
    """What the file may correct is filled in: no digits, and no numbers in words above one."""
    tables = game.words(language).tables
    texts = [*tables["collector"].values()]
    texts += [text for key, text in tables["page"].items() if key.startswith(("short_", "help_"))]
    texts += [tables["help"][key].partition("–")[2] for key in ("look", "revive", "take")]
    texts += [tables["prompt"][key] for key in ("pottery", "statues", "revive_or_recover")]
    number = re.compile(r"\d|\b(two|three|four|five|ten|dwa|dwie|dwóch|trzy|cztery|pięć|dziesięć)\b", re.IGNORECASE)
    assert [text for text in texts if number.search(re.sub(r"\{.*?\}", "", text))] == []


@pytest.mark.parametrize("language", house_languages())
def test_the_data_file_and_the_rulebook_say_what_is_reconstructed(language: str) -> None:
    """crypt.2, crypt.3, crypt.4: reviews and a published implementation support them; nothing is made by us."""
    mark = {"en": "reconstructed", "pl": "odtworzone"}[language]
    marked = re.findall(rf"^\*\*(crypt\.\w+)\*\*.*\(.*{mark}\)$", game.rulebook(language), re.MULTILINE)
    assert marked == ["crypt.2", "crypt.3", "crypt.4"]
