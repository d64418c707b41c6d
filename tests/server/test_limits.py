"""How often somebody may ask: permits that are used up and come back with time."""

from __future__ import annotations

from polikarp.server.limits import Bucket, Buckets, Rate
from tests.server.hand_clock import HandClock


def taken(bucket: Bucket, asked: int) -> int:
    return sum(bucket.spend() for _ in range(asked))


def test_so_many_at_once_and_so_many_a_second() -> None:
    clock = HandClock()
    bucket = Bucket(Rate(2.0, 5.0), clock)
    assert taken(bucket, 10) == 5
    clock.passed += 0.4
    assert taken(bucket, 10) == 0
    clock.passed += 0.1
    assert taken(bucket, 10) == 1, "what had come back before is not lost"
    clock.passed += 3
    assert taken(bucket, 10) == 5, "no more than at once, however long nobody asked"


def test_everybody_has_permits_of_their_own() -> None:
    buckets = Buckets(Rate(1.0, 2.0), HandClock())
    assert [buckets.spend(name) for name in ("a", "a", "a", "b", "a", "b", "b")] == [
        True, True, False, True, False, True, False,
    ]  # fmt: skip


def test_those_not_asked_for_longest_are_forgotten() -> None:
    buckets = Buckets(Rate(1.0, 1.0), HandClock(), most=2)
    assert buckets.spend("a")
    assert buckets.spend("b")
    assert not buckets.spend("a"), "asked for again"
    assert buckets.spend("c")
    assert set(buckets.buckets) == {"a", "c"}
    assert not buckets.spend("a")
