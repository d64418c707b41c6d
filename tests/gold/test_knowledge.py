"""Who knows what: guards, hands, decks, and what everybody can work out."""

from __future__ import annotations

from collections import Counter

import pytest

from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table
from polikarp.games.gold import game
from polikarp.games.gold.rules import NO_ORDER, Gold
from tests.gold.positions import board, fight, hand, moves, play, position, waits_for

FIELDS = ("0:3 1:4", "1:5 2:4", "2:3 0:5")
GUARDS = ("* 3/4", "** 3/6", "*** 5/10")


def test_hands_are_hidden_in_the_first_round() -> None:
    """gold.35: others see how many cards it holds, and what they may be."""
    state = position(3, hands={1: (1, 3, 5)})
    for viewer in (0, 2, None):
        other = board(state, viewer).players[1]
        assert (other.hand, other.aside, other.maybe) == ([None] * 3, [None] * 2, [1, 2, 3, 4, 5])
    own = board(state, 1).players[1]
    assert (own.hand, own.aside, own.maybe) == ([1, 3, 5], [2, 4], [])


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_gold_and_the_castle_are_open_to_all(viewer: int | None) -> None:
    """gold.35: everybody's gold, and whose monsters lie where."""
    state = position(3, castle={"1a": "0:3", "2b": "1:4"}, gold={0: 5, 1: 0, 2: 11}, turn=2)
    seen = board(state, viewer)
    assert [player.gold for player in seen.players] == [5, 0, 11]
    slots = [(slot.at, slot.owner, slot.strength) for field in seen.castle for slot in field.slots]
    assert [slot for slot in slots if slot[1] is not None] == [("1a", 0, 3), ("2b", 1, 4)]
    assert [player.placed for player in seen.players] == [1, 1, 0]


def test_what_was_in_the_castle_is_known() -> None:
    """gold.35: also after it came back; and three of five tell the other two."""
    state = position(3, ["*** 9/14", "*** 9/13"], hands={1: (1, 2, 3)}, castle={"1a": "1:1", "2a": "1:2"}, turn=0)
    play(state, 0, "replace 4 at 1a")
    seen = board(state, 0).players[1]
    assert (seen.hand, seen.aside, seen.maybe) == ([1, None], [None, None], [3, 4, 5])
    play(state, 1, "place 3 at 1b")
    seen = board(state, 0).players[1]
    assert (seen.hand, seen.aside, seen.maybe) == ([1], [4, 5], [])


def test_after_round_one_every_hand_is_known_to_all() -> None:
    """gold.35, gold.26: it is what was not played."""
    state, _ = fight(FIELDS, GUARDS)
    for viewer in (None, 0, 1, 2):
        assert [player.hand for player in board(state, viewer).players] == [[1, 2, 4], [1, 2, 3], [1, 2, 5]]
        assert [player.aside for player in board(state, viewer).players] == [[3, 5], [4, 5], [3, 4]]


@pytest.mark.parametrize("orders", [False, True])
def test_who_reads_only_their_own_log_knows_their_hand_at_every_moment(orders: bool) -> None:
    """gold.26, gold.34.2, gold.35: the log is complete, and tells a watcher of no hand."""
    for seed in range(6):
        table = Table(game, 4, {"kings_orders": orders}, seed=seed)
        rng = FastRng(("hands", seed))
        while not table.over:
            for seat in range(4):
                assert told_hand(table, seat) == board(table.state, seat).players[seat].hand  # type: ignore[arg-type]
            seat = table.waiting[0]
            table.play_move(seat, table.state.pick(seat, rng))
        assert all("hand" not in event.args for event in table.log(None))


def told_hand(table: Table, seat: int) -> list[int]:
    """A seat's hand, worked out from what it was told."""
    held: set[int] = set()
    for event in table.log(seat):
        if "hand" in event.args:
            held = set(map(int, str(event.args["hand"]).split(", ")))
        if event.args.get("seat") == seat and "strength" in event.args:
            held.remove(int(event.args["strength"]))  # type: ignore[arg-type]
        if event.key.startswith("replace") and event.args.get("whose", event.args["seat"]) == seat:
            held.add(int(event.args["there"]))  # type: ignore[arg-type]
    return sorted(held)


def test_the_values_of_guards_are_hidden_until_they_are_revealed() -> None:
    """gold.5, gold.35"""
    state = position(3, GUARDS)
    for viewer in (-1, 0, 1, 2):
        sight = state.sight(viewer)
        assert isinstance(sight, Gold)
        assert [sight.guard[place] for place in range(3)] == [sight.cards.back(stars) for stars in (1, 2, 3)]
    after, _ = fight(FIELDS, GUARDS)
    last = board(after).fight
    assert last is not None
    assert [(one.field.guard.strength, one.field.guard.loot) for one in last.fields] == [(3, 4), (3, 6), (5, 10)]
    assert [len(level.unseen) for level in board(after).levels] == [11, 11, 11]


def test_two_guards_that_are_alike_are_not_told_apart() -> None:
    """gold.5: there are two with strength 5 and loot 8, and which of them lies where is nothing that can be known."""
    one, _ = fight(FIELDS, ("* 3/4", "** 5/8", "** 5/8"))
    assert one.guard[1] == one.guard[2]
    assert (5, 8) not in board(one).levels[1].unseen
    other, _ = fight(FIELDS, ("* 3/4", "** 5/8", "*** 7/12"))
    assert board(other).levels[1].unseen.count((5, 8)) == 1
    assert board(other).levels[2].unseen.count((7, 12)) == 1


def test_the_top_of_the_deck_shows_its_stars() -> None:
    """gold.36: and the rest of the deck shows nothing."""
    state = position(4)
    sight = state.sight(0)
    assert isinstance(sight, Gold)
    assert board(state).top == state.cards.stars[state.guard[4]]
    assert sight.guard[4] == state.cards.back(state.cards.stars[state.guard[4]])
    assert {sight.guard[place] for place in range(5, 36)} == {state.cards.unknown()}
    last = game.start(6, {}, FastRng(0))
    assert isinstance(last, Gold)
    while last.round < 6:
        last.apply(waits_for(last), last.pick(waits_for(last), FastRng(0)), FastRng(0))
    assert (board(last).top, board(last).deck) == (None, 0)


@pytest.mark.parametrize("orders", [False, True])
def test_nobody_knows_the_tiles_in_the_pile(orders: bool) -> None:
    """gold.3, gold.35: only those that were turned up."""
    state = game.start(3, {"kings_orders": orders}, FastRng(4))
    assert isinstance(state, Gold)
    while state.round < 3:
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(0)), FastRng(0))
    sight = state.sight(1)
    assert isinstance(sight, Gold)
    known = [tile for tile in sight.tile if tile != NO_ORDER]
    assert known == (list(state.tile)[:3] if orders else [])


def test_what_is_imagined_has_the_right_odds() -> None:
    """gold.4, gold.8: each hidden hand and each hidden guard of the right level equally often."""
    state = position(3, ["* 6/6"], hands={1: (1, 2, 3)}, castle={"1a": "1:2"})
    hands: Counter[int] = Counter()
    guards: Counter[int] = Counter()
    for seed in range(1200):
        twin = state.imagine(0, FastRng(seed))
        assert isinstance(twin, Gold)
        hands[twin.hand[1]] += 1
        guards[twin.guard[0]] += 1
    assert len(hands) == 6, "two of the four others"
    assert set(guards) == set(range(12)), "all guards with one star"
    assert 150 < min(hands.values()) <= max(hands.values()) < 250
    assert 60 < min(guards.values()) <= max(guards.values()) < 145


def test_a_move_that_shows_a_hidden_monster_can_not_be_taken_back() -> None:
    """gold.35: in the first round it tells something; later it tells nothing that was not known."""
    table = Table(game, 3, seed=1)
    seat = table.waiting[0]
    table.play(table.moves()[0])
    assert not table.can_undo(seat)
    while table.state.round == 1:  # type: ignore[attr-defined]
        table.play(next(text for text in table.moves() if text.startswith("place")))
    seat = table.waiting[0]
    before = table.state.to_bytes()
    table.play(table.moves()[0])
    assert table.can_undo(seat)
    table.undo()
    assert table.state.to_bytes() == before


def test_the_move_that_begins_the_fight_can_not_be_taken_back() -> None:
    """gold.20: it shows guards."""
    _, log = fight(FIELDS, GUARDS, number=2)
    assert log.sealed


def test_the_price_is_in_the_view_of_who_would_pay_it() -> None:
    """gold.15, gold.16"""
    state = position(3, ["*** 9/14"], castle={"1a": "0:3"}, turn=1)
    prices = [board(state, viewer).castle[0].slots[0].price for viewer in (0, 1, None)]
    assert [(price.treasury, price.owner) for price in prices if price] == [(1, 0), (1, 2), (1, 2)]
    assert "replace 4 at 1a" in moves(state, 1)
    assert hand(state, 1) == [3, 4, 5]


def test_the_prompt_says_when_the_fight_is_near() -> None:
    """gold.19"""
    assert game.view(position(3), 0).prompt.key == "play"
    castle = {"1a": "0:3", "1b": "1:3", "2a": "1:4", "2b": "2:3", "3a": "2:4"}
    state = position(3, castle=castle)
    assert game.view(state, 0).prompt.key == "play_last"
    assert game.view(state, 1).prompt.key == "wait"
    assert game.view(state, None).prompt.key == "wait"
