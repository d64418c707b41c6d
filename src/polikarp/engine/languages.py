"""What is known of languages before anybody writes a word in them: their own names, and their plural forms by CLDR.

A language that is missing here counts as English does. To add one is to add a line: Unicode's chart of plural rules
(https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html) has the rule for whole numbers,
and a test asks the browser whether it is right. Forms come in CLDR's order: zero, one, two, few, many, other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Language(NamedTuple):
    """`which` of its plural `forms` goes with a number, counted from 0."""

    name: str
    forms: int
    which: Callable[[int], int]


def always(number: int) -> int:
    return 0


def one(number: int) -> int:
    """1 dog, 0 dogs, 2 dogs."""
    return 0 if number == 1 else 1


def up_to_one(number: int) -> int:
    """0 chien, 1 chien, 2 chiens."""
    return 0 if number < 2 else 1


def czech(number: int) -> int:
    """1 pes, 2 psi, 5 psů."""
    return 0 if number == 1 else 1 if 2 <= number <= 4 else 2


def polish(number: int) -> int:
    """1 kość, 2 kości, 5 kości, 22 kości, 21 kości."""
    return 0 if number == 1 else 1 if few(number) else 2


def russian(number: int) -> int:
    """1 кость, 21 кость, 2 кости, 5 костей."""
    return 0 if number % 10 == 1 and number % 100 != 11 else 1 if few(number) else 2


def few(number: int) -> bool:
    return number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14)


def lithuanian(number: int) -> int:
    if 11 <= number % 100 <= 19 or number % 10 == 0:
        return 2
    return 0 if number % 10 == 1 else 1


def latvian(number: int) -> int:
    if 11 <= number % 100 <= 19 or number % 10 == 0:
        return 0
    return 1 if number % 10 == 1 else 2


def romanian(number: int) -> int:
    return 0 if number == 1 else 1 if number == 0 or 1 <= number % 100 <= 19 else 2


def slovenian(number: int) -> int:
    return {1: 0, 2: 1, 3: 2, 4: 2}.get(number % 100, 3)


LANGUAGES = {
    "be": Language("Беларуская", 3, russian),
    "bg": Language("Български", 2, one),
    "cs": Language("Čeština", 3, czech),
    "da": Language("Dansk", 2, one),
    "de": Language("Deutsch", 2, one),
    "el": Language("Ελληνικά", 2, one),
    "en": Language("English", 2, one),
    "eo": Language("Esperanto", 2, one),
    "es": Language("Español", 2, one),
    "et": Language("Eesti", 2, one),
    "fi": Language("Suomi", 2, one),
    "fr": Language("Français", 2, up_to_one),
    "hr": Language("Hrvatski", 3, russian),
    "hu": Language("Magyar", 2, one),
    "it": Language("Italiano", 2, one),
    "ja": Language("日本語", 1, always),
    "lt": Language("Lietuvių", 3, lithuanian),
    "lv": Language("Latviešu", 3, latvian),
    "nb": Language("Norsk", 2, one),
    "nl": Language("Nederlands", 2, one),
    "pl": Language("Polski", 3, polish),
    "pt": Language("Português", 2, up_to_one),
    "ro": Language("Română", 3, romanian),
    "ru": Language("Русский", 3, russian),
    "sk": Language("Slovenčina", 3, czech),
    "sl": Language("Slovenščina", 4, slovenian),
    "sr": Language("Српски", 3, russian),
    "sv": Language("Svenska", 2, one),
    "tr": Language("Türkçe", 2, one),
    "uk": Language("Українська", 3, russian),
    "zh": Language("中文", 1, always),
}


def plural_form(language: str, number: int) -> int:
    """Which plural form goes with a number, counted from 0."""
    return LANGUAGES.get(language, LANGUAGES["en"]).which(abs(number))


def language_name(language: str) -> str:
    """What a language calls itself."""
    return LANGUAGES[language].name if language in LANGUAGES else language.upper()
