"""Bots as the engine knows them: a style rates what its seat knows, and plays on as it likes."""

from __future__ import annotations

import pytest

from polikarp.engine.bot import RatingStyle
from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.game import Game
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games import all_games
from tests.toys import Doors, Liking


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
