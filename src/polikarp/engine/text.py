"""A board as plain text, field by field: what a game shows until it has written a text of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polikarp.engine.words import Words, plain


def board_lines(board: object, words: Words, names: Sequence[str]) -> list[str]:
    """A line for each field; those with a value for every seat stand together, in a line for each seat."""
    fields: dict[str, Any] = msgspec.to_builtins(board)
    of_seats = [field for field, value in fields.items() if isinstance(value, list) and len(value) == len(names)]
    lines = [f"{label(field, words)}: {value_text(fields[field])}" for field in fields if field not in of_seats]
    for seat, name in enumerate(names if of_seats else ()):
        values = [f"{label(field, words)} {value_text(fields[field][seat])}" for field in of_seats]
        lines.append(f"  {name}: {' · '.join(values)}")
    return lines


def label(field: str, words: Words) -> str:
    return words.find("label", field) or plain(field)


def value_text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {value_text(each)}" for key, each in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(value_text(each) for each in value) or "–"
    return str(value)
