"""The boards: what they must be to be played on, and what the file's checks find."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.data import Data, DataError, read_data
from polikarp.games.melee import MeleeGame, game
from polikarp.games.melee.boards import PROVINCES, Board, names_of
from polikarp.games.melee.cards import Cards

FOUR = """R0: R1 R2 | R1: R0 R2 Y1 M L | R2: R0 R1 B2 L | Y0: Y1 Y2 | Y1: Y0 Y2 R1 M F | Y2: Y0 Y1 G2 F | G0: G1 G2
| G1: G0 G2 B1 M F | G2: G0 G1 Y2 F | B0: B1 B2 | B1: B0 B2 G1 M L | B2: B0 B1 R2 L | M: R1 Y1 G1 B1 L F
| L: M R1 R2 B1 B2 | F: M Y1 Y2 G1 G2"""
THREE = """R0: R1 R2 | R1: R0 R2 Y2 M | R2: R0 R1 G1 M | Y0: Y1 Y2 | Y1: Y0 Y2 G2 M | Y2: Y0 Y1 R1 M | G0: G1 G2
| G1: G0 G2 R2 M | G2: G0 G1 Y1 M | M: R1 R2 Y1 Y2 G1 G2"""
TWO = """R0: R1 R2 | R1: R0 R2 B1 M | R2: R0 R1 M L | B0: B1 B2 | B1: B0 B2 R1 M | B2: B0 B1 M L
| M: R1 R2 B1 B2 L | L: M R2 B2"""


@pytest.mark.parametrize(("players", "text", "seats"), [(4, FOUR, "RYGB"), (3, THREE, "RYG"), (2, TWO, "RB")])
def test_the_boards_are_these(players: int, text: str, seats: str) -> None:
    """melee.1: board.4, board.3 and board.2, with their seats clockwise."""
    board = game.boards[players]
    lines = dict(line.strip().split(": ") for line in text.split("|"))
    assert names_of(board.provinces).split() == sorted(lines, key=PROVINCES.index)
    for name, borders in lines.items():
        assert set(names_of(board.near[PROVINCES.index(name)]).split()) == set(borders.split()), name
    assert [PROVINCES[castle] for castle in board.castle] == [f"{letter}0" for letter in seats]
    assert names_of(board.mountains) == "M"
    assert names_of(board.marked) == {4: "L F", 3: "", 2: "L"}[players]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_castle_is_alike(players: int) -> None:
    """melee.6: beside its two lands, and the mountains two steps away."""
    board = game.boards[players]
    for seat in range(players):
        castle = board.castle[seat]
        assert board.near[castle] == board.lands[seat] & ~(1 << castle)
        assert board.far[castle] & board.mountains


def altered(players: int, path: str, value: Any) -> dict[str, Any]:
    """The data with one thing changed, such as `borders.R0`."""
    data = copy.deepcopy(dict(game.data))
    *parts, last = path.split(".")
    inner = data["board"][str(players)]
    for part in parts:
        inner = inner[part]
    inner[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("borders.R1", "R0 R2 Y1 M L F", "R1 borders on F, but not the other way"),
        ("borders.R1", "R0 R1 R2 Y1 M L", "R1 borders on R1"),
        ("borders.R1", "R0 R2 Y1 M X9", "names a province 'X9'"),
        ("borders.R1", 7, "has 7 where the names of provinces should be"),
        ("borders", {"R0": "R1 R2"}, "lacks lands of R"),
        ("borders", 3, "has no borders"),
        ("seats", "R Y G", "seats 'R Y G'; right is: 4 of R Y G B"),
        ("seats", "R Y G Q", "right is: 4 of"),
        ("outline.R0", "l l1 l2 a b", "the drawing gives R0 other borders than the list"),
        ("outline.R0", "l l1 l2 a zz", "no points of the drawing: zz"),
        ("centre", {}, "in their order"),
        ("points.a", [1], "no points of the drawing: a"),
        ("points", 1, "is not drawn"),
    ],
)
def test_a_board_that_can_not_be_played_on_is_named(path: str, value: Any, says: str) -> None:
    with pytest.raises(DataError, match=says.replace("[", r"\[")):
        Board(Data(altered(4, path, value)), 4)


def test_provinces_that_lie_apart_and_castles_in_wrong_places_are_found() -> None:
    """melee.6: a castle borders on its two lands and nothing else."""
    data = altered(2, "borders.L", "")
    for name in ("M", "R2", "B2"):
        borders = data["board"]["2"]["borders"]
        borders[name] = borders[name].replace(" L", "")
    with pytest.raises(DataError, match="can not be reached: L"):
        Board(Data(data), 2)
    data = altered(2, "borders.R0", "R1 R2 L")
    data["board"]["2"]["borders"]["L"] += " R0"
    with pytest.raises(DataError, match="R0 must border on R1 R2 and nothing else"):
        Board(Data(data), 2)
    data = altered(3, "seats", "R Y G")
    data["place"]["mountains"] = "L"
    with pytest.raises(DataError, match="the mountains must be two steps from R0"):
        Board(Data(data), 3)
    with pytest.raises(DataError, match=r"board\.5 is missing; right is a table"):
        Board(Data(dict(game.data)), 5)


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("gold.start", 21, "gold.start is 21; right is a whole number from 0 to 20"),
        ("unit.knight.price", "6", "unit.knight.price is '6'"),
        ("unit.camp.count", True, "unit.camp.count is True"),
        ("ability.looters.gold", 2, "right is a whole number from 0 to 1"),
        ("ability.spies", {}, "nobody knows ability.spies"),
        ("ability.herald", None, "ability.herald is missing; right is a table"),
    ],
)
def test_numbers_out_of_bounds_are_named(place: str, value: Any, says: str) -> None:
    data = copy.deepcopy(dict(game.data))
    *parts, last = place.split(".")
    inner: Any = data
    for part in parts:
        inner = inner[part]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    with pytest.raises(DataError, match=says):
        Cards(Data({name: data[name] for name in ("gold", "unit", "ability")}))


def test_more_gold_than_there_are_numbers_to_bid_is_found() -> None:
    data = copy.deepcopy(dict(game.data))
    data["gold"]["tax"] = 12
    cards = Data({name: data[name] for name in ("gold", "unit", "ability")})
    made = Cards(cards)
    with pytest.raises(DataError, match="could come to hold 96 gold; right is at most 70"):
        made.check_gold(cards, 2)


def test_a_corrected_box_is_another_game(tmp_path: Path) -> None:
    """Whoever owns the box changes the data only; where they come from changes nothing."""
    assert read_data(game.folder / "boards.toml").given["board"]["4"]["source"] == "reconstructed"
    for name in ("cards.toml", "boards.toml"):
        shutil.copy(game.folder / name, tmp_path)
    cards = tmp_path / "cards.toml"
    same = MeleeGame(cards, tmp_path / "boards.toml")
    assert same.rules == game.rules
    cards.write_text(
        cards.read_text().replace("knight = { count = 2, price = 6 }", "knight = { count = 2, price = 5 }")
    )
    dearer = MeleeGame(cards, tmp_path / "boards.toml")
    assert dearer.rules != game.rules
    assert dearer.cards.price[1] == 5
    with pytest.raises(DataError, match="can not be read"):
        MeleeGame(tmp_path / "none.toml")
