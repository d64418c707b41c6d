"""The two variants, and a hand-made position for each of the king's twelve orders."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng
from polikarp.games.gold import game
from polikarp.games.gold.rules import Gold
from tests.gold.positions import board, fight, gained, hand, keys, moves, play, position, replacements, told, waits_for

FIELDS = ("0:3 1:4", "1:5 2:4", "2:3 0:5")  # 7, 9, 8
GUARDS = ("* 3/4", "** 3/6", "*** 5/10")  # all beaten: loot 4, 6, 10


def loots(order: int, fields: tuple[str, ...] = FIELDS, guards: tuple[str, ...] = GUARDS) -> list[int]:
    """The loot of each guard under an order, as it is shared out."""
    _, log = fight(fields, guards, order=order)
    changed = {args["field"]: args["loot"] for args in told(log, "by_order")}
    printed = {args["field"]: args["loot"] for args in told(log, "reveal")}
    return [int(str({**printed, **changed}[field])) for field in range(1, len(fields) + 1) if field in printed]


# Dapper guards


@pytest.mark.parametrize("orders", [False, True])
def test_sorted_guards_rise_from_the_gate(orders: bool) -> None:
    """gold.30, gold.31: in every round, with and without orders."""
    state = game.start(6, {"sorted_guards": True, "kings_orders": orders}, FastRng("sorted"))
    assert isinstance(state, Gold)
    while state.waiting:
        stars = [field.guard.stars for field in board(state).castle]
        assert stars == sorted(stars)
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(0)), FastRng(0))


def test_equal_guards_stay_in_the_order_drawn() -> None:
    """gold.30"""
    drawn = ("*** 5/10", "* 6/4", "** 3/6", "* 3/4", "** 7/9")
    state = position(5, drawn, sorted_guards=True)
    cards = state.cards
    laid = [(cards.stars[guard], cards.strength[guard]) for guard in list(state.guard)[:5]]
    assert laid == [(1, 6), (1, 3), (2, 3), (2, 7), (3, 5)]
    plain = position(5, drawn)
    assert [cards.stars[guard] for guard in list(plain.guard)[:5]] == [3, 1, 2, 1, 2]


# Orders


def test_the_order_of_the_round_is_open_before_anybody_plays() -> None:
    """gold.31: the top tile, for this round only."""
    state = game.start(3, {"kings_orders": True}, FastRng("orders"))
    assert isinstance(state, Gold)
    tiles = list(state.tile)
    seen: list[int | None] = []
    while state.waiting:
        if len(seen) < state.round:
            seen.append(board(state).order)
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(0)), FastRng(0))
    assert seen == tiles[:6]


def test_without_the_variant_no_order_holds() -> None:
    """gold.3, gold.31"""
    _, log = fight(FIELDS, GUARDS)
    assert "by_order" not in keys(log)
    assert "order" not in keys(log)


def test_replacing_goes_by_the_printed_maximum() -> None:
    """gold.32: order 11 makes the second guard stronger by 2, order 12 the last one weaker by 3."""
    for order, castle in ((11, {"2a": "0:3", "2b": "1:4"}), (12, {"3a": "0:3", "3b": "1:4"})):
        guards = ("* 3/4", "** 7/9", "*** 9/14")
        assert bool(replacements(position(3, guards, castle=castle, order=order, turn=2), 2)) == (order == 12)


def test_what_an_order_lowers_stops_at_zero() -> None:
    """gold.33: a one-star guard with loot 3 under order 12 has none left, and one of strength 3 no strength."""
    state, log = fight(FIELDS, ("* 3/4", "** 3/6", "* 3/3"), order=12)
    assert told(log, "by_order") == [{"field": 3, "power": 0, "loot": 0}]
    assert gained(state) == [2, 2 + 3, 3]
    assert sum(state.gold) + state.treasury == 0


def test_order_1_bars_ones() -> None:
    """gold.34.1"""
    state = position(3, hands={0: (1, 2, 5)}, order=1)
    assert {text.split()[1] for text in moves(state, 0)} == {"2", "5"}
    assert {text.split()[1] for text in moves(position(3, hands={0: (1, 2, 5)}, order=5), 0)} == {"1", "2", "5"}


def test_order_2_gives_everyone_three_four_five() -> None:
    """gold.34.2: and 1 and 2 are laid aside; so every hand is known at once."""
    state = game.start(4, {"kings_orders": True}, FastRng("any"))
    assert isinstance(state, Gold)
    state.tile[state.round] = 2
    for number in range(12):
        if number != state.round and state.tile[number] == 2:
            state.tile[number] = 1
    while state.round == 1:
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(0)), FastRng(0))
    assert [hand(state, seat, viewer=0) for seat in range(4)] == [[3, 4, 5]] * 4
    assert [player.aside for player in board(state).players] == [[1, 2]] * 4
    first = position(3, order=2)
    assert [hand(first, seat, viewer=2) for seat in range(3)] == [[3, 4, 5]] * 3


def test_order_3_lowers_the_loot_of_the_first_two() -> None:
    """gold.34.3"""
    assert loots(3) == [2, 4, 10]


def test_order_4_makes_healing_dear() -> None:
    """gold.34.4: of 4 and 5 only."""
    guards = ("*** 9/14", "* 3/4", "* 3/5")
    fields = ("0:3 1:4", "1:5 2:2", "2:3 0:5")
    assert gained(fight(fields, guards, order=4)[0]) == [-1 - 4, -4 - 4, -1 - 1]
    assert gained(fight(fields, guards, order=5)[0]) == [-1 - 2, -2 - 2, -1 - 1]
    assert board(position(3, order=4)).healing == [0, 1, 1, 4, 4]


def test_order_5_changes_nothing() -> None:
    """gold.34.5"""
    assert loots(5) == [4, 6, 10]
    assert gained(fight(FIELDS, GUARDS, order=5)[0]) == gained(fight(FIELDS, GUARDS)[0])


def test_order_6_enriches_the_last() -> None:
    """gold.34.6"""
    assert loots(6) == [4, 6, 20]


def test_order_7_rewards_equal_pairs() -> None:
    """gold.34.7"""
    assert loots(7, ("0:3 1:3", "1:5 2:4", "2:5 0:5")) == [7, 6, 13]
    assert loots(7) == [4, 6, 10]


def test_order_8_enriches_the_first() -> None:
    """gold.34.8"""
    assert loots(8) == [7, 6, 10]


def test_order_9_enriches_the_last_two() -> None:
    """gold.34.9"""
    assert loots(9) == [4, 10, 14]


def test_order_10_rewards_the_weakest_pair_or_pairs() -> None:
    """gold.34.10"""
    assert loots(10) == [7, 6, 10]
    assert loots(10, ("0:3 1:4", "1:5 2:4", "2:3 0:4")) == [7, 6, 13]


def test_order_11_strengthens_the_second() -> None:
    """gold.34.11: 3 more loot and 2 more strength."""
    assert loots(11) == [4, 9, 10]
    fields = ("0:3 1:4", "1:3 2:4", "2:3 0:5")  # 7 against 6 + 2
    guards = ("* 3/4", "** 6/8", "*** 5/10")
    assert told(fight(fields, guards, order=11)[1], "repelled") == [{"field": 2, "sum": 7, "power": 8}]
    assert "repelled" not in keys(fight(fields, guards, order=5)[1])


def test_order_12_weakens_the_last() -> None:
    """gold.34.12: 5 less loot and 3 less strength."""
    assert loots(12) == [4, 6, 5]
    fields = ("0:2 1:4", "1:5 2:4", "2:3 0:3")  # 6 against 9 - 3
    guards = ("* 3/4", "** 3/6", "*** 9/14")
    state, log = fight(fields, guards, order=12)
    assert told(log, "beaten")[-1] == {"field": 3, "sum": 6, "power": 6}
    assert gained(state)[2] == 3 + 4, "half of 6 and of 9, rounded down"
    assert "repelled" in keys(fight(fields, guards, order=5)[1])


@pytest.mark.parametrize(("order", "fields"), [(3, [1, 2]), (6, [5]), (8, [1]), (9, [4, 5]), (11, [2]), (12, [5])])
def test_first_second_and_last_are_fields_of_the_castle(order: int, fields: list[int]) -> None:
    """gold.37, gold.34: fields 1, 2 and the last, with sorted guards too."""
    state = position(5, order=order, sorted_guards=True)
    for seat in range(5):
        play(state, seat, f"place 4 at {seat + 1}a")
    for seat in range(4):
        play(state, seat, f"place 5 at {seat + 1}b")
    weakest = state.weakest_pair()
    assert [field + 1 for field in range(5) if state.changed(field, weakest)] == fields


def test_the_number_of_orders() -> None:
    """gold.34: twelve, all in the words of both languages."""
    for language in ("pl", "en"):
        assert set(game.words(language).tables["term"]["order"]) == {str(number) for number in range(1, 13)}
