"""The command line: what every command prints and writes, and what it says to those who use it wrongly. Commands run
as real processes wherever their exit status, their streams or their end by force matter."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import polikarp
from polikarp.engine.bot import Bot
from polikarp.engine.build import COMPILED
from polikarp.engine.record import read_record, replay
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games import find_game
from polikarp.games.crypt import CryptGame
from polikarp.lab.simulate import simulate
from tests.conftest import PATIENCE, PROGRAM, Command, assert_refused, files_in

COMMANDS = ("games", "play", "simulate", "record", "replay", "verify", "bench")
SIMULATE_KEYS = ["game", "seats", "games", "moves", "seconds", "wins", "scores", "errors"]
TWO = ("crypt", "--seats", "2")
SIMULATE = ("simulate", *TWO, "--games", "3")
RECORD = ("record", *TWO, "--bots", "random")
CLEAR_LINE = "\r\033[K"


def simulated(call: Command, *args: str) -> dict[str, Any]:
    """What `simulate --json` prints, without the seconds, which no seed can repeat."""
    outcome = call("simulate", *args, "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    sums: dict[str, Any] = json.loads(outcome.stdout)
    assert sums.pop("seconds") > 0
    return sums


# Help


def test_version(run: Command) -> None:
    outcome = run("--version")
    build = "compiled" if COMPILED else "pure Python"
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == f"polikarp {polikarp.__version__} ({build})\n"


def test_help_lists_every_command(run: Command) -> None:
    asked = run("--help")
    assert (asked.returncode, asked.stderr) == (0, "")
    listed = [line.split()[0] for line in asked.stdout.splitlines() if line.startswith("    ")]
    assert set(COMMANDS) <= set(listed)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, call: Command) -> None:
    outcome = call(command, "--help")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith(f"usage: polikarp {command} ")


# games


def test_games_as_text(run: Command) -> None:
    outcome = run("games")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "crypt  Krypta / Crypt, 1–4 seats; bots: random, greedy, strong" in outcome.stdout
    assert "--option collectors=A  (A, B, random, or a value such as ABABAA)" in outcome.stdout
    assert "--option first=random  (random, or a value such as 1)" in outcome.stdout
    assert "--factions dragons,insects,trolls,beasts,undead,demons" in outcome.stdout
    assert "leduc" not in outcome.stdout


def test_games_as_json(call: Command) -> None:
    outcome = call("games", "--json")
    games = {game["id"]: game for game in json.loads(outcome.stdout)}
    assert "leduc" not in games, "the worked example is not offered to players"
    crypt = games["crypt"]
    assert crypt["title"] == {"pl": "Krypta", "en": "Crypt"}
    assert crypt["seats"] == [1, 2, 3, 4]
    assert {"random", "greedy"} <= set(crypt["bots"])
    options = [(option["name"], option["default"], option["choices"]) for option in crypt["options"]]
    assert options == [("collectors", "A", ["A", "B", "random"]), ("first", "random", ["random"])]
    assert (crypt["factions"], len(games["gold"]["factions"])) == ([], 6)


def test_whatever_games_lists_can_be_played(call: Command) -> None:
    for game in json.loads(call("games", "--json").stdout):
        for bot in game["bots"]:
            if bot == "strong" and "champion" not in game["bots"]:
                bot = "strong:simulations=4"  # which would think for a second each time
            for seats in game["seats"]:
                chosen = [f"--option={option['name']}={option['default']}" for option in game["options"]]
                sums = simulated(call, game["id"], "--seats", str(seats), "--games", "1", "--bots", bot, *chosen)
                assert (sums["game"], sums["seats"], sums["errors"]) == (game["id"], seats, [])


# simulate


def test_simulate_as_json(run: Command) -> None:
    outcome = run("simulate", "crypt", "--seats", "3", "--games", "20", "--bots", "random", "--seed", "7", "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    sums = json.loads(outcome.stdout)
    assert list(sums) == SIMULATE_KEYS
    assert (sums["game"], sums["seats"], sums["games"], sums["errors"]) == ("crypt", 3, 20, [])
    assert sums["moves"] > 20 * 9 * 3, "a game of three has nine rounds, and everybody acts in each"
    assert len(sums["wins"]) == len(sums["scores"]) == 3
    assert sum(sums["wins"]) == pytest.approx(20)
    assert all(0 < score < 100 for score in sums["scores"])


def test_simulate_as_text(run: Command) -> None:
    outcome = run(*SIMULATE, "--bots", "greedy,random", "--seed", "7")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    head, first, second = outcome.stdout.splitlines()
    assert head.startswith("crypt, 2 seats, 3 games, ")
    assert first.split()[:3] == ["seat", "0", "greedy"]
    assert second.split()[:3] == ["seat", "1", "random"]


def test_the_seed_alone_decides_what_is_simulated(run: Command) -> None:
    """Two processes that order their sets and dictionaries differently play the same games."""
    texts = []
    for hash_seed, seed in (("1", "7"), ("2", "7"), ("1", "8")):
        outcome = run(*SIMULATE, "--bots", "random,greedy", "--seed", seed, "--json", PYTHONHASHSEED=hash_seed)
        texts.append({**json.loads(outcome.stdout), "seconds": 0})
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_without_a_seed_games_differ(call: Command) -> None:
    seeds = [re.search(r"seed (\w+)$", call(*SIMULATE, "--bots", "random").stdout, re.MULTILINE) for _ in range(2)]
    one, other = (seed[1] for seed in seeds if seed)
    assert one != other


def test_one_bot_sits_on_all_seats_or_one_on_each(call: Command) -> None:
    args = (*TWO, "--games", "10", "--seed", "7", "--bots")
    assert simulated(call, *args, "greedy") == simulated(call, *args, "greedy,greedy")
    assert simulated(call, *args, "greedy, greedy") == simulated(call, *args, "greedy")
    for bots in (["greedy", "random"], ["random", "greedy"]):
        sums = simulate(find_game("crypt"), 2, 10, bots, "7")
        said = simulated(call, *args, ",".join(bots))
        assert (said["wins"], said["scores"]) == (sums.wins, sums.scores)


def test_options_change_the_game(call: Command) -> None:
    args = (*TWO, "--games", "10", "--bots", "random", "--seed", "7")
    assert simulated(call, *args) == simulated(call, *args, "--option", "collectors=A")
    assert simulated(call, *args) != simulated(call, *args, "--option", "collectors=B")
    assert simulated(call, *args, "--option", "collectors=AAAAAA") == simulated(call, *args)


def test_a_shared_win_counts_as_a_share(call: Command) -> None:
    """In Leduc poker equal hands share the pot."""
    sums = simulated(call, "leduc", "--seats", "2", "--games", "99", "--bots", "random", "--seed", "7")
    assert sum(sums["wins"]) == 99
    assert any(wins % 1 for wins in sums["wins"])


class BrokenBot(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        raise ArithmeticError("this bot can not count")


class BrokenCrypt(CryptGame):
    def bots(self) -> dict[str, type[Bot]]:
        return {"broken": BrokenBot}


def test_a_game_that_breaks_is_an_error_and_the_run_goes_on_to_its_end() -> None:
    done: list[int] = []
    sums = simulate(BrokenCrypt(), 2, 3, ["broken"], progress=done.append)
    for number, error in enumerate(sums.errors):
        assert re.fullmatch(
            rf"game {number}: broken on seat [01] has lost it: ArithmeticError: this bot can not count", error
        )
    assert (sums.games, sum(sums.wins), len(sums.errors)) == (3, 3, 3)
    assert done[-1:] == [3], "the progress on a terminal is cleared when the last game is done"


# record and verify


def test_record_writes_a_file_that_verifies(run: Command, tmp_path: Path) -> None:
    args = ("record", "crypt", "--seats", "2", "--bots", "greedy,random", "--option", "collectors=BABABA")
    outcome = run(*args, "--seed", "7", "-o", "game.json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    record = read_record((tmp_path / "game.json").read_bytes())
    assert outcome.stdout == f"game.json: {len(record.moves)} moves, commitment {record.commitment}\n"
    assert (record.game, record.options) == ("crypt", {"collectors": "BABABA", "first": "random"})
    assert [name.split()[1] for name in record.players] == ["(greedy)", "(random)"]
    assert record.result is not None
    assert files_in(tmp_path) == {tmp_path / "game.json"}

    outcome = run("verify", "game.json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    draws = len(record.dealt) + sum(len(move.drawn) for move in record.moves)
    assert outcome.stdout.startswith(f"game.json: holds; {len(record.moves)} moves, and all {draws} draws")


def test_the_same_seed_gives_the_same_bytes(run: Command, tmp_path: Path) -> None:
    for name, hash_seed, seed in (("a", "1", "7"), ("b", "2", "7"), ("c", "1", "8")):
        outcome = run("record", *TWO, "--bots", "greedy", "--seed", seed, "-o", name, PYTHONHASHSEED=hash_seed)
        assert outcome.returncode == 0
    first, same, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == same
    assert first != other


def test_every_bot_sits_on_its_own_seat(call: Command, tmp_path: Path) -> None:
    games = set()
    for bots in ("random", "random,greedy", "greedy,random", "greedy"):
        assert call("record", *TWO, "--bots", bots, "--seed", "7", "-o", "game.json").returncode == 0
        games.add(str(read_record((tmp_path / "game.json").read_bytes()).moves))
    assert len(games) == 4


def test_without_a_seed_every_record_has_its_own(call: Command, tmp_path: Path) -> None:
    for name in "ab":
        assert call(*RECORD, "-o", name).returncode == 0
        assert call("verify", name).returncode == 0
    first, other = (read_record((tmp_path / name).read_bytes()) for name in "ab")
    assert first.seed != other.seed


def test_a_record_replaces_an_older_one(call: Command, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text("x" * 100_000)
    assert call(*RECORD, "-o", "game.json").returncode == 0
    assert call("verify", "game.json").returncode == 0
    assert files_in(tmp_path) == {tmp_path / "game.json"}


def test_a_long_file_name_can_be_written(call: Command, tmp_path: Path) -> None:
    name = "n" * 250  # most file systems allow 255
    assert call(*RECORD, "-o", name).returncode == 0
    assert files_in(tmp_path) == {tmp_path / name}


def test_what_is_not_a_file_is_not_replaced(run: Command, tmp_path: Path) -> None:
    """A pipe or a device such as /dev/null must never be swapped for a plain file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    outcome = run(*RECORD, "-o", "pipe")
    assert pipe.is_fifo()
    assert files_in(tmp_path) == {pipe}
    assert_refused(outcome, 2, "pipe")


def test_a_record_that_can_not_be_written_leaves_nothing_behind(surroundings: dict[str, str], tmp_path: Path) -> None:
    """No file of this process may have more than a block, and a record has more."""
    (tmp_path / "game.json").write_text("an older record")
    command = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *PROGRAM, *RECORD, "-o", "game.json"]
    done = subprocess.run(command, capture_output=True, text=True, env=surroundings, cwd=tmp_path, timeout=PATIENCE)
    assert_refused(done, 2, "game.json", "File too large")
    assert files_in(tmp_path) == {tmp_path / "game.json"}
    assert (tmp_path / "game.json").read_text() == "an older record"


# replay


def test_replay_tells_the_whole_game(run: Command, record_file: Path) -> None:
    outcome = run("replay", str(record_file))
    record = read_record(record_file.read_bytes())
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("The game begins with 36 cards in the deck.")
    assert record.result is not None
    for name, score in zip(record.players, record.result.scores, strict=True):
        assert f"{name} has {score} coins." in outcome.stdout
    [winner] = record.result.winners
    assert f"{record.players[winner]} wins." in outcome.stdout


def test_replay_stops_where_it_is_told_to(call: Command, record_file: Path) -> None:
    length = len(read_record(record_file.read_bytes()).moves)
    for until, played in ((0, 0), (1, 1), (10, 10), (length, length), (length + 1, length), (10**30, length)):
        outcome = call("replay", str(record_file), "--until", str(until), "--json")
        position = json.loads(outcome.stdout)
        assert (position["moves"], position["of"]) == (played, length)
        assert (position["view"]["result"] is not None) == (played == length)
    told = [call("replay", str(record_file), "--until", str(until)).stdout for until in (0, 10)]
    assert "Round 1 of 9." in told[0]
    assert " sends " not in told[0]
    assert " sends " in told[1]
    assert " wins." not in told[1]


def test_replay_shows_each_seat_its_own_secrets(run: Command, call: Command, record_file: Path) -> None:
    """The value of a card that lay face down goes to its owner, not to other seats and not to watchers."""
    record = read_record(record_file.read_bytes())
    until, owner, value = first_secret(record_file)
    file = ("replay", str(record_file), "--until", str(until))
    for seat in range(3):
        view = json.loads(call(*file, "--seat", str(seat), "--json").stdout)["view"]
        [card] = [card for card in view["board"]["heirs"][owner]["collection"] if not card["public"]]
        assert view["seat"] == seat
        assert card["value"] == (value if seat == owner else None)
        text = run(*file, "--seat", str(seat)).stdout
        assert ("Your card from" in text) == (seat == owner)
        assert (f"({value})" in text) == (seat == owner)
    watched = run(*file)
    assert "Your card from" not in watched.stdout
    assert f"({value})" not in watched.stdout
    assert f"{record.players[owner]} collects the face-down treasure" in watched.stdout


def first_secret(path: Path) -> tuple[int, int, int]:
    """After which move somebody first owns a card whose value only they know: that number, the seat, the value."""
    record = read_record(path.read_bytes())
    for until in range(len(record.moves)):
        table = replay(find_game(record.game), record, until)
        for seat in range(table.seats):
            for card in table.view(seat).board.heirs[seat].collection:
                if not card.public:
                    assert card.value is not None
                    return until, seat, card.value
    raise AssertionError("nobody collected a face-down card")


def test_a_watcher_never_gets_a_hidden_value(call: Command, record_file: Path) -> None:
    hidden = 0
    for until in range(0, len(read_record(record_file.read_bytes()).moves), 5):
        view = json.loads(call("replay", str(record_file), "--until", str(until), "--json").stdout)["view"]
        assert view["seat"] is None
        assert view["moves"] == []
        board = view["board"]
        cards = [treasure["card"] for treasure in board["crypt"]] + board["discards"]
        cards += [card for heir in board["heirs"] for card in heir["collection"]]
        for card in cards:
            assert (card["value"] is None) == (not card["public"])
            hidden += not card["public"]
        for treasure in board["crypt"]:
            assert treasure["card"]["public"] == treasure["face_up"]
    assert hidden > 10


@pytest.mark.parametrize(
    ("changed", "args", "word"),
    [
        ({}, (), "Collectors:"),
        ({}, ("--language", "pl"), "Kolekcjonerzy:"),
        ({"LANG": "pl_PL.UTF-8"}, (), "Kolekcjonerzy:"),
        ({"LANG": "pl_PL.UTF-8"}, ("--language", "en"), "Collectors:"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "pl_PL.UTF-8"}, (), "Kolekcjonerzy:"),
        ({"LANG": "pl_PL.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, (), "Collectors:"),
        ({"LANG": "de_DE.UTF-8"}, (), "Collectors:"),
        ({"LANG": ""}, (), "Collectors:"),
    ],
)
def test_replay_speaks_the_readers_language(
    changed: dict[str, str], args: tuple[str, ...], word: str, run: Command, record_file: Path
) -> None:
    outcome = run("replay", str(record_file), "--until", "3", *args, **changed)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert word in outcome.stdout


# Wrong usage: the arguments, and words that the answer must hold

WRONG: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("dance",), ("dance", "simulate", "replay")),
    (("--dance",), ("--dance",)),
    (("games", "crypt"), ("crypt",)),
    (("games", "--dance"), ("--dance",)),
    (("games", "--two\nlines"), ("lines",)),
    (("play", "gold", "--factions", "wolves"), ("'wolves'", "dragons", "trolls")),
    (("play", "gold", "--factions", "trolls,trolls"), ("trolls", "twice")),
    (("play", "gold", "--factions", ",,,"), ("4 factions", "3 seats")),
    (("play", "crypt", "--factions", "trolls"), ("'trolls'", "none")),
    (("simulate",), ("GAME", "--seats", "--games", "--bots")),
    ((*SIMULATE,), ("--bots",)),
    (("simulate", "crypt", "--games", "3", "--bots", "random"), ("--seats",)),
    (("simulate", *TWO, "--bots", "random"), ("--games",)),
    ((*SIMULATE, "--bots"), ("--bots",)),
    ((*SIMULATE, "--bots", "random", "--dance"), ("--dance",)),
    (("simulate", "chess", "--seats", "2", "--games", "3", "--bots", "random"), ("'chess'", "crypt")),
    (("simulate", "", "--seats", "2", "--games", "3", "--bots", "random"), ("''", "crypt")),
    ((*SIMULATE, "--bots", "random", "--option", "walls=3"), ("'walls'", "collectors")),
    ((*SIMULATE, "--bots", "random", "--option", "collectors=C"), ("collectors", "'C'", "A, B, random", "ABABAA")),
    ((*SIMULATE, "--bots", "random", "--option", "collectors="), ("collectors", "''", "A, B, random", "ABABAA")),
    ((*SIMULATE, "--bots", "random", "--option", "collectors"), ("'collectors'", "name=value")),
    ((*SIMULATE, "--bots", "bob"), ("'bob'", "random", "greedy")),
    ((*SIMULATE, "--bots", "random,"), ("''", "random", "greedy")),
    ((*SIMULATE, "--bots", ""), ("0 bots", "2 seats", "one for each")),
    ((*SIMULATE, "--bots", "greedy:x=1"), ("greedy", "no settings", "'x=1'")),
    ((*SIMULATE, "--bots", "random,random,random"), ("3 bots", "2 seats", "one for each")),
    *[
        (("simulate", *TWO, f"--games={games}", "--bots", "random"), (games, "1 to"))
        for games in ("0", "-5", "1000000000000000")
    ],
    *[(("simulate", *TWO, f"--games={games}", "--bots", "random"), ("--games", games)) for games in ("many", "2.5")],
    *[
        ((*command, f"--seats={seats}"), (seats, "1 to 4"))
        for seats in ("0", "5", "-1", "1000000000000")
        for command in (
            ("simulate", "crypt", "--games", "3", "--bots", "random"),
            ("record", "crypt", "--bots", "random", "-o", "game.json"),
            ("play", "crypt"),
        )
    ],
    (("simulate", "crypt", "--seats", "two", "--games", "3", "--bots", "random"), ("--seats", "two")),
    (("record",), ("GAME", "--seats", "--bots", "--output")),
    ((*RECORD,), ("--output",)),
    (("record", *TWO, "--bots", "bob", "-o", "game.json"), ("'bob'", "random", "greedy")),
    (("record", *TWO, "--bots", "random,random,random", "-o", "game.json"), ("3 bots", "2 seats", "one for each")),
    ((*RECORD, "-o", "game.json", "--option", "collectors=C"), ("collectors", "'C'", "A, B, random", "ABABAA")),
    ((*RECORD, "-o", "nowhere/game.json"), ("nowhere/game.json", "folder does not exist")),
    ((*RECORD, "-o", "file/game.json"), ("file/game.json", "folder does not exist")),
    ((*RECORD, "-o", "folder"), ("folder", "is a folder")),
    ((*RECORD, "-o", ""), ("is a folder",)),
    (("play",), ("GAME",)),
    (("play", "chess"), ("'chess'", "crypt")),
    (("play", "crypt", "--bots", "bob"), ("'bob'", "random", "greedy")),
    (("play", "crypt", "--bots", "random,random,random"), ("3 bots", "2 seats")),
    (("play", "crypt", "--option", "first=3"), ("first", "3", "1 to 2")),
    (("play", "crypt", "--option", "collectors=C"), ("collectors", "'C'", "A, B, random", "ABABAA")),
    (("play", "crypt", "--language", "de"), ("--language", "de", "pl", "en")),
    (("play", "crypt", "-o", "nowhere/game.json"), ("nowhere/game.json", "folder does not exist")),
    (("play", "crypt", "-o", "folder"), ("folder", "is a folder")),
    (("replay",), ("FILE",)),
    (("replay", "nothing.json"), ("nothing.json", "No such file")),
    (("replay", "folder"), ("folder", "directory")),
    (("replay", "file/inside"), ("file/inside", "Not a directory")),
    (("verify",), ("FILE",)),
    (("verify", "nothing.json"), ("nothing.json", "No such file")),
    (("verify", "folder"), ("folder", "directory")),
    (("verify", "one\ntwo"), ("two", "No such file")),
    (("bench", "--rounds", "0"), ("0", "1 to 1000")),
    (("bench", "--rounds", "many"), ("--rounds", "many")),
    (("bench", "--against", "nobody"), ("--against", "nobody", "openspiel")),
]


@pytest.mark.parametrize(("args", "words"), WRONG, ids=lambda value: " ".join(value).replace("\n", "|")[:60])
def test_wrong_usage_gets_one_line(
    args: tuple[str, ...], words: tuple[str, ...], call: Command, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("not a record")
    before = files_in(tmp_path)
    assert_refused(call(*args), 2, *words)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--until", "-1"), ("-1", "0 to")),
        (("--until", "last"), ("--until", "last")),
        (("--seat", "3"), ("seat 3", "0 to 2")),
        (("--seat", "4"), ("seat 4", "0 to 2")),
        (("--seat", "-1"), ("seat -1", "0 to 2")),
        (("--seat", "first"), ("--seat", "first")),
        (("--language", "de"), ("--language", "de", "pl", "en")),
    ],
)
def test_a_wrong_place_in_a_record_gets_one_line(
    args: tuple[str, str], words: tuple[str, ...], run: Command, record_file: Path
) -> None:
    assert_refused(run("replay", str(record_file), *args), 2, *words)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_is_forbidden_gets_one_line(run: Command, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    secret.chmod(0)
    for command in ("replay", "verify"):
        assert_refused(run(command, "secret.json"), 2, "secret.json", "Permission denied")
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    assert_refused(run(*RECORD, "-o", "locked/game.json"), 2, "locked", "Permission denied")
    assert files_in(locked) == set()


# Streams: pipes that close, disks that are full, narrow encodings


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "args", [("games",), ("--help",), ("replay", "FILE"), ("verify", "FILE"), (*SIMULATE, "--bots", "random")]
)
def test_nobody_reads_on(
    args: tuple[str, ...], unbuffered: str, surroundings: dict[str, str], record_file: Path
) -> None:
    """As in `polikarp games | head -0`: the reader has gone before the first line."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [*PROGRAM, *(str(record_file) if arg == "FILE" else arg for arg in args)]
    env = {**surroundings, "PYTHONUNBUFFERED": unbuffered}
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=env, timeout=PATIENCE)
    assert (done.stderr.decode(), done.returncode) == ("", 0)


def test_somebody_reads_one_line(surroundings: dict[str, str], record_file: Path) -> None:
    command = [*PROGRAM, "replay", str(record_file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"The game begins")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("args", "closed", "status", "lines"),
    [
        (("games",), ">&-", 0, 0),
        ((*SIMULATE, "--bots", "random"), ">&-", 0, 0),
        ((*RECORD, "-o", "game.json"), ">&-", 0, 0),
        (("dance",), ">&-", 2, 1),
        (("simulate", "chess", "--seats", "2", "--games", "3", "--bots", "random"), ">&-", 2, 1),
        (("games",), "<&-", 0, 0),
        (("play", "crypt"), "<&-", 0, 0),
        (("play", "crypt"), ">&-", 0, 0),
        (("dance",), "2>&-", 2, 0),
        ((*SIMULATE, "--bots", "bob"), "2>&-", 2, 0),
    ],
)
def test_a_stream_that_was_never_open(
    args: tuple[str, ...], closed: str, status: int, lines: int, surroundings: dict[str, str], tmp_path: Path
) -> None:
    """As some services start programs: without one of the three streams."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *args]
    done = subprocess.run(
        command, capture_output=True, stdin=subprocess.DEVNULL, env=surroundings, cwd=tmp_path, timeout=PATIENCE
    )
    assert "Traceback" not in done.stderr.decode()
    assert (done.returncode, done.stderr.count(b"\n")) == (status, lines)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no full disk to write to")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_full_disk_gets_one_line(unbuffered: str, surroundings: dict[str, str]) -> None:
    env = {**surroundings, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, "games"], stdout=full, stderr=subprocess.PIPE, env=env, timeout=PATIENCE)
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("polikarp: ")
    assert "No space left on device" in line
    assert "None" not in line
    assert done.returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "cp852", "utf-8:strict"])
@pytest.mark.parametrize("args", [("games",), ("replay", "FILE", "--language", "pl")])
def test_a_narrow_encoding_is_no_obstacle(
    args: tuple[str, ...], encoding: str, surroundings: dict[str, str], record_file: Path
) -> None:
    """What a terminal can not show may be replaced, but the rest is still told."""
    command = [*PROGRAM, *(str(record_file) if arg == "FILE" else arg for arg in args)]
    env = {**surroundings, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=env, timeout=PATIENCE)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert done.stdout.count(b"\n") >= 2


def test_a_file_name_that_is_not_text(run: Command, record_file: Path, tmp_path: Path) -> None:
    name = b"\xff.json"
    try:
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_bytes(record_file.read_bytes())
    except OSError:
        pytest.skip("this file system knows only names that are text")
    outcome = run("verify", name, PYTHONIOENCODING="utf-8:strict")
    assert (outcome.stderr, outcome.returncode) == ("", 0)
    assert "holds" in outcome.stdout


@pytest.mark.parametrize(
    "args", [("games",), ("--help",), (*SIMULATE, "--bots", "random"), ("replay", "FILE"), ("verify", "FILE")]
)
def test_piped_output_is_plain(args: tuple[str, ...], run: Command, record_file: Path) -> None:
    outcome = run(*(str(record_file) if arg == "FILE" else arg for arg in args), TERM="xterm-256color")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.replace("\n", "").isprintable()


# Progress, and an end by force


class Terminal:
    """A pseudo-terminal to which a command writes its stderr."""

    def __init__(self) -> None:
        self.mine, self.theirs = pty.openpty()
        self.seen = ""

    def read(self) -> str:
        """What came next; nothing when the command has ended."""
        try:
            more = os.read(self.mine, 4096).decode()
        except OSError:
            more = ""
        self.seen += more
        return more

    def lines(self) -> list[str]:
        """What stands on the screen: a carriage return goes back, and what was there can be cleared or overwritten."""
        shown = []
        for line in self.seen.replace("\r\n", "\n").split("\n"):
            row = ""
            for part in line.split("\r"):
                row = part[3:] if part.startswith("\033[K") else part + row[len(part) :]
            shown.append(row)
        return shown


def on_terminal(
    args: tuple[str, ...], env: dict[str, str], output_too: bool = False
) -> tuple[Terminal, subprocess.Popen[bytes]]:
    terminal = Terminal()
    stdout = terminal.theirs if output_too else subprocess.PIPE
    process = subprocess.Popen([*PROGRAM, *args], stdout=stdout, stderr=terminal.theirs, env=env)
    os.close(terminal.theirs)
    return terminal, process


def test_progress_is_shown_on_a_terminal_and_cleared(surroundings: dict[str, str]) -> None:
    args = ("simulate", *TWO, "--games", "40", "--bots", "random", "--seed", "7")
    terminal, process = on_terminal((*args, "--json"), surroundings)
    with process:
        while terminal.read():
            pass
        assert process.stdout is not None
        sums = json.loads(process.stdout.read())
        assert process.wait(PATIENCE) == 0
    os.close(terminal.mine)
    assert list(sums) == SIMULATE_KEYS
    assert "1 of 40 games (2%)" in terminal.seen
    assert terminal.seen.endswith(CLEAR_LINE)
    assert terminal.lines() == [""]


def test_the_sums_stand_alone_where_the_progress_was(surroundings: dict[str, str]) -> None:
    args = ("simulate", *TWO, "--games", "40", "--bots", "random", "--seed", "7")
    terminal, process = on_terminal(args, surroundings, output_too=True)
    with process:
        while terminal.read():
            pass
        assert process.wait(PATIENCE) == 0
    os.close(terminal.mine)
    assert "1 of 40 games (2%)" in terminal.seen
    head, first, second, rest = terminal.lines()
    assert head.startswith("crypt, 2 seats, 40 games, ")
    assert first.startswith("  seat 0  random ")
    assert second.startswith("  seat 1  random ")
    assert rest == ""


def test_wrong_usage_is_one_line_on_a_terminal_too(surroundings: dict[str, str]) -> None:
    terminal, process = on_terminal(("simulate", *TWO, "--games", "0", "--bots", "random"), surroundings)
    with process:
        while terminal.read():
            pass
        assert process.wait(PATIENCE) == 2
    os.close(terminal.mine)
    [line, rest] = terminal.lines()
    assert line.startswith("polikarp: 0 games")
    assert rest == ""


LONG_RUN = ("simulate", *TWO, "--games", "4000000" if COMPILED else "20000", "--bots", "random", "--seed", "7")


TOLD = """
import sys
from polikarp.cli import main
from polikarp.lab import simulate

def told(*args):
    simulate.play_match = play_match
    print("playing", flush=True)
    return play_match(*args)

play_match, simulate.play_match = simulate.play_match, told
sys.exit(main(sys.argv[1:]))
"""


def test_stopping_a_long_run(surroundings: dict[str, str]) -> None:
    command = [sys.executable, "-c", TOLD, *LONG_RUN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"playing\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"polikarp: stopped\n"
        assert process.stdout.read() == b""
        assert process.wait(PATIENCE) == 130


def test_stopping_a_long_run_clears_its_progress(surroundings: dict[str, str]) -> None:
    terminal, process = on_terminal(LONG_RUN, surroundings)
    with process:
        while " of " not in terminal.seen:
            assert terminal.read()
        process.send_signal(signal.SIGINT)
        while terminal.read():
            pass
        assert process.wait(PATIENCE) == 130
    os.close(terminal.mine)
    assert terminal.lines() == ["polikarp: stopped", ""]
