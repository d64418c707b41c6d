"""How a page speaks over its socket: commands come as form fields, and what goes out is the story of its viewer."""

from __future__ import annotations

import msgspec

from polikarp.server import messages as say
from polikarp.server.connection import NOT_JSON, Connection
from polikarp.server.denied import Denied
from polikarp.web.story import Key, Stories, Story
from polikarp.web.table_page import command_of, small_number

BEAT = b'{"type":"beat"}'  # both sides say it: the connection holds


class Place(msgspec.Struct, frozen=True):
    """How far a page has come: in which story, and its last message there."""

    story: str = ""
    serial: int = -1


class PageHello(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The first message of a page. One of an older version of the site names no place."""

    seen: Place | None = None


class PageDialect:
    """One page's socket."""

    def __init__(self, stories: Stories, origin: str) -> None:
        self.stories = stories
        self.origin = origin
        self.chosen: int | None = None  # at one screen: whose eyes look
        self.place = Place()
        self.reading: tuple[Key, Story] | None = None
        self.outdated = False

    def greet(self, connection: Connection, text: str) -> None:
        seen = msgspec.json.decode(text, type=PageHello).seen
        self.outdated = seen is None
        self.place = seen or self.place
        if self.outdated:
            connection.refuse(None, Denied("old_page"), honest=True)

    def read(self, connection: Connection, text: str) -> say.Commands | None:
        """A form; or a wish to look behind the curtain, or to be told everything anew."""
        try:
            fields = msgspec.json.decode(text, type=dict[str, str])
        except NOT_JSON:
            raise Denied("malformed", {"text": "JSON"}, 422) from None
        kind = fields.get("type")
        if kind == "beat":
            connection.answer(BEAT)
        elif kind == "show":
            chosen = small_number(fields.get("seat"))
            if chosen != self.chosen and len(connection.viewers()) > 1:
                self.chosen = chosen
                connection.wake()
        elif kind == "again":
            self.place = Place()
            connection.wake()
        else:
            return command_of(fields)
        return None

    def show(self, connection: Connection) -> list[bytes]:
        """What the page lacks."""
        if self.outdated:
            return []
        story = self.turn_to(connection)
        if self.chosen is not None and story.viewer != self.chosen:
            self.chosen = None  # the curtain fell: whoever is next has to ask
            story = self.turn_to(connection)
        made = story.since(self.place.story, self.place.serial)
        self.place = Place(story.id, story.serial)
        return made

    def turn_to(self, connection: Connection) -> Story:
        """The story of whoever looks now."""
        before = self.reading
        self.reading = self.stories.read(connection.live, connection.person, self.chosen, self.origin)
        if before is not None:
            self.stories.leave(*before)
        return self.reading[1]

    def end(self) -> None:
        if self.reading is not None:
            self.stories.leave(*self.reading)
            self.reading = None
