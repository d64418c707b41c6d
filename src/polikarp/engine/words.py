"""From phrases to sentences (localisation): words in one language, read from a TOML file.

A template is plain text with fields in braces:
  {total}                     the argument itself
  {seat}                      a seat: the name of who sits there, or the names where there are several. Seats are
                              the arguments `seat` and `waits_for`, and those that the file names: [args] seats
  {kind}, {kind.gen}          a term that the file inflects: [term.kind.statue] nom = "…", gen = "…"; several with
                              spaces between them are listed. An argument of another name can be said by the same
                              terms: [args.like] target = "province"
  {dice|die|dice}             the form that goes with the number, in the language's order of plural forms
  {dice#die|dice}             the same with the number in front: "2 dice"

Polish has three forms (1 kość, 2 kości, 5 kości), English two: `engine/languages.py` has more languages.

Nothing that is missing stops anybody: a text that a language does not have is said in English, and one that nobody
wrote is its key in plain words. `docs/adding-a-language.md` tells how files become a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from typing import Any

from polikarp.engine.data import DataError, line_of, read_toml
from polikarp.engine.languages import plural_form
from polikarp.engine.phrase import Arg

PHRASES = Path(__file__).parent / "phrases"
FALLBACK = "en"
UNKNOWN = "?"  # an argument that is not given: older events may say less
FIELD = re.compile(r"\{(\w+)(?:\.(\w+))?(?:([|#])([^{}]*))?\}")


def files_in(folder: Path) -> list[str]:
    """The languages that a folder has files of words in; the one that others fall back to comes last."""
    found = {path.stem for path in folder.glob("*.toml")}
    return sorted(found, key=lambda language: (language == FALLBACK, language))


@cache
def house_languages() -> tuple[str, ...]:
    """The languages that everybody is offered: those that the engine itself speaks. A language gets its file there
    last, when the site is translated; until then it is spoken only where somebody chooses it.
    """
    return tuple(files_in(PHRASES))


def best_language(wanted: str) -> str:
    """The first language of the house out of an Accept-Language header, or of a locale; English where there is none."""
    for part in wanted.split(","):
        tag = re.split(r"[-_.;@]", part.strip().lower())[0]
        if tag in house_languages():
            return tag
    return FALLBACK


def printable(text: str, most: int = 40) -> str:
    """Text from somebody else, made safe to show on one line: nothing that steers a terminal, and not too long."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])


def plain(key: str) -> str:
    """A key in plain words."""
    words = " ".join(re.split(r"[_\W]+", key)).strip()
    return words[:1].upper() + words[1:]


@cache
def fields_of(template: str) -> frozenset[str]:
    """The arguments that a template uses."""
    return frozenset(field[1] for field in FIELD.finditer(template))


class Words:
    """Words in one language. `say` makes the sentence of a key and its arguments."""

    def __init__(self, tables: Mapping[str, Any], language: str, fallback: Words | None = None) -> None:
        self.own = tables
        self.tables: Mapping[str, Any] = tables if fallback is None else merged(fallback.tables, tables)
        self.language = language
        self.fallback = fallback
        self.seat_args = ("seat", "waits_for", *(self.find("args", "seats") or "").split())
        self.like: Mapping[str, str] = self.tables.get("args", {}).get("like", {})

    @staticmethod
    @cache
    def load(folder: Path, language: str) -> Words:
        """The words of a folder, and under them the engine's own. Raises `DataError` if a file can not be read."""
        words: Words | None = None
        for place in (PHRASES, folder):
            for spoken in dict.fromkeys((FALLBACK, language)):
                words = Words(read_words(place / f"{spoken}.toml"), spoken, words)
        assert words is not None
        return words

    def holder(self, group: str, key: str, args: Set[str] | None = None) -> Words | None:
        """Who has this text, and can say all of it with these arguments: these words, or what they fall back to."""
        template = self.own.get(group, {}).get(key)
        if isinstance(template, str) and (args is None or fields_of(template) <= args):
            return self
        return None if self.fallback is None else self.fallback.holder(group, key, args)

    def find(self, *path: str) -> str | None:
        """The text at a place such as `option`, `pace`, `help`; None if nobody wrote it."""
        at: Any = self.tables
        for part in path:
            at = at.get(part) if isinstance(at, Mapping) else None
        return at if isinstance(at, str) else None

    def template(self, group: str, key: str) -> str:
        """The text as it stands in the file, such as group `event`, key `push`."""
        return self.find(group, key) or plain(key)

    def say(self, group: str, key: str, args: Mapping[str, Arg], names: Sequence[str] = ()) -> str:
        """The sentence, with seats called by the given names."""
        holder = self.holder(group, key, args.keys()) or self.holder(group, key)
        if holder is None:
            said = [self.value(name, value, "", names) for name, value in args.items()]
            return f"{plain(key)}: {', '.join(said)}" if said else plain(key)
        return holder.fill(holder.own[group][key], args, names)

    def fill(self, template: str, args: Mapping[str, Arg], names: Sequence[str]) -> str:
        """A template with its arguments put in."""

        def put(field: re.Match[str]) -> str:
            name, form, joint, variants = field.groups()
            value = args.get(name, UNKNOWN)
            if joint and isinstance(value, int):
                forms = variants.split("|")
                word = forms[min(plural_form(self.language, value), len(forms) - 1)]
                return f"{value} {word}" if joint == "#" else word
            return self.value(name, value, form, names)

        sentence = FIELD.sub(put, template)
        opening = FIELD.match(template)
        if opening and opening[1] in self.seat_args:
            return sentence  # a name is written as its owner writes it
        return sentence[:1].upper() + sentence[1:]

    def value(self, name: str, value: Arg, form: str | None, names: Sequence[str]) -> str:
        """An argument as people say it: seats by their names, terms in the form that is asked for."""
        if name in self.seat_args and not isinstance(value, str):
            seats = (value,) if isinstance(value, int) else value
            return " + ".join(names[seat] if 0 <= seat < len(names) else str(seat + 1) for seat in seats)
        kind = self.like.get(name, name)
        if form or kind in self.tables.get("term", {}):
            return ", ".join(self.term(kind, each, form or "nom") for each in str(value).split())
        return str(value)

    def term(self, name: str, value: str, form: str) -> str:
        """A term in one of its forms; in its first, if it is not inflected so."""
        return self.find("term", name, value, form) or self.find("term", name, value, "nom") or plain(value).lower()


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables in one; where both have a text, it is that of `over`."""
    made = dict(under)
    for key, value in over.items():
        below = made.get(key)
        made[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return made


def read_words(path: Path) -> dict[str, Any]:
    """The tables of a file of words; none if there is no such file."""
    if not path.is_file():
        return {}
    tables = read_toml(path)
    for place, value in leaves(tables):
        if not isinstance(value, str) or len(place) == 1:
            right = "a text in quotes" if len(place) > 1 else "a table, such as [event]"
            raise DataError(path, line_of(path, place), f"{'.'.join(place)} is {value!r}; right is {right}")
    return tables


def leaves(tables: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a file of words that is not a table, with its place."""
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def missing(folder: Path, language: str) -> list[str]:
    """The texts that other languages of a folder have and this one has not, such as `event.push`. Terms count as a
    whole: each language has the forms that it needs.
    """
    wanted: dict[str, None] = {}
    for other in files_in(folder):
        wanted |= dict.fromkeys(places(folder / f"{other}.toml"))
    own = places(folder / f"{language}.toml")
    return [place for place in wanted if place not in own]


def places(path: Path) -> list[str]:
    return [".".join(place[:-1] if place[0] == "term" else place) for place, _ in leaves(read_words(path))]
