"""Plots: round numbers on the axis, everything within the picture, nothing lost in bins."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from polikarp.lab.plot import LEFT, WIDTH, Whisker, bars, round_ticks, whiskers


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.11, 0.54, [0.0, 0.2, 0.4, 0.6]),
        (-3.1, 6.9, [-5.0, 0.0, 5.0, 10.0]),
        (0.0, 1.0, [0.0, 0.5, 1.0]),
        (-0.02, 0.05, [-0.02, 0.0, 0.02, 0.04, 0.06]),
    ],
)
def test_an_axis_has_round_numbers_around_all_values(low: float, high: float, ticks: list[float]) -> None:
    assert round_ticks(low, high) == ticks


@pytest.mark.parametrize("value", [0.0, 0.3, -7.0, 1e6, 1e-5])
def test_a_single_value_has_an_axis_too(value: float) -> None:
    ticks = round_ticks(value, value)
    assert ticks[0] <= value <= ticks[-1]
    picture = ElementTree.fromstring(whiskers("one", [Whisker("a", value, value, value)]))
    assert picture.tag.endswith("svg")


def test_whiskers_stay_within_the_picture_and_names_are_text() -> None:
    drawn = whiskers("<title>", [Whisker("a & b", 0.2, -0.1, 0.4), Whisker("x" * 40, 0.9, 0.8, 1.0)], fair=0.5)
    picture = ElementTree.fromstring(drawn)
    assert picture.attrib["aria-label"] == "<title>"
    for line in picture.iter("{http://www.w3.org/2000/svg}line"):
        assert LEFT <= float(line.attrib["x1"]) <= float(line.attrib["x2"]) <= LEFT + WIDTH
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "a & b" in texts
    assert "x" * 25 + "…" in texts


@pytest.mark.parametrize("numbers", [range(1), range(7), range(-3, 60), range(0, 1000, 7)])
def test_bars_count_everything_once(numbers: range) -> None:
    drawn = bars("many", dict.fromkeys(numbers, 2))
    assert sum(int(count) for count in re.findall(r": (\d+)</title>", drawn)) == 2 * len(numbers)
    ElementTree.fromstring(drawn)
