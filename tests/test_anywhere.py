"""Bots by what is written on the command line: of the house, of a module, of an installed package, programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polikarp.bots import make_bot
from polikarp.bots.anywhere import by_the_clock, find_bot, installed, split_bots
from polikarp.bots.program import ProgramBot
from polikarp.bots.search import StrongBot
from polikarp.engine.bot import Bot
from polikarp.engine.option import UsageError
from polikarp.games import find_game

CRYPT = find_game("crypt")
MODULE = """
from polikarp.engine.bot import Bot

class First(Bot):
    def __init__(self, depth=1, *, style="plain"):
        self.depth, self.style = depth, style
        if depth == 13:
            raise ValueError("13 is unlucky")
    def choose(self, sight, seat, rng):
        return sight.moves(seat)[0]

class Inner:
    Deep = First

def made(depth):
    return First(depth)

class Nothing:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a module of bots, and a package that announces one of them."""
    (tmp_path / "lab_test_bots.py").write_text(MODULE, "utf-8")
    (tmp_path / "broken_bots.py").write_text("1 / 0", "utf-8")
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    points = "first = lab_test_bots:First\ngone = no_such_module:Bot\ngreedy = lab_test_bots:First\n"
    (info / "entry_points.txt").write_text(f"[polikarp.bots]\n{points}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def test_commas_in_brackets_and_quotes_part_nothing() -> None:
    text = "greedy, mybots:Careful(depth=3, names=['a', 'b']),exec:./mybot --plan 'a,b' ,strong:level=hard"
    assert split_bots(text) == [
        "greedy",
        "mybots:Careful(depth=3, names=['a', 'b'])",
        "exec:./mybot --plan 'a,b'",
        "strong:level=hard",
    ]
    assert split_bots("") == []
    assert split_bots("greedy,,random") == ["greedy", "", "random"]


def test_bots_of_the_house_come_first(folder: Path) -> None:
    assert isinstance(find_bot(CRYPT, "strong:simulations=5"), StrongBot)
    assert type(find_bot(CRYPT, "greedy")) is type(make_bot(CRYPT, "greedy"))


def test_a_class_is_found_where_python_finds_it(folder: Path) -> None:
    for text, depth, style in (
        ("lab_test_bots:First", 1, "plain"),
        ("lab_test_bots:First()", 1, "plain"),
        ("lab_test_bots:First(3)", 3, "plain"),
        ("lab_test_bots:First(depth=-2, style='bold, (new)')", -2, "bold, (new)"),
        ("lab_test_bots:Inner.Deep(4)", 4, "plain"),
        ("lab_test_bots:made(depth=5)", 5, "plain"),
    ):
        bot = find_bot(CRYPT, text)
        assert isinstance(bot, Bot)
        assert (getattr(bot, "depth"), getattr(bot, "style")) == (depth, style)  # noqa: B009


def test_a_package_announces_its_bots(folder: Path) -> None:
    assert {"first", "gone"} <= set(installed())
    assert getattr(find_bot(CRYPT, "first(depth=7)"), "depth") == 7  # noqa: B009
    with pytest.raises(UsageError, match="the bot gone can not be loaded from no_such_module:Bot: No module"):
        find_bot(CRYPT, "gone")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("clever", r"no bot 'clever' for crypt; the bots are: random, greedy, strong, first, gone, greedy"),
        ("", "no bot ''"),
        ("lab_test_bots:Second", "no class Second in the module lab_test_bots"),
        ("lab_test_bots:First.depth", "no class First.depth"),
        ("lab_test_bots:Nothing", "lab_test_bots:Nothing is no bot; right is: a class made from"),
        ("no_such_bots:First", "the module no_such_bots can not be imported: ModuleNotFoundError"),
        ("broken_bots:First", "the module broken_bots can not be imported: ZeroDivisionError"),
        ("lab_test_bots:First(13)", r"lab_test_bots:First\(13\) can not be made: ValueError: 13 is unlucky"),
        ("lab_test_bots:First(height=1)", "can not be made: TypeError"),
        ("lab_test_bots:First(depth=len('abc'))", "right are plain values"),
        ("lab_test_bots:First(__import__('os').system('true'))", "right are plain values"),
        ("lab_test_bots:First(**{'depth': 1})", "right are plain values"),
        ("lab_test_bots:First(1)(2)", "right are plain values"),
        ("lab_test_bots:First(1", "no bot 'lab_test_bots:First"),
        ("exec:", "exec: needs a command"),
        ("exec:'", "can not be read: No closing quotation"),
        ("exec:./not-there --fast", "no program './not-there' that can be run"),
        ("exec(seconds=0):true", r"exec does not know '\(seconds=0\)'"),
        ("exec(hours=1):true", "exec does not know"),
        ("greedy:ms=5", "bot greedy has no settings"),
    ],
)
def test_what_is_no_bot_gets_one_clear_sentence(folder: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.removesuffix(", greedy")):
        find_bot(CRYPT, text)


def test_programs_have_a_time_limit_and_may_depend_on_the_clock(folder: Path) -> None:
    slow, usual = find_bot(CRYPT, "exec(seconds=2.5):true"), find_bot(CRYPT, "exec:true --fast")
    assert isinstance(slow, ProgramBot)
    assert isinstance(usual, ProgramBot)
    assert (slow.seconds, slow.command, usual.seconds, usual.command) == (2.5, "true", 5.0, "true --fast")
    assert by_the_clock(CRYPT, "exec:true")
    assert by_the_clock(CRYPT, "strong")
    assert not by_the_clock(CRYPT, "strong:simulations=5")
    assert not by_the_clock(CRYPT, "lab_test_bots:First")


def test_a_server_knows_only_bots_of_the_house(folder: Path) -> None:
    for name in ("exec:true", "lab_test_bots:First", "first"):
        with pytest.raises(UsageError, match="there is no bot"):
            make_bot(CRYPT, name)
