"""All that a table's page shows to one viewer, as one plain struct, and nothing that it does not show. It is made of
what that viewer may know and has no language: the same data is drawn here and in a browser, by the same templates.

Templates are functions of `Shown`, of what the viewer was told, of the chat and of words. `page_context` puts these
together under the names that `docs/pages.md` lists; `client/runtime.ts` does the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polikarp.engine.game import View
from polikarp.engine.option import Option, OptionValue
from polikarp.engine.phrase import Arg, Phrase
from polikarp.web.photo import Photo
from polikarp.web.render import Speaker

CHAT_LINES = 50  # that a page shows


class Clock(msgspec.Struct, frozen=True):
    """Seconds of reserve, and the moment (seconds since 1970) at which the present decision is made for the seat."""

    reserve: float
    until: float | None


class SeatShown(msgspec.Struct, frozen=True, kw_only=True):
    """A seat as the page shows it. `status`: free, bot, present, away or held. `mine`: whoever reads this sits there;
    `shown`: the page shows this one's own place."""

    number: int
    colour: str
    shape: str
    emblem: str
    name: str
    status: str = "present"
    level: str = ""
    faction: str = ""
    muted: bool = False
    clock: Clock | None = None
    waiting: bool = False
    mine: bool = False
    shown: bool = False


class FactionShown(msgspec.Struct, frozen=True):
    """A faction that can be chosen, and the seat that chose it, if one did."""

    name: str
    colour: str
    shape: str
    emblem: str
    seat: int | None


class Setting(msgspec.Struct, frozen=True):
    """How an option of the game is set; `listed`: its value is one of those that the game names."""

    name: str
    value: str | bool
    listed: bool


class Ranked(msgspec.Struct, frozen=True):
    """A seat's place in a game that is over."""

    place: int
    seat: int
    score: int


class ChatLine(msgspec.Struct, frozen=True):
    name: str
    text: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A table for one viewer. What only the lobby shows is empty once the game is dealt."""

    table: str
    game: str
    stage: str
    seats: list[SeatShown]
    names: list[str]  # by seat, as sentences call them
    viewer: int = -1
    seat: int | None = None  # whose moves the page offers
    mine: list[int] = []
    owner: bool = False
    view: View | None = None
    winners: list[int] = []
    more: dict[str, Any] = {}  # `Game.shown`
    prompt_id: int = 0
    your_turn: bool = False
    can_undo: bool = False
    curtain: bool = False
    next: int | None = None  # of the reader's seats: the one that is to decide
    following: str = ""
    continued: bool = False
    replaying: bool = False
    options: dict[str, OptionValue] = {}
    log_lines: int | None = None  # how many the page shows; None: all
    photo: Photo | None = None
    # The lobby.
    secrets: bool = True
    code: str | None = None
    link: str = ""
    qr: str = ""
    commitment: str = ""
    stand_in: str = ""
    levels: list[str] = []
    factions: list[FactionShown] = []
    settings: list[Setting] = []
    # A game that was dealt under older rules.
    past: bool = False
    ranking: list[Ranked] = []
    rules: str = ""
    installed: str = ""


def settings_of(options: Sequence[Option], chosen: Mapping[str, OptionValue]) -> list[Setting]:
    """How a table is played, option by option."""
    return [Setting(one.name, written(chosen[one.name]), chosen[one.name] in one.choices) for one in options]


def written(value: OptionValue) -> str | bool:
    if isinstance(value, bool):
        return value
    return f"{value:g}" if isinstance(value, float) else str(value)


def plainly(data: Any) -> Any:
    """Data as a browser gets it."""
    return msgspec.json.decode(msgspec.json.encode(data))


def page_context(
    shown: Shown, told: Sequence[Phrase], chat: Sequence[ChatLine], speaker: Speaker, **around: Any
) -> dict[str, Any]:
    """What a template gets: plain data and words. `around`: what is the same on every page of the table, or only once
    on one."""
    plain = plainly(shown)
    view = plain["view"]
    return {
        **plain,
        "board": None if view is None else view["board"],
        "moves": [] if view is None else view["moves"],
        "over": shown.stage == "over",
        "log": log_lines(told, speaker, shown),
        "chat": plainly(chat[-CHAT_LINES:]),
        **speaker.functions(),
        **around,
    }


def log_lines(told: Sequence[Phrase], speaker: Speaker, shown: Shown) -> list[dict[str, Any]]:
    """What happened, the last first. Of what the game's words no longer know there is no more than its name: then it
    is not `known`."""
    last = len(told) - 1
    most = len(told) if shown.log_lines is None else shown.log_lines
    return [log_line(last - at, one, speaker, shown.past) for at, one in enumerate(told[::-1][:most])]


def log_line(number: int, told: Phrase, speaker: Speaker, past: bool) -> dict[str, Any]:
    said = speaker.sentence(told.key, told.args)
    return {
        "number": number,
        "kind": told.key,
        "args": plainly(told.args),
        "seat": seat_of(told.args),
        "known": said is not None and not past,
        "text": speaker.page("past_line", text=told.key) if said is None else said,
    }


def seat_of(args: Mapping[str, Arg]) -> int | None:
    seat = args.get("seat")
    return seat if isinstance(seat, int) else None
