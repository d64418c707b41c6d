"""The end of the game: the last round, the score, and who wins. Ties for the first place are rolled for."""

from __future__ import annotations

import pytest

from polikarp.engine.record import make_record
from polikarp.engine.rng import FastRng
from polikarp.engine.words import house_languages
from polikarp.games.crypt import game
from polikarp.games.crypt.rules import Crypt

from .positions import board, dice, finish, keys, play, position, send, told, turned


def places(state: Crypt) -> list[int]:
    result = game.result(state)
    assert result is not None
    return result.places


def scores(state: Crypt) -> list[int]:
    result = game.result(state)
    assert result is not None
    return result.scores


def tie_rolls(state: Crypt) -> list[int | None]:
    return [heir.coins.tie_rolls for heir in board(state).heirs]


def test_the_round_in_which_the_deck_runs_out_is_the_last() -> None:
    """crypt.30: it is played to its end, and no other follows."""
    state = position(3, crypt=["statue 4"], hands={0: ["statue 2"]}, last=True)
    assert board(state).deck == 0
    send(state, 0, "1x1 at A")
    play(state, 1, "recover")
    assert board(state).phase == "servants"
    play(state, 2, "recover")
    assert board(state).phase == "over"
    assert state.waiting == 0
    assert [len(heir.collection) for heir in board(state).heirs] == [2, 0, 0]


def test_the_round_before_the_last_is_not_the_last() -> None:
    """crypt.30: while a card is left in the deck another round follows, and the last one is announced."""
    twelve = [f"{kind} {value}" for kind in ("statue", "pottery", "remains") for value in (1, 2, 3, 4)]
    state = position(2, hands={0: twelve})
    assert board(state).deck == 3
    log = finish(state)
    assert "last_round" in keys(log)
    assert board(state).deck == 0
    assert state.waiting


def test_the_score_is_treasures_collectors_and_dice_not_exhausted() -> None:
    """crypt.31: all values, hidden ones too, what the collectors pay, and 1 for each die that is not exhausted."""
    hand = ["statue 2", "jewellery 3 hidden", "jewellery 1", "tapestry 2 hidden"]
    state = position(3, turn=2, hands={0: hand, 1: ["tapestry 3"]}, tired={0: 2, 1: 3}, last=True)
    finish(state)
    coins = board(state).heirs[0].coins
    assert (coins.treasures, coins.servants, coins.total) == (8, 1, 12)
    assert {kind: paid for kind, paid in coins.collectors.items() if paid} == {"jewellery": 3}
    assert scores(state) == [12, 3 + 5, 3]


def test_a_die_on_a_treasure_counts_in_the_score() -> None:
    """crypt.31: only exhausted dice are worth nothing."""
    state = position(3, turn=1, held={"A": (0, 2, 1)}, tired={0: 1})
    assert board(state).heirs[0].coins.servants == 2


def test_the_highest_score_wins_without_a_roll() -> None:
    """crypt.31, crypt.32: no tie, no dice."""
    state = position(3, hands={0: ["statue 1"], 1: ["statue 3"], 2: ["statue 2"]}, last=True)
    log = finish(state)
    assert places(state) == [3, 1, 2]
    assert told(log, "win") == [{"seat": (1,)}]
    assert tie_rolls(state) == [None] * 3


TIE = {0: ["statue 3"], 1: ["pottery 3"]}


@pytest.mark.parametrize(
    ("rolls", "sums", "expected"),
    [([6, 1, 1, 2, 2, 3], [8, 7], [1, 2]), ([1, 1, 1, 1, 1, 2], [3, 4], [2, 1])],
)
def test_a_tie_for_the_first_place_is_rolled_for(rolls: list[int], sums: list[int], expected: list[int]) -> None:
    """crypt.32: the tied roll their ready dice and add the sum to their score; more coins win."""
    state = position(2, hands=TIE, last=True)
    log = finish(state, rolls)
    assert [args["coins"] for args in told(log, "score")] == [6, 6]
    assert [(args["dice"], args["rolled"], args["coins"]) for args in told(log, "tie_roll")] == [
        (" ".join(map(str, rolls[:3])), sums[0], 6 + sums[0]),
        (" ".join(map(str, rolls[3:])), sums[1], 6 + sums[1]),
    ]
    assert tie_rolls(state) == sums
    assert scores(state) == [6 + added for added in sums] == [state.score(seat) for seat in (0, 1)]
    assert [heir.coins.total for heir in board(state).heirs] == scores(state)
    assert places(state) == expected


def test_the_record_and_the_text_have_the_rolls_of_a_tie_in_the_score() -> None:
    """crypt.32: the record's result has them, and under the parts of the score they stand in a line of their own."""
    table = game.deal(seats=2, seed=1)
    table.state = position(2, hands=TIE, last=True)
    table.steps = []
    finish(table.state, [6, 1, 1, 2, 2, 3])
    result = make_record(table, ["Ala", "Bo"]).result
    assert result is not None
    assert (result.scores, result.places) == ([14, 13], [1, 2])
    told = {
        language: game.table_text(table.view(None), game.words(language), ["Ala", "Bo"])[-4:]
        for language in house_languages()
    }
    assert told["en"] == [
        "  Ala: treasures 3, servants 3 = 6",
        "    tie rolls +8 = 14",
        "  Bo: treasures 3, servants 3 = 6",
        "    tie rolls +7 = 13",
    ]
    assert told["pl"][1::2] == ["    rzuty po remisie +8 = 14", "    rzuty po remisie +7 = 13"]


def test_equal_sums_are_rolled_again() -> None:
    """crypt.32: as often as it takes, and every sum is added."""
    state = position(2, hands=TIE, last=True)
    log = finish(state, [1, 2, 3, 2, 2, 2, 5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 2])
    assert [args["rolled"] for args in told(log, "tie_roll")] == [6, 6, 15, 15, 3, 4]
    assert tie_rolls(state) == [24, 25]
    assert scores(state) == [30, 31]
    assert places(state) == [2, 1]


def test_only_the_highest_roll_again_and_the_others_are_placed_by_their_score_with_the_rolls() -> None:
    """crypt.32: of four tied, one drops in the first round, one in the second and one in the third."""
    hands = {0: ["statue 3"], 1: ["pottery 3"], 2: ["remains 3"], 3: ["statue 3"]}
    state = position(4, hands=hands, last=True)
    first = [6, 6, 6, 1, 1, 1, 6, 6, 6, 6, 6, 6]
    second = [5, 5, 5, 2, 2, 2, 5, 5, 5]
    third = [1, 1, 1, 1, 1, 2]
    finish(state, first + second + third)
    assert tie_rolls(state) == [18 + 15 + 3, 3, 18 + 6, 18 + 15 + 4]
    assert places(state) == [2, 4, 3, 1]


def test_the_others_of_a_tie_can_share_a_place_too() -> None:
    """crypt.32: their scores with the rolls are the same, so they are both second; nobody rolls for that."""
    hands = {0: ["statue 3"], 1: ["pottery 3"], 2: ["remains 3"]}
    state = position(4, hands=hands, last=True)
    finish(state, [1, 1, 2, 6, 6, 6, 2, 1, 1])
    assert scores(state) == [10, 24, 10, 3]
    assert places(state) == [2, 1, 2, 4]


def test_lower_places_are_shared_without_rolling() -> None:
    """crypt.32: two tied behind the winner share the second place."""
    state = position(3, hands={0: ["statue 2"], 1: ["statue 4"], 2: ["statue 2"]}, last=True)
    finish(state, rolls=[])
    assert places(state) == [2, 1, 2]


def test_places_behind_a_broken_tie_are_counted_from_all_before() -> None:
    """crypt.32: winner, loser of the tie, and two who share the third place."""
    hands = {0: ["statue 4"], 1: ["statue 1"], 2: ["statue 4"], 3: ["statue 1"]}
    state = position(4, hands=hands, last=True)
    finish(state, rolls=[1, 1, 1, 2, 2, 2])
    assert places(state) == [2, 3, 1, 3]


def test_exhausted_dice_are_not_rolled_and_no_die_counts_0() -> None:
    """crypt.32: seat 0 has no ready die, seat 1 has one: any roll wins."""
    state = position(3, turn=2, hands={0: ["statue 4"], 1: ["statue 3"]}, tired={0: 3, 1: 2}, last=True)
    log = finish(state, rolls=[1])
    assert scores(state) == [4, 5, 3]
    assert told(log, "tie_no_dice") == [{"seat": 0}]
    assert told(log, "tie_roll") == [{"seat": 1, "dice": "1", "rolled": 1, "coins": 5}]
    assert tie_rolls(state) == [0, 1, None]
    assert places(state) == [2, 1, 3]


def test_tied_players_without_a_ready_die_share_the_win() -> None:
    """crypt.32: nobody has a die to roll, so both win, and the third player is third. It is told once."""
    hands = {0: ["statue 4"], 1: ["pottery 4"]}
    state = position(3, turn=2, hands=hands, tired={0: 3, 1: 3}, last=True)
    log = finish(state, rolls=[])
    assert places(state) == [1, 1, 3]
    assert [key for key in keys(log) if "tie" in key or "win" in key] == ["shared_win"]
    assert told(log, "shared_win") == [{"seat": (0, 1)}]
    assert state.winners() == [0, 1]
    assert tie_rolls(state) == [None] * 3


def test_collections_are_shown_seat_by_seat() -> None:
    """crypt.60: at the end hidden cards are turned up, in the order of seats."""
    hands = {
        2: ["statue 1 hidden", "pottery 2"],
        0: ["remains 1 hidden", "statue 2", "manuscript 4 hidden"],
        1: ["tapestry 3 hidden"],
    }
    state = position(3, hands=hands, last=True)
    log = finish(state)
    assert [(args["seat"], args["kind"]) for args in told(log, "show")] == [
        (0, "remains"),
        (0, "manuscript"),
        (1, "tapestry"),
        (2, "statue"),
    ]


def test_remains_are_used_by_themselves_before_the_score() -> None:
    """crypt.33: what can still be paid and helps a die is carried out; then the score is counted."""
    hand = ["remains 2", "remains 3", "remains 1 hidden"]
    state = position(3, turn=2, hands={0: hand}, tired={0: 2}, last=True)
    log = finish(state)
    assert keys(log).index("revive") < keys(log).index("score")
    assert dice(state, 0) == (2, 1)
    assert scores(state)[0] == 6 + 2
    assert turned(state, 0) == ["remains 2", "remains 3"]


@pytest.mark.parametrize(("tired", "uses"), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_every_use_of_remains_that_helps_is_carried_out(tired: int, uses: int) -> None:
    """crypt.33: as often as it can be paid, and not oftener than there are exhausted dice."""
    hand = ["remains 2", "remains 3", "remains 1", "remains 4"]
    state = position(3, turn=2, hands={0: hand}, tired={0: tired}, last=True)
    log = finish(state)
    assert keys(log).count("revive") == uses
    assert dice(state, 0) == (3 - tired + uses, tired - uses)


def test_revived_dice_are_rolled_in_a_tie() -> None:
    """crypt.33: the dice are ready before a tie is rolled for."""
    hands = {0: ["remains 2", "remains 1"], 1: ["statue 3"]}
    state = position(3, turn=2, hands=hands, tired={0: 3, 1: 2}, last=True)
    finish(state, rolls=[2, 1])
    assert scores(state) == [4 + 2, 4 + 1, 3]
    assert places(state) == [1, 2, 3]


def test_remains_on_side_b_revive_nobody_at_the_end() -> None:
    """crypt.33: only Remains A does."""
    hand = ["remains 2", "remains 3"]
    state = position(3, side_b="remains", turn=2, hands={0: hand}, tired={0: 2}, last=True)
    finish(state)
    assert dice(state, 0) == (1, 2)


def test_a_finished_game_takes_no_more_moves() -> None:
    """crypt.30: nobody is waited for and nobody has a move."""
    state = position(2, hands={0: ["statue 4"]}, last=True)
    finish(state)
    assert state.acting() == 0
    with pytest.raises(Exception, match="game_over"):
        state.play(0, game.parse("recover"), FastRng(1))
