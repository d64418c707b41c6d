"""Turning up, catching, mistakes, and what follows."""

from __future__ import annotations

import pytest

from polikarp.engine.phrase import Refusal
from polikarp.engine.state import seats_of
from polikarp.games.hunters import game
from polikarp.games.hunters.cards import SYMBOLS

from .positions import (
    board,
    caught,
    deal,
    flip,
    keys,
    mistakes,
    moves,
    no_cards_open,
    open_cards,
    open_monsters,
    play,
    position,
    told,
    waits_for,
    why_not,
)

OLU = ["fire", "ice", "bow"]  # monster 1
LBMMU = ["ice", "lightning", "sword", "bow", "sword"]  # monster 29


def test_players_turn_up_clockwise() -> None:
    """hunters.10: in turn, clockwise, each the top card of their own deck."""
    state = deal(4, first="3")
    turned = []
    for _ in range(6):
        turned.append(waits_for(state))
        flip(state)
    assert turned == [2, 3, 0, 1, 2, 3]
    assert [hunter.deck for hunter in board(state).hunters] == [26, 26, 25, 25]
    assert [len(hunter.open) for hunter in board(state).hunters] == [1, 1, 2, 2]


def test_only_the_player_whose_turn_it_is_turns_up() -> None:
    """hunters.10"""
    state = deal(3, first="2")
    assert why_not(state, 0, "flip") == Refusal("hunters.10", "not_your_turn", {"waits_for": 1})
    assert why_not(state, 1, "flip") is None


def test_open_cards_of_all_players_count_together() -> None:
    """hunters.10, hunters.11: whoever turned them up, anybody may slap."""
    for seat in range(3):
        state = position(3, monsters=[1], turned=OLU)
        play(state, seat, "slap 1")
        assert caught(state, seat) == [1]


@pytest.mark.parametrize("out", [0, 1, 2])
def test_every_symbol_must_lie_open(out: int) -> None:
    """hunters.11: with one symbol missing it is a mistake."""
    turned = [card for number, card in enumerate(OLU) if number != out] + ["axe", "sword", "lightning"]
    state = position(3, monsters=[1], turned=turned)
    play(state, 0, "slap 1")
    assert (caught(state, 0), mistakes(state, 0)) == ([], [1])


def test_a_symbol_needed_twice_must_lie_open_twice() -> None:
    """hunters.11: counted with repetition."""
    once = position(3, monsters=[29], turned=[*LBMMU[:4], "axe"])
    play(once, 1, "slap 1")
    assert mistakes(once, 1) == [29]
    twice = position(3, monsters=[29], turned=LBMMU)
    play(twice, 1, "slap 1")
    assert caught(twice, 1) == [29]


def test_a_slap_is_on_one_of_three_monsters() -> None:
    """hunters.11: at any moment, anybody, one of the three."""
    state = position(2, turned=["fire", "ice"])
    for seat in range(2):
        assert {"slap 1", "slap 2", "slap 3"} <= set(moves(state, seat))


@pytest.mark.parametrize(
    ("turned", "catch"),
    [
        (["fire+sword", "ice", "bow"], True),  # both symbols of a combination
        (["fire+bow", "ice+axe"], True),
        (["fire+bow", "fire+axe"], False),
        (["fire", "ice", "failed bow"], False),
        (["failed fire", "failed ice", "failed bow"], False),
        (["fire", "ice", "wand"], True),
        (["fire", "wand", "wand"], True),
        (["wand", "wand", "wand"], True),
        (["fire", "wand", "axe"], False),  # one wand, one symbol
        (["fire+sword", "fire", "wand", "axe"], False),
    ],
)
def test_what_cards_show(turned: list[str], catch: bool) -> None:
    """hunters.12: a combination shows both, a failed attack none, a wand any one that is missing. Monster 1: OLU."""
    state = position(2, monsters=[1], turned=turned)
    play(state, 0, "slap 1")
    assert bool(caught(state, 0)) == catch


def test_a_wand_can_be_the_second_of_a_symbol() -> None:
    """hunters.12: any one missing symbol, also a repeated one."""
    state = position(2, monsters=[29], turned=[*LBMMU[:4], "wand"])
    play(state, 0, "slap 1")
    assert caught(state, 0) == [29]


def test_a_catch_lies_face_up_and_scores_its_value() -> None:
    """hunters.13"""
    state = position(3, monsters=[13], turned=["fire", "ice", "bow", "axe"])
    log = play(state, 2, "slap 1")
    assert keys(log) == ["catch", "monster", "gather"]
    assert told(log, "catch") == [{"place": 1, "priority": 13, "seat": 2, "symbols": "fire ice bow axe", "value": 4}]
    assert (caught(state, 2), mistakes(state, 2), state.score(2)) == ([13], [], 4)


def test_a_mistake_lies_face_down_and_costs_a_point() -> None:
    """hunters.14"""
    state = position(3, monsters=[13], turned=["fire", "ice", "bow"])
    log = play(state, 2, "slap 1")
    assert keys(log) == ["mistake", "monster", "gather"]
    assert (caught(state, 2), mistakes(state, 2), state.score(2)) == ([], [13], -1)


@pytest.mark.parametrize(
    ("monster", "turned", "slap", "missing"),
    [
        (13, ["fire", "ice", "bow"], "slap 1", "axe"),
        (29, ["ice", "lightning", "sword", "axe"], "slap 1", "sword bow"),  # it needs two swords
        (29, ["ice", "failed lightning", "sword", "wand"], "slap 1", "sword bow"),  # the wand is lightning
        (1, ["fire", "ice", "bow"], "slap 1 before", "bow"),
        (1, ["wand", "fire", "ice"], "slap 1 before 2", "ice bow"),
    ],
)
def test_a_mistake_says_which_symbols_were_missing(monster: int, turned: list[str], slap: str, missing: str) -> None:
    """hunters.14, hunters.25: of those that the slap was judged by; and that it was judged without some is told."""
    log = play(position(3, monsters=[monster], turned=turned), 2, slap)
    [mistake] = told(log, "mistake")
    assert mistake["missing"] == missing
    unseen = {"slap 1": [], "slap 1 before": [1], "slap 1 before 2": [2]}[slap]
    assert told(log, "unseen") == [{"seat": 2, "count": count} for count in unseen]
    for language, words in (("en", ("Missing: ", "ice")), ("pl", ("Zabrakło: ", "lodu"))):
        said = game.words(language).say("event", "mistake", mistake, ("A", "B", "C"))
        assert words[0] in said
        assert (words[1] in said.split(words[0])[1]) == ("ice" in missing)


@pytest.mark.parametrize("right", [True, False])
def test_the_place_is_refilled_from_its_own_pile(right: bool) -> None:
    """hunters.15: after a catch and after a mistake."""
    state = position(3, monsters=[25, 1, 26], turned=OLU if right else OLU[:2], refills={2: [7]})
    play(state, 0, "slap 2")
    assert open_monsters(state) == [25, 7, 26]
    assert board(state).piles == [9, 8, 9]
    assert bool(caught(state, 0)) == right


@pytest.mark.parametrize("right", [True, False])
def test_who_took_the_monster_turns_up_first(right: bool) -> None:
    """hunters.15: rightly or wrongly."""
    state = position(4, monsters=[1], turned=OLU if right else OLU[:2])
    play(state, 1, "slap 1")
    assert waits_for(state) == 1
    assert no_cards_open(state)


def test_open_cards_go_under_the_deck_in_the_order_of_turning_up() -> None:
    """hunters.15: the first turned up comes first again, after all that lay above it."""
    state = position(2, monsters=[1], turned=["fire", "ice", "bow", "axe"])
    play(state, 0, "slap 1")
    flip(state, 108)
    assert open_cards(state, 0)[-2:] == ["fire", "bow"]
    assert open_cards(state, 1)[-2:] == ["ice", "axe"]


def test_cards_that_went_under_count_no_more() -> None:
    """hunters.15: the new table begins with no card open."""
    state = position(3, monsters=[1, 6, 7], turned=[*OLU, "sword"], decks={0: ["axe"]})
    play(state, 0, "slap 1")
    flip(state)
    play(state, 1, "slap 3")
    assert mistakes(state, 1) == [7]


def test_wands_that_went_under_count_no_more() -> None:
    """hunters.15: nor does a wand."""
    state = position(3, monsters=[1, 6, 7], turned=["wand", "wand", "wand"], decks={0: ["sword", "bow"]})
    play(state, 0, "slap 1")
    flip(state)
    play(state, 1, "slap 2")
    assert mistakes(state, 1) == [6]


def test_a_slap_counts_once_and_everything_else_of_that_moment_is_gone() -> None:
    """hunters.16: only the first slap counts; right after it no other can be made on the same table."""
    state = position(3, monsters=[1, 2], turned=OLU)
    play(state, 0, "slap 1")
    for place in (1, 2, 3):
        assert why_not(state, 1, f"slap {place}") == Refusal("hunters.25", "nothing_open")
    assert [state.score(seat) for seat in range(3)] == [3, 0, 0]


def test_players_without_a_deck_are_skipped() -> None:
    """hunters.20: with 5 players and 108 cards, three have one card more."""
    state = deal(5, first="4")
    flip(state, 1)
    play(state, 1, "slap 1")  # seat 1 has 21 cards and begins; seats 3, 4, 0 have 22
    assert waits_for(state) == 1
    flip(state, 105)
    assert [hunter.deck for hunter in board(state).hunters] == [1, 0, 0, 1, 1]
    turned = []
    for _ in range(3):
        turned.append(waits_for(state))
        flip(state)
    assert turned == [3, 4, 0]


def test_with_all_decks_empty_the_game_waits_for_a_slap() -> None:
    """hunters.20: nothing more is turned up, every monster can be caught."""
    for place in ("slap 1", "slap 2", "slap 3"):
        state = deal(4)
        flip(state, 108)
        assert state.waiting == 0b1111
        for seat in range(4):
            assert why_not(state, seat, "flip") == Refusal("hunters.20", "decks_empty")
            assert moves(state, seat)[:3] == ["slap 1", "slap 2", "slap 3"]
        play(state, 3, place)
        assert len(caught(state, 3)) == 1
        assert waits_for(state) == 3


def test_a_slap_with_no_open_card_is_void() -> None:
    """hunters.25: neither catch nor mistake."""
    state = deal(3)
    for text in ("slap 1", "slap 2 before", "slap 3 before 4"):
        assert why_not(state, 0, text) == Refusal("hunters.25", "nothing_open")


def test_a_slap_before_the_newest_card_is_judged_without_it() -> None:
    """hunters.25: a mistake if only the newest card makes it a catch, a catch if it does not need it."""
    state = position(3, monsters=[1], turned=OLU)
    play(state, 0, "slap 1 before")
    assert mistakes(state, 0) == [1]
    for newest in ("axe", "wand", "fire+sword"):
        state = position(3, monsters=[1], turned=[*OLU, newest])
        play(state, 0, "slap 1 before")
        assert caught(state, 0) == [1]
    state = position(3, monsters=[1], turned=["fire", "ice", "wand"])
    play(state, 0, "slap 1 before")
    assert mistakes(state, 0) == [1]


@pytest.mark.parametrize("unseen", range(5))
@pytest.mark.parametrize("depth", range(6))
def test_a_slap_before_the_newest_cards_is_judged_without_all_of_those(unseen: int, depth: int) -> None:
    """hunters.25: two or more. The bow of monster 1 lies so many cards below the newest."""
    state = position(3, monsters=[1], turned=["fire", "ice", "axe", "axe", "bow", *["axe"] * depth], first=2)
    play(state, 0, ["slap 1", "slap 1 before", *(f"slap 1 before {count}" for count in (2, 3, 4))][unseen])
    assert bool(caught(state, 0)) == (unseen <= depth)


def test_the_newest_cards_are_those_turned_up_last() -> None:
    """hunters.25, hunters.20: also when some decks have run out, whoever began."""
    state = deal(5, first="4")
    flip(state)
    play(state, 1, "slap 1")  # seat 1 has 21 cards and begins; seats 3, 4, 0 have 22
    turned: list[tuple[str, list[str]]] = []
    while why_not(state, seats_of(state.waiting)[0], "flip") is None:
        [event] = play(state, waits_for(state), "flip").events
        turned.append((event.key, str(event.args.get("symbols", "")).split()))
        for unseen in range(min(5, len(turned))):
            seen = turned[: len(turned) - unseen]
            shown = [symbol for key, symbols in seen if key == "turn_up" for symbol in symbols]
            wands = sum(key == "wand" for key, _ in seen)
            assert list(state.shown_without(unseen)) == [*(shown.count(symbol) for symbol in SYMBOLS), wands]
    assert len(turned) == 108


def test_before_the_only_card_nothing_lay_open() -> None:
    """hunters.25: such a slap was made while no card lay open; nor is one judged without more than lie open."""
    state = position(3, turned=["fire"])
    assert why_not(state, 0, "slap 1") is None
    for text in ("slap 1 before", "slap 1 before 2"):
        assert why_not(state, 0, text) == Refusal("hunters.25", "none_seen")
    state = position(3, turned=["fire", "ice", "bow"])
    assert why_not(state, 0, "slap 1 before 2") is None
    assert why_not(state, 0, "slap 1 before 3") == Refusal("hunters.25", "none_seen")


def test_a_void_slap_changes_nothing() -> None:
    """hunters.26: its player may still slap."""
    state = position(3, monsters=[1], turned=OLU)
    before = state.to_bytes()
    assert why_not(state, 0, "slap 1 before 3") is not None
    assert state.to_bytes() == before
    play(state, 0, "slap 1")
    assert caught(state, 0) == [1]


def test_there_is_nothing_to_pass_on_without_a_calm_race() -> None:
    """hunters.35: off by default."""
    assert why_not(position(3, turned=OLU), 1, "pass") == Refusal("hunters.35", "nothing_to_pass")
