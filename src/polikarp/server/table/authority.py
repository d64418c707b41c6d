"""Who may do what at a table, and when. Each check raises `Denied` or gives what was asked for."""

from __future__ import annotations

from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.table.document import Document, Seat


def named_seat(document: Document, seat: int) -> Seat:
    if seat >= len(document.seats):
        raise Denied("no_such_seat", {"number": seat, "seats": len(document.seats)}, 422)
    return document.seats[seat]


def owns(table_id: str, document: Document, who: Person, seat: int) -> bool:
    """The seat is this person's, and a token for one seat is for this one and still holds."""
    if seat >= len(document.seats) or document.seats[seat].person != who.id:
        return False
    return not who.one_seat or (who.table, who.seat, who.tokens) == (table_id, seat, document.seats[seat].tokens)


def seats_of_person(table_id: str, document: Document, who: Person | None) -> list[int]:
    """The seats that are somebody's own."""
    if who is None:
        return []
    return [seat for seat in range(len(document.seats)) if owns(table_id, document, who, seat)]


def own_seat(table_id: str, document: Document, who: Person, seat: int) -> Seat:
    named = named_seat(document, seat)
    if not owns(table_id, document, who, seat):
        raise Denied("not_your_seat", {"number": seat}, 403)
    return named


def is_owner(document: Document, who: Person | None) -> bool:
    return who is not None and not who.one_seat and who.id == document.owner


def need_person(who: Person) -> None:
    """A token is for playing one seat, and for nothing else."""
    if who.one_seat:
        raise Denied("token_for_one_seat", status=403)


def need_stage(document: Document, *stages: str) -> None:
    if document.stage not in stages:
        raise Denied(f"stage_{document.stage}")
