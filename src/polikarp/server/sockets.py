"""One client's socket at one table: its commands come in, answers and updates go out.

Updates are made when the socket can take them, out of what the table is then: a client that reads slowly gets fewer
and larger ones, and nothing piles up for it here.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import deque
from collections.abc import Callable
from ipaddress import ip_address

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from polikarp.engine.state import WATCHER
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.finish_line import clock
from polikarp.server.hall import GRACE_SECONDS, Hall
from polikarp.server.identity import Person
from polikarp.server.lane import Lane
from polikarp.server.limits import Bucket
from polikarp.server.lines import Line, Packets, Pings, packets_told
from polikarp.server.logs import log
from polikarp.server.seating import CLOSED, HALTED, OVER
from polikarp.server.showing import entry_after, stream_number, update

HELLO_SECONDS = 10.0
SEND_SECONDS = 20.0  # a client that takes nothing for so long is gone
MESSAGE_RATE, MESSAGE_BURST = 20.0, 60.0
PONG_RATE, PONG_BURST = 5.0, 40.0
SLAP_RATE, SLAP_BURST = 10.0, 30.0
FIRST_PINGS, FIRST_PAUSE, PING_PAUSE = 10, 0.1, 0.7  # how often a line is measured, with seconds between
STRIKES = 100  # bad or hasty messages before the line is cut
ANSWERS = 200  # that may wait for a client that does not read

BAD_HELLO, TOO_FAST, TOO_SLOW, RESTART, TRY_AGAIN = 4400, 4429, 4408, 1012, 1013  # how a socket is closed

DECODE_HELLO = msgspec.json.Decoder(say.Hello).decode
DECODE_COMMAND = msgspec.json.Decoder(say.Commands).decode
DECODE_PONG = msgspec.json.Decoder(say.Pong).decode
JSON = msgspec.json.Encoder().encode


class Stream:
    """How far one viewer's stream has come on this socket."""

    def __init__(self, number: int = -1, entry: int = 0, log: int = 0, chat: int = 0) -> None:
        self.number = number
        self.entry = entry
        self.log = log
        self.chat = chat


class Connection:
    """One socket."""

    def __init__(self, websocket: WebSocket, hall: Hall, lane: Lane, person: Person | None, language: str) -> None:
        self.websocket = websocket
        self.hall = hall
        self.lane = lane
        self.person = person
        self.language = language
        self.streams: dict[int, Stream] = {}
        self.answers: deque[bytes] = deque()
        self.news = asyncio.Event()
        self.leaving = False
        self.strikes = 0
        self.waiting_since: float | None = None  # for the client to take a message
        self.sending: asyncio.Task[None] | None = None
        self.bucket = Bucket(MESSAGE_RATE, MESSAGE_BURST)
        # Where the first counts:
        self.since = clock()
        self.screen = secrets.token_hex(4)
        self.line = Line()
        self.pings = Pings()
        self.pongs = Bucket(PONG_RATE, PONG_BURST)
        self.slaps = Bucket(SLAP_RATE, SLAP_BURST)
        self.packets = kernel_of(websocket, hall.round_trip_header)
        self.held_until = 0.0  # nothing new is shown before that

    def wake(self) -> None:
        """Something may be new at the table."""
        self.news.set()

    def farewell(self) -> None:
        """The server stops."""
        self.leaving = True
        self.news.set()

    async def run(self) -> None:
        """From the greeting to the end of the line."""
        hello = await self.greeting()
        if hello is None:
            return
        async with self.lane.lock:
            await self.lane.fresh()
            self.resume(hello)
            self.lane.connections.add(self)
        self.since = clock()
        if self.lane.finish_line is not None:
            self.held_until = self.lane.finish_line.shown
        reading = asyncio.create_task(self.read())
        sending = self.sending = asyncio.create_task(self.send())
        tasks = [reading, sending]
        if self.lane.finish_line is not None:
            tasks.append(asyncio.create_task(self.measure()))
        try:
            if self.person is not None and self.lane.seats_of(self.person):
                await self.lane.arrive(self.person)
            self.wake()
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.lane.connections.discard(self)
            self.lane.used = self.hall.now()
            for task in tasks:
                task.cancel()
            for end in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(end, Exception):
                    log("error", mistake=end)
            if self.person is not None and not self.hall.draining and self.lane.seats_of(self.person):
                self.hall.spawn(self.depart_later(self.person))

    async def depart_later(self, person: Person) -> None:
        """A page that is loaded anew is back at once: nobody needs to know."""
        await asyncio.sleep(GRACE_SECONDS)
        await (await self.hall.lane(self.lane.id)).depart(person)

    async def greeting(self) -> say.Hello | None:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return None
            return DECODE_HELLO(message.get("text") or "")
        except (TimeoutError, msgspec.DecodeError, RecursionError, UnicodeError):
            await self.close(BAD_HELLO, "hello")
            return None

    def resume(self, hello: say.Hello) -> None:
        """Go on where the client was, where it says a place that fits; else it gets everything."""
        for cursor in hello.seen:
            viewer = WATCHER if cursor.seat is None else cursor.seat
            if viewer in self.viewers():
                entry = entry_after(self.lane, viewer, cursor.log)
                known = cursor.number <= stream_number(self.lane.body, viewer)
                if entry is not None and known and cursor.chat <= len(self.lane.chat):
                    self.streams[viewer] = Stream(cursor.number, entry, cursor.log, cursor.chat)

    def viewers(self) -> list[int]:
        """Whose streams this socket carries: its person's seats, or a watcher's."""
        return self.lane.seats_of(self.person) or [WATCHER]

    # Coming in.

    async def read(self) -> None:
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if self.lane.finish_line is not None:
                self.take_in_race(message.get("text"), message.get("heard", clock()))
            elif not self.bucket.take():
                self.refuse(id_in(message.get("text") or ""), Denied("too_fast", status=429))
            else:
                await self.take(message.get("text"))
            await asyncio.sleep(0)  # the answer goes out first, and others have their turn
            if self.strikes > STRIKES or len(self.answers) > ANSWERS:
                self.hall.counted.dropped += 1
                if self.strikes > STRIKES:
                    await self.close(TOO_FAST, "too_fast")
                else:
                    await self.close(TOO_SLOW, "too_slow")
                return

    def take_in_race(self, text: str | None, heard: float) -> None:
        """Where the first counts, reading waits for nothing: what comes next has to be heard when it comes."""
        kind = kind_of(text or "")
        if kind == "pong":
            if not self.pongs.take():
                self.strikes += 1
            else:
                self.hear_pong(text or "", heard)
        elif kind == "slap" and self.slaps.take():
            self.hall.spawn(self.slap(text or "", heard))
        elif kind == "slap" or not self.bucket.take():
            self.refuse(id_in(text or ""), Denied("too_fast", status=429))
        else:
            self.hall.spawn(self.take(text))

    def hear_pong(self, text: str, heard: float) -> None:
        try:
            trip = self.pings.answer(DECODE_PONG(text).nonce, heard)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            trip = None
        if trip is None:
            self.strikes += 1
        else:
            self.line = self.line.with_trip(trip, self.packets())

    async def slap(self, text: str, heard: float) -> None:
        try:
            # A page sends the numbers of its table as they are written there.
            command = msgspec.convert(msgspec.json.decode(text), say.Slap, strict=False)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as mistake:
            self.refuse(id_in(text), Denied("malformed", {"text": str(mistake)[:200]}, 422))
            return
        await self.carry_out(command, heard)

    async def take(self, text: str | None) -> None:
        """Carry out one command."""
        if text is None:
            self.refuse(None, Denied("not_text", status=422))
            return
        try:
            command: say.Commands = DECODE_COMMAND(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as mistake:
            self.refuse(id_in(text), Denied("malformed", {"text": str(mistake)[:200]}, 422))
            return
        await self.carry_out(command)

    async def carry_out(self, command: say.Commands, heard: float | None = None) -> None:
        if self.person is None:
            self.refuse(command.id, Denied("nobody", status=401))
            return
        began = time.perf_counter()
        try:
            done = await self.lane.do(self.person, command, self, heard)
        except Denied as denied:
            self.refuse(command.id, denied, denied.refusal.key == "old_prompt" or bool(denied.refusal.rule))
            return
        self.hall.counted.commands.add(time.perf_counter() - began)
        self.answer(done)

    def refuse(self, command: str | None, denied: Denied, honest: bool = False) -> None:
        """Say no. Honest mistakes do not count as strikes."""
        self.hall.counted.refused += 1
        self.strikes += not honest
        self.answer(say.Refused(command, denied.reason(self.language)))

    def answer(self, message: say.Done | say.Refused) -> None:
        self.answers.append(JSON(message))
        self.news.set()

    # Going out.

    async def send(self) -> None:
        while True:
            await self.news.wait()
            self.news.clear()
            while self.answers:
                if not await self.put(self.answers.popleft()):
                    return
            if (left := self.held_until - clock()) > 0 and not self.leaving:
                asyncio.get_running_loop().call_later(left / 1000, self.wake)
                continue
            made = self.updates()
            if made and self.lane.finish_line is not None:
                self.lane.finish_line.note_sent(self)
            for news in made:
                if not await self.put(news):
                    return
            if self.leaving:
                await self.put(JSON(say.Restarting(1.0)))
                await self.close(RESTART, "restarting")
                return

    def updates(self) -> list[bytes]:
        """What is new in each stream, as of now."""
        viewers = self.viewers()
        self.streams = {viewer: self.streams.get(viewer) or Stream() for viewer in viewers}
        made = []
        for viewer, stream in self.streams.items():
            if stream.number != stream_number(self.lane.body, viewer):
                news = update(self.lane, self.person, viewer, stream.entry, stream.log, stream.chat)
                stream.number, stream.entry = news.number, len(self.lane.history)
                stream.log += len(news.log)
                stream.chat += len(news.chat)
                made.append(JSON(news))
        return made

    async def measure(self) -> None:
        """Ask the other end for answers, again and again."""
        count = 0
        while True:
            if self.lane.body.stage not in (OVER, CLOSED, HALTED):
                nonce = secrets.token_urlsafe(9)
                self.pings.ask(nonce, clock())
                try:
                    await self.websocket.send_text(JSON(say.Ping(nonce)).decode())
                except (WebSocketDisconnect, RuntimeError):
                    return
            count += 1
            await asyncio.sleep(FIRST_PAUSE if count < FIRST_PINGS else PING_PAUSE)

    async def put(self, data: bytes) -> bool:
        """Send one message; says whether the line still holds."""
        self.waiting_since = time.monotonic()
        try:
            await self.websocket.send_text(data.decode())
            return True
        except (WebSocketDisconnect, RuntimeError):
            return False
        finally:
            self.waiting_since = None

    def stuck(self) -> bool:
        """The client has taken nothing for too long."""
        return self.waiting_since is not None and time.monotonic() - self.waiting_since > SEND_SECONDS

    def drop(self) -> None:
        """Give the line up."""
        self.hall.counted.dropped += 1
        if self.sending is not None:
            self.sending.cancel()

    async def close(self, code: int, reason: str) -> None:
        with contextlib.suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(1.0):
                await self.websocket.close(code, reason)


class Named(msgspec.Struct):
    id: str | None = None


class Kind(msgspec.Struct):
    type: str = ""


def kind_of(text: str) -> str:
    """The type of a message, as far as it can be read."""
    try:
        return msgspec.json.decode(text, type=Kind).type
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return ""


def kernel_of(websocket: WebSocket, header: str) -> Callable[[], Packets | None]:
    """Where to ask what the kernel knows of the line to the client. The line may end at a proxy: at one that is
    trusted, or, on this machine, at one that says so itself. Then the rest of the way is what the proxy tells of it.
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


def id_in(text: str) -> str | None:
    """The id of a message that is wrong otherwise, so that its sender knows which one it was."""
    try:
        return (msgspec.json.decode(text, type=Named).id or "")[: say.LONGEST_ID] or None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
