"""One client's socket: saying hello, reading, limits, sending, and what is asked of the kernel about its line. The
other end is in the test's hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from starlette.websockets import WebSocket

from polikarp.server.connection import Connection, JsonDialect, id_in, kernel_of, kind_of
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.limits import Limits, Rate
from polikarp.server.messages import LONGEST_ID, Done
from polikarp.server.race.latency import Packets
from tests.server.hand_clock import HandClock
from tests.server.moments import ANA, a_house

WHY = '{"type":"why","id":"%d","seat":0,"move":"recover"}'


class OtherEnd:
    """The client: what it has sent, and what it was sent."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}
        self.headers: dict[str, str] = {}
        self.client = None
        self.coming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[Any] = []
        self.closed: int | None = None
        self.takes = asyncio.Event()  # while it reads
        self.takes.set()

    def say(self, text: str) -> None:
        self.coming.put_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        self.coming.put_nowait({"type": "websocket.disconnect"})

    async def receive(self) -> dict[str, Any]:
        return await self.coming.get()

    async def send_text(self, text: str) -> None:
        await self.takes.wait()
        self.heard.append(msgspec.json.decode(text))

    async def close(self, code: int, reason: str) -> None:
        self.closed = code


class SilentTable:
    """A table where nothing is ever new, and every command is done."""

    def __init__(self) -> None:
        self.referee = None
        self.used = 0.0
        self.presence = SimpleNamespace(viewers=set())
        self.came: list[tuple[Person | None, bool]] = []

    def seats_of(self, who: Person | None) -> list[int]:
        return [0] if who is not None else []

    async def arrive(self, viewer: Any) -> None:
        self.presence.viewers.add(viewer)

    async def note_presence(self, who: Person | None = None, here: bool = False) -> None:
        self.came.append((who, here))

    async def do(self, who: Person, command: Any, by: Any = None, heard: float | None = None) -> Done:
        return Done(command.id)


class NothingNew(JsonDialect):
    def greet(self, connection: Connection, text: str) -> None:
        msgspec.json.decode(text)

    def show(self, connection: Connection) -> list[bytes]:
        return []


Story = Callable[[Connection, OtherEnd, SilentTable, HandClock], Coroutine[Any, Any, None]]


def connected(story: Story, limits: Limits | None = None, person: Person | None = ANA) -> None:
    """Something happens while a connection runs; in the end it does not any more."""

    async def live() -> None:
        house, end, table = a_house(limits), OtherEnd(), SilentTable()
        clock = cast(HandClock, house.clock)
        made = Connection(cast(Any, end), house, cast(Any, table), person, "192.0.2.1", "en", NothingNew())
        running = asyncio.create_task(made.run())
        await clock.settle()
        await story(made, end, table, clock)
        end.leave()
        await clock.settle()
        assert running.done()
        running.result()
        assert table.presence.viewers == set()
        await house.end_tasks()

    asyncio.run(live())


def test_who_says_nothing_is_not_let_in_for_long() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        await clock.move(9.9)
        codes = [end.closed]
        await clock.move(0.1)
        assert ([*codes, end.closed], table.came) == ([None, 4400], [])

    connected(story)


@pytest.mark.parametrize("hello", ["", "hello", "[" * 65_000])
def test_who_says_something_else_first_is_not_let_in(hello: str) -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say(hello)
        await clock.settle()
        assert (end.closed, table.came) == (4400, [])

    connected(story)


def test_who_is_gone_for_a_moment_only_was_never_away() -> None:
    """Others are told after the grace only."""

    async def live() -> None:
        house, end, table = a_house(), OtherEnd(), SilentTable()
        clock = cast(HandClock, house.clock)
        made = Connection(cast(Any, end), house, cast(Any, table), ANA, "", "en", NothingNew())
        end.say("{}")
        end.leave()
        await made.run()
        assert table.came == [(ANA, True)]
        await clock.move(3.9)
        assert table.came == [(ANA, True)]
        await clock.move(0.1)
        assert table.came == [(ANA, True), (ANA, False)]

    asyncio.run(live())


def test_commands_are_answered_by_their_id_and_what_can_not_be_read_is_refused() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        end.say(WHY % 1)
        end.say('{"type":"why","id":"2"}')
        end.coming.put_nowait({"type": "websocket.receive", "bytes": b"x"})
        await clock.settle()
        assert [one["type"] for one in end.heard] == ["done", "refused", "refused"]
        assert [one["id"] for one in end.heard] == ["1", "2", None]
        assert [one["reason"]["key"] for one in end.heard[1:]] == ["malformed", "not_text"]
        assert made.strikes == 2
        assert made.house.counted.refused == 2

    connected(story)


def test_who_is_not_known_commands_nothing() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        end.say(WHY % 1)
        await clock.settle()
        assert end.heard[0]["reason"]["key"] == "nobody"

    connected(story, person=None)


def test_who_is_too_fast_is_refused_and_then_cut() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        for number in range(5):
            end.say(WHY % number)
        await clock.settle()
        assert [one["type"] for one in end.heard] == ["done", "done", "refused", "refused", "refused"]
        assert end.closed is None
        await clock.move(1.0)
        end.say(WHY % 9)
        await clock.settle()
        assert end.heard[-1] == {"type": "done", "id": "9"}, "permits come back"
        for number in range(2):
            end.say(WHY % number)
        await clock.settle()
        assert end.closed == 4429
        assert made.house.counted.dropped == 1

    connected(story, Limits(messages=Rate(1.0, 2.0), strikes=4))


def test_an_honest_mistake_is_no_strike() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        async def old(*_: Any) -> Done:
            raise Denied("old_prompt")

        end.say("{}")
        table.do = old  # type: ignore[assignment]
        end.say(WHY % 1)
        await clock.settle()
        assert end.heard[0]["reason"]["key"] == "old_prompt"
        assert made.strikes == 0

    connected(story)


def test_answers_do_not_pile_up_for_who_does_not_read() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        end.takes.clear()
        for number in range(6):
            end.say(WHY % number)
        await clock.settle()
        assert end.closed == 4408

    connected(story, Limits(answers=3))


def test_a_client_that_takes_nothing_for_too_long_is_stuck() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        await clock.move(60)
        assert not made.stuck(), "nothing was to be sent"
        end.takes.clear()
        end.say(WHY % 1)
        await clock.move(20)
        assert not made.stuck()
        await clock.move(0.1)
        assert made.stuck()
        made.drop()
        await clock.settle()
        assert table.presence.viewers == set()

    connected(story)


def test_who_is_connected_when_the_server_stops_is_told() -> None:
    async def story(made: Connection, end: OtherEnd, table: SilentTable, clock: HandClock) -> None:
        end.say("{}")
        await clock.settle()
        made.farewell()
        await clock.settle()
        assert end.heard == [{"type": "restarting", "seconds": 1.0}]
        assert end.closed == 1012

    connected(story)


def test_a_message_that_is_wrong_still_tells_its_id_and_kind() -> None:
    assert id_in('{"id":"a","x":1}') == "a"
    assert len(id_in('{"id":"%s"}' % ("a" * 1000)) or "") == LONGEST_ID
    for text in ("", "x", '{"id":1}', "{}", '{"id":""}', "[" * 65_000):
        assert id_in(text) is None
    assert kind_of('{"type":"slap","claimed":1}') == "slap"
    assert kind_of("x") == kind_of("{}") == ""


def test_only_a_proxy_tells_of_a_line() -> None:
    """hunters.30: of who holds the line to a player, not of the player, who could write the same; and not unasked."""

    def known(peer: str, client: str, header: str = "Trip", **headers: str) -> Packets | None:
        scope = {
            "type": "websocket",
            "client": (client, 1),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
            "state": {"peer": peer, "packets": lambda: Packets(5.0, 1.0, 4.0)},
        }
        return kernel_of(WebSocket(scope, cast(Any, None), cast(Any, None)), header)()

    near, whole = Packets(5.0, 1.0, 4.0), Packets(25.0, 2.0, 24.0)
    assert known("192.0.2.7", "192.0.2.7", trip="20000 1000") == near
    assert known("192.0.2.7", "192.0.2.7", trip="20000 1000", x_forwarded_for="192.0.2.9") == near
    assert known("192.0.2.1", "192.0.2.7", trip="20000 1000") == whole, "through a proxy that is trusted"
    assert known("127.0.0.1", "127.0.0.1", trip="20000 1000", x_forwarded_for="192.0.2.9") == whole, "on this machine"
    assert known("192.0.2.1", "192.0.2.7") is None
    assert known("192.0.2.1", "192.0.2.7", header="", trip="20000 1000") is None
