"""Chance, handed to the rules from outside.

A state never holds randomness: whoever plays a move passes an `Rng` in. Three kinds exist, and the rules can
not tell them apart: `FastRng` for simulation, `SeedRng` for tables (every draw follows from a committed seed)
and `ScriptRng`, which repeats draws that were written down. Compiled and pure builds draw the same numbers.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

WORD: Final = 0xFFFFFFFF
WORDS: Final = 4294967296


class ScriptError(Exception):
    """Draws that were written down do not fit the game that asks for them."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Rng:
    """Where draws come from. `below` is the only question that the rules ask."""

    def below(self, bound: i64) -> i64:
        """A whole number from 0 to bound - 1, all equally likely. Bounds reach up to 2 to the power of 31."""
        raise NotImplementedError

    def shuffle(self, items: vec[i64], count: i64) -> None:
        """Shuffle the first `count` items in place."""
        for last in range(count - 1, 0, -1):
            other = self.below(last + 1)
            held = items[last]
            items[last] = items[other]
            items[other] = held


class Chance(Exception):
    """What happens next would be up to chance."""


class NoChance(Rng):
    """Ends a move where chance begins."""

    def below(self, bound: i64) -> i64:
        raise Chance


class FastRng(Rng):
    """Small and fast: the sfc32 generator (96 bits of state and a counter). For simulation, not for secrets."""

    def __init__(self, seed: object) -> None:
        digest = hashlib.sha256(repr(seed).encode()).digest()
        self.a: i64 = int.from_bytes(digest[0:4], "little")
        self.b: i64 = int.from_bytes(digest[4:8], "little")
        self.c: i64 = int.from_bytes(digest[8:12], "little")
        self.counter: i64 = 1

    def word(self) -> i64:
        b = self.b
        c = self.c
        word: i64 = (self.a + b + self.counter) & WORD
        self.counter = (self.counter + 1) & WORD
        self.a = b ^ (b >> 9)
        self.b = (c + (c << 3)) & WORD
        self.c = ((((c << 21) | (c >> 11)) & WORD) + word) & WORD
        return word

    def below(self, bound: i64) -> i64:
        # Multiply and shift; the rare draws that would make some numbers likelier are drawn again.
        product: i64 = self.word() * bound
        if product & WORD < bound:
            unfair: i64 = (WORDS - bound) % bound
            while product & WORD < unfair:
                product = self.word() * bound
        return product >> 32

    def __reduce__(self) -> tuple[Any, ...]:
        return going_on, (int(self.a), int(self.b), int(self.c), int(self.counter))

    def __deepcopy__(self, memo: dict[int, Any]) -> FastRng:
        return going_on(self.a, self.b, self.c, self.counter)


def going_on(a: i64, b: i64, c: i64, counter: i64) -> FastRng:
    """A source that draws on where another was saved."""
    rng = FastRng(0)
    rng.a = a
    rng.b = b
    rng.c = c
    rng.counter = counter
    return rng


class SeedRng(Rng):
    """The draws of step `step` of a table: HMAC-SHA256 of the committed seed, so that anyone can check them later.

    The words of a step are the big-endian 32-bit words of HMAC(seed, "step:block") for block 0, 1, 2, …
    A word too high to be fair is skipped; the draw is the word modulo the bound. `drawn` keeps all draws.
    """

    def __init__(self, seed: bytes, step: int) -> None:
        self.seed = seed
        self.step = step
        self.block = 0
        self.words: list[int] = []
        self.drawn: list[int] = []

    def below(self, bound: i64) -> i64:
        fair = WORDS - WORDS % int(bound)
        while True:
            if not self.words:
                digest = hmac.digest(self.seed, f"{self.step}:{self.block}".encode(), "sha256")
                self.words = [int.from_bytes(digest[at : at + 4], "big") for at in range(28, -1, -4)]
                self.block += 1
            word = self.words.pop()
            if word < fair:
                draw = word % int(bound)
                self.drawn.append(draw)
                return draw


class ScriptRng(Rng):
    """Repeats draws that were written down, in a record or in a test."""

    def __init__(self, draws: list[int]) -> None:
        self.draws = draws
        self.used = 0

    def below(self, bound: i64) -> i64:
        if self.used >= len(self.draws):
            raise ScriptError(f"the rules ask for draw number {self.used + 1}, but {len(self.draws)} are written down")
        draw = self.draws[self.used]
        if not 0 <= draw < bound:
            raise ScriptError(f"draw number {self.used + 1} is {draw}, but must be 0 to {bound - 1}")
        self.used += 1
        return draw

    def finish(self) -> None:
        """Every draw must have been used."""
        if self.used != len(self.draws):
            raise ScriptError(f"{len(self.draws)} draws are written down, but the rules ask for {self.used}")
