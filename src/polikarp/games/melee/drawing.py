"""The map as shapes, made from the points and outlines of `boards.toml`. Borders are shared, and look drawn by hand."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import msgspec

from polikarp.engine.rng import FastRng

WIDTH, HEIGHT = 1000, 700
SWAY = 0.09  # how far a border strays from a straight line, in parts of its length
HALVINGS = 3

Point = tuple[float, float]


class Shape(msgspec.Struct, frozen=True):
    """A province: its outline as an SVG path and as a polygon for CSS, and where its units stand, in percent.

    `tall` is the same for a map that stands upright, with x and y changed over.
    """

    path: str
    wide: str
    tall: str
    x: float
    y: float


def draw(board: Mapping[str, Any]) -> dict[str, Shape]:
    points = {name: (float(x), float(y)) for name, (x, y) in board["points"].items()}
    return {name: shape(outline.split(), points, board["centre"][name]) for name, outline in board["outline"].items()}


def shape(corners: list[str], points: Mapping[str, Point], centre: Point) -> Shape:
    outline: list[Point] = []
    for at, corner in enumerate(corners):
        outline += border(corners[at - 1], corner, points)[:-1]
    return Shape(
        path="M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in outline) + "Z",
        wide=", ".join(f"{x / WIDTH:.1%} {y / HEIGHT:.1%}" for x, y in outline),
        tall=", ".join(f"{y / HEIGHT:.1%} {x / WIDTH:.1%}" for x, y in outline),
        x=round(centre[0] / WIDTH * 100, 1),
        y=round(centre[1] / HEIGHT * 100, 1),
    )


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
