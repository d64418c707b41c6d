"""What the numbers of an observation mean. A game says it in `observation.toml`, field by field in the order of its
`carry`; from that follow a name, bounds and a meaning for every number, and features for programs that learn.

Features are numbers from 0 to 1. They are told as the seat sees it that looks: seat `+0` is its own, `+1` the next one.
Sets are taken apart into one feature for each member, choices into one for each that there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Literal

import msgspec

from polikarp.engine.data import DataError, read_toml
from polikarp.engine.option import UsageError
from polikarp.engine.state import EVERYONE, WATCHER_BIT, Ruler, State

Kind = Literal["number", "choice", "seat", "seats", "set"]
Op = Literal["scale", "is", "bit"]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a state: one number, or one for each of something. `docs/observations.md` shows all of them."""

    name: str
    meaning: str
    kind: Kind = "number"
    low: int = 0
    high: int = 1
    hidden: int | None = None  # the number that stands for what the seat does not know, or for nothing
    each: list[str] = []  # there is one for each of these: a name of [labels], or `seat`, which comes first
    of: str = ""  # of a set: the labels of its members; of a choice: those of its numbers from 0 on
    seats_from: list[int] = []  # of a choice: numbers from here on are seats, as many as there are
    watchers: bool = False  # of seats: whether watchers may be in it
    parts: list[Field] = []  # where the numbers of a row have nothing in common


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    field: list[Field]
    labels: dict[str, list[str]] = {}


class Column(msgspec.Struct, frozen=True):
    """One number of an observation as it is."""

    name: str
    low: int
    high: int
    meaning: str


class Feature(msgspec.Struct, frozen=True):
    """One number from 0 to 1 that is made of an observation."""

    name: str
    meaning: str


class Step(msgspec.Struct, frozen=True):
    """How a feature is made of the number in a column: scaled from `value` on by `span`, compared with `value`, or the
    bit `value` of it. What is `hidden` is 0."""

    column: int
    op: Op
    value: int
    span: int = 1
    hidden: int | None = None


class Place(msgspec.Struct, frozen=True):
    """A number of a state: its field, which of the field's numbers it is, and whose."""

    field: Field
    seat: int | None
    rest: str  # its name after the seat


class ObservationSpec:
    """`columns` of an observation as it is; `features` of the encoded one, and how a seat's are made (`steps`);
    `actions` are the names of all moves, by number."""

    def __init__(self, file: File, state: State, lengths: Sequence[int], actions: Sequence[str]) -> None:
        self.seats = int(state.seats)
        self.players = max(2, self.seats)  # who plays alone may have an opponent that the rules move
        self.labels = file.labels
        self.actions = list(actions)
        own = Field("seat", "whose observation it is", high=self.seats - 1, kind="seat")
        waiting = Field("waiting", "the seats whose decision the game waits for", kind="seats")
        self.places = [Place(own, None, ""), Place(waiting, None, "")]
        for field, length in zip(file.field, lengths, strict=True):
            self.places += self.places_of(field, length)
        self.columns = [self.column(place) for place in self.places]
        self.features = [feature for _, feature in self.made(0)]

    def places_of(self, field: Field, length: int) -> Iterator[Place]:
        if field.parts:
            yield from (Place(part, None, "") for part in field.parts)
            return
        if not field.each:
            yield Place(field, None, "")
            return
        by_seat = field.each[0] == "seat"
        names = [self.labels.get(each, []) for each in field.each[by_seat:]]
        count = length // prod(map(len, names), start=1) if by_seat else 1
        if not all(names):  # as many as there are
            names = [[str(number) for number in range(length)]]
        for seat in range(count):
            for words in islice(product(*names), length):
                yield Place(field, seat if by_seat else None, ".".join(words))

    def column(self, place: Place) -> Column:
        field = place.field
        seat = [] if place.seat is None else [str(place.seat)]
        name = ".".join([field.name, *seat, *([place.rest] if place.rest else [])])
        low, high = field.low, field.high
        if field.kind == "seat":
            low, high = 0, self.players - 1
        elif field.kind == "seats":
            high = EVERYONE if field.watchers else (1 << self.players) - 1
        elif field.kind == "set":
            high = (1 << len(self.labels[field.of])) - 1
        elif field.kind == "choice":
            high = self.highest(field)
        return Column(name, low if field.hidden is None else min(low, field.hidden), high, field.meaning)

    def highest(self, field: Field) -> int:
        if field.seats_from:
            return field.seats_from[-1] + self.players - 1
        return len(self.labels[field.of]) - 1 if field.of else field.high

    def steps(self, viewer: int) -> list[Step]:
        """How the features of an observation of this seat are made, in their order."""
        return [step for step, _ in self.made(viewer)]

    def made(self, viewer: int) -> Iterator[tuple[Step, Feature]]:
        for at, place in self.seen_from(viewer):
            field = place.field
            seat = [] if place.seat is None else [f"+{self.relative(place.seat, viewer)}"]
            base = ".".join([field.name, *seat, *([place.rest] if place.rest else [])])
            if at == 0:
                continue  # everything is told from this seat
            for name, step in self.features_of(field, at, viewer):
                yield step, Feature(f"{base}{name}", field.meaning)

    def seen_from(self, viewer: int) -> Iterator[tuple[int, Place]]:
        """The columns, with the seats of each field in order from the viewer's on."""
        at = 0
        while at < len(self.places):
            end = at + 1
            while end < len(self.places) and self.places[end].field is self.places[at].field:
                end += 1
            block = list(enumerate(self.places[at:end], at))
            if self.places[at].seat is not None:
                block.sort(key=lambda one: self.relative(one[1].seat or 0, viewer))
            yield from block
            at = end

    def relative(self, seat: int, viewer: int) -> int:
        return (seat - viewer) % self.players

    def features_of(self, field: Field, at: int, viewer: int) -> Iterator[tuple[str, Step]]:
        if field.kind == "number":
            if field.hidden is not None and field.high > field.low:
                yield "?", Step(at, "is", field.hidden)
            if field.high > field.low:
                yield "", Step(at, "scale", field.low, field.high - field.low, field.hidden)
            return
        if field.kind == "set":
            yield from ((f".{name}", Step(at, "bit", bit)) for bit, name in enumerate(self.labels[field.of]))
            return
        order = [(viewer + seat) % self.players for seat in range(self.players)]
        if field.kind == "seats":
            yield from ((f".+{nth}", Step(at, "bit", seat)) for nth, seat in enumerate(order))
            if field.watchers:
                yield ".watchers", Step(at, "bit", WATCHER_BIT.bit_length() - 1)
            return
        if field.kind == "seat":
            yield from ((f".+{nth}", Step(at, "is", seat)) for nth, seat in enumerate(order))
            return
        names = self.labels.get(field.of, [])
        first = field.seats_from[0] if field.seats_from else self.highest(field) + 1
        for value in range(field.low, first):
            yield f".{names[value] if 0 <= value < len(names) else value}", Step(at, "is", value)
        for which, begin in enumerate(field.seats_from):
            for nth, seat in enumerate(order):
                word = names[first + which] if first + which < len(names) else begin
                yield f".{word}.+{nth}", Step(at, "is", begin + seat)


@cache
def read_fields(path: Path) -> File:
    try:
        return msgspec.convert(read_toml(path), File)
    except msgspec.ValidationError as mistake:
        raise DataError(path, 0, str(mistake)) from None


def observation_spec(game: str, path: Path, state: State, actions: Sequence[str]) -> ObservationSpec:
    if not path.is_file():
        raise UsageError(f"{game} does not say what its observations mean: it has no {path.name}")
    ruler = Ruler()
    state.carry(ruler)
    file = read_fields(path)
    if len(file.field) != len(ruler.lengths):
        raise DataError(path, 0, f"has {len(file.field)} fields, but a state of {game} has {len(ruler.lengths)}")
    return ObservationSpec(file, state, ruler.lengths, actions)
