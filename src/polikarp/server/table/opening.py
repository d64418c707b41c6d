"""New tables: what one is before anybody sits down, and writing it down under an id and a short code."""

from __future__ import annotations

import secrets

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.table import commitment
from polikarp.server.house import House
from polikarp.server.table.change import Moment
from polikarp.server.table.document import HOUR, Document, Seat, sitters
from polikarp.server.table.due import OPEN_HOURS
from polikarp.server.table.rows import table_row
from polikarp.server.table.settings import checked_seats, refit
from polikarp.store import Change, CodeTaken, StepRow

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"  # none that are mistaken for each other, and no words
CODE_LENGTH = 6


def new_document(game: Game, options: dict[str, OptionValue], seats: int, now: float) -> Document:
    seed = secrets.token_bytes(32)
    return Document(
        game=game.id,
        options=options,
        rules=game.rules,
        seats=[Seat() for _ in range(seats)],
        made=now,
        seed=seed,
        commitment=commitment(seed),
    )


def same_again(moment: Moment) -> Document:
    """A table with the same people, bots and settings, as far as the installed rules know them."""
    old, game = moment.document, moment.game
    document = new_document(game, old.options, checked_seats(game, len(old.seats)), moment.now)
    document.public, document.pace, document.stand_in = old.public, old.pace, old.stand_in
    document.absence, document.owner, document.muted = old.absence, old.owner, old.muted
    for seat, before in zip(document.seats, old.seats, strict=True):
        seat.person, seat.name, seat.bot = before.person, before.name, before.bot
        seat.faction = before.faction
        seat.away = moment.now if seat.person else None
    refit(game, document)
    return document


async def open_table(house: House, document: Document) -> str:
    """Write a new table down, with a code that no other has; says its id."""
    table_id = secrets.token_urlsafe(16)
    now = house.clock.now()
    while True:
        document.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        row = table_row(table_id, 1, document, None, now, now + OPEN_HOURS * HOUR)
        try:
            await house.asked(house.store.commit(Change(row=row, sitters=sitters(document))))
            break
        except CodeTaken:
            continue
    house.counted.tables += 1
    return table_id


async def open_played(
    house: House, document: Document, state: bytes, steps: list[StepRow], people: list[str], due: float | None
) -> str:
    """Write down a table at which was played already; says its id."""
    table_id = secrets.token_urlsafe(16)
    row = table_row(table_id, 1, document, state, document.began or 0.0, due)
    await house.asked(house.store.commit(Change(row=row, steps=steps, sitters=people)))
    return table_id
