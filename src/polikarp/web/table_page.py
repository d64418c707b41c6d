"""A table as a page: what is on it for one viewer, and the socket that keeps it up to date.

The page is made of plain forms, each a command. With the client they go through the socket and the page is patched;
without it they are sent as forms and the page is loaded again. Both render the very same table.
"""

from __future__ import annotations

import re
import secrets
from functools import lru_cache
from typing import Any

import msgspec
import segno
from msgspec.structs import replace
from starlette.websockets import WebSocket

from polikarp.bots import bot_levels
from polikarp.engine.game import Played, View
from polikarp.engine.phrase import Phrase
from polikarp.engine.state import WATCHER, seats_of
from polikarp.engine.strip import Finish, Strip
from polikarp.engine.table import Step
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.hall import Hall
from polikarp.server.identity import Person
from polikarp.server.lane import Lane
from polikarp.server.messages import LONGEST_ID, LONGEST_MOVE
from polikarp.server.seating import OPEN, PLAYING, faction_choices
from polikarp.server.showing import clock as seat_clock
from polikarp.server.showing import log_from, seat_info, stream_number
from polikarp.server.sockets import Connection, Stream
from polikarp.web.photo import photo_of
from polikarp.web.render import Speaker, fixed_data, look_of, render
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

RACE_LINES = 40  # of the log on a page that has to be patched in no time; the replay has them all
MOST_FIELDS = 100  # of a form
SEAL = 16  # letters of the commitment that are shown
LONGEST_LINK = 200  # letters that are drawn for a camera; a browser may say any name of this site
PART = re.compile(r"\(([^()]*)\)")


class PageMessage(msgspec.Struct, frozen=True, tag_field="type", tag="page"):
    """The table as it is now for one reader."""

    number: int
    lines: list[tuple[int, int] | str]  # of the HTML; a pair stands for a run of lines of the page sent before it
    track: str  # how far the game is, for the top bar
    title: str
    turn: bool  # it is the reader's


@lru_cache(maxsize=256)
def qr_code(text: str) -> str:
    """A picture that a phone's camera reads, as SVG."""
    drawn: str = segno.make(text, error="m").svg_inline(border=2, omitsize=True, lineclass="", svgclass="qr")
    return drawn


def changes(old: list[str], new: list[str]) -> list[tuple[int, int] | str]:
    """New lines, where runs of old ones are named by where they begin and end."""
    where = {line: number for number, line in enumerate(old)}
    made: list[tuple[int, int] | str] = []
    for line in new:
        last = made[-1] if made else ""
        if isinstance(last, tuple) and last[1] < len(old) and old[last[1]] == line:
            made[-1] = (last[0], last[1] + 1)
        elif line in where:
            made.append((where[line], where[line] + 1))
        else:
            made.append(line)
    return made


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


class TablePage:
    """Renders one table for one reader."""

    def __init__(
        self,
        lane: Lane,
        person: Person | None,
        language: str,
        chosen: int | None = None,
        origin: str = "",
        nonce: str = "",
    ) -> None:
        self.lane = lane
        self.person = person
        self.language = language
        self.origin = origin  # for links, where the site was not told its own address
        self.nonce = nonce or secrets.token_hex(4)  # so that a form is carried out once, however often it is sent
        self.names = lane.names()
        self.mine = lane.seats_of(person)
        truly = seats_of(lane.table.state.waiting) if lane.table is not None else []
        secret = lane.table is None or lane.game.secret(lane.table.state)
        self.viewer, self.curtain = viewer_of(self.mine, chosen, truly, secret)
        self.next = next((seat for seat in self.mine if seat in truly), None)
        self.acting = self.viewer  # whose moves the page offers
        self.together = len(self.mine) > 1 and not secret  # all of them look at it at once
        if self.together and self.next is not None:
            self.acting = self.next
        self.made: dict[str, Any] | None = None

    def view(self) -> View | None:
        table = self.lane.table
        if table is None:
            return None
        return table.view(None if self.acting == WATCHER else self.acting)

    def steps(self) -> list[Step]:
        """What was done so far."""
        return self.lane.table.steps if self.lane.table is not None else []

    def false_starts(self) -> list[Finish]:
        """Slaps that led to no race."""
        return list(self.lane.finish_line.void) if self.lane.finish_line is not None else []

    def played(self, strips: list[Strip]) -> Played:
        steps = self.steps()
        return Played(
            levels=[seat.player for seat in self.lane.body.seats],
            finishes=[*(finish for strip in strips for finish in strip.finishes), *self.false_starts()],
            milliseconds=steps[-1].at or 0 if steps else 0,
        )

    def shown(self) -> Shown:
        """All that the page shows."""
        lane, body, view = self.lane, self.lane.body, self.view()
        strips = [step.strip for step in self.steps() if step.strip is not None]
        acting = None if self.acting == WATCHER else self.acting
        shown = Shown(
            table=lane.id,
            game=lane.game.id,
            stage=body.stage,
            seats=[self.seat(number, view) for number in range(len(body.seats))],
            names=self.names,
            viewer=self.viewer,
            seat=acting,
            mine=self.mine,
            owner=self.person is not None and self.person.whole() and self.person.id == body.owner,
            view=view,
            winners=[] if view is None or view.result is None else view.result.winners,
            more={} if view is None else lane.game.shown(view, self.told(), self.played(strips)),
            prompt_id=0 if acting is None else body.seats[acting].prompt,
            your_turn=view is not None and self.acting in view.waiting,
            can_undo=self.can_undo(),
            curtain=self.curtain,
            next=self.next,
            following=body.following,
            continued=body.continued,
            options=body.options,
            log_lines=RACE_LINES if lane.finish_line is not None else None,
            photo=photo_of(strips[-1]) if strips else None,
        )
        if lane.past:
            return replace(shown, past=True, ranking=self.ranking(), rules=body.rules, installed=lane.game.rules)
        return shown if view is not None else self.with_lobby(shown)

    def can_undo(self) -> bool:
        table = self.lane.table
        playing = table is not None and self.lane.body.stage == PLAYING and self.acting != WATCHER
        return playing and table is not None and table.can_undo(self.acting)

    def with_lobby(self, shown: Shown) -> Shown:
        """What there is to see and to settle before the deal."""
        game, body = self.lane.game, self.lane.body
        opened = body.stage == OPEN
        return replace(
            shown,
            secrets=game.secrets,
            code=body.code,
            link=self.link(),
            qr=self.camera_code() if opened else "",
            commitment=body.commitment[:SEAL],
            stand_in=body.stand_in,
            levels=self.levels(),
            factions=self.factions() if opened else [],
            settings=settings_of(game.options, body.options),
        )

    def seat(self, number: int, view: View | None) -> SeatShown:
        lane = self.lane
        info = seat_info(lane.game, lane.body, number, None)
        clock = seat_clock(lane, number, self.viewer)
        look = look_of(lane.game, len(lane.body.seats), number, info.faction)
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
        sitting = [seat.player for seat in self.lane.body.seats if seat.player]
        return list(dict.fromkeys([*bot_levels(self.lane.game), *sitting]))

    def ranking(self) -> list[Ranked]:
        """Of a game that is over: the best first."""
        result = self.lane.body.result
        if result is None:
            return []
        seats = sorted(range(len(self.lane.body.seats)), key=lambda seat: (result.places[seat], seat))
        return [Ranked(result.places[seat], seat, result.scores[seat]) for seat in seats]

    def link(self) -> str:
        link = self.lane.hall.link(self.lane.id)
        return self.origin + link if link.startswith("/") else link

    def camera_code(self) -> str:
        link = self.link()
        return qr_code(link) if link.startswith("http") and len(link) <= LONGEST_LINK else ""

    def factions(self) -> list[FactionShown]:
        """What there is to choose from."""
        game, chosen = self.lane.game, faction_choices(self.lane.body)
        return [
            FactionShown(name, *look_of(game, len(chosen), 0, name), chosen.index(name) if name in chosen else None)
            for name in game.factions
        ]

    def told(self) -> list[Phrase]:
        """What the viewer was told, from the deal on."""
        return [Phrase(told.key, told.args) for told in log_from(self.lane, self.viewer, 0)]

    def chat(self) -> list[ChatLine]:
        return [ChatLine(line.name, line.text) for line in self.lane.chat]

    def speaker(self) -> Speaker:
        return Speaker(self.language, self.lane.game, self.names)

    def context(self) -> dict[str, Any]:
        """What the templates of this page get, made once for all parts of it."""
        if self.made is None:
            around = fixed_data(self.lane.game, len(self.lane.body.seats))
            self.made = page_context(
                self.shown(), self.told(), self.chat(), self.speaker(), **around, nonce=self.nonce, notice=""
            )
        return self.made

    def title(self) -> str:
        """What the tab says: a mark when it is the reader's turn, and nothing that a curtain hides."""
        name = self.lane.game.title(self.language)
        turn = self.turn() and not self.curtain
        return f"{'● ' if turn else ''}{name} · Polikarp"

    def turn(self) -> bool:
        return self.next is not None and self.lane.body.stage == PLAYING

    def html(self, notice: str = "") -> str:
        return render("table_live.html", self.lane.hall.games, **{**self.context(), "notice": notice})

    def track(self) -> str:
        """How far the game is."""
        return render("track.html", self.lane.hall.games, **self.context())


BEAT = b'{"type":"beat"}'  # both sides say it: the line holds


class PageConnection(Connection):
    """A page's socket: commands come as form fields, and what goes out is the page itself."""

    def __init__(self, websocket: WebSocket, hall: Hall, lane: Lane, person: Person | None, language: str) -> None:
        super().__init__(websocket, hall, lane, person, language)
        self.chosen: int | None = None
        self.nonce = secrets.token_hex(4)  # the client adds to it what makes each sending another
        self.sent: list[str] = []  # the lines of the page that the client has
        self.sent_for = WATCHER

    def page(self) -> TablePage:
        url = self.websocket.url
        origin = f"{'https' if url.scheme == 'wss' else 'http'}://{url.netloc}"
        return TablePage(self.lane, self.person, self.language, self.chosen, origin, self.nonce)

    def viewers(self) -> list[int]:
        """All of the person's seats: any of them may change what is shown or hidden."""
        return self.lane.seats_of(self.person) or [WATCHER]

    async def take(self, text: str | None) -> None:
        """A form, or a wish to look behind the curtain."""
        try:
            fields = msgspec.json.decode(text or "", type=dict[str, str])
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            self.refuse(None, Denied("malformed", {"text": "JSON"}, 422))
            return
        if fields.get("type") == "beat":
            self.answers.append(BEAT)
            self.news.set()
            return
        if fields.get("type") == "show":
            self.chosen = small_number(fields.get("seat"))
            self.streams.clear()
            self.wake()
            return
        try:
            command = command_of(fields)
        except Denied as denied:
            self.refuse(fields.get("id", "")[:LONGEST_ID] or None, denied)
            return
        await self.carry_out(command)

    def updates(self) -> list[bytes]:
        viewers = self.viewers()
        self.streams = {viewer: self.streams.get(viewer) or Stream() for viewer in viewers}
        changed = False
        for viewer, stream in self.streams.items():
            number = stream_number(self.lane.body, viewer)
            changed = changed or stream.number != number
            stream.number = number
        if not changed:
            return []
        page = self.page()
        if page.viewer != self.chosen and len(viewers) > 1:
            self.chosen = None  # the curtain fell: whoever is next has to ask
        number = stream_number(self.lane.body, page.viewer)
        old = self.sent if self.sent_for == page.viewer else []  # of another reader's page nothing is kept
        self.sent, self.sent_for = page.html().split("\n"), page.viewer
        lines = changes(old, self.sent)
        return [msgspec.json.encode(PageMessage(number, lines, page.track(), page.title(), page.turn()))]


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
