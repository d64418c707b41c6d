"""How long people wait for their bots beside one guest's many tables: `python -m benchmarks.fair [--tables N]`, from
the project's root.

One guest has many tables at which only strong bots play, and looks on at all of them. Somebody else has one table. What
their bots take for a move is measured with and without the many beside it, in turn, once with quick bots and once with
strong ones. Ratios are what counts; absolute times depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import uvloop

from benchmarks.load import Client, Refusal, cut_off, open_table, running_server
from polikarp.server.identity import Signer, house_key, new_person

LEVELS = ("greedy", "strong")
SETTLING = 2.0  # seconds, in which bots finish their thoughts


class BotTable:
    """A table with two bots, one of them on a person's seat while it is let."""

    def __init__(self, token: str, source: str, level: str) -> None:
        self.client = Client(0, token, source)
        self.level = level

    async def set_up(self) -> None:
        await self.client.connect(open_table(self.client))
        await self.client.send(type="sit", seat=0)
        await self.client.send(type="settings", seats=2, stand_in=self.level)
        await self.client.send(type="add_bot", level=self.level)
        await self.client.send(type="start")
        while (await self.client.update()).view is None:
            pass

    async def let(self, playing: bool) -> None:
        await self.client.send(type="hand_over" if playing else "take_back", seat=0)

    async def drain(self) -> None:
        """Look on."""
        while True:
            try:
                await self.client.receive()
            except Refusal:
                continue

    async def move_times(self, moves: int) -> list[float]:
        """Seconds that each of so many moves took."""
        times: list[float] = []
        await self.let(True)
        since, prompt = time.perf_counter(), self.client.last.prompt if self.client.last is not None else 0
        while len(times) < moves:
            update = await self.client.update()
            if update.prompt != prompt:
                now, prompt = time.perf_counter(), update.prompt
                times.append(now - since)
                since = now
        return times


async def measure(folder: Path, args: argparse.Namespace) -> None:
    signer = Signer(house_key(folder))
    guest = signer.sign(new_person("many tables"), "token")
    many = [BotTable(guest, f"127.0.1.{number + 1}", "strong") for number in range(args.tables)]
    for table in many:
        await table.set_up()
    watches = [asyncio.create_task(table.drain()) for table in many]
    lines = [table.client for table in many]
    for level in LEVELS:
        means: dict[bool, list[float]] = {False: [], True: []}
        longest = 0.0
        for number in range(args.rounds):
            for beside in (False, True) if number % 2 else (True, False):
                for table in many:
                    await table.let(beside)
                await asyncio.sleep(SETTLING)
                token = signer.sign(new_person(f"one table {number}"), "token")
                one = BotTable(token, f"127.0.2.{number + 1}", level)
                await one.set_up()
                times = await one.move_times(args.moves)
                cut_off([one.client])
                means[beside].append(statistics.mean(times))
                longest = max(longest, *times) if beside else longest
        ratios = [with_many / alone for with_many, alone in zip(means[True], means[False], strict=True)]
        print(
            f"{level:7} a move takes {statistics.median(means[False]):5.2f} s alone,"
            f" {statistics.median(means[True]):5.2f} s beside {args.tables} tables of another guest"
            f" (the longest {longest:5.2f} s): {statistics.median(ratios):6.2f} times as long"
            f" ({min(ratios):.2f} to {max(ratios):.2f}, {args.rounds} rounds)",
            flush=True,
        )
    for watch in watches:
        watch.cancel()
    cut_off(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=25, help="of the one guest")
    parser.add_argument("--moves", type=int, default=6, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=6)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), ""):
        uvloop.run(measure(Path(folder), args))


if __name__ == "__main__":
    main()
