"""WebSockets with limits on what needs no understanding: pings without end, and messages in endless parts."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from polikarp.server.limits import Bucket

PING_RATE, PING_BURST = 2.0, 30.0
PARTS = 64  # of one message
POLICY = 1008


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """Cuts the line of who sends too many of these."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pings = Bucket(PING_RATE, PING_BURST)
        self.parts = 0

    def handle_ping(self) -> None:
        if self.pings.take():
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
