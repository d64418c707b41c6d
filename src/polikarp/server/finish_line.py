"""The race at one table while it runs: when a card was sent to whom, which slaps were heard, and what is due next.

It feeds the decision (`race.py`) and carries it out through the lane. Of all that only the strip is stored, beside the
move that a race led to: a server that starts anew has heard no slaps, and the game goes on. Times are milliseconds of
this machine's steady clock.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from polikarp.engine.phrase import Refusal
from polikarp.engine.race import Race, Timing
from polikarp.engine.rng import FastRng
from polikarp.engine.strip import SAME_CLOCK, Finish, Strip, judge, why_void
from polikarp.server import messages as say
from polikarp.server.acts import Act
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.lines import Line, bounds
from polikarp.server.race import Player, Slap, calm_moves, card_due, decide, head_starts, judged_by, measure, window
from polikarp.server.seating import PLAYING, Body, copy_body
from polikarp.store import Conflict, StoreDown

if TYPE_CHECKING:
    from polikarp.server.lane import Lane
    from polikarp.server.sockets import Connection

LATEST = 100.0  # after a card was to be shown; a line that takes nothing does not make its player quicker
DRIFT = 20.0  # by which a client may think that a card was shown longer than it was sent
HERE = Line()  # of bots, and of slaps that came over no line that was measured
VOID = 1000  # slaps that opened no race and are remembered
ATTEMPTS = 8  # at a change that others keep overtaking


def clock() -> float:
    return time.monotonic() * 1000


class Answer:
    """What somebody did in a race, on the way to being carried out or refused."""

    def __init__(self, seat: int, mark: str = "") -> None:
        self.seat = seat
        self.mark = mark  # the message's id; a bot has none
        self.at = clock()
        self.settled: asyncio.Future[Denied | None] = asyncio.get_running_loop().create_future()

    def settle(self, denied: Denied | None = None) -> None:
        if not self.settled.done():
            self.settled.set_result(denied)


class Hand(Answer):
    """A slap that was heard, and its player as of that moment."""

    def __init__(self, slap: Slap, player: Player, mark: str = "") -> None:
        super().__init__(slap.seat, mark)
        self.slap = slap
        self.player = player


class Calm:
    """A race that waits for everybody's answer. `race` and the first hand are not known of one that began elsewhere."""

    def __init__(self, until: float, race: Race | None = None, first: Finish | None = None) -> None:
        self.until = until
        self.race = race
        self.first = first
        self.finishes: list[Finish] = [first] if first is not None else []
        self.answers: dict[int, Answer] = {}  # by seat: a hand, or that it lets this one go


class FinishLine:
    """Where the hands at one table come in."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.race: Race | None = None  # while the game goes on
        self.shown = 0.0  # the moment at which all are shown the newest card
        self.turned = 0.0  # the moment at which it was turned up
        self.moments: dict[int, float] = {}  # by card of this table: when all were shown it
        self.sent: dict[str, dict[int, float]] = {}  # by person and card: when it was first sent
        self.credit: dict[int, float] = {}  # by seat
        self.hands: list[Hand] = []  # of the race that is open
        self.void: deque[Finish] = deque(maxlen=VOID)  # slaps that opened none
        self.pressed: Answer | None = None  # somebody wants to turn up
        self.calm: Calm | None = None
        self.bots: dict[int, asyncio.TimerHandle] = {}  # by seat: a slap that it has begun
        self.closing: asyncio.TimerHandle | None = None  # while a race is open
        self.alarm: asyncio.TimerHandle | None = None  # for what is due next

    @property
    def timing(self) -> Timing:
        timing = self.lane.game.timing(self.lane.body.options)
        assert timing is not None
        return timing

    def after(self, moment: float, call: str, *args: int) -> asyncio.TimerHandle:
        """Have one of these methods called at that moment."""
        seconds = max(0.0, moment - clock()) / 1000
        return asyncio.get_running_loop().call_later(seconds, getattr(self, call), *args)

    # What is shown.

    def look(self) -> None:
        """See what has become of the table."""
        lane = self.lane
        if lane.body.stage != PLAYING or lane.table is None or lane.hall.draining:
            self.calm = None  # whoever ends it has the answers
            self.stop()
            return
        before, self.race = self.race, lane.game.race(lane.table.state)
        race = self.race
        assert race is not None
        if before is None or (before.table, before.card) != (race.table, race.card):
            if before is None or before.table != race.table:
                self.clear_table()
            self.show_card(race)
        if race.answering and self.calm is None:
            self.calm = Calm(clock() + self.timing.calm * 1000)
        elif not race.answering:
            self.calm = None
        self.set_alarm()

    def clear_table(self) -> None:
        self.moments.clear()
        self.sent.clear()
        for timer in self.bots.values():
            timer.cancel()
        self.bots.clear()

    def show_card(self, race: Race) -> None:
        """All are shown the newest card at one moment, the slowest line first; who only watches has no line."""
        self.turned = clock()
        connections = list(self.lane.connections)
        seated = {at: one.line for at, one in enumerate(connections) if self.lane.seats_of(one.person)}
        held = head_starts({**seated, -1: HERE} if race.card else {-1: HERE})
        self.shown = self.moments[race.card] = self.turned + held[-1]
        # Several lines of one person are one: the slowest must not show the card early to whoever slaps on another.
        latest: dict[str, float] = {}
        for at in seated:
            person = name_of(connections[at].person)
            latest[person] = max(latest.get(person, 0.0), held.get(at, 0.0))
        for connection in connections:
            connection.held_until = self.turned + latest.get(name_of(connection.person), held[-1])
        if self.pressed is not None:
            self.pressed.settle(Denied("old_prompt"))
            self.pressed = None
        self.let_bots_look(race)

    def note_sent(self, connection: Connection) -> None:
        """A connection is sent the table as it is. Whoever comes later could have looked before."""
        if self.race is None or connection.person is None:
            return
        now = clock()
        sent = min(now, self.shown + LATEST) if connection.since <= self.turned else min(now, self.shown)
        self.sent.setdefault(connection.person.id, {}).setdefault(self.race.card, sent)

    async def until_shown(self) -> None:
        """Wait until what was turned up last may be seen by everybody."""
        await asyncio.sleep(max(0.0, self.shown - clock()) / 1000)

    # Who is in the race.

    def line_of(self, seat: int) -> Line:
        """The line of a seat's person, of several the one that is known best."""
        person = self.lane.body.seats[seat].person
        lines = [one.line for one in self.lane.connections if person and name_of(one.person) == person]
        return max(lines, key=lambda line: len(line.trips), default=HERE)

    def credit_of(self, seat: int, line: Line) -> float:
        """Who has not raced yet has all that the line can have."""
        return self.credit.get(seat, bounds(line).credit)

    def player(self, seat: int, connection: Connection | None) -> Player:
        person = self.lane.body.seats[seat].person
        shared = connection is not None and len(self.lane.seats_of(connection.person)) > 1
        line = HERE if connection is None else connection.line
        return Player(
            line=line,
            credit=self.credit_of(seat, line),
            sent=dict(self.sent.get(person, self.moments)),
            screen=connection.screen if connection is not None and shared else "",
        )

    def players(self, hands: Iterable[Hand]) -> dict[int, Player]:
        """Everybody, those who slapped as they were then."""
        lines = {seat: self.line_of(seat) for seat in range(len(self.lane.body.seats))}
        others = {seat: Player(line, self.credit_of(seat, line), {}) for seat, line in lines.items()}
        return others | {hand.seat: hand.player for hand in reversed(list(hands))}

    def keeper(self) -> bool:
        """Whether it is for this server to let bots slap and cards turn, of all that have the table open."""
        alive = self.lane.hall.alive
        servers = {line for seat in self.lane.body.seats for line in seat.lines if line in alive}
        return not servers or self.lane.hall.server == min(servers)

    def goes_on(self, body: Body) -> bool:
        """Whether somebody looks on who plays, or bots play alone and have something to turn up: else cards would turn
        for nobody.
        """
        turning = self.race is None or self.race.turn is not None or bool(self.race.answering)
        return any(seat.lines for seat in body.seats) or (turning and all(seat.player for seat in body.seats))

    # What people do.

    async def take(self, who: Person, command: say.Move | say.Slap, by: Connection | None, heard: float) -> say.Done:
        """Carry out a slap, or a move of a game in which the first counts. Raises `Denied`."""
        lane = self.lane
        act = Act(lane.id, copy_body(lane.body), lane.game, who, [], lane.hall.now())
        act.own(command.seat)
        if (command.seat, command.id) in lane.marks:
            return say.Done(command.id)
        act.need_stage(PLAYING)
        if lane.hall.draining:
            raise Denied("restarting", status=503)
        if self.race is None:
            self.look()
        if self.race is None:
            raise self.ended()
        same = [one for one in self.waiting() if (one.seat, one.mark) == (command.seat, command.id)]
        if same:
            answer = same[0]  # sent again, before it was answered
        else:
            answer = self.slapped(command, by, heard) if isinstance(command, say.Slap) else self.moved(command)
        denied = await answer.settled
        if denied is not None:
            raise denied
        return say.Done(command.id)

    def waiting(self) -> list[Answer]:
        """All that was heard and is not decided."""
        kept = self.calm.answers.values() if self.calm is not None else ()
        return [*self.hands, *kept, *([self.pressed] if self.pressed is not None else [])]

    def slapped(self, command: say.Slap, by: Connection | None, heard: float) -> Answer:
        assert self.race is not None
        if command.table != self.lane.id:
            raise Denied("no_such_table", status=404)
        if command.target >= len(self.race.targets):
            raise Denied("malformed", {"text": f"there are {len(self.race.targets)} targets"}, 422)
        player = self.player(command.seat, by)
        sent = player.sent.get(command.card)
        slap = Slap(command.seat, command.target, command.round, command.card, heard, command.claimed)
        hand = Hand(slap, player, command.id)
        possible = command.claimed is None or (sent is not None and command.claimed <= heard - sent + DRIFT)
        if possible or command.round != self.race.table:
            return self.hear(hand)
        hand.settle(lost("impossible", self.race.rules["impossible"]))
        return hand

    def moved(self, command: say.Move) -> Answer:
        """A move that is not a slap, or a slap by somebody who does not measure."""
        race, lane, seat = self.race, self.lane, command.seat
        assert race is not None
        assert lane.table is not None
        if command.prompt != lane.body.seats[seat].prompt:
            raise Denied("old_prompt")
        move = lane.parsed(command.move)
        text = lane.game.text(move)
        for number, target in enumerate(race.targets):
            if text in target.moves:
                slap = Slap(seat, number, race.table, race.card, clock())
                return self.hear(Hand(slap, self.player(seat, None), command.id))
        if (refusal := lane.table.state.why_not(seat, move)) is not None:
            raise Denied.by_rules(refusal, lane.game, lane.names())
        answer = Answer(seat, command.id)
        if text == race.skip:
            self.answer_calmly(answer)
        elif self.pressed is not None:
            return self.pressed
        else:
            self.pressed = answer
            self.set_alarm()
        return answer

    def hear(self, hand: Hand) -> Answer:
        """A slap comes in. One that is void is refused at once; another opens a race, or joins the one that is open."""
        assert self.race is not None
        race = self.calm.race if self.calm is not None and self.calm.race is not None else self.race
        alone = decide(race, {hand.seat: hand.player}, [hand.slap])
        if alone.seat is None:
            if self.closing is not None:
                self.hands.append(hand)  # everybody sees on the strip that it was void
            else:
                self.void.append(alone.strip.finishes[0])
            hand.settle(self.reason(race, alone.strip.finishes[0]))
        elif self.calm is not None:
            self.answer_calmly(hand)
        else:
            self.hands.append(hand)
            if self.closing is None:
                lines = [self.line_of(seat) for seat in range(len(self.lane.body.seats)) if seat != hand.seat]
                self.closing = self.after(hand.slap.heard + window(lines), "close")
                self.set_alarm()
        return hand

    def reason(self, race: Race, finish: Finish) -> Denied:
        """Why a slap does not count."""
        void = why_void(race, finish) if finish.outcome == "void" else None
        if void is not None:
            return Denied.by_rules(void, self.lane.game, self.lane.names())
        return lost(finish.outcome, finish.rule)

    # The decision.

    def close(self) -> None:
        self.lane.hall.spawn(self.decide())

    async def decide(self) -> None:
        """The window is closed: find the slap that counts, and play it."""
        hands, self.hands = self.hands, []
        try:
            await self.carry_out(hands)
        except StoreDown:
            self.lane.stale = True
            for hand in hands:
                hand.settle(Denied("store_down", status=503))
        finally:
            self.closing = None
            for hand in hands:
                hand.settle(Denied("busy", status=503))
            late, self.hands = self.hands, []
            for hand in late:
                if self.race is None:
                    hand.settle(self.ended())
                else:
                    self.hear(hand)
            self.set_alarm()

    async def carry_out(self, hands: list[Hand]) -> None:
        lane = self.lane
        for _attempt in range(ATTEMPTS):
            async with lane.lock:
                await lane.fresh()
                if self.race is None or lane.table is None or lane.hall.draining:
                    for hand in hands:
                        hand.settle(self.ended())
                    return
                race, calm = self.race, self.timing.calm > 0
                decision = decide(race, self.players(hands), [hand.slap for hand in hands], calm)
                judged = list(zip(hands, decision.strip.finishes, strict=True))
                counting = next((pair for pair in judged if pair[1].outcome == "counts"), None)
                try:
                    if counting is not None:
                        assert decision.move is not None
                        strip = None if calm else decision.strip
                        if calm:
                            self.begin_calm(race, counting, judged)
                        await self.play(counting[0], decision.move, strip)
                except Conflict:
                    lane.stale, self.calm = True, None
                    continue
                except StoreDown:
                    self.calm = None
                    raise
                self.credit = dict(decision.credit)
                for hand, finish in judged:
                    if finish.outcome == "counts":
                        hand.settle()
                    elif self.calm is None or self.calm.answers.get(hand.seat) is not hand:
                        hand.settle(self.reason(race, finish))
                return

    async def play(self, answer: Answer, move: str, strip: Strip | None = None) -> None:
        lane = self.lane
        assert lane.table is not None
        prepared = lane.table.prepare(answer.seat, lane.game.parse(move), lane.since_deal())
        prepared = prepared._replace(step=prepared.step._replace(strip=strip))
        await lane.advance(prepared, answer.mark, own=bool(answer.mark))

    # A race in which everybody answers in peace.

    def begin_calm(self, race: Race, first: tuple[Hand, Finish], judged: list[tuple[Hand, Finish]]) -> None:
        self.calm = Calm(clock() + self.timing.calm * 1000, race, first[1])
        for hand, finish in judged:
            if hand is not first[0] and finish.outcome not in ("old", "void", "second"):
                self.calm.finishes.append(finish)
                self.calm.answers[hand.seat] = hand
        for seat, one in enumerate(self.lane.body.seats):
            if one.player and self.keeper() and seat not in self.bots and seat != first[0].seat:
                self.calm.answers.setdefault(seat, Answer(seat))

    def answer_calmly(self, answer: Answer) -> None:
        """Keep an answer to itself until everybody has answered or the time is up."""
        calm, race = self.calm, self.race
        assert calm is not None
        assert race is not None
        if answer.seat not in race.answering or answer.seat in calm.answers:
            answer.settle(lost("second", race.rules["second"]))
            return
        if isinstance(answer, Hand):
            finish = self.measured(calm, calm.race or race, answer)
            if why_void(calm.race or race, finish) is not None:
                answer.settle(self.reason(race, judge(race, [finish], True)[0][0]))
                return
            calm.finishes.append(finish)
        calm.answers[answer.seat] = answer
        self.set_alarm()

    def measured(self, calm: Calm, race: Race, hand: Hand) -> Finish:
        """The time of an answer. The first hand was there before all that came after its window."""
        line = bounds(hand.player.line)
        finish = measure(race, hand.player, line, hand.slap)
        first = calm.first
        if first is None:
            return finish
        same = bool(first.screen) and first.screen == finish.screen
        apart = SAME_CLOCK if same else first.uncertainty + finish.uncertainty
        time = round(max(finish.time, first.time + apart), 1)
        judged, unseen = judged_by(race, hand.player, line, hand.slap, time)
        return msgspec.structs.replace(finish, time=time, judged=judged, unseen=unseen)

    async def end_calm(self, calm: Calm) -> None:
        """Hand all answers to the rules: first the slaps, the one that counts before the others."""
        race = self.race
        assert race is not None
        finishes, _ = judge(calm.race or race, calm.finishes, True)
        slaps = calm_moves(calm.race or race, finishes)
        moves = [(seat, move) for seat, move in slaps if seat in race.answering]
        known = {seat for seat, _ in moves}
        skips = [seat for seat in race.answering if seat not in known and (seat in calm.answers or self.keeper())]
        moves += [(seat, race.skip) for seat in skips]
        whole = calm.race is not None and len(moves) == len(race.answering) == len(race.order) - 1
        strip = Strip(race.table, race.card, True, finishes) if whole else None
        for at, (seat, move) in enumerate(moves, 1):
            answer = calm.answers.get(seat) or Answer(seat)
            await self.play(answer, move, strip if at == len(moves) else None)
            answer.settle()

    # What is due by itself.

    def due(self) -> float | None:
        """When something is to happen that nobody sends a message for."""
        race = self.race
        asked = self.pressed is not None or (self.calm is not None and self.calm.answers)
        if race is None or self.closing is not None or not (asked or self.goes_on(self.lane.body)):
            return None
        if self.calm is not None:
            kept = [seat for seat in race.answering if seat in self.calm.answers]
            if kept == race.answering or (kept and not self.keeper()):
                return self.shown  # at once; what another server keeps is not waited for
            return self.calm.until if self.keeper() else None
        if race.turn is None:
            return self.shown + self.timing.pace * 1000 if self.keeper() else None
        if self.pressed is None and not self.keeper():
            return None
        rest = self.timing.rest if race.table and not race.card else 0.0
        return card_due(self.shown, self.timing.pace, None if self.pressed is None else self.pressed.at, rest)

    def set_alarm(self) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
        moment = self.due()
        if moment is not None:
            self.alarm = self.after(moment, "ring")

    def ring(self) -> None:
        self.alarm = None
        self.lane.hall.spawn(self.do_due())

    async def do_due(self) -> None:
        lane = self.lane
        try:
            async with lane.lock:
                await lane.fresh()
                moment = self.due()
                if lane.hall.draining or moment is None or clock() < moment - 1:
                    return
                if self.calm is not None:
                    await self.end_calm(self.calm)
                else:
                    await self.turn_up()
        except Conflict:
            lane.stale = True
        except (StoreDown, Denied):
            lane.stale = True
            if self.pressed is not None:
                self.pressed.settle(Denied("store_down", status=503))
                self.pressed = None
            self.shown = clock()  # the next try comes after a pause
        finally:
            self.set_alarm()

    async def turn_up(self) -> None:
        """The next card; where none is left, everybody looks at the table again."""
        race = self.race
        assert race is not None
        if race.turn is None:
            self.shown = clock()
            self.let_bots_look(race)
            return
        pressed, self.pressed = self.pressed, None
        try:
            await self.play(pressed or Answer(race.turn), race.flip)
        except (Conflict, StoreDown):
            self.pressed = pressed
            raise
        if pressed is not None:
            pressed.settle()

    def let_bots_look(self, race: Race) -> None:
        """Every bot that has nothing in mind yet looks at what lies open, as its seat sees it."""
        lane = self.lane
        if lane.table is None or not race.card or not self.keeper():
            return
        for number, seat in enumerate(lane.body.seats):
            if seat.player and number not in self.bots:
                view = lane.game.view(lane.table.state, number)
                intent = lane.game.intend(seat.player, view, FastRng(secrets.token_hex(8)))
                if intent is not None:
                    moment = self.shown + intent.after
                    self.bots[number] = self.after(moment, "bot_slaps", number, intent.target)

    def bot_slaps(self, seat: int, target: int) -> None:
        del self.bots[seat]
        if self.race is not None and self.lane.body.seats[seat].player:
            slap = Slap(seat, target, self.race.table, self.race.card, clock())
            self.hear(Hand(slap, Player(HERE, 0.0, dict(self.moments))))

    def ended(self) -> Denied:
        """Why nothing can be done here any more."""
        if self.lane.body.stage == PLAYING:
            return Denied("restarting", status=503)
        return Denied(f"stage_{self.lane.body.stage}")

    def stop(self) -> None:
        """Nothing goes on here any more."""
        self.race = None
        self.clear_table()
        for timer in (self.alarm, self.closing):
            if timer is not None:
                timer.cancel()
        self.alarm = self.closing = None
        for answer in self.waiting():
            answer.settle(self.ended())
        self.hands, self.calm, self.pressed = [], None, None


def lost(outcome: str, rule: str) -> Denied:
    """A slap that does not count, by a rule that all such games have."""
    denied = Denied(f"slap_{outcome}")
    denied.refusal = Refusal(rule, denied.refusal.key)
    return denied


def name_of(person: Person | None) -> str:
    return "" if person is None else person.id
