"""One table in play: its lane, in which everything happens one after another.

A command is checked, carried out on a draft, written to the store, and only then shown. So what anybody was told
survives the server, and a change that could not be written never happened. Several servers may have the same table
open: each change names the version it was made from, and who comes second reads the table again.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

import msgspec

from polikarp.bots import bot_types
from polikarp.engine.game import MoveTextError
from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Event, Refused
from polikarp.engine.record import RecordedMove, recorded
from polikarp.engine.state import WATCHER, State, seats_of
from polikarp.engine.strip import Strip
from polikarp.engine.table import Prepared, Step, Table
from polikarp.engine.thoughts import Thoughts
from polikarp.server import messages as say
from polikarp.server.acts import Act, owns, refit, return_to
from polikarp.server.bot_worker import BotAnswer
from polikarp.server.checking import DoesNotHold, state_again
from polikarp.server.clocks import absence_ends, deadline, resume_clock, start_clock, stop_clock, time_is_up
from polikarp.server.denied import Denied
from polikarp.server.finish_line import FinishLine, clock
from polikarp.server.identity import Person, clean_chat
from polikarp.server.seating import (
    CLOSED,
    DEALING,
    DECODE,
    ENCODE,
    HALTED,
    HOUR,
    OPEN,
    OVER,
    PLAYING,
    REMEMBERED,
    Body,
    copy_body,
    faction_choices,
    mark_of,
)
from polikarp.server.showing import Entry, told
from polikarp.store import Change, ChatRow, Conflict, Loaded, StepRow, StoreDown, TableRow

if TYPE_CHECKING:
    from polikarp.server.hall import Hall
    from polikarp.server.sockets import Connection

REVEAL_SECONDS = 5.0  # for showing the shares that were promised
BOT_SECONDS = 5.0  # after which another server sees to a bot that did not answer
VISIT_SECONDS = 60.0  # for which bots think after somebody looked who keeps no line, such as a page without scripts
OPEN_HOURS = 24  # that a table waits for its players
ATTEMPTS = 8  # at a change that others keep overtaking
CHAT_LINES = 2000  # that a table keeps

EVENTS = msgspec.msgpack.Decoder(list[Event])
STRIP = msgspec.msgpack.Decoder(Strip)
THOUGHTS = msgspec.msgpack.Decoder(Thoughts)
PACK = msgspec.msgpack.Encoder().encode


class Lane:
    """One table. `lock` is held by whoever changes it."""

    def __init__(self, hall: Hall, loaded: Loaded) -> None:
        self.hall = hall
        self.id = loaded.row.id
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.asking: dict[int, tuple[int, asyncio.Task[None]]] = {}  # the bots that think: their seat's prompt
        self.timer: asyncio.TimerHandle | None = None
        self.stale = False  # the store has a newer version
        self.used = hall.now()
        self.visited = -VISIT_SECONDS  # when somebody last looked who keeps no line
        self.take_in(loaded)
        racing = not self.past and self.game.timing(self.body.options) is not None
        self.finish_line = FinishLine(self) if racing else None

    # Reading it from the store.

    def take_in(self, loaded: Loaded) -> None:
        """Become what the store says."""
        self.version = loaded.row.version
        self.changed = loaded.row.changed
        self.due = loaded.row.due
        self.body: Body = DECODE(loaded.row.body)
        self.game = self.hall.games[self.body.game]
        self.chat = loaded.chat
        self.history: list[Entry] = []
        self.marks: set[tuple[int, str]] = set()
        self.table: Table | None = None
        self.views: dict[int, msgspec.Raw] = {}
        self.infos: dict[int, msgspec.Raw] = {}
        self.stale = False
        self.stored = loaded.row.state  # the position, whether these rules understand it or not
        self.step_count = len(loaded.steps)
        played = self.fold(loaded.steps)
        if loaded.steps:
            self.table = self.restored(loaded, played)
        elif self.body.rules != self.game.rules:
            refit(self.game, self.body)
        self.unread = [loaded.steps[0], *played] if self.past else []  # the deal and the moves, as they were written

    @property
    def past(self) -> bool:
        """The game was dealt, and the installed rules can not show it: only what was told is left."""
        return self.table is None and self.step_count > 0

    def fold(self, rows: list[StepRow]) -> list[StepRow]:
        """The moves that count, once those that were taken back are gone; the log keeps both."""
        played: list[StepRow] = []
        for row in rows:
            if row.move is None:
                self.history.append(Entry(row.seat, EVENTS.decode(played.pop().events), True))
            else:
                self.history.append(Entry(row.seat, EVENTS.decode(row.events), False))
                if row.number:
                    played.append(row)
            if row.mark:
                self.marks.add((row.seat, row.mark))
        return played

    def restored(self, loaded: Loaded, played: list[StepRow]) -> Table | None:
        """The engine's table. A game that the installed rules no longer understand is halted, not guessed at."""
        body, deal, state = self.body, loaded.steps[0], loaded.row.state
        body.began = body.began if body.began is not None else deal.at
        if body.stage == HALTED or state is None:
            return None
        try:
            if body.rules != self.game.rules:
                state = state_again(loaded, self.hall.games) or state
                body.rules = self.game.rules
            steps = [self.step_of(row) for row in played]
            return Table.restore(
                self.game,
                len(body.seats),
                body.options,
                seed=body.seed or bytes(32),
                shares=shares_of(body),
                dealt=deal.drawn,
                dealt_events=EVENTS.decode(deal.events),
                steps=steps,
                state=state,
                factions=faction_choices(body),
            )
        except (UsageError, ValueError, DoesNotHold) as mistake:
            if body.stage == PLAYING:
                body.stage, body.halted = HALTED, str(mistake)[:200]
            return None

    def step_of(self, row: StepRow) -> Step:
        kept = self.recorded(row)
        events, move = EVENTS.decode(row.events), self.game.parse(kept.move)
        return Step(row.seat, move, row.drawn, events, row.sealed, None, kept.at, kept.strip, kept.thoughts)

    def moves(self) -> list[RecordedMove]:
        """The moves as a record has them, whatever the rules."""
        return recorded(self.table) if self.table is not None else [self.recorded(row) for row in self.unread[1:]]

    def recorded(self, row: StepRow) -> RecordedMove:
        at = None if row.at < 0 else max(0, round((row.at - (self.body.began or 0.0)) * 1000))
        strip = None if row.strip is None else STRIP.decode(row.strip)
        thoughts = None if row.thoughts is None else THOUGHTS.decode(row.thoughts)
        return RecordedMove(row.seat, row.move or "", row.drawn, at, strip, thoughts)

    async def fresh(self) -> None:
        """Take in what the store has that is newer."""
        if self.stale:
            loaded = await self.hall.store.read(self.id, self.step_count, len(self.chat))
            if loaded is None:
                raise Denied("no_such_table", status=404)
            if self.table is None or loaded.row.state is None:
                whole = await self.hall.store.read(self.id)
                assert whole is not None
                self.take_in(whole)
            else:
                self.take_news(self.table, loaded, loaded.row.state)
            self.publish()
            if self.due is None:
                self.arrange()  # another server, where nobody is, has put the table to rest

    def take_news(self, table: Table, loaded: Loaded, state: bytes) -> None:
        """Go on with the steps that others have written."""
        self.version, self.changed, self.due = loaded.row.version, loaded.row.changed, loaded.row.due
        self.body = DECODE(loaded.row.body)
        self.chat += loaded.chat
        for row in loaded.steps:
            if row.move is None:
                self.history.append(Entry(row.seat, table.steps.pop().events, True))
            else:
                step = self.step_of(row)
                table.steps.append(step)
                self.history.append(Entry(row.seat, step.events, False))
            if row.mark:
                self.marks.add((row.seat, row.mark))
        self.step_count += len(loaded.steps)
        table.state = self.game.load(len(self.body.seats), state, self.body.options)
        self.stale = False

    # Carrying out commands.

    async def do(
        self, who: Person, command: say.Commands, by: Connection | None = None, heard: float | None = None
    ) -> say.Done:
        """Carry out a command, which came over that line and was heard at that moment. Raises `Denied`; then nothing
        has changed.
        """
        self.used = self.hall.now()
        if isinstance(command, say.Slap | say.Move) and self.finish_line is not None:
            return await self.finish_line.take(who, command, by, clock() if heard is None else heard)
        for _attempt in range(ATTEMPTS):
            async with self.lock:
                try:
                    await self.fresh()
                    if self.already(who, command):
                        return say.Done(command.id)
                    return await self.carry_out(who, command)
                except Conflict:
                    self.stale = True
                except StoreDown:
                    self.stale = True
                    raise Denied("store_down", status=503) from None
        raise Denied("busy", status=503)

    def already(self, who: Person, command: say.Commands) -> bool:
        """This very message was carried out before."""
        if isinstance(command, say.Rematch | say.MakeToken):
            return False  # harmless, and the answer is wanted again
        if isinstance(command, say.Move):
            return (command.seat, command.id) in self.marks and owns(self.id, self.body, who, command.seat)
        return mark_of(who.id, command.id) in self.body.marks

    async def carry_out(self, who: Person, command: say.Commands) -> say.Done:
        if self.hall.draining and not isinstance(command, say.Why):
            raise Denied("restarting", status=503)
        draft = copy_body(self.body)
        draft.marks = [*draft.marks, mark_of(who.id, command.id)][-REMEMBERED:]
        act = Act(self.id, draft, self.game, who, self.lines_of(who), self.hall.now())
        seat: int | None = None
        match command:
            case say.Move():
                return await self.move(act, command)
            case say.Slap():
                raise Denied("nothing_to_slap")
            case say.Undo():
                return await self.undo(act, command)
            case say.Why():
                return self.why(act, command)
            case say.Chat():
                return await self.talk(act, command)
            case say.MakeToken():
                return await self.make_token(act, command)
            case say.Rematch():
                return await self.rematch(act, command)
            case say.Start():
                return await self.start(act, command)
            case say.Reveal():
                return await self.reveal(act, command)
            case say.Sit():
                seat = act.sit(command)
            case say.ChooseFaction():
                act.choose_faction(command)
            case say.Leave():
                act.leave(command)
            case say.Kick():
                act.kick(command)
            case say.AddBot():
                act.add_bot(command)
            case say.Settings():
                act.settle(command)
            case say.Commit():
                act.promise(command)
            case say.HandOver():
                act.hand_over(command)
            case say.TakeBack():
                act.take_back(command)
            case say.Mute():
                act.mute(command)
        await self.write(draft)
        return say.Done(command.id, seat)

    def seats_of(self, who: Person | None) -> list[int]:
        """The seats that are somebody's own."""
        if who is None:
            return []
        return [seat for seat in range(len(self.body.seats)) if owns(self.id, self.body, who, seat)]

    def lines_of(self, who: Person) -> list[str]:
        """The servers through which somebody is connected: this one, if so."""
        here = any(one.person is not None and one.person.id == who.id for one in self.connections)
        return [self.hall.server] if here else []

    # The deal.

    async def start(self, act: Act, command: say.Start) -> say.Done:
        act.start()
        if any(seat.commitment for seat in act.draft.seats):
            act.draft.stage, act.draft.deal_by, act.draft.code = DEALING, act.now + REVEAL_SECONDS, None
            await self.write(act.draft)
        else:
            await self.deal(act.draft)
        return say.Done(command.id)

    async def reveal(self, act: Act, command: say.Reveal) -> say.Done:
        act.reveal(command)
        if all(seat.share or not seat.commitment for seat in act.draft.seats):
            await self.deal(act.draft)
        else:
            await self.write(act.draft)
        return say.Done(command.id)

    async def deal(self, draft: Body) -> None:
        """Deal the cards: all chance from here on follows from the seed and the shares that were shown."""
        now = self.hall.now()
        table = self.hall.deal(self.game, draft, shares_of(draft))
        draft.stage, draft.deal_by, draft.code, draft.began = PLAYING, None, None, now
        draft.rules = self.game.rules
        for seat in draft.seats:
            seat.reserve = float(draft.pace.reserve)
            seat.prompt += 1
        for number in table.waiting:
            start_clock(draft.seats[number], now)
        if table.over:
            draft.stage, draft.result = OVER, table.result
        row = StepRow(
            number=0,
            seat=-1,
            move="",
            drawn=table.dealt,
            events=PACK(table.dealt_events),
            sealed=True,
            at=now,
            mark="",
        )
        await self.write(draft, step=row, state=table.state)
        self.table = table
        self.after_write()

    # Moves.

    def decision(self, act: Act, seat: int, prompt: int) -> Table:
        """The game, for somebody who decides about what they see now."""
        own = act.own(seat)
        act.need_stage(PLAYING)
        if prompt != own.prompt:
            raise Denied("old_prompt")
        assert self.table is not None
        return self.table

    async def move(self, act: Act, command: say.Move) -> say.Done:
        table = self.decision(act, command.seat, command.prompt)
        prepared = self.prepared(table, command.seat, self.parsed(command.move))
        await self.advance(prepared, command.id, own=True)
        return say.Done(command.id)

    def parsed(self, text: str) -> int:
        try:
            return self.game.parse(text)
        except MoveTextError as mistake:
            raise Denied("not_a_move", {"text": mistake.text, "examples": mistake.examples}, 422) from None

    def prepared(self, table: Table, seat: int, move: int) -> Prepared:
        try:
            return table.prepare(seat, move, self.since_deal())
        except Refused as refused:
            raise Denied.by_rules(refused.refusal, self.game, self.names()) from None

    def since_deal(self) -> int:
        """Milliseconds."""
        return max(0, int((self.hall.now() - (self.body.began or 0)) * 1000))

    def why(self, act: Act, command: say.Why) -> say.Done:
        act.own(command.seat)
        act.need_stage(PLAYING)
        assert self.table is not None
        refusal = self.table.state.why_not(command.seat, self.parsed(command.move))
        if refusal is not None:
            raise Denied.by_rules(refusal, self.game, self.names())
        return say.Done(command.id)

    async def advance(self, prepared: Prepared, mark: str, own: bool) -> None:
        """Write a step that was found to be legal, then show it. `own`: by the seat's person, not by a bot."""
        assert self.table is not None
        step, state = prepared.step, prepared.state
        now = self.hall.now()
        draft = copy_body(self.body)
        entry = Entry(step.seat, step.events, False)
        public = not state.waiting
        if own:
            public = public or bool(draft.seats[step.seat].held)
            return_to(draft.seats[step.seat], now)
        waiting = set(seats_of(state.waiting))
        final = step.sealed or bool(step.drawn)
        for number, seat in enumerate(draft.seats):
            if seat.ticking and (number not in waiting or (number == step.seat and final)):
                stop_clock(draft, seat, now, self.hall.outages)
            if not seat.ticking and number in waiting:
                start_clock(seat, now)
        if not state.waiting:
            draft.stage, draft.result = OVER, self.game.result(state)
        self.count_up(draft, entry, self.table.state, state, public)
        row = StepRow(
            number=self.step_count,
            seat=step.seat,
            move=self.game.text(step.move),
            drawn=step.drawn,
            events=PACK(step.events),
            sealed=step.sealed,
            at=(draft.began or 0.0) + (step.at or 0) / 1000,
            mark=mark,
            strip=None if step.strip is None else PACK(step.strip),
            thoughts=None if step.thoughts is None else PACK(step.thoughts),
        )
        await self.write(draft, step=row, state=state, everybody=False)
        self.table.accept(prepared)
        self.hall.counted.moves += 1
        self.after_write()

    async def undo(self, act: Act, command: say.Undo) -> say.Done:
        table = self.decision(act, command.seat, command.prompt)
        if not table.can_undo(command.seat):
            raise Denied("no_undo")
        now, draft = act.now, act.draft
        state = table.before_last()
        entry = Entry(command.seat, table.steps[-1].events, True)
        waiting = set(seats_of(state.waiting))
        for number, one in enumerate(draft.seats):
            if one.ticking and number not in waiting:
                stop_clock(draft, one, now, self.hall.outages)
            elif not one.ticking and number in waiting:
                if number == command.seat:
                    resume_clock(one)
                else:
                    start_clock(one, now)
        self.count_up(draft, entry, table.state, state, False)
        row = StepRow(
            number=self.step_count,
            seat=command.seat,
            move=None,
            drawn=[],
            events=PACK([]),
            sealed=False,
            at=now,
            mark="",
        )
        await self.write(draft, step=row, state=state, everybody=False, entry=entry)
        table.undo(command.seat)
        self.after_write()
        return say.Done(command.id)

    def count_up(self, draft: Body, entry: Entry, before: State, after: State, public: bool) -> None:
        """Number the update of everybody who can see that something happened, and of nobody else."""
        for number, seat in enumerate(draft.seats):
            changed = shows(entry, number, before, after)
            seat.number += changed or public
            seat.prompt += changed
        draft.watch_number += public or shows(entry, WATCHER, before, after)

    # What people say, and what they make of a table.

    async def talk(self, act: Act, command: say.Chat) -> say.Done:
        who, body = act.who, self.body
        seats = self.seats_of(who) if who.whole() and who.id == body.owner else act.mine()
        if who.id in body.muted:
            raise Denied("muted", status=403)
        if len(self.chat) >= CHAT_LINES:
            raise Denied("chat_full")
        text = clean_chat(command.text)
        if not self.hall.chatting.take(who.id):
            raise Denied("chat_too_fast", status=429)
        line = ChatRow(
            number=len(self.chat),
            seat=seats[0] if seats else None,
            name=body.seats[seats[0]].name if seats else who.name,
            text=text,
            at=round(act.now, 3),
        )
        await self.write(act.draft, chat=line)
        return say.Done(command.id)

    async def make_token(self, act: Act, command: say.MakeToken) -> say.Done:
        """Making one changes nothing; renewing ends those that are about."""
        act.need_person()
        seat = act.own(command.seat)
        if command.renew:
            seat.tokens += 1
            await self.write(act.draft)
        person = Person(act.who.id, seat.name, 0, self.id, command.seat, seat.tokens)
        return say.Done(command.id, token=self.hall.signer.sign(person, "token"))

    async def rematch(self, act: Act, command: say.Rematch) -> say.Done:
        act.need_person()
        act.need_stage(OVER, HALTED)
        act.mine()
        if not act.draft.following:
            act.draft.following = await self.hall.open_again(self.body)
            await self.write(act.draft)
        return say.Done(command.id, table=self.body.following)

    # Comings and goings.

    async def arrive(self, who: Person) -> None:
        """Somebody has a line to this table through this server."""
        await self.note_line(who, True)

    async def depart(self, who: Person) -> None:
        """A line was lost and did not come back."""
        if not any(one.person is not None and one.person.id == who.id for one in self.connections):
            await self.note_line(who, False)

    def connected(self) -> set[str]:
        """The people who have a line through this server."""
        return {connection.person.id for connection in self.connections if connection.person is not None}

    def lines_differ(self) -> bool:
        """What the seats say of lines is not so: a server is gone, or one was taken for gone."""
        if self.body.stage in (CLOSED, HALTED):
            return False
        lost = any(line not in self.hall.alive for seat in self.body.seats for line in seat.lines)
        connected = self.connected()
        return lost or any(seat.person in connected and self.hall.server not in seat.lines for seat in self.body.seats)

    async def note_line(self, who: Person, here: bool) -> None:
        for _attempt in range(ATTEMPTS):
            async with self.lock:
                await self.fresh()
                draft = copy_body(self.body)
                now = self.hall.now()
                for seat in draft.seats:
                    others = [line for line in seat.lines if line != self.hall.server and line in self.hall.alive]
                    if seat.person == who.id:
                        seat.lines = [*others, self.hall.server] if here else others
                    elif self.hall.server in seat.lines or seat.person in self.connected():
                        seat.lines = [*others, self.hall.server]
                    else:
                        seat.lines = others
                    if seat.person:
                        seat.away = None if seat.lines else seat.away if seat.away is not None else now
                if draft.seats == self.body.seats or draft.stage in (CLOSED, HALTED):
                    return
                try:
                    await self.write(draft)
                    return
                except Conflict:
                    self.stale = True
                except StoreDown:
                    self.stale = True
                    return  # presence is noted again when the line or the store comes back

    # Writing and showing.

    async def write(
        self,
        draft: Body,
        step: StepRow | None = None,
        state: State | None = None,
        chat: ChatRow | None = None,
        everybody: bool = True,
        entry: Entry | None = None,
    ) -> None:
        """Write a draft to the store and take it over. With a state, the caller finishes with `after_write`."""
        if everybody:
            for seat in draft.seats:
                seat.number += 1
            draft.watch_number += 1
        now = self.hall.now()
        present = state if state is not None else self.table.state if self.table is not None else None
        due = self.next_due(draft, seats_of(present.waiting) if present is not None else [], now)
        changed = now if draft.watch_number != self.body.watch_number else self.changed  # a secret choice is no news
        data = present.to_bytes() if present is not None else self.stored
        row = make_row(self.id, self.version + 1, draft, data, changed, due)
        change = Change(
            row=row,
            steps=[] if step is None else [step],
            chat=[] if chat is None else [chat],
            sitters=sitters(draft) if sitters(draft) != sitters(self.body) else None,
        )
        await self.hall.store.commit(change)
        self.version, self.body, self.changed, self.due, self.stored = row.version, draft, changed, due, data
        if step is not None:
            self.step_count += 1
            self.history.append(entry or Entry(step.seat, EVENTS.decode(step.events), False))
            if step.mark:
                self.marks.add((step.seat, step.mark))
        if chat is not None:
            self.chat.append(chat)
        if state is None:
            self.after_write()

    def after_write(self) -> None:
        """What was written is so: show it, and see to bots and clocks."""
        self.publish()
        self.arrange()

    def publish(self) -> None:
        """Wake everybody who looks on; each takes what is new for them."""
        self.views.clear()
        self.infos.clear()
        if self.finish_line is not None:
            self.finish_line.look()
        for connection in self.connections:
            connection.wake()

    def next_due(self, draft: Body, waiting: list[int], now: float) -> float | None:
        """When this table needs somebody to look after it, even if nobody is connected."""
        if draft.stage == OPEN:
            return now + OPEN_HOURS * HOUR
        if draft.stage == DEALING:
            return draft.deal_by
        if draft.stage != PLAYING:
            return None
        times = [absence_ends(draft, seat, now, self.hall.outages) for seat in draft.seats]
        if self.finish_line is not None:
            times += [now + BOT_SECONDS] if self.finish_line.goes_on(draft) else []
            waiting = []
        for number in waiting:
            seat = draft.seats[number]
            if not seat.player:
                times.append(deadline(draft, seat, now, self.hall.outages))
            elif self.awake(draft):
                times.append(now + BOT_SECONDS)
        return min((time for time in times if time is not None), default=None)

    # Bots and clocks.

    def awake(self, body: Body) -> bool:
        """Whether bots think here: somebody looks on, or somebody who is away has agreed to a clock, which runs on. A
        table that everybody left waits until somebody comes back.
        """
        if self.connections or self.hall.now() - self.visited < VISIT_SECONDS:
            return True
        if any(line in self.hall.alive for seat in body.seats for line in seat.lines):
            return True
        return body.pace.kind != "none" and any(seat.person and not seat.held for seat in body.seats)

    def visit(self) -> None:
        """Somebody looks at the table."""
        slept = not self.awake(self.body)
        self.visited = self.hall.now()
        if slept:
            self.arrange()

    def arrange(self) -> None:
        """Ask the bots whose decision it is, and set the alarm for the next thing that needs no message."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if self.hall.draining:
            return
        alarms: list[float | None] = [self.body.deal_by]
        now = self.hall.now()
        if self.body.stage == PLAYING and self.finish_line is not None:
            alarms += [absence_ends(self.body, seat, now, self.hall.outages) for seat in self.body.seats]
        elif self.body.stage == PLAYING and self.table is not None:
            alarms += [absence_ends(self.body, seat, now, self.hall.outages) for seat in self.body.seats]
            for number in seats_of(self.table.state.waiting):
                seat = self.body.seats[number]
                if not seat.player and not time_is_up(self.body, seat, now, self.hall.outages):
                    alarms.append(deadline(self.body, seat, now, self.hall.outages))
            if self.awake(self.body):
                self.ask_bots(self.table, now)
            else:
                self.rest()
        alarm = min((time for time in alarms if time is not None), default=None)
        if alarm is not None and alarm - now < HOUR:
            self.timer = asyncio.get_running_loop().call_later(max(0.0, alarm - now), self.ring)

    def ask_bots(self, table: Table, now: float) -> None:
        """Every bot whose decision it is, also for who ran out of time, and those that may want to act out of turn."""
        for number, seat in enumerate(self.body.seats):
            if table.state.waiting >> number & 1:
                if seat.player or time_is_up(self.body, seat, now, self.hall.outages):
                    self.ask(number, seat.player or self.body.stand_in, False)
            elif seat.player and bot_types(self.game)[seat.player.partition(":")[0]].volunteers:
                if table.state.moves(number):
                    self.ask(number, seat.player, True)

    def rest(self) -> None:
        """Nobody waits for what the bots here think about."""
        for _prompt, task in self.asking.values():
            if task is not asyncio.current_task():
                task.cancel()

    def ring(self) -> None:
        self.hall.spawn(self.tick())

    def ask(self, seat: int, level: str, volunteer: bool) -> None:
        """Let a bot think about a seat's decision, unless it does already."""
        prompt = self.body.seats[seat].prompt
        thinking = self.asking.get(seat)
        if thinking is not None:
            if thinking[0] == prompt:
                return
            thinking[1].cancel()
        task = self.hall.spawn(self.answer(seat, prompt, level, volunteer))
        self.asking[seat] = (prompt, task)

    async def answer(self, seat: int, prompt: int, level: str, volunteer: bool) -> None:
        """A bot's answer, played if the seat still sees what the bot was shown."""
        try:
            assert self.table is not None
            answer = await self.hall.workers.choose(
                self.game.id,
                len(self.body.seats),
                self.body.options,
                self.table.state.sight(seat).to_bytes(),
                seat,
                level,
                volunteer,
                person=self.body.owner,
                table=self.id,
            )
            if volunteer and (answer is None or answer.move < 0):
                return
            for _attempt in range(ATTEMPTS):
                async with self.lock:
                    await self.fresh()
                    if not self.bot_may_play(seat, prompt, volunteer):
                        return
                    assert self.table is not None
                    try:
                        await self.advance(self.legal(self.table, seat, answer), "", own=False)
                        return
                    except Conflict:
                        self.stale = True
        except (StoreDown, Denied):
            self.stale = True  # the table is due again soon, and the bot is asked then
        finally:
            if self.asking.get(seat, (0, None))[1] is asyncio.current_task():
                del self.asking[seat]

    def bot_may_play(self, seat: int, prompt: int, volunteer: bool) -> bool:
        body = self.body
        if self.hall.draining or body.stage != PLAYING or self.table is None or body.seats[seat].prompt != prompt:
            return False
        if volunteer:
            return bool(body.seats[seat].player)
        if not self.table.state.waiting >> seat & 1:
            return False
        return bool(body.seats[seat].player) or time_is_up(body, body.seats[seat], self.hall.now(), self.hall.outages)

    def legal(self, table: Table, seat: int, answer: BotAnswer | None) -> Prepared:
        """The bot's move, with what it considered; where no bot could give a right one, any move will do, so that the
        table goes on."""
        if answer is not None:
            try:
                prepared = table.prepare(seat, answer.move, self.since_deal())
                return prepared._replace(step=prepared.step._replace(thoughts=answer.thoughts))
            except Refused:
                pass
        return table.prepare(seat, secrets.choice(table.state.moves(seat)), self.since_deal())

    async def tick(self) -> None:
        """Do what is due."""
        try:
            async with self.lock:
                await self.fresh()
                if not self.hall.draining:
                    await self.do_due()
        except Conflict:
            self.stale = True
        except (StoreDown, Denied):
            self.stale = True

    async def do_due(self) -> None:
        now = self.hall.now()
        body = self.body
        if body.stage == DEALING and body.deal_by is not None and now >= body.deal_by:
            await self.deal(copy_body(body))
        elif body.stage == OPEN and self.due is not None and now >= self.due:
            draft = copy_body(body)
            if not any(seat.person and seat.lines for seat in draft.seats):
                draft.stage, draft.code = CLOSED, None
            await self.write(draft)
        elif body.stage == PLAYING:
            gone = [
                number
                for number, seat in enumerate(body.seats)
                if (ends := absence_ends(body, seat, now, self.hall.outages)) is not None and ends <= now
            ]
            if gone:
                draft = copy_body(body)
                for number in gone:
                    draft.seats[number].held = draft.stand_in
                await self.write(draft)
                return
            if self.finish_line is not None:
                self.finish_line.look()
            self.arrange()
            if not self.asking and self.due is not None and self.due <= now:
                await self.write(copy_body(body), everybody=False)  # an outage moved the clocks: so is the due time
        elif body.stage == HALTED and self.due is not None:
            await self.write(copy_body(body))  # it was found to be so just now

    def names(self) -> list[str]:
        return [seat.name or str(number + 1) for number, seat in enumerate(self.body.seats)]

    def idle(self) -> bool:
        """Nobody looks on and nothing is going on here: the table can be left to the store."""
        racing = self.finish_line is not None and self.finish_line.alarm is not None
        quiet = not self.connections and not self.asking and not racing and not self.lock.locked()
        return quiet and self.hall.now() - self.used > self.hall.idle_seconds

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.finish_line is not None:
            self.finish_line.stop()

    def strip(self) -> Strip | None:
        """The photo of the last race."""
        steps = self.table.steps if self.table is not None and self.finish_line is not None else []
        return next((step.strip for step in reversed(steps) if step.strip is not None), None)

    async def until_shown(self) -> None:
        """Wait until what was turned up last is shown to everybody; only then may anybody look."""
        if self.finish_line is not None:
            await self.finish_line.until_shown()


def shows(entry: Entry, viewer: int, before: State, after: State) -> bool:
    """Whether a viewer can see that a step happened: by what was told, or else by what there is to see."""
    return bool(told(entry, viewer)) or before.sight(viewer).to_bytes() != after.sight(viewer).to_bytes()


def sitters(body: Body) -> list[str]:
    return sorted({seat.person for seat in body.seats if seat.person})


def shares_of(body: Body) -> list[bytes]:
    """The shares that count, in the order of seats."""
    return [bytes.fromhex(seat.share) for seat in body.seats if seat.share]


def make_row(
    table_id: str, version: int, body: Body, state: bytes | None, changed: float, due: float | None
) -> TableRow:
    return TableRow(
        id=table_id,
        code=body.code,
        game=body.game,
        rules=body.rules,
        stage=body.stage,
        public=body.public,
        version=version,
        changed=changed,
        due=due,
        body=ENCODE(body),
        state=state,
    )
