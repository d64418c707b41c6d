"""A game's data file (TOML), read and checked. A mistake is answered with its file and line, with the table and card
that it is in, and with what would be right; what nobody asks for is a mistake too.
"""

from __future__ import annotations

import re
import tomllib
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polikarp.engine.option import UsageError

HOUSE = Path(__file__).parents[1]
NOTES = ("source",)  # may stand in every table, and says where its numbers come from
HEADER = re.compile(r"\s*\[(\[?)\s*([^\[\]]+?)\s*\]")
KEY = re.compile(r"""\s*([\w."'-]+)\s*=""")

Place = tuple[str | int, ...]  # names of tables and keys; a number counts in a list, from 0


class DataError(UsageError):
    """A file can not be used. The text begins with its name and line, and says what to mend."""

    def __init__(self, path: Path | None, line: int, text: str) -> None:
        where = "" if path is None else f"{shown(path)}:{line}: " if line else f"{shown(path)}: "
        super().__init__(where + text)


def shown(path: Path) -> Path:
    """A file of ours is known by its place in the package."""
    return path.relative_to(HOUSE) if path.is_relative_to(HOUSE) else path


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says. Raises `DataError` if it can not be read."""
    try:
        data = path.read_bytes()
    except OSError as mistake:
        raise DataError(path, 0, f"can not be read: {mistake.strerror}") from None
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as mistake:
        line = data.count(b"\n", 0, mistake.start) + 1
        raise DataError(path, line, "can not be read: this is not UTF-8") from None
    except tomllib.TOMLDecodeError as mistake:
        found = re.search(r"\(at line (\d+), column \d+\)", str(mistake))
        line = int(found[1]) if found else data.count(b"\n") + 1
        raise DataError(path, line, f"can not be read: {mistake}") from None


def line_of(path: Path, place: Place) -> int:
    """The line of a file where a place stands; if it is not there, of what it should stand in."""
    best, depth = 1, 0
    rows: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        here: Place = ()
        if header := HEADER.match(line):
            names = parts(header[2])
            table = ()
            for at, name in enumerate(names, 1):
                table = (*table, name)
                if header[1] and at == len(names):
                    rows[table] = rows.get(table, 0) + 1
                if table in rows:
                    table = (*table, rows[table] - 1)
            here = table
        elif key := KEY.match(line):
            here = (*table, *parts(key[1]))
        near = min(len(here), len(place))
        if near > depth and here[:near] == place[:near]:
            best, depth = number, near
    return best


def parts(name: str) -> list[str]:
    return [part.strip().strip("\"'") for part in name.split(".")]


def told(mistake: Exception) -> str:
    """A mistake in somebody's folder, with its file and line."""
    if isinstance(mistake, DataError):
        return str(mistake)
    place = f"{mistake.filename}:{mistake.lineno}" if isinstance(mistake, SyntaxError) else ""
    if not place:
        frame = traceback.extract_tb(mistake.__traceback__)[-1]
        place = f"{shown(Path(frame.filename))}:{frame.lineno}"
    return f"{place}: {type(mistake).__name__}: {mistake}"


class Data:
    """A file, or a table in it. Values are asked for by their names, such as `servants.dice`, with their bounds."""

    def __init__(self, given: Mapping[str, Any], path: Path | None = None) -> None:
        self.given = given
        self.path = path
        self.place: Place = ()
        self.asked: set[Place] = set()

    def at(self, *place: str | int) -> Data:
        """A table within this one."""
        made = Data(self.value(place), self.path)
        made.place, made.asked = (*self.place, *place), self.asked
        return made

    def value(self, place: Place) -> Any:
        found: Any = self.given
        for part in place:
            if isinstance(part, int):
                found = found[part] if isinstance(found, list) and part < len(found) else None
            else:
                found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def wrong(self, name: str, text: str) -> DataError:
        """What to raise about a place, to be said with its file and line."""
        place: Place = (*self.place, *parts(name)) if name else self.place
        return DataError(self.path, line_of(self.path, place) if self.path else 0, text)

    def call(self, name: str) -> str:
        """A place in words: `servants.dice`, or `value of treasure 3` in a list."""
        rows: list[str] = []
        names: list[str] = []
        for part in (*self.place, *parts(name)):
            if isinstance(part, int):
                rows.append(f"{'.'.join(names)} {part + 1}")
                names = []
            elif part:
                names.append(part)
        return " of ".join([*([".".join(names)] if names else []), *reversed(rows)])

    def has(self, name: str) -> bool:
        return self.value(tuple(parts(name))) is not None

    def take(self, name: str) -> Any:
        """Whatever is there, to be checked by who asks."""
        place = tuple(parts(name))
        self.asked.add((*self.place, *place))
        return self.value(place)

    def check(self, good: bool, name: str, right: str) -> None:
        if not good:
            value = self.value(tuple(parts(name)))
            raise self.wrong(
                name, f"{self.call(name)} is {'missing' if value is None else repr(value)}; right is {right}"
            )

    def whole(self, name: str, low: int = 0, high: int = 99) -> int:
        """A whole number."""
        value = self.take(name)
        self.check(is_whole(value, low, high), name, f"a whole number from {low} to {high}")
        number: int = value
        return number

    def row(self, name: str, fewest: int, most: int, low: int = 0, high: int = 99) -> list[int]:
        """So many whole numbers."""
        values = self.take(name)
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        right = f"a list of {count} whole numbers from {low} to {high}"
        good = isinstance(values, list) and fewest <= len(values) <= most
        self.check(good and all(is_whole(value, low, high) for value in values), name, right)
        row: list[int] = values
        return row

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """One of several words."""
        value = self.take(name)
        self.check(value in allowed, name, f"one of: {', '.join(allowed)}")
        word: str = value
        return word

    def choices(self, name: str, allowed: Sequence[str], fewest: int, most: int) -> list[str]:
        """So many words out of several."""
        values = self.take(name)
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        good = isinstance(values, list) and fewest <= len(values) <= most
        right = f"a list of {count} out of: {', '.join(allowed)}"
        self.check(good and all(value in allowed for value in values), name, right)
        words: list[str] = values
        return words

    def table(self, name: str) -> Data:
        """A table of its own."""
        self.check(isinstance(self.take(name), Mapping), name, f"a table [{name}]")
        self.asked.remove((*self.place, *parts(name)))  # what is in it must be asked for
        self.asked.add((*self.place, *parts(name), ""))
        return self.at(*parts(name))

    def tables(self, name: str, fewest: int = 1, most: int = 999) -> list[Data]:
        """A list of tables, such as cards."""
        values = self.take(name)
        self.asked.remove((*self.place, *parts(name)))
        count = f"{fewest}" if fewest == most else f"at least {fewest}"
        good = isinstance(values, list) and fewest <= len(values) <= most
        good = good and all(isinstance(value, Mapping) for value in values)
        if not good:
            raise self.wrong(name, f"there is no list of [[{name}]]; right is a list of {count}")
        return [self.at(*parts(name), at) for at in range(len(values))]

    def finish(self) -> None:
        """Raise if something stands in the file that nobody asked for."""
        for place in self.unasked(self.given, self.place):
            within = [asked[-1] for asked in sorted(self.asked, key=str) if asked[:-1] == place[:-1] and asked[-1]]
            owner = Data({}, self.path)
            owner.place = place[:-1]
            known = f"; known are: {', '.join(map(str, within))}" if within else ""
            raise owner.wrong(str(place[-1]), f"nobody knows {owner.call(str(place[-1]))}{known}")

    def unasked(self, value: Any, place: Place) -> Iterator[Place]:
        if place in self.asked or (place and place[-1] in NOTES):
            return
        if isinstance(value, Mapping) and (value or (*place, "") in self.asked):
            for key, each in value.items():
                yield from self.unasked(each, (*place, key))
        elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
            for at, each in enumerate(value):
                yield from self.unasked(each, (*place, at))
        else:
            yield place


def is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def read_data(path: Path) -> Data:
    """A game's data file."""
    return Data(read_toml(path), path)
