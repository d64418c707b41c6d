"""How many live tables one server process carries: many real sockets, one move a second at each table.

    python benchmarks/load.py                      500 tables of four, then more until p99 is over 50 ms
    python benchmarks/load.py --tables 500 --minutes 10    memory over a long run
    python benchmarks/load.py --tables 100 --strong 1      p99 with and without tables of four strong bots, in turn

The server runs in one process and all clients in another (this one). Time is taken from sending a move to its
receipt by each of the other seats, on one clock. Absolute times depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import http.client
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from websockets.asyncio.client import ClientConnection, connect

from polikarp.server.identity import Signer, house_key, new_person

SEATS = 4
LIMIT = 0.050  # seconds, for p99
PORT = 18765
SETTLING = 2.0  # seconds, in which bots finish their thoughts
STEPS = (500, 750, 1000, 1250, 1500, 2000, 2500)  # tables


class View(msgspec.Struct):
    waiting: list[int]
    moves: list[str]
    result: Any = None


class Message(msgspec.Struct):
    """The few parts of a message that the clients here look at."""

    type: str
    seat: int | None = None
    number: int = 0
    prompt: int = 0
    view: View | None = None
    table: Any = None
    reason: Any = None


class Refusal(Exception):
    """The server did not do what it was asked for."""


DECODE = msgspec.json.Decoder(Message).decode
RANDOM = random.Random(1)


class Client:
    """One seat's socket."""

    def __init__(self, seat: int, token: str, source: str) -> None:
        self.seat = seat
        self.token = token
        self.source = source
        self.socket: ClientConnection | None = None
        self.last: Message | None = None
        self.count = 0

    async def connect(self, table: str) -> None:
        if self.socket is not None:
            await self.socket.close()
        self.socket = await connect(
            f"ws://127.0.0.1:{PORT}/api/tables/{table}/socket",
            additional_headers={"Authorization": f"Bearer {self.token}"},
            local_addr=(self.source, 0),
            compression=None,
            ping_interval=None,
            open_timeout=60,
        )
        await self.socket.send('{"type":"hello"}')

    async def send(self, **fields: Any) -> None:
        self.count += 1
        assert self.socket is not None
        await self.socket.send(msgspec.json.encode({"id": str(self.count), **fields}).decode())

    async def receive(self) -> Message:
        assert self.socket is not None
        message = DECODE(await self.socket.recv())
        if message.type == "refused":
            raise Refusal(message.reason)
        return message

    async def answered(self) -> None:
        """Up to the answer of the last command."""
        while (await self.receive()).type != "done":
            pass

    async def update(self) -> Message:
        """The next update."""
        while True:
            message = await self.receive()
            if message.type == "update":
                self.last = message
                return message


class LiveTable:
    """A table and its clients; plays one move a second and writes down how long everybody waited for it."""

    def __init__(self, number: int, signer: Signer, waits: list[float]) -> None:
        self.number = number
        self.source = f"127.0.{number // 200 + 1}.{number % 200 + 1}"
        self.clients = [
            Client(seat, signer.sign(new_person(f"load {number} {seat}"), "token"), self.source)
            for seat in range(SEATS)
        ]
        self.waits = waits
        self.moves = 0

    async def set_up(self) -> None:
        table = open_table(self.clients[0])
        for client in self.clients:
            await client.connect(table)
            await client.send(type="sit", seat=client.seat)
            await client.answered()
        await self.start()

    async def start(self) -> None:
        await self.clients[0].send(type="start")
        for client in self.clients:
            while (await client.update()).view is None:
                pass

    async def play(self, until: float, period: float) -> None:
        await asyncio.sleep(RANDOM.random() * period)
        due = time.perf_counter()
        while (now := time.perf_counter()) < until:
            await asyncio.sleep(max(0.0, due - now))
            due += period
            await self.step()

    async def step(self) -> None:
        last = self.clients[0].last
        assert last is not None
        assert last.view is not None
        if last.view.result is not None:
            await self.again()
            return
        mover = self.clients[last.view.waiting[0]]
        asked = mover.last
        assert asked is not None
        assert asked.view is not None
        sent = time.perf_counter()
        await mover.send(type="move", seat=mover.seat, prompt=asked.prompt, move=RANDOM.choice(asked.view.moves))
        received = await asyncio.gather(*(self.receipt(client) for client in self.clients))
        self.waits.extend(at - sent for client, at in zip(self.clients, received, strict=True) if client is not mover)
        self.moves += 1

    async def receipt(self, client: Client) -> float:
        """When a client has the move; what it hears of people coming and going does not count."""
        assert client.last is not None
        before = client.last.prompt
        while (await client.update()).prompt == before:
            pass
        return time.perf_counter()

    async def again(self) -> None:
        """The same people at the next table."""
        owner = self.clients[0]
        await owner.send(type="rematch")
        table = ""
        while not table:
            update = await owner.update()
            table = update.table["following"]
        for client in self.clients:
            await client.connect(table)
        await self.start()


class StrongTable:
    """A table where strong bots stand in for all four people while they are let, game after game."""

    def __init__(self, number: int, signer: Signer) -> None:
        source = f"127.0.{250 + number // 200}.{number % 200 + 1}"
        self.client = Client(0, signer.sign(new_person(f"strong {number}"), "token"), source)
        self.playing = False
        self.moves = 0

    async def set_up(self) -> None:
        await self.client.connect(open_table(self.client))
        for seat in range(SEATS):
            await self.client.send(type="sit", seat=seat, name=f"seat {seat}")
            await self.client.answered()
        await self.client.send(type="settings", stand_in="strong")
        await self.client.answered()
        await self.client.send(type="start")
        await self.client.answered()

    async def let(self, playing: bool) -> None:
        """Whether the bots play from now on; one that thinks is not interrupted."""
        self.playing = playing
        for seat in range(SEATS):
            await self.client.send(type="hand_over" if playing else "take_back", seat=seat)

    async def watch(self) -> None:
        """Counts moves, and goes on with the next game when one is over."""
        prompt = 0
        while True:
            try:
                update = await self.client.update()
            except Refusal:
                continue  # the game was over just then
            if update.seat == 0 and update.prompt != prompt:
                prompt = update.prompt
                self.moves += 1
            if update.table["following"]:
                await self.client.connect(update.table["following"])
                await self.client.send(type="start")
                if self.playing:
                    await self.let(True)
            elif update.view is not None and update.view.result is not None:
                await self.client.send(type="rematch")


def open_table(owner: Client) -> str:
    """A new table for four people who play Crypt."""
    line = http.client.HTTPConnection("127.0.0.1", PORT, source_address=(owner.source, 0))
    headers = {"Authorization": f"Bearer {owner.token}", "Content-Type": "application/json"}
    line.request("POST", "/api/tables", b'{"game":"crypt","seats":4,"sit":false}', headers)
    answer = line.getresponse()
    made = msgspec.json.decode(answer.read())
    line.close()
    if answer.status != 201:
        raise Refusal(made)
    table: str = made["table"]
    return table


@contextlib.contextmanager
def running_server(folder: Path, database: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "polikarp.cli", "serve", "--data", str(folder), "--port", str(PORT)]
    if database:
        command += ["--database", database]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()


def memory(process: subprocess.Popen[bytes]) -> float:
    """Megabytes of the server process."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def busy(process: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time that the server process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def share(sorted_waits: list[float], part: float) -> float:
    return sorted_waits[min(len(sorted_waits) - 1, int(len(sorted_waits) * part))]


async def measure(tables: list[LiveTable], seconds: float, process: subprocess.Popen[bytes]) -> float:
    """Play for a while; prints a line and gives p99."""
    waits = tables[0].waits
    waits.clear()
    gc.collect()
    gc.freeze()  # the clients' own pauses are not the server's
    before, used, own = sum(table.moves for table in tables), busy(process), time.process_time()
    began = time.perf_counter()
    await asyncio.gather(*(table.play(began + seconds, 1.0) for table in tables))
    took = time.perf_counter() - began
    moves = sum(table.moves for table in tables) - before
    ordered = sorted(waits)
    p99 = share(ordered, 0.99)
    print(
        f"{len(tables):5} tables  {moves / took:7.0f} moves/s  p50 {share(ordered, 0.5) * 1000:6.1f} ms"
        f"  p99 {p99 * 1000:6.1f} ms  server {memory(process):6.0f} MB  {(busy(process) - used) / took:4.0%} of a core,"
        f" clients {(time.process_time() - own) / took:4.0%}",
        flush=True,
    )
    return p99


async def add_tables(tables: list[LiveTable], count: int, signer: Signer, waits: list[float]) -> None:
    """More tables, a few at a time."""
    while len(tables) < count:
        fresh = [LiveTable(len(tables) + at, signer, waits) for at in range(min(10, count - len(tables)))]
        await asyncio.gather(*(table.set_up() for table in fresh))
        tables += fresh


async def run(folder: Path, process: subprocess.Popen[bytes], args: argparse.Namespace) -> None:
    signer = Signer(house_key(folder))
    waits: list[float] = []
    tables: list[LiveTable] = []
    empty = memory(process)
    steps = [args.tables] if args.tables else STEPS
    best = 0
    for step in steps:
        await add_tables(tables, step, signer, waits)
        print(
            f"{step:5} tables  {(memory(process) - empty) * 1024 / step:5.0f} KB each with {SEATS} sockets", flush=True
        )
        rounds = max(1, round(args.minutes * 60 / args.seconds)) if args.minutes else 1
        for _round in range(rounds):
            p99 = await measure(tables, args.seconds, process)
        if p99 >= LIMIT:
            break
        best = step
    print(f"largest number of tables with p99 under {LIMIT * 1000:.0f} ms: {best}")
    cut_off([client for table in tables for client in table.clients])


async def compare(folder: Path, process: subprocess.Popen[bytes], args: argparse.Namespace) -> None:
    """How long moves take with and without tables of strong bots beside them, in turn."""
    signer = Signer(house_key(folder))
    waits: list[float] = []
    tables: list[LiveTable] = []
    strong = [StrongTable(number, signer) for number in range(args.strong)]
    await add_tables(tables, args.tables or STEPS[0], signer, waits)
    for table in strong:
        await table.set_up()
    watches = [asyncio.create_task(table.watch()) for table in strong]
    ratios = []
    for number in range(args.rounds):
        p99 = {}
        for playing in (False, True) if number % 2 else (True, False):
            for table in strong:
                await table.let(playing)
            await asyncio.sleep(SETTLING)
            p99[playing] = await measure(tables, args.seconds, process)
        ratios.append(p99[True] / p99[False])
    ratios.sort()
    quarter = len(ratios) // 4
    print(
        f"p99 beside {args.strong} tables of strong bots, which made {sum(table.moves for table in strong)} moves:"
        f" {statistics.median(ratios):.2f} times that without (quartiles {ratios[quarter]:.2f} to"
        f" {ratios[-1 - quarter]:.2f}, {args.rounds} rounds)"
    )
    for task in watches:
        task.cancel()
    cut_off([*(client for table in tables for client in table.clients), *(table.client for table in strong)])


def cut_off(clients: list[Client]) -> None:
    for client in clients:
        if client.socket is not None:
            client.socket.transport.abort()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=0, help="only this many tables")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of one measurement")
    parser.add_argument("--minutes", type=float, default=0.0, help="go on measuring for so long")
    parser.add_argument("--strong", type=int, default=0, help="compare with so many tables of four strong bots")
    parser.add_argument("--rounds", type=int, default=10, help="of that comparison")
    parser.add_argument("--database", default="", help="postgresql://… instead of SQLite")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), args.database) as process:
        uvloop.run((compare if args.strong else run)(Path(folder), process, args))


if __name__ == "__main__":
    main()
