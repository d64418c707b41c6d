"""What a store's tables hold, column by column, and how rows are put into columns and taken out again.

Both stores keep the same columns in the same order, so that a house can move from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from polikarp.store import ChatRow, StepRow, TableRow

COLUMNS = {
    "tables": ("id", "code", "game", "rules", "stage", "public", "version", "changed", "due", "body", "state"),
    "steps": ("table_id", "number", "seat", "move", "drawn", "events", "sealed", "at", "mark", "strip", "thoughts"),
    "chat": ("table_id", "number", "seat", "name", "text", "at"),
    "sitters": ("table_id", "person"),
    "servers": ("id", "beat", "gone"),
    "outages": ("began", "ended"),
    "house": ("name", "value"),
}

TABLE_LIST = ", ".join(COLUMNS["tables"])
STEP_LIST = ", ".join(COLUMNS["steps"])
CHAT_LIST = ", ".join(COLUMNS["chat"])

encode_drawn = msgspec.msgpack.Encoder().encode
decode_drawn = msgspec.msgpack.Decoder(list[int]).decode


def can_be_stored(text: str) -> bool:
    """Whether anything in a store can have this name: a name that somebody made up may be no text at all."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def row_values(row: TableRow) -> tuple[object, ...]:
    return msgspec.structs.astuple(row)


def step_values(table_id: str, step: StepRow) -> tuple[object, ...]:
    drawn = encode_drawn(step.drawn)
    told = (step.move, drawn, step.events, step.sealed, step.at, step.mark, step.strip, step.thoughts)
    return (table_id, step.number, step.seat, *told)


def chat_values(table_id: str, said: ChatRow) -> tuple[object, ...]:
    return (table_id, *msgspec.structs.astuple(said))


def make_row(values: Iterable[Any]) -> TableRow:
    id_, code, game, rules, stage, public, version, changed, due, body, state = values
    return TableRow(
        id=id_,
        code=code,
        game=game,
        rules=rules,
        stage=stage,
        public=bool(public),  # SQLite gives 0 or 1
        version=version,
        changed=changed,
        due=due,
        body=body,
        state=state,
    )


def make_step(values: Iterable[Any]) -> StepRow:
    _table_id, number, seat, move, drawn, events, sealed, at, mark, strip, thoughts = values
    return StepRow(
        number=number,
        seat=seat,
        move=move,
        drawn=decode_drawn(drawn),
        events=events,
        sealed=bool(sealed),
        at=at,
        mark=mark,
        strip=strip,
        thoughts=thoughts,
    )


def make_chat(values: Iterable[Any]) -> ChatRow:
    _table_id, number, seat, name, text, at = values
    return ChatRow(number=number, seat=seat, name=name, text=text, at=at)
