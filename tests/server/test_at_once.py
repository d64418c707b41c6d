"""Choices that all make at once: secret until all are in, changed until then, never lost or doubled."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.record import read_record, replay
from tests.server.bids import BidsGame
from tests.server.hand_clock import turns
from tests.server.house import aside, open_house, run
from tests.server.playing import Guest, Player, Refusal

SEATS = 4
BOT_BID = 9  # people bid less


class Bidder:
    """A person who bids, changes their mind, sends things twice, too late and out of order, leaves and comes back."""

    def __init__(self, player: Player, seat: int, chance: random.Random) -> None:
        self.player = player
        self.seat = seat
        self.chance = chance
        self.acknowledged: list[tuple[str, str]] = []

    async def play(self) -> None:
        while not (await self.look())["view"]["result"]:
            act = self.chance.choice([self.bid, self.bid, self.bid, self.again, self.late, self.hand_over, self.vanish])
            try:
                await act()
            except Refusal as refusal:
                if refusal.key not in ("old_prompt", "stage_over", "held_already"):
                    raise
            await turns(self.chance.randrange(40))

    async def look(self) -> dict[str, Any]:
        return await self.player.until(lambda update: update["view"], self.seat)

    async def bid(self) -> None:
        update = await self.look()
        move = f"bid {self.chance.randrange(BOT_BID)}"
        fields = {"seat": self.seat, "prompt": update["prompt"], "move": move}
        name = await self.player.send("move", **fields)
        if self.chance.random() < 0.3:
            await self.player.send("move", id=name, **fields)  # the same again, before there is an answer
        try:
            await self.player.answer(name)
        except Refusal:
            if (await self.look())["view"]["result"]:
                return
            raise
        self.acknowledged.append((name, move))

    async def again(self) -> None:
        """An old message comes once more, perhaps rounds later."""
        if self.acknowledged:
            name, move = self.chance.choice(self.acknowledged)
            await self.player.do("move", id=name, seat=self.seat, prompt=self.chance.randrange(50), move=move)

    async def late(self) -> None:
        """A decision about something that is no longer so."""
        update = await self.look()
        with pytest.raises(Refusal, match=r"old_prompt|stage_over"):
            await self.player.do("move", seat=self.seat, prompt=update["prompt"] - 1, move="bid 8")

    async def hand_over(self) -> None:
        await self.player.do("hand_over", seat=self.seat)
        await turns(self.chance.randrange(100))
        await self.player.do("take_back", seat=self.seat)

    async def vanish(self) -> None:
        """The line is cut with a message on its way; it is sent again by the next one."""
        update = await self.look()
        move = f"bid {self.chance.randrange(BOT_BID)}"
        name = await self.player.send("move", seat=self.seat, prompt=update["prompt"], move=move)
        if self.chance.random() < 0.5:
            await turns(1)
        assert self.player.socket is not None
        self.player.socket.transport.abort()
        await self.player.connect()
        await self.look()
        try:
            await self.player.do("move", id=name, seat=self.seat, prompt=update["prompt"], move=move)
        except Refusal as refusal:
            if refusal.key not in ("old_prompt", "stage_over"):
                raise
            return
        self.acknowledged.append((name, move))


@pytest.mark.parametrize("number", range(8))
def test_choices_in_any_order_are_kept_once(tmp_path: Path, number: int) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            people: list[Guest] = await house.guests(SEATS)
            table = await aside(people[0].table, game="bids", seats=SEATS, stand_in="nine")
            bidders = []
            for seat, guest in enumerate(people):
                player = await Player(guest, table).connect()
                if seat:
                    await player.do("sit", seat=seat)
                bidders.append(Bidder(player, seat, random.Random(f"{number} {seat}")))
            await bidders[0].player.do("start")
            await asyncio.gather(*(bidder.play() for bidder in bidders))
            answer = await aside(people[0].http.get, f"/api/tables/{table}/record")
            record = read_record(answer.content)
            replay(BidsGame(), record)
            for bidder in bidders:
                moves = [move.move for move in record.moves if move.seat == bidder.seat]
                own = [move for move in moves if move != f"bid {BOT_BID}"]
                assert own == [move for _, move in bidder.acknowledged], f"seat {bidder.seat}"
                log = bidder.player.seen[bidder.seat].log
                assert [line["args"]["bid"] for line in log if line["key"] == "bid"] == [
                    int(move[4:]) for move in moves
                ]
                assert sum(line["key"] == "shown" for line in log) == 3
                await bidder.player.leave()

    run(story())


def test_a_choice_can_be_changed_but_not_taken_back(tmp_path: Path) -> None:
    """Whether others have chosen since can not be learned by trying to take something back."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            table = await aside(ana.table, game="bids", seats=2, stand_in="nine")
            a, b = await Player(ana, table).connect(), await Player(bo, table).connect()
            await b.do("sit")
            await a.do("start")
            update = await a.until(lambda update: update["view"], 0)
            await a.do("move", seat=0, prompt=update["prompt"], move="bid 1")
            update = await a.until(lambda update: update["view"]["board"]["mine"] == 1, 0)
            assert update["view"]["waiting"] == [1]
            assert not update["can_undo"]
            with pytest.raises(Refusal, match="no_undo"):
                await a.do("undo", seat=0, prompt=update["prompt"])
            await a.do("move", seat=0, prompt=update["prompt"], move="bid 5")
            other = await b.until(lambda update: update["view"], 1)
            assert other["view"]["waiting"] == [0, 1], "nobody sees who has chosen"
            await b.do("move", seat=1, prompt=other["prompt"], move="bid 4")
            shown = await b.until(lambda update: update["view"]["board"]["round"] == 1, 1)
            assert shown["log"][-1]["args"]["bids"] == [5, 4]
            await a.leave()
            await b.leave()

    run(story())
