"""Studies: what is counted, what another data file changes, and the page that shows it."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest

from polikarp.engine.game import Game
from polikarp.games import all_games, find_game
from polikarp.lab import study as lab
from polikarp.lab.crew import Processes
from polikarp.lab.study import (
    FEW,
    Pile,
    Report,
    Sample,
    Setup,
    StudyError,
    page,
    plan,
    play_sample,
    run_study,
    slope,
    spread,
    summary,
)
from tests.conftest import Command, assert_refused
from tests.lab.crews import Alone

GOLD = find_game("gold")
LEDUC = find_game("leduc")
KINDS = {
    "crypt": {"card", "collector"},
    "gold": {"guard", "order", "placing", "replacing with"},
    "melee": {"ability", "province", "unit"},
    "hunters": {"monster"},
    "leduc": {"hand"},
}
OPTIONS: dict[str, dict[str, str]] = {
    "crypt": {"collectors": "random"},
    "gold": {"kings_orders": "on"},
    "melee": {"rules": "advanced"},
}


@pytest.fixture
def weaker_guards(tmp_path: Path) -> Path:
    """The data of Heroes' Gold, but the two guards of strength 9 have 8."""
    path = tmp_path / "weaker <b>.toml"
    text = (GOLD.folder / "cards.toml").read_text("utf-8")
    assert "[9, 13], [9, 14]" in text
    path.write_text(text.replace("[9, 13], [9, 14]", "[8, 13], [8, 14]"), "utf-8")
    return path


# What is counted


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_every_game_says_what_there_is_to_study(game: Game) -> None:
    """A game without an entry here has nothing to count yet."""
    setup = plan(game, game.seats[-1], "random", "1", OPTIONS.get(game.id))
    samples = [play_sample(setup, game, number) for number in range(5)]
    kinds = {thing.split(": ")[0] for sample in samples for things in (sample.seen, *sample.had) for thing in things}
    assert kinds == KINDS.get(game.id, set())


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_nothing_is_lost_between_the_games_and_their_sums(game: Game) -> None:
    study = run_study(plan(game, game.seats[-1], "random", "1"), FEW, Alone()).study
    assert sum(seat.share for seat in study.seats) == pytest.approx(1, abs=1e-4)
    assert sum(study.scores.counts.values()) == FEW * game.seats[-1]
    assert sum(study.winning.counts.values()) == sum(study.lengths.counts.values()) == FEW


def test_a_study_of_who_plays_alone() -> None:
    report = run_study(plan(find_game("crypt"), 1, "greedy", "1"), FEW, Alone())
    assert len(report.study.seats) == 1
    assert "seat 0" in summary(report)
    assert "Winning scores" in page(report)


def pile_of(*samples: Sample) -> Pile:
    pile = Pile(Setup("leduc", None, 2, {}, "greedy", "1"))
    for sample in samples:
        pile.add(sample)
    return pile


def test_a_thing_is_worth_what_those_got_beyond_others_who_had_it_once_more() -> None:
    crown, rag = "card: crown", "card: rag 10"
    one = Sample([7, 3], [1.0, 0.0], 5, [{crown: 1}, {rag: 1}], [])
    other = Sample([1, 6], [0.0, 1.0], 5, [{rag: 1}, {crown: 2, rag: 2}], [])
    both = Sample([9, 0], [1.0, 0.0], 5, [{crown: 1}, {crown: 1}], [])
    things = {thing.name: thing for thing in pile_of(*[one, other, both] * FEW).study().things}
    assert list(things) == ["crown", "rag 10"]
    assert (things["crown"].games, things["crown"].share, things["crown"].score) == (3 * FEW, 0.75, 3.25)
    assert (things["rag 10"].games, things["rag 10"].share, things["rag 10"].score) == (2 * FEW, 0.0, 0.5)
    low, high = things["crown"].score_low, things["crown"].score_high
    assert low is not None
    assert high is not None
    assert 3 < low < 3.25 < high < 3.5


def test_of_shares_no_slope_is_beyond_one() -> None:
    assert slope([1.0, 0.0, 0.0], [1, 0, 0]) == pytest.approx(1)
    assert slope([0.0, 1.0], [3, 1]) == pytest.approx(-0.5)
    assert slope([0.0, 0.5, 1.0], [2, 3, 4]) == pytest.approx(0.5)


def test_a_thing_of_the_table_compares_games() -> None:
    rough = Sample([2, 4], [0.0, 1.0], 5, [{}, {}], ["order: storm"])
    calm = Sample([6, 8], [0.0, 1.0], 5, [{}, {}], [])
    [thing] = pile_of(*[rough, calm] * FEW).study().things
    assert (thing.name, thing.whose, thing.share, thing.score) == ("storm", "table", None, -4.0)


def test_what_was_seen_seldom_is_not_shown() -> None:
    rare = Sample([1, 0], [1.0, 0.0], 5, [{"card: comet": 1}, {}], [])
    usual = Sample([1, 0], [1.0, 0.0], 5, [{}, {}], [])
    assert pile_of(*[rare] * (FEW - 1), *[usual] * 50).study().things == []
    [thing] = pile_of(*[rare] * FEW).study().things
    assert thing.share == 1.0


def test_a_spread_has_its_quartiles() -> None:
    assert spread([5, 1, 2, 4, 3]).quartiles == [1, 2, 3, 4, 5]
    assert spread([5, 5, 2]).counts == {2: 1, 5: 2}
    assert spread([5, 5, 2]).mean == 4


# What if


def test_the_same_data_change_nothing() -> None:
    report = run_study(plan(GOLD, 3, "greedy", "1"), FEW, Alone(), GOLD.folder / "cards.toml")
    assert report.changed is not None
    assert report.changed.things == report.study.things
    assert len(report.changes) == 6
    for change in report.changes:
        assert (change.before, change.low, change.high) == (change.after, 0.0, 0.0)


def test_what_if_guard_9_had_8_strength(weaker_guards: Path) -> None:
    report = run_study(plan(GOLD, 3, "greedy", "1"), 60, Alone(), weaker_guards)
    assert report.changed is not None
    assert report.changed.rules != report.study.rules
    for game, strength in ((GOLD, 9), (GOLD.with_data(weaker_guards), 8)):
        seen = {thing for number in range(20) for thing in play_sample(report.study.setup, game, number).seen}
        assert {f"guard: {strength} with loot 13", f"guard: {strength} with loot 14"} <= seen
        assert f"guard: {17 - strength} with loot 13" not in seen
    moved = {change.what: change for change in report.changes}
    assert moved["moves"].before == report.study.lengths.mean
    assert moved["moves"].after == report.changed.lengths.mean
    assert moved["moves"].before != moved["moves"].after
    assert moved["moves"].low < moved["moves"].after - moved["moves"].before < moved["moves"].high


def test_melee_takes_cards_or_boards() -> None:
    melee = find_game("melee")
    assert melee.with_data(melee.folder / "boards.toml").rules == melee.rules
    assert melee.with_data(melee.folder / "cards.toml").rules == melee.rules


# Whoever plays it


def test_processes_make_the_same_study(weaker_guards: Path) -> None:
    setup = plan(GOLD, 3, "random", "1")
    with Processes(2) as crew:
        there = run_study(setup, FEW, crew, weaker_guards)
    assert msgspec.json.encode(there) == msgspec.json.encode(run_study(setup, FEW, Alone(), weaker_guards))


def test_a_game_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(lab, "play_sample", fail)
    with pytest.raises(StudyError, match="game 0: ZeroDivisionError: by nothing"):
        run_study(plan(LEDUC, 2, "random", "1"), FEW, Alone())


# The command


def test_the_command_prints_data_and_writes_a_page(run: Command, weaker_guards: Path, tmp_path: Path) -> None:
    args = ("study", "gold", "--seats", "3", "--games", "30", "--bot", "random", "--seed", "1", "--workers", "1")
    outcome = run(*args, "--data", weaker_guards.name, "-o", "study.html")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("gold, 3 seats, 30 games of random, seed 1\n")
    assert f"with {weaker_guards.name} on the same deals:" in outcome.stdout
    text = (tmp_path / "study.html").read_text("utf-8")
    assert "weaker &lt;b&gt;.toml" in text
    assert "<b>" not in text
    for outside in ("<script", "<link", "src=", "href=", "url(", "@import"):
        assert outside not in text
    drawings = [part.partition("</svg>")[0] + "</svg>" for part in text.split("<svg")[1:]]
    assert len(drawings) >= 8
    for drawing in drawings:
        assert ElementTree.fromstring("<svg" + drawing).tag.endswith("svg")
    again = run(*args, "--data", weaker_guards.name, "--json")
    report = msgspec.json.decode(again.stdout, type=Report)
    assert f"{report.study.seats[0].share:.3f}" in outcome.stdout
    assert list(json.loads(again.stdout)) == ["study", "changed", "changes"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("chess",), ("no game 'chess'",)),
        (("gold", "--games", "5"), ("5 games", "right is: 30 to")),
        (("gold", "--seats", "2"), ("gold can not be played by 2",)),
        (("gold", "--bot", "bob"), ("no bot 'bob'",)),
        (("gold", "--workers", "0"), ("0 workers",)),
        (("gold", "--option", "x=1"), ("no option 'x'",)),
        (("gold", "--data", "nowhere.toml"), ("nowhere.toml: can not be read",)),
        (("gold", "--data", "."), ("can not be read",)),
        (("gold", "--data", "wrong.toml"), ("castle.rounds",)),
        (("crypt", "--data", "wrong.toml"), ("servants.dice",)),
        (("melee", "--data", "wrong.toml"), ()),
        (("leduc", "--data", "wrong.toml"), ("leduc has no data file",)),
        (("gold", "-o", "nowhere/x.html"), ("nowhere/x.html",)),
    ],
)
def test_wrong_usage_gets_one_line(
    args: tuple[str, ...], words: tuple[str, ...], call: Command, tmp_path: Path
) -> None:
    (tmp_path / "wrong.toml").write_text("nothing = 0\n")
    assert_refused(call("study", *args), 2, *words)


def test_seats_and_things_are_written_as_csv(run: Command, weaker_guards: Path, tmp_path: Path) -> None:
    args = ("study", "gold", "--seats", "3", "--games", "30", "--bot", "random", "--seed", "1", "--workers", "1")
    outcome = run(*args, "--data", weaker_guards.name, "--csv", "study.csv", "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    report = json.loads(outcome.stdout)
    with (tmp_path / "study.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for key, data in (("study", ""), ("changed", weaker_guards.name)):
        mine = [row for row in rows if row["data"] == data]
        seats = [row for row in mine if row["kind"] == "seat"]
        assert [float(row["share"]) for row in seats] == [seat["share"] for seat in report[key]["seats"]]
        assert [row["name"] for row in mine[3:]] == [thing["name"] for thing in report[key]["things"]]
