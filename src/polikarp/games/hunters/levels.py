"""Bots that play Monster Hunters as people do: they need time, overlook monsters and make mistakes.

A level is data (`levels.toml`). What a bot intends is drawn from what lies open on the table as everybody sees it,
and from nothing else. It is a slap in so many milliseconds; whoever keeps the time lets it run through the same
decision as the slaps of people.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from statistics import NormalDist

import msgspec

from polikarp.engine.race import Intent
from polikarp.engine.rng import Rng
from polikarp.games.hunters.view import Board, Monster

LEAST_MEDIAN = 250  # milliseconds
FEW_CARDS = 6
FINE = 1 << 30
NORMAL = NormalDist()
PLAIN = {"random": "child", "greedy": "casual", "strong": "champion"}  # the names that bots have at every game


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`levels.toml` says what the numbers are."""

    median: float
    spread: float
    each_card: float
    sees: float
    mistakes: float

    def __post_init__(self) -> None:
        if self.median < LEAST_MEDIAN:
            raise ValueError(f"a median reaction of {self.median} ms is not human; right is: {LEAST_MEDIAN} or more")


@cache
def levels() -> dict[str, Level]:
    """From the weakest to the strongest."""
    text = (Path(__file__).parent / "levels.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Level])


def intend(level: Level, board: Board, rng: Rng) -> Intent | None:
    """What a player of this level does about the newest card, if anything."""
    lacks = [missing(board, monster) for monster in board.monsters]
    seen = [place for place, count in enumerate(lacks) if count == 0 and chance(rng) < level.sees]
    if seen:
        return Intent(max(seen, key=lambda place: board.monsters[place].value), reaction(level, board, rng))
    close = [place for place, count in enumerate(lacks) if count == 1]
    if close and chance(rng) < level.mistakes:
        return Intent(close[rng.below(len(close))], reaction(level, board, rng))
    return None


def missing(board: Board, monster: Monster) -> int:
    """How many of a monster's symbols nothing on the table stands for."""
    cards = [card for hunter in board.hunters for card in hunter.open]
    shown = [symbol for card in cards if card.kind != "failed" for symbol in card.symbols]
    wands = sum(card.kind == "wand" for card in cards)
    lacks = sum(max(0, monster.symbols.count(each) - shown.count(each)) for each in set(monster.symbols))
    return max(0, lacks - wands)


def reaction(level: Level, board: Board, rng: Rng) -> float:
    """A time in milliseconds; half of them are longer than the median."""
    median = level.median + level.each_card * max(0, board.card - FEW_CARDS)
    return median * math.exp(level.spread * NORMAL.inv_cdf(chance(rng)))


def chance(rng: Rng) -> float:
    """A number between 0 and 1, neither of them."""
    return (int(rng.below(FINE)) + 0.5) / FINE
