"""Every command as a change of a table or a refusal, worked out in memory."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.limits import Limits, Rate
from polikarp.server.table.change import TableChange
from polikarp.server.table.commands import carried_out
from polikarp.server.table.document import DEALING, OPEN, OVER, PLAYING
from tests.server.moments import ANA, BO, CY, TableInMemory, a_house, key_of


def do(table: TableInMemory, who: Person, command: say.Commands, servers: list[str] | None = None) -> TableChange:
    return table.take(carried_out(table.moment(), who, command, servers or []))


def refused(table: TableInMemory, who: Person, command: say.Commands) -> str:
    before = table.document
    with pytest.raises(Denied) as denied:
        do(table, who, command)
    assert table.document is before
    return key_of(denied.value)


def crypt(*people: Person, seats: int = 3, **fields: Any) -> TableInMemory:
    return TableInMemory("crypt", seats, **fields).seat(*people)


def playing() -> TableInMemory:
    """Ana and Bo, in the middle of a game."""
    table = crypt(ANA, BO, seats=2)
    do(table, ANA, say.Start(id="start"))
    return table


def token(seat: int) -> Person:
    return Person(BO.id, BO.name, 0, "here", seat, 0)


def first_move(table: TableInMemory) -> tuple[Person, int, str]:
    seat = table.table.waiting[0]
    return (ANA, BO)[seat], seat, table.game.text(table.table.state.moves(seat)[0])


def test_somebody_sits_down_where_it_is_free() -> None:
    table = crypt(ANA)
    assert do(table, BO, say.Sit(id="1"), servers=["x"]).done == say.Done("1", 1)
    assert (table.document.seats[1].servers, table.document.seats[1].away) == (["x"], None)
    assert refused(table, CY, say.Sit(id="2", seat=1)) == "seat_taken"
    do(table, CY, say.Sit(id="3", name="Ana"))
    assert [seat.name for seat in table.document.seats] == ["Ana", "Bo", "Ana 2"]
    assert table.document.seats[2].away == table.house.clock.now(), "who has no connection is away"
    assert refused(table, CY, say.Sit(id="4")) == "table_full"
    assert refused(crypt(), token(0), say.Sit(id="5")) == "token_for_one_seat"


def test_only_the_owner_does_what_is_the_owners() -> None:
    commands: list[say.Commands] = [
        say.Start(id="1"),
        say.Kick(id="2", seat=0),
        say.AddBot(id="3"),
        say.Settings(id="4", public=True),
        say.Mute(id="5", seat=0),
    ]
    for command in commands:
        assert refused(crypt(ANA, BO), BO, command) == "not_the_owner", command
        own = Person(ANA.id, ANA.name, 0, "here", 0, 0)
        assert refused(crypt(ANA, BO), own, command) == "not_the_owner", "not even by a token of theirs"


def test_before_the_start_is_before_the_start() -> None:
    table = playing()
    for who, command in (
        (CY, say.Sit(id="1")),
        (ANA, say.Kick(id="2", seat=1)),
        (ANA, say.AddBot(id="3")),
        (ANA, say.Settings(id="4", public=True)),
        (ANA, say.Start(id="5")),
        (ANA, say.Commit(id="6", seat=0, commitment="0" * 64)),
    ):
        assert refused(table, who, command) == "stage_playing", command


def test_who_was_sent_away_does_not_come_back() -> None:
    table = crypt(ANA, BO, BO)
    tokens = table.document.seats[1].tokens
    do(table, ANA, say.Kick(id="1", seat=1))
    assert [seat.person for seat in table.document.seats] == ["ana", "", ""], "from all of their seats"
    assert table.document.seats[1].tokens == tokens + 1, "and tokens of the seat hold no longer"
    assert refused(table, BO, say.Sit(id="2")) == "barred"
    assert refused(table, ANA, say.Kick(id="3", seat=1)) == "seat_free"


def test_an_owner_who_leaves_is_followed_by_somebody_who_stays() -> None:
    table = crypt(ANA, BO)
    do(table, ANA, say.Leave(id="1"))
    assert (table.document.owner, table.document.seats[0].free) == ("bo", True)
    assert refused(table, ANA, say.Leave(id="2")) == "not_seated"
    started = playing()
    do(started, BO, say.Leave(id="3"))
    assert (started.document.seats[1].person, started.document.seats[1].held) == ("bo", "random")


def test_a_game_starts_when_all_seats_are_taken() -> None:
    table = crypt(ANA, BO)
    assert refused(table, ANA, say.Start(id="1")) == "seats_free"
    do(table, ANA, say.AddBot(id="2"))
    do(table, ANA, say.Start(id="3"))
    assert (table.document.stage, table.document.code) == (PLAYING, None)


def test_shares_are_shown_before_the_deal_and_fit_what_was_promised() -> None:
    table, share = crypt(ANA, BO, seats=2), "ab" * 32
    promise = hashlib.sha256(bytes.fromhex(share)).hexdigest()
    do(table, BO, say.Commit(id="1", seat=1, commitment=promise))
    assert refused(table, BO, say.Commit(id="2", seat=1, commitment=promise)) == "already_promised"
    assert refused(table, BO, say.Reveal(id="3", seat=1, share=share)) == "stage_open"
    do(table, ANA, say.Start(id="4"))
    assert (table.document.stage, table.document.deal_by) == (DEALING, table.house.clock.now() + 5)
    assert refused(table, BO, say.Reveal(id="5", seat=1, share="cd" * 32)) == "wrong_share"
    assert refused(table, ANA, say.Reveal(id="6", seat=1, share=share)) == "not_your_seat"
    do(table, BO, say.Reveal(id="7", seat=1, share=share))
    assert table.document.stage == PLAYING


def test_a_command_that_comes_again_is_carried_out_once() -> None:
    table = crypt(ANA)
    do(table, BO, say.Sit(id="same"))
    count = len(table.changes)
    assert do(table, BO, say.Sit(id="same")) == TableChange(done=say.Done("same"))
    assert len(table.changes) == count
    do(table, CY, say.Sit(id="same"))
    assert table.document.seats[2].person == "cy", "the same id of somebody else is another command"


def test_a_move_that_comes_again_is_made_once() -> None:
    table = playing()
    who, seat, text = first_move(table)
    move = say.Move(id="same", seat=seat, prompt=table.document.seats[seat].prompt, move=text)
    do(table, who, move)
    assert do(table, who, move) == TableChange(done=say.Done("same"))
    assert len(table.table.steps) == 1
    other = ANA if who is BO else BO
    assert refused(table, other, move) == "not_your_seat", "nobody learns that it was made"


def test_a_decision_is_about_what_its_seat_sees_now() -> None:
    table = playing()
    who, seat, text = first_move(table)
    prompt = table.document.seats[seat].prompt
    assert refused(table, who, say.Move(id="1", seat=seat, prompt=prompt - 1, move=text)) == "old_prompt"
    assert refused(table, who, say.Undo(id="2", seat=seat, prompt=prompt - 1)) == "old_prompt"
    assert refused(table, CY, say.Move(id="3", seat=seat, prompt=prompt, move=text)) == "not_your_seat"
    assert refused(table, who, say.Move(id="4", seat=seat, prompt=prompt, move="xyzzy")) == "not_a_move"
    assert refused(crypt(ANA), ANA, say.Move(id="5", seat=0, prompt=0, move=text)) == "stage_open"


def test_nothing_is_begun_while_the_server_stops() -> None:
    table = playing()
    table.house.draining = True
    who, seat, text = first_move(table)
    move = say.Move(id="1", seat=seat, prompt=table.document.seats[seat].prompt, move=text)
    assert refused(table, who, move) == "restarting"
    assert do(table, who, say.Why(id="2", seat=seat, move=text)).done == say.Done("2"), "asking is no beginning"


def test_a_seat_is_handed_over_by_its_person_or_by_the_owner_for_who_is_away() -> None:
    table = playing()
    table.document.seats[1].servers = ["x"]
    assert refused(table, BO, say.HandOver(id="1", seat=0)) == "not_the_owner"
    assert refused(table, ANA, say.HandOver(id="2", seat=1)) == "person_present"
    table.document.seats[1].servers = []
    do(table, ANA, say.HandOver(id="3", seat=1))
    assert table.document.seats[1].held == "random"
    assert refused(table, BO, say.HandOver(id="4", seat=1)) == "held_already"
    assert refused(table, ANA, say.TakeBack(id="5", seat=1)) == "not_your_seat"
    do(table, BO, say.TakeBack(id="6", seat=1))
    assert table.document.seats[1].held == ""


def test_who_may_chat_and_how_much() -> None:
    house = a_house(Limits(chatting=Rate(1.0, 2.0), chat_lines=4))
    table = crypt(ANA, BO, house=house)
    change = do(table, BO, say.Chat(id="1", text=" hello\nthere "))
    assert change.chat is not None
    assert (change.chat.seat, change.chat.name, change.chat.text) == (1, "Bo", "hello there")
    assert refused(table, CY, say.Chat(id="2", text="x")) == "not_seated"
    do(table, ANA, say.Mute(id="3", seat=1))
    assert refused(table, BO, say.Chat(id="4", text="x")) == "muted"
    do(table, ANA, say.Mute(id="5", seat=1, muted=False))
    do(table, BO, say.Chat(id="6", text="x"))
    assert refused(table, BO, say.Chat(id="7", text="x")) == "chat_too_fast"
    for number in range(2):
        do(table, ANA, say.Chat(id=f"8 {number}", text="x"))
    assert refused(table, ANA, say.Chat(id="9", text="x")) == "chat_full"


def test_a_token_is_made_by_the_seats_person_and_renewing_ends_earlier_ones() -> None:
    table = crypt(ANA, BO)
    made = do(table, BO, say.MakeToken(id="1", seat=1))
    assert made.document is None
    assert made.done is not None
    person = table.house.signer.read(made.done.token or "", "token", 0.0)
    assert person is not None
    assert (person.id, person.table, person.seat, person.tokens) == ("bo", "here", 1, 0)
    do(table, BO, say.MakeToken(id="2", seat=1, renew=True))
    assert table.document.seats[1].tokens == 1
    assert refused(table, ANA, say.MakeToken(id="3", seat=1)) == "not_your_seat"
    table.document.seats[1].tokens = 0
    assert refused(table, token(1), say.MakeToken(id="4", seat=1)) == "token_for_one_seat"


def test_a_rematch_has_the_same_people_and_there_is_one_only() -> None:
    table = playing()
    assert refused(table, ANA, say.Rematch(id="1")) == "stage_playing"
    table.document.stage = OVER
    assert refused(table, CY, say.Rematch(id="2")) == "not_seated"
    opens = do(table, BO, say.Rematch(id="3")).opens
    assert opens is not None
    assert ([seat.person for seat in opens.seats], opens.owner, opens.stage) == (["ana", "bo"], "ana", OPEN)
    table.document.following = "there"
    again = do(table, ANA, say.Rematch(id="4"))
    assert (again.done, again.opens) == (say.Done("4", table="there"), None)
