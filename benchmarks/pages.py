"""What tables cost that are looked at in browsers: four pages at each, one move a second, beside four programs.

    python -m benchmarks.pages                                  every game, 20 tables, early in the game
    python -m benchmarks.pages --game crypt --late              and late in it
    python -m benchmarks.pages --game crypt --tables 300        many tables
    python -m benchmarks.pages --game crypt --watchers 200      one table that many look at
    python -m benchmarks.pages --boardgame                      boardgame.io's server from npm beside it, if it installs

The server runs in one process and all clients in another (this one). Tables of pages and tables of programs (the JSON
API) are at the same server and play in turn, so that a busy machine slows both; processor time is the server's own.
Absolute times depend on the machine, the ratios hardly. A row with a bound says whether it held.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import random
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.boardgame import boardgame_rows
from benchmarks.load import PORT, busy, running_server, share
from polikarp.server.identity import Signer, house_key, new_person

GAMES = ("crypt", "gold", "melee", "hunters")
SEATS = 4
PERIOD = 1.0  # seconds between two moves at a table
ROUNDS = 3  # in which pages and programs take turns
LATE = {"gold": 40}  # from which move on it is late: a random game of Heroes' Gold has about sixty
LATE_FROM = 67
PATIENCE = 3.0  # seconds for a move to be seen by who made it
LINES = 10  # moves and lines of chat that watchers are shown
LOADS = 30  # of a page
PICTURES = re.compile(r"^export const icons=.*$", re.MULTILINE)  # in a game's script

Rows = list[str]


class Seat:
    """One socket. What is new on it is read as it comes."""

    path: str

    def __init__(self, seat: int, token: str, source: str, table: LiveTable) -> None:
        self.seat = seat
        self.token = token
        self.source = source
        self.table = table
        self.socket: ClientConnection | None = None
        self.view: dict[str, Any] | None = None
        self.prompt = 0
        self.count = 0
        self.answered = asyncio.Event()  # the last command was, or something new came

    async def connect(self, table: str) -> None:
        await self.leave()
        self.view, self.prompt = None, 0
        self.socket = await connect(
            f"ws://127.0.0.1:{PORT}{self.path.format(table)}",
            additional_headers={"Authorization": f"Bearer {self.token}"},
            local_addr=(self.source, 0),
            compression=None,
            ping_interval=None,
            open_timeout=60,
            max_size=None,
        )
        await self.send("hello", **self.hello())
        self.reading = asyncio.create_task(self.read(self.socket))

    def hello(self) -> dict[str, Any]:
        return {}

    async def leave(self) -> None:
        if self.socket is not None:
            self.reading.cancel()
            self.socket.transport.abort()
            self.socket = None

    async def send(self, kind: str, **fields: Any) -> None:
        assert self.socket is not None
        await self.socket.send(msgspec.json.encode({"type": kind, **fields}).decode())

    async def do(self, kind: str, **fields: Any) -> None:
        """Give a command and wait for the answer."""
        self.count += 1
        self.answered.clear()
        await self.send(kind, id=f"{kind} {self.count}", **fields)
        await self.something()

    async def something(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.answered.wait()
        except TimeoutError:
            self.table.lost += 1

    async def read(self, socket: ClientConnection) -> None:
        async for data in socket:
            message = msgspec.json.decode(data)
            if message["type"] == "ping":
                await self.send("pong", nonce=message["nonce"])
            elif message["type"] in ("done", "refused"):
                self.table.refused += message["type"] == "refused"
                self.answered.set()
            elif self.hear(message):
                self.table.seen(self, len(data))

    def hear(self, message: dict[str, Any]) -> bool:
        """Take in a message; says whether it tells of the table."""
        raise NotImplementedError

    def can_move(self) -> bool:
        return self.view is not None and self.seat in self.view["waiting"] and bool(self.view["moves"])

    async def move(self, move: str) -> None:
        await self.do("move", seat=self.seat, prompt=self.prompt, move=move)


class JsonSeat(Seat):
    """A program."""

    path = "/api/tables/{}/socket"

    def hear(self, message: dict[str, Any]) -> bool:
        if message["type"] != "update":
            return False
        self.view, self.prompt = message["view"], message["prompt"]
        return True


class PageSeat(Seat):
    """A page, without the browser around it."""

    path = "/t/{}/socket"

    def hello(self) -> dict[str, Any]:
        return {"seen": {"story": "", "serial": -1}}

    def hear(self, message: dict[str, Any]) -> bool:
        if message["type"] not in ("start", "step", "change", "chat"):
            return False
        if message["type"] == "start":
            self.page = message["page"]
        for one in (message, *message.get("beats", [])):
            if message["type"] != "start" and "page" in one:
                self.page = applied(self.page, one["page"])
        self.view, self.prompt = self.page["view"], self.page["prompt_id"]
        return True

    async def move(self, move: str) -> None:
        await self.do("move", seat=str(self.seat), prompt=str(self.prompt), move=move)


def applied(old: Any, difference: Any) -> Any:
    """New data out of old, as the client makes it."""
    if isinstance(difference, list):
        return difference[0]
    for field, change in difference.items():
        place = int(field) if isinstance(old, list) else field
        old[place] = applied(old[place], change)
    return old


class LiveTable:
    """A table with four of a kind, who play one move a second."""

    def __init__(self, number: int, game: str, kind: type[Seat], signer: Signer) -> None:
        self.game = game
        self.source = f"127.{int(kind is PageSeat)}.{number // 200 + 1}.{number % 200 + 1}"
        self.chance = random.Random(number)
        self.seats = [
            kind(seat, signer.sign(new_person(f"pages {number} {seat}"), "token"), self.source, self)
            for seat in range(SEATS)
        ]
        self.id = ""
        self.moves = self.lost = self.refused = 0
        self.sizes: list[int] = []
        self.waits: list[float] = []  # of the others, from the sending of a move to its receipt
        self.mover: Seat | None = None
        self.sent = 0.0

    async def begin(self) -> None:
        """A new table of the same people."""
        owner = self.seats[0]
        wanted = {"game": self.game, "seats": SEATS, "sit": False}
        self.id = ask(self.source, owner.token, "POST", "/api/tables", wanted)["table"]
        for seat in self.seats:
            await seat.connect(self.id)
            number = {"seat": str(seat.seat)} if isinstance(seat, PageSeat) else {"seat": seat.seat}
            await seat.do("sit", **number)
        await owner.do("start")
        while any(seat.view is None for seat in self.seats):
            await asyncio.sleep(0.02)
        self.moves = 0

    def seen(self, seat: Seat, size: int) -> None:
        """Something came."""
        self.sizes.append(size)
        if self.mover is not None and seat is not self.mover:
            self.waits.append(time.perf_counter() - self.sent)

    @property
    def over(self) -> bool:
        return self.seats[0].view is not None and self.seats[0].view["result"] is not None

    async def step(self) -> None:
        able = [seat for seat in self.seats if seat.can_move()]
        if not able:
            return
        mover = next((seat for seat in able if "flip" in seat.view["moves"]), able[0])  # type: ignore[index]
        assert mover.view is not None
        moves = mover.view["moves"]
        self.mover, self.sent = mover, time.perf_counter()
        await mover.move("flip" if "flip" in moves else self.chance.choice(moves))
        self.moves += 1

    async def play(self, until: float) -> None:
        await asyncio.sleep(self.chance.random() * PERIOD)
        due = time.perf_counter()
        while (now := time.perf_counter()) < until and not self.over:
            await asyncio.sleep(max(0.0, due - now))
            due += PERIOD
            await self.step()

    async def play_to(self, move: int) -> None:
        """Quickly, to a moment in the middle of a game."""
        while self.moves < move:
            if self.over:
                await self.begin()
            before = self.moves
            await self.step()
            if self.moves == before:
                await asyncio.sleep(0.02)
            elif self.game == "hunters":
                await asyncio.sleep(0.3)  # a card has to be seen before the next one


def ask(source: str, token: str, method: str, path: str, body: Any = None) -> Any:
    line = http.client.HTTPConnection("127.0.0.1", PORT, source_address=(source, 0))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept-Encoding": "gzip"}
    line.request(method, path, None if body is None else msgspec.json.encode(body), headers)
    answer = line.getresponse()
    found = answer.read()
    line.close()
    if answer.status >= 400:
        raise RuntimeError(found[:300])
    if answer.getheader("Content-Encoding") == "gzip":
        found = gzip.decompress(found)
    return found.decode() if path.startswith(("/t/", "/static/")) else msgspec.json.decode(found)


class Measured:
    """What some rounds of one kind of client cost."""

    def __init__(self) -> None:
        self.busy = self.seconds = 0.0
        self.moves = 0
        self.sizes: list[int] = []
        self.waits: list[float] = []

    @property
    def a_move(self) -> float:
        """Milliseconds of processor time."""
        return self.busy / max(1, self.moves) * 1000


async def measure(tables: list[LiveTable], seconds: float, process: subprocess.Popen[bytes], into: Measured) -> None:
    for table in tables:
        table.sizes.clear()
        table.waits.clear()
    before, used, began = sum(table.moves for table in tables), busy(process), time.perf_counter()
    await asyncio.gather(*(table.play(began + seconds) for table in tables))
    into.seconds += time.perf_counter() - began
    into.busy += busy(process) - used
    into.moves += sum(table.moves for table in tables) - before
    for table in tables:
        into.sizes += table.sizes
        into.waits += table.waits


async def in_turn(
    pages: list[LiveTable], programs: list[LiveTable], seconds: float, process: subprocess.Popen[bytes], least: int
) -> tuple[Measured, Measured]:
    """Pages and programs in turn, from a move on."""
    found = Measured(), Measured()
    for number in range(ROUNDS):
        sides = list(zip((pages, programs), found, strict=True))
        for tables, into in sides if number % 2 else sides[::-1]:
            await by_tens(tables, lambda table: table.play_to(least) if table.moves < least or table.over else rest())
            await measure(tables, seconds / ROUNDS, process, into)
    return found


async def rest() -> None:
    pass


async def by_tens(tables: list[LiveTable], work: Callable[[LiveTable], Any]) -> None:
    """A few tables at a time."""
    for at in range(0, len(tables), 10):
        await asyncio.gather(*(work(table) for table in tables[at : at + 10]))


def row(name: str, found: str, bound: str = "", held: bool = True) -> str:
    verdict = f"{bound:>12}  {'held' if held else 'not'}" if bound else ""
    return f"  {name:58} {found:>24} {verdict}"


def kilobytes(sizes: list[int], part: float) -> float:
    return share(sorted(map(float, sizes)), part) / 1024 if sizes else 0.0


def cost_rows(pages: Measured, programs: Measured, tables: int) -> Rows:
    most = 1.5 if tables >= 300 else 2.5
    ratio = pages.a_move / max(0.001, programs.a_move)
    small, large = kilobytes(pages.sizes, 0.5), kilobytes(pages.sizes, 0.9)
    waits = sorted(pages.waits) or [0.0]
    rows = [
        row("server's processor a move, four pages", f"{pages.a_move:.2f} ms", f"≤ {most} ms", pages.a_move <= most),
        row("the same, four programs (JSON API)", f"{programs.a_move:.2f} ms"),
        row("pages against programs", f"{ratio:.2f} ×", "≤ 1.3 ×", ratio <= 1.3),
        row("bytes a message to a page, median", f"{small:.2f} KB", "≤ 0.6 KB", small <= 0.6),
        row("bytes a message to a page, p90", f"{large:.2f} KB", "≤ 3 KB", large <= 3),
        row("bytes a message to a program, median", f"{kilobytes(programs.sizes, 0.5):.2f} KB"),
    ]
    core, slow = pages.busy / pages.seconds, share(waits, 0.99) * 1000
    if tables >= 300:
        rows.append(row("of a core", f"{core:.0%}", "≤ 50 %", core <= 0.5))
        rows.append(row("to the other page, p99", f"{slow:.0f} ms", "≤ 100 ms", slow <= 100))
    else:
        rows.append(row("to the other page, p50 and p99", f"{share(waits, 0.5) * 1000:.1f}, {slow:.1f} ms"))
    return rows


def weight_rows(table: LiveTable) -> Rows:
    """What a browser loads of script, style, templates and words, packed. Pictures were part of the page before."""
    html = ask(table.source, table.seats[0].token, "GET", f"/t/{table.id}")
    packed: dict[str, float] = {"pictures": 0.0}
    for path in dict.fromkeys(re.findall(r'"(/static/[^"]+\.(?:js|css))"', html)):
        text = ask(table.source, table.seats[0].token, "GET", path)
        drawn = PICTURES.sub("", text)
        packed[path.rsplit("/", 1)[1]] = size = kilobytes_packed(drawn)
        packed["pictures"] += kilobytes_packed(text) - size
    total = sum(packed.values()) - packed["pictures"]
    rows = [row(f"  {name}", f"{size:.1f} KB") for name, size in packed.items()]
    return [row("script, style, templates and words, gzip", f"{total:.1f} KB", "≤ 60 KB", total <= 60), *rows]


def kilobytes_packed(text: str) -> float:
    return len(gzip.compress(text.encode(), 6)) / 1024


def load_rows(table: LiveTable, process: subprocess.Popen[bytes]) -> Rows:
    """A whole page over HTTP."""
    used = busy(process)
    for _ in range(LOADS):
        ask(table.source, table.seats[0].token, "GET", f"/t/{table.id}")
    took = (busy(process) - used) / LOADS * 1000
    return [row(f"GET /t/ID after {table.moves} moves", f"{took:.1f} ms", "≤ 8 ms", took <= 8)]


async def watcher_rows(game: str, count: int, signer: Signer, process: subprocess.Popen[bytes]) -> Rows:
    """One table that many look at: what a move and a line of chat take the event loop. It is held no longer than it
    computes, and on a quiet machine whoever asks /healthz meanwhile waits as long."""
    table = LiveTable(900, game, PageSeat, signer)
    await table.begin()
    watchers = [
        PageSeat(-1, signer.sign(new_person(f"watcher {at}"), "token"), f"127.2.0.{at % 200 + 1}", table)
        for at in range(count)
    ]
    for watcher in watchers:
        await watcher.connect(table.id)
    while any(watcher.view is None for watcher in watchers):
        await asyncio.sleep(0.02)
    await asyncio.sleep(PERIOD)
    rows = []
    for name, act in (
        ("a move", table.step),
        ("a line of chat", lambda: table.seats[table.moves % 4].do("chat", text="well?")),
    ):
        used, waits = busy(process), []
        for _ in range(LINES):
            asked = asyncio.create_task(asyncio.to_thread(healthy, table))
            await act()
            waits.append(await asked)
            await asyncio.sleep(PERIOD / 4)
        took = (busy(process) - used) / LINES * 1000
        rows.append(row(f"{name}, {count} watchers: processor", f"{took:.1f} ms", "≤ 50 ms", took <= 50))
        rows.append(row("  /healthz meanwhile, median", f"{statistics.median(waits) * 1000:.1f} ms"))
    for seat in (*watchers, *table.seats):
        await seat.leave()
    return rows


def healthy(table: LiveTable) -> float:
    began = time.perf_counter()
    ask(table.source, table.seats[0].token, "GET", "/healthz")
    return time.perf_counter() - began


async def run(folder: Path, process: subprocess.Popen[bytes], args: argparse.Namespace) -> None:
    signer = Signer(house_key(folder))
    for game in [args.game] if args.game else GAMES:
        print(f"{game}, {args.tables} tables of {SEATS}, {args.seconds:.0f} s each", flush=True)
        if args.watchers:
            print("\n".join(await watcher_rows(game, args.watchers, signer, process)), flush=True)
            continue
        pages, programs = (
            [LiveTable(number, game, kind, signer) for number in range(args.tables)] for kind in (PageSeat, JsonSeat)
        )
        for tables in (pages, programs):
            await by_tens(tables, LiveTable.begin)
        early = await in_turn(pages, programs, args.seconds, process, 0)
        print("\n".join(cost_rows(*early, args.tables)), flush=True)
        if args.late:
            late = await in_turn(pages, programs, args.seconds, process, LATE.get(game, LATE_FROM))
            print("\n".join(late_rows(early[0], late[0], early[1], late[1])), flush=True)
            print("\n".join(load_rows(pages[0], process)), flush=True)
        print("\n".join(weight_rows(pages[0])), flush=True)
        tables = [*pages, *programs]
        lost, refused = (sum(getattr(table, name) for table in tables) for name in ("lost", "refused"))
        print(row("moves refused, and without an answer", f"{refused}, {lost}"), flush=True)
        for table in tables:
            for seat in table.seats:
                await seat.leave()


def late_rows(early: Measured, late: Measured, early_api: Measured, late_api: Measured) -> Rows:
    grown = late.a_move / max(0.001, early.a_move)
    return [
        row("late in the game, four pages", f"{late.a_move:.2f} ms"),
        row("late against early", f"{grown:.2f} ×", "≤ 1.15 ×", grown <= 1.15),
        row("the same of programs", f"{late_api.a_move / max(0.001, early_api.a_move):.2f} ×"),
        row("bytes late, median and p90", f"{kilobytes(late.sizes, 0.5):.2f}, {kilobytes(late.sizes, 0.9):.2f} KB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=GAMES, help="only this one")
    parser.add_argument("--tables", type=int, default=20, help="of pages, and as many of programs")
    parser.add_argument("--seconds", type=float, default=10.0, help="that each kind plays")
    parser.add_argument("--late", action="store_true", help="play on, and compare late in the game with early")
    parser.add_argument("--watchers", type=int, default=0, help="only one table, with so many who look on")
    parser.add_argument("--boardgame", action="store_true", help="boardgame.io's own tic-tac-toe, four clients a match")
    args = parser.parse_args()
    if args.boardgame:
        print("\n".join(boardgame_rows(args.tables, args.seconds)))
        return
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), "") as process:
        uvloop.run(run(Path(folder), process, args))


if __name__ == "__main__":
    main()
