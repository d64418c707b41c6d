"""A wire between a browser and a server that can be cut and mended, as trains and cellars do."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Wire:
    """Carries bytes to a port of this machine, until it is cut."""

    def __init__(self, port: int) -> None:
        self.goal = port
        self.whole = True
        self.ends: set[socket.socket] = set()
        self.guard = threading.Lock()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        self.threads: list[threading.Thread] = []
        self.spawn(self.listen)

    def spawn(self, work: object, *args: object) -> None:
        assert callable(work)
        thread = threading.Thread(target=work, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def listen(self) -> None:
        while True:
            try:
                near, _ = self.door.accept()
            except OSError:
                return
            with self.guard:
                if not self.whole:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self.goal))
                except OSError:
                    near.close()
                    continue
                self.ends |= {near, far}
            self.spawn(self.carry, near, far)
            self.spawn(self.carry, far, near)

    def carry(self, here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(65536):
                there.sendall(data)
        self.hang_up(here, there)

    def hang_up(self, *ends: socket.socket) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Everything that is connected is cut off, and nothing new gets through."""
        with self.guard:
            self.whole = False
            self.hang_up(*self.ends)

    def mend(self) -> None:
        self.whole = True

    def remove(self) -> None:
        self.cut()
        self.hang_up(self.door)
        self.door.close()
        for thread in self.threads:
            thread.join(10)
        for end in self.ends:
            end.close()


@contextlib.contextmanager
def wired(port: int) -> Iterator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.remove()
