"""The boards of Melee, read from `boards.toml` and checked. Sets of provinces are bits."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.data import Data
from polikarp.engine.state import numbers

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
    beside_low: vec[i64]  # by set of the first eight provinces: those one step away from any of them
    beside_high: vec[i64]  # by set of the others
    data: Data  # its table in the file

    def __init__(self, data: Data, players: int) -> None:
        self.name = f"board.{players}"
        self.data = data.table(self.name)
        self.near = numbers(COUNT, 0)
        self.far = numbers(COUNT, 0)
        self.home = numbers(COUNT, -1)
        self.seat = numbers(len(COLOURS), -1)
        self.castle = numbers(players, 0)
        self.lands = numbers(players, 0)
        self.colour = numbers(players, 0)
        self.provinces = 0
        self.castles = 0
        self.read_borders(self.data.take("borders"))
        self.read_seats(self.data.take("seats"), players)
        self.mountains = self.place(data.take("place.mountains"), "") & self.provinces
        self.marked = self.place(data.take("place.marked"), "") & self.provinces
        self.check_mutual()
        self.check_whole()
        self.check_castles(players)
        self.check_drawing()

    def read_borders(self, borders: object) -> None:
        if not isinstance(borders, dict):
            raise self.data.wrong("borders", f"{self.name} has no borders")
        for name in borders:
            self.provinces |= 1 << self.number(name, f"borders.{name}")
        for name, others in borders.items():
            self.near[self.number(name, f"borders.{name}")] = self.place(others, f"borders.{name}")
        for province in range(COUNT):
            reach = self.near[province]
            for other in range(COUNT):
                if self.near[province] >> other & 1:
                    reach |= self.near[other]
            self.far[province] = reach & ~(1 << province)
        self.beside_low = numbers(256, 0)
        self.beside_high = numbers(256, 0)
        for places in range(256):
            for at in range(COUNT):
                if at < 8 and places >> at & 1:
                    self.beside_low[places] |= self.near[at]
                elif at >= 8 and places >> at - 8 & 1:
                    self.beside_high[places] |= self.near[at]

    def around(self, places: i64) -> i64:
        """The provinces one step away from any of a set."""
        return self.beside_low[places & 255] | self.beside_high[places >> 8 & 127]

    def spread(self, places: i64, free: i64) -> i64:
        """A set of provinces, and all that can be come to from there through free ones."""
        wider = places | self.around(places) & free
        while wider != places:
            places = wider
            wider = places | self.around(places) & free
        return places

    def read_seats(self, seats: object, players: int) -> None:
        letters = seats.split() if isinstance(seats, str) else []
        if len(letters) != players or len(set(letters)) != players or not set(letters) <= set(COLOURS):
            raise self.data.wrong("seats", f"{self.name} seats {seats!r}; right is: {players} of {' '.join(COLOURS)}")
        for seat in range(players):
            colour = COLOURS.index(letters[seat])
            self.colour[seat] = colour
            self.seat[colour] = seat
            self.castle[seat] = colour * 3
            self.lands[seat] = i64(7) << colour * 3
            self.home[colour * 3] = seat
            self.castles |= 1 << colour * 3
            if self.lands[seat] & ~self.provinces:
                lacks = f"{self.name} lacks lands of {letters[seat]}: {letters[seat]}0 to {letters[seat]}2"
                raise self.data.wrong("borders", lacks)

    def number(self, name: object, where: str) -> int:
        if name not in PROVINCES:
            raise self.data.wrong(where, f"{self.name} names a province {name!r}; right is: {' '.join(PROVINCES)}")
        return PROVINCES.index(name)

    def place(self, names: object, where: str) -> i64:
        """A set of provinces, given by their names."""
        if not isinstance(names, str):
            raise self.data.wrong(where, f"{self.name} has {names!r} where the names of provinces should be")
        made: i64 = 0
        for name in names.split():
            made |= 1 << self.number(name, where)
        return made

    def check_mutual(self) -> None:
        for one in range(COUNT):
            for other in range(COUNT):
                if self.near[one] >> other & 1 and (one == other or not self.near[other] >> one & 1):
                    raise self.data.wrong(
                        f"borders.{PROVINCES[one]}",
                        f"{self.name}: {PROVINCES[one]} borders on {PROVINCES[other]}, but not the other way",
                    )

    def check_whole(self) -> None:
        """Every province can be reached from the first castle."""
        reached: i64 = 1 << self.castle[0]
        for step in range(COUNT):
            for province in range(COUNT):
                if reached >> province & 1:
                    reached |= self.near[province]
        if reached != self.provinces:
            apart = names_of(self.provinces & ~reached)
            raise self.data.wrong("borders", f"{self.name} has provinces that can not be reached: {apart}")

    def check_castles(self, players: int) -> None:
        """A castle borders on its two lands and nothing else, and the mountains are two steps away."""  # melee.6
        for seat in range(players):
            castle = self.castle[seat]
            lands = self.lands[seat] & ~(1 << castle)
            if self.near[castle] != lands:
                right = f"{PROVINCES[castle]} must border on {names_of(lands)} and nothing else"
                raise self.data.wrong(f"borders.{PROVINCES[castle]}", f"{self.name}: {right}")
            if not self.far[castle] & ~self.near[castle] & self.mountains:
                right = f"the mountains must be two steps from {PROVINCES[castle]}"
                raise self.data.wrong("borders", f"{self.name}: {right}")

    def check_drawing(self) -> None:
        """The outlines share an edge where provinces border on each other, and nowhere else."""
        board = self.data
        points, outlines, centres = board.take("points"), board.take("outline"), board.take("centre")
        if not isinstance(points, dict) or not isinstance(outlines, dict) or not isinstance(centres, dict):
            raise board.wrong("", f"{self.name} is not drawn: points, outline, centre")
        borders = list(board.given["borders"])
        if list(outlines) != borders or list(centres) != borders:
            right = "outline and centre must have the provinces of borders, in their order"
            raise board.wrong("outline", f"{self.name}: {right}")
        spots = [*points.items(), *centres.items()]
        wrong = [name for name, spot in spots if not isinstance(spot, list) or len(spot) != 2]
        wrong += [corner for outline in outlines.values() for corner in outline.split() if corner not in points]
        if wrong:
            raise board.wrong("outline", f"{self.name}: these are no points of the drawing: {' '.join(wrong)}")
        touching: dict[tuple[str, str], i64] = {}
        for name, outline in outlines.items():
            corners = outline.split()
            for at in range(len(corners)):
                one, other = corners[at - 1], corners[at]
                edge = (min(one, other), max(one, other))
                touching[edge] = touching.get(edge, 0) | 1 << self.number(name, f"outline.{name}")
        for province in range(COUNT):
            drawn: i64 = 0
            for sides in touching.values():
                if sides >> province & 1:
                    drawn |= sides
            if drawn & ~(1 << province) != self.near[province]:
                other_way = f"the drawing gives {PROVINCES[province]} other borders than the list"
                raise board.wrong(f"outline.{PROVINCES[province]}", f"{self.name}: {other_way}")


def names_of(provinces: int) -> str:
    """The names of a set of provinces."""
    return " ".join([PROVINCES[at] for at in range(COUNT) if provinces >> at & 1])
