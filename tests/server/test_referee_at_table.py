"""The table at which people race: bots, calm races, people at one screen, and servers that come and go."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.engine.record import make_record, read_record, replay, verify
from polikarp.engine.strip import BEFORE
from polikarp.games import all_games
from polikarp.games.hunters.levels import levels
from polikarp.server.limits import Limits
from tests.server.hasty import HASTY
from tests.server.house import GENEROUS, OpenHouse, aside, open_house, run
from tests.server.playing import PATIENCE, Guest, Player, Refusal, guests_at, serving
from tests.server.racing import Racer, at_table, card_of, moment, racing, seated, strips_of, turn_at

# Bots


def test_bots_race_through_the_same_decision(tmp_path: Path) -> None:
    """They catch, in human times, and the strips of their races are kept; `still` only turns up."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, (one,) = await seated(house, 4, {1: "champion", 2: "champion", 3: "still"}, pace=0.8)
            racer = Racer(one, table)
            async with racing(racer):
                await aside(one.do, table, "start")
                await racer.until(lambda update: update["view"] and update["view"]["board"]["table"] >= 1, 0, 90)
            strips = strips_of(house.tables, table)
            finishes = [finish for strip in strips for finish in strip["finishes"]]
            assert {finish["seat"] for finish in finishes} <= {1, 2}
            assert all(finish["line"] == 0 and finish["credit"] == 0 for finish in finishes)
            assert all(finish["time"] > 100 or finish["judged"] == BEFORE for finish in finishes)

    run(live())


def test_every_bot_of_the_list_can_be_seated_and_plays(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            (one,) = await house.guests(1)
            [hunters] = [game for game in await aside(one.get, "/api/games") if game["id"] == "hunters"]
            assert hunters["bots"] == list(levels())
            table = await aside(one.table, game="hunters", seats=8, options={"pace": 0.8})
            for seat, level in enumerate([*hunters["bots"], "greedy", "strong"], 1):
                await aside(one.do, table, "add_bot", seat=seat, level=level)
            racer = Racer(one, table)
            async with racing(racer):
                await aside(one.do, table, "start")
                await racer.until(lambda update: card_of(update) == 2, 0)
                assert not house.tables.live[table].thinking.asked, "no bot worker is asked"

    run(live())


def test_a_bot_that_stands_in_races_too(tmp_path: Path) -> None:
    """hunters.31: somebody hands over; the bot slaps, and the person takes the seat back by a slap."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, (one, other) = await seated(house, 2, pace=0.8)
            await aside(one.do, table, "settings", stand_in="champion")
            racer, away = Racer(one, table), Racer(other, table)
            async with racing(racer, away):
                await aside(one.do, table, "start")
                await aside(other.do, table, "hand_over", seat=1)
                await racer.until(lambda update: at_table(update, 1), 0, 90)
                [strip] = strips_of(house.tables, table)
                assert [finish["seat"] for finish in strip["finishes"]] == [1]
                await away.until(lambda update: at_table(update, 1) and card_of(update) == 1, 1)
                await house.clock.move(0.15)
                await away.slap(1, 1, 1, 150.0)
                update = await away.until(lambda update: at_table(update, 2), 1)
                assert update["table"]["seats"][1]["status"] == "present"

    run(live())


# Calm


async def calm_table(house: OpenHouse, seats: int, calm: int) -> tuple[str, list[Guest], list[Racer]]:
    table, people = await seated(house, seats, calm=calm)
    return table, people, [Racer(guest, table) for guest in people]


async def open_race(
    house: OpenHouse, people: list[Guest], table: str, racers: list[Racer], seat: int, target: int
) -> None:
    """One card is turned up, and somebody slaps."""
    await aside(people[0].do, table, "start")
    turn = await turn_at(racers[0], 0)
    assert turn is not None
    await racers[turn].flip(turn)
    for number, racer in enumerate(racers):
        await racer.until(lambda update: card_of(update) == 1, number)
    await house.clock.move(0.15)
    racers[seat].target = target
    await racers[seat].slap(seat, 0, 1, 150.0)
    for number, racer in enumerate(racers):
        await racer.until(lambda update: update["view"]["board"]["race"] is not None, number)


def test_answers_to_a_calm_race_leave_no_trace(tmp_path: Path) -> None:
    """hunters.35: nobody hears anything until all have answered; then all is shown, with the strip."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, people, racers = await calm_table(house, 4, 20)
            async with racing(*racers):
                await open_race(house, people, table, racers, 1, 0)
                before = [len(racer.news()) for racer in racers]
                version = house.tables.live[table].version
                racers[0].target = 2
                slapped = asyncio.create_task(racers[0].slap(0, 0, 1, 150.0, id="mine"))
                asked = racers[2].seen[2].update["prompt"]
                passed = asyncio.create_task(racers[2].do("move", seat=2, prompt=asked, move="pass"))
                await house.clock.move(0.4)
                with pytest.raises(Refusal) as refused:
                    await racers[0].slap(0, 0, 1, 500.0)
                assert (refused.value.key, refused.value.reason["rule"]) == ("slap_second", "hunters.24")
                assert [len(racer.news()) for racer in racers] == [before[0] + 1, *before[1:]]
                assert house.tables.live[table].version == version
                assert not slapped.done()
                assert not passed.done()
                racers[3].target = 1
                await racers[3].slap(3, 0, 1, 500.0)
                await house.clock.until(asyncio.gather(slapped, passed))
                assert (await racers[0].slap(0, 0, 1, 150.0, id="mine"))["type"] == "done", "sent again"
                update = await racers[1].until(lambda update: at_table(update, 1), 1)
                assert update["view"]["board"]["answers"] == ["slap 3", "slap 1", "pass", "slap 2"]
            [strip] = strips_of(house.tables, table)
            assert strip["calm"]
            priorities = [finish["outcome"] for finish in strip["finishes"]]
            assert sorted(priorities) == ["counts", "lower", "lower"]
            check_replay(house, table)

    run(live())


def check_replay(house: OpenHouse, table: str) -> None:
    """What was played so far holds, the strips too."""
    live_table = house.tables.live[table]
    assert live_table.table is not None
    replay(live_table.game, make_record(live_table.table, ["x"] * live_table.table.seats))


def test_who_does_not_answer_a_calm_race_in_time_lets_it_go(tmp_path: Path) -> None:
    """hunters.35, hunters.34: and meanwhile no card is turned up."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, people, racers = await calm_table(house, 3, 2)
            async with racing(*racers):
                await open_race(house, people, table, racers, 2, 1)
                began = moment(house)
                update = await racers[0].until(lambda update: at_table(update, 1), 0)
                assert 1500 < moment(house) - began < 3000
                assert update["view"]["board"]["answers"] == ["pass", "pass", "slap 2"]
                [strip] = strips_of(house.tables, table)
                assert [finish["outcome"] for finish in strip["finishes"]] == ["counts"]
            check_replay(house, table)

    run(live())


def test_bots_answer_a_calm_race(tmp_path: Path) -> None:
    """hunters.35: they have made up their minds, so nobody waits for them."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, (one,) = await seated(house, 3, {1: "still", 2: "still"}, calm=30, pace=0.8)
            racer = Racer(one, table)
            async with racing(racer):
                await aside(one.do, table, "start")
                await racer.until(lambda update: card_of(update) == 1, 0)
                await house.clock.move(0.15)
                began = moment(house)
                await racer.slap(0, 0, 1, 150.0)
                await racer.until(lambda update: at_table(update, 1), 0)
                assert moment(house) - began < 2000

    run(live())


# Lines and screens


def test_at_one_screen_a_millisecond_can_be_told(tmp_path: Path) -> None:
    """hunters.19: two seats of one person, on one line."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            (one,) = await house.guests(1)
            table = await aside(one.table, game="hunters", seats=2)
            await aside(one.do, table, "sit", name="Ola")
            racer = Racer(one, table)
            async with racing(racer):
                await aside(one.do, table, "start")
                turn = await turn_at(racer, 0)
                assert turn is not None
                await racer.flip(turn)
                await racer.until(lambda update: card_of(update) == 1, 0)
                await house.clock.move(0.2)
                took = moment(house) - racer.shown[0, 1]
                slap = {"table": table, "target": 0, "round": 0, "card": 1}
                names = [await racer.send("slap", seat=seat, claimed=took - 2 * seat, **slap) for seat in (0, 1)]
                assert (await racer.answer(names[1]))["type"] == "done"
                with pytest.raises(Refusal, match="slap_later"):
                    await racer.answer(names[0])
            [strip] = strips_of(house.tables, table)
            assert len({finish["screen"] for finish in strip["finishes"]} - {""}) == 1

    run(live())


def test_slaps_and_pongs_have_limits_of_their_own(tmp_path: Path) -> None:
    usual = Limits()
    limits = msgspec.structs.replace(GENEROUS, slaps=usual.slaps, pongs=usual.pongs)

    async def live() -> None:
        async with open_house(tmp_path, limits=limits) as house:
            table, (one, other) = await seated(house, 2)
            racer, hasty = Racer(one, table), Racer(other, table)
            async with racing(racer, hasty):
                await aside(one.do, table, "start")
                await hasty.until(lambda update: update["view"], 1)
                names = [await hasty.send("slap", table=table, seat=1, target=0, round=0, card=0) for _ in range(60)]
                heard = (Player.answer(hasty, name) for name in names)  # while time stands
                answers = await asyncio.gather(*heard, return_exceptions=True)
                keys = [answer.key for answer in answers if isinstance(answer, Refusal)]
                assert set(keys) == {"nothing_open", "too_fast"}
                assert keys.count("nothing_open") == 30
                assert racer.socket is not None
                for _ in range(200):
                    await racer.socket.send('{"type":"pong","nonce":"made up"}')
                await racer.lost.wait()
                assert racer.closed == 4429

    run(live())


@pytest.mark.parametrize(
    "wrong",
    [
        {"table": "x" * 22},
        {"target": 3},
        {"target": -1},
        {"round": -1},
        {"card": 10**9},
        {"claimed": "soon"},
        {"seat": 5},
        {"seat": 0},
    ],
)
def test_a_wrong_slap_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, (one, other) = await seated(house, 2)
            await aside(one.do, table, "start")
            racer = await Racer(other, table).come()
            fields = {"table": table, "seat": 1, "target": 0, "round": 0, "card": 0, "claimed": 1.0, **wrong}
            with pytest.raises(Refusal) as refused:
                await racer.do("slap", **fields)
            assert refused.value.key in ("malformed", "no_such_table", "not_your_seat", "no_such_seat")
            await racer.leave()

    run(live())


def test_a_slap_elsewhere_is_refused(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            (one,) = await house.guests(1)
            table = await aside(one.table)
            racer = await Racer(one, table).come()
            with pytest.raises(Refusal, match="nothing_to_slap"):
                await racer.slap(0, 0, 0)
            await racer.leave()

    run(live())


def test_a_program_that_only_makes_moves_can_play(tmp_path: Path) -> None:
    """A slap sent as a move counts as one over a line of unknown length."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            table, (one, _other) = await seated(house, 2, pace=0.8)
            racer = Racer(one, table)
            async with racing(racer):
                await aside(one.do, table, "start")
                update = await racer.until(lambda update: card_of(update) == 2, 0)
                await house.clock.move(0.2)
                assert "slap 3" in update["view"]["moves"]
                await racer.do("move", seat=0, prompt=update["prompt"], move="slap 3")
                await racer.until(lambda update: at_table(update, 1), 0)
            [strip] = strips_of(house.tables, table)
            [finish] = strip["finishes"]
            assert finish["time"] > 150
            assert finish["line"] == 0

    run(live())


# Servers that come and go


@pytest.mark.parametrize("calm", [0, 2])
def test_kill_9_in_the_middle_of_a_race(tmp_path: Path, calm: int) -> None:
    """What was acknowledged is there, and the game goes on to its end."""

    async def live() -> None:
        with serving(tmp_path / "house", command=HASTY) as server, guests_at(server.url, server.url) as (one, other):
            table = one.table(game="hunters", seats=2, options={"pace": 0.8, "calm": calm})
            other.do(table, "sit")
            racers = [Racer(one, table), Racer(other, table)]
            for racer in racers:
                await racer.come()
            one.do(table, "start")
            chance = random.Random("kill")
            taken = kills = 0
            while kills < 3:
                update = await racers[0].until(lambda update: update["view"] and card_of(update), 0)
                board = update["view"]["board"]
                await asyncio.sleep(0.2)  # a reaction, of a real server's time
                name = await racers[0].send(
                    "slap", table=table, seat=0, target=kills, round=board["table"], card=board["card"], claimed=200.0
                )
                await asyncio.sleep(chance.choice([0.0, 0.01, 0.05, 0.3]))  # somewhere in the race
                answered = racers[0].answers[name].done()
                server.kill()
                kills += 1
                await asyncio.to_thread(server.start)
                for racer in racers:
                    await racer.come()
                update = await racers[0].until(lambda update: update["view"], 0)
                assert calm or not update["view"]["board"]["table"] or update["strip"], "the photo is kept"
                slap = {"target": kills - 1, "round": board["table"], "card": board["card"], "claimed": 200.0}
                await racers[0].send("slap", id=name, table=table, seat=0, **slap)
                again = (await asyncio.wait_for(racers[0].answers[name], PATIENCE)).get("reason", {"key": "done"})
                assert again["key"] in ("done", "slap_old", "slap_impossible", "slap_second")
                answered = answered or again["key"] == "done"
                board = update["view"]["board"]
                if answered and not calm:
                    assert board["table"] > taken, "what was acknowledged is there"
                taken = board["table"]
                at = taken, board["card"]
                await racers[0].until(lambda update, at=at: (update["view"]["board"]["table"], card_of(update)) > at, 0)
            for racer in racers:
                await racer.leave()

    asyncio.run(live())


def test_a_whole_game_and_its_record(tmp_path: Path) -> None:
    """To the end, over a real server; the record holds, strip by strip."""

    async def live() -> bytes:
        with serving(tmp_path / "house", command=HASTY) as server, guests_at(server.url) as (one,):
            table = one.table(game="hunters", seats=2, options={"pace": 0.8})
            one.do(table, "add_bot", level="still")
            racer = await Racer(one, table).come()
            racer.reflex = lambda table, card: 130.0
            one.do(table, "start")
            await racer.until(lambda update: update["view"] and update["view"]["result"], 0, 60)
            await racer.leave()
            return one.http.get(f"/api/tables/{table}/record").content

    record = read_record(asyncio.run(live()))
    assert verify(all_games()["hunters"], record) > 0
    strips = [move.strip for move in record.moves if move.strip is not None]
    assert len(strips) == 7
    assert all(strip.finishes[0].seat == 0 for strip in strips)
