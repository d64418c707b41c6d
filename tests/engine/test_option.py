"""The options of a game: read in their own type, within their bounds, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from polikarp.engine.option import Option, UsageError, read_options

OPTIONS = (
    Option("variant", False),
    Option("pace", 2.0, low=0.8, high=5.0),
    Option("gold", 8, choices=(5, 8)),
    Option("sides", "A", choices=("A", "B"), pattern="[AB]{6}", example="ABABAA"),
)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "pace", 2.0),
        ({"variant": "on"}, "variant", True),
        ({"variant": False}, "variant", False),
        ({"pace": "0.8"}, "pace", 0.8),
        ({"pace": 5}, "pace", 5.0),
        ({"gold": "5"}, "gold", 5),
        ({"sides": "BBBBBA"}, "sides", "BBBBBA"),
    ],
)
def test_options_are_read_in_their_own_type(given: dict[str, str], name: str, value: object) -> None:
    read = read_options(OPTIONS, given)[name]
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"variant": "maybe"}, "on or off"),
        ({"pace": "5.1"}, "0.8 to 5"),
        ({"pace": "nan"}, "0.8 to 5"),
        ({"pace": "fast"}, "0.8 to 5"),
        ({"gold": "6"}, "5, 8"),
        ({"sides": "ABC"}, "A, B, or a value such as ABABAA"),
        ({"colour": "red"}, "variant, pace, gold, sides"),
    ],
)
def test_a_wrong_option_is_told_what_is_right(given: dict[str, str], right: str) -> None:
    with pytest.raises(UsageError, match=right):
        read_options(OPTIONS, given)


def test_samples_show_all_that_an_option_can_do() -> None:
    assert [option.samples() for option in OPTIONS] == [[False, True], [2.0, 0.8, 5.0], [5, 8], ["A", "B", "ABABAA"]]
