"""One client's socket at one table: its commands come in, answers and news go out.

What commands look like and what news is made of is the `Dialect`'s: programs speak JSON (`JsonDialect`), pages have
their own. News is made when the socket can take it, out of what the table is then: a client that reads slowly gets less
often and more at once, and nothing piles up for it here.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any, Protocol

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from polikarp.engine.state import WATCHER
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.limits import Bucket
from polikarp.server.logs import log
from polikarp.server.race.latency import Latency, Packets, Pings, packets_told
from polikarp.server.table.document import CLOSED, HALTED, OVER
from polikarp.server.table.history import entry_after
from polikarp.server.table.live import LiveTable
from polikarp.server.table.updates import stream_number, update

FIRST_PINGS, FIRST_PAUSE, PING_PAUSE = 10, 0.1, 0.7  # how often a line is measured, with seconds between

BAD_HELLO, TOO_FAST, TOO_SLOW, RESTART, TRY_AGAIN = 4400, 4429, 4408, 1012, 1013  # how a socket is closed

NOT_JSON = (msgspec.DecodeError, RecursionError, UnicodeError)
DECODE_COMMAND = msgspec.json.Decoder(say.Commands).decode
DECODE_PONG = msgspec.json.Decoder(say.Pong).decode
JSON = msgspec.json.Encoder().encode


class Dialect(Protocol):
    """How one kind of client speaks."""

    def greet(self, connection: Connection, text: str) -> None:
        """The first message: what the client has already. Raises one of `NOT_JSON`."""

    def read(self, connection: Connection, text: str) -> say.Commands | None:
        """The command that a message is; None if it is something else, and seen to. Raises `Denied`."""

    def show(self, connection: Connection) -> list[bytes]:
        """What is new at the table, as of now."""

    def end(self) -> None:
        """The connection is no more."""


class Connection:
    """One socket: a viewer of its table."""

    def __init__(
        self,
        websocket: WebSocket,
        house: House,
        live: LiveTable,
        person: Person | None,
        address: str,
        language: str,
        dialect: Dialect,
    ) -> None:
        clock, limits = house.clock, house.limits
        self.websocket = websocket
        self.house = house
        self.live = live
        self.person = person
        self.address = address
        self.language = language
        self.dialect = dialect
        self.answers: deque[bytes] = deque()
        self.news = asyncio.Event()
        self.leaving = False
        self.strikes = 0
        self.waiting_since: float | None = None  # for the client to take a message
        self.sending: asyncio.Task[None] | None = None
        self.bucket = Bucket(limits.messages, clock)
        # Where the first counts:
        self.since = self.clock()
        self.screen = secrets.token_hex(4)
        self.latency = Latency()
        self.pings = Pings()
        self.pongs = Bucket(limits.pongs, clock)
        self.slaps = Bucket(limits.slaps, clock)
        self.packets = kernel_of(websocket, house.round_trip_header)
        self.held_until = 0.0  # nothing new is shown before that

    def clock(self) -> float:
        """Milliseconds."""
        return self.house.clock.monotonic() * 1000

    def wake(self) -> None:
        """Something may be new at the table."""
        self.news.set()

    def farewell(self) -> None:
        """The server stops."""
        self.leaving = True
        self.news.set()

    async def run(self) -> None:
        """From the greeting to the end of the connection."""
        hello = await self.greeting()
        if hello is None:
            return
        await self.live.arrive(self)
        try:
            self.dialect.greet(self, hello)
        except NOT_JSON:
            self.live.presence.viewers.discard(self)
            await self.close(BAD_HELLO, "hello")
            return
        self.since = self.clock()
        tasks = []
        if self.live.referee is not None:
            self.held_until = self.live.referee.shown
            note_arrivals = (self.websocket.scope.get("state") or {}).get("note_arrivals")
            if note_arrivals is not None:
                note_arrivals()
            tasks.append(asyncio.create_task(self.measure()))
        self.sending = asyncio.create_task(self.send())
        tasks += [asyncio.create_task(self.read()), self.sending]
        try:
            if self.person is not None and self.live.seats_of(self.person):
                await self.live.note_presence(self.person, here=True)
            self.wake()
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.live.presence.viewers.discard(self)
            self.dialect.end()
            self.live.used = self.house.clock.now()
            for task in tasks:
                task.cancel()
            for end in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(end, Exception):
                    log("error", mistake=end)
            if self.person is not None and not self.house.draining and self.live.seats_of(self.person):
                self.house.spawn(self.depart_later(self.person))

    async def depart_later(self, person: Person) -> None:
        """A page that is loaded anew is back at once (reconnect): nobody needs to know."""
        await self.house.clock.sleep(self.house.limits.grace_seconds)
        await self.live.note_presence(person, here=False)

    async def greeting(self) -> str | None:
        try:
            message = await self.house.clock.within(self.house.limits.hello_seconds, self.receive())
        except TimeoutError:
            await self.close(BAD_HELLO, "hello")
            return None
        return None if message["type"] == "websocket.disconnect" else message.get("text") or ""

    async def receive(self) -> dict[str, Any]:
        return dict(await self.websocket.receive())

    def viewers(self) -> list[int]:
        """Whose eyes this socket has: those of its person's seats, or a watcher's."""
        return self.live.seats_of(self.person) or [WATCHER]

    # Coming in.

    async def read(self) -> None:
        limits = self.house.limits
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if self.live.referee is not None:
                self.hear_in_race(text, message.get("heard", self.clock()))
            elif not self.bucket.spend():
                self.refuse(id_in(text or ""), Denied("too_fast", status=429))
            else:
                await self.hear(text)
            await asyncio.sleep(0)  # the answer goes out first, and others have their turn
            if self.strikes > limits.strikes or len(self.answers) > limits.answers:
                self.house.counted.dropped += 1
                if self.strikes > limits.strikes:
                    await self.close(TOO_FAST, "too_fast")
                else:
                    await self.close(TOO_SLOW, "too_slow")
                return

    def hear_in_race(self, text: str | None, heard: float) -> None:
        """Where the first counts, reading waits for nothing: what comes next has to be heard when it comes."""
        kind = kind_of(text or "")
        if kind == "pong":
            if not self.pongs.spend():
                self.strikes += 1
            else:
                self.hear_pong(text or "", heard)
        elif kind == "slap" and self.slaps.spend():
            self.house.spawn(self.hear_slap(text or "", heard))
        elif kind == "slap" or not self.bucket.spend():
            self.refuse(id_in(text or ""), Denied("too_fast", status=429))
        else:
            self.house.spawn(self.hear(text))

    def hear_pong(self, text: str, heard: float) -> None:
        try:
            trip = self.pings.answer(DECODE_PONG(text).nonce, heard)
        except NOT_JSON:
            trip = None
        if trip is None:
            self.strikes += 1
        else:
            self.latency = self.latency.with_trip(trip, self.packets())

    async def hear_slap(self, text: str, heard: float) -> None:
        try:
            # A page sends the numbers of its table as they are written there.
            command = msgspec.convert(msgspec.json.decode(text), say.Slap, strict=False)
        except NOT_JSON as mistake:
            self.refuse(id_in(text), Denied("malformed", {"text": str(mistake)[:200]}, 422))
            return
        await self.do(command, heard)

    async def hear(self, text: str | None) -> None:
        """Carry out what one message wants."""
        if text is None:
            self.refuse(None, Denied("not_text", status=422))
            return
        try:
            command = self.dialect.read(self, text)
        except Denied as denied:
            self.refuse(id_in(text), denied)
            return
        if command is not None:
            await self.do(command)

    async def do(self, command: say.Commands, heard: float | None = None) -> None:
        if self.person is None:
            self.refuse(command.id, Denied("nobody", status=401))
            return
        began = self.house.clock.monotonic()
        try:
            done = await self.live.do(self.person, command, self, heard)
        except Denied as denied:
            self.refuse(command.id, denied, denied.refusal.key == "old_prompt" or bool(denied.refusal.rule))
            return
        self.house.counted.commands.add(self.house.clock.monotonic() - began)
        self.answer(JSON(done))

    def refuse(self, command: str | None, denied: Denied, honest: bool = False) -> None:
        """Say no. Honest mistakes do not count as strikes."""
        self.house.counted.refused += 1
        self.strikes += not honest
        self.answer(JSON(say.Refused(command, denied.reason(self.language))))

    def answer(self, message: bytes) -> None:
        self.answers.append(message)
        self.news.set()

    # Going out.

    async def send(self) -> None:
        while True:
            await self.news.wait()
            self.news.clear()
            while self.answers:
                if not await self.put(self.answers.popleft()):
                    return
            if (left := self.held_until - self.clock()) > 0 and not self.leaving:
                self.house.clock.call_later(left / 1000, self.wake)
                continue
            made = self.dialect.show(self)
            if made and self.live.referee is not None:
                self.live.referee.note_sent(self)
            for news in made:
                if not await self.put(news):
                    return
            if self.leaving:
                await self.put(JSON(say.Restarting(1.0)))
                await self.close(RESTART, "restarting")
                return

    async def measure(self) -> None:
        """Ask the other end for answers, again and again."""
        count = 0
        while True:
            if self.live.document.stage not in (OVER, CLOSED, HALTED):
                nonce = secrets.token_urlsafe(9)
                self.pings.ask(nonce, self.clock())
                try:
                    await self.websocket.send_text(JSON(say.Ping(nonce)).decode())
                except (WebSocketDisconnect, RuntimeError):
                    return
            count += 1
            await self.house.clock.sleep(FIRST_PAUSE if count < FIRST_PINGS else PING_PAUSE)

    async def put(self, data: bytes) -> bool:
        """Send one message; says whether the connection still holds."""
        self.waiting_since = self.house.clock.monotonic()
        try:
            await self.websocket.send_text(data.decode())
            return True
        except (WebSocketDisconnect, RuntimeError):
            return False
        finally:
            self.waiting_since = None

    def stuck(self) -> bool:
        """The client has taken nothing for too long."""
        since = self.waiting_since
        return since is not None and self.house.clock.monotonic() - since > self.house.limits.send_seconds

    def drop(self) -> None:
        """Give the connection up."""
        self.house.counted.dropped += 1
        if self.sending is not None:
            self.sending.cancel()

    async def close(self, code: int, reason: str) -> None:
        with contextlib.suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(1.0):
                await self.websocket.close(code, reason)


# Programs.


class Stream:
    """How far one viewer's stream has come on this socket."""

    def __init__(self, number: int = -1, entry: int = 0, log: int = 0, chat: int = 0) -> None:
        self.number = number
        self.entry = entry
        self.log = log
        self.chat = chat


class JsonDialect:
    """Commands and updates as JSON: what `docs/api.md` describes."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}

    def greet(self, connection: Connection, text: str) -> None:
        """Go on where the client was, where it says a place that fits; else it gets everything."""
        live = connection.live
        for cursor in msgspec.json.decode(text, type=say.Hello).seen:
            viewer = WATCHER if cursor.seat is None else cursor.seat
            if viewer in connection.viewers():
                entry = entry_after(live.history, viewer, cursor.log)
                known = cursor.number <= stream_number(live.document, viewer)
                if entry is not None and known and cursor.chat <= len(live.chat):
                    self.streams[viewer] = Stream(cursor.number, entry, cursor.log, cursor.chat)

    def read(self, connection: Connection, text: str) -> say.Commands | None:
        try:
            command: say.Commands = DECODE_COMMAND(text)
            return command
        except NOT_JSON as mistake:
            raise Denied("malformed", {"text": str(mistake)[:200]}, 422) from None

    def show(self, connection: Connection) -> list[bytes]:
        """What is new in each stream."""
        live, viewers = connection.live, connection.viewers()
        self.streams = {viewer: self.streams.get(viewer) or Stream() for viewer in viewers}
        made = []
        for viewer, stream in self.streams.items():
            if stream.number != stream_number(live.document, viewer):
                news = update(live, connection.person, viewer, stream.entry, stream.log, stream.chat)
                stream.number, stream.entry = news.number, len(live.history)
                stream.log += len(news.log)
                stream.chat += len(news.chat)
                made.append(JSON(news))
        return made

    def end(self) -> None:
        self.streams.clear()


class Named(msgspec.Struct):
    id: str | None = None


class Kind(msgspec.Struct):
    type: str = ""


def kind_of(text: str) -> str:
    """The type of a message, as far as it can be read."""
    try:
        return msgspec.json.decode(text, type=Kind).type
    except NOT_JSON:
        return ""


def id_in(text: str) -> str | None:
    """The id of a message that is wrong otherwise, so that its sender knows which one it was."""
    try:
        return (msgspec.json.decode(text, type=Named).id or "")[: say.LONGEST_ID] or None
    except NOT_JSON:
        return None


def kernel_of(websocket: WebSocket, header: str) -> Callable[[], Packets | None]:
    """Where to ask what the kernel knows of the way to the client. It may end at a proxy: at one that is trusted, or,
    on this machine, at one that says so itself. Then the rest of the way is what the proxy tells of it.
    """
    known = websocket.scope.get("state") or {}
    peer = str(known.get("peer", ""))
    client = websocket.client.host if websocket.client is not None else ""
    here = peer != "" and ip_address(peer.partition("%")[0]).is_loopback
    asked: Callable[[], Packets | None] = known.get("packets", lambda: None)
    if client == peer and not (here and "x-forwarded-for" in websocket.headers):
        return asked
    told = packets_told(websocket.headers.get(header, "")) if header else None
    return lambda: None if told is None else told.and_then(asked())
