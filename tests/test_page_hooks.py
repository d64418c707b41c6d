"""What games give their pages beyond the view: the moves as data, from which each can be put together again, made of
the view alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from polikarp.engine.game import Game, Played, View
from polikarp.games import all_games

GAMES = 12  # random ones of each kind


def crypt_moves(more: Any, view: View) -> Iterator[str]:
    yield from (act["move"] for act in more["acts"])
    sent = [move for move in view.moves if move.startswith("send ")]
    assert more["targets"] == sorted({move[-1] for move in sent})
    yield from sent


def gold_moves(more: Any, view: View) -> Iterator[str]:
    assert more["slots"] == sorted({move[-2:] for move in view.moves})
    assert more["cards"] == sorted({int(move.split()[1]) for move in view.moves})
    yield from view.moves


def melee_moves(more: Any, view: View) -> Iterator[str]:
    yield from (f"use {one['unit']} at {one['at']}" for one in more["uses"])
    yield from (f"{way['name']} {way['to']}" for way in more["ways"])
    yield from (one["move"] for one in (*more["picks"], *more["leads"]))
    for province, units in more["recruits"].items():
        yield from (f"recruit {unit} at {province}" for unit in units)
    for slot, values in more["offers"].items():
        yield from (f"offer {gold} at {slot}" for gold in values)
    for one in more["leads"]:
        assert one["move"] == f"lead {view.board.lords[one['seat']].colour}"
    assert set(more["units"]) == {unit for units in more["recruits"].values() for unit in units}
    words = ("pass", "done", "stop", "press", "withdraw", "bid", "stake", "name")
    yield from (move for move in view.moves if move.split()[0] in words)


OPTIONS: dict[str, dict[str, Any]] = {"melee": {"rules": "advanced"}}


def views(game: Game) -> Iterator[View]:
    """All views of some random games."""
    for seed in range(GAMES):
        chance = random.Random(seed)
        table = game.deal(seats=chance.choice(game.seats), seed=seed, **OPTIONS.get(game.id, {}))
        while not table.over:
            yield from (table.view(seat) for seat in (None, *range(table.seats)))
            seat = chance.choice(table.waiting)
            table.play(chance.choice(table.moves(seat)), seat)


@pytest.mark.parametrize(
    ("name", "moves_of"),
    [("crypt", crypt_moves), ("gold", gold_moves), ("melee", melee_moves)],
    ids=["crypt", "gold", "melee"],
)
def test_every_move_can_be_put_together_from_what_the_page_gets(
    name: str, moves_of: Callable[[Any, View], Iterator[str]]
) -> None:
    game = all_games()[name]
    for view in views(game):
        more = msgspec.json.decode(msgspec.json.encode(game.shown(view, [], Played([]))))
        assert sorted(moves_of(more, view)) == sorted(view.moves)


@pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))
def test_what_never_changes_is_plain_data(game: Game) -> None:
    for seats in game.seats:
        assert isinstance(msgspec.json.decode(msgspec.json.encode(game.page_data(seats))), dict)
