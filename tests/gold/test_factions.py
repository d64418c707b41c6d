"""Choosing a faction: everyone at a table has one of their own, and it is only a look (gold.6)."""

from __future__ import annotations

from typing import Any, cast

import pytest

from polikarp.engine.option import UsageError
from polikarp.engine.record import make_record, read_record, record_json, replay
from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table
from polikarp.games.gold import game
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.table.change import Moment
from polikarp.server.table.commands import Act
from polikarp.server.table.document import PLAYING, Document, Seat, faction_choices

ANA, BO = Person("ana", "Ana"), Person("bo", "Bo")


def open_table(seats: int = 4) -> Document:
    body = Document(
        game="gold", options={}, rules=game.rules, owner="ana", seats=[Seat() for _ in range(seats)], made=0.0,
        seed=bytes(32), commitment="",
    )  # fmt: skip
    act(body, ANA).sit(say.Sit(id="sit"))
    return body


def act(body: Document, who: Person) -> Act:
    """What somebody does, on the document itself."""
    moment = Moment(cast(Any, None), "table", body, game, None, 0, 0, set(), 0.0, [])
    made = Act(moment, who, "command", [])
    made.draft = body
    return made


def shown(body: Document) -> list[str]:
    return game.seat_factions(len(body.seats), faction_choices(body))


def test_who_sits_down_chooses_and_may_choose_again() -> None:
    body = open_table()
    assert shown(body) == ["dragons", "insects", "trolls", "beasts"], "nobody minds yet"
    act(body, BO).sit(say.Sit(id="bo", faction="dragons"))
    assert shown(body) == ["insects", "dragons", "trolls", "beasts"]
    act(body, ANA).choose_faction(say.ChooseFaction(id="a", seat=0, faction="undead"))
    act(body, BO).choose_faction(say.ChooseFaction(id="b", seat=1, faction="beasts"))
    assert shown(body) == ["undead", "beasts", "trolls", "dragons"]
    act(body, BO).leave(say.Leave(id="up"))
    assert shown(body) == ["undead", "insects", "trolls", "beasts"]


def test_nobody_chooses_what_another_has_chosen() -> None:
    body = open_table()
    act(body, BO).sit(say.Sit(id="bo", faction="dragons"))
    for refused in (say.Sit(id="more", faction="dragons"), say.Sit(id="more", faction="wolves")):
        with pytest.raises(Denied):
            act(body, BO).sit(refused)
    with pytest.raises(Denied) as taken:
        act(body, ANA).choose_faction(say.ChooseFaction(id="a", seat=0, faction="dragons"))
    assert taken.value.refusal.key == "faction_taken"
    with pytest.raises(UsageError):
        Table(game, 3, seed=1, factions=["dragons", "dragons"])
    for seats in game.seats:
        for chosen in (["demons", "", "dragons"], ["insects", "dragons"], ["trolls"]):
            factions = Table(game, seats, seed=1, factions=chosen).factions
            assert len(set(factions)) == seats


def test_once_the_game_goes_on_a_faction_stays() -> None:
    body = open_table()
    body.stage = PLAYING
    with pytest.raises(Denied) as late:
        act(body, ANA).choose_faction(say.ChooseFaction(id="a", seat=0, faction="undead"))
    assert late.value.refusal.key == "stage_playing"


def test_everybody_who_looks_sees_the_factions_that_were_chosen() -> None:
    """Whoever plays, and whoever replays the record."""
    table = Table(game, 3, seed=1, factions=["", "demons"])
    chance = FastRng("factions")
    while not table.over:
        table.play_move(table.waiting[0], table.state.pick(table.waiting[0], chance))
    again = replay(game, read_record(record_json(make_record(table, ["Ana", "Bo", "Ola"]))))
    for seen in (table, again):
        for seat in (None, 0, 1, 2):
            assert [player.faction for player in seen.view(seat).board.players] == ["dragons", "demons", "trolls"]
