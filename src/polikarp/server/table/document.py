"""A table as it is stored between moves: its settings, who sits where, what was promised about chance.

All of it is plain data and goes into the store as one piece. What happens to it is beside this file.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from polikarp.engine.game import Result
from polikarp.engine.option import OptionValue

OPEN, DEALING, PLAYING, OVER, CLOSED, HALTED = "open", "dealing", "playing", "over", "closed", "halted"
HOUR = 3600.0
REMEMBERED = 32  # commands


class Pace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How fast a table is played: seconds for each decision, and a reserve for the whole game (live only)."""

    kind: Literal["none", "live", "relaxed"] = "none"
    seconds: Annotated[int, msgspec.Meta(ge=0, le=30 * 86400)] = 0
    reserve: Annotated[int, msgspec.Meta(ge=0, le=86400)] = 0


PACES = {"none": range(1), "live": range(5, 601), "relaxed": range(3600, 30 * 86400 + 1)}  # seconds that make sense


class TableSettings(msgspec.Struct, kw_only=True):
    """What the people of a table agree on. A new setting stands here, and in `WantedSettings` of the messages as
    something that may be asked for; `settings.py` beside this file says what is right for it.
    """

    options: dict[str, OptionValue]
    public: bool = False
    pace: Pace = Pace()
    stand_in: str = "random"  # the bot that plays for who is away
    absence: int = 0  # seconds after which it does; 0: never


class Seat(msgspec.Struct, kw_only=True):
    """One seat. It belongs to a person or to a bot; a person's seat may be held by a bot for a while."""

    person: str = ""  # the id of who sits here
    name: str = ""
    bot: str = ""  # the level of the bot that sits here
    held: str = ""  # the level of the bot that stands in for the person
    faction: str = ""  # the one that was chosen; empty: any that is left
    servers: list[str] = msgspec.field(default_factory=list, name="lines")  # through which the person is connected
    away: float | None = None  # since when there is no connection; None while there is one
    tokens: int = 0  # counts up when the tokens of this seat are to hold no longer
    commitment: str = ""  # to this seat's share in the chance
    share: str = ""  # the share itself, in hexadecimal, once it was revealed
    prompt: int = 0  # the number of the decision that the seat last saw
    number: int = 0  # the number of the seat's last update
    ticking: bool = False  # the game waits for this seat, and its clock runs
    asked: float = 0.0  # since when the game waits, or did when it last waited
    reserve: float = 0.0  # seconds left of the reserve
    asked_reserve: float = 0.0  # the same as of `asked`: all that others may see until the decision is shown

    @property
    def free(self) -> bool:
        return not self.person and not self.bot

    @property
    def player(self) -> str:
        """The level of the bot that plays this seat now, if one does."""
        return self.bot or self.held


class Document(TableSettings, kw_only=True):
    """A table without its moves."""

    game: str
    rules: str
    stage: str = OPEN
    owner: str = ""
    seats: list[Seat]
    made: float
    seed: bytes | None
    commitment: str
    code: str | None = None
    watch_number: int = 0  # the number of the last update for those who only watch
    deal_by: float | None = None  # shares that are not revealed by then do not count
    began: float | None = None
    barred: list[str] = []  # people who were sent away
    muted: list[str] = []
    marks: list[bytes] = []  # the last commands that were carried out, so that none is done twice (idempotency key)
    following: str = ""  # the id of the table at which the same people play again
    halted: str = ""  # why the table can not go on under the installed rules
    result: Result | None = None  # of a game that is over: rules that come later may not understand its last position
    imported: bool = False
    continued: bool = False  # from a moment of another game: the seed tells only the chance after it


def mark_of(person: str, command: str) -> bytes:
    """A short name for one command of one person."""
    return hashlib.sha256(f"{person} {command}".encode()).digest()[:9]


def draft_of(document: Document) -> Document:
    """A copy to be changed: seats and fields can be set; lists are replaced in it, never changed."""
    return replace(document, seats=[replace(seat) for seat in document.seats])


def faction_choices(document: Document) -> list[str]:
    """By seat: the faction that it chose, if it did."""
    return [seat.faction for seat in document.seats]


def seat_names(document: Document) -> list[str]:
    """What each seat is called."""
    return [seat.name or str(number + 1) for number, seat in enumerate(document.seats)]


def sitters(document: Document) -> list[str]:
    """The people who sit here."""
    return sorted({seat.person for seat in document.seats if seat.person})


def shares_of(document: Document) -> list[bytes]:
    """The shares that count, in the order of seats."""
    return [bytes.fromhex(seat.share) for seat in document.seats if seat.share]


def default_absence(pace: Pace) -> int:
    """How long somebody may be away before a bot stands in, where nobody said otherwise."""
    return {"none": 300, "live": 60, "relaxed": 0}[pace.kind]
