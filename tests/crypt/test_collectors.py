"""What the six collectors give on either side, and what paying them costs. One part a kind of treasure."""

from __future__ import annotations

import pytest

from polikarp.games.crypt.rules import Crypt

from .positions import (
    board,
    collection,
    collector_coins,
    crypt_texts,
    dice,
    events,
    finish,
    keys,
    moves,
    play,
    position,
    send,
    sends,
    texts,
    told,
    turned,
    waits_for,
)

# Paying: turning cards up


def test_public_cards_are_turned_first_then_the_lowest() -> None:
    """crypt.40: the public 4 goes before the hidden 1, and the hidden 1 before the hidden 2 and 3."""
    hand = ["remains 3 hidden", "remains 4", "remains 2 hidden", "remains 1 hidden"]
    state = position(2, hands={0: hand}, tired={0: 2})
    log = play(state, 0, "revive")
    assert [args["value"] for args in told(log, "turn_up")] == [4, 1]
    log = play(state, 0, "revive")
    assert [args["value"] for args in told(log, "turn_up")] == [2, 3]


def test_turned_cards_are_public_still_score_and_still_count() -> None:
    """crypt.40: everybody sees what was turned; the collection and its value stay as they were."""
    state = position(2, hands={0: ["remains 3 hidden", "remains 4 hidden"]}, tired={0: 1})
    before = board(state, 0).heirs[0].coins.treasures
    assert collection(state, 0, seat=1) == ["remains ?", "remains ?"]
    play(state, 0, "revive")
    assert collection(state, 0, seat=1) == collection(state, 0, seat=None) == ["remains 3", "remains 4"]
    assert turned(state, 0) == ["remains 3", "remains 4"]
    assert board(state, 1).heirs[0].coins.treasures == before == 7


def test_a_turned_card_can_not_pay_again() -> None:
    """crypt.40: three cards pay once where two are asked for."""
    state = position(2, hands={0: ["remains 1", "remains 2", "remains 3"]}, tired={0: 2})
    play(state, 0, "revive")
    assert "revive" not in moves(state, 0)
    assert len(turned(state, 0)) == 2


def test_every_player_may_use_a_collector_as_often_as_they_can_pay() -> None:
    """crypt.40: two players use Remains A in one turn, one of them twice."""
    hands = {0: ["remains 1", "remains 2", "remains 3", "remains 4"], 1: ["remains 2", "remains 3"]}
    state = position(3, hands=hands, tired={0: 2, 1: 1})
    play(state, 0, "revive")
    play(state, 1, "revive")
    play(state, 0, "revive")
    assert dice(state, 0) == dice(state, 1) == (3, 0)
    assert "revive" not in moves(state, 0) + moves(state, 1)


# Statues


def test_a_failed_die_is_rolled_again_against_the_value_it_showed() -> None:
    """crypt.41A: turn one statue; equal to the value shown is enough, lower is not."""
    for rolled, left in [(3, (2, 1)), (4, (3, 0))]:
        state = position(3, turn=2, hands={0: ["statue 1"]}, held={"A": (0, 1, 4)})
        play(state, 2, "recover", rolls=[1])
        assert moves(state, 0) == ["done", "reroll 4"]
        log = play(state, 0, "reroll 4", rolls=[rolled])
        assert dice(state, 0) == left
        assert turned(state, 0) == ["statue 1"]
        key = "reroll_kept" if rolled >= 4 else "reroll_tired"
        assert told(log, key) == [{"seat": 0, "slot": "A", "shows": 4, "rolled": rolled}]


def test_the_table_shows_which_dice_failed_until_the_next_deal() -> None:
    """crypt.41A: who is asked to roll again sees this round's treasures with what their dice rolled."""
    held = {"A": (0, 2, 4), "B": (1, 1, 1), "D": (0, 1, 4)}
    state = position(4, turn=3, crypt=["statue 2"], hands={0: ["statue 1", "statue 3"]}, held=held)
    assert board(state, 0).collected == []
    play(state, 3, "recover", rolls=[5, 3, 2])
    seen = {one.slot: one for one in board(state, 0).collected}
    assert {slot: (one.holder, one.shows, one.rolled) for slot, one in seen.items()} == {
        "A": (0, 4, [5, 3]),
        "B": (1, 1, [None]),
        "D": (0, 4, [2]),
    }
    assert texts([seen["A"].card]) == ["statue 2"]
    assert board(state).collected == board(state, 3).collected == board(state, 0).collected, "rolls are public"
    log = play(state, 0, "reroll 4", rolls=[1])
    assert [args["slot"] for args in told(log, "reroll_tired")] == ["A"]
    assert [one.rolled for one in board(state).collected] == [[5, 1], [None], [2]]
    log = play(state, 0, "reroll 4", rolls=[6])
    assert [args["slot"] for args in told(log, "reroll_kept")] == ["A"]
    assert [one.rolled for one in board(state).collected] == [[5, 6], [None], [2]]
    log = play(state, 0, "reroll 4", rolls=[4])
    assert [args["slot"] for args in told(log, "reroll_kept")] == ["D"]
    assert board(state).collected == [], "nothing is left to roll again, and the next crypt is laid out"


def test_a_card_that_lay_hidden_is_shown_with_its_dice_to_its_owner_only() -> None:
    """crypt.23, crypt.41A: the others see its kind and its dice."""
    crypt = ["statue 1", "pottery 2", "remains 3", "manuscript 4"]
    state = position(3, turn=2, crypt=crypt, hands={0: ["statue 2"]}, held={"D": (0, 1, 6)})
    play(state, 2, "recover", rolls=[1])
    shown = [texts(one.card for one in board(state, seat).collected) for seat in (0, 1, None)]
    assert shown == [["manuscript 4"], ["manuscript ?"], ["manuscript ?"]]


def test_a_die_that_remains_woke_is_no_longer_shown_as_failed() -> None:
    """crypt.45A: of two failed dice the one that showed more is ready again, the other may be rolled again."""
    hand = ["statue 1", "remains 1", "remains 2"]
    state = position(3, turn=2, hands={0: hand}, held={"A": (0, 1, 3), "B": (0, 1, 5)})
    play(state, 2, "recover", rolls=[1, 1])
    play(state, 0, "revive")
    assert [one.rolled for one in board(state).collected] == [[1], [None]]
    assert moves(state, 0) == ["done", "reroll 3"]


def test_what_was_collected_can_not_be_looked_at() -> None:
    """crypt.43B: in a Statue A window no card lies in the crypt any more."""
    crypt = ["statue 1", "pottery 2", "remains 3", "manuscript 4"]
    hands = {0: ["statue 2"], 1: ["manuscript 1"]}
    state = position(3, side_b="manuscript", turn=2, crypt=crypt, hands=hands, held={"D": (0, 1, 6)})
    assert moves(state, 1) == ["look"]
    play(state, 2, "recover", rolls=[1])
    assert moves(state, 0) == ["done", "reroll 6"]
    assert moves(state, 1) == []


def test_statue_windows_open_clockwise_from_the_leader() -> None:
    """crypt.41A: all who failed and have a statue, one window each."""
    state = position(
        4,
        leader=2,
        turn=3,
        hands={0: ["statue 1"], 2: ["statue 2"], 3: ["statue 3"]},
        held={"A": (0, 1, 6), "B": (2, 1, 5), "C": (3, 1, 4)},
    )
    play(state, 1, "recover", rolls=[1, 1, 1])
    for seat in (2, 3, 0):
        assert board(state).phase == "statues"
        assert waits_for(state) == seat
        play(state, seat, "done")
    assert board(state).phase == "servants"


def test_no_statue_window_without_a_failed_die_or_a_statue() -> None:
    """crypt.41A: seat 0 failed and has no statue left to turn, seat 1 has a statue and did not fail."""
    state = position(3, turn=2, hands={0: ["statue 2 turned"], 1: ["statue 1"]}, held={"A": (0, 1, 6), "B": (1, 1, 2)})
    play(state, 2, "recover", rolls=[1, 2])
    assert board(state).phase == "servants"


def test_no_statue_window_on_side_b() -> None:
    """crypt.41A: the re-roll is side A's."""
    state = position(3, turn=2, side_b="statue", hands={0: ["statue 2"]}, held={"B": (0, 1, 6)})
    play(state, 2, "recover", rolls=[1])
    assert board(state).phase == "servants"


def test_a_statue_window_is_repeatable() -> None:
    """crypt.41A: two statues roll one die twice; the window closes when no die is left that failed."""
    state = position(3, turn=2, hands={0: ["statue 1", "statue 2", "statue 3"]}, held={"A": (0, 1, 6)})
    play(state, 2, "recover", rolls=[1])
    play(state, 0, "reroll 6", rolls=[5])
    assert waits_for(state) == 0
    play(state, 0, "reroll 6", rolls=[6])
    assert board(state).phase == "servants"
    assert turned(state, 0) == ["statue 1", "statue 2"]


def test_a_statue_window_closes_when_no_statue_is_left() -> None:
    """crypt.41A: two dice failed, one statue: one re-roll."""
    state = position(3, turn=2, hands={0: ["statue 1"]}, held={"A": (0, 2, 6)})
    play(state, 2, "recover", rolls=[1, 1])
    play(state, 0, "reroll 6", rolls=[6])
    assert board(state).phase == "servants"
    assert dice(state, 0) == (2, 1)


def test_a_statue_taken_this_round_pays() -> None:
    """crypt.41A: the statue that the failed die just brought home."""
    state = position(3, turn=2, crypt=["statue 4"], held={"A": (0, 1, 6)})
    play(state, 2, "recover", rolls=[1])
    play(state, 0, "reroll 6", rolls=[6])
    assert dice(state, 0) == (3, 0)


def test_only_dice_that_failed_this_round_are_rolled_again() -> None:
    """crypt.41A: not a die that held out, not one exhausted before, not another player's."""
    state = position(
        3,
        turn=2,
        hands={0: ["statue 1", "statue 2"]},
        held={"A": (0, 1, 5), "B": (0, 1, 3), "C": (1, 1, 4)},
        tired={0: 1},
    )
    play(state, 2, "recover", rolls=[1, 3, 1])
    assert moves(state, 0) == ["done", "reroll 5"]
    play(state, 0, "reroll 5", rolls=[5])
    assert board(state).phase == "servants"
    assert dice(state, 0) == (2, 1)


def test_dice_that_failed_in_an_earlier_round_are_not_rolled_again() -> None:
    """crypt.41A: a window left unused is gone with its round."""
    state = position(3, turn=2, hands={0: ["statue 1", "statue 2"]}, held={"A": (0, 1, 5)})
    play(state, 2, "recover", rolls=[1])
    play(state, 0, "done")
    play(state, 1, "recover")
    play(state, 2, "recover")
    send(state, 0, "1x3 at A", rolls=[1])
    assert moves(state, 0) == ["done", "reroll 3"]


def award_coins(state: Crypt) -> list[int]:
    return [heir.award for heir in board(state).heirs]


def test_the_first_to_reach_two_statues_turn_them_and_get_5() -> None:
    """crypt.41B: settled at the end of collecting, by itself; the coins count at the end."""
    state = position(3, turn=2, side_b="statue", crypt=["statue 4"], hands={0: ["statue 1"]}, held={"A": (0, 1, 1)})
    log = play(state, 2, "recover")
    assert told(log, "award") == [{"seat": 0, "coins": 5}]
    assert turned(state, 0) == ["statue 1", "statue 4"]
    assert award_coins(state) == [5, 0, 0]
    assert board(state).heirs[0].coins.total == 1 + 4 + 5 + 3


def test_all_who_reach_two_in_the_first_round_are_equal() -> None:
    """crypt.41B, crypt.26: one by Pottery B before Servants, one by collecting in the same round: both get 5."""
    state = position(
        3,
        side_b="statue pottery",
        crypt=["statue 3", "jewellery 1", "jewellery 2", "statue 4"],
        hands={0: ["statue 1", "pottery 1", "pottery 2"], 1: ["statue 2"]},
    )
    play(state, 0, "take D")
    assert award_coins(state) == [0, 0, 0]
    play(state, 0, "recover")
    send(state, 1, "1x1 at A")
    log = play(state, 2, "recover")
    assert award_coins(state) == [5, 5, 0]
    assert turned(state, 0)[:2] == ["statue 1", "statue 4"]
    assert turned(state, 1) == ["statue 2", "statue 3"]
    assert keys(log).index("collect") < keys(log).index("award")


def test_who_reaches_two_statues_later_gets_2_and_turns_nothing() -> None:
    """crypt.41B: the cards stay down."""
    state = position(3, turn=2, side_b="statue", crypt=["statue 4"], hands={0: ["statue 1"]}, held={"A": (0, 1, 1)})
    state.claimed = 1
    log = play(state, 2, "recover")
    assert told(log, "award") == [{"seat": 0, "coins": 2}]
    assert award_coins(state) == [2, 0, 0]
    assert turned(state, 0) == []


def test_the_first_award_makes_the_next_round_a_later_one() -> None:
    """crypt.41B: seat 0 reaches two in this round, seat 1 in the next."""
    state = position(
        3,
        turn=2,
        side_b="statue",
        crypt=["statue 4"],
        deck=["statue 2"],
        hands={0: ["statue 1"], 1: ["statue 3"]},
        held={"A": (0, 1, 1)},
    )
    play(state, 2, "recover")
    assert award_coins(state) == [5, 0, 0]
    send(state, 1, "1x1 at A")
    finish(state)
    assert award_coins(state) == [5, 2, 0]
    assert turned(state, 1) == []


def test_a_player_gets_one_statue_award_at_most() -> None:
    """crypt.41B: a third and a fourth statue bring nothing more."""
    hand = ["statue 1", "statue 2", "statue 3"]
    state = position(3, turn=2, side_b="statue", crypt=["statue 4"], hands={0: hand})
    log = play(state, 2, "recover")
    assert told(log, "award") == [{"seat": 0, "coins": 5}]
    assert turned(state, 0) == ["statue 1", "statue 2"]
    log = finish(state)
    assert "award" not in keys(log)
    assert award_coins(state) == [5, 0, 0]


@pytest.mark.parametrize(("side_b", "hand"), [("", ["statue 1", "statue 2"]), ("statue", ["statue 1", "pottery 2"])])
def test_no_statue_award_on_side_a_or_with_one_statue(side_b: str, hand: list[str]) -> None:
    """crypt.41B: two statues, on side B."""
    state = position(3, turn=2, side_b=side_b, hands={0: hand})
    play(state, 2, "recover")
    assert award_coins(state) == [0, 0, 0]


# Jewellery, manuscripts and pottery at the end of the game


def coins_at_the_end(kind: str, side_b: str, hand: list[str], others: list[str] | None = None) -> int:
    """What the collector of a kind pays for a hand in a finished game of three that seat 2 wins."""
    state = position(3, side_b=side_b, turn=2, hands={0: hand, 1: others or []}, tired={0: 3, 1: 3}, last=True)
    state.award[2] = 100
    finish(state)
    assert state.winners() == [2]
    return collector_coins(state, 0, kind)


@pytest.mark.parametrize(
    ("hand", "coins"),
    [
        ([], 0),
        (["jewellery 4"], 0),
        (["jewellery 2", "jewellery 3 hidden"], 3),
        (["jewellery 4", "jewellery 1", "jewellery 3 hidden"], 4),
    ],
)
def test_the_best_of_two_or_more_jewellery_counts_twice(hand: list[str], coins: int) -> None:
    """crypt.42A: with 2 or more the most valuable one counts twice."""
    assert coins_at_the_end("jewellery", "", [*hand, "statue 4"]) == coins


@pytest.mark.parametrize(("hand", "coins"), [([], 0), (["jewellery 4"], 1), (["jewellery 2", "jewellery 3 hidden"], 2)])
def test_every_jewellery_counts_one_more(hand: list[str], coins: int) -> None:
    """crypt.42B: +1 each."""
    assert coins_at_the_end("jewellery", "jewellery", [*hand, "statue 4"]) == coins


@pytest.mark.parametrize(
    ("hand", "coins"),
    [
        (["manuscript 1"], 0),
        (["manuscript 1", "manuscript 2 hidden"], 8 - 3),
        (["manuscript 4", "manuscript 1", "manuscript 3"], 12 - 8),
    ],
)
def test_two_or_more_manuscripts_count_4_each(hand: list[str], coins: int) -> None:
    """crypt.43A: each counts 4 instead of its value."""
    assert coins_at_the_end("manuscript", "", hand) == coins
    assert coins_at_the_end("manuscript", "manuscript", hand) == 0


def test_turning_a_manuscript_shows_all_face_down_cards() -> None:
    """crypt.43B: the looker sees every face-down card of the crypt, and nobody else does."""
    cards = ["statue 4", "pottery 2", "remains 3", "statue 1", "tapestry 1", "jewellery 3"]
    state = position(4, side_b="manuscript", crypt=cards, hands={1: ["manuscript 2", "manuscript 3"]})
    log = play(state, 1, "look")
    assert turned(state, 1) == ["manuscript 2"]
    assert crypt_texts(state, 1) == cards
    for other in (0, 2, 3, None):
        assert crypt_texts(state, other)[4:] == ["tapestry ?", "jewellery ?"]
    seen = events(log, "look_card")
    assert [event.args["slot"] for event in seen] == ["E", "F"]
    assert {event.audience for event in seen} == {1 << 1}


def test_looking_is_not_offered_when_all_is_seen() -> None:
    """crypt.43B: a second manuscript is of no use until new cards are laid out."""
    state = position(2, side_b="manuscript", hands={0: ["manuscript 2", "manuscript 3"]})
    play(state, 0, "look")
    assert "look" not in moves(state, 0)
    assert moves(state, 1) == []
    finish(state)
    assert "look" in moves(state, 0)


def test_looking_is_not_offered_when_no_card_lies_face_down() -> None:
    """crypt.43B: Pottery B took the only one."""
    hands = {0: ["pottery 1", "pottery 2"], 1: ["manuscript 2"]}
    state = position(2, side_b="manuscript pottery", crypt=["statue 4", "remains 3", "tapestry 1"], hands=hands)
    assert moves(state, 1) == ["look"]
    play(state, 0, "take C")
    assert moves(state, 1) == []


@pytest.mark.parametrize(("side_b", "offered"), [("manuscript", True), ("", False)])
def test_looking_is_for_side_b(side_b: str, offered: bool) -> None:
    """crypt.43B: side A has no such right."""
    state = position(2, side_b=side_b, hands={0: ["manuscript 2"]})
    assert ("look" in moves(state, 0)) == offered


@pytest.mark.parametrize(("number", "coins"), [(0, 0), (1, 0), (2, 2), (3, 4), (4, 8), (5, 8), (6, 8)])
def test_pottery_pays_by_number(number: int, coins: int) -> None:
    """crypt.44A: 2, 3, 4 or more cards: +2, +4, +8."""
    pottery = ["pottery 1", "pottery 2 hidden", "pottery 3", "pottery 4", "pottery 2", "pottery 3 hidden"]
    assert coins_at_the_end("pottery", "", [*pottery[:number], "statue 1"]) == coins
    assert coins_at_the_end("pottery", "pottery", [*pottery[:number], "statue 1"]) == 0


# Pottery before Servants

TWO_HIDDEN = ["statue 4", "jewellery 2", "remains 3", "statue 1", "tapestry 1", "jewellery 3"]


def test_two_pottery_take_a_face_down_card() -> None:
    """crypt.44B: turned up are two; the card is its owner's, seen by nobody else, and is not replaced."""
    state = position(
        4, side_b="pottery", crypt=TWO_HIDDEN, hands={0: ["pottery 1", "pottery 2"]}, deck=["statue 2", "statue 3"]
    )
    left = board(state).deck
    assert moves(state, 0) == ["done", "take E", "take F"]
    log = play(state, 0, "take F")
    assert turned(state, 0) == ["pottery 1", "pottery 2"]
    assert collection(state, 0, seat=0)[0] == "jewellery 3"
    assert collection(state, 0, seat=1)[0] == collection(state, 0, seat=None)[0] == "jewellery ?"
    assert [(event.args["value"], event.audience) for event in events(log, "see_card")] == [(3, 1 << 0)]
    assert [treasure.slot for treasure in board(state).crypt] == list("ABCDE")
    assert board(state).deck == left
    assert board(state).phase == "servants"
    assert sends(state, 0, "F") == []


def test_pottery_windows_go_from_the_leader_on_and_come_once() -> None:
    """crypt.44B: after Reveal and before Servants each who can pay is asked once, clockwise from the leader."""
    hands = {0: ["pottery 1", "pottery 2"], 1: ["pottery 3", "pottery 4"], 3: ["pottery 1", "pottery 2"]}
    state = position(4, side_b="pottery", leader=3, crypt=TWO_HIDDEN, hands=hands)
    for seat in (3, 0, 1):
        assert board(state).phase == "pottery"
        assert waits_for(state) == seat
        play(state, seat, "done")
    assert board(state).phase == "servants"
    assert waits_for(state) == 3
    assert all(turned(state, seat) == [] for seat in range(4))


def test_a_pottery_window_is_repeatable() -> None:
    """crypt.44B: four pottery take both face-down cards in one window; then none is left for the next player."""
    hands = {0: ["pottery 1", "pottery 2", "pottery 3", "pottery 4"], 1: ["pottery 3", "pottery 4"]}
    state = position(4, side_b="pottery", crypt=TWO_HIDDEN, hands=hands)
    play(state, 0, "take E")
    assert waits_for(state) == 0
    assert moves(state, 0) == ["done", "take F"]
    play(state, 0, "take F")
    assert board(state).phase == "servants"
    assert len(turned(state, 0)) == 4


def test_pottery_just_taken_pays() -> None:
    """crypt.44B: the third pottery and the one just taken pay for the next card."""
    cards = [*TWO_HIDDEN[:4], "pottery 4", "jewellery 3"]
    state = position(4, side_b="pottery", crypt=cards, hands={0: ["pottery 1", "pottery 2", "pottery 3"]})
    play(state, 0, "take E")
    assert waits_for(state) == 0
    play(state, 0, "take F")
    assert collection(state, 0, seat=0) == [
        "jewellery 3",
        "pottery 1",
        "pottery 2",
        "pottery 3",
        "pottery 4",
    ]
    assert len(turned(state, 0)) == 4


def test_the_next_window_takes_what_is_left() -> None:
    """crypt.44B: the leader takes one card, the next player the other."""
    hands = {0: ["pottery 1", "pottery 2"], 1: ["pottery 3", "pottery 4"]}
    state = position(4, side_b="pottery", crypt=TWO_HIDDEN, hands=hands)
    play(state, 0, "take E")
    assert waits_for(state) == 1
    assert moves(state, 1) == ["done", "take F"]


@pytest.mark.parametrize(
    ("side_b", "hand"),
    [("", ["pottery 1", "pottery 2"]), ("pottery", ["pottery 1"]), ("pottery", ["pottery 1", "pottery 2 turned"])],
)
def test_no_pottery_window_on_side_a_or_with_fewer_than_two(side_b: str, hand: list[str]) -> None:
    """crypt.44B: two pottery face down, on side B."""
    assert board(position(4, side_b=side_b, crypt=TWO_HIDDEN, hands={0: hand})).phase == "servants"


def test_pottery_windows_open_in_every_round() -> None:
    """crypt.44B: after each Reveal."""
    state = position(4, side_b="pottery", crypt=TWO_HIDDEN, hands={0: ["pottery 1", "pottery 2"]})
    play(state, 0, "done")
    finish(state)
    assert board(state).phase == "pottery"
    assert waits_for(state) == 0


# Remains


def test_two_remains_ready_one_exhausted_die() -> None:
    """crypt.45A: one die for two cards."""
    state = position(2, hands={0: ["remains 1", "remains 2", "remains 3"]}, tired={0: 2})
    log = play(state, 0, "revive")
    assert dice(state, 0) == (2, 1)
    assert turned(state, 0) == ["remains 1", "remains 2"]
    assert told(log, "revive") == [{"seat": 0}]


@pytest.mark.parametrize(
    ("side_b", "hand", "tired"),
    [
        ("remains", ["remains 1", "remains 2"], 1),
        ("", ["remains 1"], 1),
        ("", ["remains 1", "remains 2"], 0),
    ],
)
def test_reviving_needs_side_a_two_remains_and_an_exhausted_die(side_b: str, hand: list[str], tired: int) -> None:
    """crypt.45A: none of the three may be missing."""
    state = position(2, side_b=side_b, hands={0: hand}, tired={0: tired})
    assert "revive" not in moves(state, 0)


def test_in_a_statue_window_the_longer_exhausted_die_is_revived_first() -> None:
    """crypt.45A: the die of an earlier round first, so the failed one can still be rolled again; then that one."""
    hand = ["statue 1", "remains 1", "remains 2", "remains 3", "remains 4"]
    state = position(3, turn=2, hands={0: hand}, held={"A": (0, 1, 5)}, tired={0: 1})
    play(state, 2, "recover", rolls=[1])
    assert dice(state, 0) == (1, 2)
    play(state, 0, "revive")
    assert dice(state, 0) == (2, 1)
    assert moves(state, 0) == ["revive", "done", "reroll 5"]
    play(state, 0, "revive")
    assert dice(state, 0) == (3, 0)
    assert board(state).phase == "servants"


def test_in_a_statue_window_the_failed_die_of_the_highest_value_is_revived() -> None:
    """crypt.45A: of a failed 3 and a failed 5 the 5 is revived, and the 3 can still be rolled again."""
    hand = ["statue 1", "remains 1", "remains 2"]
    state = position(3, turn=2, hands={0: hand}, held={"A": (0, 1, 3), "B": (0, 1, 5)})
    play(state, 2, "recover", rolls=[1, 1])
    assert moves(state, 0) == ["revive", "done", "reroll 3", "reroll 5"]
    play(state, 0, "revive")
    assert moves(state, 0) == ["done", "reroll 3"]
    play(state, 0, "reroll 3", rolls=[3])
    assert dice(state, 0) == (3, 0)


@pytest.mark.parametrize(("number", "coins"), [(3, 0), (4, 10), (5, 10)])
def test_four_or_more_remains_pay_10(number: int, coins: int) -> None:
    """crypt.45B: +10 with 4 or more, on side B only."""
    remains = ["remains 1", "remains 2 hidden", "remains 3", "remains 4", "remains 2"]
    assert coins_at_the_end("remains", "remains", remains[:number]) == coins
    assert coins_at_the_end("remains", "", remains[:number]) == 0


# Tapestries


@pytest.mark.parametrize(
    ("mine", "others", "coins"),
    [
        (["tapestry 4"], ["tapestry 3"], 5),
        (["tapestry 1"], [], 5),
        (["tapestry 3"], ["tapestry 4"], 0),
        (["tapestry 4"], ["tapestry 2", "tapestry 3 hidden"], 0),
        (["tapestry 4"], ["tapestry 1", "tapestry 3"], 5),
        (["statue 4"], ["statue 1"], 0),
    ],
)
def test_the_highest_total_of_tapestries_gets_5(mine: list[str], others: list[str], coins: int) -> None:
    """crypt.46A: by total value, not by number; all who tie get 5, and nobody without a tapestry does."""
    assert coins_at_the_end("tapestry", "", mine, others) == coins


def test_all_who_tie_for_the_highest_tapestries_get_5() -> None:
    """crypt.46A: both of two."""
    hands = {0: ["tapestry 4", "statue 1"], 1: ["tapestry 1", "tapestry 3"], 2: ["tapestry 2"]}
    state = position(3, hands=hands, last=True)
    finish(state)
    assert [collector_coins(state, seat, "tapestry") for seat in range(3)] == [5, 5, 0]


@pytest.mark.parametrize(
    ("mine", "others", "coins"),
    [
        (["tapestry 1", "tapestry 2"], [], 0),
        (["tapestry 1", "tapestry 2", "tapestry 2 hidden"], ["tapestry 3", "tapestry 3"], 7),
        (["tapestry 1", "tapestry 2", "tapestry 2"], ["tapestry 3", "tapestry 3", "tapestry 4"], 4),
    ],
)
def test_three_tapestries_pay_7_alone_and_4_shared(mine: list[str], others: list[str], coins: int) -> None:
    """crypt.46B: with 3 or more: +7 if only one player has that, otherwise +4 each."""
    assert coins_at_the_end("tapestry", "tapestry", mine, others) == coins


def test_all_who_have_three_tapestries_get_4() -> None:
    """crypt.46B: each of two players."""
    hands = {0: ["tapestry 1", "tapestry 2", "tapestry 2"], 1: ["tapestry 3", "tapestry 3", "tapestry 4"]}
    state = position(3, side_b="tapestry", hands=hands, last=True)
    finish(state)
    assert [collector_coins(state, seat, "tapestry") for seat in range(3)] == [4, 4, 0]
