"""melee.80 on the wire: bids, cards, stakes and values leave no trace in what others receive before they are shown.

Two tables are played alike but for one secret choice; all that the others get must be the same, byte for byte.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.server.bots.worker import BotAnswer
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import Guest, Player, Refusal
from tests.server.test_secrets import Dealer, Twin, ask_everything, begin, dealt_with, settle, sit_down

__all__ = ["dealt_with"]

# Seat and move, from the deal on; seat 0 begins with this seed. The last one differs at the other table.
PRELUDE = [
    (0, "recruit soldier at R1"),
    (1, "recruit soldier at B1"),
    (0, "recruit knight at R0"),
    (1, "pass"),
    (0, "pass"),
]
TO_CARDS = [*PRELUDE, (0, "bid 1"), (1, "bid 0"), (0, "lead R")]
TO_ATTACK = [*TO_CARDS, (1, "choose tax"), (0, "choose attack"), (0, "use soldier at R1"), (0, "attack B1")]

RAID = [(0, "recruit knight at R1"), (1, "pass"), (0, "pass"), (0, "bid 1"), (1, "bid 0"), (0, "lead R")]
RAID += [(1, "choose tax"), (0, "choose attack"), (0, "use knight at R1"), (0, "go B1"), (0, "attack B0")]
TO_NAMING = [*RAID, (0, "stake 1")]  # in a castle two values are named, and the first is hidden until the second


BOT_MOVES = ("pass", "bid 0", "choose tax", "name 1", "name 3")


async def play(twin: Twin, moves: list[tuple[int, str]], first: int) -> None:
    """Seats are counted from who begins, and colours with them."""
    for number, (place, text) in enumerate(moves):
        seat = (place + first) % 2
        move = text if first == 0 else text.translate(str.maketrans("RB", "BR"))
        prompt = twin.players[seat].seen[seat].update["prompt"]
        await twin.players[seat].do("move", id=f"move {number}", seat=seat, prompt=prompt, move=move)
        await settle(twin)


@pytest.mark.parametrize(
    ("moves", "place", "choices"),
    [
        (PRELUDE, 1, ("bid 0", "bid 7")),
        (TO_CARDS, 1, ("choose tax", "choose recruit")),
        (TO_ATTACK, 0, ("stake 1", "stake 4")),
        (TO_NAMING, 1, ("name 2", "name 5")),
    ],
    ids=["bid", "card", "stake", "guess"],
)
def test_a_secret_choice_does_not_show_in_any_byte(
    tmp_path: Path,
    dealt_with: Dealer,
    moves: list[tuple[int, str]],
    place: int,
    choices: tuple[str, str],
) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(3)
            twins = []
            for choice in choices:
                twin = await sit_down(house, people[:2], people[2], "melee", 2)
                await begin(twin)
                first = twin.players[0].view(0)["waiting"][0]
                await play(twin, [*moves, (place, choice)], first)
                twins.append(twin)
            chooser = (place + first) % 2
            assert twins[0].received(chooser) != twins[1].received(chooser), "who chose knows"
            for viewer in (1 - chooser, None):
                for twin in twins:
                    await ask_everything(twin, viewer, people[2 if viewer is None else viewer])
                assert twins[0].received(viewer) == twins[1].received(viewer)
            for twin in twins:
                for player in twin.players.values():
                    await player.leave()

    run(story())


class Moments:
    """What each viewer is sent, act after act: how many updates came of it, and nothing of what is in them."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.heard = {viewer: len(player.received) for viewer, player in twin.players.items()}
        self.seen: list[dict[int | None, int]] = []

    async def act(self, seat: int, move: str) -> None:
        player = self.twin.players[seat]
        prompt = player.seen[seat].update["prompt"]
        await player.do("move", id=f"act {len(self.seen)} {seat}", seat=seat, prompt=prompt, move=move)
        self.seen.append({viewer: await self.count(viewer) for viewer in self.twin.players})

    async def count(self, viewer: int | None) -> int:
        """The updates since the last time. An answer goes out before an update that is ready: after two of them
        nothing is on its way any more."""
        player = self.twin.players[viewer]
        for _ in range(2):
            with contextlib.suppress(Refusal):
                await player.do("why", seat=viewer or 0, move="bid 0")
        new = player.received[self.heard[viewer] :]
        self.heard[viewer] = len(player.received)
        return sum(msgspec.json.decode(text)["type"] == "update" for text in new)


async def at_three(house: OpenHouse, people: list[Guest], moves: Sequence[str]) -> Twin:
    """A table of three, where all have passed and then made these moves, one after another from seat 0 on."""
    twin = await sit_down(house, people[:3], people[3], "melee", 3)
    await begin(twin)
    for number, move in enumerate(["pass"] * 3 + list(moves)):
        waiting = twin.players[None].view(None)["waiting"]
        seat = waiting[0] if len(waiting) == 1 else number % 3
        prompt = twin.players[seat].seen[seat].update["prompt"]
        await twin.players[seat].do("move", id=f"move {number}", seat=seat, prompt=prompt, move=move)
        await settle(twin)
    return twin


@pytest.mark.parametrize(
    ("before", "acts"),
    [
        ([], [[(0, "bid 0"), (1, "bid 0")], [(0, "bid 15"), (1, "bid 7")], [(2, "bid 1"), (0, "bid 3"), (2, "bid 9")]]),
        (
            ["bid 1", "bid 0", "bid 0", "lead R"],
            [
                [(0, "choose tax"), (1, "choose tax")],
                [(1, "choose recruit"), (2, "choose attack")],
                [(2, "choose tax"), (2, "choose attack"), (1, "choose tax"), (2, "choose recruit")],
            ],
        ),
    ],
    ids=["bid", "card"],
)
def test_nothing_is_sent_while_some_have_chosen(
    tmp_path: Path, dealt_with: Dealer, before: list[str], acts: list[list[tuple[int, str]]]
) -> None:
    """melee.21, melee.23, melee.80: whoever chooses, whatever it is and however often it is changed, nobody else is
    sent anything; and when the last choice is in, everybody gets one update."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(4)
            for choices in acts:
                twin = await at_three(house, people, before)
                moments = Moments(twin)
                for seat, move in choices:
                    await moments.act(seat, move)
                    assert moments.seen[-1] == {viewer: int(viewer == seat) for viewer in twin.players}
                [last] = {0, 1, 2} - {seat for seat, _ in choices}
                await moments.act(last, choices[0][1])
                assert moments.seen[-1] == dict.fromkeys(twin.players, 1), "all is shown at once"
                for player in twin.players.values():
                    await player.leave()

    run(story())


@pytest.mark.parametrize(("stake", "values"), [(1, (2, 5)), (5, (2, 5)), (7, (5, 2)), (7, (1, 3))])
def test_updates_come_at_the_same_moments_of_an_attack(
    tmp_path: Path, dealt_with: Dealer, stake: int, values: tuple[int, int]
) -> None:
    """melee.47, melee.80: that the stake lies is seen by all, and that both values were named; nothing between."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(3)
            twin = await sit_down(house, people[:2], people[2], "melee", 2)
            await begin(twin)
            attacker = twin.players[0].view(0)["waiting"][0]
            await play(twin, RAID, attacker)
            moments = Moments(twin)
            await moments.act(attacker, f"stake {stake}")
            for value in values:
                await moments.act(1 - attacker, f"name {value}")
            everybody = dict.fromkeys(twin.players, 1)
            defender_alone = {viewer: int(viewer == 1 - attacker) for viewer in twin.players}
            assert moments.seen == [everybody, defender_alone, everybody]
            for player in twin.players.values():
                await player.leave()

    run(story())


def test_lists_of_tables_do_not_tell_that_somebody_has_chosen(tmp_path: Path, dealt_with: Dealer) -> None:
    """melee.80: the table where something was seen last comes first, and a secret choice is nothing that is seen."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(4)
            older = await at_three(house, people, [])
            await house.clock.move(1)
            newer = await at_three(house, people, [])

            async def lists() -> list[list[str]]:
                answers = [await aside(guest.get, "/api/mine") for guest in people[:3]]
                return [[table["id"] for table in answer] for answer in answers]

            moments = Moments(older)
            for seat, move in ((0, "bid 3"), (1, "bid 0"), (0, "bid 2")):
                await house.clock.move(1)
                await moments.act(seat, move)
                assert await lists() == [[newer.table, older.table]] * 3
            await moments.act(2, "bid 1")
            assert await lists() == [[older.table, newer.table]] * 3
            for player in (*older.players.values(), *newer.players.values()):
                await player.leave()

    run(story())


def test_a_bot_is_asked_the_same_whatever_others_chose_in_secret(
    tmp_path: Path, dealt_with: Dealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """melee.80: what it thinks about can not depend on the secret, and so neither can how long it thinks."""

    async def asked(house: OpenHouse, people: list[Guest], stake: str) -> list[tuple[Any, ...]]:
        """All questions to the bot up to its second value, against an attacker with this stake."""
        questions: list[tuple[Any, ...]] = []
        named: list[str] = []
        game = house.services.games["melee"]

        async def choose(
            name: str, seats: int, options: Any, sight: bytes, seat: int, level: str, volunteer: bool, **more: str
        ) -> BotAnswer:
            if len(named) < 2 and not volunteer:  # it may be asked again whether it wants to change a choice
                questions.append((name, seats, sight, seat, level, volunteer))
            state = game.load(seats, sight, options)
            for move in BOT_MOVES:
                if state.why_not(seat, game.parse(move)) is None:
                    named.extend([move] if move.startswith("name") else [])
                    return BotAnswer(0, game.parse(move))
            raise AssertionError("the bot is asked for something else")

        monkeypatch.setattr(house.services.bots, "choose", choose)
        table = await aside(people[0].table, game="melee", seats=2)
        player = await Player(people[0], table).connect()
        await player.until(lambda update: True, 0)
        await player.do("add_bot", level="greedy")
        await player.do("start", id="start")
        for text in [move for place, move in RAID if place == 0] + [stake]:
            update = await player.until(lambda update: update["view"] and 0 in update["view"]["waiting"], 0)
            await player.do("move", seat=0, prompt=update["prompt"], move=text)
            number = update["number"]
            await player.until(lambda update, number=number: update["number"] > number, 0)
        await player.until(lambda update: update["view"]["board"]["last_duel"] is not None, 0)
        await player.leave()
        return list(dict.fromkeys(questions))  # where both choose at once it may be asked the same again

    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(1)
            questions = await asked(house, people, "stake 2")
            assert len(questions) == 5, "pass, bid, card, and two values"
            assert await asked(house, people, "stake 6") == questions

    run(story())
