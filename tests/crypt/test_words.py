"""Sentences of Crypt's words and rulebook that were or could be untrue, held against what the game does."""

from __future__ import annotations

import re

import pytest

from polikarp.engine.table import Table
from polikarp.engine.words import house_languages
from polikarp.games.crypt import game

from .positions import position

every_language = pytest.mark.parametrize("language", house_languages())
COLLECTOR = {"en": "unless somebody has used a collector since", "pl": "chyba że ktoś użył potem kolekcjonera"}


def rule(number: str, language: str) -> str:
    found = re.search(rf"^\*\*{re.escape(number)}\*\* (.*)$", game.rulebook(language), re.MULTILINE)
    assert found is not None
    return found[1]


def sending() -> Table:
    """Seat 0 has sent one group of a turn; seat 1 and seat 2 can pay collectors."""
    hands = {1: ["remains 1", "remains 2"], 2: ["manuscript 1"]}
    table = game.deal(seats=3, seed=1)
    table.state = position(3, side_b="manuscript", turn=0, hands=hands, tired={1: 1})
    table.play("send 1x2 at A", 0)
    return table


@every_language
@pytest.mark.parametrize(("seat", "move"), [(1, "revive"), (2, "look")])
def test_what_undo_promises_is_so(language: str, seat: int, move: str) -> None:
    """crypt.43B, crypt.45A: both show cards and can not be taken back, nor what was sent before them."""
    table = sending()
    assert table.can_undo(0)
    table.play(move, seat)
    assert not table.can_undo(0)
    assert table.view(0).prompt.key == "send_more"
    for key in ("help_send_more", "help_send_done"):
        assert COLLECTOR[language] in game.words(language).template("page", key)
    table.play("send 1x2 at B", 0)
    assert table.can_undo(0), "what was sent after it can still be taken back"


@every_language
def test_play_goes_clockwise_in_the_rulebook_too(language: str) -> None:
    """crypt.7, crypt.12: the next player sits to the left; who sits to the leader's right is the last."""
    right, clockwise = {"en": ("right", "clockwise"), "pl": ("praw", "zgodnie z ruchem wskazówek zegara")}[language]
    assert clockwise in rule("crypt.12", language)
    assert right not in rule("crypt.12", language)
    assert right in rule("crypt.7", language)
    state = position(4, leader=1)
    assert (state.heir_of_turn() + 3) % 4 == game.view(state, None).board.last


@every_language
def test_the_rulebook_tells_the_option_and_the_tie_as_they_are(language: str) -> None:
    """crypt.7: the option is named with its default. crypt.32: rolls are added to the score."""
    assert "`first`" in rule("crypt.7", language)
    assert "`random`" in rule("crypt.7", language)
    added = {"en": "add the sum to their score", "pl": "doliczają sumę do swojego wyniku"}[language]
    assert added in rule("crypt.32", language)
