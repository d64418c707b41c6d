"""Whole games, recorded and told as stories that a person can read. They must come out the same, byte for byte.

`python -m tests.test_playthroughs` plays the recorded moves anew under the installed rules, and writes records and
stories again; read the difference before you keep it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.record import Record, make_record, read_record, record_json, replay, verify, write_record
from polikarp.engine.table import Table
from polikarp.games import all_games
from polikarp.terminal.story import playthrough

GOLDEN = Path(__file__).parent / "golden"
RECORDS = sorted(GOLDEN.glob("*.json"))


def load(path: Path) -> Record:
    return read_record(path.read_bytes())


def story(path: Path, language: str) -> str:
    record = load(path)
    return playthrough(all_games()[record.game], record, language)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_recorded_game_holds(path: Path) -> None:
    record = load(path)
    assert verify(all_games()[record.game], record) > 0
    assert record_json(record) == path.read_bytes()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["pl", "en"])
def test_a_recorded_game_is_told_the_same(path: Path, language: str) -> None:
    assert story(path, language) == path.with_suffix(f".{language}.txt").read_text("utf-8")


def records_of(game: str) -> list[Record]:
    return [record for record in map(load, RECORDS) if record.game == game]


def test_there_is_a_game_for_every_number_of_seats_and_all_sides() -> None:
    played = {(len(record.players), str(record.options["collectors"])) for record in records_of("crypt")}
    assert played >= {(seats, sides) for seats in (1, 2, 3, 4) for sides in ("A", "B", "ABABAB")}


@pytest.mark.parametrize("ending", ["win", "tie_roll", "shared_win", "fool", "amateur", "rich", "wealthy"])
def test_there_is_a_game_for_every_way_to_end(ending: str) -> None:
    """crypt.32, crypt.57: a clear win, a rolled tie, a shared win, and the four results of the solo game."""
    record = load(GOLDEN / f"crypt-ending-{ending}.json")
    table = replay(all_games()["crypt"], record)
    last = table.steps[-1].events
    keys = [event.key for event in last]
    titles = [event.args["title"] for event in last if event.key == "solo_end"]
    if ending in ("win", "shared_win", "tie_roll"):
        assert ending in keys
        assert ("tie_roll" in keys) == (ending == "tie_roll")
        assert ("shared_win" in keys) == (ending == "shared_win")
    else:
        assert titles == [ending]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("2", {"catch", "mistake", "failed", "wand", "win"}),
        ("3-calm", {"race", "slapped", "passed", "catch", "win"}),
        ("5", {"catch", "mistake", "wand", "win"}),
        ("8", {"catch", "mistake", "failed", "wand", "win"}),
        ("decks_empty", {"catch", "mistake", "win"}),
        ("ending-shared_win", {"shared_win"}),
    ],
)
def test_there_is_a_hunt_for_everything_that_can_happen(name: str, keys: set[str]) -> None:
    """hunters.20, hunters.23, hunters.35: also calm races, decks that run out, and a shared win."""
    table = replay(all_games()["hunters"], load(GOLDEN / f"hunters-{name}.json"))
    assert keys <= {event.key for step in table.steps for event in step.events}
    if name == "decks_empty":
        assert any(table.game.load(4, step.before or b"").waiting == 0b1111 for step in table.steps)


def test_there_is_a_game_of_gold_for_every_number_of_seats_variant_and_order() -> None:
    """gold.1, gold.30, gold.31, gold.34; and gold.29: one that ends with a shared win."""
    records = records_of("gold")
    assert {len(record.players) for record in records} == {3, 4, 5, 6}
    variants = {(record.options["sorted_guards"], record.options["kings_orders"]) for record in records}
    assert len(variants) == 4
    assert {record.options["starting_gold"] for record in records} == {8, 5}
    tables = [replay(all_games()["gold"], record) for record in records]
    told = [event for table in tables for event in table.log()]
    assert {event.args["order"] for event in told if event.key == "order"} == {str(number) for number in range(1, 13)}
    assert {"win", "shared_win", "heal_part", "odd_coin", "all_beaten"} <= {event.key for event in told}


def played_again(record: Record) -> Record:
    """The same seed and moves under the installed rules."""
    assert record.seed is not None
    game = all_games()[record.game]
    table = Table(game, len(record.players), record.options, bytes.fromhex(record.seed))
    for recorded in record.moves:
        table.play(recorded.move, recorded.seat)
    return make_record(table, record.players)


if __name__ == "__main__":
    for each in RECORDS:
        write_record(played_again(load(each)), each)
        for tongue in ("pl", "en"):
            each.with_suffix(f".{tongue}.txt").write_text(story(each, tongue), "utf-8")
