"""Programs as bots: the protocol of `docs/bot-protocol.md`, and what becomes of programs that do not keep to it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import msgspec
import pytest

from polikarp.bots import make_bot
from polikarp.bots.anywhere import find_bot
from polikarp.bots.program import LONGEST, idle, stop_idle
from polikarp.engine.game import Game
from polikarp.engine.rng import FastRng
from polikarp.games import all_games, find_game
from polikarp.lab.match import Match, play_match
from tests.conftest import Command

ROOT = Path(__file__).parents[1]
LEDUC = find_game("leduc")
PARROT = """
import os, sys
say = lambda text: print(text, flush=True)
for line in sys.stdin:
    word, _, rest = line.rstrip("\\n").partition(" " if not line.startswith("moves") else "\\t")
    HEARD
    if word == "game":
        say("ready READY")
    elif word == "moves":
        moves = rest.split("\\t")
    elif word == "go":
        GO
    elif word == "may":
        say("play " + moves[0])
"""


def program(folder: Path, go: str = "say('play ' + moves[-1])", heard: str = "pass", ready: str = "") -> str:
    """The name of a bot that plays the last of its moves, or does something else when asked."""
    path = folder / "parrot.py"
    path.write_text(PARROT.replace("GO", go).replace("HEARD", heard).replace("READY", ready), "utf-8")
    return f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def play(game: Game, name: str, seed: object = 1, other: str = "random", **options: int) -> Match:
    return play_match(game, 2, options, [find_bot(game, name), make_bot(game, other)], seed)


@pytest.mark.parametrize("game", [game for game in all_games().values() if 2 in game.seats], ids=lambda game: game.id)
def test_a_program_plays_any_game_to_its_end(game: Game, tmp_path: Path) -> None:
    match = play(game, program(tmp_path))
    assert match.fault is None
    assert match.moves > 1


def test_the_conversation_is_as_described(tmp_path: Path) -> None:
    heard = f"open({str(tmp_path / 'heard')!r}, 'a').write(line)"
    name = f"exec(seconds=3):{program(tmp_path, heard=heard).removeprefix('exec:')}"
    assert play(LEDUC, name).fault is None
    assert play(LEDUC, name).fault is None  # ready for this one, it has heard the end of the first
    text = (tmp_path / "heard").read_text("utf-8")
    lines = text[: text.rindex("polikarp 1")].splitlines()
    assert lines[0] == "polikarp 1"
    told = json.loads(lines[1].removeprefix("game "))
    assert {key: told[key] for key in ("game", "rules", "seats", "seat", "options", "seconds")} == {
        "game": "leduc",
        "rules": LEDUC.rules,
        "seats": 2,
        "seat": 0,
        "options": {},
        "seconds": 3.0,
    }
    view = json.loads(lines[2].removeprefix("view "))
    seen = LEDUC.view(LEDUC.start(2, {}, FastRng(("table", 1))), 0)
    assert view == msgspec.json.decode(msgspec.json.encode(seen))
    assert view["board"]["hands"][1] is None, "what its seat may not know it is not told"
    assert lines[3] == "moves\t" + "\t".join(view["moves"])
    assert lines[4] == "go"
    assert set(json.loads(lines[-1].removeprefix("over "))) == {"scores", "places"}


def test_one_process_plays_game_after_game_and_ends_with_us(tmp_path: Path) -> None:
    stop_idle()
    name = program(tmp_path, heard=f"open({str(tmp_path / 'pids')!r}, 'a').write(str(os.getpid()) + ' ')")
    for seed in range(3):
        assert play(LEDUC, name, seed).fault is None
    [pid] = set((tmp_path / "pids").read_text().split())
    [kept] = idle[name.removeprefix("exec:")]
    assert kept.process.pid == int(pid)
    stop_idle()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_rights_are_offered_to_who_wants_them(tmp_path: Path) -> None:
    """In Monster Hunters: a slap after every card, with the reflexes that it names."""
    hunters = find_game("hunters")

    def match(ready: str) -> Match:
        stop_idle()
        name = program(tmp_path, "say('play flip')", ready=ready)
        return play_match(hunters, 2, {}, [find_bot(hunters, name) for _ in range(2)], 1)

    quiet, eager, lightning = (match(ready) for ready in ("", "rights reflexes=champion", "rights reflexes=x"))
    assert quiet.fault is not None
    assert "it played 'flip', which is not legal there" in quiet.fault.reason, "when all cards lie open"
    assert eager.fault is None
    assert lightning.fault is not None
    assert "no reflexes 'x'" in lightning.fault.reason


@pytest.mark.parametrize(
    ("go", "why"),
    [
        ("sys.exit('it has had enough: error 5')", "it ended with status 1: it has had enough: error 5"),
        ("os.kill(os.getpid(), 9)", "it ended by signal 9"),
        ("1 / 0", "it ended with status 1: ZeroDivisionError: division by zero"),
        ("pass", "it was silent for 0.2 s"),
        ("say('play raise twice')", "it played 'raise twice', which is not legal there"),
        ("say('play')", "it played '', which is not legal there"),
        ("say('resign')", "it answered 'resign'; right is: play, and a move"),
        ("say('# thinking'); say(''); say('wait')", "it answered 'wait'; right is: play, and a move"),
        (f"sys.stdout.write('x' * {LONGEST + 1}); sys.stdout.flush()", f"more than {LONGEST} bytes in one line"),
        ("os.close(1); os.close(2); sys.stdin.read()", "it closed its output"),
    ],
)
def test_a_program_that_fails_loses_that_game_and_is_gone(tmp_path: Path, go: str, why: str) -> None:
    stop_idle()
    name = f"exec(seconds=0.2):{program(tmp_path, go).removeprefix('exec:')}"
    match = play(LEDUC, name)
    assert match.fault is not None
    assert (match.fault.seat, match.result.places) == (0, [2, 1])
    assert why in match.fault.reason
    assert not idle[name.partition(":")[2]]


def test_comments_are_skipped(tmp_path: Path) -> None:
    assert play(LEDUC, program(tmp_path, "say('# hm'); say('play ' + moves[-1])")).fault is None


def test_a_program_that_is_not_ready_loses(tmp_path: Path) -> None:
    match = play(LEDUC, "exec:sh -c 'echo hello; cat >/dev/null'")
    assert match.fault is not None
    assert "it answered 'hello' to a new game; right is: ready" in match.fault.reason


def test_a_program_that_never_reads_does_not_hold_us_up(tmp_path: Path) -> None:
    """More is written than a pipe holds."""
    path = tmp_path / "deaf.py"
    path.write_text("import time\nprint('ready', flush=True)\ntime.sleep(600)\n")
    melee = find_game("melee")
    bots = [find_bot(melee, f"exec(seconds=0.3):{sys.executable} {path}"), make_bot(melee, "random")]
    match = play_match(melee, 2, {}, bots, 1)
    assert match.fault is not None
    assert "it was silent for 0.3 s" in match.fault.reason


# The examples, as the documents show them


def test_the_examples_play_a_tournament(run: Command, tmp_path: Path) -> None:
    """In Python by its module, and in another language as a program."""
    bold = f"exec:node {shlex.quote(str(ROOT / 'examples' / 'mybot.mjs'))} --bold"
    (tmp_path / "mybots.py").write_text((ROOT / "examples" / "mybots.py").read_text("utf-8"), "utf-8")
    named = f"random,mybots:Careful(depth=3, moves=4),{bold}"
    args = ("tournament", "leduc", "--seats", "2", "--deals", "40", "--seed", "1", "--workers", "2", "--json")
    outcome = run(*args, "--bots", named)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    standings = json.loads(outcome.stdout)
    assert {each["bot"] for each in standings["bots"]} == {"random", "mybots:Careful(depth=3, moves=4)", bold}
    assert [each["faults"] for each in standings["bots"]] == [0, 0, 0]
    assert standings["bots"][-1]["bot"] == "random"
    assert not standings["repeatable"]


def test_a_failing_program_is_named_and_the_tournament_goes_on(run: Command, tmp_path: Path) -> None:
    name = program(tmp_path, "sys.exit('out of luck') if len(moves) > 2 else say('play ' + moves[0])")
    args = ("tournament", "leduc", "--seats", "2", "--deals", "6", "--seed", "1", "--workers", "1")
    outcome = run(*args, "--bots", f"greedy,{name}", "--journal", "journal")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "6 deals, 12 games" in outcome.stdout
    assert " games by its own fault; deal " in outcome.stdout
    assert ": it ended with status 1: out of luck" in outcome.stdout
    again = run(*args, "--bots", f"greedy,{name}", "--journal", "journal")
    assert again.stdout == outcome.stdout


def test_every_command_takes_such_bots(run: Command, tmp_path: Path) -> None:
    good = program(tmp_path)
    assert run("simulate", "leduc", "--seats", "2", "--games", "3", "--bots", good).returncode == 0
    assert run("record", "leduc", "--seats", "2", "--bots", f"{good},random", "-o", "game.json").returncode == 0
    assert run("verify", "game.json").returncode == 0
    played = run("play", "leduc", "--bots", good, "--seed", "1", stdin="call\n" * 20)
    assert played.returncode == 0
    study = run("study", "leduc", "--bot", good, "--games", "30", "--workers", "1")
    assert (study.returncode, study.stderr) == (0, "")


def test_every_command_says_when_such_a_bot_fails(run: Command, tmp_path: Path) -> None:
    bad = program(tmp_path, "say('oh')")
    two = ("leduc", "--seats", "2")
    simulated = run("simulate", *two, "--games", "2", "--bots", f"{bad},random")
    assert simulated.returncode == 1
    assert "error in game 0: exec:" in simulated.stderr
    assert "on seat 0 has lost it: it answered 'oh'" in simulated.stderr
    for args in (
        ("record", *two, "--bots", bad, "-o", "game.json"),
        ("play", *two, "--bots", f"{bad},{bad}"),
        ("study", *two, "--bot", bad, "--games", "30", "--workers", "1"),
    ):
        outcome = run(*args)
        assert outcome.returncode == 1
        assert outcome.stderr.count("\n") == 1
        assert "seat 0: it answered 'oh'; right is: play, and a move" in outcome.stderr
    assert not (tmp_path / "game.json").exists()
