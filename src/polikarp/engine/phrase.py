"""What the rules say to people, as data: a key and arguments. Words come later, in the reader's language."""

from __future__ import annotations

import msgspec

Arg = int | str | tuple[int, ...]


class Phrase(msgspec.Struct, frozen=True):
    """Something to be said: a key into a game's words, and what to fill in."""

    key: str
    args: dict[str, Arg] = {}


class Event(msgspec.Struct, frozen=True):
    """Something that happened, and who may know of it (a bit for each seat, and one for those who only watch)."""

    key: str
    args: dict[str, Arg]
    audience: int


class Refusal(msgspec.Struct, frozen=True):
    """Why a move can not be made: the number of the rule, and the numbers that make it so."""

    rule: str
    key: str
    args: dict[str, Arg] = {}


class Refused(Exception):
    """Raised by `play` for a move that is not legal. `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.key} ({refusal.rule}) {refusal.args}")
        self.refusal = refusal
