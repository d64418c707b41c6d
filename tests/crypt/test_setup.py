"""Setting up: the cards, the collectors, the servants and the torches. And the Reveal that begins each round."""

from __future__ import annotations

from collections import Counter

import pytest

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.games.crypt import game
from polikarp.games.crypt.cards import KINDS
from polikarp.games.crypt.rules import Crypt

from .positions import board, card_text, crypt_texts, dice, finish, position, told, waits_for


def deal(seats: int, collectors: str = "A", seed: int = 1) -> Crypt:
    state = game.start(seats, {"collectors": collectors}, FastRng(seed))
    assert isinstance(state, Crypt)
    return state


def cards_in_play(seats: int) -> Counter[str]:
    state = deal(seats)
    return Counter(card_text(state.kind[card], state.value[card]) for card in range(state.size))


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_one_to_four_players_can_play(seats: int) -> None:
    """crypt.1: every number of players from 1 to 4; one player plays against the ghost."""
    seen = board(deal(seats))
    assert len(seen.heirs) == seats
    assert (seen.ghost_ready is not None) == (seats == 1)


@pytest.mark.parametrize("seats", [0, 5])
def test_no_other_number_of_players_can_play(seats: int) -> None:
    """crypt.1: fewer than 1 or more than 4 can not play."""
    with pytest.raises(UsageError, match="1 to 4"):
        game.deal(seats=seats, seed=1)


def test_all_cards_are_two_of_each_kind_and_value() -> None:
    """crypt.2: six kinds, values 1 to 4, two copies: 48 cards. crypt.3: with 4 players all are in play."""
    kinds = ["statue", "jewellery", "manuscript", "pottery", "remains", "tapestry"]
    assert cards_in_play(4) == {f"{kind} {value}": 2 for kind in kinds for value in (1, 2, 3, 4)}


def test_any_card_may_lie_on_top() -> None:
    """crypt.2, crypt.10: the deck is shuffled."""
    tops = [deal(4, seed=seed) for seed in range(300)]
    assert len({(state.kind[0], state.value[0]) for state in tops}) == 24


def test_three_players_remove_second_copies_of_1_and_4() -> None:
    """crypt.3: with 3 players 12 cards are removed."""
    number = {1: 1, 2: 2, 3: 2, 4: 1}
    assert cards_in_play(3) == {f"{kind} {value}": number[value] for kind in KINDS for value in number}


@pytest.mark.parametrize("seats", [1, 2])
def test_one_and_two_players_remove_all_second_copies(seats: int) -> None:
    """crypt.3: with 1 or 2 players 24 cards are removed."""
    assert cards_in_play(seats) == {f"{kind} {value}": 1 for kind in KINDS for value in range(1, 5)}


def sides_of(state: Crypt) -> str:
    collectors = board(state).collectors
    assert [collector.kind for collector in collectors] == list(KINDS)
    return "".join(collector.side for collector in collectors)


@pytest.mark.parametrize(("option", "sides"), [("A", "AAAAAA"), ("B", "BBBBBB"), ("ABABAA", "ABABAA")])
def test_collectors_show_the_side_asked_for(option: str, sides: str) -> None:
    """crypt.5: all A, all B, or six letters in the order of the kinds."""
    assert sides_of(deal(2, option)) == sides


def test_collectors_show_side_a_if_nothing_is_asked_for() -> None:
    """crypt.5: side A is the default."""
    state = game.start(2, {}, FastRng(1))
    assert isinstance(state, Crypt)
    assert sides_of(state) == "AAAAAA"


def test_random_collectors_are_drawn_one_by_one() -> None:
    """crypt.5: `random` draws the side of each collector."""
    shuffle = [0] * 23
    state = game.start(2, {"collectors": "random"}, ScriptRng([1, 0, 0, 1, 1, 0, *shuffle, 0]))
    assert isinstance(state, Crypt)
    assert sides_of(state) == "BAABBA"


@pytest.mark.parametrize("option", ["C", "AB", "AAAAAC", "ABABAAB"])
def test_other_collectors_do_not_exist(option: str) -> None:
    """crypt.5: anything else is no choice of sides."""
    with pytest.raises(UsageError, match="collectors"):
        game.deal(seats=2, seed=1, collectors=option)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_everybody_has_three_ready_dice(seats: int) -> None:
    """crypt.6: three servants each, all ready; the ghost of the solo game has three too."""
    state = deal(seats)
    assert [dice(state, seat) for seat in range(seats)] == [(3, 0)] * seats
    if seats == 1:
        assert board(state).ghost_ready == 3


@pytest.mark.parametrize(("seats", "cards"), [(2, 24), (3, 36), (4, 48)])
def test_any_player_can_be_drawn_as_leader(seats: int, cards: int) -> None:
    """crypt.7: the leader is drawn; Lights Out goes to the leader's right, or with 2 players to the leader."""
    for leader in range(seats):
        script = ScriptRng([0] * (cards - 1) + [leader])
        state = game.start(seats, {}, script)
        script.finish()
        assert isinstance(state, Crypt)
        assert board(state).leader == leader
        assert board(state).last == (leader if seats == 2 else (leader - 1) % seats)
        assert waits_for(state) == leader


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_players_choose_who_leads(seats: int) -> None:
    """crypt.7: the option names a seat, counted from 1; nothing is drawn for it."""
    for first in range(1, seats + 1):
        script = ScriptRng([0] * (game.cards.deck[seats] - 1))
        state = game.start(seats, {"first": str(first)}, script)
        script.finish()
        assert isinstance(state, Crypt)
        assert board(state).leader == waits_for(state) == first - 1
        assert board(state).last == (first - 1 if seats < 3 else (first - 2) % seats)
        again = state.blank()
        again.deal(FastRng("again"))
        assert isinstance(again, Crypt)
        assert board(again).leader == first - 1, "another deal with the same options"


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_a_seat_beyond_the_players_can_not_lead(seats: int) -> None:
    """crypt.7: a seat that nobody has is refused, whoever asks; also alone."""
    with pytest.raises(UsageError, match=f"at a table for {seats}; right is: 1 to {seats}$"):
        game.deal(seats=seats, seed=1, first=str(seats + 1))


@pytest.mark.parametrize("first", ["0", "5", "youngest", ""])
def test_nobody_else_can_lead(first: str) -> None:
    """crypt.7: a seat or `random`."""
    with pytest.raises(UsageError, match="option first"):
        game.deal(seats=4, seed=1, first=first)


def test_alone_one_always_leads() -> None:
    """crypt.7, crypt.50: whether the option names the only seat or leaves it to chance."""
    assert {board(deal(1, seed=seed)).leader for seed in range(20)} == {0}
    assert game.deal(seats=1, seed=1, first="1").view(0).board.leader == 0


def test_who_leads_is_left_to_chance_if_nothing_is_asked_for() -> None:
    """crypt.7: `random` is the default."""
    [option] = [option for option in game.options if option.name == "first"]
    assert option.default == "random"
    assert {board(deal(3, seed=seed)).leader for seed in range(40)} == {0, 1, 2}


def test_the_torches_are_told() -> None:
    """crypt.7: what is said of the torches names who holds them."""
    deals = {seats: game.deal(seats=seats, seed=1) for seats in (2, 4)}
    both = [event.args for event in deals[2].log() if event.key == "torches_both"]
    assert both == [{"leader": deals[2].waiting[0]}]
    torches = [event.args for event in deals[4].log() if event.key == "torches"]
    leader = deals[4].waiting[0]
    assert torches == [{"leader": leader, "whose": (leader + 3) % 4}]


@pytest.mark.parametrize(("seats", "up", "down"), [(1, 2, 1), (2, 2, 1), (3, 3, 1), (4, 4, 2)])
def test_the_crypt_has_its_number_of_cards(seats: int, up: int, down: int) -> None:
    """crypt.10: how many lie face up and face down, by number of players."""
    state = deal(seats)
    shown = [treasure.face_up for treasure in board(state).crypt]
    assert (shown.count(True), shown.count(False)) == (up, down)
    assert board(state).deck == state.size - up - down


@pytest.mark.parametrize(("seats", "up"), [(2, 2), (3, 3), (4, 4)])
def test_the_last_drawn_lie_face_down(seats: int, up: int) -> None:
    """crypt.10: the crypt is what was on top of the deck, in order; the last drawn are the face-down ones."""
    cards = ["statue 2", "pottery 3", "remains 2", "tapestry 3", "jewellery 2", "manuscript 3"]
    state = position(seats, deck=cards)
    log = finish(state)
    slots = len(board(state).crypt)
    assert crypt_texts(state) == [*cards[:up], *(card[:-1] + "?" for card in cards[up:slots])]
    assert [treasure.face_up for treasure in board(state).crypt] == [at < up for at in range(slots)]
    assert [args["value"] for args in told(log, "lay")] == [int(card[-1]) for card in cards[:up]]
    assert ["value" in args for args in told(log, "lay_hidden")] == [False] * (slots - up)


@pytest.mark.parametrize(("seats", "rounds"), [(1, 8), (2, 8), (3, 9), (4, 8)])
def test_the_deck_lasts_its_number_of_rounds(seats: int, rounds: int) -> None:
    """crypt.11: 8, 8, 9 and 8 rounds for 1, 2, 3 and 4 players."""
    table = game.deal(seats=seats, seed=1)
    turns = {1: 12, 2: 24, 3: 27, 4: 32}[seats]
    for _ in range(turns):
        table.play("recover")
    assert table.over
    begun = [event.args["round"] for event in table.log() if event.key == "round"]
    assert begun == list(range(1, rounds + 1))
