"""The map as shapes, made from the points and outlines of `boards.toml`. Borders are shared, and look drawn by hand."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import msgspec

from polikarp.engine.rng import FastRng

SWAY = 0.09  # how far a border strays from a straight line, in parts of its length
HALVINGS = 3

Point = tuple[float, float]


class Shape(msgspec.Struct, frozen=True):
    """A province: its outline as an SVG path, and where its units stand, in a frame of 1000 by 700."""

    path: str
    x: int
    y: int


def draw(board: Mapping[str, Any]) -> dict[str, Shape]:
    points = {name: (float(x), float(y)) for name, (x, y) in board["points"].items()}
    return {name: shape(outline.split(), points, board["centre"][name]) for name, outline in board["outline"].items()}


def shape(corners: list[str], points: Mapping[str, Point], centre: Point) -> Shape:
    outline: list[Point] = []
    for at, corner in enumerate(corners):
        outline += border(corners[at - 1], corner, points)[:-1]
    path = "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in outline) + "Z"
    return Shape(path, round(centre[0]), round(centre[1]))


def border(one: str, other: str, points: Mapping[str, Point]) -> list[Point]:
    """From one corner to another: the same line for both provinces that it parts."""
    if one > other:
        return border(other, one, points)[::-1]
    rng = FastRng(("border", one, other))
    line = [points[one], points[other]]
    for _ in range(HALVINGS):
        halved = [line[0]]
        for (left, top), (right, bottom) in itertools.pairwise(line):
            sway = SWAY * (rng.below(201) / 100 - 1)
            middle = ((left + right) / 2 - (bottom - top) * sway, (top + bottom) / 2 + (right - left) * sway)
            halved += [middle, (right, bottom)]
        line = halved
    return line
