"""A table as a page: what is on it for one viewer, and the socket that keeps it up to date.

The page is made of plain forms, each a command. With the client they go through the socket and the page is patched;
without it they are sent as forms and the page is loaded again. Both render the very same table.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import segno
from markupsafe import Markup

from polikarp.bots import bot_levels
from polikarp.engine.game import Game, View
from polikarp.engine.phrase import Arg
from polikarp.engine.state import WATCHER, seats_of
from polikarp.engine.strip import Finish
from polikarp.engine.table import Step
from polikarp.server import messages as say
from polikarp.server.connection import NOT_JSON, Connection
from polikarp.server.denied import Denied, server_words
from polikarp.server.identity import Person
from polikarp.server.logs import log
from polikarp.server.messages import LONGEST_MOVE
from polikarp.server.table.authority import is_owner
from polikarp.server.table.document import OPEN, OVER, PLAYING, faction_choices
from polikarp.server.table.history import log_from
from polikarp.server.table.live import LiveTable
from polikarp.server.table.updates import can_undo, seat_info, stream_number
from polikarp.server.table.updates import clock as seat_clock
from polikarp.web.options import told_options
from polikarp.web.photo import photo_of
from polikarp.web.render import Speaker, look_of, render

RACE_LINES = 40  # of the log on a page that has to be patched in no time; the replay has them all
MOST_FIELDS = 100  # of a form
LONGEST_LINK = 200  # letters that are drawn for a camera; a browser may say any name of this site
PART = re.compile(r"\(([^()]*)\)")


class PageMessage(msgspec.Struct, frozen=True, tag_field="type", tag="page"):
    """The table as it is now for one reader."""

    number: int
    lines: list[tuple[int, int] | str]  # of the HTML; a pair stands for a run of lines of the page sent before it
    track: str  # how far the game is, for the top bar
    title: str
    turn: bool  # it is the reader's


class SeatLook(msgspec.Struct, frozen=True):
    """A seat as the page shows it."""

    number: int
    colour: str
    shape: str
    emblem: str
    faction: str  # as people call it
    info: say.SeatInfo
    waiting: bool
    mine: bool
    shown: bool  # the page shows this one's own place


class FactionLook(msgspec.Struct, frozen=True):
    """A faction that can be chosen, and the seat that chose it, if one did."""

    name: str
    title: str
    colour: str
    shape: str
    emblem: str
    seat: int | None


class Line(msgspec.Struct, frozen=True):
    """A sentence of the log, what it says as data, and the seat it is about, if it is about one. Of what the game's
    words no longer know there is no more than its name: then it is not `known`."""

    number: int
    text: str
    known: bool
    seat: int | None
    kind: str
    args: dict[str, Arg]


class TextLine(msgspec.Struct, frozen=True):
    """A line of the table as text: how far it is moved in, what stands before a colon, and the rest."""

    indent: int
    head: str
    text: str


class OfferedMove(msgspec.Struct, frozen=True):
    """A legal move: as it is written, as a button names it, and what it means, if the game says so."""

    move: str
    name: str
    help: str


class Lazily:
    """A list that is made when a template looks at it: only default parts do. What fails there is left out."""

    def __init__(self, make: Callable[[], Sequence[Any]]) -> None:
        self.make = make

    def __iter__(self) -> Iterator[Any]:
        try:
            return iter(self.make())
        except Exception as mistake:
            log("error", mistake=mistake)
            return iter(())


def text_lines(game: Game, view: View | None, speaker: Speaker) -> list[TextLine]:
    """The table as the game tells it in text."""
    lines = game.table_text(view, speaker.words(), speaker.names) if view is not None else []
    return [text_line(line) for line in lines if line.strip()]


def text_line(line: str) -> TextLine:
    head, colon, rest = line.strip().partition(": ")
    return TextLine(len(line) - len(line.lstrip()), head if colon else "", rest if colon else line.strip())


def offers(view: View | None, speaker: Speaker) -> list[OfferedMove]:
    """The legal moves."""
    find = speaker.words().find
    moves = view.moves if view is not None else []
    return [OfferedMove(move, speaker.move(move), find("help", move.split()[0]) or "") for move in moves]


def explained(game: Game, view: View | None, speaker: Speaker) -> list[str]:
    """What moves and things on the table do, as far as the game explains it."""
    helps = [*speaker.words().tables.get("help", {}).values()]
    return helps if view is None else [*helps, *game.explain(view, speaker.words())]


@lru_cache(maxsize=256)
def qr_code(text: str) -> Markup:
    """A picture that a phone's camera reads."""
    drawn: str = segno.make(text, error="m").svg_inline(border=2, omitsize=True, lineclass="", svgclass="qr")
    return Markup(drawn)


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
        lane: LiveTable,
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
        return list(self.lane.referee.void) if self.lane.referee is not None else []

    def context(self, notice: str = "") -> dict[str, Any]:
        lane, body = self.lane, self.lane.document
        view = self.view()
        speaker = Speaker(self.language, lane.game, self.names)
        waiting = view.waiting if view is not None else []
        steps = self.steps()
        strips = [step.strip for step in steps if step.strip is not None]
        return {
            "lane": lane,
            "body": body,
            "game": lane.game,
            "view": view,
            "board": view.board if view is not None else None,
            "moves": view.moves if view is not None else [],
            "viewer": self.viewer,
            "seat": None if self.acting == WATCHER else self.acting,
            "prompt_id": 0 if self.acting == WATCHER else body.seats[self.acting].prompt,
            "your_turn": self.acting in waiting,
            "prompt": self.prompt(view, speaker),
            "help": self.help(view, speaker),
            "curtain": self.curtain,
            "next": self.next,
            "mine": self.mine,
            "levels": {level: speaker.level(level) for level in self.levels()},
            "owner": is_owner(body, self.person),
            "seats": [self.seat_look(number, waiting, speaker) for number in range(len(body.seats))],
            "factions": self.faction_looks(speaker) if body.stage == OPEN else [],
            "can_undo": can_undo(lane, self.acting),
            "log": self.log(speaker),
            "log_lines": RACE_LINES if lane.referee is not None else None,
            "photo": None if not strips else photo_of(strips[-1]),
            "finishes": [*(finish for strip in strips for finish in strip.finishes), *self.false_starts()],
            "played": steps[-1].at or 0 if steps else 0,
            "chat": lane.chat,
            "over": body.stage == OVER,
            "past": lane.past,
            "ranking": self.ranking() if lane.past else [],
            "settings": told_options(lane.game, body.options, speaker) if view is None and not lane.past else [],
            "link": self.link(),
            "qr": self.camera_code() if body.stage == OPEN else "",
            "text": Lazily(lambda: text_lines(lane.game, view, speaker)),
            "offers": Lazily(lambda: offers(view, speaker)),
            "explained": Lazily(lambda: explained(lane.game, view, speaker)),
            "t": speaker.page,
            "w": speaker.of_game,
            "language": self.language,
            "notice": notice,
            "nonce": self.nonce,
        }

    def prompt(self, view: View | None, speaker: Speaker) -> str:
        """What to do now."""
        if view is None:
            return speaker.page(f"stage_{self.lane.document.stage}")
        return speaker.prompt(view.prompt.key, view.prompt.args)

    def help(self, view: View | None, speaker: Speaker) -> str:
        """A quiet line under the prompt."""
        if view is None:
            if self.lane.past:
                return speaker.page("past_help")
            return speaker.page("open_help") if self.lane.document.stage == OPEN else ""
        if view.prompt.key == "wait" and self.viewer == WATCHER:
            return speaker.page("watching")
        return speaker.help(view.prompt.key, view.prompt.args)

    def levels(self) -> list[str]:
        """The bots that can be seated here, and those that sit here by other names."""
        return [*bot_levels(self.lane.game), *(seat.player for seat in self.lane.document.seats if seat.player)]

    def ranking(self) -> list[tuple[int, int, int]]:
        """Of a game that is over: each seat's place, number and score, the best first."""
        result = self.lane.document.result
        if result is None:
            return []
        seats = range(len(self.lane.document.seats))
        return sorted((result.places[seat], seat, result.scores[seat]) for seat in seats)

    def link(self) -> str:
        link = self.lane.house.link(self.lane.id)
        return self.origin + link if link.startswith("/") else link

    def camera_code(self) -> str:
        link = self.link()
        return qr_code(link) if link.startswith("http") and len(link) <= LONGEST_LINK else ""

    def faction_looks(self, speaker: Speaker) -> list[FactionLook]:
        """What there is to choose from."""
        game, chosen = self.lane.game, faction_choices(self.lane.document)
        return [
            FactionLook(
                name,
                speaker.faction(name),
                *look_of(game, len(chosen), 0, name),
                chosen.index(name) if name in chosen else None,
            )
            for name in game.factions
        ]

    def seat_look(self, number: int, waiting: list[int], speaker: Speaker) -> SeatLook:
        lane = self.lane
        info = seat_info(lane.game, lane.document, number, seat_clock(lane, number, self.viewer))
        if number in self.mine and info.status == "away":
            info = msgspec.structs.replace(info, status="present")  # who reads this is here, line or not
        return SeatLook(
            number,
            *look_of(lane.game, len(lane.document.seats), number, info.faction),
            speaker.faction(info.faction) if info.faction else "",
            info,
            number in waiting,
            number in self.mine,
            number == self.acting and not self.together,
        )

    def told(self) -> list[say.Told]:
        """What the viewer was told, from the deal on."""
        return log_from(self.lane.history, self.viewer, 0)

    def log(self, speaker: Speaker) -> list[Line]:
        """What happened, the last first."""
        lines = []
        for number, told in enumerate(self.told()):
            seat = told.args.get("seat")
            text = self.sentence(told, speaker)
            known = text is not None and not self.lane.past
            text = speaker.page("past_line", text=told.key) if text is None else text
            lines.append(Line(number, text, known, seat if isinstance(seat, int) else None, told.key, told.args))
        return lines[::-1]

    def sentence(self, told: say.Told, speaker: Speaker) -> str | None:
        """A line of the log in words. What was told under older rules may have none any more."""
        if told.key == "undone":
            return server_words(self.language).say("event", "undone", told.args, speaker.names)
        try:
            return speaker.of_game("event", told.key, told.args)
        except (AssertionError, LookupError, TypeError, ValueError):
            return None

    def title(self) -> str:
        """What the tab says: a mark when it is the reader's turn, and nothing that a curtain hides."""
        name = self.lane.game.title(self.language)
        turn = self.turn() and not self.curtain
        return f"{'● ' if turn else ''}{name} · Polikarp"

    def turn(self) -> bool:
        return self.next is not None and self.lane.document.stage == PLAYING

    def shared(self) -> dict[str, Any]:
        """The context, made once for all parts of the page."""
        if self.made is None:
            self.made = self.context()
        return self.made

    def html(self, notice: str = "") -> str:
        return render("table_live.html", self.lane.house.games, **{**self.shared(), "notice": notice})

    def track(self) -> str:
        """How far the game is."""
        if self.lane.table is None:
            return ""
        return render("game_part.html", self.lane.house.games, **self.shared(), part="track.html")


BEAT = b'{"type":"beat"}'  # both sides say it: the line holds


class PageDialect:
    """How a page speaks over its socket: commands come as form fields, and what goes out is the page itself."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.chosen: int | None = None
        self.nonce = secrets.token_hex(4)  # the client adds to it what makes each sending another
        self.numbers: dict[int, int] = {}  # by viewer: of the last update that the page shows
        self.sent: list[str] = []  # the lines of the page that the client has
        self.sent_for = WATCHER

    def greet(self, connection: Connection, text: str) -> None:
        msgspec.json.decode(text, type=say.Hello)

    def read(self, connection: Connection, text: str) -> say.Commands | None:
        """A form, or a wish to look behind the curtain."""
        try:
            fields = msgspec.json.decode(text, type=dict[str, str])
        except NOT_JSON:
            raise Denied("malformed", {"text": "JSON"}, 422) from None
        if fields.get("type") == "beat":
            connection.answer(BEAT)
            return None
        if fields.get("type") == "show":
            self.chosen = small_number(fields.get("seat"))
            self.numbers.clear()
            connection.wake()
            return None
        return command_of(fields)

    def show(self, connection: Connection) -> list[bytes]:
        live, viewers = connection.live, connection.viewers()
        numbers = {viewer: stream_number(live.document, viewer) for viewer in viewers}
        if numbers == self.numbers:
            return []
        self.numbers = numbers
        page = TablePage(live, connection.person, connection.language, self.chosen, self.origin, self.nonce)
        if page.viewer != self.chosen and len(viewers) > 1:
            self.chosen = None  # the curtain fell: whoever is next has to ask
        number = stream_number(live.document, page.viewer)
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
