"""What happened at a table, step by step, and what of it each viewer was told. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polikarp.engine.phrase import Event
from polikarp.engine.state import State, bit
from polikarp.server import messages as say


class Entry(NamedTuple):
    """One step as the log tells it."""

    seat: int
    events: list[Event]
    undone: bool  # this takes back the step that told these events


def told(entry: Entry, viewer: int) -> list[say.Told]:
    """What a step tells one viewer."""
    may = bit(viewer)
    seen = [event for event in entry.events if event.audience & may]
    if not entry.undone:
        return [say.Told(event.key, event.args) for event in seen]
    if seen or viewer == entry.seat:
        return [say.Told("undone", {"seat": entry.seat, "events": len(seen)})]
    return []


def log_from(history: Sequence[Entry], viewer: int, entry: int) -> list[say.Told]:
    return [line for one in history[entry:] for line in told(one, viewer)]


def entry_after(history: Sequence[Entry], viewer: int, lines: int) -> int | None:
    """Where in the history a client goes on that has this many log lines; None if that fits nowhere."""
    counted = 0
    for at, entry in enumerate(history):
        if counted == lines:
            return at
        counted += len(told(entry, viewer))
    return len(history) if counted == lines else None


def shows(entry: Entry, viewer: int, before: State, after: State) -> bool:
    """Whether a viewer can see that a step happened: by what was told, or else by what there is to see."""
    return bool(told(entry, viewer)) or before.sight(viewer).to_bytes() != after.sight(viewer).to_bytes()
