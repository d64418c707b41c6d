"""Who knows what: the sight and the view of every seat, and what it imagines of the rest.

A sight must hold all that is public and nothing that is not; what is imagined must be fair.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import pytest

from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import WATCHER
from polikarp.games.crypt import game
from polikarp.games.crypt.cards import KINDS
from polikarp.games.crypt.rules import Crypt

from .positions import (
    any_move,
    board,
    card_text,
    collection,
    crypt_texts,
    finish,
    play,
    position,
    send,
    texts,
)

CRYPT = ["statue 4", "jewellery 2", "remains 3", "tapestry 1"]  # of three players: the last lies face down
SEATS_AND_WATCHERS = (0, 1, 2, None)


def sight(state: Crypt, seat: int) -> Crypt:
    seen = state.sight(seat)
    assert isinstance(seen, Crypt)
    return seen


def test_of_a_face_down_card_the_kind_is_public_and_the_value_hidden() -> None:
    """crypt.4: as it was drawn from the deck into the crypt, from every seat."""
    state = position(3, deck=CRYPT)
    finish(state)
    for viewer in SEATS_AND_WATCHERS:
        assert crypt_texts(state, viewer) == ["statue 4", "jewellery 2", "remains 3", "tapestry ?"]


def test_of_the_deck_only_the_top_kind_is_known() -> None:
    """crypt.60, crypt.4: the kind of the top card, not its value; nothing of the cards below, not even the kind."""
    state = position(3, crypt=CRYPT, deck=["pottery 3", "statue 2"])
    assert board(state).top == "pottery"
    for viewer in (0, 1, 2, WATCHER):
        seen = sight(state, viewer)
        assert KINDS[seen.kind[seen.drawn]] == "pottery"
        assert {seen.value[card] for card in range(seen.drawn, seen.size)} == {0}
        assert {seen.kind[card] for card in range(seen.drawn + 1, seen.size)} == {-1}


def test_an_empty_deck_has_no_top_card() -> None:
    """crypt.60: in the last round nothing of the deck is left to know."""
    assert board(position(3, last=True)).top is None


def test_dice_are_public() -> None:
    """crypt.60: ready, exhausted and on treasures, for every seat and watcher."""
    state = position(3, turn=1, held={"A": (0, 2, 4)}, tired={1: 2})
    for viewer in SEATS_AND_WATCHERS:
        seen = board(state, viewer)
        assert [(heir.ready, heir.exhausted, heir.away) for heir in seen.heirs] == [(1, 0, 2), (1, 2, 0), (3, 0, 0)]
        assert (seen.crypt[0].holder, seen.crypt[0].dice, seen.crypt[0].shows) == (0, 2, 4)


def test_ones_own_treasures_may_be_looked_at_any_time() -> None:
    """crypt.60, crypt.23: a card taken face down is known to its owner, its kind to everybody."""
    state = position(3, hands={1: ["statue 3 hidden", "pottery 2"]})
    assert [collection(state, 1, viewer) for viewer in SEATS_AND_WATCHERS] == [
        ["statue ?", "pottery 2"],
        ["statue 3", "pottery 2"],
        ["statue ?", "pottery 2"],
        ["statue ?", "pottery 2"],
    ]
    assert [board(state, viewer).heirs[1].complete for viewer in SEATS_AND_WATCHERS] == [False, True, False, False]
    assert board(state, 0).heirs[1].coins.treasures == 2
    assert board(state, 1).heirs[1].coins.treasures == 5


def test_a_public_card_is_marked_so() -> None:
    """crypt.24: its owner can tell which of their values everybody knows."""
    state = position(3, hands={1: ["statue 3 hidden", "pottery 2"]})
    assert [card.public for card in board(state, 1).heirs[1].collection] == [False, True]


def test_who_looked_keeps_knowing_what_another_took() -> None:
    """crypt.60: seat 2 looked at the card that seat 0 took; seat 1 did not."""
    state = position(3, side_b="manuscript", crypt=CRYPT, hands={2: ["manuscript 1"]})
    play(state, 2, "look")
    send(state, 0, "1x1 at D")
    finish(state)
    assert [collection(state, 0, viewer) for viewer in SEATS_AND_WATCHERS] == [
        ["tapestry 1"],
        ["tapestry ?"],
        ["tapestry 1"],
        ["tapestry ?"],
    ]


def test_who_looked_keeps_knowing_what_was_discarded() -> None:
    """crypt.60: a card discarded face down stays hidden from the others."""
    state = position(3, side_b="manuscript", crypt=CRYPT, hands={2: ["manuscript 1"]})
    play(state, 2, "look")
    finish(state)
    assert [texts(board(state, viewer).discards)[-1] for viewer in SEATS_AND_WATCHERS] == [
        "tapestry ?",
        "tapestry ?",
        "tapestry 1",
        "tapestry ?",
    ]


def test_what_pottery_took_is_its_owners_secret() -> None:
    """crypt.60: the kind is public, the value its owner's."""
    state = position(3, side_b="pottery", crypt=CRYPT, hands={1: ["pottery 1", "pottery 2"]})
    play(state, 1, "take D")
    assert [collection(state, 1, viewer)[-1] for viewer in SEATS_AND_WATCHERS] == [
        "tapestry ?",
        "tapestry 1",
        "tapestry ?",
        "tapestry ?",
    ]


def test_turned_cards_and_awards_are_public() -> None:
    """crypt.60: of the hidden statues both were turned for the award, and everybody sees it."""
    state = position(3, side_b="statue", turn=2, hands={0: ["statue 3 hidden", "statue 1 hidden"]})
    finish(state)
    for viewer in SEATS_AND_WATCHERS:
        heir = board(state, viewer).heirs[0]
        assert texts(heir.collection) == ["statue 3", "statue 1"]
        assert [card.turned for card in heir.collection] == [True, True]
        assert heir.award == 5


def test_at_the_end_collections_are_turned_up_and_hidden_discards_are_not() -> None:
    """crypt.60: every treasure is shown, a card discarded face down is not, to anybody."""
    state = position(
        3,
        hands={0: ["statue 3 hidden", "pottery 2"], 1: ["remains 4 hidden"]},
        discards=["remains 1 hidden"],
        last=True,
    )
    finish(state)
    for viewer in SEATS_AND_WATCHERS:
        seen = board(state, viewer)
        assert texts(seen.heirs[0].collection) == ["statue 3", "pottery 2"]
        assert texts(seen.heirs[1].collection) == ["remains 4"]
        assert "remains ?" in texts(seen.discards)
        assert "remains 1" not in texts(seen.discards)
        assert all(heir.complete for heir in seen.heirs)


def test_two_positions_that_differ_in_what_is_hidden_look_the_same() -> None:
    """crypt.60: seat 0 and watchers can not tell them apart, whatever they read; the owner can."""
    hands = [["statue 3 hidden", "pottery 2", "statue 1 hidden"], ["statue 1 hidden", "pottery 2", "statue 4 hidden"]]
    crypt = ["remains 3", "remains 2", "jewellery 1"]
    one = position(3, hands={1: hands[0]}, crypt=[*crypt, "tapestry 1"], deck=["statue 4", "tapestry 4"])
    other = position(3, hands={1: hands[1]}, crypt=[*crypt, "tapestry 4"], deck=["statue 3", "tapestry 1"])
    for viewer in (0, 2, WATCHER):
        assert one.sight(viewer).to_bytes() == other.sight(viewer).to_bytes()
    assert game.view(one, 0) == game.view(other, 0)
    assert one.sight(1).to_bytes() != other.sight(1).to_bytes()


# What the rest may be


class OpenDrawError(Exception):
    """A draw that is not written down: how many ways it can go."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


class BranchingRng(Rng):
    """Repeats draws, and then stops to say how many ways the next one can go."""

    def __init__(self, draws: Sequence[int]) -> None:
        self.draws = draws
        self.used = 0

    def below(self, bound: int) -> int:
        if self.used == len(self.draws):
            raise OpenDrawError(bound)
        self.used += 1
        return self.draws[self.used - 1]


World = tuple[str, ...]


def world(state: Crypt) -> World:
    """Every card in the order of drawing."""
    return tuple(card_text(state.kind[card], state.value[card]) for card in range(state.size))


def imagined(state: Crypt, seat: int) -> dict[World, Fraction]:
    """Every world that a seat can imagine, with its exact chance."""
    chances: dict[World, Fraction] = {}
    paths: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while paths:
        draws, chance = paths.pop()
        try:
            drawn = state.imagine(seat, BranchingRng(draws))
        except OpenDrawError as open_draw:
            paths += [((*draws, draw), chance / open_draw.bound) for draw in range(open_draw.bound)]
            continue
        assert isinstance(drawn, Crypt)
        chances[world(drawn)] = chances.get(world(drawn), Fraction(0)) + chance
    return chances


def cards_but(*left_out: str) -> list[str]:
    """All cards of two players but these."""
    return [card for card in (f"{kind} {value}" for kind in KINDS for value in range(1, 5)) if card not in left_out]


def test_every_way_to_lay_the_unseen_cards_is_equally_likely() -> None:
    """crypt.60: a hidden card of the crypt, the top card and two below, of three statues and one remains."""
    unseen = ["statue 4", "statue 2", "statue 1", "remains 1"]
    seen = cards_but(*unseen)
    hand = [*seen[:12], *(f"{card} hidden" for card in seen[12:18])]
    state = position(2, crypt=[*seen[18:20], unseen[0]], hands={0: hand}, deck=unseen[1:])
    chances = imagined(state, 0)
    tails = {world[20:] for world in chances}
    assert tails == {
        order for order in permutations(unseen) if order[0].startswith("statue") and order[1].startswith("statue")
    }
    assert set(chances.values()) == {Fraction(1, 12)}
    assert len(chances) == 12


def test_what_a_payment_gave_away_is_taken_into_account() -> None:
    """crypt.60, crypt.40: who pays turns the lowest hidden cards first, so the others can not be lower.

    Seat 1 turns two of four hidden remains; one more was discarded. Seat 0 imagines exactly those ways in which
    the same cards would have been turned, each as likely as the other.
    """

    hidden = ["remains 3", "remains 1", "remains 2", "remains 4", "remains 2"]
    actual = after_payment(hidden)
    assert [card.least for card in board(actual, 0).heirs[1].collection if card.value is None] == [3, 2]
    alike = {
        world(state)
        for state in map(after_payment, permutations(hidden))
        if state.sight(0).to_bytes() == actual.sight(0).to_bytes()
    }
    chances = imagined(actual, 0)
    assert set(chances) == alike
    assert set(chances.values()) == {Fraction(1, 4)}


def after_payment(hidden: Sequence[str]) -> Crypt:
    """A last round in which seat 1 paid with these remains: the first four are its own, the fifth was discarded."""
    state = position(
        3,
        crypt=["remains 3"],
        hands={
            0: ["statue 1 hidden", "pottery 1 hidden", "jewellery 1 hidden"],
            1: [f"{card} hidden" for card in hidden[:4]],
        },
        discards=[f"{hidden[4]} hidden"],
        tired={1: 1},
        last=True,
    )
    play(state, 1, "revive")
    return state


def test_nothing_is_imagined_where_all_is_known() -> None:
    """crypt.60: the owner of the paying cards has seen all but what follows from the rest."""
    state = after_payment(["remains 3", "remains 1", "remains 2", "remains 4", "remains 2"])
    assert imagined(state, 1) == {world(state): Fraction(1)}


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_an_imagined_position_looks_the_same(seats: int) -> None:
    """crypt.60: through a whole game, what a seat imagines has the cards of the box and the sight of the seat."""
    rng = FastRng(f"imagine {seats}")
    state = game.start(seats, {"collectors": "BBBBAB"}, rng)
    while state.waiting:
        assert isinstance(state, Crypt)
        for viewer in (*range(seats), WATCHER):
            drawn = state.imagine(viewer, rng)
            assert isinstance(drawn, Crypt)
            assert sorted(world(drawn)) == sorted(world(state))
            assert drawn.sight(viewer).to_bytes() == state.sight(viewer).to_bytes()
        seat, move = any_move(state, rng)
        state.play(seat, move, rng)
