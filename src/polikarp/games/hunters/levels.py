"""Bots that play Monster Hunters as people do: they need time, overlook monsters and make mistakes.

A level is data (`levels.toml`). What a bot intends is drawn from what lies open on the table as everybody sees it,
and from nothing else. It is a slap in so many milliseconds; whoever keeps the time lets it run through the same
decision as the slaps of people.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist

import msgspec

from polikarp.engine.bot import Bot
from polikarp.engine.option import UsageError
from polikarp.engine.race import Intent
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games.hunters.rules import FLIP, NOBODY, PASS, PLACES, SLAP, Hunters
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


def level_of(name: str) -> Level:
    """A level by its own name, or by one that bots have at every game."""
    found = levels().get(PLAIN.get(name, name))
    if found is None:
        raise UsageError(f"hunters has no reflexes {name[:40]!r}; right is: {', '.join(levels())}")
    return found


def intend(level: Level, board: Board, rng: Rng) -> Intent | None:
    """What a player of this level does about the newest card, if anything."""
    lacks = [missing(board, monster) for monster in board.monsters]
    target = notice(level, lacks, [monster.value for monster in board.monsters], rng)
    return None if target is None else Intent(target, reaction(level, board.card, rng))


def notice(level: Level, lacks: Sequence[int], values: Sequence[int], rng: Rng) -> int | None:
    """The monster that a player of this level thinks can be caught, by what each lacks and is worth; None: none."""
    seen = [place for place, count in enumerate(lacks) if count == 0 and chance(rng) < level.sees]
    if seen:
        return max(seen, key=lambda place: values[place])
    close = [place for place, count in enumerate(lacks) if count == 1]
    return close[rng.below(len(close))] if close and chance(rng) < level.mistakes else None


def missing(board: Board, monster: Monster) -> int:
    """How many of a monster's symbols nothing on the table stands for."""
    cards = [card for hunter in board.hunters for card in hunter.open]
    shown = [symbol for card in cards if card.kind != "failed" for symbol in card.symbols]
    wands = sum(card.kind == "wand" for card in cards)
    lacks = sum(max(0, monster.symbols.count(each) - shown.count(each)) for each in set(monster.symbols))
    return max(0, lacks - wands)


def reaction(level: Level, cards: int, rng: Rng) -> float:
    """A time in milliseconds with so many cards open; half of them are longer than the median."""
    median = level.median + level.each_card * max(0, cards - FEW_CARDS)
    return median * math.exp(level.spread * NORMAL.inv_cdf(chance(rng)))


def chance(rng: Rng) -> float:
    """A number between 0 and 1, neither of them."""
    return (int(rng.below(FINE)) + 0.5) / FINE


class LevelBot(Bot):
    """A level among bots alone: it slaps what it notices, and whoever keeps the time knows its reflexes."""

    volunteers = True

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        assert isinstance(sight, Hunters)
        slap = self.volunteer(sight, seat, rng)
        if slap >= 0:
            return slap
        if sight.racing != NOBODY:
            return PASS
        return FLIP if sight.waiting == 1 << sight.turn else sight.pick(seat, rng)  # hunters.20: it waits for a slap

    def volunteer(self, sight: State, seat: int, rng: Rng) -> int:
        assert isinstance(sight, Hunters)
        if not sight.open_count():
            return -1
        monsters = [sight.monster[sight.at_place(place)] for place in range(PLACES)]
        lacks = [int(sight.missing(place, 0)) for place in range(PLACES)]
        values = [int(sight.cards.value[monster]) for monster in monsters]
        place = notice(level_of(self.reflexes), lacks, values, rng)
        return -1 if place is None else SLAP + place


@cache
def level_bots() -> dict[str, type[Bot]]:
    """A bot for every level that ever slaps: a game of others would never end."""
    return {name: type(name, (LevelBot,), {"reflexes": name}) for name, level in levels().items() if level.sees}
