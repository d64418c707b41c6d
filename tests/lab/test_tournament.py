"""Tournaments: fair line-ups, the same results whoever plays them and however often they were stopped, and what the
command line makes of it all."""

from __future__ import annotations

import csv
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.games import find_game
from polikarp.lab import tournament as lab
from polikarp.lab.crew import Processes
from polikarp.lab.tournament import (
    Count,
    Deal,
    Journal,
    Played,
    Standings,
    Tournament,
    TournamentError,
    line_ups,
    plan,
    play_deal,
    rate,
    read_goal,
    run_tournament,
)
from tests.conftest import PATIENCE, PROGRAM, Command, assert_refused
from tests.lab.crews import Alone

LEDUC = find_game("leduc")
CRYPT = find_game("crypt")
SMALL = plan(LEDUC, 2, ["greedy", "random"], "7")
COMMAND = ("tournament", "leduc", "--seats", "2", "--bots", "greedy,random", "--seed", "7")


def made(count: Count) -> bytes:
    return msgspec.json.encode(count.standings())


# Line-ups and deals


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (2, 3), (2, 4), (3, 4), (4, 3), (7, 2), (3, 1)])
def test_every_bot_sits_on_every_seat_equally_often_in_every_deal(bots: int, seats: int) -> None:
    tournament = Tournament("", "", seats, {}, [str(number) for number in range(bots)], "seed")
    circles = set()
    for deal in range(20):
        seated = Counter((seat, bot) for line_up in line_ups(tournament, deal) for seat, bot in enumerate(line_up))
        assert set(seated) == {(seat, bot) for seat in range(seats) for bot in range(bots)}
        assert len(set(seated.values())) == 1
        circles.add(str(line_ups(tournament, deal)))
    assert len(circles) > 1  # who sits beside whom changes


def test_the_games_of_a_deal_have_the_same_cards_and_chance() -> None:
    """Two names for the same bot: then it does not matter which of them sits where."""
    tournament = plan(CRYPT, 3, ["strong:simulations=2", "strong:simulations=02"], "7")
    deals = [play_deal(tournament, CRYPT, deal) for deal in range(3)]
    for deal in deals:
        assert len({tuple(game.line_up) for game in deal.games}) > 1
        assert len({(tuple(game.scores), game.moves) for game in deal.games}) == 1
    assert len({tuple(deal.games[0].scores) for deal in deals}) == 3


# What is counted


def scripted(winner: int, deal: int = 0) -> Deal:
    """A deal of two bots on two seats that one bot wins in both games."""
    games = [
        Played(line_up, [5 * (bot == winner) for bot in line_up], [1 + (bot != winner) for bot in line_up], 9)
        for line_up in ([0, 1], [1, 0])
    ]
    return Deal(deal, games)


def test_shares_scores_and_pairs_are_counted_by_deal() -> None:
    count = Count(SMALL)
    for deal, winner in enumerate([0, 0, 1, 0]):
        count.add(scripted(winner, deal))
    standings = count.standings()
    best, other = standings.bots
    assert (best.bot, best.games, best.share, best.score, best.by_seat) == ("greedy", 8, 0.75, 3.75, [0.75, 0.75])
    assert (other.bot, other.share) == ("random", 0.25)
    assert best.rating.low < best.rating.mu < best.rating.high
    assert best.rating.mu > other.rating.mu
    [pair] = standings.pairs
    assert (pair.ahead, pair.behind, pair.difference, pair.decided) == ("greedy", "random", 0.5, False)
    assert pair.low < 0 < pair.high
    assert (standings.deals, standings.games, standings.moves) == (4, 8, 72)


def test_an_order_is_decided_when_chance_does_not_explain_it() -> None:
    even, clear = Count(SMALL), Count(SMALL)
    for deal in range(120):
        even.add(scripted(deal % 2, deal))
        clear.add(scripted(int(deal % 5 == 0), deal))
    assert not even.standings().pairs[0].decided
    assert clear.standings().pairs[0].decided
    assert "The order is decided." in clear.standings().text()
    assert "Not decided: random and greedy" in even.standings().text()


def test_a_drawn_game_rates_nobody_higher() -> None:
    drawn = [Deal(0, [Played([0, 1], [3, 3], [1, 1], 5), Played([1, 0], [3, 3], [1, 1], 5)])]
    one, other = rate(SMALL, drawn)
    assert one.mu == pytest.approx(other.mu)
    assert one.sigma < 25 / 3


def rated_by(places: Sequence[int]) -> list[float]:
    """What one game with these places makes of bots of whom nothing is known."""
    seats = len(places)
    tournament = msgspec.structs.replace(SMALL, seats=seats, bots=[f"bot {number}" for number in range(seats)])
    deal = Deal(0, [Played(list(range(seats)), [-place for place in places], list(places), 5)])
    return [rating.mu for rating in rate(tournament, [deal])]


def patterns(seats: int) -> list[tuple[int, ...]]:
    """All ways in which so many can share places."""
    drawn = itertools.product(range(seats), repeat=seats)
    return sorted({tuple(1 + sum(other < own for other in each) for own in each) for each in drawn})


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_better_place_is_rated_higher_and_a_shared_one_alike(seats: int) -> None:
    """In Gold a fifth of the games has joint winners."""
    for places in patterns(seats):
        check_order(places, rated_by(places))


def test_so_it_is_with_as_many_as_can_be_compared_at_once() -> None:
    chance = random.Random(1)
    for seats in (6, 7, 8, 16, 64):
        for _ in range(30):
            drawn = [chance.randrange(seats // 2) for _ in range(seats)]
            places = [1 + sum(other < own for other in drawn) for own in drawn]
            check_order(places, rated_by(places))


def check_order(places: Sequence[int], rated: Sequence[float]) -> None:
    for (one, mu), (other, other_mu) in itertools.combinations(zip(places, rated, strict=True), 2):
        if one == other:
            assert mu == pytest.approx(other_mu, abs=1e-5), (places, rated)
        else:
            assert (mu > other_mu) == (one < other), (places, rated)


def test_a_bot_that_meets_only_itself_keeps_its_rating() -> None:
    drawn = [Deal(0, [Played([0, 0], [3, 1], [1, 2], 5)])]
    assert rate(SMALL, drawn)[0].mu == pytest.approx(25.0)


def test_bots_that_play_alone_are_rated_on_the_same_deal() -> None:
    count = run_tournament(plan(CRYPT, 1, ["random", "greedy"], "7"), 5, Alone())
    best, other = count.standings().bots
    assert best.bot == "greedy"
    assert best.rating.mu > 27 > 23 > other.rating.mu


# Whoever plays it


def test_processes_play_the_same_tournament() -> None:
    tournament = plan(CRYPT, 3, ["greedy", "random"], "7")
    with Processes(2) as crew:
        assert made(run_tournament(tournament, 12, crew)) == made(run_tournament(tournament, 12, Alone()))


def test_another_seed_gives_another_tournament() -> None:
    other = plan(LEDUC, 2, ["greedy", "random"], "8")
    assert run_tournament(SMALL, 9, Alone()).deals != run_tournament(other, 9, Alone()).deals


def test_a_tournament_stops_at_its_goal() -> None:
    tournament = plan(CRYPT, 2, ["greedy", "random"], "7")
    count = run_tournament(tournament, 500, Alone(), read_goal("decided"))
    assert 3 < len(count.deals) < 200
    assert all(pair.decided for pair in count.standings().pairs)
    count = run_tournament(SMALL, 3000, Alone(), read_goal("0.1"))
    assert 20 < len(count.deals) < 3000
    assert all(each.high - each.low <= 0.2 for each in count.standings().bots)
    before = Count(SMALL)
    for deal in count.deals[:-1]:
        before.add(deal)
    assert not before.reached(0.1)


def test_a_worker_with_other_rules_does_not_play() -> None:
    with pytest.raises(TournamentError, match=r"by the rules .*, not 0\+old"):
        run_tournament(msgspec.structs.replace(SMALL, rules="0+old"), 5, Alone())


def test_a_bot_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(lab, "play_match", fail)
    with pytest.raises(TournamentError, match=r"deal 0, with .*: ZeroDivisionError: by nothing"):
        run_tournament(SMALL, 5, Alone())


# Going on


def test_a_tournament_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deals.jsonl"
    whole = made(run_tournament(SMALL, 30, Alone()))
    run_tournament(SMALL, 12, Alone(), journal=Journal(path))
    first = path.read_bytes()
    path.write_bytes(first[:-7])  # killed while it wrote: the twelfth deal is lost
    played = []

    def noted(tournament: Tournament, game: Game, deal: int) -> Deal:
        played.append(deal)
        return play_deal(tournament, game, deal)

    monkeypatch.setattr(lab, "play_deal", noted)
    assert made(run_tournament(SMALL, 30, Alone(), journal=Journal(path))) == whole
    assert played == list(range(11, 30))
    assert path.read_bytes().startswith(first)
    assert made(run_tournament(SMALL, 30, Alone(), journal=Journal(path))) == whole
    assert len(run_tournament(SMALL, 10, Alone(), journal=Journal(path)).deals) == 10


def test_a_journal_is_for_one_tournament(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    run_tournament(SMALL, 2, Alone(), journal=Journal(path))
    kept = path.read_bytes()
    with pytest.raises(UsageError, match="its bots and seed differ"):
        run_tournament(plan(LEDUC, 2, ["random", "greedy"], "8"), 2, Alone(), journal=Journal(path))
    assert path.read_bytes() == kept


@pytest.mark.parametrize("text", ["{}\n", "hello\n", "no end", '{"deal":1,"games":[]}\n'])
def test_a_file_that_is_no_journal_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="is not the journal of a tournament"):
        run_tournament(SMALL, 2, Alone(), journal=Journal(path))
    assert path.read_text() == text


@pytest.mark.parametrize("damage", [b"{", b'{"deal":3,"games":[]}', b"\xff\xfe", b"", "twice"])
def test_a_damaged_line_is_named_and_skipped_on_request(damage: bytes | str, tmp_path: Path) -> None:
    """Its deal is played again, so that all is as if nothing had been damaged; the last ones stay."""
    path = tmp_path / "deals.jsonl"
    whole = made(run_tournament(SMALL, 8, Alone(), journal=Journal(path)))
    lines = path.read_bytes().split(b"\n")
    lines[4] = lines[3] if isinstance(damage, str) else damage  # deal 3
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(UsageError, match=r"line 5 of .*deals\.jsonl is damaged; .* --skip-damaged"):
        run_tournament(SMALL, 8, Alone(), journal=Journal(path))
    assert path.read_bytes() == b"\n".join(lines), "it is left alone"
    begun: list[int] = []

    class Watching(Alone):
        def results(self, work: Any, tasks: Any) -> Any:
            for task in tasks:
                begun.extend(task.deals)
                yield work(task)

    journal = Journal(path, skip_damaged=True)
    assert made(run_tournament(SMALL, 8, Watching(), journal=journal)) == whole
    assert begun == [3]
    assert made(run_tournament(SMALL, 8, Alone(), journal=Journal(path))) == whole, "and the journal is whole again"


# The command


def test_the_command_shows_a_table_and_writes_files(run: Command, tmp_path: Path) -> None:
    outcome = run(*COMMAND, "--deals", "25", "--workers", "1", "--csv", "games.csv", "--plot", "shares.svg")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    head, _, columns, *_ = outcome.stdout.splitlines()
    assert head.startswith("leduc, 2 seats, 25 deals, 50 games, ")
    assert columns.split() == ["bot", "win", "share", "rating", "mean", "score", "by", "seat"]
    assert "A fair share is 0.500." in outcome.stdout
    with (tmp_path / "games.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 100
    won = sum(float(row["win_share"]) for row in rows if row["bot"] == "greedy")
    again = run(*COMMAND, "--deals", "25", "--workers", "2", "--json")
    standings = msgspec.json.decode(again.stdout, type=Standings)
    share = next(each.share for each in standings.bots if each.bot == "greedy")
    assert won / 50 == pytest.approx(share, abs=1e-6)
    assert f"{share:.3f}" in outcome.stdout
    picture = ElementTree.parse(tmp_path / "shares.svg").getroot()
    texts = [element.text for element in picture.iter() if element.tag.endswith("text")]
    assert {"greedy", "random", f"{share:.3f}"} <= set(texts)


def test_who_thinks_by_the_clock_is_said_not_to_be_repeatable(call: Command) -> None:
    bots = ["random", "strong:seconds=0.001"]
    assert "another run may differ" in Count(plan(LEDUC, 2, bots, "1")).standings().text()
    bots = ["random", "strong:simulations=10"]
    assert "another run may differ" not in Count(plan(LEDUC, 2, bots, "1")).standings().text()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--deals", "0"), ("0 deals", "right is: 1 to")),
        (("--deals", "many"), ("--deals", "many")),
        (("--bots", "greedy"), ("2 to 64 bots, not 1", "random")),
        (("--bots", "greedy,greedy"), ("'greedy' is named twice",)),
        (("--bots", "greedy,bob"), ("no bot 'bob'",)),
        (("--seats", "9"), ("leduc can not be played by 9",)),
        (("--until", "noon"), ("until 'noon'", "decided")),
        (("--until", "nan"), ("until 'nan'",)),
        (("--until", "2"), ("until '2'",)),
        (("--on", "moon"), ("'moon'", "processes")),
        (("--workers", "0"), ("0 workers",)),
        (("--option", "x=1"), ("no option 'x'",)),
        (("--csv", "nowhere/x.csv"), ("nowhere/x.csv", "folder does not exist")),
        (("--plot", "nowhere/x.svg"), ("nowhere/x.svg",)),
        (("--journal", "nowhere/x"), ("nowhere/x",)),
    ],
)
def test_wrong_usage_gets_one_line(args: tuple[str, str], words: tuple[str, ...], call: Command) -> None:
    assert_refused(call(*COMMAND, *args), 2, *words)


def test_without_ray_one_line_says_how_to_get_it(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert_refused(call(*COMMAND, "--on", "ray"), 2, "Ray is not installed", "pip install")


def test_a_tournament_that_is_stopped_leaves_nobody_behind(surroundings: dict[str, str], tmp_path: Path) -> None:
    """An interrupt reaches the whole group, as from a keyboard; what was played is kept."""
    journal = tmp_path / "deals.jsonl"
    args = ("--deals", "1000000", "--journal", str(journal), "--workers", "2")
    process = subprocess.Popen(
        [*PROGRAM, *COMMAND, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=surroundings,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE
    try:
        while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE / 2)
        assert errors == b"polikarp: stopped\n"
        assert process.returncode == 130
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    while time.monotonic() < end:  # Python's own helpers end a moment later
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("a process is left")
    assert json.loads(journal.read_bytes().splitlines()[3])["deal"] == 2
    head, _, columns, *_ = output.decode().splitlines()
    played = int(head.split(" deals")[0].rpartition(" ")[2])
    assert played >= 4, "what was played so far is shown"
    assert abs(played - (journal.read_bytes().count(b"\n") - 1)) <= 1
    assert columns.startswith("bot ")
