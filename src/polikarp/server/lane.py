"""One table in play: its lane, in which everything happens one after another.

A command is checked, carried out on a draft, written to the store, and only then shown. So what anybody was told
survives the server, and a change that could not be written never happened. Several servers may have the same table
open: each change names the version it was made from, and who comes second reads the table again.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from polikarp.bots import bot_types
from polikarp.engine.game import MoveTextError
from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Event, Refused
from polikarp.engine.record import Record, RecordedMove, Share
from polikarp.engine.state import WATCHER, State, bit, seats_of
from polikarp.engine.table import Prepared, Step, Table
from polikarp.server import messages as say
from polikarp.server.clocks import absence_ends, deadline, resume_clock, start_clock, stop_clock, time_is_up
from polikarp.server.denied import Denied
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
    Seat,
    copy_body,
    default_absence,
    mark_of,
)
from polikarp.store import Change, ChatRow, Conflict, Loaded, StepRow, StoreDown, TableRow

if TYPE_CHECKING:
    from polikarp.server.hall import Hall
    from polikarp.server.sockets import Connection

REVEAL_SECONDS = 5.0  # for showing the shares that were promised
BOT_SECONDS = 5.0  # after which another server sees to a bot that did not answer
OPEN_HOURS = 24  # that a table waits for its players
ATTEMPTS = 8  # at a change that others keep overtaking
CHAT_LINES = 2000  # that a table keeps
NOTHING = msgspec.Raw(b"null")

EVENTS = msgspec.msgpack.Decoder(list[Event])
PACK = msgspec.msgpack.Encoder().encode
JSON = msgspec.json.Encoder().encode


class Entry(NamedTuple):
    """One step as the log tells it."""

    seat: int
    events: list[Event]
    undone: bool  # this takes back the step that told these events


def told(entry: Entry, viewer: int) -> list[say.Told]:
    """What a step tells one viewer."""
    may = bit(viewer)
    seen = [event for event in entry.events if event.audience & may]
    if not entry.undone:
        return [say.Told(event.key, event.args) for event in seen]
    if seen or viewer == entry.seat:
        return [say.Told("undone", {"seat": entry.seat, "events": len(seen)})]
    return []


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
        self.take_in(loaded)

    # Reading it from the store.

    def take_in(self, loaded: Loaded) -> None:
        """Become what the store says."""
        self.version = loaded.row.version
        self.due = loaded.row.due
        self.body: Body = DECODE(loaded.row.body)
        self.game = self.hall.games[self.body.game]
        self.chat = loaded.chat
        self.history: list[Entry] = []
        self.marks: set[tuple[int, str]] = set()
        self.table: Table | None = None
        self.views: dict[int, msgspec.Raw] = {}
        self.info: dict[int, msgspec.Raw] = {}
        self.stale = False
        played = self.fold(loaded.steps)
        if loaded.steps and loaded.row.state is not None:
            self.table = self.restored(loaded.steps[0], played, loaded.row.state)
        self.step_count = len(loaded.steps)
        self.sights = self.seen_by_all(self.table.state) if self.table is not None else []

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

    def restored(self, deal: StepRow, played: list[StepRow], state: bytes) -> Table | None:
        """The engine's table. A game that the installed rules no longer understand is halted, not guessed at."""
        body = self.body
        body.began = body.began if body.began is not None else deal.at
        try:
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
            )
        except (UsageError, ValueError) as mistake:
            if body.stage == PLAYING:
                body.stage, body.halted = HALTED, str(mistake)[:200]
            return None

    def step_of(self, row: StepRow) -> Step:
        at = None if row.at < 0 else max(0, round((row.at - (self.body.began or 0.0)) * 1000))
        events = EVENTS.decode(row.events)
        return Step(row.seat, self.game.parse(row.move or ""), row.drawn, events, row.sealed, None, at)

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

    def take_news(self, table: Table, loaded: Loaded, state: bytes) -> None:
        """Go on with the steps that others have written."""
        self.version, self.due = loaded.row.version, loaded.row.due
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
        self.sights = self.seen_by_all(table.state)
        self.stale = False

    def seen_by_all(self, state: State) -> list[bytes]:
        """What each seat, and last a watcher, knows of a position."""
        return [state.sight(viewer).to_bytes() for viewer in (*range(state.seats), WATCHER)]

    # Carrying out commands.

    async def do(self, who: Person, command: say.Commands) -> say.Done:
        """Carry out a command. Raises `Denied`; then nothing has changed."""
        self.used = self.hall.now()
        for _attempt in range(ATTEMPTS):
            async with self.lock:
                await self.fresh()
                if self.already(who, command):
                    return say.Done(command.id)
                try:
                    return await self.carry_out(who, command)
                except Conflict:
                    self.stale = True
                except StoreDown:
                    self.stale = True
                    raise Denied("store_down", status=503) from None
        raise Denied("busy", status=503)

    def already(self, who: Person, command: say.Commands) -> bool:
        """This very message was carried out before."""
        if isinstance(command, say.Move):
            return (command.seat, command.id) in self.marks and self.owns(who, command.seat)
        return mark_of(who.id, command.id) in self.body.marks

    async def carry_out(self, who: Person, command: say.Commands) -> say.Done:
        if self.hall.draining and not isinstance(command, say.Why):
            raise Denied("restarting", status=503)
        match command:
            case say.Move():
                return await self.on_move(who, command)
            case say.Undo():
                return await self.on_undo(who, command)
            case say.Why():
                return self.on_why(who, command)
            case say.MakeToken():
                return await self.on_token(who, command)
            case say.Rematch():
                return await self.on_rematch(who, command)
            case say.Chat():
                return await self.on_chat(who, command)
        draft = copy_body(self.body)
        draft.marks = [*draft.marks, mark_of(who.id, command.id)][-REMEMBERED:]
        seat: int | None = None
        match command:
            case say.Sit():
                seat = self.sit(draft, who, command)
            case say.Leave():
                self.leave(draft, who, command)
            case say.Kick():
                self.kick(draft, who, command)
            case say.AddBot():
                self.add_bot(draft, who, command)
            case say.Settings():
                self.settle(draft, who, command)
            case say.Start():
                return await self.start(draft, who, command)
            case say.Commit():
                self.promise(draft, who, command)
            case say.Reveal():
                return await self.reveal(draft, who, command)
            case say.HandOver():
                self.hand_over(draft, who, command)
            case say.TakeBack():
                self.own(who, command.seat)
                draft.seats[command.seat].held = ""
            case say.Mute():
                self.mute(draft, who, command)
        await self.write(draft)
        return say.Done(command.id, seat)

    # Who may do what.

    def owns(self, who: Person, seat: int) -> bool:
        """The seat is this person's, and a token for one seat is for this one and still holds."""
        if seat >= len(self.body.seats) or self.body.seats[seat].person != who.id:
            return False
        return who.whole() or (who.table, who.seat, who.tokens) == (self.id, seat, self.body.seats[seat].tokens)

    def own(self, who: Person, seat: int) -> Seat:
        if seat >= len(self.body.seats):
            raise Denied("no_such_seat", {"number": seat, "seats": len(self.body.seats)}, 422)
        if not self.owns(who, seat):
            raise Denied("not_your_seat", {"number": seat}, 403)
        return self.body.seats[seat]

    def seats_of(self, who: Person | None) -> list[int]:
        return [] if who is None else [seat for seat in range(len(self.body.seats)) if self.owns(who, seat)]

    def need_owner(self, who: Person) -> None:
        if who.id != self.body.owner or not who.whole():
            raise Denied("not_the_owner", status=403)

    def need_person(self, who: Person) -> None:
        if not who.whole():
            raise Denied("token_for_one_seat", status=403)

    def need_stage(self, *stages: str) -> None:
        if self.body.stage not in stages:
            raise Denied(f"stage_{self.body.stage}")

    def named_seat(self, seat: int) -> Seat:
        if seat >= len(self.body.seats):
            raise Denied("no_such_seat", {"number": seat, "seats": len(self.body.seats)}, 422)
        return self.body.seats[seat]

    def known_level(self, level: str) -> str:
        """A bot by its name; the table's stand-in where none is named."""
        known = bot_types(self.game)
        if not level:
            return self.body.stand_in
        if level not in known:
            raise Denied("no_such_bot", {"level": level, "known": ", ".join(known)}, 422)
        return level

    # Before the start.

    def sit(self, draft: Body, who: Person, command: say.Sit) -> int:
        self.need_person(who)
        self.need_stage(OPEN)
        if who.id in draft.barred:
            raise Denied("barred", status=403)
        free = [number for number, seat in enumerate(draft.seats) if seat.free]
        if command.seat is not None:
            if not self.named_seat(command.seat).free:
                raise Denied("seat_taken", {"number": command.seat})
            free = [command.seat]
        if not free:
            raise Denied("table_full")
        take_seat(draft.seats[free[0]], who, self.lines_of(who), self.hall.now())
        draft.owner = draft.owner or who.id
        return free[0]

    def lines_of(self, who: Person) -> list[str]:
        """The servers through which somebody is connected: this one, if so."""
        here = any(one.person is not None and one.person.id == who.id for one in self.connections)
        return [self.hall.server] if here else []

    def leave(self, draft: Body, who: Person, command: say.Leave) -> None:
        self.need_person(who)
        if command.seat is not None:
            self.own(who, command.seat)
        mine = [command.seat] if command.seat is not None else self.seats_of(who)
        if not mine:
            raise Denied("not_seated", status=403)
        self.need_stage(OPEN, DEALING, PLAYING)
        for number in mine:
            if draft.stage == OPEN:
                self.vacate(draft, number)
            else:
                draft.seats[number].held = draft.stand_in
        if draft.stage == OPEN and draft.owner == who.id and not any(seat.person == who.id for seat in draft.seats):
            draft.owner = next((seat.person for seat in draft.seats if seat.person), who.id)

    def vacate(self, draft: Body, number: int) -> None:
        old = draft.seats[number]
        draft.seats[number] = Seat(number=old.number, prompt=old.prompt, tokens=old.tokens + 1)

    def kick(self, draft: Body, who: Person, command: say.Kick) -> None:
        self.need_owner(who)
        self.need_stage(OPEN)
        person = self.named_seat(command.seat).person
        if self.body.seats[command.seat].free:
            raise Denied("seat_free", {"number": command.seat})
        self.vacate(draft, command.seat)
        if person and person != who.id:
            draft.barred = [*draft.barred, person]
            for number, seat in enumerate(draft.seats):
                if seat.person == person:
                    self.vacate(draft, number)

    def add_bot(self, draft: Body, who: Person, command: say.AddBot) -> None:
        self.need_owner(who)
        self.need_stage(OPEN)
        level = self.known_level(command.level)
        free = [number for number, seat in enumerate(draft.seats) if seat.free]
        if command.seat is not None:
            if not self.named_seat(command.seat).free:
                raise Denied("seat_taken", {"number": command.seat})
            free = [command.seat]
        if not free:
            raise Denied("table_full")
        taken = {seat.name for seat in draft.seats}
        names = [name for name in self.hall.bot_names if name not in taken]
        for number, name in zip(free, names, strict=False):
            draft.seats[number].bot, draft.seats[number].name = level, name

    def settle(self, draft: Body, who: Person, command: say.Settings) -> None:
        self.need_owner(who)
        self.need_stage(OPEN)
        if command.options is not None:
            draft.options = self.hall.checked_options(self.game, command.options)
        if command.seats is not None:
            self.hall.check_seats(self.game, command.seats)
            if any(not seat.free for seat in draft.seats[command.seats :]):
                raise Denied("seats_in_use", {"seats": command.seats})
            fresh = [Seat(number=draft.watch_number) for _ in range(command.seats - len(draft.seats))]
            draft.seats = [*draft.seats[: command.seats], *fresh]
        if command.pace is not None:
            draft.pace = self.hall.checked_pace(command.pace)
            draft.absence = default_absence(draft.pace)
        if command.public is not None:
            draft.public = command.public
        if command.absence is not None:
            draft.absence = command.absence
        if command.stand_in is not None:
            draft.stand_in = self.known_level(command.stand_in)

    def promise(self, draft: Body, who: Person, command: say.Commit) -> None:
        self.own(who, command.seat)
        self.need_stage(OPEN)
        if draft.seats[command.seat].commitment:
            raise Denied("already_promised")
        draft.seats[command.seat].commitment = command.commitment

    # The deal.

    async def start(self, draft: Body, who: Person, command: say.Start) -> say.Done:
        self.need_owner(who)
        self.need_stage(OPEN)
        free = [number for number, seat in enumerate(draft.seats) if seat.free]
        if free:
            raise Denied("seats_free", {"count": len(free)})
        if any(seat.commitment for seat in draft.seats):
            draft.stage, draft.deal_by, draft.code = DEALING, self.hall.now() + REVEAL_SECONDS, None
            await self.write(draft)
        else:
            await self.deal(draft)
        return say.Done(command.id)

    async def reveal(self, draft: Body, who: Person, command: say.Reveal) -> say.Done:
        self.own(who, command.seat)
        self.need_stage(DEALING)
        seat = draft.seats[command.seat]
        if hashlib.sha256(bytes.fromhex(command.share)).hexdigest() != seat.commitment:
            raise Denied("wrong_share", status=422)
        seat.share = command.share
        if all(seat.share or not seat.commitment for seat in draft.seats):
            await self.deal(draft)
        else:
            await self.write(draft)
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
            draft.stage = OVER
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
        self.sights = self.seen_by_all(table.state)
        self.after_write()

    # Moves.

    def playing(self) -> Table:
        self.need_stage(PLAYING)
        assert self.table is not None
        return self.table

    async def on_move(self, who: Person, command: say.Move) -> say.Done:
        seat = self.own(who, command.seat)
        table = self.playing()
        if command.prompt != seat.prompt:
            raise Denied("old_prompt")
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

    def on_why(self, who: Person, command: say.Why) -> say.Done:
        self.own(who, command.seat)
        table = self.playing()
        refusal = table.state.why_not(command.seat, self.parsed(command.move))
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
        if own and draft.seats[step.seat].held:
            draft.seats[step.seat].held = ""
            public = True
        waiting = set(seats_of(state.waiting))
        final = step.sealed or bool(step.drawn)
        for number, seat in enumerate(draft.seats):
            if seat.ticking and (number not in waiting or (number == step.seat and final)):
                stop_clock(draft, seat, now, self.hall.outages)
            if not seat.ticking and number in waiting:
                start_clock(seat, now)
        if not state.waiting:
            draft.stage = OVER
        sights = self.count_up(draft, entry, state, public)
        row = StepRow(
            number=self.step_count,
            seat=step.seat,
            move=self.game.text(step.move),
            drawn=step.drawn,
            events=PACK(step.events),
            sealed=step.sealed,
            at=(draft.began or 0.0) + (step.at or 0) / 1000,
            mark=mark,
        )
        await self.write(draft, step=row, state=state, everybody=False)
        self.table.accept(prepared)
        self.sights = sights
        self.hall.counted.moves += 1
        self.after_write()

    async def on_undo(self, who: Person, command: say.Undo) -> say.Done:
        seat = self.own(who, command.seat)
        table = self.playing()
        if command.prompt != seat.prompt:
            raise Denied("old_prompt")
        if not table.can_undo(command.seat):
            raise Denied("no_undo")
        now = self.hall.now()
        state = table.before_last()
        draft = copy_body(self.body)
        draft.marks = [*draft.marks, mark_of(who.id, command.id)][-REMEMBERED:]
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
        sights = self.count_up(draft, entry, state, False)
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
        self.sights = sights
        self.after_write()
        return say.Done(command.id)

    def count_up(self, draft: Body, entry: Entry, state: State, public: bool) -> list[bytes]:
        """Number the update of everybody who can see that something happened, and of nobody else."""
        sights = self.seen_by_all(state)
        for number, seat in enumerate(draft.seats):
            changed = sights[number] != self.sights[number] or bool(told(entry, number))
            seat.number += changed or public
            seat.prompt += changed
        draft.watch_number += public or sights[-1] != self.sights[-1] or bool(told(entry, WATCHER))
        return sights

    # Seats that bots hold, and what people say.

    def hand_over(self, draft: Body, who: Person, command: say.HandOver) -> None:
        self.need_stage(PLAYING, DEALING)
        if not self.owns(who, command.seat):
            self.named_seat(command.seat)
            self.need_owner(who)
        seat = draft.seats[command.seat]
        if seat.player:
            raise Denied("held_already", {"number": command.seat})
        seat.held = draft.stand_in

    def mute(self, draft: Body, who: Person, command: say.Mute) -> None:
        self.need_owner(who)
        person = self.named_seat(command.seat).person
        if not person:
            raise Denied("nobody_there", {"number": command.seat})
        others = [one for one in draft.muted if one != person]
        draft.muted = [*others, person] if command.muted else others

    async def on_chat(self, who: Person, command: say.Chat) -> say.Done:
        seats = self.seats_of(who)
        if not seats and who.id != self.body.owner:
            raise Denied("not_seated", status=403)
        if who.id in self.body.muted:
            raise Denied("muted", status=403)
        if len(self.chat) >= CHAT_LINES:
            raise Denied("chat_full")
        if not self.hall.chatting.take(who.id):
            raise Denied("chat_too_fast", status=429)
        name = self.body.seats[seats[0]].name if seats else who.name
        line = ChatRow(
            number=len(self.chat),
            seat=seats[0] if seats else None,
            name=name,
            text=clean_chat(command.text),
            at=round(self.hall.now(), 3),
        )
        draft = copy_body(self.body)
        draft.marks = [*draft.marks, mark_of(who.id, command.id)][-REMEMBERED:]
        await self.write(draft, chat=line)
        return say.Done(command.id)

    async def on_token(self, who: Person, command: say.MakeToken) -> say.Done:
        """Making one changes nothing; renewing ends those that are about."""
        self.need_person(who)
        self.own(who, command.seat)
        if command.renew:
            draft = copy_body(self.body)
            draft.seats[command.seat].tokens += 1
            await self.write(draft)
        seat = self.body.seats[command.seat]
        person = Person(who.id, seat.name, 0, self.id, command.seat, seat.tokens)
        return say.Done(command.id, token=self.hall.signer.sign(person, "token"))

    async def on_rematch(self, who: Person, command: say.Rematch) -> say.Done:
        self.need_person(who)
        self.need_stage(OVER)
        if not self.seats_of(who):
            raise Denied("not_seated", status=403)
        if not self.body.following:
            again = await self.hall.open_again(self.body)
            draft = copy_body(self.body)
            draft.following = again
            await self.write(draft)
        return say.Done(command.id, table=self.body.following)

    # Comings and goings.

    async def arrive(self, who: Person) -> None:
        """Somebody has a line to this table through this server."""
        await self.note_line(who, True)

    async def depart(self, who: Person) -> None:
        """A line was lost and did not come back."""
        if not any(one.person is not None and one.person.id == who.id for one in self.connections):
            await self.note_line(who, False)

    async def note_line(self, who: Person, here: bool) -> None:
        for _attempt in range(ATTEMPTS):
            async with self.lock:
                await self.fresh()
                draft = copy_body(self.body)
                now = self.hall.now()
                for seat in draft.seats:
                    if seat.person == who.id:
                        others = [line for line in seat.lines if line != self.hall.server]
                        seat.lines = [*others, self.hall.server] if here else others
                    seat.lines = [line for line in seat.lines if line in self.hall.alive]
                    if seat.person:
                        seat.away = None if seat.lines else seat.away if seat.away is not None else now
                if draft.seats == self.body.seats or draft.stage in (OVER, CLOSED, HALTED):
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
        row = make_row(self.id, self.version + 1, draft, present, now, due)
        change = Change(
            row=row,
            steps=[] if step is None else [step],
            chat=[] if chat is None else [chat],
            sitters=sitters(draft) if sitters(draft) != sitters(self.body) else None,
        )
        await self.hall.store.commit(change)
        self.version, self.body, self.due = row.version, draft, due
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
        self.info.clear()
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
        for number in waiting:
            seat = draft.seats[number]
            times.append(now + BOT_SECONDS if seat.player else deadline(draft, seat, now, self.hall.outages))
        return min((time for time in times if time is not None), default=None)

    # Bots and clocks.

    def arrange(self) -> None:
        """Ask the bots whose decision it is, and set the alarm for the next thing that needs no message."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if self.hall.draining:
            return
        alarms: list[float | None] = [self.body.deal_by]
        now = self.hall.now()
        if self.body.stage == PLAYING and self.table is not None:
            for number in seats_of(self.table.state.waiting):
                seat = self.body.seats[number]
                if seat.player or time_is_up(self.body, seat, now, self.hall.outages):
                    self.ask(number, seat.player or self.body.stand_in, False)
                else:
                    alarms.append(deadline(self.body, seat, now, self.hall.outages))
            for number, seat in enumerate(self.body.seats):
                alarms.append(absence_ends(self.body, seat, now, self.hall.outages))
                if seat.player and not self.table.state.waiting >> number & 1:
                    if bot_types(self.game)[seat.player].volunteers and self.table.state.moves(number):
                        self.ask(number, seat.player, True)
        alarm = min((time for time in alarms if time is not None), default=None)
        if alarm is not None and alarm - now < HOUR:
            self.timer = asyncio.get_running_loop().call_later(max(0.0, alarm - now), self.ring)

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
            move = await self.hall.workers.choose(
                self.game.id,
                len(self.body.seats),
                self.body.options,
                self.sights[seat],
                seat,
                level,
                volunteer,
            )
            if volunteer and (move is None or move < 0):
                return
            for _attempt in range(ATTEMPTS):
                async with self.lock:
                    await self.fresh()
                    if not self.bot_may_play(seat, prompt, volunteer):
                        return
                    assert self.table is not None
                    try:
                        await self.advance(self.legal(self.table, seat, move), "", own=False)
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

    def legal(self, table: Table, seat: int, move: int | None) -> Prepared:
        """The bot's move; where no bot could give a right one, any move will do, so that the table goes on."""
        if move is not None:
            try:
                return table.prepare(seat, move, self.since_deal())
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
            self.arrange()
            if not self.asking and self.due is not None and self.due <= now:
                await self.write(copy_body(body), everybody=False)  # an outage moved the clocks: so is the due time

    # What people see.

    def names(self) -> list[str]:
        return [seat.name or str(number + 1) for number, seat in enumerate(self.body.seats)]

    def view(self, viewer: int) -> msgspec.Raw:
        """The game as one viewer may know it, made once and used for everybody who sees the same."""
        if self.table is None:
            return NOTHING
        made = self.views.get(viewer)
        if made is None:
            seat = None if viewer == WATCHER else viewer
            made = self.views[viewer] = msgspec.Raw(JSON(self.game.view(self.table.state, seat)))
        return made

    def number(self, viewer: int) -> int:
        return self.body.watch_number if viewer == WATCHER else self.body.seats[viewer].number

    def table_info(self, viewer: int) -> msgspec.Raw:
        key = viewer if self.body.pace.kind != "none" else WATCHER
        made = self.info.get(key)
        if made is None:
            body = self.body
            made = self.info[key] = msgspec.Raw(
                JSON(
                    say.TableInfo(
                        id=self.id,
                        code=body.code,
                        link=self.hall.link(self.id),
                        game=body.game,
                        rules=body.rules,
                        options=body.options,
                        stage=body.stage,
                        public=body.public,
                        pace=body.pace,
                        stand_in=body.stand_in,
                        absence=body.absence,
                        commitment=body.commitment,
                        seats=self.seat_infos(viewer),
                        following=body.following,
                        halted=body.halted,
                    )
                )
            )
        return made

    def seat_infos(self, viewer: int) -> list[say.SeatInfo]:
        return [seat_info(self.body, number, self.clock(number, viewer)) for number in range(len(self.body.seats))]

    def clock(self, number: int, viewer: int) -> say.Clock | None:
        """A seat's clock as a viewer may know it: while a choice is secret, so is that it was made."""
        body = self.body
        seat = body.seats[number]
        if body.pace.kind == "none" or self.table is None:
            return None
        if not self.table.state.sight(viewer).waiting >> number & 1:
            return say.Clock(round(seat.reserve, 1), None)
        until = deadline(body, seat, self.hall.now(), self.hall.outages)
        return say.Clock(round(seat.asked_reserve, 1), None if until is None else round(until, 1))

    def update(
        self, who: Person | None, viewer: int, entry_from: int, log_from: int, chat_from: int
    ) -> tuple[say.Update, int]:
        """All that is new for one viewer who has seen this much; and how many log lines that makes."""
        lines = [line for entry in self.history[entry_from:] for line in told(entry, viewer)]
        mine = self.seats_of(who)
        body = self.body
        return say.Update(
            seat=None if viewer == WATCHER else viewer,
            number=self.number(viewer),
            prompt=0 if viewer == WATCHER else body.seats[viewer].prompt,
            now=round(self.hall.now(), 3) if body.pace.kind != "none" else None,
            you=say.You(
                who.name if who is not None else "",
                who is not None and who.whole() and who.id == body.owner,
                mine,
            ),
            table=self.table_info(viewer),
            view=self.view(viewer),
            can_undo=viewer != WATCHER
            and body.stage == PLAYING
            and self.table is not None
            and self.table.can_undo(viewer),
            log_from=log_from,
            log=lines,
            chat_from=chat_from,
            chat=[say.ChatLine(line.seat, line.name, line.text, line.at) for line in self.chat[chat_from:]],
        ), log_from + len(lines)

    def entries_for(self, viewer: int, lines: int) -> tuple[int, int]:
        """Where in the history a client goes on that has this many log lines; from the start if that fits nowhere."""
        counted = 0
        for at, entry in enumerate(self.history):
            if counted == lines:
                return at, lines
            counted += len(told(entry, viewer))
        return (len(self.history), lines) if counted == lines else (0, 0)

    # Records.

    def record(self) -> Record:
        """The record of a game that is over: everything, the seed and the shares too."""
        body = self.body
        if body.stage != OVER or self.table is None:
            raise Denied("record_not_yet")
        table = self.table
        return Record(
            game=body.game,
            rules=body.rules,
            options=body.options,
            players=player_names(body),
            commitment=body.commitment,
            seed=body.seed.hex() if body.seed is not None else None,
            shares=[
                Share(number, seat.commitment, seat.share or None)
                for number, seat in enumerate(body.seats)
                if seat.commitment
            ],
            dealt=table.dealt,
            moves=[RecordedMove(step.seat, self.game.text(step.move), step.drawn, step.at) for step in table.steps],
            result=table.result,
        )

    def seat_record(self, viewer: int) -> say.SeatRecord:
        """A game so far, as one viewer may know it."""
        body = self.body
        steps = self.table.steps if self.table is not None else []
        return say.SeatRecord(
            game=body.game,
            rules=body.rules,
            options=body.options,
            players=player_names(body),
            commitment=body.commitment,
            seat=None if viewer == WATCHER else viewer,
            moves=[self.game.text(step.move) for step in steps if step.seat == viewer],
            log=[line for entry in self.history for line in told(entry, viewer)],
            view=self.view(viewer),
        )

    def idle(self) -> bool:
        """Nobody looks on and nothing is going on here: the table can be left to the store."""
        quiet = not self.connections and not self.asking and not self.lock.locked()
        return quiet and self.hall.now() - self.used > self.hall.idle_seconds

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()


def take_seat(seat: Seat, who: Person, lines: list[str], now: float) -> None:
    seat.person, seat.name, seat.lines = who.id, who.name, lines
    seat.away = None if lines else now


def sitters(body: Body) -> list[str]:
    return sorted({seat.person for seat in body.seats if seat.person})


def shares_of(body: Body) -> list[bytes]:
    """The shares that count, in the order of seats."""
    return [bytes.fromhex(seat.share) for seat in body.seats if seat.share]


def player_names(body: Body) -> list[str]:
    return [f"{seat.name} ({seat.bot})" if seat.bot else seat.name or "?" for seat in body.seats]


def seat_info(body: Body, number: int, clock: say.Clock | None) -> say.SeatInfo:
    seat = body.seats[number]
    status = "free"
    if seat.bot:
        status = "bot"
    elif seat.held:
        status = "held"
    elif seat.person or body.imported:
        status = "present" if seat.lines else "away"
    return say.SeatInfo(
        name=seat.name,
        status=status,
        level=seat.player,
        owner=bool(seat.person) and seat.person == body.owner,
        muted=bool(seat.person) and seat.person in body.muted,
        committed=bool(seat.commitment),
        revealed=bool(seat.share),
        clock=clock,
    )


def make_row(table_id: str, version: int, body: Body, state: State | None, now: float, due: float | None) -> TableRow:
    return TableRow(
        id=table_id,
        code=body.code,
        game=body.game,
        rules=body.rules,
        stage=body.stage,
        public=body.public,
        version=version,
        changed=now,
        due=due,
        body=ENCODE(body),
        state=state.to_bytes() if state is not None else None,
    )
