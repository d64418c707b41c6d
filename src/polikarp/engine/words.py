"""From phrases to sentences: a game's words in one language, read from a TOML file.

A template is plain text with fields in braces:
  {total}                     the argument itself
  {seat}                      a seat: the name of who sits there, or the names where there are several. Seats are
                              the arguments `seat` and `waits_for`, and those that the file names: [args] seats
  {kind}, {kind.gen}          a term that the file inflects: [term.kind.statue] nom = "…", gen = "…"; several with
                              spaces between them are listed
  {dice|die|dice}             the form that goes with the number, in the language's order of plural forms
  {dice#die|dice}             the same with the number in front: "2 dice"

Polish has three forms (1 kość, 2 kości, 5 kości), English two.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from polikarp.engine.phrase import Arg

PHRASES = Path(__file__).parent / "phrases"
FIELD = re.compile(r"\{(\w+)(?:\.(\w+))?(?:([|#])([^{}]*))?\}")


def plural_form(language: str, number: int) -> int:
    """Which plural form goes with a number: CLDR's rules for whole numbers."""
    if language == "pl":
        if number == 1:
            return 0
        return 1 if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else 2
    return 0 if number == 1 else 1


PLURAL_FORMS = {"pl": 3, "en": 2}


def printable(text: str, most: int = 40) -> str:
    """Text from somebody else, made safe to show on one line: nothing that steers a terminal, and not too long."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])


class Words:
    """One file of words. `say` makes the sentence of a key and its arguments."""

    def __init__(self, tables: Mapping[str, Any], language: str) -> None:
        self.tables = tables
        self.language = language
        self.seat_args = ("seat", "waits_for", *tables.get("args", {}).get("seats", "").split())

    @staticmethod
    @cache
    def load(path: Path, language: str) -> Words:
        """The words of a file, with the engine's own refusals among them."""
        engine = tomllib.loads((PHRASES / f"{language}.toml").read_text("utf-8"))
        tables = tomllib.loads(path.read_text("utf-8"))
        return Words({**tables, "refusal": {**engine["refusal"], **tables.get("refusal", {})}}, language)

    def template(self, group: str, key: str) -> str:
        """The text as it stands in the file, such as group `event`, key `push`."""
        template = self.tables[group][key]
        assert isinstance(template, str)
        return template

    def say(self, group: str, key: str, args: Mapping[str, Arg], names: Sequence[str] = ()) -> str:
        """The sentence, with seats called by the given names."""

        def put(field: re.Match[str]) -> str:
            name, form, joint, variants = field.groups()
            value = args[name]
            if name in self.seat_args:
                seats = value if isinstance(value, tuple) else (int(value),)
                return " + ".join(names[seat] for seat in seats)
            if joint:
                assert isinstance(value, int)
                word: str = variants.split("|")[plural_form(self.language, value)]
                return f"{value} {word}" if joint == "#" else word
            if form or name in self.tables.get("term", {}):
                terms = self.tables["term"][name]
                return ", ".join(terms[each][form or "nom"] for each in str(value).split())
            return str(value)

        template = self.template(group, key)
        sentence = FIELD.sub(put, template)
        opening = FIELD.match(template)
        if opening and opening[1] in self.seat_args:
            return sentence  # a name is written as its owner writes it
        return sentence[:1].upper() + sentence[1:]
