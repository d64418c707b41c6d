"""One client's socket: what is asked of the kernel about its line."""

from __future__ import annotations

from typing import Any, cast

from starlette.websockets import WebSocket

from polikarp.server.connection import kernel_of
from polikarp.server.race.latency import Packets


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
