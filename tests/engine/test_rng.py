"""Chance from outside: the same in both builds, fair, and checkable by anyone."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from polikarp.engine.rng import FastRng, ScriptError, ScriptRng, SeedRng
from polikarp.engine.state import numbers

FAST_DRAWS = [752, 816, 488, 654, 520, 98, 645, 163]


def test_fast_draws_are_the_same_in_every_build() -> None:
    rng = FastRng("polikarp")
    assert [rng.below(1000) for _ in range(8)] == FAST_DRAWS


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 7, 48, 1000])
def test_fast_draws_are_fair(bound: int) -> None:
    rng = FastRng(bound)
    counts = [0] * bound
    for _ in range(200 * bound):
        counts[rng.below(bound)] += 1
    chi_square = sum((count - 200) ** 2 / 200 for count in counts)
    assert chi_square < bound + 6 * (2 * bound) ** 0.5


def test_seeded_draws_follow_from_the_seed_as_documented() -> None:
    """The formula of docs/record.md, written out: words of HMAC-SHA256(seed, "step:block"), modulo the bound."""
    seed = hashlib.sha256(b"a seed").digest()
    words = []
    for block in range(2):
        digest = hmac.new(seed, f"7:{block}".encode(), "sha256").digest()
        words += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    bounds = [6, 48, 5, 2, 6, 6, 100, 3, 6, 6]
    fair = [word % bound for word, bound in zip(words, bounds, strict=False)]
    rng = SeedRng(seed, 7)
    assert [rng.below(bound) for bound in bounds] == fair
    assert rng.drawn == fair


def test_seeded_draws_differ_from_step_to_step() -> None:
    seed = bytes(32)
    first, second = SeedRng(seed, 1), SeedRng(seed, 2)
    assert [first.below(1000) for _ in range(5)] != [second.below(1000) for _ in range(5)]


def test_a_script_repeats_its_draws_and_no_others() -> None:
    rng = ScriptRng([0, 5])
    assert [rng.below(6), rng.below(6)] == [0, 5]
    rng.finish()
    with pytest.raises(ScriptError, match="draw number 3"):
        rng.below(6)
    with pytest.raises(ScriptError, match="must be 0 to 4"):
        ScriptRng([5]).below(5)
    with pytest.raises(ScriptError, match="2 draws are written down, but the rules ask for 0"):
        ScriptRng([1, 2]).finish()


def test_every_order_of_a_shuffle_is_equally_likely() -> None:
    rng = FastRng("shuffle")
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(2400):
        items = numbers(4, 0)
        for at in range(4):
            items[at] = at
        rng.shuffle(items, 4)
        counts[tuple(items)] = counts.get(tuple(items), 0) + 1
    assert len(counts) == 24
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 65


def test_draws_below_large_bounds_are_fair_too() -> None:
    """A quarter of all words would make some numbers likelier than others: those words are drawn again."""
    bound = 3 << 29
    third = bound // 3
    for rng in (FastRng("large"), SeedRng(bytes(32), 1)):
        counts = [0, 0, 0]
        for _ in range(3000):
            counts[rng.below(bound) // third] += 1
        assert all(880 < count < 1120 for count in counts), counts


def test_fast_draws_that_would_be_unfair_are_drawn_again() -> None:
    """By the definition: a word counts if the low half of its product is not among those that are one too many. Of
    this bound every fourth word is drawn again."""
    bound = 3 * 2**29
    drawn, words = FastRng("large"), FastRng("large")
    again = 0
    for _ in range(1000):
        product = words.word() * bound
        while product % 2**32 < 2**32 % bound:
            product = words.word() * bound
            again += 1
        assert drawn.below(bound) == product >> 32
    assert again > 100


def test_words_too_high_to_be_fair_are_skipped_as_documented() -> None:
    seed = hashlib.sha256(b"skip").digest()
    bound = 3 << 29
    words = []
    for block in range(4):
        digest = hmac.new(seed, f"0:{block}".encode(), "sha256").digest()
        words += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    fair = [word % bound for word in words if word < 2 * bound]
    assert len(fair) < len(words)
    rng = SeedRng(seed, 0)
    assert [rng.below(bound) for _ in range(len(fair))] == fair
