"""A deal comes out as a lesson wants it."""

from __future__ import annotations

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.data import Data, DataError
from polikarp.engine.lessons.stack import unshuffle
from polikarp.engine.option import UsageError, read_options
from polikarp.engine.rng import ScriptRng
from polikarp.games import all_games

ITEMS = [3, 1, 1, 2, 5, 4]


@pytest.mark.parametrize("wanted", [[], [4], [1, 1], [5, 1, 3], [1, 2, 1, 3, 4, 5]], ids=str)
def test_draws_shuffle_things_into_the_order_that_is_wanted(wanted: list[int]) -> None:
    rng = ScriptRng(unshuffle(ITEMS, wanted, "things"))
    items = vec[i64](ITEMS)
    rng.shuffle(items, len(ITEMS))
    rng.finish()
    assert list(items)[: len(wanted)] == wanted
    assert sorted(items) == sorted(ITEMS)


@pytest.mark.parametrize(("wanted", "why"), [([9], "there is no 9; there are: 3, 1, 2, 5, 4"), ([2, 2], "no 2 left")])
def test_what_is_not_there_can_not_be_wanted(wanted: list[int], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        unshuffle(ITEMS, wanted, "things")


@pytest.mark.parametrize("game", ["crypt", "gold", "hunters", "melee"])
def test_every_setting_can_be_dealt_without_a_stack(game: str) -> None:
    found = all_games()[game]
    for seats in found.seats:
        for option in found.options:
            for value in option.samples():
                try:
                    options = read_options(found.options, {option.name: value})
                    found.blank(seats, options)
                except UsageError:
                    continue  # a seat that nobody has
                rng = ScriptRng(found.stack(seats, options, Data({})))
                found.start(seats, options, rng)
                rng.finish()


@pytest.mark.parametrize(
    ("game", "wanted", "why"),
    [
        ("crypt", {"deck": ["statue 9"]}, "deck is"),
        ("crypt", {"leader": 5}, "leader is 5; right is a whole number from 0 to 2"),
        ("gold", {"guards": ["3* 1/1"]}, "guards is"),
        ("gold", {"hands": [[1, 2, 3]]}, "3 lists of 3 different monsters"),
        ("gold", {"hands": [[1, 1, 3]] * 3}, "3 lists of 3 different monsters"),
        ("gold", {"hands": [[1, {}, 3]] * 3}, "3 lists of 3 different monsters"),
        ("gold", {"orders": [13]}, "orders is"),
        ("hunters", {"cards": ["failed sun"]}, "cards is"),
        ("hunters", {"monsters": [99]}, "monsters: there is no 99"),
        ("melee", {"first": 3}, "first is 3"),
    ],
)
def test_an_impossible_stack_is_told(game: str, wanted: dict[str, object], why: str) -> None:
    found = all_games()[game]
    with pytest.raises((DataError, UsageError), match=why):
        found.stack(3, read_options(found.options, {}), Data(wanted))
