"""The course of a season: bidding, action cards, their order, income; and what winter changes."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng
from polikarp.games.melee import game
from polikarp.games.melee.rules import BIDDING, Melee

from .positions import board, choose_all, gold, keys, moves, play, position, put_units, refused, told, waits_for


def bidding(seats: int = 4, first: int = 0, season: int = 1) -> Melee:
    """Everybody is to bid; nobody has any unit."""
    state = game.start(seats, {}, FastRng("any deal"))
    assert isinstance(state, Melee)
    for seat in range(seats):
        put_units(state, seat, "")
        state.gold[seat] = 10
    state.first, state.season = first, season - 1
    state.begin_season()
    assert state.phase == BIDDING
    return state


def bid(state: Melee, *amounts: int) -> int:
    """All bid; who wins."""
    for seat, amount in enumerate(amounts):
        log = play(state, seat, f"bid {amount}")
    return int(str(told(log, "bid_won")[0]["seat"]))


def test_a_season_has_five_steps() -> None:
    """melee.20: bidding, action cards, actions in order, income, the next season; winter has them all too."""
    state = bidding(2)
    put_units(state, 1, "camp B1")
    for number, season in enumerate(("spring", "summer", "autumn")):
        assert gold(state, 1) == 10 + 4 * number, "taxes and income"
        assert (board(state).season, board(state).phase) == (season, "bidding")
        bid(state, 0, 0)
        play(state, 0, "lead R")
        assert board(state).phase == "choosing"
        log = choose_all(state, "choose tax")
        assert keys(log)[-7:] == ["reveal", "tax", "reveal", "tax", "income", "income", "season"]
    assert (board(state).season, board(state).phase) == ("winter", "bidding")
    bid(state, 0, 0)
    play(state, 0, "lead R")
    choose_all(state, "choose recruit and tax")
    play(state, 0, "first tax", "done")
    log = play(state, 1, "first tax", "done")
    assert keys(log)[-5:] == ["income", "income", "count", "count", "win"]


def test_the_highest_bid_pays_and_the_others_keep_theirs() -> None:
    """melee.21: 0 to all of one's gold; shown together; the winner keeps the card or gives it to anybody."""
    state = bidding(3)
    assert moves(state, 1, "bid") == [str(amount) for amount in range(11)]
    assert refused(state, 1, "bid 11") == ("melee.21", "too_little_gold")
    assert bid(state, 3, 10, 9) == 1
    assert [gold(state, seat) for seat in range(3)] == [10, 0, 10]
    assert moves(state, 1) == ["lead R", "lead Y", "lead G"]
    assert refused(state, 1, "lead B") == ("melee.21", "no_such_colour")
    play(state, 1, "lead G")
    assert board(state).first == 2
    log = choose_all(state, "choose tax")
    assert [args["seat"] for args in told(log, "reveal")] == [2, 0, 1]


def test_a_tie_goes_to_the_holder_or_clockwise_from_there() -> None:
    """melee.22: all zero is a tie too, and the holder is who has the card now, won or given."""
    assert bid(bidding(4, first=2), 5, 1, 5, 5) == 2
    assert bid(bidding(4, first=2), 5, 5, 1, 1) == 0
    assert bid(bidding(4, first=3), 1, 5, 5, 1) == 1
    assert bid(bidding(4, first=1), 0, 0, 0, 0) == 1
    state = bidding(3, first=0)
    bid(state, 2, 0, 0)
    play(state, 0, "lead G")
    choose_all(state, "choose tax")
    assert bid(state, 4, 4, 4) == 2


@pytest.mark.parametrize(
    ("bids", "first", "abilities", "seats", "by"),
    [
        ((2, 2, 1), 1, {}, (0, 1), "holder"),
        ((2, 2, 1), 2, {}, (0, 1), "next"),
        ((2, 2, 1), 0, {1: 19}, (0, 1), "herald"),
    ],
)
def test_a_tie_is_told(
    bids: tuple[int, ...], first: int, abilities: dict[int, int], seats: tuple[int, ...], by: str
) -> None:
    """melee.22: whose bids were equal, and what decided it."""
    state = bidding(3)
    state.first = first
    for seat, ability in abilities.items():
        state.has[seat] = 1 << ability
    for seat, amount in enumerate(bids):
        log = play(state, seat, f"bid {amount}")
    [tie] = told(log, "bid_tied")
    assert (tie["tied"], tie["by"]) == (seats, by)
    assert told(log, "bid_won")[0]["tied"] == 1


def test_where_income_comes_from_is_told() -> None:
    """melee.60: camps, marked provinces, and the abilities that gave something."""
    units = {0: "camp R1, camp R2, soldier L", 1: "camp Y1"}
    abilities = {0: "merchants treasurer salt_master", 1: "salt_master"}
    state = position(4, units, 5, {3: "recruit"}, abilities, turn=3)
    log = play(state, 3, "done")
    rows = {row["seat"]: row for row in told(log, "income")}
    assert rows[0] == {
        "seat": 0, "gold": 7, "camps": "R1 R2", "marked": "L", "ability": "treasurer merchants salt_master"
    }  # fmt: skip
    assert rows[1] == {"seat": 1, "gold": 1, "camps": "Y1", "marked": "", "ability": ""}


def test_one_card_of_three_and_in_winter_two_different_ones() -> None:
    """melee.23: and all three are there again every season."""
    state = bidding(2)
    for _ in range(2):
        bid(state, 0, 0)
        play(state, 0, "lead R")
        assert moves(state, 0) == ["choose recruit", "choose tax", "choose attack"]
        assert refused(state, 0, "choose recruit and tax") == ("melee.23", "so_many_cards")
        choose_all(state, "choose tax")
    state = bidding(2, season=4)
    bid(state, 0, 0)
    play(state, 0, "lead R")
    assert moves(state, 0) == ["choose recruit and tax", "choose recruit and attack", "choose tax and attack"]
    assert refused(state, 0, "choose tax") == ("melee.23", "so_many_cards")


def test_a_choice_may_be_changed_until_the_last_one_is_made() -> None:
    """melee.21, melee.23"""
    state = bidding(2)
    play(state, 0, "bid 7")
    play(state, 0, "bid 1")
    assert bid_of(state, 0) == 1
    log = play(state, 1, "bid 0")
    assert told(log, "bid_shown")[0] == {"seat": 0, "gold": 1}


def bid_of(state: Melee, seat: int) -> int | None:
    return board(state, seat).lords[seat].bid


def test_cards_are_carried_out_from_the_first_player_on() -> None:
    """melee.24: in winter both are turned up, their owner says which comes first, and it is finished first."""
    cards = {1: "recruit attack", 2: "recruit tax"}
    state = position(3, {1: "soldier Y0", 0: "soldier M"}, 8, cards, season="winter", first=1)
    assert board(state).lords[1].cards == ["recruit", "attack"]
    assert board(state).lords[2].cards == []
    assert moves(state, 1) == ["first recruit", "first attack"]
    assert refused(state, 1, "first tax") == ("melee.24", "not_chosen")
    play(state, 1, "first recruit", "recruit knight at Y1")
    assert refused(state, 1, "use knight at Y1")[0] == "melee.30"
    play(state, 1, "done")
    assert board(state).card == "attack"
    assert "use knight at Y1" in moves(state, 1), "melee.40: a unit recruited this turn may act"
    play(state, 1, "done")
    assert waits_for(state) == 2
    state = position(3, {1: "soldier Y0", 0: "soldier M"}, 8, cards, season="winter", first=1)
    play(state, 1, "first attack")
    assert board(state).card == "attack"
    play(state, 1, "done")
    assert board(state).card == "recruit"


def test_tax() -> None:
    """melee.35"""
    state = position(2, cards={0: "tax", 1: "recruit"}, gold=4)
    assert (gold(state, 0), gold(state, 1), waits_for(state)) == (7, 4, 1)


def test_income() -> None:
    """melee.60: 1 for each camp on the board, 1 for each occupied province marked +1."""
    units = {0: "camp R1, soldier R1, camp R2, camp M", 1: "soldier L", 2: "knight F, camp F", 3: "soldier B1"}
    state = position(4, units, gold=0)
    assert [lord.income for lord in board(state).lords] == [3, 1, 2, 0]
    assert [gold(state, seat) for seat in range(4)] == [6, 4, 5, 3], "3 in taxes before"


def test_the_game_ends_after_winter_s_income() -> None:
    """melee.26: not before winter; the gold of the income breaks the tie."""
    autumn = position(2, {0: "soldier R1"}, season="autumn")
    assert (board(autumn).season, board(autumn).phase) == ("winter", "bidding")
    units = {0: "soldier R1", 1: "camp B1"}
    state = position(2, units, gold={0: 0, 1: 0}, cards={0: "tax recruit", 1: "tax recruit"}, season="winter")
    play(state, 0, "first tax", "done")
    play(state, 1, "first tax", "done")
    assert not state.waiting
    assert [gold(state, seat) for seat in range(2)] == [3, 4]
    assert game.result(state).places == [2, 1]  # type: ignore[union-attr]


def test_who_has_nothing_to_do_with_a_card_goes_on_at_once() -> None:
    state = position(2, cards={0: "attack", 1: "recruit"}, gold={0: 5, 1: 1})
    assert board(state).phase == "bidding"
