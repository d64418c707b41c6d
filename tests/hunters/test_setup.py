"""Setting up: the monsters, the decks, and who begins."""

from __future__ import annotations

from collections import Counter

import pytest

from polikarp.engine.option import UsageError
from polikarp.engine.words import house_languages
from polikarp.games.hunters import game

from .positions import board, card_text, deal, flip, open_cards, play, position, waits_for

MARKED = {3: [9, 10, 21, 22, 33, 34], 5: [11, 12, 23, 24, 35, 36]}


@pytest.mark.parametrize("seats", range(2, 9))
def test_two_to_eight_players_can_play(seats: int) -> None:
    """hunters.1: every number of players from 2 to 8."""
    assert len(board(deal(seats)).hunters) == seats


@pytest.mark.parametrize("seats", [1, 9])
def test_no_other_number_of_players_can_play(seats: int) -> None:
    """hunters.1: fewer than 2 or more than 8 can not play."""
    with pytest.raises(UsageError, match="2 to 8"):
        game.deal(seats=seats, seed=1)


@pytest.mark.parametrize(("seats", "out"), [(2, [3, 5]), (3, [5]), (4, [5]), (5, []), (8, [])])
def test_marked_monsters_stay_in_the_box(seats: int, out: list[int]) -> None:
    """hunters.2: with fewer than 5 players the 5+ cards are out, with 2 players the 3+ cards too."""
    state = deal(seats)
    left_out = {priority for mark in out for priority in MARKED[mark]}
    in_play = sorted(state.cards.priority[monster] for monster in state.monster)
    assert in_play == sorted(set(range(1, 37)) - left_out)


def test_monsters_have_the_listed_values_and_symbols() -> None:
    """hunters.2: 36 monsters; a value, the symbols needed, a priority number. Some of the table, one of each kind."""
    rows = {monster["priority"]: monster for monster in game.data["monster"]}
    assert len(rows) == 36
    assert Counter(row["value"] for row in rows.values()) == {3: 12, 4: 12, 5: 12}
    assert all(len(row["symbols"]) == row["value"] for row in rows.values())
    letters = {"fire": "O", "ice": "L", "lightning": "B", "sword": "M", "bow": "U", "axe": "T"}
    texts = {number: "".join(letters[symbol] for symbol in row["symbols"]) for number, row in rows.items()}
    assert [texts[number] for number in (1, 12, 13, 24, 25, 29, 36)] == [
        "OLU", "OMT", "OLUT", "LBMT", "OBMUT", "LBMMU", "OBUUT",
    ]  # fmt: skip


def test_what_is_made_up_says_so() -> None:
    """hunters.1, hunters.2, hunters.4: the book has the number of cards of each kind, and no symbol and no monster."""
    sources = {(name, row.get("kind", "")): row["source"] for name in ("card", "monster") for row in game.data[name]}
    assert sources.pop(("card", "wand")) == "book"
    assert set(sources.values()) == {"made by us"}
    marks = (("en", "made by us", "reconstructed"), ("pl", "wymyślone przez nas", "odtworzone"))
    for language, ours, rebuilt in marks:
        book = game.rulebook(language)
        assert book.count(ours) == 3, "the preamble, the monsters, and the symbols"
        assert book.count(rebuilt) == 2, "the preamble, and the number of players (hunters.1)"
        assert rebuilt in next(line for line in book.splitlines() if line.startswith("**hunters.1** "))
        assert "Polikarp" not in book, "the king of this book has no name"


@pytest.mark.parametrize(("seats", "each"), [(2, 8), (3, 10), (4, 10), (5, 12), (8, 12)])
def test_three_equal_piles_with_one_monster_open(seats: int, each: int) -> None:
    """hunters.3: three piles, as equal as possible; the top card of each is turned up."""
    seen = board(deal(seats))
    assert len(seen.monsters) == 3
    assert seen.piles == [each - 1] * 3


def test_monsters_are_shuffled() -> None:
    """hunters.3: another seed, another order."""
    assert len({tuple(monster.priority for monster in board(deal(4, seed)).monsters) for seed in range(20)}) > 15


def test_cards_are_shuffled() -> None:
    """hunters.4: another seed, other decks."""
    assert len({tuple(deal(4, seed).face[card] for card in range(12)) for seed in range(20)}) > 15


def faces_in_play(seats: int, failed: bool) -> Counter[str]:
    """All cards, by turning them all up."""
    state = deal(seats, failed_attacks=failed)
    flip(state, 108 if failed else 96)
    return Counter(card_text(card) for hunter in board(state).hunters for card in hunter.open)


@pytest.mark.parametrize("seats", [2, 5, 8])
def test_108_spells_and_weapons(seats: int) -> None:
    """hunters.4: 84 basic cards, 9 combinations, 12 failed attacks, 3 wands."""
    found = faces_in_play(seats, True)
    symbols = ["fire", "ice", "lightning", "sword", "bow", "axe"]
    assert [found[symbol] for symbol in symbols] == [14] * 6
    assert [found[f"failed {symbol}"] for symbol in symbols] == [2] * 6
    pairs = [f"{spell}+{weapon}" for spell in symbols[:3] for weapon in symbols[3:]]
    assert [found[pair] for pair in pairs] == [1] * 9
    assert found["wand"] == 3
    assert sum(found.values()) == 108


@pytest.mark.parametrize("language", house_languages())
def test_what_the_option_says_holds_for_any_number_of_failed_attacks(language: str) -> None:
    """hunters.4: how many there are is in the data, where somebody may correct it."""
    told = game.words(language).tables["option"]["failed_attacks"]["help"]
    assert not [letter for letter in told if letter.isdigit()]


def test_failed_attacks_can_stay_in_the_box() -> None:
    """hunters.4: option `failed_attacks`, on unless it is switched off."""
    found = faces_in_play(3, False)
    assert sum(found.values()) == 96
    assert not any(card.startswith("failed") for card in found)
    assert deal(3).failed_attacks


@pytest.mark.parametrize(("seats", "decks"), [(2, [54] * 2), (5, [21] * 2 + [22] * 3), (8, [13] * 4 + [14] * 4)])
def test_decks_are_as_equal_as_dealing_makes_them(seats: int, decks: list[int]) -> None:
    """hunters.4: dealt one by one; some decks hold one card more."""
    assert sorted(hunter.deck for hunter in board(deal(seats)).hunters) == decks


def test_the_first_player_gets_the_first_card_and_it_lies_on_top() -> None:
    """hunters.4: dealt from the first player on, the first card dealt on top."""
    state = deal(5, first="4")
    assert [hunter.deck for hunter in board(state).hunters] == [22, 21, 21, 22, 22]
    dealt = [state.face[card] for card in range(7)]
    flip(state, 7)
    turned = [(3, 0), (4, 0), (0, 0), (1, 0), (2, 0), (3, 1), (4, 1)]  # seat, and which of its cards
    assert [state.face[state.open_card(seat, nth)] for seat, nth in turned] == dealt


def test_the_host_names_who_begins() -> None:
    """hunters.5: the seat that the option names, counted from 1."""
    for first in range(1, 5):
        state = deal(4, first=str(first))
        assert waits_for(state) == first - 1
    with pytest.raises(UsageError, match="right is: 1 to 3"):
        deal(3, first="4")


def test_otherwise_chance_decides_who_begins() -> None:
    """hunters.5: anybody may be the first."""
    assert {waits_for(deal(3, seed)) for seed in range(40)} == {0, 1, 2}


def test_a_position_is_made_as_asked() -> None:
    """The helper of these tests: hunters.10 and hunters.15 rest on it."""
    turned = ["fire", "wand", "failed ice"]
    state = position(3, monsters=[1, 20, 28], turned=turned, decks={0: ["bow"]}, refills={1: [5]})
    assert [open_cards(state, seat) for seat in range(3)] == [["fire"], ["wand"], ["failed ice"]]
    play(state, 0, "flip")
    assert open_cards(state, 0) == ["fire", "bow"]
    assert [monster.priority for monster in board(state).monsters] == [1, 20, 28]
    play(state, 0, "slap 1")
    assert board(state).monsters[0].priority == 5
