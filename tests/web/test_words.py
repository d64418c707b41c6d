"""What the pages say: the same keys in both languages, with the same fields, and nothing missing or left over."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from polikarp.engine.languages import LANGUAGES
from polikarp.engine.words import FIELD, files_in
from polikarp.games import all_games
from polikarp.web import render

WEB = Path(render.__file__).parent
FIND = r"""\bfind\(\s*["']page["'],\s*"""


class Voice(NamedTuple):
    """A file of words in every language, and the sources that speak with it."""

    words: Path
    sources: list[Path]
    call: str  # a call with a key: `t("undo")`, or `w("page", "round_of")`
    may: str  # a call with a key that may be missing

    def keys(self, language: str) -> dict[str, str]:
        table: dict[str, str] = tomllib.loads((self.words / f"{language}.toml").read_text("utf-8"))["page"]
        return table

    def texts(self) -> Iterable[str]:
        return (path.read_text("utf-8") for path in self.sources)


def voice_of_the_pages() -> Voice:
    sources = [*WEB.glob("*.py"), *WEB.glob("templates/**/*.html")]
    return Voice(WEB / "words", sources, r"""(?:\bt|\.page)\(\s*""", FIND)


def voices() -> dict[str, Voice]:
    found = {"pages": voice_of_the_pages()}
    for game in all_games().values():
        pages = game.folder / "page"
        if pages.is_dir():
            sources = [*pages.glob("*.html"), WEB / "site.py", *WEB.glob("templates/**/*.html")]
            call = r"""(?:\bw|\.of_game|\.template)\(\s*["']page["'],\s*"""
            found[game.id] = Voice(game.folder / "words", sources, call, FIND)
    return found


VOICES = voices()
every_voice = pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)


def asked(voice: Voice, calls: str) -> tuple[set[str], set[str]]:
    """The keys that the sources name, and the beginnings of keys that are put together (`"status_" ~ status`)."""
    keys: set[str] = set()
    beginnings: set[str] = set()
    for text in voice.texts():
        for call in re.finditer(calls, text):
            said = text[call.end() : call.end() + 160]
            first = re.split(r"[,)]\s*(?:\{|\w+=|$)|\)", said)[0]
            for made, quote, key in re.findall(r"""(f?)(["'])([a-z]\w*(?:_\{.*)?)\2""", first):
                del quote
                if made or re.search(rf"""["']{re.escape(key)}["']\s*~""", first):
                    beginnings.add(key.split("{")[0])
                else:
                    keys.add(key)
    return keys, beginnings


@every_voice
def test_both_languages_have_the_same_keys_and_fields(voice: Voice) -> None:
    fields = {
        language: {key: {field[0] for field in FIELD.findall(text)} for key, text in voice.keys(language).items()}
        for language in files_in(voice.words)
    }
    assert all(one == fields["en"] for one in fields.values())


@every_voice
def test_numbers_have_all_plural_forms(voice: Voice) -> None:
    for language in files_in(voice.words):
        for key, text in voice.keys(language).items():
            for _name, _form, joint, variants in FIELD.findall(text):
                assert not joint or len(variants.split("|")) == LANGUAGES[language].forms, key


@every_voice
def test_every_key_that_is_asked_for_is_there(voice: Voice) -> None:
    keys, beginnings = asked(voice, voice.call)
    known = set(voice.keys("en"))
    assert keys - known == set()
    sure = beginnings - asked(voice, voice.may)[1]  # what a template looks for first may be missing
    assert [one for one in sure if not any(key.startswith(one) for key in known)] == []


@every_voice
def test_every_key_is_used(voice: Voice) -> None:
    keys, beginnings = asked(voice, f"{voice.call}|{voice.may}")
    unused = {key for key in voice.keys("en") if key not in keys and not key.startswith(tuple(beginnings) or ("\0",))}
    assert unused == set()
