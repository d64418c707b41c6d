"""Is the race fair over real sockets? `python benchmarks/race.py --sockets [RACES]` and `--packets [RACES]` come here.

Pairs of programs with equal reflexes race at tables of one real server. Their lines are made longer by a proxy that
keeps everything for a while, of which the server knows; or, as root, by networks of their own whose packets are kept
for a while, where the server's kernel knows the lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import functools
import math
import os
import random
import socket
import statistics
import struct
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from tests.server.hasty import HASTY
from tests.server.house import ROUND_TRIP, aside
from tests.server.playing import Guest, serving
from tests.server.racing import SETTLED, DelayingProxy, Racer, SlowPongs, at_table, far_away, turn_at

from benchmarks.race import FAR, NEAR, REACTION, REACTION_SPREAD, bias_of
from polikarp.engine.strip import REACTION as QUICKEST
from polikarp.engine.strip import SEEN
from polikarp.server.race.latency import DEVIATIONS

TABLES = 8  # at once
AT_ONE_TABLE = 15  # races: five on each pile end no game
CARD = 2  # that they race for: with one open, a slap before anybody could see it is void in any case
PAUSE = 2.2  # seconds between two tables: a server lets one address bring in a guest a second
CLONE_NEWNET = 0x40000000  # Linux: a network namespace
SET_INTERFACE, PLAIN_PACKETS = 0x400454CA, 0x1001  # TUNSETIFF, IFF_TUN | IFF_NO_PI

Open = Callable[[], socket.socket | None]


class Found(msgspec.Struct, frozen=True):
    """What the races of one case gave, for the first player. Times in milliseconds."""

    name: str
    races: int
    share: float  # of the wins
    bias: float  # that the share corresponds to
    half: float  # of the 95 % interval of the bias
    shift: float  # by how much its times were better than its reactions, in the mean
    other: float  # the same of the other player
    void: float  # share of the races in which it made a false start that did not count
    mistakes: float  # share of those in which its slap counted without the newest card


class Raced(msgspec.Struct):
    """One race at a table."""

    better: tuple[float, float]  # how much the time of each was better than the reaction
    won: bool  # by the first player
    mistake: bool  # its slap counted without the newest card
    void: bool = False  # the first player's slap was a false start, and did not count


class Seated(Racer):
    """A program at the end of a line, with human reflexes."""

    def __init__(self, guest: Guest, table: str, way: Way, chance: random.Random) -> None:
        super().__init__(guest, table, way.forwarded, way.told)
        self.dial = way.dial
        self.reflex = lambda table, card: self.reaction(chance) if card == CARD else None

    def reaction(self, chance: random.Random) -> float:
        return max(150.0, chance.gauss(REACTION, REACTION_SPREAD))

    def made_socket(self) -> socket.socket | None:
        return self.dial()


class Boaster(Seated):
    """Claims to have been quicker than it was."""

    def claim(self, took: float) -> float:
        return 101.0


class Delayer(SlowPongs, Seated):
    """Answers pings late, to seem far away, and claims what then looks possible."""

    def claim(self, took: float) -> float:
        return took - self.delay


class Blind(Seated):
    """Slaps when the card arrives, before anybody could have seen it, and claims a quick reaction."""

    def reaction(self, chance: random.Random) -> float:
        return chance.uniform(0.0, 20.0)

    def claim(self, took: float) -> float:
        return 110.0


class Guesser(Seated):
    """Slaps at any moment of the first 100 ms, without having seen the card, and says so."""

    def reaction(self, chance: random.Random) -> float:
        return chance.uniform(0.0, 80.0)  # a program wakes up a little late


class Way(msgspec.Struct, frozen=True):
    """How a program reaches the server."""

    url: str
    forwarded: bool
    dial: Open
    told: str = ""  # by the proxy


CASES: dict[str, tuple[type[Seated], str, str]] = {
    "honest, 10 ms against 10 ms": (Seated, "near", "near"),
    "honest, 200 ms against 10 ms": (Seated, "far", "near"),
    "claims too little, 10 ms": (Boaster, "near", "near"),
    "claims too little, 200 ms": (Boaster, "far", "near"),
    "delays its pongs by 150 ms, 10 ms": (Delayer, "near", "near"),
    "the same, and its proxy tells nothing": (Delayer, "untold", "near"),
    "slaps before it can see, 10 ms": (Blind, "near", "near"),
    "slaps before it can see, 200 ms": (Blind, "far", "near"),
    "guesses in the first 100 ms, 10 ms": (Guesser, "near", "near"),
    "guesses in the first 100 ms, 200 ms": (Guesser, "far", "near"),
}


async def run_case(name: str, url: str, ways: dict[str, Way], races: int) -> Found:
    kind, mine, others = CASES[name]
    numbers = range(math.ceil(races / AT_ONE_TABLE))
    raced: list[Raced] = []
    busy, opening = asyncio.Semaphore(TABLES), asyncio.Lock()

    async def one_table(number: int) -> None:
        async with busy:
            async with opening:
                await asyncio.sleep(PAUSE)
                one, other = await aside(Guest, url), await aside(Guest, url)
            raced.extend(await race_at(one, other, kind, ways[mine], ways[others], f"{name} {number}"))
            one.close()
            other.close()

    await asyncio.gather(*map(one_table, numbers))
    share = statistics.fmean(race.won for race in raced)
    half = 1.96 * math.sqrt(max(share * (1 - share), 1 / len(raced)) / len(raced))
    first, second = (
        statistics.fmean([race.better[seat] for race in raced if not math.isnan(race.better[seat])] or [math.nan])
        for seat in (0, 1)
    )
    return Found(
        name=name,
        races=len(raced),
        share=share,
        bias=bias_of(share, len(raced)),
        half=(bias_of(share + half, len(raced)) - bias_of(share - half, len(raced))) / 2,
        shift=first,
        other=second,
        void=statistics.fmean(race.void for race in raced),
        mistakes=statistics.fmean(race.mistake for race in raced),
    )


async def race_at(one: Guest, other: Guest, kind: type[Seated], mine: Way, others: Way, seed: str) -> list[Raced]:
    """The races of one table."""
    chance = random.Random(seed)
    table = await aside(one.table, game="hunters", seats=2, options={"pace": 5}, absence=0)
    await aside(other.do, table, "sit")
    first, second = kind(one, table, mine, chance), Seated(other, table, others, chance)
    one.url, other.url = mine.url, others.url
    found = []
    racers = (first, second)
    try:
        for racer in racers:
            await racer.come()
        await asyncio.sleep(3 * SETTLED)
        await first.do("start")
        for number in range(AT_ONE_TABLE):
            turn = await turn_at(first, number)
            assert turn is not None
            first.target = second.target = number % 3
            for nth in range(CARD):
                flipping = (turn + nth) % len(racers)
                await racers[flipping].flip(flipping, number)
            update = await first.until(lambda update, number=number: at_table(update, number + 1), 0)
            found.append(seen(update["strip"], first.made, second.made))
        await asyncio.gather(*first.slaps, *second.slaps)
        for number, race in enumerate(found):
            race.void = first.made[number] < QUICKEST and first.outcomes[number] != "done"
    finally:
        for racer in racers:
            await racer.leave()
    return found


def seen(strip: dict[str, Any], *made: dict[int, float]) -> Raced:
    """Whoever was heard too late is on no strip."""
    times = {finish["seat"]: finish["time"] for finish in strip["finishes"]}
    first, second = (made[seat][strip["table"]] - times[seat] if seat in times else math.nan for seat in (0, 1))
    [counts] = [finish for finish in strip["finishes"] if finish["outcome"] == "counts"]
    mine, caught = counts["seat"] == 0, counts["judged"] == SEEN
    return Raced((first, second), mine and caught, mine and not caught)


# Lines


@contextlib.asynccontextmanager
async def through_proxies(url: str) -> AsyncIterator[dict[str, Way]]:
    async with far_away(url, *NEAR, seed="near") as near, far_away(url, *FAR, seed="far") as far:
        yield {
            "near": Way(near, True, lambda: None, told(*NEAR)),
            "far": Way(far, True, lambda: None, told(*FAR)),
            "untold": Way(near, True, lambda: None),
        }


def told(trip: float, jitter: float) -> str:
    """What the proxy's kernel would know, in microseconds: it keeps a mean deviation, not a standard one."""
    return f"{trip * 1000:.0f} {jitter / DEVIATIONS * 1000:.0f}"


@contextlib.asynccontextmanager
async def through_networks(port: int) -> AsyncIterator[dict[str, Way]]:
    """Two networks beside this one. Every packet from and to them is kept for half a round trip."""
    ways, ends = {}, []
    try:
        for number, (name, (trip, jitter)) in enumerate({"near": NEAR, "far": FAR}.items(), 11):
            space, server = f"polikarp-{name}", f"10.86.{number}.1"
            system("ip", "netns", "add", space)
            ends.append(space)
            here = tunnel(f"pk{name}")
            with inside(space):
                there = tunnel(f"pk{name}")
            for end, command in ((1, ["ip"]), (2, ["ip", "-n", space])):
                system(*command, "addr", "add", f"10.86.{number}.{end}/24", "dev", f"pk{name}")
                system(*command, "link", "set", f"pk{name}", "up")
            chance = random.Random(name)
            for one, other in ((here, there), (there, here)):
                carry(one, other, DelayingProxy(0, trip, jitter, chance))
            dialled = functools.partial(dial, space, (server, port))
            ways[name] = Way(f"http://{server}:{port}", False, dialled)
        yield ways
    finally:
        for space in ends:
            system("ip", "netns", "del", space)


def tunnel(name: str) -> int:
    """A network device whose packets this process sends and gets."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_INTERFACE, struct.pack("16sH", name.encode(), PLAIN_PACKETS))
    return device


def carry(one: int, other: int, line: DelayingProxy) -> None:
    """From now on hand packets on from one device to the other, later; none overtakes another."""
    loop = asyncio.get_running_loop()
    last = 0.0

    def take() -> None:
        nonlocal last
        with contextlib.suppress(BlockingIOError):
            while packet := os.read(one, 65536):
                last = max(last, loop.time() + line.delay() / 1000)
                loop.call_at(last, os.write, other, packet)

    loop.add_reader(one, take)


def system(*command: str) -> None:
    subprocess.run(command, check=True)


@contextlib.contextmanager
def inside(space: str) -> Iterator[None]:
    """What is made meanwhile belongs to that network."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open() as home, Path(f"/run/netns/{space}").open() as away:
        if libc.setns(away.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"can not enter {space}")
        try:
            yield
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)


def dial(space: str, where: tuple[str, int]) -> socket.socket:
    with inside(space):
        made = socket.socket()
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        made.connect(where)
    return made


async def run_sockets(races: int, packets: bool, words: str) -> None:
    """Print the table, a line as soon as its races are over."""
    columns = ("first player", "races", "wins", "bias, ms", "its times are better by, ms", "those of the other by, ms")
    print(f"| {' | '.join(columns)} | void | mistakes |\n|{'---|' * (len(columns) + 2)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        trusting = ("--trusted-proxies", "127.0.0.1", "--round-trip-header", ROUND_TRIP)
        command = (*HASTY, *(("--host", "0.0.0.0") if packets else trusting))
        with serving(Path(folder) / "house", command=command) as server:
            url = f"http://127.0.0.1:{server.port}"
            async with contextlib.AsyncExitStack() as stack:
                lines = through_networks(server.port) if packets else through_proxies(url)
                ways = await stack.enter_async_context(lines)
                for name, (_, way, _) in CASES.items():
                    if way in ways and name.startswith(words):
                        print(line(await run_case(name, url, ways, races)), flush=True)


def line(one: Found) -> str:
    bias = f"{one.bias:+.1f} ± {one.half:.1f}" if one.share else "never wins"
    return (
        f"| {one.name} | {one.races} | {one.share:.1%} | {bias} | {better(one.shift)} | {better(one.other)} |"
        f" {one.void:.1%} | {one.mistakes:.1%} |"
    )


def better(shift: float) -> str:
    return "no time" if math.isnan(shift) else f"{shift:+.1f}"
