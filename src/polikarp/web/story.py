"""What happens on one viewer's page, change by change: a page that was sent once is kept up to date by what differs
(delta encoding). A story is made of that viewer's `Shown`, of what they were told and of the chat, and of nothing else.

Whoever sees the same shares a story: a hundred watchers cost one. Nothing piles up for a socket: it has a place in the
story, and one that fell too far behind begins anew.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from polikarp.engine.phrase import Phrase
from polikarp.engine.state import Cut, bit
from polikarp.server.identity import Person
from polikarp.server.logs import log
from polikarp.server.table.authority import is_owner
from polikarp.server.table.history import log_from, told
from polikarp.server.table.live import LiveTable
from polikarp.server.table.updates import stream_number
from polikarp.web.shown import Shown
from polikarp.web.table_page import LOG_LINES, TablePage

REMEMBERED = 64  # messages, for whoever lost the connection for a moment

JSON = msgspec.json.Encoder().encode


def changed(old: Any, new: Any) -> Any:
    """What makes new data of old: an object names the fields that changed, and of a list of the same length the places,
    or those that were added behind its end; `[x]` puts x there. None if nothing changed. The order of fields means
    nothing, and no field is a number at one time and a truth at another.
    """
    if type(old) is not type(new):
        return [new]
    if old == new:
        return None
    places: Iterable[tuple[Any, Any]]
    if isinstance(new, dict) and old.keys() == new.keys():
        places = new.items()
    elif isinstance(new, list) and len(old) == len(new):
        places = enumerate(new)
    elif isinstance(new, list) and old == new[: len(old)] and old:
        return {str(at): [new[at]] for at in range(len(old), len(new))}
    else:
        return [new]
    # Most of a page stays as it is: only what differs is looked into.
    fields = [(at, one) for at, one in places if one != old[at] or type(one) is not type(old[at])]
    return {str(at): changed(old[at], one) for at, one in fields}


def plain(data: Any) -> Any:
    """Data as a browser gets it."""
    return msgspec.to_builtins(data, str_keys=True)


class StoryPage(TablePage):
    """A table for one reader who has been told things already."""

    def __init__(self, story: Story) -> None:
        super().__init__(story.live, story.person, "", story.chosen, story.origin)
        self.story = story

    def told(self) -> list[Phrase]:
        return self.story.told

    def at_cut(self, cut: Cut, before: Shown, told: list[Phrase]) -> Shown:
        """A moment inside the last move. Around the game everything is as it was before; nobody can do anything."""
        table = self.live.table
        assert table is not None
        assert before.view is not None
        view = table.cut_view(cut, before.view)
        more = self.live.game.shown(view, told, self.played([]))
        return replace(before, view=view, more=more, your_turn=False, can_undo=False, next=None)


class Beat(NamedTuple):
    """A part of a step: what the viewer is told, and the page then."""

    told: list[Phrase]
    shown: Shown


class Story:
    """One viewer's page from some moment on. Messages are numbered (`serial`), and so are steps: those after which the
    viewer has something to see that happened in the game.
    """

    def __init__(self, live: LiveTable, person: Person | None, chosen: int | None, origin: str) -> None:
        self.live = live
        self.person = person
        self.chosen = chosen
        self.origin = origin
        self.serial = 0
        self.messages: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self.readers = 0
        self.begin()

    def begin(self) -> None:
        """The page as it is now, for whoever has nothing, or has another viewer's page."""
        self.id = secrets.token_hex(3)
        self.told: list[Phrase] = []
        self.entry = self.chat = self.step = 0
        page = StoryPage(self)
        self.viewer = page.viewer
        self.numbers = self.streams()
        self.step = sum(bool(told(entry, self.viewer)) for entry in self.live.history)
        self.hear()
        self.chat = len(self.live.chat)
        self.shown = page.shown()
        self.page = plain(self.shown)
        self.messages.clear()
        self.serial += 1

    def hear(self) -> None:
        """Take in what the viewer was told since the last time."""
        self.told += [Phrase(one.key, one.args) for one in log_from(self.live.history, self.viewer, self.entry)]
        self.entry = len(self.live.history)

    def start(self) -> bytes:
        """Everything, for a page that has nothing."""
        known = len(self.told)
        first = max(0, known - LOG_LINES)
        chat = self.live.chat[: self.chat]
        return JSON(
            {
                "type": "start",
                "story": self.id,
                "serial": self.serial,
                "step": self.step,
                "page": self.page,
                "told_from": first,
                "told": [[one.key, one.args] for one in self.told[first:]],
                "chat": [[row.name, row.text] for row in chat],
            }
        )

    def follow(self) -> None:
        """The table has changed. Whatever a game's own part does wrong there, the table goes on without it."""
        try:
            self.go_on()
        except Exception as mistake:
            log("error", mistake=mistake)

    def go_on(self) -> None:
        """What this viewer sees of a change becomes a message. Of a change that they can not see nothing is made, not
        even what else is new since the last one: it would tell that something was changed.
        """
        numbers = self.streams()
        if numbers == self.numbers and self.entry <= len(self.live.history):
            self.entry = len(self.live.history)
            return
        self.numbers = numbers
        page = StoryPage(self)
        if page.viewer != self.viewer or self.entry > len(self.live.history):
            self.begin()
            return
        steps = len(self.live.history) - self.entry
        beats = self.cut_beats(page) if steps == 1 else []
        known = len(self.told) + sum(len(beat.told) for beat in beats)
        self.hear()
        last = Beat(self.told[known:], page.shown())
        if steps:
            self.add_step(self.mover(), [*beats, last])
        elif difference := self.turn_to(last.shown):
            self.add({"type": "change", "page": difference})
        lines = self.live.chat[self.chat :]
        if lines:
            self.add({"type": "chat", "from": self.chat, "lines": [[row.name, row.text] for row in lines]})
            self.chat += len(lines)

    def cut_beats(self, page: StoryPage) -> list[Beat]:
        """What the viewer sees of the last move up to its last cut. A cut at which there is nothing new to see or to
        hear is none for this viewer.
        """
        beats: list[Beat] = []
        events, may = self.live.history[-1].events, bit(self.viewer)
        told, shown = self.told, self.shown
        for cut in self.live.cuts:
            heard = [Phrase(one.key, one.args) for one in events[: cut.told] if one.audience & may]
            fresh = heard[len(told) - len(self.told) :]
            told = [*self.told, *heard]
            then = page.at_cut(cut, self.shown, told)
            assert shown.view is not None
            assert then.view is not None
            if fresh or then.view.board != shown.view.board:
                beats.append(Beat(fresh, then))
                shown = then
        return beats

    def turn_to(self, shown: Shown) -> Any:
        """The page is another one from now on; says what differs."""
        before, self.shown, self.page = self.page, shown, plain(shown)
        return changed(before, self.page)

    def add_step(self, by: int | None, beats: list[Beat]) -> None:
        parts: list[dict[str, Any]] = []
        for beat in beats:
            told = {"told": [[one.key, one.args] for one in beat.told]} if beat.told else {}
            difference = self.turn_to(beat.shown)
            parts.append(told | ({"page": difference} if difference else {}))
        parts = [part for part in parts if part]
        if parts:
            self.step += 1
            mover = {"by": by} if by is not None and any("told" in part for part in parts) else {}
            whole = parts[0] if len(parts) == 1 else {"beats": parts}
            self.add({"type": "step", "step": self.step, **mover, **whole})

    def streams(self) -> list[int]:
        """How many changes the viewer could see, and those for whom they look."""
        document, mine = self.live.document, self.live.seats_of(self.person)
        return [stream_number(document, viewer) for viewer in (self.viewer, *mine)]

    def mover(self) -> int | None:
        """Whose step it was, if the viewer knows: of several who choose at once nobody is seen to be the last."""
        seat, view = self.live.history[-1].seat, self.page["view"]
        return seat if seat == self.viewer or (view is not None and view["waiting"] == [seat]) else None

    def add(self, message: dict[str, Any]) -> None:
        self.serial += 1
        self.messages.append((self.serial, JSON({**message, "serial": self.serial})))

    def since(self, story: str, serial: int) -> list[bytes]:
        """All that a page lacks which has come so far in a story."""
        first = self.messages[0][0] if self.messages else self.serial + 1
        if story != self.id or not first - 1 <= serial <= self.serial:
            return [self.start()]
        return [message for number, message in self.messages if number > serial]


class Key(NamedTuple):
    """Whoever has the same sees the same: watchers are nobody, whoever they are."""

    person: str
    mine: tuple[int, ...]
    owner: bool
    chosen: int | None
    origin: str


class Stories:
    """The stories that somebody reads, or read a moment ago."""

    def __init__(self) -> None:
        self.open: WeakKeyDictionary[LiveTable, dict[Key, Story]] = WeakKeyDictionary()

    def read(self, live: LiveTable, who: Person | None, chosen: int | None, origin: str) -> tuple[Key, Story]:
        """The story of somebody at a table, of which `leave` lets go."""
        mine, owner = tuple(live.seats_of(who)), is_owner(live.document, who)
        person = who if mine or owner else None
        key = Key("" if person is None else person.id, mine, owner, chosen, origin)
        told_here = self.open.setdefault(live, {})
        story = told_here.get(key)
        if story is None:
            story = told_here[key] = Story(live, person, chosen, origin)
            live.followers.add(story.follow)
        story.readers += 1
        return key, story

    def leave(self, key: Key, story: Story) -> None:
        """A line less. Whoever was the last may be back in a moment, and goes on where they were."""
        story.readers -= 1
        if not story.readers:
            house = story.live.house
            house.clock.call_later(house.limits.idle_seconds, self.drop, key, story)

    def drop(self, key: Key, story: Story) -> None:
        if not story.readers and self.open.get(story.live, {}).get(key) is story:
            story.live.followers.discard(story.follow)
            del self.open[story.live][key]
