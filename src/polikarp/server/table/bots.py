"""The bots at one table: who is asked to think, and playing what they answer.

Bots sit on seats as people do: they get the seat's sight, never the position. An answer counts only if the seat still
sees what the bot was shown.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

from polikarp.bots import bot_types
from polikarp.engine.phrase import Refused
from polikarp.engine.table import Prepared
from polikarp.server.bots.worker import BotAnswer
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.clocks import time_is_up
from polikarp.server.table.document import PLAYING
from polikarp.server.table.moves import played

Change = Callable[[Callable[[Moment], TableChange | None]], Awaitable[TableChange | None]]


class Thinking:
    """The bots that think about their seat's decision."""

    def __init__(self, house: House, change: Change) -> None:
        self.house = house
        self.change = change  # of the table
        self.asked: dict[int, tuple[int, asyncio.Task[None]]] = {}  # by seat: its prompt

    def ask(self, moment: Moment) -> None:
        """Every bot whose decision it is, also for who ran out of time, and those that may want to act out of turn."""
        assert moment.table is not None
        state = moment.table.state
        for number, seat in enumerate(moment.document.seats):
            if state.waiting >> number & 1:
                if seat.player or time_is_up(moment.document, seat, moment.now, moment.outages):
                    self.ask_seat(moment, number, seat.player or moment.document.stand_in, False)
            elif seat.player and bot_types(moment.game)[seat.player.partition(":")[0]].volunteers:
                if state.moves(number):
                    self.ask_seat(moment, number, seat.player, True)

    def ask_seat(self, moment: Moment, seat: int, level: str, volunteer: bool) -> None:
        """Let a bot think about a seat's decision, unless it does already."""
        prompt = moment.document.seats[seat].prompt
        thinking = self.asked.get(seat)
        if thinking is not None:
            if thinking[0] == prompt:
                return
            thinking[1].cancel()
        task = self.house.spawn(self.think(moment, seat, prompt, level, volunteer))
        self.asked[seat] = (prompt, task)

    def rest(self) -> None:
        """Nobody waits for what the bots here think about."""
        for _prompt, task in self.asked.values():
            if task is not asyncio.current_task():
                task.cancel()

    async def think(self, moment: Moment, seat: int, prompt: int, level: str, volunteer: bool) -> None:
        """A bot's answer, played if the seat still sees what the bot was shown."""
        try:
            assert moment.table is not None
            answer = await self.house.bots.choose(
                moment.game.id,
                len(moment.document.seats),
                moment.document.options,
                moment.table.state.sight(seat).to_bytes(),
                seat,
                level,
                volunteer,
                person=moment.document.owner,
                table=moment.id,
            )
            if volunteer and (answer is None or answer.move < 0):
                return

            def bots_move(then: Moment) -> TableChange | None:
                may = bot_may_play(then, seat, prompt, volunteer)
                return played(then, legal(then, seat, answer)) if may else None

            await self.change(bots_move)
        except Denied:
            pass  # the store is down: the table is due again soon, and the bot is asked then
        finally:
            if self.asked.get(seat, (0, None))[1] is asyncio.current_task():
                del self.asked[seat]


def bot_may_play(moment: Moment, seat: int, prompt: int, volunteer: bool) -> bool:
    document, table = moment.document, moment.table
    if moment.house.draining or document.stage != PLAYING or table is None or document.seats[seat].prompt != prompt:
        return False
    if volunteer:
        return bool(document.seats[seat].player)
    if not table.state.waiting >> seat & 1:
        return False
    return bool(document.seats[seat].player) or time_is_up(document, document.seats[seat], moment.now, moment.outages)


def legal(moment: Moment, seat: int, answer: BotAnswer | None) -> Prepared:
    """The bot's move, with what it considered; where no bot could give a right one, any move will do, so that the table
    goes on.
    """
    assert moment.table is not None
    if answer is not None:
        try:
            move = moment.table.prepare(seat, answer.move, moment.since_deal())
            return move._replace(step=move.step._replace(thoughts=answer.thoughts))
        except Refused:
            pass
    return moment.table.prepare(seat, secrets.choice(moment.table.state.moves(seat)), moment.since_deal())
