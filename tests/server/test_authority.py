"""Who may do what at a table: seats, owners, and tokens that are for one seat."""

from __future__ import annotations

import pytest

from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.table import authority
from polikarp.server.table.document import DEALING, OPEN, PLAYING, Document, Seat

ANA, BO = Person("ana", "Ana"), Person("bo", "Bo")


def table() -> Document:
    """Ana owns it and has the seats 0 and 2; 1 is Bo's, 3 a bot's, 4 free."""
    seats = [Seat(person="ana"), Seat(person="bo", tokens=3), Seat(person="ana"), Seat(bot="random"), Seat()]
    return Document(game="crypt", options={}, rules="", owner="ana", seats=seats, made=0.0, seed=None, commitment="")


def token(seat: int, tokens: int = 3, at: str = "here", person: str = "bo") -> Person:
    return Person(person, "Bo", 0, at, seat, tokens)


def key_of(denied: pytest.ExceptionInfo[Denied]) -> tuple[str, int]:
    return denied.value.refusal.key, denied.value.status


def test_seats_are_their_persons_own() -> None:
    assert authority.seats_of_person("here", table(), ANA) == [0, 2]
    assert authority.seats_of_person("here", table(), BO) == [1]
    assert authority.seats_of_person("here", table(), None) == []


def test_a_token_is_for_its_seat_at_its_table_while_it_holds() -> None:
    assert authority.seats_of_person("here", table(), token(1)) == [1]
    for other in (token(0), token(1, tokens=2), token(1, tokens=4), token(1, at="there"), token(1, person="ana")):
        assert authority.seats_of_person("here", table(), other) == [], other
    several = table()
    several.seats[0].person = "bo"
    several.seats[0].tokens = 3
    assert authority.seats_of_person("here", several, token(1)) == [1], "of its person's seats only this one"


def test_a_seat_that_is_not_there_is_nobodys() -> None:
    assert authority.named_seat(table(), 4).free
    with pytest.raises(Denied) as denied:
        authority.named_seat(table(), 5)
    assert key_of(denied) == ("no_such_seat", 422)
    with pytest.raises(Denied) as denied:
        authority.own_seat("here", table(), ANA, 5)
    assert key_of(denied) == ("no_such_seat", 422)
    assert not authority.owns("here", table(), ANA, 5)


def test_who_acts_on_a_seat_has_it() -> None:
    document = table()
    assert authority.own_seat("here", document, BO, 1) is document.seats[1]
    for who, seat in ((ANA, 1), (BO, 0), (BO, 3), (BO, 4), (token(0), 0)):
        with pytest.raises(Denied) as denied:
            authority.own_seat("here", document, who, seat)
        assert key_of(denied) == ("not_your_seat", 403)


def test_a_token_owns_nothing() -> None:
    assert authority.is_owner(table(), ANA)
    assert not authority.is_owner(table(), BO)
    assert not authority.is_owner(table(), None)
    assert not authority.is_owner(table(), token(0, tokens=0, person="ana"))
    authority.need_person(ANA)
    with pytest.raises(Denied) as denied:
        authority.need_person(token(1))
    assert key_of(denied) == ("token_for_one_seat", 403)


def test_a_stage_that_is_wrong_is_named() -> None:
    document = table()
    authority.need_stage(document, OPEN)
    authority.need_stage(document, PLAYING, OPEN)
    with pytest.raises(Denied) as denied:
        authority.need_stage(document, PLAYING, DEALING)
    assert key_of(denied) == ("stage_open", 409)
