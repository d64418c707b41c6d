"""A table's parts as a store keeps them, and back (serialization). All packing is here."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.phrase import Event
from polikarp.engine.record import RecordedMove
from polikarp.engine.strip import Strip
from polikarp.engine.table import Step, Table
from polikarp.engine.thoughts import Thoughts
from polikarp.server.table.document import Document
from polikarp.store import StepRow, TableRow

PACK = msgspec.msgpack.Encoder().encode
DOCUMENT = msgspec.msgpack.Decoder(Document)
EVENTS = msgspec.msgpack.Decoder(list[Event])
STRIP = msgspec.msgpack.Decoder(Strip)
THOUGHTS = msgspec.msgpack.Decoder(Thoughts)


def table_row(
    table_id: str, version: int, document: Document, state: bytes | None, changed: float, due: float | None
) -> TableRow:
    return TableRow(
        id=table_id,
        code=document.code,
        game=document.game,
        rules=document.rules,
        stage=document.stage,
        public=document.public,
        version=version,
        changed=changed,
        due=due,
        body=PACK(document),
        state=state,
    )


def document_of(row: TableRow) -> Document:
    return DOCUMENT.decode(row.body)


def deal_row(table: Table, at: float) -> StepRow:
    """The deal is step 0."""
    events = PACK(table.dealt_events)
    return StepRow(number=0, seat=-1, move="", drawn=table.dealt, events=events, sealed=True, at=at, mark="")


def move_row(game: Game, number: int, step: Step, at: float, mark: str = "") -> StepRow:
    return StepRow(
        number=number,
        seat=step.seat,
        move=game.text(step.move),
        drawn=step.drawn,
        events=PACK(step.events),
        sealed=step.sealed,
        at=at,
        mark=mark,
        strip=None if step.strip is None else PACK(step.strip),
        thoughts=None if step.thoughts is None else PACK(step.thoughts),
    )


def undo_row(number: int, seat: int, at: float) -> StepRow:
    return StepRow(number=number, seat=seat, move=None, drawn=[], events=PACK([]), sealed=False, at=at, mark="")


def step_rows(table: Table, dealt: float, times: Sequence[float]) -> list[StepRow]:
    """The deal and the moves of a whole table; a time of -1 is not known."""
    moves = enumerate(zip(table.steps, times, strict=True), 1)
    return [deal_row(table, dealt), *(move_row(table.game, number, step, at) for number, (step, at) in moves)]


def events_of(row: StepRow) -> list[Event]:
    return EVENTS.decode(row.events)


def recorded_move(row: StepRow, began: float | None) -> RecordedMove:
    """A move as a record has it, whatever the rules."""
    at = None if row.at < 0 else max(0, round((row.at - (began or 0.0)) * 1000))
    strip = None if row.strip is None else STRIP.decode(row.strip)
    thoughts = None if row.thoughts is None else THOUGHTS.decode(row.thoughts)
    return RecordedMove(row.seat, row.move or "", row.drawn, at, strip, thoughts)


def step_of(game: Game, row: StepRow, began: float | None) -> Step:
    """A move as the engine's table has it."""
    kept = recorded_move(row, began)
    move = game.parse(kept.move)
    return Step(row.seat, move, row.drawn, events_of(row), row.sealed, None, kept.at, kept.strip, kept.thoughts)
