"""Bots as the engine knows them: a style rates what its seat knows, and plays on as it likes."""

from __future__ import annotations

import math

import pytest
from librt.vecs import vec

from polikarp.engine.bot import RatingStyle, Style
from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.game import Game
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat
from polikarp.games import all_games
from tests.toys import Doors, Liking, Toy


def test_a_rating_style_plays_on_as_it_likes_but_not_always() -> None:
    style, doors, rng = Liking(40, 7), Doors([0] * 40), FastRng(2)
    played = [style.play_on(doors, 0, rng) for _ in range(1000)]
    assert 900 < played.count(7) < 980
    assert len(set(played)) > 10


RATED = [game for game in all_games().values() if isinstance(game.style(), RatingStyle)]


@pytest.mark.parametrize("game", RATED, ids=lambda game: game.id)
def test_a_style_knows_no_more_than_its_seat(game: Game) -> None:
    """It rates the position, the seat's sight and what the seat imagines alike, and leaves them as they were."""
    style = game.style()
    assert isinstance(style, RatingStyle)
    for seats, options in all_settings(game):
        for number, state in enumerate(walk(Setting(game, seats, options, "style"))):
            if number % 4 or not state.waiting:
                continue
            seat = first_seat(state.waiting)
            rated = []
            for known in (state.sight(seat), state, state.imagine(seat, FastRng(number))):
                before = known.to_bytes()
                count = style.rate(known, seat)
                rated.append([(known.legal[at], style.ratings[at]) for at in range(count)])
                assert known.to_bytes() == before
            assert rated[0] == rated[1] == rated[2]
            assert [move for move, _ in rated[0]] == state.moves(seat)


class Standing(Style):
    """Knows how everybody stands."""

    def standing(self, state: State, seat: int) -> float:
        return [0.0, math.log(3), -math.inf][seat]


def test_how_everybody_stands_becomes_the_odds_of_winning() -> None:
    worth = vec[float]([9.0, 9.0, 9.0])
    Standing().weigh(Toy(3), worth)
    assert list(worth) == pytest.approx([0.25, 0.75, 0.0])


def test_a_rating_style_chooses_what_it_likes_best_and_the_first_of_equals() -> None:
    doors = Doors([0] * 9)
    assert Liking(9, 7).choose(doors, 0, FastRng(1)) == 7
    assert Liking(9, 0).choose(doors, 0, FastRng(1)) == 0
