"""What `websocket.py` and `serve.py` use of the insides of uvicorn and websockets is still there.

Neither library promises these names. Their ranges in pyproject.toml end before the next version that may change them;
when one is raised, this says what is missing.
"""

from __future__ import annotations

import asyncio
import socket
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from packaging.requirements import Requirement
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request
from websockets.server import ServerProtocol

from polikarp.server.race.latency import SLOWEST
from polikarp.server.websocket import packets_of

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

HANDLERS = {
    "handle_connect": "notes what the kernel knows of the line",
    "handle_ping": "counts pings",
    "handle_text": "counts the parts of a message",
    "handle_bytes": "counts the parts of a message",
    "handle_cont": "counts the parts of a message",
}
OF_A_LINE = {
    "queue": "has the messages, each with the moment at which it came",
    "client": "has the address of the other end",
    "transport": "is where a line is cut",
    "conn": "says how a line is cut",
    "close_sent": "tells whether it was cut",
    "stop_keepalive": "ends with it",
}
OF_A_CONNECTION = {
    "fail": "cuts a line with a code and a reason",
    "data_to_send": "has the bytes that say so",
}
OF_A_SERVER = {
    "serve": "runs on a socket that is open already",
    "shutdown": "waits until the tables have finished",
    "capture_signals": "leaves signals to us",
    "handle_exit": "is what a signal calls",
}


def missing(thing: object, wanted: dict[str, str], where: str) -> list[str]:
    """A line for everything that is not there."""
    return [f"{where} has no `{name}`, which {what}" for name, what in wanted.items() if not hasattr(thing, name)]


def not_called(protocol: type[Any]) -> list[str]:
    """Handlers that are never called can be overridden in vain."""
    used = protocol.handle_events.__code__.co_names
    return [
        f"uvicorn's WebSocket calls no `{name}`, which {what}" for name, what in HANDLERS.items() if name not in used
    ]


async def line() -> WebSocketsSansIOProtocol:
    config = uvicorn.Config(lambda scope: None, log_config=None)
    return WebSocketsSansIOProtocol(config, ServerState(), {"known": True})


def test_uvicorn_has_what_we_use_of_its_sockets() -> None:
    made = asyncio.run(line())
    found = missing(made, {**HANDLERS, **OF_A_LINE}, "uvicorn's WebSocket") + not_called(WebSocketsSansIOProtocol)
    assert not found, "\n".join([f"uvicorn {version('uvicorn')} has changed; server/websocket.py needs:", *found])
    assert isinstance(made.queue, asyncio.Queue)
    assert made.close_sent is False


def test_websockets_has_what_we_use_of_its_connection() -> None:
    found = missing(ServerProtocol(), OF_A_CONNECTION, "websockets' ServerProtocol")
    assert not found, "\n".join([f"websockets {version('websockets')} has changed; server/websocket.py needs:", *found])
    assert isinstance(asyncio.run(line()).conn, ServerProtocol)


def test_uvicorn_has_what_we_use_of_its_server() -> None:
    found = missing(uvicorn.Server, OF_A_SERVER, "uvicorn's Server")
    assert not found, "\n".join([f"uvicorn {version('uvicorn')} has changed; server/serve.py needs:", *found])


def test_a_handshake_makes_a_scope_with_a_state_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """`websocket.py` puts there what the sockets ask for."""

    async def live() -> None:
        made = await line()
        made.transport = SimpleNamespace(write=lambda data: None, close=lambda: None)  # type: ignore[assignment]
        monkeypatch.setattr(made, "run_asgi", lambda: asyncio.sleep(0))
        monkeypatch.setattr(made, "on_task_complete", lambda task: None)
        upgrade = "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        made.conn.receive_data(f"GET / HTTP/1.1\r\n{upgrade}Sec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode())
        (event,) = made.conn.events_received()
        assert isinstance(event, Request)
        made.handle_connect(event)
        state: Any = made.scope.get("state")
        assert state == {"known": True}, "uvicorn's WebSocket has no `scope` with a `state`"
        state["packets"] = 1
        assert "packets" not in made.app_state, "the state of one line is everybody's"

    asyncio.run(live())


def test_what_is_missing_is_named() -> None:
    class Changed(WebSocketsSansIOProtocol):
        def handle_events(self) -> None:
            self.handle_ping()

    assert missing(object(), OF_A_CONNECTION, "it")[0] == "it has no `fail`, which cuts a line with a code and a reason"
    assert [text for text in not_called(Changed) if "`handle_ping`" in text] == []
    assert "uvicorn's WebSocket calls no `handle_cont`, which counts the parts of a message" in not_called(Changed)


@pytest.mark.parametrize("name", ["uvicorn", "websockets"])
def test_the_range_of_what_we_use_the_insides_of_has_an_end(name: str) -> None:
    needed = [Requirement(one) for one in tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["dependencies"]]
    (requirement,) = [one for one in needed if one.name == name]
    assert [bound for bound in requirement.specifier if bound.operator == "<"], f"{name} can change under us"
    assert requirement.specifier.contains(version(name))


def test_the_kernel_tells_of_a_real_line() -> None:
    """The quickest round trip and the usual one, of packets that went over it."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as here,
        listening.accept()[0] as there,
    ):
        for _ in range(20):
            here.sendall(b"?")
            there.recv(1)
            there.sendall(b"!")
            here.recv(1)
        told = packets_of(here)
    assert told is not None
    assert 0 < told.least <= told.trip < SLOWEST
    assert told.deviation < SLOWEST
