"""People who play at many tables at once, through whatever happens to the servers, and remember what they were told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator
from typing import Any

from websockets.exceptions import ConnectionClosed, WebSocketException

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from tests.server.playing import PATIENCE, Guest, Player, Refusal, guests_at

PAUSE = 0.1  # seconds before somebody tries again


class PersistentPlayer(Player):
    """A player on one seat who goes on through lost lines: what was not answered is sent again under the same id.

    It knows what the table must remember of it: `moves` and `lines` of chat that were acknowledged, in order.
    """

    def __init__(self, guest: Guest, table: str, seat: int, chance: random.Random) -> None:
        super().__init__(guest, table)
        self.seat = seat
        self.chance = chance
        self.moves: list[str] = []  # without those that were taken back
        self.lines: list[str] = []
        self.pending: dict[str, Any] | None = None  # what was sent and not answered
        self.acknowledged = 0  # moves, with those that were taken back
        self.undone = 0
        self.sent_again = 0

    async def insist(self, kind: str, **fields: Any) -> None:
        """Send something until it is answered."""
        self.count += 1
        fields["id"] = f"{self.seat} {self.count} {kind}"
        self.pending = {"type": kind, **fields}
        while True:
            try:
                if self.socket is None or self.lost.is_set():
                    await self.come_back()
                await self.do(kind, **fields)
                break
            except (ConnectionError, ConnectionClosed):
                pass
            except Refusal as refusal:
                if refusal.key not in ("store_down", "restarting"):
                    self.pending = None
                    raise
            self.sent_again += 1
            await asyncio.sleep(PAUSE)
        self.acknowledged += kind == "move"
        self.undone += kind == "undo"
        self.moves, self.lines = self.with_pending()
        self.pending = None

    def with_pending(self) -> tuple[list[str], list[str]]:
        """Moves and lines as they are if what is pending was carried out."""
        match self.pending:
            case {"type": "move", "move": move}:
                return [*self.moves, move], self.lines
            case {"type": "undo"}:
                return self.moves[:-1], self.lines
            case {"type": "chat", "text": text}:
                return self.moves, [*self.lines, text]
        return self.moves, self.lines

    async def come_back(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await self.connect()
                    return
                except (OSError, WebSocketException):  # nobody is there yet
                    await asyncio.sleep(PAUSE)

    async def see(self, condition: Any) -> dict[str, Any]:
        """Wait till something is so in the seat's stream, through lost lines."""
        while True:
            try:
                return await self.until(condition, self.seat)
            except ConnectionError:
                await asyncio.sleep(PAUSE)
                await self.come_back()

    async def play_on(self, chats: float = 0.1, undoes: float = 0.25) -> None:
        """Play random moves to the end, with some chat and some steps taken back."""
        while True:
            update = await self.see(
                lambda update: update["view"] and (update["view"]["result"] or self.seat in update["view"]["waiting"])
            )
            if update["view"]["result"]:
                return
            prompt = update["prompt"]
            try:
                if self.chance.random() < chats:
                    await self.insist("chat", text=f"{self.seat} says {self.count}")
                if update["can_undo"] and self.chance.random() < undoes:
                    await self.insist("undo", seat=self.seat, prompt=prompt)
                else:
                    move = self.chance.choice(update["view"]["moves"])
                    await self.insist("move", seat=self.seat, prompt=prompt, move=move)
            except Refusal as refusal:
                if refusal.key == "chat_too_fast":
                    continue
                if refusal.key != "old_prompt":
                    raise
            await self.see(lambda update, prompt=prompt: update["prompt"] != prompt)


class Company:
    def __init__(self, guests: list[Guest], chance: random.Random) -> None:
        self.guests = guests
        self.chance = chance
        self.tables: dict[str, list[PersistentPlayer]] = {}
        self.games: dict[str, asyncio.Task[None]] = {}

    @property
    def players(self) -> list[PersistentPlayer]:
        return [player for players in self.tables.values() for player in players]

    @property
    def acknowledged(self) -> int:
        return sum(player.acknowledged for player in self.players)

    def open_tables(self, count: int) -> None:
        """See that so many are being played, with people on most seats."""
        while len(self.unfinished()) < count:
            seats = self.chance.choice([2, 3, 4, 4])
            bots = self.chance.choice([0, 0, 0, 1])
            people = self.chance.sample(self.guests, seats - bots)
            table = people[0].table(seats=seats, absence=0)
            for guest in people[1:]:
                guest.do(table, "sit")
            if bots:
                people[0].do(table, "add_bot", level=self.chance.choice(["random", "greedy"]))
            self.tables[table] = [
                PersistentPlayer(guest, table, seat, random.Random(self.chance.random()))
                for seat, guest in enumerate(people)
            ]
            self.games[table] = asyncio.create_task(play_table(self.tables[table]))

    def unfinished(self) -> list[str]:
        """The tables that are still played. Raises what went wrong at the others."""
        for game in self.games.values():
            if game.done():
                game.result()
        return [table for table, game in self.games.items() if not game.done()]

    async def play_some(self, moves: int) -> None:
        enough = self.acknowledged + moves
        while self.acknowledged < enough and self.unfinished():
            await asyncio.sleep(0.01)

    def compare(self, patience: float = 0.0) -> int:
        """Everything that was acknowledged is there, and nothing else but what still waits for its answer: says how
        much of that was carried out. Nobody sends or reads meanwhile, because all of them are in this one thread.
        `patience` is for news from other servers to come in."""
        carried_out = 0
        for player in [player for table in self.unfinished() for player in self.tables[table]]:
            sure, possible = (player.moves, player.lines), player.with_pending()
            end = time.monotonic() + patience
            while (found := (own_moves(player), own_lines(snapshot(player)))) not in (sure, possible):
                assert time.monotonic() < end, (found, sure, player.pending)
                time.sleep(PAUSE)
            carried_out += found != sure
        return carried_out

    async def finish(self) -> None:
        """Every game comes to its end, its record holds and has what was acknowledged, and nobody missed anything."""
        await asyncio.gather(*self.games.values())
        for table, players in self.tables.items():
            for player in players:
                async with asyncio.timeout(PATIENCE):
                    while (now := snapshot(player))["table"]["stage"] != "over":
                        await asyncio.sleep(PAUSE)  # another server may not have heard of it yet
                seen = player.seen[player.seat]
                assert (seen.log, seen.chat) == (now["log"], now["chat"])
                assert seen.update["view"] == now["view"]
                assert own_lines(now) == player.lines
            record = read_record(fetch(players[0].guest, f"/api/tables/{table}/record"))
            assert verify(all_games()[record.game], record) > 0
            for player in players:
                assert player.moves == [move.move for move in record.moves if move.seat == player.seat]

    async def close(self) -> None:
        for game in self.games.values():
            game.cancel()
        await asyncio.gather(*self.games.values(), return_exceptions=True)
        for player in self.players:
            await player.leave()


@contextlib.asynccontextmanager
async def company(urls: list[str], chance: random.Random) -> AsyncIterator[Company]:
    """A guest at each of these servers."""
    with guests_at(*urls) as guests:
        made = Company(guests, chance)
        try:
            yield made
        finally:
            await made.close()


async def play_table(players: list[PersistentPlayer]) -> None:
    await asyncio.gather(*(player.come_back() for player in players))
    await players[0].insist("start")
    await asyncio.gather(*(player.play_on() for player in players))


def fetch(guest: Guest, path: str) -> bytes:
    response = guest.ask().get(path)
    assert response.status_code == 200, response.text
    return response.content


def own_moves(player: PersistentPlayer) -> list[str]:
    """A seat's moves as the table has them."""
    record = json.loads(fetch(player.guest, f"/api/tables/{player.table}/record?seat={player.seat}"))
    if "seed" in record:  # the game is over: everybody's moves
        return [move for seat, move, *_ in record["moves"] if seat == player.seat]
    moves: list[str] = record["moves"]
    return moves


def snapshot(player: PersistentPlayer) -> dict[str, Any]:
    """The table as a seat sees it now, with the whole log and chat."""
    (update,) = json.loads(fetch(player.guest, f"/api/tables/{player.table}"))["updates"]
    assert update["seat"] == player.seat
    found: dict[str, Any] = update
    return found


def own_lines(update: dict[str, Any]) -> list[str]:
    """What the seat itself has said."""
    return [line["text"] for line in update["chat"] if line["seat"] == update["seat"]]
