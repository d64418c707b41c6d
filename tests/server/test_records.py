"""Replays of finished games, and tables that go on from a moment of one."""

from __future__ import annotations

import msgspec
import pytest

from polikarp.engine.record import Record, RecordError, make_record
from polikarp.engine.rng import FastRng
from polikarp.engine.state import WATCHER
from polikarp.engine.table import Table
from polikarp.games import all_games
from polikarp.server.records import NotingRng, Replay, continued, keep_factions
from polikarp.server.table.document import PLAYING
from polikarp.server.table.opening import new_document
from tests.server.moments import ANA

CRYPT = all_games()["crypt"]


def a_game() -> Table:
    """Of two, played at random to its end."""
    table, chance = Table(CRYPT, 2, {}, bytes(32)), FastRng("a game")
    while not table.over:
        seat = table.waiting[0]
        moves = table.state.moves(seat)
        table.play_move(seat, moves[chance.below(len(moves))])
    return table


PLAYED = a_game()
RECORD: Record = make_record(PLAYED, ["Ana", "Bo"])
REPLAY = Replay(CRYPT, RECORD)


def test_a_replay_has_every_position_from_the_deal_to_the_end() -> None:
    again = Table(CRYPT, 2, {}, bytes(32))
    assert REPLAY.last == len(PLAYED.steps) > 20
    for number, step in enumerate(PLAYED.steps):
        assert REPLAY.state(number).to_bytes() == again.state.to_bytes()
        again.play_move(step.seat, step.move)
    assert REPLAY.state(REPLAY.last).to_bytes() == PLAYED.state.to_bytes()
    assert REPLAY.state(10**6).to_bytes() == PLAYED.state.to_bytes()


def test_a_replay_shows_and_tells_what_each_may_know() -> None:
    for viewer in (0, 1, WATCHER):
        seat = None if viewer == WATCHER else viewer
        assert REPLAY.view(REPLAY.last, viewer) == PLAYED.view(seat)
        told = REPLAY.told(REPLAY.last, viewer)
        bit = 1 << viewer if viewer >= 0 else None
        assert all(bit is None or event.audience & bit for event in told)
        for at in (0, 5, REPLAY.last):
            assert told[: len(REPLAY.told(at, viewer))] == REPLAY.told(at, viewer), "nothing of what came later"
    assert len(REPLAY.told(0, WATCHER)) < len(REPLAY.told(REPLAY.last, WATCHER))


def test_the_bounds_of_all_draws_are_noted() -> None:
    bounds = REPLAY.bounds()
    assert len(bounds) == REPLAY.last + 1
    assert len(bounds[0]) == len(PLAYED.dealt)
    for noted, step in zip(bounds[1:], PLAYED.steps, strict=True):
        assert len(noted) == len(step.drawn)
        assert all(0 <= draw < bound for draw, bound in zip(step.drawn, noted, strict=True))
    rng = NotingRng([2])
    assert (rng.below(6), rng.bounds) == (2, [6])


def test_a_game_that_goes_on_has_one_person_and_bots() -> None:
    table = Table(CRYPT, 2, {}, bytes(32))
    document = continued(table, ANA, 1, 100.0)
    assert (document.stage, document.continued, document.owner, document.began) == (PLAYING, True, "ana", 100.0)
    bot, person = document.seats
    assert (bot.bot, bot.person) == (document.stand_in, "")
    assert (person.person, person.bot, person.away) == ("ana", "", 100.0)
    assert bot.name != person.name
    assert [seat.ticking for seat in document.seats] == [number in table.waiting for number in (0, 1)]
    assert [seat.prompt for seat in document.seats] == [1, 1]
    assert document.seed != bytes(32), "later chance is nobody's to know"


def test_factions_of_a_record_stay_with_their_seats() -> None:
    gold = all_games()["gold"]
    document = new_document(gold, {}, 2, 0.0)
    keep_factions(document, msgspec.structs.replace(RECORD, factions=["a", "b"]))
    assert [seat.faction for seat in document.seats] == ["a", "b"]


def test_a_record_that_does_not_hold_has_no_replay() -> None:
    forged = msgspec.structs.replace(RECORD, moves=RECORD.moves[1:])
    with pytest.raises(RecordError):
        Replay(CRYPT, forged)
