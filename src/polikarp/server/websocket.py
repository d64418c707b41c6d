"""Uvicorn's WebSocket protocol with limits on what needs no understanding: pings without end, and messages in endless
parts. Where the first counts it also notes when a message was heard, before anything else is done, and knows what the
kernel says of the connection. Nothing else here knows the insides of uvicorn and websockets.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request

from polikarp.server.clock import Clock
from polikarp.server.limits import Bucket, Rate
from polikarp.server.race.latency import Packets

PINGS = Rate(2.0, 30.0)
PARTS = 64  # of one message
POLICY = 1008
# In the kernel's `tcp_info`, in microseconds: the round trip with its mean deviation, and the quickest.
TRIP, TRIP_AT = struct.Struct("II"), 68
LEAST, LEAST_AT = struct.Struct("I"), 148


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """Closes the connection of who sends too many of these."""

    clock = Clock()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pings = Bucket(PINGS, self.clock)
        self.parts = 0

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["state"]["packets"] = self.packets
            self.scope["state"]["note_arrivals"] = self.note_arrivals
            self.scope["state"]["peer"] = self.client[0] if self.client else ""

    def note_arrivals(self) -> None:
        """From now on messages come with the moment at which they were heard. To be called while nobody reads."""
        waiting, self.queue = self.queue, HeardQueue(self.clock)
        while not waiting.empty():
            self.queue.put_nowait(waiting.get_nowait())

    def packets(self) -> Packets | None:
        """What the kernel says of this connection now; None where it does not tell."""
        return packets_of(self.transport.get_extra_info("socket"))

    def handle_ping(self) -> None:
        if self.pings.spend():
            super().handle_ping()
        else:
            self.cut()

    def handle_text(self, event: Frame) -> None:
        self.parts = 0
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        self.parts = 0
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        self.parts += 1
        if self.parts < PARTS:
            super().handle_cont(event)
        else:
            self.cut()

    def cut(self) -> None:
        if not self.close_sent:
            self.close_sent = True
            self.stop_keepalive()
            self.queue.put_nowait({"type": "websocket.disconnect", "code": POLICY})
            self.conn.fail(POLICY, "too much")
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()


class HeardQueue(asyncio.Queue[Any]):
    """Messages, each with the moment at which it came, in milliseconds."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def put_nowait(self, item: Any) -> None:
        super().put_nowait({**item, "heard": self.clock.monotonic() * 1000})


def protocol_on(clock: Clock) -> type[LimitedWebSocket]:
    """The protocol, with all times by this clock."""
    return type("LimitedWebSocket", (LimitedWebSocket,), {"clock": clock})


def packets_of(peer: socket.socket | None) -> Packets | None:
    if peer is None or not hasattr(socket, "TCP_INFO"):
        return None
    try:
        info = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LEAST_AT + LEAST.size)
    except OSError:
        return None
    if len(info) < LEAST_AT + LEAST.size:
        return None
    trip, deviation = TRIP.unpack_from(info, TRIP_AT)
    (least,) = LEAST.unpack_from(info, LEAST_AT)
    return Packets(trip / 1000, deviation / 1000, min(trip, least) / 1000)
