"""A table as a page: what is on it for one viewer, and what its forms mean.

The page is made of plain forms, each a command. With the client they go through the socket (`page_socket.py`) and the
browser draws the page; without it they are sent as forms and the page is loaded again. Both draw the very same table.
"""

from __future__ import annotations

import re
import secrets
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec
import segno
from msgspec.structs import replace

from polikarp.bots import bot_levels
from polikarp.engine.game import Played, View
from polikarp.engine.phrase import Phrase
from polikarp.engine.state import WATCHER, seats_of
from polikarp.engine.strip import Finish, Strip
from polikarp.engine.table import Step
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.messages import LONGEST_MOVE, SeatInfo
from polikarp.server.table.authority import is_owner
from polikarp.server.table.document import OPEN, PLAYING, Document, faction_choices
from polikarp.server.table.history import log_from
from polikarp.server.table.live import LiveTable
from polikarp.server.table.updates import can_undo, seat_info
from polikarp.server.table.updates import clock as seat_clock
from polikarp.web.photo import photo_of
from polikarp.web.render import Look, Speaker, fixed_data, look_of, render
from polikarp.web.shown import (
    ChatLine,
    Clock,
    FactionShown,
    Ranked,
    SeatShown,
    Shown,
    page_context,
    settings_of,
)

LOG_LINES, RACE_LINES = 500, 40  # of the log on a page: a whole game's, but where the page must change in no time
MOST_FIELDS = 100  # of a form
SEAL = 16  # letters of the commitment that are shown
LONGEST_LINK = 200  # letters that are drawn for a camera; a browser may say any name of this site
PART = re.compile(r"\(([^()]*)\)")


@lru_cache(maxsize=256)
def qr_code(text: str) -> str:
    """A picture that a phone's camera reads, as SVG."""
    drawn: str = segno.make(text, error="m").svg_inline(border=2, omitsize=True, lineclass="", svgclass="qr")
    return drawn


def viewer_of(mine: list[int], chosen: int | None, waiting: list[int], secret: bool) -> tuple[int, bool]:
    """Whose view a page shows, and whether a curtain hides it: where seats have secrets, people at one screen see one
    seat at a time."""
    if not mine:
        return WATCHER, False
    if len(mine) == 1 or not secret:
        return mine[0], False
    deciding = [seat for seat in mine if seat in waiting]
    if chosen in mine and (chosen in deciding or not deciding):
        assert chosen is not None
        return chosen, False
    return WATCHER, bool(deciding)


class Common(NamedTuple):
    """What all viewers of a table see alike, from one change to the next."""

    document: Document
    names: list[str]
    seats: list[SeatInfo]
    looks: list[Look]


MADE: WeakKeyDictionary[LiveTable, Common] = WeakKeyDictionary()


def common_to_all(live: LiveTable) -> Common:
    """Made once for all viewers: every change has a document of its own."""
    made = MADE.get(live)
    if made is None or made.document is not live.document:
        game, document = live.game, live.document
        numbers = range(len(document.seats))
        seats = [seat_info(game, document, number, None) for number in numbers]
        looks = [look_of(game, len(seats), number, seats[number].faction) for number in numbers]
        made = MADE[live] = Common(document, live.names(), seats, looks)
    return made


class TablePage:
    """Renders one table for one reader."""

    def __init__(
        self,
        live: LiveTable,
        person: Person | None,
        language: str,
        chosen: int | None = None,
        origin: str = "",
        nonce: str = "",
    ) -> None:
        self.live = live
        self.person = person
        self.language = language
        self.origin = origin  # for links, where the site was not told its own address
        self.nonce = nonce
        self.common = common_to_all(live)
        self.names = self.common.names
        self.mine = live.seats_of(person)
        truly = seats_of(live.table.state.waiting) if live.table is not None else []
        secret = live.table is None or live.game.secret(live.table.state)
        self.viewer, self.curtain = viewer_of(self.mine, chosen, truly, secret)
        self.next = next((seat for seat in self.mine if seat in truly), None)
        self.acting = self.viewer  # whose moves the page offers
        self.together = len(self.mine) > 1 and not secret  # all of them look at it at once
        if self.together and self.next is not None:
            self.acting = self.next
        self.made: dict[str, Any] | None = None

    def view(self) -> View | None:
        table = self.live.table
        if table is None:
            return None
        return table.view(None if self.acting == WATCHER else self.acting)

    def steps(self) -> list[Step]:
        """What was done so far."""
        return self.live.table.steps if self.live.table is not None else []

    def false_starts(self) -> list[Finish]:
        """Slaps that led to no race."""
        return list(self.live.referee.void) if self.live.referee is not None else []

    def played(self, strips: list[Strip]) -> Played:
        steps = self.steps()
        return Played(
            levels=[seat.player for seat in self.live.document.seats],
            finishes=[*(finish for strip in strips for finish in strip.finishes), *self.false_starts()],
            milliseconds=steps[-1].at or 0 if steps else 0,
        )

    def shown(self) -> Shown:
        """All that the page shows."""
        live, document, view = self.live, self.live.document, self.view()
        racing = live.referee is not None
        strips = [step.strip for step in self.steps() if step.strip is not None] if racing else []
        acting = None if self.acting == WATCHER else self.acting
        shown = Shown(
            table=live.id,
            game=live.game.id,
            stage=document.stage,
            seats=[self.seat(number, view) for number in range(len(document.seats))],
            names=self.names,
            viewer=self.viewer,
            seat=acting,
            mine=self.mine,
            owner=is_owner(document, self.person),
            view=view,
            winners=[] if view is None or view.result is None else view.result.winners,
            more={} if view is None else live.game.shown(view, self.told(), self.played(strips)),
            prompt_id=0 if acting is None else document.seats[acting].prompt,
            your_turn=view is not None and self.acting in view.waiting,
            can_undo=can_undo(live, self.acting),
            curtain=self.curtain,
            next=self.next,
            following=document.following,
            continued=document.continued,
            options=document.options,
            log_lines=RACE_LINES if racing else LOG_LINES,
            photo=photo_of(strips[-1]) if strips else None,
        )
        if live.past:
            rules = {"rules": document.rules, "installed": live.game.rules}
            return replace(shown, past=True, ranking=self.ranking(), log_lines=None, **rules)  # the log is all there is
        return shown if view is not None else self.with_lobby(shown)

    def with_lobby(self, shown: Shown) -> Shown:
        """What there is to see and to settle before the deal."""
        game, document = self.live.game, self.live.document
        opened = document.stage == OPEN
        return replace(
            shown,
            secrets=game.secrets,
            code=document.code,
            link=self.link(),
            qr=self.camera_code() if opened else "",
            commitment=document.commitment[:SEAL],
            stand_in=document.stand_in,
            levels=self.levels(),
            factions=self.factions() if opened else [],
            settings=settings_of(game.options, document.options),
        )

    def seat(self, number: int, view: View | None) -> SeatShown:
        info, look = self.common.seats[number], self.common.looks[number]
        clock = seat_clock(self.live, number, self.viewer)
        here = number in self.mine and info.status == "away"  # who reads this is here, line or not
        return SeatShown(
            number=number,
            colour=look.colour,
            shape=look.shape,
            emblem=look.emblem,
            name=info.name,
            status="present" if here else info.status,
            level=info.level,
            faction=info.faction,
            muted=info.muted,
            clock=None if clock is None else Clock(clock.reserve, clock.until),
            waiting=view is not None and number in view.waiting,
            mine=number in self.mine,
            shown=number == self.acting and not self.together,
        )

    def levels(self) -> list[str]:
        """The bots that can be seated here, and those that sit here by other names."""
        sitting = [seat.player for seat in self.live.document.seats if seat.player]
        return list(dict.fromkeys([*bot_levels(self.live.game), *sitting]))

    def ranking(self) -> list[Ranked]:
        """Of a game that is over: the best first."""
        result = self.live.document.result
        if result is None:
            return []
        seats = sorted(range(len(self.live.document.seats)), key=lambda seat: (result.places[seat], seat))
        return [Ranked(result.places[seat], seat, result.scores[seat]) for seat in seats]

    def link(self) -> str:
        link = self.live.house.link(self.live.id)
        return self.origin + link if link.startswith("/") else link

    def camera_code(self) -> str:
        link = self.link()
        return qr_code(link) if link.startswith("http") and len(link) <= LONGEST_LINK else ""

    def factions(self) -> list[FactionShown]:
        """What there is to choose from."""
        game, chosen = self.live.game, faction_choices(self.live.document)
        return [
            FactionShown(name, *look_of(game, len(chosen), 0, name), chosen.index(name) if name in chosen else None)
            for name in game.factions
        ]

    def told(self) -> list[Phrase]:
        """What the viewer was told, from the deal on."""
        return [Phrase(told.key, told.args) for told in log_from(self.live.history, self.viewer, 0)]

    def chat(self) -> list[ChatLine]:
        return [ChatLine(line.name, line.text) for line in self.live.chat]

    def speaker(self) -> Speaker:
        return Speaker(self.language, self.live.game, self.names)

    def context(self) -> dict[str, Any]:
        """What the templates of this page get, made once for all parts of it."""
        if self.made is None:
            around = fixed_data(self.live.game, len(self.live.document.seats))
            nonce = self.nonce or secrets.token_hex(4)  # so that a form is carried out once, however often it is sent
            self.made = page_context(
                self.shown(), self.told(), self.chat(), self.speaker(), **around, nonce=nonce, notice=""
            )
        return self.made

    def title(self) -> str:
        """What the tab says: a mark when it is the reader's turn, and nothing that a curtain hides."""
        name = self.live.game.title(self.language)
        turn = self.turn() and not self.curtain
        return f"{'● ' if turn else ''}{name} · Polikarp"

    def turn(self) -> bool:
        return self.next is not None and self.live.document.stage == PLAYING

    def html(self, notice: str = "") -> str:
        return render("table_live.html", self.live.house.games, **{**self.context(), "notice": notice})

    def track(self) -> str:
        """How far the game is."""
        return render("track.html", self.live.house.games, **self.context())


def small_number(text: str | None) -> int | None:
    """The number of a seat, or of seats, as a form or an address says it; None if it is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 3 else None


def command_of(fields: dict[str, str]) -> say.Commands:
    """The command that a form means. A move may be put together from the parts that were chosen."""
    if len(fields) > MOST_FIELDS:
        raise Denied("malformed", {"text": "form"}, 422)
    given = {name: value for name, value in fields.items() if value != ""}
    pattern = given.pop("pattern", None)
    if pattern is not None:
        parts = {name[5:]: given.pop(name) for name in list(given) if name.startswith("part_")}
        given["move"] = put_together(pattern, parts)
    try:
        made: say.Commands = msgspec.convert(given, say.Commands, strict=False)
        return made
    except msgspec.ValidationError as mistake:
        raise Denied("malformed", {"text": str(mistake)[:200]}, 422) from None


def put_together(pattern: str, parts: dict[str, str]) -> str:
    """A move out of a pattern such as `send (dice) at (slot)`. Parts are not looked into for further parts, and how
    long the move will be is known before it is made: what somebody sends never grows here.
    """
    pieces = PART.split(pattern) if len(pattern) <= LONGEST_MOVE else [pattern]
    pieces[1::2] = [parts.get(name, f"({name})") for name in pieces[1::2]]  # the names stand between texts
    if sum(len(piece) for piece in pieces) > LONGEST_MOVE:
        raise Denied("move_too_long", {"most": LONGEST_MOVE}, 422)
    return "".join(pieces)
