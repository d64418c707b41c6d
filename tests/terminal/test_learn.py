"""Lessons in the terminal, and `check-lesson` for who writes them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from polikarp.engine.lessons.lesson import Lesson, say
from polikarp.engine.lessons.walk import Walk
from tests.conftest import Command, assert_refused
from tests.engine.lessons.pupils import LESSONS, called, changed, first_path
from tests.folders import Copy

Typing = Callable[..., None]
PUSH = next(lesson for lesson in LESSONS if lesson.name == "2-push")


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """What a pupil types, line by line."""

    def typing(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return typing


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("lesson", LESSONS, ids=called)
def test_every_lesson_can_be_done(lesson: Lesson, language: str, typing: Typing, call: Command) -> None:
    typing(*first_path(lesson))
    done = call("learn", lesson.game.id, lesson.name, "--language", language)
    assert (done.returncode, done.stderr) == (0, "")
    said = [say(lesson.game, step.say, language) for step in lesson.steps]
    at = [done.stdout.index(f"* {sentence}\n") for sentence in said]
    assert len(set(at)) == len(set(said))
    assert ("Well done!" if language == "en" else "Brawo!") in done.stdout


@pytest.mark.parametrize("lesson", LESSONS, ids=called)
def test_a_wrong_try_is_answered_and_the_lesson_goes_on(lesson: Lesson, typing: Typing, call: Command) -> None:
    trail: list[str] = []
    walk = Walk(lesson)
    for move in first_path(lesson):
        wrong = [] if walk.reading else [each for each in walk.moves() if each not in walk.right()]
        trail += [*wrong[:1], move]
        further = walk.further(move)
        assert further is not None
        walk = further
    typing(*trail)
    done = call("learn", lesson.game.id, lesson.name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Well done!" in done.stdout


def test_the_core_is_taught_in_one_go(typing: Typing, call: Command) -> None:
    core = [lesson for lesson in LESSONS if lesson.game.id == "crypt" and lesson.core]
    typing(*[move for lesson in core for move in first_path(lesson)])
    done = call("learn", "crypt")
    assert [f"\n{lesson.name}: " in done.stdout for lesson in core] == [True] * 5
    assert "Well done! Next: Push them off" in done.stdout
    assert done.stdout.endswith("You know enough. Play your first game!\n  polikarp play crypt\n")


def test_help_grows_with_every_wrong_try(typing: Typing, call: Command) -> None:
    typing("show", "send 1x5 at A", "send 1x1 at A", "recover", "show", "done")
    said = call("learn", "crypt", "push").stdout.split("\n> ")[1:]
    assert said[0].startswith("Try it yourself first")
    assert "[crypt.14]" in said[1]
    assert "5 against 5 is not enough." in said[1]
    assert "Look here" not in said[1]
    assert "Look here:\n  send 1x6 at A, send 2x3 at A" in said[2]
    assert "Write show" in said[3]
    assert said[4].startswith("  send 1x6 at A\n")


def test_a_try_that_is_played_is_taken_back(typing: Typing, call: Command) -> None:
    typing("send 1x2 at A", "table", "quit")
    said = call("learn", "crypt", "tired").stdout.split("\n> ")[1:]
    assert "Mira takes back 1 die" in said[0]
    assert "Too low: Jagna pushed you off with a 4. Go higher!" in said[0]
    assert "The table is as it was before." in said[0]
    assert "Mira   ready 3" in said[1]


def test_words_that_are_no_moves(typing: Typing, call: Command) -> None:
    typing("?", "moves", "rules crypt.14", "rules crypt.99", "jump", "", "pl", "recover", "en", "quit")
    said = call("learn", "crypt", "push").stdout.split("\n> ")[1:]
    assert "again    this lesson from the beginning" in said[0]
    assert said[1].startswith("recover, send 1x6 at A, ")
    assert said[2].startswith("crypt.14  A treasure that is held")
    assert said[3].startswith("There is no rule crypt.99 in crypt.")
    assert said[4].startswith("“jump” is not a move.")
    assert said[5].startswith("* Jagna holds the best treasure")
    assert "* Jagna zajmuje najlepszy skarb piątką." in said[6]
    assert said[7].startswith("* Nie pasuj")
    assert "* Jagna holds the best treasure" in said[8]
    assert said[9].startswith("See you next time.")


def test_back_again_and_skip(typing: Typing, call: Command) -> None:
    typing("send 1x6 at A", "back", "send 2x3 at A", "again", "skip", "quit")
    done = call("learn", "crypt", "push")
    first = say(PUSH.game, PUSH.steps[0].say, "en")
    assert done.stdout.count(first) == 3
    assert done.returncode == 0


def test_lessons_are_listed(call: Command) -> None:
    listed = call("learn", "crypt", "list").stdout.splitlines()
    assert listed[0] == "Before the first game:"
    assert listed[2] == "  2-push               Push them off (35 s)"
    assert listed[6] == "Later:"
    assert len(listed) == 10


def test_the_crib_sheet(call: Command) -> None:
    printed = call("learn", "gold", "sheet", "--language", "pl").stdout
    assert printed.startswith("Złoto bohaterów na jednej stronie\n\nCel: najwięcej złota po ostatniej rundzie.\n")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("chess",), ["there is no game 'chess'"]),
        (("crypt", "dance"), ["crypt has no lesson 'dance'; the lessons are: 1-first-treasure"]),
        (("leduc",), ["leduc has no lessons"]),
        (("leduc", "sheet"), ["leduc has no crib sheet"]),
        (("crypt", "--language", "xx"), ["--language can not be 'xx'"]),
    ],
)
def test_wrong_usage_gets_one_line(args: tuple[str, ...], words: list[str], call: Command) -> None:
    assert_refused(call("learn", *args), 2, *words)


def test_check_lesson_says_what_was_played(call: Command) -> None:
    done = call("check-lesson", str(PUSH.path))
    assert (done.returncode, done.stderr) == (0, "")
    played = "holds; 10 paths, 24 moves, 56 wrong tries; 28 words in en, 22 words in pl; 29 of 35 seconds"
    assert done.stdout == f"{PUSH.path}: {played}\n"
    for name, found in (("coach", "18 moments"), ("sheet", "8 lines"), ("roles", "roles")):
        assert found in call("check-lesson", str(PUSH.path.with_name(f"{name}.toml"))).stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"board.turn" = 5', '"board.turn" = 6', ["1-dare.toml:18: step 1, after roll: board.turn is 5"]),
        ('game = "pig"', 'game = "chess"', ["1-dare.toml: there is no game 'chess'"]),
        ('game = "pig"\n', "", ["1-dare.toml:1: game is missing"]),
        ("core = true", "core = maybe", ["1-dare.toml:2: can not be read"]),
    ],
)
def test_check_lesson_names_the_line(tmp_path: Path, old: str, new: str, words: list[str], call: Command) -> None:
    assert_refused(call("check-lesson", str(changed(tmp_path, old, new))), 1, *words)


def test_check_lesson_of_a_file_that_is_not_there(call: Command) -> None:
    assert_refused(call("check-lesson", "nowhere.toml"), 1, "nowhere.toml: can not be read: No such file or directory")


def test_a_wrong_lesson_in_a_folder_is_left_out(tmp_path: Path, run: Command) -> None:
    """One sentence with file and line, and the rest is taught."""
    copy = Copy(tmp_path / "copy").change(
        "games/crypt/lessons/2-push.toml", '"board.crypt[0].shows" = 5', '"board.x" = 1'
    )
    listed = run("learn", "crypt", "list", PYTHONPATH=str(copy.place))
    assert listed.returncode == 0
    assert "1-first-treasure" in listed.stdout
    assert "2-push" not in listed.stdout
    assert listed.stderr.startswith(
        "polikarp: left out: games/crypt/lessons/2-push.toml:15: step 1: nothing is at x of board.x"
    )
    assert listed.stderr.count("\n") == 1
