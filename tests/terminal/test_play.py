"""A game in the terminal, played by writing lines: moves, questions and orders, alone, with bots and with other people
at the same keyboard. Whoever is at the keyboard reads their own secrets and nobody else's."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from polikarp.engine.bot import Bot
from polikarp.engine.record import read_record
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State
from polikarp.engine.table import Table
from polikarp.engine.words import house_languages
from polikarp.games import find_game
from polikarp.games.crypt.cards import KINDS
from polikarp.games.crypt.rules import SERVANTS, Crypt
from polikarp.terminal.play import Left, TerminalGame, read_line
from tests.conftest import PATIENCE, PROGRAM, Command, files_in

CRYPT = find_game("crypt")
WAITING = re.compile(r"(^|\n)> $|(press|naciśnij) Enter\.\n$")
CURTAIN = re.compile(r"\n{60}(\w+) is next\. Only \1 should look now: press Enter\.\n")
REFUSED = re.compile(r"\[crypt\.\w+\]$", re.MULTILINE)
SEED = ("--seed", "3")  # Mira leads, and the crypt holds a manuscript 3, pottery 4 and remains face down
ALONE = ("play", "crypt", "--seats", "1", *SEED)
WITH_A_BOT = ("play", "crypt", "--seats", "2", "--bots", "greedy", *SEED)
TWO_PEOPLE = ("play", "crypt", "--seats", "2", "--bots", "", *SEED)


class Keyboard:
    """A running `polikarp play`, and somebody who writes to it and reads its answers."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.over = False

    def read(self) -> str:
        """What is printed until the game waits for a line, or is over."""
        seen = b""
        while not WAITING.search(seen.decode(errors="replace")):
            more = os.read(self.stdout.fileno(), 65536)
            if not more:
                self.over = True
                break
            seen += more
        return seen.decode()

    def write(self, line: str) -> str:
        """Write a line; gives the answer, without the sign that waits for the next line."""
        self.stdin.write(line.encode() + b"\n")
        self.stdin.flush()
        return self.read().removesuffix("> ")

    def moves(self) -> list[str]:
        return self.write("moves").strip().split(", ")

    def end(self) -> tuple[int, str]:
        """Close the keyboard; the exit status, and what came on stderr."""
        assert self.process.stderr is not None
        self.stdin.close()
        stderr = self.process.stderr.read().decode()
        return self.process.wait(PATIENCE), stderr


@contextmanager
def playing(args: tuple[str, ...], env: dict[str, str], folder: Path) -> Iterator[Keyboard]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*PROGRAM, *args], stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder) as process:
        try:
            yield Keyboard(process)
        finally:
            process.kill()


def play_to_the_end(keyboard: Keyboard, seed: int) -> str:
    """Write legal moves, any of those listed, until the game is over; everything that was printed."""
    random = Random(seed)
    printed = keyboard.read()
    while not keyboard.over:
        if printed.endswith("press Enter.\n"):
            printed += keyboard.write("")
        move = random.choice(keyboard.moves())
        answer = keyboard.write(move)
        assert not REFUSED.search(answer), f"{move} was listed"
        assert "is not a move" not in answer
        printed += answer
    return printed


# Whole games


def test_a_whole_game_against_bots(surroundings: dict[str, str], tmp_path: Path, call: Command) -> None:
    args = ("play", "crypt", "--seats", "3", "--bots", "greedy,random", "--name", "Ola", "-o", "game.json", *SEED)
    with playing(args, surroundings, tmp_path) as keyboard:
        printed = play_to_the_end(keyboard, 1)
        assert keyboard.end() == (0, "")
    record = read_record((tmp_path / "game.json").read_bytes())
    assert record.result is not None
    assert record.players[0] == "Ola"
    assert [name.split()[1] for name in record.players[1:]] == ["(greedy)", "(random)"]
    assert printed.startswith("A table for 3. Write a move, or ? for help.\n")
    for name, score in zip(record.players, record.result.scores, strict=True):
        assert f"{name} has {score} coins." in printed
        assert re.search(rf"^  {re.escape(name)}: treasures .* = {score}\b", printed, re.MULTILINE)
    log, _ = call("replay", "game.json", "--seat", "0").stdout.split("\n\n", 1)
    told = iter(printed.splitlines())
    assert all(line in told for line in log.splitlines()), "everything is told, in its order"
    assert printed.count("The game begins") == 1, "everybody is told everything once"
    assert "press Enter" not in printed, "one person needs no curtain"
    assert printed.replace("\n", "").isprintable()
    assert call("verify", "game.json").returncode == 0
    assert files_in(tmp_path) == {tmp_path / "game.json"}


def test_a_whole_game_alone_ends_with_a_title(surroundings: dict[str, str], tmp_path: Path, call: Command) -> None:
    with playing((*ALONE, "-o", "game.json"), surroundings, tmp_path) as keyboard:
        printed = play_to_the_end(keyboard, 1)
        assert keyboard.end() == (0, "")
    board = json.loads(call("replay", "game.json", "--json").stdout)["view"]["board"]
    coins = board["heirs"][0]["coins"]["total"]
    title = {"fool": "Fool", "amateur": "Amateur", "rich": "Rich", "wealthy": "Wealthy"}[board["title"]]
    assert f"The game is over: {coins} coins. {title} – " in printed
    assert call("verify", "game.json").returncode == 0


def test_a_whole_game_of_two_people(surroundings: dict[str, str], tmp_path: Path, call: Command) -> None:
    with playing((*TWO_PEOPLE, "-o", "game.json"), surroundings, tmp_path) as keyboard:
        printed = play_to_the_end(keyboard, 1)
        assert keyboard.end() == (0, "")
    record = read_record((tmp_path / "game.json").read_bytes())
    assert record.players == ["Mira", "Bolek"]
    seats = [move.seat for move in record.moves]
    changes = sum(one != other for one, other in pairwise(seats))
    assert CURTAIN.findall(printed)[:2] == ["Mira", "Bolek"]
    assert len(CURTAIN.findall(printed)) == changes + 1
    assert call("verify", "game.json").returncode == 0


def test_bots_can_play_among_themselves(run: Command) -> None:
    outcome = run("play", "crypt", "--seats", "2", "--bots", "random,greedy", "-o", "game.json", *SEED)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "Mira (random): treasures" in outcome.stdout
    assert "Bolek (greedy): treasures" in outcome.stdout
    assert run("verify", "game.json").returncode == 0


# Moves and questions


def test_a_refused_move_gets_the_rule(run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin="send 1x1 at F\nSend  3X6  at a\nsend 1x1 at A\ndone\ndone\n")
    assert outcome.returncode == 0
    assert "There is no treasure at F. [crypt.13]" in outcome.stdout
    assert "Mira sends 3 dice for the manuscript A: 3×6 = 18." in outcome.stdout
    assert "You have already sent dice to treasure A in this turn" in outcome.stdout
    assert "First send at least one die" in outcome.stdout
    assert len(REFUSED.findall(outcome.stdout)) == 3


def test_a_malformed_move_gets_the_notation(run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin="fetch the gold\nsend 9x9 at A\nwhy\nwhy gold\nquit\n")
    answers = outcome.stdout.split("\n> ")[1:-1]
    for text, answer in zip(("fetch the gold", "send 9x9 at A", "", "gold"), answers, strict=True):
        assert text in answer
        assert "is not a move" in answer
        assert "send 2x5 at C, done, recover" in answer


def test_a_malformed_move_is_answered_in_polish_to_a_polish_player(run: Command) -> None:
    outcome = run(*WITH_A_BOT, "--language", "pl", stdin="bierz złoto\nwhy\nquit\n")
    answers = outcome.stdout.split("\n> ")[1:-1]
    for text, answer in zip(("bierz złoto", ""), answers, strict=True):
        assert text in answer
        assert "is not" not in answer
        assert "send 2x5 at C, done, recover" in answer, "moves are written in the same way in every language"


def test_why_explains_with_the_rule(run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin="why send 1x1 at F\nwhy recover\nwhy look\nquit\n")
    answers = outcome.stdout.split("> ")
    rule = re.search(r"\*\*crypt\.13\*\* (.*)", CRYPT.rulebook("en"))
    assert rule is not None
    assert answers[1] == f"There is no treasure at F. [crypt.13]\ncrypt.13  {rule[1]}\n"
    assert answers[2] == "You can: recover is legal now.\n"
    assert "[crypt.43B]\ncrypt.43B  Manuscript, side B" in answers[3]
    assert outcome.stdout.count("A table for 2") == 1
    assert " passes" not in outcome.stdout, "asking is not moving"


def test_undo_takes_back_ones_own_step(surroundings: dict[str, str], tmp_path: Path) -> None:
    with playing(WITH_A_BOT, surroundings, tmp_path) as keyboard:
        keyboard.read()
        first, table = keyboard.moves(), keyboard.write("table")
        assert "This can not be taken back" in keyboard.write("undo")
        keyboard.write("send 1x2 at A")
        second = keyboard.moves()
        assert (first == second, "done" in second) == (False, True)
        keyboard.write("send 2x1 at C")
        assert keyboard.moves() == ["done"]
        answer = keyboard.write("undo")
        assert answer.startswith("Taken back.\n")
        assert "Send servants for another treasure (2 dice ready)" in answer
        assert keyboard.moves() == second
        assert keyboard.write("UNDO").startswith("Taken back.\n")
        assert keyboard.moves() == first
        assert keyboard.write("table") == table
        assert " sends " not in keyboard.write("log")
        assert "Mira sends 1 die for the manuscript A: 1×3 = 3." in keyboard.write("send 1x3 at A")
        assert keyboard.write("log").count(" sends ") == 1
        keyboard.write("done")
        assert "This can not be taken back" in keyboard.write("undo"), "the bot has answered"


def test_undo_does_not_take_back_chance(surroundings: dict[str, str], tmp_path: Path) -> None:
    with playing(ALONE, surroundings, tmp_path) as keyboard:
        keyboard.read()
        keyboard.write("send 1x2 at A")
        assert "The ghost rolls its dice" in keyboard.write("done")
        moves = keyboard.moves()
        assert "This can not be taken back" in keyboard.write("undo")
        assert keyboard.moves() == moves


def test_a_game_with_steps_taken_back_verifies(surroundings: dict[str, str], tmp_path: Path, call: Command) -> None:
    with playing((*ALONE, "-o", "game.json"), surroundings, tmp_path) as keyboard:
        keyboard.read()
        for line in ("send 1x2 at A", "undo", "send 3x6 at B", "undo", "send 1x2 at A", "done"):
            assert not REFUSED.search(keyboard.write(line))
        while not keyboard.over:
            for line in ("send 1x1 at A", "undo", "recover", "done"):
                keyboard.write(line)
                if keyboard.over:
                    break
        assert keyboard.end() == (0, "")
    assert read_record((tmp_path / "game.json").read_bytes()).moves[0].move == "send 1x2 at A"
    assert call("verify", "game.json").returncode == 0


def test_rules_can_be_read(run: Command) -> None:
    outcome = run(
        *WITH_A_BOT, stdin="rules crypt.14\nRULES Crypt.43b\nrules crypt.99\nrules 14\nrules crypt\nrules\nquit\n"
    )
    answers = outcome.stdout.split("\n> ")
    assert answers[1].startswith("crypt.14  A treasure that is held is taken over only by a total higher")
    assert "\n" not in answers[1], "one rule is one paragraph"
    assert answers[2].startswith("crypt.43B  Manuscript, side B")
    assert answers[3] == "There is no rule crypt.99 in crypt."
    assert answers[4] == "There is no rule 14 in crypt."
    assert answers[5] == "There is no rule crypt in crypt."
    assert CRYPT.rulebook("en").strip() in answers[6]


def test_log_and_table_repeat_what_was_told(run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin="send 1x6 at B\nlog\ntable\nquit\n")
    asked, _, log, table, left = outcome.stdout.split("\n> ")
    assert "Mira: Send servants for treasures (3 dice ready)" in asked
    assert log.startswith("The game begins with 24 cards")
    assert log.endswith("Mira sends 1 die for the pottery B: 1×6 = 6.")
    assert table.startswith("Round 1/8 · Torch: Mira")
    assert re.search(r"B  pottery 4 +Mira: 1×6 = 6", table)
    assert left == "You have left the table.\n"


@pytest.mark.parametrize("line", ["?", "help", "HELP"])
def test_help_names_every_word(line: str, run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin=f"{line}\nquit\n")
    answer = outcome.stdout.split("\n> ")[1]
    for word in ("moves", "why", "undo", "rules", "log", "table", "pl, en", "@2", "quit", "send", "recover", "take"):
        assert re.search(rf"^  {re.escape(word)} ", answer, re.MULTILINE), word


def test_the_language_can_be_changed_on_the_way(run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin="pl\nsend 1x1 at F\n?\nundo\nEN\ntable\nquit\n")
    answers = outcome.stdout.split("\n> ")
    assert "Runda 1/8 · Pochodnia: Mira" in answers[1]
    assert "Wyślij sługi" in answers[1]
    assert answers[2].endswith("[crypt.13]")
    assert "There is no" not in answers[2]
    assert "wszystkie twoje dozwolone ruchy" in answers[3]
    assert "taken back" not in answers[4]
    assert "Round 1/8 · Torch: Mira" in answers[5]
    assert answers[6].startswith("Round 1/8 · Torch: Mira")


def test_play_begins_in_the_players_language(run: Command) -> None:
    polish = run(*WITH_A_BOT, stdin="quit\n", LANG="pl_PL.UTF-8")
    assert polish.stdout.startswith("Stół: 2 miejsca.")
    assert polish.stdout.endswith("> Odchodzisz od stołu.\n")
    assert run(*WITH_A_BOT, "--language", "pl", stdin="quit\n").stdout == polish.stdout
    assert run(*WITH_A_BOT, "--language", "en", stdin="quit\n", LANG="pl_PL.UTF-8").stdout.startswith("A table for 2.")


# Names and seats


def test_names_are_given_once_for_each_person(run: Command) -> None:
    outcome = run("play", "crypt", "--seats", "3", "--bots", "random", "--name", "Ola", "--name", "Jan", stdin="\n")
    rows = re.findall(r"^  ([\w() ]+?)  +ready", outcome.stdout, re.MULTILINE)
    assert rows[:2] == ["Ola", "Jan"]
    assert rows[2].endswith(" (random)")


def test_no_two_at_a_table_have_the_same_name(run: Command) -> None:
    """A person may have the name that a bot or another person would have had."""
    for bots in ("random", "random,random,random"):
        outcome = run("play", "crypt", "--seats", "4", "--bots", bots, "--name", "Bolek", stdin="\n", LANG="en_GB")
        rows = re.findall(r"^  ([\w() ]+?)  +ready", outcome.stdout, re.MULTILINE)
        names = [row.split()[0] for row in rows]
        assert len(names) == 4
        assert len(set(names)) == 4


def test_two_seats_and_one_bot_if_nothing_is_said(run: Command) -> None:
    outcome = run("play", "crypt", stdin="quit\n")
    assert outcome.stdout.startswith("A table for 2.")
    assert re.search(r"^  Mira +ready ", outcome.stdout, re.MULTILINE)
    assert re.search(r"^  Bolek \(greedy\) +ready ", outcome.stdout, re.MULTILINE)


def test_options_and_seed_are_those_asked_for(run: Command) -> None:
    args = (*WITH_A_BOT, "--option", "collectors=BABABA")
    outcome = run(*args, stdin="quit\n")
    assert "Collectors: statue B, jewellery A, manuscript B, pottery A, remains B, tapestry A" in outcome.stdout
    assert run(*args, stdin="quit\n").stdout == outcome.stdout
    assert run(*args[:-4], "--seed", "4", *args[-2:], stdin="quit\n").stdout != outcome.stdout


def test_factions_are_those_asked_for(run: Command, tmp_path: Path) -> None:
    """gold.6: in the order of seats, and who does not mind gets what is left; the record has them."""
    args = ("play", "gold", "--factions", "trolls,,undead", "--name", "Ala", *SEED)
    shown = re.compile(r"^  (\w+)\b.* · (\w+)$", re.MULTILINE)
    english = [("Ala", "trolls"), ("Mira", "insects"), ("Bolek", "undead")]
    assert shown.findall(run(*args, stdin="quit\n").stdout) == english
    polish = [("Ala", "trolle"), ("Mira", "insekty"), ("Bolek", "nieumarli")]
    assert shown.findall(run(*args, "--language", "pl", stdin="quit\n").stdout) == polish
    outcome = run("play", "gold", "--factions", ",demons", "--bots", "random,random,random", "-o", "game.json", *SEED)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert read_record((tmp_path / "game.json").read_bytes()).factions == ["dragons", "demons", "trolls"]
    assert run("verify", "game.json").returncode == 0


# Leaving


@pytest.mark.parametrize("stdin", ["quit\n", "", "table\n", "\nsend 1x1 at A"])
@pytest.mark.parametrize("args", [WITH_A_BOT, ALONE, TWO_PEOPLE], ids=["bot", "alone", "two people"])
def test_leaving_is_no_mistake(args: tuple[str, ...], stdin: str, run: Command, tmp_path: Path) -> None:
    """By a word, or because the input ends: at once, at a curtain, or on the way."""
    outcome = run(*args, "-o", "game.json", stdin=stdin)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.endswith("\n")
    assert files_in(tmp_path) == set(), "a record is written when the game ends"
    if stdin == "quit\n" and args != TWO_PEOPLE:
        assert outcome.stdout.endswith("You have left the table.\n")


def test_stopping_a_game(surroundings: dict[str, str], tmp_path: Path) -> None:
    with playing(WITH_A_BOT, surroundings, tmp_path) as keyboard:
        keyboard.read()
        keyboard.process.send_signal(signal.SIGINT)
        assert keyboard.process.wait(PATIENCE) == 130
        assert keyboard.end() == (130, "polikarp: stopped\n")


class Interrupting(io.StringIO):
    """Somebody presses Ctrl-C in the very moment in which a prompt is written."""

    def flush(self) -> None:
        if self.getvalue().endswith("> "):
            signal.raise_signal(signal.SIGINT)


def test_an_interrupt_while_the_prompt_is_written_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("recover\n"))
    monkeypatch.setattr("sys.stdout", Interrupting())
    with pytest.raises(KeyboardInterrupt):
        read_line("> ")


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"\x00", b"\x1b[A", "„żółć”".encode(), b"x" * 100_000, b"@" + b"9" * 5000 + b" look", b"why " * 500],
    ids=["not text", "zero", "arrow key", "letters", "long", "huge seat", "long question"],
)
def test_whatever_is_typed_the_game_goes_on(line: bytes, run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin=line + b"\nrecover\nquit\n", PYTHONIOENCODING="utf-8:strict")
    assert (outcome.stderr, outcome.returncode) == ("", 0)
    assert "Mira passes, with no exhausted dice to recover." in outcome.stdout
    assert outcome.stdout.endswith("> You have left the table.\n")
    assert outcome.stdout.replace("\n", "").isprintable()


# Other seats at this keyboard


@pytest.mark.parametrize(
    "line", ["@2 look", "@2 recover", "@3 look", "@0 look", "@-1 look", "@x look", "@", "@ 1 look"]
)
def test_only_people_at_the_keyboard_move_from_it(line: str, run: Command) -> None:
    outcome = run(*WITH_A_BOT, stdin=f"{line}\nlog\nquit\n")
    _, answer, log, _ = outcome.stdout.split("\n> ")
    assert answer == "Only people at this keyboard can be named so: @1 Mira."
    assert log.endswith("remains on top."), "nothing has happened since the deal"


def test_another_person_can_be_named(run: Command) -> None:
    outcome = run(*TWO_PEOPLE, stdin="\n@2 look\n@2 recover\n@1 recover\n\nquit\n")
    assert "Only side B of the collector of manuscripts gives this move" in outcome.stdout
    assert "It is not your turn, Mira decides now. [crypt.12]" in outcome.stdout
    assert "Mira passes" in outcome.stdout
    assert CURTAIN.findall(outcome.stdout) == ["Mira", "Bolek"]


def test_the_curtain_falls_between_people(surroundings: dict[str, str], tmp_path: Path) -> None:
    with playing(TWO_PEOPLE, surroundings, tmp_path) as keyboard:
        begun = keyboard.read()
        assert CURTAIN.search(begun)
        welcome, proof, hidden = begun.split("\n", 2)
        assert welcome == "A table for 2. Write a move, or ? for help."
        assert proof.startswith("Proof of fair chance (SHA-256 of the seed): ")
        assert hidden == "\n" * 60 + curtain_line("Mira")
        assert "Mira: Send servants" in keyboard.write("")
        assert "press Enter" not in keyboard.write("send 1x1 at C"), "it is still Mira's turn"
        assert keyboard.write("done") == "\n" * 60 + curtain_line("Bolek")
        shown = keyboard.write("")
        assert "Mira sends 1 die" in shown
        assert "Bolek: Send servants" in shown


@pytest.mark.parametrize(("typed", "next_one"), [("", "Mira"), ("\nsend 1x1 at C\ndone\n", "Bolek")])
def test_nothing_is_shown_before_somebody_is_at_the_keyboard(typed: str, next_one: str, run: Command) -> None:
    """Where the input ends at the curtain, nothing comes after it."""
    assert run(*TWO_PEOPLE, stdin=typed).stdout.endswith(curtain_line(next_one) + "\nYou have left the table.\n")


def curtain_line(name: str) -> str:
    return f"{name} is next. Only {name} should look now: press Enter.\n"


def test_a_bot_between_two_people_needs_no_curtain(run: Command) -> None:
    args = ("play", "crypt", "--seats", "3", "--bots", "random", "--seed", "2")
    outcome = run(*args, stdin="\nrecover\n" * 8)
    names = CURTAIN.findall(outcome.stdout)
    assert len(names) > 4
    assert set(names) == {"Mira", "Bolek"}
    assert all(one != other for one, other in pairwise(names))


def test_a_terminal_is_cleared_at_the_curtain(surroundings: dict[str, str], tmp_path: Path) -> None:
    """With what has scrolled out of sight."""
    mine, theirs = pty.openpty()
    command = [*PROGRAM, *TWO_PEOPLE]
    done = subprocess.run(command, input=b"\n", stdout=theirs, env=surroundings, cwd=tmp_path, timeout=PATIENCE)
    os.close(theirs)
    printed = os.read(mine, 4096).decode()
    os.close(mine)
    assert done.returncode == 0
    assert "\033[2J\033[3J\033[HMira is next." in printed


def by_person(printed: str) -> dict[str, str]:
    """What each person read: all that came between their curtains and the next."""
    read: dict[str, str] = {}
    parts = CURTAIN.split(printed)
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        read[name] = read.get(name, "") + text
    return read


@pytest.mark.parametrize("seed", ["3", "4", "5", "6"])
def test_a_face_down_card_is_shown_to_its_owner_only(seed: str, run: Command) -> None:
    """Who leads takes the face-down card; both then look at all that they can see."""
    take = "\nsend 1x1 at C\ndone\n\nrecover\n\nrecover\n"  # the leader's two turns, and between them the other's
    look = "\nlog\ntable\n?\nmoves\npl\nlog\nen\nrecover\n"
    outcome = run("play", "crypt", "--bots", "", "--seed", seed, stdin=take + look * 2)
    owner, other = CURTAIN.findall(outcome.stdout)[:2]
    read = by_person(outcome.stdout)
    card = re.search(r"Your card from C: (\w+), value (\d)\.", read[owner])
    assert card is not None
    kind, value = card.groups()
    assert f"{owner} collects the face-down treasure C: {kind}." in read[other]
    assert "Your card" not in read[other]
    assert "Twoja karta" in read[owner]
    assert "Twoja karta" not in read[other]
    assert re.search(rf"^  {owner} .* · {kind} \({value}\)", read[owner], re.MULTILINE)
    assert re.search(rf"^  {owner} .* · {kind} \?", read[other], re.MULTILINE)
    assert "(" not in "".join(re.findall(r"^  (?:Mira|Bolek) .*", read[other], re.MULTILINE))


def feed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Lines that are typed in this process."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))


def bolek_to_move(fits: Callable[[Crypt], bool]) -> tuple[Table, str]:
    """A game of two in a fitting position where Bolek's turn begins, and the face-down card of the crypt in words."""
    for seed in range(2000):
        table = Table(CRYPT, 2, {"collectors": "BABBBB"}, seed)
        chance = FastRng(("moves", seed))
        while not table.over:
            state = table.state
            assert isinstance(state, Crypt)
            if state.phase == SERVANTS and table.waiting == [1] and state.groups == 0 and state.slot[2] >= 0:
                if state.known[state.slot[2]] == 0 and fits(state):
                    return table, f"{KINDS[state.kind[state.slot[2]]]}, value {state.value[state.slot[2]]}."
            seat = table.waiting[0]
            table.play_move(seat, state.pick(seat, chance))
    raise AssertionError("no game came to such a position")


def mira_can_look(state: Crypt) -> bool:
    return state.can_look(0) and state.holder[2] < 0


def last_turn(state: Crypt) -> bool:
    return state.drawn == state.size and state.lights_out()


def test_a_right_is_used_from_another_persons_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who looks at a card in somebody else's turn learns its value when they are at the keyboard, and nobody else."""
    table, card = bolek_to_move(mira_can_look)
    feed(monkeypatch, "", "@1 look", "log", "table", "recover", "", "quit")
    with pytest.raises(Left):
        TerminalGame(table, {}, ["Mira", "Bolek"], "en").run()
    read = by_person(capsys.readouterr().out)
    assert list(read) == ["Bolek", "Mira"]
    assert "Mira looks at the face-down cards in the crypt." in read["Bolek"]
    assert f"You look at card C: {card}" in read["Mira"]
    assert f"You look at card C: {card}" not in read["Bolek"]


def test_the_end_tells_nobody_what_another_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A card that is discarded face down stays hidden after the end (crypt.60), also if somebody looked at it."""
    table, card = bolek_to_move(lambda state: mira_can_look(state) and last_turn(state))
    feed(monkeypatch, "", "@1 look", "recover", "")
    TerminalGame(table, {}, ["Mira", "Bolek"], "en").run()
    assert table.over
    read = by_person(capsys.readouterr().out)
    assert "Mira looks at the face-down cards in the crypt." in read["Bolek"]
    assert f"You look at card C: {card}" not in read["Bolek"]


@pytest.mark.parametrize("people", [1, 2])
def test_the_end_is_told_to_those_who_are_there(
    people: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The card that Mira takes at last is her card only where nobody else reads it."""
    table, card = bolek_to_move(lambda state: last_turn(state) and state.holder[2] == 0)
    feed(monkeypatch, "", "recover", "")
    bots: dict[int, Bot] = {1: Passing()} if people == 1 else {}
    TerminalGame(table, bots, ["Mira", "Bolek"], "en").run()
    assert table.over
    printed = capsys.readouterr().out
    reading = printed if people == 1 else by_person(printed)["Bolek"]
    assert (f"Your card from C: {card}" in reading) == (people == 1)
    assert f"Mira shows a card: {card}" in reading
    assert len(re.findall(r"^(Mira|Bolek) wins\.$|^A shared win: ", reading, re.MULTILINE)) == 1


class Passing(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return CRYPT.parse("recover")


@pytest.mark.parametrize("language", house_languages())
def test_every_position_can_be_shown(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Positions of random games, as any person would be shown them, in both languages."""
    chance = FastRng("shown")
    for seats in CRYPT.seats:
        table = Table(CRYPT, seats, {"collectors": "random"}, seats)
        names = ["Mira", "Bolek", "Jagna", "Ziemowit"][:seats]
        game = TerminalGame(table, {}, names, language)
        while not table.over:
            for seat in range(seats):
                for line in ("table", "moves", "why done", "why look", "why take C"):
                    assert not game.answer(seat, line)
            seat = table.waiting[0]
            table.play_move(seat, table.state.pick(seat, chance))
        game.answer(0, "log")
    printed = capsys.readouterr().out
    assert "{" not in printed
    assert "None" not in printed


@pytest.mark.parametrize(("language", "sentence"), [("en", "turn up 1"), ("pl", "Za odkrycie 1 posągu")])
def test_explain_says_what_the_collectors_give(language: str, sentence: str, run: Command) -> None:
    outcome = run("play", "crypt", "--seats", "1", "--seed", "3", "--language", language, stdin="explain\n")
    lines = [line for line in outcome.stdout.splitlines() if " A: " in line]
    assert len(lines) == 6
    assert sentence.lower() in lines[0].lower()
