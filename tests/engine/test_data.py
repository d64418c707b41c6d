"""Data files: a mistake names file and line, table and card, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from polikarp.engine.data import Data, DataError, line_of, read_data, shown, told
from polikarp.games import all_games

TEXT = """# A comment.
[servants]
dice = 3
coins = [1, 2, "x"]

[collector.statue]  # with a note
B = { need = 2, first = 5 }
source = "book"

[[treasure]]
kind = "statue"
value = 1

[[treasure]]
kind = "sword"
copies = [
  1,
  2,
]
[treasure.more]
deep = true
"""


@pytest.fixture
def data(tmp_path: Path) -> Data:
    path = tmp_path / "cards.toml"
    path.write_text(TEXT, "utf-8")
    return read_data(path)


def test_values_are_given_as_they_are_asked_for(data: Data) -> None:
    assert data.whole("servants.dice", 1, 3) == 3
    assert data.whole("collector.statue.B.first") == 5
    assert data.table("collector").table("statue").whole("B.need") == 2
    one, other = data.tables("treasure")
    assert (one.choice("kind", ["statue"]), one.has("copies"), other.has("copies")) == ("statue", False, True)
    assert other.row("copies", 1, 2) == [1, 2]


Wrong = Callable[[Data], object]


@pytest.mark.parametrize(
    ("ask", "line", "reason"),
    [
        (lambda data: data.whole("servants.dice", 4), 3, "servants.dice is 3; right is a whole number from 4 to 99"),
        (lambda data: data.whole("servants.fingers"), 2, "servants.fingers is missing; right is a whole number"),
        (lambda data: data.whole("nothing.at.all"), 1, "nothing.at.all is missing"),
        (lambda data: data.row("servants.coins", 1, 3), 4, "servants.coins is [1, 2, 'x']; right is a list of 1 to 3"),
        (lambda data: data.whole("collector.statue.B.need", 3), 7, "collector.statue.B.need is 2"),
        (lambda data: data.tables("treasure")[0].whole("value", 2), 12, "value of treasure 1 is 1; right is"),
        (lambda data: data.tables("treasure")[1].whole("value"), 14, "value of treasure 2 is missing"),
        (
            lambda data: data.tables("treasure")[1].choice("kind", ["statue", "crown"]),
            15,
            "kind of treasure 2 is 'sword'; right is one of: statue, crown",
        ),
        (lambda data: data.tables("treasure")[1].row("copies", 3, 3), 16, "copies of treasure 2 is [1, 2]; right is a"),
        (lambda data: data.tables("treasure")[1].whole("more.deep"), 21, "more.deep of treasure 2 is True"),
        (lambda data: data.tables("card"), 1, "there is no list of [[card]]"),
        (lambda data: data.tables("treasure", 3, 3), 10, "there is no list of [[treasure]]; right is a list of 3"),
        (lambda data: data.table("servants.dice"), 3, "servants.dice is 3; right is a table [servants.dice]"),
        (lambda data: data.choices("servants.coins", ["x"], 3, 3), 4, "a list of 3 out of: x"),
    ],
)
def test_a_mistake_names_its_line_and_what_would_be_right(data: Data, ask: Wrong, line: int, reason: str) -> None:
    with pytest.raises(DataError) as mistake:
        ask(data)
    assert f"cards.toml:{line}: " in str(mistake.value)
    assert reason in str(mistake.value)


def test_what_nobody_asks_for_is_a_mistake(data: Data) -> None:
    data.whole("servants.dice")
    data.take("servants.coins")
    data.take("collector.statue.B")
    one, other = data.tables("treasure")
    for treasure in (one, other):
        treasure.take("kind")
    with pytest.raises(DataError, match=r"cards.toml:12: nobody knows value of treasure 1; known are: kind"):
        data.finish()
    for treasure in (one, other):
        treasure.take("value")
        treasure.take("copies")
    with pytest.raises(DataError, match=r"cards.toml:21: nobody knows more.deep of treasure 2"):
        data.finish()
    other.take("more")
    data.finish()


def test_an_empty_table_must_be_known_too() -> None:
    data = Data({"ability": {"stables": {}, "wings": {}}})
    data.table("ability.stables")
    with pytest.raises(DataError, match=r"nobody knows ability.wings"):
        data.finish()
    data.table("ability.wings")
    data.finish()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"a = 1\nb = [\n", r"cards.toml:3: can not be read"),
        (b"a = 1\nb == 2\n", r"cards.toml:2: can not be read"),
        (b"a = 1\nb = '\xff'\n", r"cards.toml:2: can not be read: this is not UTF-8"),
    ],
)
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, text: bytes, reason: str) -> None:
    path = tmp_path / "cards.toml"
    path.write_bytes(text)
    with pytest.raises(DataError, match=reason):
        read_data(path)
    with pytest.raises(DataError, match=r"gone.toml: can not be read: No such file"):
        read_data(tmp_path / "gone.toml")


def test_files_of_the_package_are_known_by_their_place_in_it() -> None:
    from polikarp.games.crypt import game

    assert str(shown(game.folder / "cards.toml")) == "games/crypt/cards.toml"
    assert line_of(game.folder / "cards.toml", ("servants", "dice")) == 8


def test_mistakes_in_code_are_told_with_their_place_too(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    for text, reason in (("\n\nx = y\n", f"{path}:3: NameError: name 'y'"), ("\nx = (\n", f"{path}:2: SyntaxError")):
        with pytest.raises((NameError, SyntaxError)) as mistake:
            exec(compile(text, str(path), "exec"), {})
        assert told(mistake.value).startswith(reason)


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "reason"),
    [
        ("crypt", "cards.toml", "dice = 3 ", "dice = 4 ", "servants.dice is 4; right is a whole number from 3 to 3"),
        ("gold", "cards.toml", "\nheal = 4\n", "\nheal = 4\nheels = 2\n", "nobody knows heels of order 4"),
        ("hunters", "cards.toml", "priority = 7\n", "priority = 70\nsize = 2\n", "nobody knows size of monster 7"),
        ("melee", "cards.toml", "start = 15", "start = 150", "gold.start is 150; right is a whole number from 0 to 20"),
        ("melee", "boards.toml", 'M = "R1 Y1 G1 B1 L F"', 'M = "R1 Y1 G1 B1 L"', "F borders on M, but not the other"),
    ],
)
def test_the_games_name_the_line_of_a_mistake(
    tmp_path: Path, name: str, file: str, old: str, new: str, reason: str
) -> None:
    game = all_games()[name]
    text = (game.folder / file).read_text("utf-8")
    assert text.count(old) >= 1
    path = tmp_path / file
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DataError) as mistake:
        game.with_data(path)
    assert reason in str(mistake.value)
    line = int(str(mistake.value).removeprefix(f"{path}:").split(":")[0])
    named = "F = " if name == "melee" and file == "boards.toml" else new.splitlines()[-1][:5]
    assert named in path.read_text("utf-8").splitlines()[line - 1]
