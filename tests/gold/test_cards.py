"""The data file: what an owner of the box may correct, and what a mistake in it is answered with.

And the size of the tree of moves, which changes with any change of the rules.
"""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.data import Data, DataError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat
from polikarp.games.gold import GoldGame, game
from polikarp.games.gold.cards import Cards, count_bits


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
        ("castle.rounds", [6, 6, 5], "castle.rounds is .*; right is a list of 4"),
        ("castle.rounds.3", 7, "6 players need 42 guards, but there are 36"),
        ("castle.rounds.0", 0, "castle.rounds is .0, 6, 5, 6.; right is a list of 4 whole numbers from 1"),
        ("replacing.own", -1, "replacing.own is -1"),
        ("replacing.treasury", True, "replacing.treasury is True"),
        ("replacing.owner", [0, 1], "right is a list of 3"),
        ("healing.costs.4", "two", "healing.costs is .*'two'"),
        ("level", [], "there is no list of ..level..; right is a list of 3"),
        ("level.1", 2, "there is no list of ..level.."),
        ("level.1.stars", 3, "stars of level 2 is 3; right is a whole number from 2 to 2"),
        ("level.0.strength", [3], "strength of level 1 is .3.; right is a list of 2"),
        ("level.0.guards", [], "guards of level 1 is ..; right is a list of guards"),
        (
            "level.0.guards.0",
            [7, 3],
            r"a guard with 1 stars is \[7, 3\]; right is .* within \[3, 6\] and \[3, 6\]",
        ),
        ("level.2.guards.0", [5, 9], r"a guard with 3 stars is \[5, 9\]; .* within \[5, 9\] and \[10, 14\]"),
        ("order", [], "there is no list of ..order..; right is a list of 12"),
        ("order.4", 5, "there is no list of ..order.."),
        ("order.0.barred", 6, "barred of order 1 is 6; right is a whole number from 1 to 5"),
        ("order.1.hand", [3, 3, 5], "hand of order 2 is .3, 3, 5.; right is three different monsters"),
        ("order.2.at", "third", "at of order 3 is 'third'; right is one of: first, first two"),
        ("order.2.loot", 100, "loot of order 3 is 100"),
        ("order.11.strength", 1.5, "strength of order 12 is 1.5"),
        ("order.3.heal_from", 0, "heal_from of order 4 is 0"),
        ("order.3.heals", 1, "nobody knows heals of order 4; known are: heal, heal_from"),
        ("king", {"age": 60}, "nobody knows king.age"),
    ],
)
def test_a_mistake_in_the_data_is_named(place: str, value: object, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        Cards(changed(place, value))


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    for text in (b"castle = [", b"\xff\xfe"):
        (tmp_path / "cards.toml").write_bytes(text)
        with pytest.raises(DataError, match=r"cards.toml:1: can not be read"):
            GoldGame(tmp_path / "cards.toml")


def test_a_corrected_file_is_another_game_and_a_comment_is_not(tmp_path: Path) -> None:
    """A record names the data it was played with; notes and comments do not count."""
    path = tmp_path / "cards.toml"
    text = (game.folder / "cards.toml").read_text("utf-8")
    path.write_text(text.replace('"made by us"', '"the box"') + "\n# seen on the cards\n", "utf-8")
    assert GoldGame(path).rules == game.rules
    path.write_text(text.replace("costs = [0, 1, 1, 2, 2]", "costs = [0, 1, 1, 1, 2]"), "utf-8")
    assert GoldGame(path).rules != game.rules


def test_what_is_reconstructed_or_made_by_us_says_so() -> None:
    """gold.5, gold.6: the ranges of levels are in reviews; each guard and each healing cost is ours; the rest is in
    the book."""
    data = tomllib.loads((game.folder / "cards.toml").read_text("utf-8"))
    for level in data["level"]:
        assert level["source"] == {"strength": "reconstructed", "loot": "reconstructed", "guards": "made by us"}
    assert data["healing"]["source"] == "made by us"
    assert {order["source"] for order in data["order"]} == {"book"}
    assert (data["castle"]["source"], data["replacing"]["source"]) == ("book", "book")


def test_bits_are_counted() -> None:
    for bits in (*range(5000), 0xFFFF, 0x8001):
        assert count_bits(bits) == bits.bit_count()


def positions_by_depth(state: State, depth: int) -> list[int]:
    """How many sequences of moves there are, by their length."""
    counts = [1] + [0] * depth
    if depth and state.waiting:
        seat = first_seat(state.waiting)
        for move in state.moves(seat):
            twin = state.copy()
            twin.apply(seat, move, FastRng(0))
            for at, count in enumerate(positions_by_depth(twin, depth - 1)):
                counts[at + 1] += count
    return counts


@pytest.mark.parametrize(
    ("seats", "options", "counts"),
    [
        (3, {}, [1, 18, 300, 4044]),
        (4, {"kings_orders": True}, [1, 24, 528]),
        (6, {"sorted_guards": True}, [1, 36, 1248]),
    ],
)
def test_the_tree_of_moves_has_its_size(seats: int, options: dict[str, bool], counts: list[int]) -> None:
    state = game.start(seats, options, FastRng("tree"))
    assert positions_by_depth(state, len(counts) - 1) == counts
