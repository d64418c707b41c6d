"""Setting up: fields, rounds, guards, monsters, gold, and who begins."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import playout
from polikarp.games.gold import game
from polikarp.games.gold.rules import Gold
from tests.gold.positions import board, waits_for

SEATS = (3, 4, 5, 6)


def dealt(seats: int, seed: object = 0, **options: bool | int) -> Gold:
    state = game.start(seats, options, FastRng(seed))
    assert isinstance(state, Gold)
    return state


def test_three_to_six_play() -> None:
    """gold.1"""
    assert list(game.seats) == [3, 4, 5, 6]
    for seats in (2, 7):
        with pytest.raises(UsageError, match="right is: 3 to 6"):
            game.start(seats, {}, FastRng(0))


@pytest.mark.parametrize("seats", SEATS)
def test_there_are_as_many_fields_as_players(seats: int) -> None:
    """gold.2: each with a guard and two slots."""
    castle = board(dealt(seats)).castle
    assert [field.number for field in castle] == list(range(1, seats + 1))
    assert [slot.at for slot in castle[-1].slots] == [f"{seats}a", f"{seats}b"]
    assert all(slot.strength is None for field in castle for slot in field.slots)


@pytest.mark.parametrize(("seats", "rounds"), [(3, 6), (4, 6), (5, 5), (6, 6)])
def test_tiles_count_the_rounds(seats: int, rounds: int) -> None:
    """gold.3: and in the base game no order holds."""
    state = dealt(seats)
    assert board(state).rounds == rounds
    seen = set()
    while state.waiting:
        seen.add(int(state.round))
        assert board(state).order is None
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(len(seen))), FastRng(0))
    assert seen == set(range(1, rounds + 1))


def test_the_tiles_are_drawn_at_random_out_of_twelve() -> None:
    """gold.3"""
    first = Counter(int(dealt(3, seed).tile[0]) for seed in range(600))
    assert set(first) == set(range(1, 13))
    assert min(first.values()) > 25
    assert sorted(dealt(3).tile) == list(range(1, 13))


@pytest.mark.parametrize("seats", SEATS)
def test_each_guard_is_used_once(seats: int) -> None:
    """gold.4: twelve of each level, shuffled once, the next ones every round."""
    state = dealt(seats)
    cards = state.cards
    assert Counter(cards.stars[guard] for guard in range(cards.size)) == {1: 12, 2: 12, 3: 12}
    deck = list(state.guard)
    assert sorted(deck) == sorted(cards.deck)
    while state.waiting:
        begin = (int(state.round) - 1) * seats
        stars = [cards.stars[guard] for guard in deck[begin : begin + seats]]
        assert [field.guard.stars for field in board(state).castle] == stars
        state.apply(waits_for(state), state.pick(waits_for(state), FastRng(1)), FastRng(0))
    assert list(state.guard) == deck, "nothing was shuffled again"
    assert dealt(seats, 1).guard[0] != deck[0] or dealt(seats, 2).guard[0] != deck[0]


def test_the_back_of_a_guard_shows_the_ranges() -> None:
    """gold.5"""
    for field in board(dealt(6, 3)).castle:
        assert (field.guard.strengths, field.guard.loots) == {
            1: ((3, 6), (3, 6)),
            2: ((3, 7), (6, 10)),
            3: ((5, 9), (10, 14)),
        }[field.guard.stars]
        assert (field.guard.strength, field.guard.loot) == (None, None)


def test_everyone_has_a_faction_of_their_own_and_five_monsters() -> None:
    """gold.6"""
    seen = board(dealt(6), 2)
    assert len({player.faction for player in seen.players}) == 6
    own = seen.players[2]
    assert sorted([*own.hand, *own.aside], key=str) == [1, 2, 3, 4, 5]
    assert seen.healing == [0, 1, 1, 2, 2]


def test_players_choose_their_factions_and_it_changes_nothing_but_the_look() -> None:
    """gold.6: nobody has one that another has, and who does not mind has the one of the seat."""
    chosen, usual = game.deal(6, seed=3, factions=["demons", "", "dragons"]), game.deal(6, seed=3)
    assert chosen.factions == ["demons", "insects", "dragons", "beasts", "undead", "trolls"]
    assert usual.factions == list(game.factions)
    for seat in (None, *range(6)):
        one, other = chosen.view(seat), usual.view(seat)
        assert [player.faction for player in one.board.players] == chosen.factions
        assert [player.faction for player in other.board.players] == usual.factions
        assert replace(one, board=game.dressed(one.board, usual.factions)) == other
    assert chosen.state.to_bytes() == usual.state.to_bytes()
    assert "demons" in game.table_text(chosen.view(0), game.words("en"), "ABCDEF")[-6]


@pytest.mark.parametrize("coins", [8, 5])
def test_everyone_starts_with_the_same_gold(coins: int) -> None:
    """gold.7: 8, or 5 by the option; and never another number."""
    assert [player.gold for player in board(dealt(4, starting_gold=coins)).players] == [coins] * 4
    assert [player.gold for player in board(dealt(4)).players] == [8] * 4
    with pytest.raises(UsageError, match="starting_gold"):
        dealt(4, starting_gold=7)


def test_the_supply_never_runs_out() -> None:
    """gold.7: the treasury pays whatever is won, also when far more came out of it than went in."""
    state = dealt(6, "rich")
    playout(state, FastRng("rich"))
    assert sum(state.gold) > 40
    assert sum(state.gold) + state.treasury == 0


def test_two_random_monsters_are_laid_aside() -> None:
    """gold.8: the owner knows all five."""
    asides = Counter(tuple(board(dealt(3, seed), 0).players[0].aside) for seed in range(500))
    assert len(asides) == 10
    assert min(asides.values()) > 20
    assert len(board(dealt(3), 1).players[1].hand) == 3


def test_the_first_player_is_random() -> None:
    """gold.9"""
    firsts = Counter(waits_for(dealt(5, seed)) for seed in range(500))
    assert set(firsts) == set(range(5))
    assert min(firsts.values()) > 60
    state = dealt(5)
    assert board(state).first == waits_for(state)
