"""What clients and the server say to each other, as typed messages. `docs/api.md` describes them for people.

A client sends commands; each is answered by `done` or `refused`, with the command's own id. What happens at the
table comes as numbered updates, one stream for each seat (and one for those who only watch).
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from polikarp.engine.game import Result
from polikarp.engine.option import Option, OptionValue
from polikarp.engine.phrase import Arg
from polikarp.engine.strip import Strip
from polikarp.engine.thoughts import Thoughts
from polikarp.server.table.document import Pace, TableSettings

LONGEST_ID = 40  # letters, as all of these
Id = Annotated[
    str, msgspec.Meta(min_length=1, max_length=LONGEST_ID, description="the sender's own name for this message")
]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=15)]
LONGEST_MOVE = 2000
LONGEST_NAME = 200  # that is looked at; less of it is kept
Text = Annotated[str, msgspec.Meta(max_length=LONGEST_MOVE)]
Word = Annotated[str, msgspec.Meta(max_length=40)]
# A `$` alone would let a line's end pass.
Hex = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2}){16,32}$(?!\n)")]
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]


class WantedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a table as somebody asks for them: what is not named stays as it is, or as is usual."""

    seats: Annotated[int, msgspec.Meta(ge=1, le=16)] | None = None
    options: dict[Word, OptionValue] | None = None
    pace: Pace | None = None
    public: bool | None = None
    absence: Annotated[int, msgspec.Meta(ge=0, le=30 * 86400)] | None = None
    stand_in: Word | None = None


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    """Something that a client wants done at one table."""

    id: Id


class Sit(Command, frozen=True, tag="sit"):
    """Take a free seat: this one, or the first. People at one screen sit under names of their own. Where the game has
    factions, one of them can be chosen.
    """

    seat: SeatNumber | None = None
    name: Word = ""
    faction: Word = ""


class ChooseFaction(Command, frozen=True, tag="choose_faction"):
    """Before the start, choose another faction for one's seat; without one, any that is left."""

    seat: SeatNumber
    faction: Word = ""


class Leave(Command, frozen=True, tag="leave"):
    """Leave a seat, or all of one's seats. During a game a bot stands in."""

    seat: SeatNumber | None = None


class Kick(Command, frozen=True, tag="kick"):
    """Before the start, the owner empties a seat; whoever sat there can not sit down again."""

    seat: SeatNumber


class AddBot(Command, frozen=True, tag="add_bot"):
    """The owner seats a bot: on this seat, or on every free one."""

    seat: SeatNumber | None = None
    level: Word = ""


class Settings(WantedSettings, frozen=True, tag_field="type", tag="settings"):
    """Before the start, the owner changes what is named here."""

    id: Id


class Start(Command, frozen=True, tag="start"):
    """The owner starts the game; every seat must be taken."""


class Commit(Command, frozen=True, tag="commit"):
    """Before the start, promise a share in the chance: the SHA-256 of 16 to 32 secret bytes, in hexadecimal."""

    seat: SeatNumber
    commitment: Digest


class Reveal(Command, frozen=True, tag="reveal"):
    """While the table is `dealing`, show the share that was promised."""

    seat: SeatNumber
    share: Hex


class Move(Command, frozen=True, tag="move"):
    """Make a move, in the game's notation, for the prompt that was seen."""

    seat: SeatNumber
    prompt: int
    move: Text


class Slap(Command, frozen=True, tag="slap"):
    """Where the first counts: a hand on a target. `round` and `card` are the newest that the client has shown,
    `claimed` is the time since it showed that card, in milliseconds.
    """

    table: Word
    seat: SeatNumber
    target: Annotated[int, msgspec.Meta(ge=0, le=15)]
    round: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    card: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    claimed: float | None = None


class Undo(Command, frozen=True, tag="undo"):
    """Take back one's own last step, if it showed and drew nothing and nobody has answered it."""

    seat: SeatNumber
    prompt: int


class Why(Command, frozen=True, tag="why"):
    """Ask why a move can not be made now. Changes nothing."""

    seat: SeatNumber
    move: Text


class HandOver(Command, frozen=True, tag="hand_over"):
    """Let a bot stand in: for one's own seat, or, as the owner, for that of somebody who is away."""

    seat: SeatNumber


class TakeBack(Command, frozen=True, tag="take_back"):
    """Play one's seat oneself again. Making a move does the same."""

    seat: SeatNumber


class Chat(Command, frozen=True, tag="chat"):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class Mute(Command, frozen=True, tag="mute"):
    """The owner decides whether a seat's person may chat."""

    seat: SeatNumber
    muted: bool = True


class Rematch(Command, frozen=True, tag="rematch"):
    """After the end, or where new rules halted the game, open a table with the same people, bots and settings."""


class MakeToken(Command, frozen=True, tag="make_token"):
    """A token with which a program can play one's seat at this table. `renew` ends all earlier ones."""

    seat: SeatNumber
    renew: bool = False


Commands = (
    Sit
    | ChooseFaction
    | Leave
    | Kick
    | AddBot
    | Settings
    | Start
    | Commit
    | Reveal
    | Move
    | Slap
    | Undo
    | Why
    | HandOver
    | TakeBack
    | Chat
    | Mute
    | Rematch
    | MakeToken
)


class Cursor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of a stream a client has already: the number of its last update, and the lengths of log and chat."""

    seat: SeatNumber | None = None
    number: int = 0
    log: Annotated[int, msgspec.Meta(ge=0)] = 0
    chat: Annotated[int, msgspec.Meta(ge=0)] = 0


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="hello"):
    """The first message on a socket: what the client has already, if it was here before."""

    seen: Annotated[list[Cursor], msgspec.Meta(max_length=17)] = []


class Ping(msgspec.Struct, frozen=True, tag_field="type", tag="ping"):
    """Where the first counts: the server measures the line. To be answered at once, with the same nonce."""

    nonce: str


class Pong(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="pong"):
    """The answer to a ping."""

    nonce: Word


class Reason(msgspec.Struct, frozen=True):
    """Why something was refused: a rule's number where a rule is the reason, a key with arguments, and a sentence."""

    key: str
    rule: str
    args: dict[str, Arg]
    text: str


class Done(msgspec.Struct, frozen=True, tag_field="type", tag="done", omit_defaults=True):
    """A command was carried out, and is stored. Some commands answer with a seat, a table or a token."""

    id: str
    seat: int | None = None
    table: str | None = None
    token: str | None = None
    reason: Reason | None = None


class Refused(msgspec.Struct, frozen=True, tag_field="type", tag="refused"):
    """A command was not carried out; nothing has changed."""

    id: str | None
    reason: Reason


class Restarting(msgspec.Struct, frozen=True, tag_field="type", tag="restarting"):
    """The server stops: connect again after this many seconds."""

    seconds: float


class Clock(msgspec.Struct, frozen=True):
    """Seconds of reserve, and the moment (seconds since 1970) at which the present decision is made for the seat."""

    reserve: float
    until: float | None


class SeatInfo(msgspec.Struct, frozen=True):
    """A seat as everybody sees it. `status`: free, bot, present, away, or held (a bot stands in). `faction`: empty
    while the seat is free, and where the game has none.
    """

    name: str
    status: str
    level: str
    faction: str
    owner: bool
    muted: bool
    committed: bool
    revealed: bool
    clock: Clock | None


class TableInfo(TableSettings, kw_only=True):
    """A table without its game: what everybody there may know."""

    id: str
    code: str | None
    link: str
    game: str
    rules: str
    stage: str
    commitment: str
    seats: list[SeatInfo]
    following: str
    halted: str


class You(msgspec.Struct, frozen=True):
    """Who the reader is at this table."""

    name: str
    owner: bool
    seats: list[int]


class Told(msgspec.Struct, frozen=True):
    """A line of the log: a key with arguments, for the game's words. `undone` is the server's own: the last
    `events` lines before it were taken back."""

    key: str
    args: dict[str, Arg]


class ChatLine(msgspec.Struct, frozen=True):
    seat: int | None
    name: str
    text: str
    at: float


class Update(msgspec.Struct, frozen=True, tag_field="type", tag="update"):
    """Everything new in one stream. `log` goes after the first `log_from` lines, `chat` likewise; the rest replaces
    what was there. `view` is null before the deal; `can_undo`: the seat may take back its last step; `strip`: the
    photo of the last race."""

    seat: int | None
    number: int
    prompt: int
    now: float | None
    you: You
    table: msgspec.Raw  # a TableInfo
    view: msgspec.Raw
    can_undo: bool
    log_from: int
    log: list[Told]
    chat_from: int
    chat: list[ChatLine]
    strip: Strip | None


class Listed(msgspec.Struct, frozen=True):
    """A table in a list. `yours`: the seats of the reader; `your_turn`: the game waits for one of them; `following`:
    the table at which the same people play again."""

    id: str
    code: str | None
    link: str
    game: str
    options: dict[str, OptionValue]
    stage: str
    pace: Pace
    seats: list[SeatInfo]
    waiting: list[int]
    yours: list[int]
    your_turn: bool
    made: float
    following: str


class NewTable(WantedSettings, frozen=True):
    """What a new table is to be. The maker owns it, and sits on the first seat unless `sit` is off."""

    game: Word
    sit: bool = True


class Made(msgspec.Struct, frozen=True):
    """A table that now exists."""

    table: str
    link: str
    code: str | None


class Me(msgspec.Struct, frozen=True):
    """Who the server takes the client for."""

    name: str
    table: str | None = None  # set for a token that holds for one seat only
    seat: int | None = None


class NewName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]


class SeatRecord(msgspec.Struct, frozen=True):
    """A running game as far as one seat (or a watcher) may know it."""

    game: str
    rules: str
    options: dict[str, OptionValue]
    players: list[str]
    commitment: str
    seat: int | None
    moves: list[str]  # the seat's own
    log: list[Told]
    view: msgspec.Raw
    result: Result | None = None


class GameInfo(msgspec.Struct, frozen=True):
    """A game that can be played here."""

    id: str
    rules: str
    title: dict[str, str]
    tagline: dict[str, str]
    seats: list[int]
    bots: list[str]
    options: list[Option]
    factions: list[str]


class Replayed(msgspec.Struct, frozen=True):
    """A moment of a finished game, as one seat (or a watcher) saw it."""

    moves: list[str]
    at: int
    of: int
    seat: int | None
    log: list[Told]
    view: msgspec.Raw
    strip: Strip | None
    thoughts: Thoughts | None


class Snapshot(msgspec.Struct, frozen=True):
    """A table now: an update for each of the reader's seats, or one for a watcher."""

    updates: list[Update]
