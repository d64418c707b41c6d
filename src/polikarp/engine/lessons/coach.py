"""The coach of a guided first game: one sentence when something happens for the first time.

A moment is bound to an event that is told to the pupil, to the prompt that the pupil is asked with, or to a refusal.
Which moment is due follows from what happened and from what was shown before; who keeps that, and how long a sentence
stays, is for the page to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Literal

import msgspec

from polikarp.engine.data import Data, read_data
from polikarp.engine.game import Game
from polikarp.engine.lessons.claims import fits
from polikarp.engine.lessons.lesson import Reader, Sentence, maybe_texts, optional, read_title, text
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.phrase import Arg, Event, Phrase, Refusal
from polikarp.engine.state import bit

Kind = Literal["event", "prompt", "refusal"]
KINDS: Mapping[str, Kind] = {"event": "event", "prompt": "prompt", "refused": "refusal"}  # by the field that names it
ME, OTHER = "me", "other"


class Moment(msgspec.Struct, frozen=True):
    """A sentence and what it waits for: a key, with arguments that fit `when`. `after` skips so many of a game; `known`
    are moves by which the pupil shows that the sentence is not needed."""

    id: str
    kind: Kind
    key: str
    when: Mapping[str, int | str]
    after: int
    known: tuple[str, ...]
    light: tuple[str, ...]
    say: Sentence
    rules: tuple[str, ...]


class FirstGame(msgspec.Struct, frozen=True):
    """The table of a first game. `bot` plays all other seats."""

    seats: int
    options: Mapping[str, OptionValue]
    bot: str


class Coach(msgspec.Struct, frozen=True):
    """The first game, and the moments of the coach, the most important first."""

    game: Game
    path: Path
    first: FirstGame
    moments: tuple[Moment, ...]

    def due(
        self,
        seat: int,
        news: Sequence[Event],
        prompt: Phrase | None = None,
        refusal: Refusal | None = None,
        past: Sequence[Event] = (),
        shown: Set[str] = frozenset(),
    ) -> Moment | None:
        """The first moment that has come and was not shown before. `news` is what the seat was just told, `past` what
        the game had told it earlier."""
        for moment in self.moments:
            if moment.id not in shown and self.comes(moment, seat, news, prompt, refusal, past):
                return moment
        return None

    def comes(
        self,
        moment: Moment,
        seat: int,
        news: Sequence[Event],
        prompt: Phrase | None,
        refusal: Refusal | None,
        past: Sequence[Event],
    ) -> bool:
        if moment.kind == "event":
            now = sum(happens(moment, event, seat) for event in news)
            return now > 0 and now + sum(happens(moment, event, seat) for event in past) > moment.after
        said = prompt if moment.kind == "prompt" else refusal
        return said is not None and said.key == moment.key and suits(moment, said.args, seat)

    def known_by(self, move: str) -> list[str]:
        """The moments that a move of the pupil makes needless."""
        return [moment.id for moment in self.moments if fits(move, moment.known)]


def happens(moment: Moment, event: Event, seat: int) -> bool:
    return event.key == moment.key and bool(event.audience & bit(seat)) and suits(moment, event.args, seat)


def suits(moment: Moment, args: Mapping[str, Arg], seat: int) -> bool:
    return all(name in args and argument_fits(args[name], wanted, seat) for name, wanted in moment.when.items())


def argument_fits(given: Arg, wanted: int | str, seat: int) -> bool:
    if wanted in (ME, OTHER):
        seats = given if isinstance(given, tuple) else (given,)
        return (seat in seats) == (wanted == ME)
    return given == wanted if isinstance(wanted, int) else fits(str(given), (wanted,))


def read_coach(path: Path, game: Game) -> Coach:
    """The coach of a game. Raises `DataError` at the first mistake."""
    data = read_data(path)
    data.choice("game", [game.id])
    reader = Reader(game, read_title(data))
    first = read_first(data, game)
    moments = tuple(read_moment(each, reader) for each in data.tables("moment"))
    for at, moment in enumerate(moments):
        if moment.id in [other.id for other in moments[:at]]:
            raise data.at("moment", at).wrong("id", f"two moments have the id {moment.id!r}")
    data.finish()
    return Coach(game, path, first, moments)


def read_first(data: Data, game: Game) -> FirstGame:
    seats = data.whole("table.seats", game.seats[0], game.seats[-1])
    options = data.take("table.options") or {}
    data.check(isinstance(options, Mapping), "table.options", "a table of options")
    try:
        read_options(game.options, options)
    except UsageError as mistake:
        raise data.wrong("table.options", str(mistake)) from None
    return FirstGame(seats, dict(options), text(data, "table.bot"))


def read_moment(data: Data, reader: Reader) -> Moment:
    fields = [field for field in KINDS if data.has(field)]
    if len(fields) != 1:
        raise data.wrong("", f"{data.call('')} needs one of: {', '.join(KINDS)}")
    kind, key = KINDS[fields[0]], text(data, fields[0])
    if reader.game.words("en").holder(kind, key) is None:
        raise data.wrong(fields[0], f"{reader.game.id} has no {kind} {key!r}")
    when = data.take("when") or {}
    good = isinstance(when, Mapping) and all(isinstance(each, int | str) for each in when.values())
    data.check(good, "when", 'arguments: { seat = "me" }')
    after = optional(data, "after", lambda: data.whole("after", 0, 9), 0)
    if after and kind != "event":
        raise data.wrong("after", "only events are counted")
    return Moment(
        id=text(data, "id"),
        kind=kind,
        key=key,
        when=dict(when),
        after=after,
        known=maybe_texts(data, "known"),
        light=reader.light(data),
        say=reader.sentence(data, "say"),
        rules=reader.rules(data),
    )
