"""The race at one table while it runs: when a card was sent to whom, which slaps were heard, and what is due next.

It feeds the decision (`photo.py`) and carries it out through the table. Of all that only the strip is stored, beside
the move that a race led to: a server that starts anew has heard no slaps, and the game goes on. Times are milliseconds
of this machine's steady clock.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.phrase import Refusal
from polikarp.engine.race import Race, Timing
from polikarp.engine.rng import FastRng
from polikarp.engine.strip import SAME_CLOCK, Finish, Strip, judge, why_void
from polikarp.engine.table import Table
from polikarp.server import messages as say
from polikarp.server.clock import Timer
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.race.latency import Latency, bounds
from polikarp.server.race.photo import (
    Player,
    Slap,
    calm_moves,
    card_due,
    decide,
    head_starts,
    judged_by,
    measure,
    window,
)
from polikarp.server.table.authority import need_stage, own_seat
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.document import PLAYING, Document, seat_names
from polikarp.server.table.moves import parsed, played
from polikarp.server.table.presence import Presence, Viewer

LATEST = 100.0  # after a card was to be shown; a line that takes nothing does not make its player quicker
DRIFT = 20.0  # by which a client may think that a card was shown longer than it was sent
HERE = Latency()  # of bots, and of slaps that came over no line that was measured
VOID = 1000  # slaps that opened no race and are remembered


class RaceTable(Protocol):
    """What a referee knows of the table."""

    id: str
    document: Document
    game: Game
    table: Table | None
    marks: set[tuple[int, str]]
    presence: Presence

    def seats_of(self, who: Person | None) -> list[int]: ...

    async def change(self, work: Callable[[Moment], TableChange | None]) -> TableChange | None: ...


class Answer:
    """What somebody did in a race, on the way to being carried out or refused."""

    def __init__(self, seat: int, at: float, mark: str = "") -> None:
        self.seat = seat
        self.mark = mark  # the message's id; a bot has none
        self.at = at
        self.settled: asyncio.Future[Denied | None] = asyncio.get_running_loop().create_future()

    def settle(self, denied: Denied | None = None) -> None:
        if not self.settled.done():
            self.settled.set_result(denied)


class Hand(Answer):
    """A slap that was heard, and its player as of that moment."""

    def __init__(self, slap: Slap, player: Player, mark: str = "") -> None:
        super().__init__(slap.seat, slap.heard, mark)
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


class Verdict:
    """What a decision found: the race it is about, what became of each hand, and what credit is left."""

    def __init__(self) -> None:
        self.race: Race | None = None
        self.judged: list[tuple[Hand, Finish]] = []
        self.credit: dict[int, float] = {}
        self.calm: Calm | None = None  # that it began


class Turning:
    """A card that is being turned up, for who pressed if somebody did, or a calm race that is being ended."""

    def __init__(self, pressed: Answer | None) -> None:
        self.pressed = pressed
        self.taken = False
        self.card: tuple[int, int] | None = None
        self.calm: Calm | None = None


class Referee:
    """Hears the hands at one table, and says which was first."""

    def __init__(self, house: House, live: RaceTable) -> None:
        self.house = house
        self.live = live
        self.race: Race | None = None  # while the game goes on
        self.shown = 0.0  # the moment at which all are shown the newest card
        self.turned = 0.0  # the moment at which it was turned up
        self.moments: dict[int, float] = {}  # by card of this round: when all were shown it
        self.sent: dict[str, dict[int, float]] = {}  # by person and card: when it was first sent
        self.credit: dict[int, float] = {}  # by seat
        self.hands: list[Hand] = []  # of the race that is open
        self.void: deque[Finish] = deque(maxlen=VOID)  # slaps that opened none
        self.pressed: Answer | None = None  # somebody wants to turn up
        self.calm: Calm | None = None
        self.bots: dict[int, Timer] = {}  # by seat: a slap that it has begun
        self.closing: Timer | None = None  # while a race is open
        self.alarm: Timer | None = None  # for what is due next

    @property
    def timing(self) -> Timing:
        timing = self.live.game.timing(self.live.document.options)
        assert timing is not None
        return timing

    def clock(self) -> float:
        return self.house.clock.monotonic() * 1000

    def at(self, moment: float, call: Callable[..., None], *args: int) -> Timer:
        """Have something called at that moment."""
        return self.house.clock.call_later((moment - self.clock()) / 1000, call, *args)

    # What is shown.

    def look(self) -> None:
        """See what has become of the table."""
        live = self.live
        if live.document.stage != PLAYING or live.table is None or self.house.draining:
            self.calm = None  # whoever ends it has the answers
            self.stop()
            return
        before, self.race = self.race, live.game.race(live.table.state)
        race = self.race
        assert race is not None
        if before is None or (before.round, before.card) != (race.round, race.card):
            if before is None or before.round != race.round:
                self.clear_round()
            self.show_card(race)
        if race.answering and self.calm is None:
            self.calm = Calm(self.clock() + self.timing.calm * 1000)
        elif not race.answering:
            self.calm = None
        self.set_alarm()

    def clear_round(self) -> None:
        self.moments.clear()
        self.sent.clear()
        for timer in self.bots.values():
            timer.cancel()
        self.bots.clear()

    def show_card(self, race: Race) -> None:
        """All are shown the newest card at one moment, the slowest line first; who only watches is not waited for."""
        self.turned = self.clock()
        viewers = list(self.live.presence.viewers)
        seated = {at: one.latency for at, one in enumerate(viewers) if self.live.seats_of(one.person)}
        held = head_starts({**seated, -1: HERE} if race.card else {-1: HERE})
        self.shown = self.moments[race.card] = self.turned + held[-1]
        # Several connections of one person are one: the slowest must not show the card early to who slaps on another.
        latest: dict[str, float] = {}
        for at in seated:
            person = name_of(viewers[at].person)
            latest[person] = max(latest.get(person, 0.0), held.get(at, 0.0))
        for viewer in viewers:
            viewer.held_until = self.turned + latest.get(name_of(viewer.person), held[-1])
        if self.pressed is not None:
            self.pressed.settle(Denied("old_prompt"))
            self.pressed = None
        self.let_bots_look(race)

    def note_sent(self, viewer: Viewer) -> None:
        """Somebody is sent the table as it is. Whoever comes later could have looked before."""
        if self.race is None or viewer.person is None:
            return
        now = self.clock()
        sent = min(now, self.shown + LATEST) if viewer.since <= self.turned else min(now, self.shown)
        self.sent.setdefault(viewer.person.id, {}).setdefault(self.race.card, sent)

    async def until_shown(self) -> None:
        """Wait until what was turned up last may be seen by everybody."""
        if (left := self.shown - self.clock()) > 0:
            await self.house.clock.sleep(left / 1000)

    # Who is in the race.

    def latency_of(self, seat: int) -> Latency:
        """That of a seat's person, of several connections the one that is known best."""
        person = self.live.document.seats[seat].person
        known = [one.latency for one in self.live.presence.viewers if person and name_of(one.person) == person]
        return max(known, key=lambda latency: len(latency.trips), default=HERE)

    def credit_of(self, seat: int, latency: Latency) -> float:
        """Who has not raced yet has all that the line can have."""
        return self.credit.get(seat, bounds(latency).credit)

    def player(self, seat: int, viewer: Viewer | None) -> Player:
        person = self.live.document.seats[seat].person
        shared = viewer is not None and len(self.live.seats_of(viewer.person)) > 1
        latency = HERE if viewer is None else viewer.latency
        return Player(
            latency=latency,
            credit=self.credit_of(seat, latency),
            sent=dict(self.sent.get(person, self.moments)),
            screen=viewer.screen if viewer is not None and shared else "",
        )

    def players(self, hands: Iterable[Hand]) -> dict[int, Player]:
        """Everybody, those who slapped as they were then."""
        known = {seat: self.latency_of(seat) for seat in range(len(self.live.document.seats))}
        others = {seat: Player(latency, self.credit_of(seat, latency), {}) for seat, latency in known.items()}
        return others | {hand.seat: hand.player for hand in reversed(list(hands))}

    def keeper(self) -> bool:
        """Whether it is for this server to let bots slap and cards turn, of all that have the table open."""
        seats = self.live.document.seats
        servers = {server for seat in seats for server in seat.servers if server in self.house.alive}
        return not servers or self.house.server == min(servers)

    def goes_on(self, document: Document) -> bool:
        """Whether somebody looks on who plays, or bots play alone and have something to turn up: else cards would turn
        for nobody.
        """
        turning = self.race is None or self.race.turn is not None or bool(self.race.answering)
        seats = document.seats
        return any(seat.servers for seat in seats) or (turning and all(seat.player for seat in seats))

    # What people do.

    async def hear_command(
        self, who: Person, command: say.Move | say.Slap, by: Viewer | None, heard: float | None
    ) -> say.Done:
        """Carry out a slap, or a move of a game in which the first counts. Raises `Denied`."""
        live = self.live
        own_seat(live.id, live.document, who, command.seat)
        if (command.seat, command.id) in live.marks:
            return say.Done(command.id)
        need_stage(live.document, PLAYING)
        self.house.need_open()
        if self.race is None:
            self.look()
        if self.race is None:
            raise self.ended()
        same = [one for one in self.waiting() if (one.seat, one.mark) == (command.seat, command.id)]
        if same:
            answer = same[0]  # sent again, before it was answered
        elif isinstance(command, say.Slap):
            answer = self.slapped(command, by, self.clock() if heard is None else heard)
        else:
            answer = self.moved(command)
        denied = await answer.settled
        if denied is not None:
            raise denied
        return say.Done(command.id)

    def waiting(self) -> list[Answer]:
        """All that was heard and is not decided."""
        kept = self.calm.answers.values() if self.calm is not None else ()
        return [*self.hands, *kept, *([self.pressed] if self.pressed is not None else [])]

    def slapped(self, command: say.Slap, by: Viewer | None, heard: float) -> Answer:
        assert self.race is not None
        if command.table != self.live.id:
            raise Denied("no_such_table", status=404)
        if command.target >= len(self.race.targets):
            raise Denied("malformed", {"text": f"there are {len(self.race.targets)} targets"}, 422)
        player = self.player(command.seat, by)
        sent = player.sent.get(command.card)
        slap = Slap(command.seat, command.target, command.round, command.card, heard, command.claimed)
        hand = Hand(slap, player, command.id)
        possible = command.claimed is None or (sent is not None and command.claimed <= heard - sent + DRIFT)
        if possible or command.round != self.race.round:
            return self.hear(hand)
        hand.settle(lost("impossible", self.race.rules["impossible"]))
        return hand

    def moved(self, command: say.Move) -> Answer:
        """A move that is not a slap, or a slap by somebody who does not measure."""
        race, live, seat = self.race, self.live, command.seat
        assert race is not None
        assert live.table is not None
        if command.prompt != live.document.seats[seat].prompt:
            raise Denied("old_prompt")
        move = parsed(live.game, command.move)
        text = live.game.text(move)
        for number, target in enumerate(race.targets):
            if text in target.moves:
                slap = Slap(seat, number, race.round, race.card, self.clock())
                return self.hear(Hand(slap, self.player(seat, None), command.id))
        if (refusal := live.table.state.why_not(seat, move)) is not None:
            raise self.by_rules(refusal)
        answer = Answer(seat, self.clock(), command.id)
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
                others = [seat for seat in range(len(self.live.document.seats)) if seat != hand.seat]
                self.closing = self.at(hand.slap.heard + window(map(self.latency_of, others)), self.close)
                self.set_alarm()
        return hand

    def reason(self, race: Race, finish: Finish) -> Denied:
        """Why a slap does not count."""
        void = why_void(race, finish) if finish.outcome == "void" else None
        if void is not None:
            return self.by_rules(void)
        return lost(finish.outcome, finish.rule)

    def by_rules(self, refusal: Refusal) -> Denied:
        return Denied.by_rules(refusal, self.live.game, seat_names(self.live.document))

    # The decision.

    def close(self) -> None:
        self.house.spawn(self.decide())

    async def decide(self) -> None:
        """The window is closed: find the slap that counts, and play it."""
        hands, self.hands = self.hands, []
        verdict = Verdict()
        try:
            await self.live.change(lambda moment: self.decided(moment, hands, verdict))
            self.credit = verdict.credit or self.credit
            for hand, finish in verdict.judged:
                if finish.outcome == "counts":
                    hand.settle()
                elif self.calm is None or self.calm.answers.get(hand.seat) is not hand:
                    assert verdict.race is not None
                    hand.settle(self.reason(verdict.race, finish))
        except Denied as denied:
            self.calm = None
            for hand in hands:
                hand.settle(denied)
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

    def decided(self, moment: Moment, hands: list[Hand], verdict: Verdict) -> TableChange | None:
        """The move of the hand that counts, if one does."""
        if verdict.calm is not None and self.calm is verdict.calm:
            self.calm = None  # another server was first: all is decided anew
        race = verdict.race = self.race
        verdict.judged, verdict.credit = [], {}
        if race is None or moment.table is None or self.house.draining:
            for hand in hands:
                hand.settle(self.ended())
            return None
        calm = self.timing.calm > 0
        decision = decide(race, self.players(hands), [hand.slap for hand in hands], calm)
        verdict.credit = dict(decision.credit)
        verdict.judged = list(zip(hands, decision.strip.finishes, strict=True))
        counting = next((pair for pair in verdict.judged if pair[1].outcome == "counts"), None)
        if counting is None:
            return None
        assert decision.move is not None
        if calm:
            self.begin_calm(race, counting, verdict.judged)
            verdict.calm = self.calm
        return self.play(moment, counting[0], decision.move, None if calm else decision.strip)

    def play(self, moment: Moment, answer: Answer, move: str, strip: Strip | None = None) -> TableChange:
        assert moment.table is not None
        prepared = moment.table.prepare(answer.seat, moment.game.parse(move), moment.since_deal())
        return played(moment, prepared._replace(step=prepared.step._replace(strip=strip)), answer.mark)

    # A race in which everybody answers in peace.

    def begin_calm(self, race: Race, first: tuple[Hand, Finish], judged: list[tuple[Hand, Finish]]) -> None:
        self.calm = Calm(self.clock() + self.timing.calm * 1000, race, first[1])
        for hand, finish in judged:
            if hand is not first[0] and finish.outcome not in ("old", "void", "second"):
                self.calm.finishes.append(finish)
                self.calm.answers[hand.seat] = hand
        for seat, one in enumerate(self.live.document.seats):
            if one.player and self.keeper() and seat not in self.bots and seat != first[0].seat:
                self.calm.answers.setdefault(seat, Answer(seat, self.clock()))

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
        line = bounds(hand.player.latency)
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
        if race is None:
            return
        finishes, _ = judge(calm.race or race, calm.finishes, True)
        slaps = calm_moves(calm.race or race, finishes)
        moves = [(seat, move) for seat, move in slaps if seat in race.answering]
        known = {seat for seat, _ in moves}
        skips = [seat for seat in race.answering if seat not in known and (seat in calm.answers or self.keeper())]
        moves += [(seat, race.skip) for seat in skips]
        whole = calm.race is not None and len(moves) == len(race.answering) == len(race.order) - 1
        strip = Strip(race.round, race.card, True, finishes) if whole else None
        for at, (seat, move) in enumerate(moves, 1):
            answer = calm.answers.get(seat) or Answer(seat, self.clock())
            photo = strip if at == len(moves) else None
            change = await self.live.change(partial(self.calmly_played, calm, answer, move, photo))
            answer.settle(None if change is not None else Denied("old_prompt"))

    def calmly_played(
        self, calm: Calm, answer: Answer, move: str, strip: Strip | None, moment: Moment
    ) -> TableChange | None:
        """An answer, unless another server has handed it to the rules already."""
        if self.calm is not calm or self.race is None or answer.seat not in self.race.answering:
            return None
        return self.play(moment, answer, move, strip)

    # What is due by itself.

    def due(self) -> float | None:
        """When something is to happen that nobody sends a message for."""
        race = self.race
        asked = self.pressed is not None or (self.calm is not None and self.calm.answers)
        if race is None or self.closing is not None or not (asked or self.goes_on(self.live.document)):
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
        rest = self.timing.rest if race.round and not race.card else 0.0
        return card_due(self.shown, self.timing.pace, None if self.pressed is None else self.pressed.at, rest)

    def set_alarm(self) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
        moment = self.due()
        if moment is not None:
            self.alarm = self.at(moment, self.ring)

    def ring(self) -> None:
        self.alarm = None
        self.house.spawn(self.do_due())

    async def do_due(self) -> None:
        """End a calm race, or turn up the next card; where none is left, everybody looks at the table again."""
        turning = Turning(self.pressed)
        try:
            await self.live.change(lambda moment: self.turned_up(moment, turning))
            if turning.calm is not None:
                await self.end_calm(turning.calm)
            elif turning.taken and turning.pressed is not None:
                turning.pressed.settle()
        except Denied as denied:
            for pressed in (turning.pressed, self.pressed):
                if pressed is not None:
                    pressed.settle(denied)
            self.pressed = None
            self.shown = self.clock()  # the next try comes after a pause
        finally:
            self.set_alarm()

    def turned_up(self, moment: Moment, turning: Turning) -> TableChange | None:
        """The next card, for who pressed or by itself, if it is time for it."""
        if turning.taken:  # another server was first
            turning.taken = False
            if turning.pressed is not None and turning.card == self.card():
                self.pressed = turning.pressed
            elif turning.pressed is not None:
                turning.pressed.settle(Denied("old_prompt"))
        at, race = self.due(), self.race
        if self.house.draining or race is None or at is None or self.clock() < at - 1:
            return None
        if self.calm is not None:
            turning.calm = self.calm
            return None
        if race.turn is None:
            self.shown = self.clock()
            self.let_bots_look(race)
            return None
        turning.pressed, self.pressed = self.pressed, None  # the next card is not what they pressed for
        turning.taken, turning.card = True, self.card()
        return self.play(moment, turning.pressed or Answer(race.turn, self.clock()), race.flip)

    def card(self) -> tuple[int, int] | None:
        """The newest card: its round and its number."""
        return None if self.race is None else (self.race.round, self.race.card)

    def let_bots_look(self, race: Race) -> None:
        """Every bot that has nothing in mind yet looks at what lies open, as its seat sees it."""
        live = self.live
        if live.table is None or not race.card or not self.keeper():
            return
        for number, seat in enumerate(live.document.seats):
            if seat.player and number not in self.bots:
                view = live.game.view(live.table.state, number)
                intent = live.game.intend(seat.player, view, FastRng(secrets.token_hex(8)))
                if intent is not None:
                    moment = self.shown + intent.after
                    self.bots[number] = self.at(moment, self.bot_slaps, number, intent.target)

    def bot_slaps(self, seat: int, target: int) -> None:
        del self.bots[seat]
        if self.race is not None and self.live.document.seats[seat].player:
            slap = Slap(seat, target, self.race.round, self.race.card, self.clock())
            self.hear(Hand(slap, Player(HERE, 0.0, dict(self.moments))))

    def ended(self) -> Denied:
        """Why nothing can be done here any more."""
        if self.live.document.stage == PLAYING:
            return Denied("restarting", status=503)
        return Denied(f"stage_{self.live.document.stage}")

    def stop(self) -> None:
        """Nothing goes on here any more."""
        self.race = None
        self.clear_round()
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
