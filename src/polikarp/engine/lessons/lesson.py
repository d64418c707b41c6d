"""A lesson as data: a position, sentences in several languages, and what the pupil does about each of them.

Read from a TOML file and checked as far as that needs no playing; `walk.py` plays a lesson, `check.py` plays all of it.
`docs/lessons.md` explains the fields. A mistake is a `DataError` that names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from polikarp.engine.data import Data, DataError, line_of, read_data
from polikarp.engine.game import Game
from polikarp.engine.lessons.claims import PATH, Claim, fits
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.words import FALLBACK, Words

Sentence = Mapping[str, str]  # by language
Made = TypeVar("Made")

MOST_WORDS = 17  # of a sentence
READS = 110  # words a minute, of a child of ten
SLOWEST, QUICKEST = 60, 300  # words a minute that somebody may read
LONGEST = 300  # seconds
NAMES = ("Mira", "Jagna", "Bolek", "Ziemowit", "Ludka", "Gniewko", "Dobrawa", "Witek")  # by seat: who lessons speak of

# What any table has. A game names its own parts in `lessons/roles.toml`.
ROLES = ("seat ?", "seats", "round", "score", "button *")

FIELD = re.compile(r"\{(\w+)\.(\w+)(?:\.(\w+))?\}")
MARK = re.compile(r"[.!?…][”\"»]?$")
RULE = re.compile(r"^\*\*([a-z]+\.[\w.]+)\*\*", re.MULTILINE)


class Move(NamedTuple):
    """A move that is written down: of another seat, or of the pupil where there is nothing to choose. `after`: seconds
    until it comes by itself."""

    by: int
    move: str
    draws: tuple[int, ...] = ()
    after: float = 0


class Effect(msgspec.Struct, frozen=True):
    """What a move of the pupil leads to: its draws, the answers to it, events that are told, what holds afterwards."""

    draws: tuple[int, ...]
    then: tuple[Move, ...]
    tells: tuple[str, ...]
    holds: tuple[Claim, ...]


class Way(msgspec.Struct, frozen=True):
    """Moves that lead on. `reply` is said when the move is on the table, `outcome` when everything has come to rest."""

    moves: tuple[str, ...]
    effect: Effect
    reply: Sentence | None
    outcome: Sentence | None
    line: int


class Wrong(msgspec.Struct, frozen=True):
    """Legal moves that do not lead on. With `play` they are made, seen and taken back."""

    moves: tuple[str, ...]
    effect: Effect
    play: bool
    say: Sentence
    line: int


class Barred(msgspec.Struct, frozen=True):
    """Moves that the rules refuse, for which rule and with which key."""

    moves: tuple[str, ...]
    rule: str
    key: str
    say: Sentence
    line: int


class Rival(msgspec.Struct, frozen=True):
    """A move that another seat makes unless the pupil has acted; then the step begins anew."""

    move: Move
    tells: tuple[str, ...]
    say: Sentence
    line: int


class Step(msgspec.Struct, frozen=True):
    """One sentence and what the pupil does about it; without `ways` it is read, and that is all."""

    say: Sentence
    light: tuple[str, ...]
    holds: tuple[Claim, ...]
    auto: tuple[Move, ...]
    rival: Rival | None
    ways: tuple[Way, ...]
    wrong: tuple[Wrong, ...]
    barred: tuple[Barred, ...]
    line: int


class Lesson(msgspec.Struct, frozen=True):
    """A lesson of a game. `core`: everybody does it before the first game. `deal` has the draws of the deal."""

    game: Game
    path: Path
    title: Sentence
    core: bool
    seconds: int
    reads: int  # words a minute
    rules: tuple[str, ...]
    pupil: int
    seats: int
    options: Mapping[str, OptionValue]
    deal: tuple[int, ...]
    before: tuple[Move, ...]
    before_line: int
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def names(self) -> tuple[str, ...]:
        """Who sits on the seats; the pupil is the first of them, if nothing else is said."""
        return NAMES[: self.seats]

    @property
    def languages(self) -> list[str]:
        return list(self.title)


def say(game: Game, sentence: Sentence, language: str) -> str:
    """A sentence in a language, English if it has none there, with the words of the game that it names put in."""
    spoken = language if language in sentence else FALLBACK
    words = game.words(spoken)
    return FIELD.sub(lambda field: named(words, field) or field[0], sentence[spoken])


def named(words: Words, field: re.Match[str]) -> str | None:
    """A word that a sentence names: `{page.move_done}` a text, `{action.tax}` a term, `{action.tax.gen}` its form."""
    group, key, form = field.groups()
    return (None if form else words.find(group, key)) or words.find("term", group, key, form or "nom")


def count_words(text: str) -> int:
    return len(text.split())


@cache
def rule_numbers(game: Game) -> frozenset[str]:
    """The numbers of all rules in the rulebook."""
    return frozenset(RULE.findall(game.rulebook(FALLBACK)))


@cache
def roles_of(game: Game) -> tuple[str, ...]:
    """Patterns of all that lessons of a game can light."""
    path = game.folder / "lessons" / "roles.toml"
    return (*ROLES, *read_roles(path)) if path.is_file() else ROLES


def read_roles(path: Path) -> tuple[str, ...]:
    data = read_data(path)
    data.take("game")  # for who checks the file alone
    roles = texts(data, "roles")
    data.finish()
    return roles


def read_lesson(path: Path, game: Game) -> Lesson:
    """The lesson in a file. Raises `DataError` at the first mistake that can be seen without playing."""
    data = read_data(path)
    data.choice("game", [game.id])
    reader = Reader(game, read_title(data))
    seats, options, deal = read_start(data, game)
    pupil = optional(data, "pupil", lambda: data.whole("pupil", 0, seats - 1), 0)
    lesson = Lesson(
        game=game,
        path=path,
        title=reader.title,
        core=flag(data, "core"),
        seconds=data.whole("seconds", 5, LONGEST),
        reads=optional(data, "reads", lambda: data.whole("reads", SLOWEST, QUICKEST), READS),
        rules=reader.rules(data),
        pupil=pupil,
        seats=seats,
        options=options,
        deal=tuple(deal),
        before=read_moves(data, "start.before"),
        before_line=line(data, "start.before"),
        steps=tuple(reader.step(each) for each in data.tables("step")),
    )
    data.finish()
    return lesson


def read_title(data: Data) -> Sentence:
    """The title: its languages are those of the lesson."""
    title = data.take("title")
    good = isinstance(title, Mapping) and bool(title) and all(isinstance(text, str) for text in title.values())
    data.check(good, "title", 'a title in each language: { en = "…", pl = "…" }')
    if FALLBACK not in title:
        raise data.wrong("title", f"the title has no words in {FALLBACK}, which others fall back to")
    return dict(title)


def read_start(data: Data, game: Game) -> tuple[int, dict[str, OptionValue], list[int]]:
    """Seats, options, and the draws of the deal that the stack asks for."""
    seats = data.whole("start.seats", game.seats[0], game.seats[-1])
    options = data.take("start.options") or {}
    data.check(isinstance(options, Mapping), "start.options", "a table of options")
    try:
        chosen = read_options(game.options, options)
        game.blank(seats, chosen)
    except UsageError as mistake:
        raise data.wrong("start.options", str(mistake)) from None
    stack = data.table("start.stack") if data.has("start.stack") else Data({}, data.path)
    try:
        return seats, dict(options), game.stack(seats, chosen, stack)
    except DataError:
        raise
    except UsageError as mistake:
        raise data.wrong("start.stack", f"the deal is not possible: {mistake}") from None


class Reader:
    """Reads what has sentences in it, in the languages of a title."""

    def __init__(self, game: Game, title: Sentence) -> None:
        self.game = game
        self.title = title
        self.roles = roles_of(game)

    def sentence(self, data: Data, name: str) -> Sentence:
        """A sentence in every language, not too long, with words that exist."""
        given = data.take(name)
        good = isinstance(given, Mapping) and all(isinstance(text, str) and text for text in given.values())
        data.check(good, name, 'a sentence in each language: { en = "…", pl = "…" }')
        if missing := [language for language in self.title if language not in given]:
            raise data.wrong(name, f"{data.call(name)} has no words in {', '.join(missing)}")
        for language, text in given.items():
            self.check_text(data, name, language, text)
        return dict(given)

    def check_text(self, data: Data, name: str, language: str, text: str) -> None:
        if language not in self.title:
            raise data.wrong(name, f"{data.call(name)} has words in {language}, but the title has none")
        words = self.game.words(language)
        for field in FIELD.finditer(text):
            if named(words, field) is None:
                raise data.wrong(name, f"{data.call(name)} names {field[0]}, which {self.game.id} has no words for")
        said = say(self.game, {FALLBACK: "", language: text}, language)
        if "{" in said or not MARK.search(said):
            raise data.wrong(name, f"{data.call(name)} in {language} does not end as a sentence does: {said!r}")
        if count_words(said) > MOST_WORDS:
            too_long = f"{data.call(name)} in {language} has {count_words(said)} words; right is at most {MOST_WORDS}"
            raise data.wrong(name, too_long)

    def maybe(self, data: Data, name: str) -> Sentence | None:
        return self.sentence(data, name) if data.has(name) else None

    def rules(self, data: Data) -> tuple[str, ...]:
        """Rules that are taught, which the rulebook must have."""
        rules = texts(data, "rules")
        for rule in rules:
            if rule not in rule_numbers(self.game):
                raise data.wrong("rules", f"there is no rule {rule!r} in the rulebook of {self.game.id}")
        return rules

    def light(self, data: Data) -> tuple[str, ...]:
        """Parts of the table that are lit, by their roles."""
        light = maybe_texts(data, "light")
        for role in light:
            if not fits(role, self.roles):
                known = ", ".join(self.roles)
                raise data.wrong("light", f"{data.call('light')} names {role!r}, but the roles are: {known}")
        return light

    def step(self, data: Data) -> Step:
        return Step(
            say=self.sentence(data, "say"),
            light=self.light(data),
            holds=read_claims(data),
            auto=read_moves(data, "auto"),
            rival=self.rival(data.table("rival")) if data.has("rival") else None,
            ways=tuple(self.way(each) for each in rows(data, "do")),
            wrong=tuple(self.wrong(each) for each in rows(data, "wrong")),
            barred=tuple(self.barred(each) for each in rows(data, "refused")),
            line=line(data, ""),
        )

    def way(self, data: Data) -> Way:
        return Way(
            texts(data, "moves"),
            read_effect(data),
            self.maybe(data, "reply"),
            self.maybe(data, "outcome"),
            line(data, ""),
        )

    def wrong(self, data: Data) -> Wrong:
        play = flag(data, "play")
        if not play and any(data.has(name) for name in ("draws", "then", "tells", "holds")):
            raise data.wrong("", f"{data.call('')} is not played, so nothing follows it; add play = true")
        return Wrong(texts(data, "moves"), read_effect(data), play, self.sentence(data, "say"), line(data, ""))

    def barred(self, data: Data) -> Barred:
        rule, key = text(data, "rule"), text(data, "key")
        return Barred(texts(data, "moves"), rule, key, self.sentence(data, "say"), line(data, ""))

    def rival(self, data: Data) -> Rival:
        return Rival(read_move(data), maybe_texts(data, "tells"), self.sentence(data, "say"), line(data, ""))


def read_effect(data: Data) -> Effect:
    tells = maybe_texts(data, "tells")
    return Effect(read_draws(data), read_moves(data, "then"), tells, read_claims(data))


def read_claims(data: Data) -> tuple[Claim, ...]:
    claims = data.take("holds") or {}
    data.check(isinstance(claims, Mapping), "holds", 'claims about the view: { "board.round" = 2 }')
    for path in claims:
        if not PATH.fullmatch(path):
            raise data.wrong("holds", f"{data.call('holds')}: {path!r} is no path; they look like board.crypt[0].shows")
    return tuple(Claim(path, value, line(data, "holds")) for path, value in claims.items())


def read_moves(data: Data, name: str) -> tuple[Move, ...]:
    return tuple(read_move(each) for each in rows(data, name))


def read_move(data: Data) -> Move:
    after = data.take("after")
    data.check(after is None or isinstance(after, int | float), "after", "a number of seconds")
    return Move(data.whole("by", 0, 15), text(data, "move"), read_draws(data), float(after or 0))


def read_draws(data: Data) -> tuple[int, ...]:
    return tuple(optional(data, "draws", lambda: data.row("draws", 1, 99, 0, 999), []))


def rows(data: Data, name: str) -> list[Data]:
    return data.tables(name) if data.has(name) else []


def text(data: Data, name: str) -> str:
    given = data.take(name)
    data.check(isinstance(given, str) and bool(given), name, "a text in quotes")
    return str(given)


def texts(data: Data, name: str) -> tuple[str, ...]:
    given = data.take(name)
    good = isinstance(given, list) and all(isinstance(each, str) and each for each in given)
    data.check(good, name, 'a list of texts: ["…", "…"]')
    return tuple(given)


def maybe_texts(data: Data, name: str) -> tuple[str, ...]:
    return texts(data, name) if data.has(name) else ()


def flag(data: Data, name: str) -> bool:
    given = data.take(name)
    data.check(given in (None, True, False), name, "true or false")
    return bool(given)


def optional(data: Data, name: str, read: Callable[[], Made], other: Made) -> Made:
    return read() if data.has(name) else other


def line(data: Data, name: str) -> int:
    """The line of a place, to be named when playing finds a mistake there."""
    place = (*data.place, *(name.split(".") if name else ()))
    return line_of(data.path, place) if data.path else 0


def game_named(path: Path) -> str:
    """The game that a file of lessons says it is for."""
    return text(read_data(path), "game")
