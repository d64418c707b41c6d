"""The referee with no server around it, by a clock that the test sets: what is due when, who is shown a card when,
and what becomes of a hand. `test_referee_over_sockets.py` has the same over real sockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from polikarp.engine.phrase import Refusal
from polikarp.games.hunters import game
from polikarp.games.hunters.rules import Hunters
from polikarp.server import messages as say
from polikarp.server.clock import Clock
from polikarp.server.identity import Person
from polikarp.server.race.latency import Latency, Packets
from polikarp.server.race.photo import decide
from polikarp.server.race.referee import LATEST, Answer, Referee, Turning
from polikarp.server.table.document import PLAYING, Document, Seat
from tests.hunters.positions import deal, flip, play, position, told

HERE, FAR = Latency(), Latency((200.0,) * 20, (Packets(200.0, 1.0, 200.0),) * 20)
OLU = ["fire", "ice", "bow"]  # monster 1


class SetClock(Clock):
    """Stands where the test sets it, in milliseconds."""

    def __init__(self) -> None:
        self.at = 10_000.0

    def monotonic(self) -> float:
        return self.at / 1000


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


class Connected(SimpleNamespace):
    """One line to somebody; `since` it is there."""

    def __init__(self, person: str, line: Latency = HERE, since: float = 0.0, screen: str = "") -> None:
        super().__init__(person=Person(person, person), latency=line, since=since, screen=screen, held_until=0.0)


class RaceTableAlone:
    """As much of a table as the finish line needs. The people of the seats are called 0, 1, 2."""

    def __init__(self, state: Hunters, connections: list[Connected], **options: Any) -> None:
        self.id = "table"
        self.game = game
        self.table = SimpleNamespace(state=state)
        self.presence = SimpleNamespace(viewers=connections)
        given = {option.name: option.default for option in game.options} | options
        seats = [Seat(person=str(seat), servers=["here"]) for seat in range(state.seats)]
        self.document = Document(
            game="hunters", options=given, rules="", stage=PLAYING, seats=seats, made=0.0, seed=None, commitment=""
        )

    def seats_of(self, who: Person) -> list[int]:
        return [seat for seat, one in enumerate(self.document.seats) if one.person == who.id]


Work = Callable[[Referee, RaceTableAlone], None]


def at_the_line(clock: SetClock, state: Hunters, work: Work, *connections: Connected, **options: Any) -> None:
    """Do something at a table that was just looked at."""

    async def live() -> None:
        table = RaceTableAlone(state, list(connections), **options)
        house = SimpleNamespace(draining=False, alive={"here"}, server="here", clock=clock)
        referee = Referee(cast(Any, house), cast(Any, table))
        referee.look()
        work(referee, table)
        table.document.stage = "over"
        referee.look()

    asyncio.run(live())


def refused(line: Referee, seat: int, by: Connected | None, claimed: float | None, **fields: Any) -> Refusal | None:
    """Somebody slaps the first monster now: why that is refused at once, if it is."""
    assert line.race is not None
    told = {"target": 0, "round": line.race.round, "card": line.race.card, "claimed": claimed} | fields
    command = say.Slap(id=f"{seat} {line.clock()}", table="table", seat=seat, **told)
    answer = line.slapped(command, cast(Any, by), line.clock())
    denied = answer.settled.result() if answer.settled.done() else None
    return None if denied is None else denied.refusal


def slap(line: Referee, seat: int, by: Connected | None, claimed: float | None, **fields: Any) -> str:
    """The rule that refuses it at once, or nothing."""
    refusal = refused(line, seat, by, claimed, **fields)
    return "" if refusal is None else refusal.rule


def test_a_card_is_due_after_its_time_or_when_it_is_pressed(clock: SetClock) -> None:
    """hunters.31: the option `pace`; pressed by whose turn it is; and for nobody when all are away."""

    def work(line: Referee, lane: RaceTableAlone) -> None:
        assert line.due() == 10_800
        assert line.alarm is not None
        clock.at += 600
        pressed = line.moved(say.Move(id="a", seat=0, prompt=0, move="flip"))
        assert line.due() == 10_600
        line.pressed = None
        for seat in lane.document.seats:
            seat.servers.clear()
        assert line.due() is None
        assert not pressed.settled.done()

    at_the_line(clock, position(3, turned=OLU), work, pace=0.8)


@pytest.mark.parametrize("pace", [0.8, 5.0])
def test_the_first_card_after_a_taking_leaves_time_to_see_it(clock: SetClock, pace: float) -> None:
    """hunters.31: no sooner than 2.5 seconds after it, pressed or not; the first of the game and all others sooner."""
    state = position(3, monsters=[1])

    def work(line: Referee, lane: RaceTableAlone) -> None:
        assert line.due() == 10_000 + pace * 1000
        line.pressed = Answer(0, line.clock())
        assert line.due() == 10_500
        line.pressed = None
        flip(state, 3)
        line.look()
        play(state, 1, "slap 1")
        clock.at = 20_000
        line.look()
        assert line.due() == 20_000 + max(2.5, pace) * 1000
        clock.at = 21_000
        line.moved(say.Move(id="a", seat=1, prompt=0, move="flip"))
        assert line.due() == 22_500
        clock.at = 22_500
        line.pressed = None
        flip(state)
        line.look()
        assert line.due() == 22_500 + pace * 1000
        clock.at = 22_600
        line.moved(say.Move(id="b", seat=2, prompt=0, move="flip"))
        assert line.due() == 23_000

    at_the_line(clock, state, work, pace=pace)


def test_with_no_deck_left_a_slap_is_waited_for(clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """hunters.20: nothing is turned up; the bots look at the table again."""
    state = deal(3)
    flip(state, 108)

    def work(line: Referee, lane: RaceTableAlone) -> None:
        looked: list[object] = []
        monkeypatch.setattr(line, "let_bots_look", looked.append)
        assert line.due() == 12_000
        clock.at = 12_000
        assert line.turned_up(cast(Any, None), Turning(None)) is None
        assert looked == [line.race]
        assert line.due() == 14_000

    at_the_line(clock, state, work)


def test_no_card_is_due_while_a_race_is_open(clock: SetClock) -> None:
    """hunters.34: from the first hand on."""
    near = Connected("0")

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, near))
        clock.at += 300
        assert slap(line, 0, near, 300.0) == ""
        assert line.closing is not None
        assert line.due() is None
        assert line.alarm is None
        line.pressed = Answer(0, line.clock())
        assert line.due() is None

    at_the_line(clock, position(3, turned=OLU), work, near)


def turn_up(line: Referee, lane: RaceTableAlone, clock: SetClock, *sent: Connected, after: float) -> None:
    """So much later the next card is turned up and sent to these."""
    clock.at += after
    flip(lane.table.state)
    line.look()
    for one in sent:
        line.note_sent(cast(Any, one))


UNEVEN = Latency((160.0, 240.0) * 10, (Packets(200.0, 32.0, 160.0),) * 20)


def test_a_void_slap_stops_nothing(clock: SetClock) -> None:
    """hunters.26, hunters.33, hunters.25: it opens no race, the card comes in its time, and its player may slap. Nobody
    is told what was missing."""
    far = Connected("0", UNEVEN)
    state = position(3, monsters=[1], turned=OLU[:2], decks={2: ["bow"]})

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, far))
        turn_up(line, lane, clock, far, after=800)
        due = line.due()
        clock.at += 300
        for claimed in (-50.0, 90.0, 110.0):
            assert refused(line, 0, far, claimed) == Refusal("hunters.33", "false_start", {"place": 1})
        assert slap(line, 0, far, 50.0, round=7) == "hunters.25"
        assert line.closing is None
        assert line.due() == due
        clock.at += 250
        assert slap(line, 0, far, 350.0) == ""
        assert line.closing is not None

    at_the_line(clock, state, work, far)


@pytest.mark.parametrize("after", [20.0, 99.0])
def test_a_slap_surely_in_the_first_100_ms_opens_a_race(clock: SetClock, after: float) -> None:
    """hunters.33: it is no void slap but a catch or a mistake, without the newest card."""
    near = Connected("0")
    state = position(3, monsters=[1], turned=OLU[:2], decks={2: ["bow"]})

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, near))
        turn_up(line, lane, clock, near, after=800)
        clock.at += after
        assert slap(line, 0, near, after) == ""
        assert line.closing is not None
        assert line.race is not None
        [hand] = line.hands
        decision = decide(line.race, {0: hand.player}, [hand.slap])
        assert decision.move == "slap 1 before"

    at_the_line(clock, state, work, near)


def test_a_slap_is_judged_without_all_cards_that_were_on_their_way(clock: SetClock) -> None:
    """hunters.25: on a line of 900 ms, with a card every half a second."""
    slow = Connected("0", Latency((900.0,) * 20, (Packets(900.0, 1.0, 900.0),) * 20))
    state = position(3, monsters=[1], turned=["fire", "ice", "axe"], decks={0: ["bow"], 1: ["sword"]})

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, slow))
        for _ in range(2):
            turn_up(line, lane, clock, slow, after=500)
        clock.at += 100  # the slap was made 350 ms ago, 200 ms after the third card was shown
        assert slap(line, 0, slow, 200.0, card=3) == ""
        assert line.race is not None
        [hand] = line.hands
        decision = decide(line.race, {0: hand.player}, [hand.slap])
        assert decision.move == "slap 1 before 2"
        log = play(state, 0, decision.move)
        assert told(log, "mistake")[0]["missing"] == "bow", "it lies open, and was not shown yet"

    at_the_line(clock, state, work, slow)


def test_a_slap_with_an_impossible_time_says_so(clock: SetClock) -> None:
    """hunters.30: a card can not have been shown longer than it was sent, or without having been sent. That is not what
    is said of a table that is gone (hunters.25)."""
    near = Connected("0")

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, near))
        clock.at += 300
        impossible = Refusal("hunters.30", "slap_impossible")
        assert refused(line, 0, near, 10.0, card=2) == impossible
        assert refused(line, 0, near, 900.0) == impossible
        assert refused(line, 0, near, 900.0, round=7) == Refusal("hunters.25", "slap_old")
        assert line.closing is None
        assert refused(line, 0, near, 310.0) is None

    at_the_line(clock, position(3, turned=OLU), work, near)


def test_everybody_is_shown_the_card_at_one_moment(clock: SetClock) -> None:
    """hunters.32: the slowest line is sent it first; somebody with two lines gets it with the later one; who only
    watches, and who asks, sees it when all do."""
    near, far, both, slow, watcher = (
        Connected("0"),
        Connected("1", FAR),
        Connected("2"),
        Connected("2", FAR),
        Connected("guest"),
    )

    def work(line: Referee, lane: RaceTableAlone) -> None:
        held = [one.held_until - clock.at for one in (near, far, both, slow, watcher)]
        assert held == [100.0, 0.0, 100.0, 100.0, 100.0]
        assert line.shown == clock.at + 100

    at_the_line(clock, position(3, turned=OLU), work, near, far, both, slow, watcher)


def test_the_time_counts_from_when_a_player_was_first_shown_the_card(clock: SetClock) -> None:
    """hunters.30: not from when they came back, nor from when a line at last took what it was sent."""
    first, again, late, stuck = Connected("0"), Connected("0"), Connected("1", since=10_300), Connected("2")

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, first))
        clock.at += 400
        for one in (again, late, stuck):
            line.note_sent(cast(Any, one))
        card = 3
        assert [line.sent[person][card] for person in "012"] == [10_000, 10_000, 10_000 + LATEST]
        assert line.player(0, cast(Any, again)).sent == {card: 10_000}
        assert line.player(0, None).latency == HERE
        assert line.player(0, cast(Any, Connected("0", FAR))).latency == FAR

    at_the_line(clock, position(3, turned=OLU), work, first, again, late, stuck)


def test_a_new_table_is_measured_anew(clock: SetClock) -> None:
    """hunters.30: all slaps are measured from a card of this table."""
    near = Connected("0")
    state = position(3, monsters=[1], turned=OLU)

    def work(line: Referee, lane: RaceTableAlone) -> None:
        line.note_sent(cast(Any, near))
        clock.at += 500
        play(state, 0, "slap 1")
        line.look()
        assert line.sent == {}
        assert line.moments == {0: 10_500}

    at_the_line(clock, state, work, near)


def test_only_players_at_one_screen_share_its_clock(clock: SetClock) -> None:
    """hunters.19: two seats of one person, on one line."""
    one, other = Connected("0", screen="s"), Connected("2", screen="t")

    def work(line: Referee, lane: RaceTableAlone) -> None:
        lane.document.seats[1].person = "0"
        assert [line.player(seat, cast(Any, one)).screen for seat in (0, 1)] == ["s", "s"]
        assert line.player(2, cast(Any, other)).screen == ""

    at_the_line(clock, position(3, turned=OLU), work, one, other)


def test_answers_to_a_calm_race_are_kept_until_it_ends(clock: SetClock) -> None:
    """hunters.35, hunters.34, hunters.24: for the option's seconds, or until all have answered; each answers once."""
    people = [Connected(str(seat)) for seat in range(3)]
    state = position(3, monsters=[1, 2, 3], turned=OLU, calm=7)

    def work(line: Referee, lane: RaceTableAlone) -> None:
        for one in people:
            line.note_sent(cast(Any, one))
        play(state, 1, "slap 1")
        clock.at += 300
        line.look()
        assert line.due() == clock.at + 7000
        assert slap(line, 0, people[0], 300.0) == ""
        assert line.due() == clock.at + 7000
        assert state.sealed[0] < 0
        clock.at += 100
        assert slap(line, 0, people[0], 400.0) == "hunters.24"
        line.moved(say.Move(id="p", seat=2, prompt=0, move="pass"))
        due = line.due()
        assert due is not None
        assert due <= clock.at
        assert [answer.settled.done() for answer in line.waiting()] == [False, False]

    at_the_line(clock, state, work, *people, calm=7)
