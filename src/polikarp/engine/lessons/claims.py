"""What a lesson says of a position: claims about the pupil's view, and patterns of moves.

A claim is a path into `Game.view(...)` and the value that must stand there: `board.crypt[0].holder` is 1. `[0]` counts,
`[B1]` finds a thing by its name or slot, `#` is a length, and the value `"none"` means that nothing is there.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import msgspec

from polikarp.engine.game import View

PATH = re.compile(r"[a-z_]+(?:\.[a-z_]+|\[\w+\])*#?")
PART = re.compile(r"[a-z_]+|\[\w+\]|#")
NAMED = ("name", "slot", "at")  # the fields by which a thing in a list is found
NOTHING = "none"


class Claim(NamedTuple):
    """What must stand at a path into the view; `line` is where a file says so."""

    path: str
    value: Any
    line: int = 0


class NoSuchPath(Exception):
    """A view has nothing at a path."""


def plain_view(view: View) -> Any:
    """A view as the JSON of the API has it."""
    return msgspec.json.decode(msgspec.json.encode(view))


def found(plain: Any, path: str) -> Any:
    """What stands at a path into a plain view."""
    at = plain
    for part in PART.findall(path):
        at = step(at, part, path)
    return at


def step(at: Any, part: str, path: str) -> Any:
    """One part of a path further."""
    if part == "#" and isinstance(at, list | dict | str):
        return len(at)
    key = part.strip("[]")
    if part.startswith("[") and isinstance(at, list):
        if key.isdecimal() and int(key) < len(at):
            return at[int(key)]
        for thing in at:
            if isinstance(thing, dict) and key in [thing.get(field) for field in NAMED]:
                return thing
    elif isinstance(at, dict) and key in at:
        return at[key]
    known = f"; there is: {', '.join(map(str, at))}" if isinstance(at, dict) else ""
    raise NoSuchPath(f"nothing is at {part} of {path}{known}")


def objection(plain: Any, claim: Claim) -> str | None:
    """What is true instead of a claim; None if it holds."""
    try:
        value = found(plain, claim.path)
    except NoSuchPath as mistake:
        return str(mistake)
    wanted = None if claim.value == NOTHING else claim.value
    if value == wanted and isinstance(value, bool) == isinstance(wanted, bool):
        return None
    return f"{claim.path} is {shown(value)}, the lesson says {shown(wanted)}"


def shown(value: Any) -> str:
    """A value as a lesson writes it."""
    return msgspec.json.encode(NOTHING if value is None else value).decode()


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A pattern of moves, or of roles: `*` stands for anything, `?` for one letter or digit."""
    marks = {"*": ".*", "?": r"\w"}
    return re.compile("".join(marks.get(letter) or re.escape(letter) for letter in text))


def fits(text: str, patterns: tuple[str, ...]) -> bool:
    return any(pattern(each).fullmatch(text) for each in patterns)
