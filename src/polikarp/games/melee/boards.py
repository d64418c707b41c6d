"""The boards of Melee, read from `boards.toml` and checked. Sets of provinces are bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.state import numbers
from polikarp.games.melee.cards import CardsError

COLOURS: Final = ("R", "Y", "G", "B")
PROVINCES: Final = ("R0", "R1", "R2", "Y0", "Y1", "Y2", "G0", "G1", "G2", "B0", "B1", "B2", "M", "L", "F")
COUNT: Final = 15


class Board:
    """One board, for one number of players."""

    near: vec[i64]  # by province: those one step away
    far: vec[i64]  # by province: those one or two steps away
    castle: vec[i64]  # by seat: the province of its castle
    lands: vec[i64]  # by seat: its castle and the two provinces beside it
    home: vec[i64]  # by province: the seat whose castle it is, or -1
    colour: vec[i64]  # by seat: its place among COLOURS
    seat: vec[i64]  # by colour: the seat that plays it, or -1
    provinces: i64
    castles: i64
    mountains: i64
    marked: i64  # +1 gold at income

    def __init__(self, data: Mapping[str, Any], players: int) -> None:
        self.name = f"board.{players}"
        board = data["board"].get(str(players)) if isinstance(data.get("board"), dict) else None
        if not isinstance(board, dict) or not isinstance(data.get("place"), dict):
            raise CardsError(f"there is no {self.name}")
        self.near = numbers(COUNT, 0)
        self.far = numbers(COUNT, 0)
        self.home = numbers(COUNT, -1)
        self.seat = numbers(len(COLOURS), -1)
        self.castle = numbers(players, 0)
        self.lands = numbers(players, 0)
        self.colour = numbers(players, 0)
        self.provinces = 0
        self.castles = 0
        self.read_borders(board.get("borders"))
        self.read_seats(board.get("seats"), players)
        self.mountains = self.place(data["place"].get("mountains")) & self.provinces
        self.marked = self.place(data["place"].get("marked")) & self.provinces
        self.check_mutual()
        self.check_whole()
        self.check_castles(players)
        self.check_drawing(board)

    def read_borders(self, borders: object) -> None:
        if not isinstance(borders, dict):
            raise CardsError(f"{self.name} has no borders")
        for name in borders:
            self.provinces |= 1 << self.number(name)
        for name, others in borders.items():
            self.near[self.number(name)] = self.place(others)
        for province in range(COUNT):
            reach = self.near[province]
            for other in range(COUNT):
                if self.near[province] >> other & 1:
                    reach |= self.near[other]
            self.far[province] = reach & ~(1 << province)

    def read_seats(self, seats: object, players: int) -> None:
        letters = seats.split() if isinstance(seats, str) else []
        if len(letters) != players or len(set(letters)) != players or not set(letters) <= set(COLOURS):
            raise CardsError(f"{self.name} seats {seats!r}; right is: {players} of {' '.join(COLOURS)}")
        for seat in range(players):
            colour = COLOURS.index(letters[seat])
            self.colour[seat] = colour
            self.seat[colour] = seat
            self.castle[seat] = colour * 3
            self.lands[seat] = i64(7) << colour * 3
            self.home[colour * 3] = seat
            self.castles |= 1 << colour * 3
            if self.lands[seat] & ~self.provinces:
                raise CardsError(f"{self.name} lacks lands of {letters[seat]}: {letters[seat]}0 to {letters[seat]}2")

    def number(self, name: object) -> int:
        if name not in PROVINCES:
            raise CardsError(f"{self.name} names a province {name!r}; right is: {' '.join(PROVINCES)}")
        return PROVINCES.index(name)

    def place(self, names: object) -> i64:
        """A set of provinces, given by their names."""
        if not isinstance(names, str):
            raise CardsError(f"{self.name} has {names!r} where the names of provinces should be")
        made: i64 = 0
        for name in names.split():
            made |= 1 << self.number(name)
        return made

    def check_mutual(self) -> None:
        for one in range(COUNT):
            for other in range(COUNT):
                if self.near[one] >> other & 1 and (one == other or not self.near[other] >> one & 1):
                    raise CardsError(
                        f"{self.name}: {PROVINCES[one]} borders on {PROVINCES[other]}, but not the other way"
                    )

    def check_whole(self) -> None:
        """Every province can be reached from the first castle."""
        reached: i64 = 1 << self.castle[0]
        for step in range(COUNT):
            for province in range(COUNT):
                if reached >> province & 1:
                    reached |= self.near[province]
        if reached != self.provinces:
            raise CardsError(
                f"{self.name} has provinces that can not be reached: {names_of(self.provinces & ~reached)}"
            )

    def check_castles(self, players: int) -> None:
        """A castle borders on its two lands and nothing else, and the mountains are two steps away."""  # melee.6
        for seat in range(players):
            castle = self.castle[seat]
            lands = self.lands[seat] & ~(1 << castle)
            if self.near[castle] != lands:
                raise CardsError(f"{self.name}: {PROVINCES[castle]} must border on {names_of(lands)} and nothing else")
            if not self.far[castle] & ~self.near[castle] & self.mountains:
                raise CardsError(f"{self.name}: the mountains must be two steps from {PROVINCES[castle]}")

    def check_drawing(self, board: Mapping[str, Any]) -> None:
        """The outlines share an edge where provinces border on each other, and nowhere else."""
        points, outlines, centres = board.get("points"), board.get("outline"), board.get("centre")
        if not isinstance(points, dict) or not isinstance(outlines, dict) or not isinstance(centres, dict):
            raise CardsError(f"{self.name} is not drawn: points, outline, centre")
        if list(outlines) != list(board["borders"]) or list(centres) != list(board["borders"]):
            raise CardsError(f"{self.name}: outline and centre must have the provinces of borders, in their order")
        spots = [*points.items(), *centres.items()]
        wrong = [name for name, spot in spots if not isinstance(spot, list) or len(spot) != 2]
        wrong += [corner for outline in outlines.values() for corner in outline.split() if corner not in points]
        if wrong:
            raise CardsError(f"{self.name}: these are no points of the drawing: {' '.join(wrong)}")
        touching: dict[tuple[str, str], i64] = {}
        for name, outline in outlines.items():
            corners = outline.split()
            for at in range(len(corners)):
                one, other = corners[at - 1], corners[at]
                edge = (min(one, other), max(one, other))
                touching[edge] = touching.get(edge, 0) | 1 << self.number(name)
        for province in range(COUNT):
            drawn: i64 = 0
            for sides in touching.values():
                if sides >> province & 1:
                    drawn |= sides
            if drawn & ~(1 << province) != self.near[province]:
                raise CardsError(f"{self.name}: the drawing gives {PROVINCES[province]} other borders than the list")


def names_of(provinces: int) -> str:
    """The names of a set of provinces."""
    return " ".join([PROVINCES[at] for at in range(COUNT) if provinces >> at & 1])
