"""The server's words: both languages say the same things, and everything that is said has words."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import polikarp.server
from polikarp.engine.languages import LANGUAGES
from polikarp.engine.words import FIELD, house_languages, read_words
from polikarp.server.denied import WORDS
from polikarp.server.table.document import CLOSED, DEALING, HALTED, OPEN, OVER, PLAYING

HOUSE = Path(polikarp.server.__file__).parents[1]
SOURCES = sorted([*HOUSE.rglob("server/**/*.py"), *HOUSE.glob("web/*.py")])


def said() -> dict[str, set[str]]:
    """Every refusal that the code of server and pages names, with its arguments."""
    found: dict[str, set[str]] = {f"stage_{stage}": set() for stage in (OPEN, DEALING, PLAYING, OVER, CLOSED, HALTED)}
    found |= {f"slap_{outcome}": set() for outcome in ("later", "lower", "order", "second", "old", "impossible")}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Denied":
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    given = node.args[1] if len(node.args) > 1 else None
                    keys = given.keys if isinstance(given, ast.Dict) else []
                    names = {
                        str(one.value) for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)
                    }
                    assert isinstance(key.value, str)
                    assert found.setdefault(key.value, names) == names, f"{key.value} has different arguments"
    return found


def fields(template: str) -> set[str]:
    return {match[1] for match in FIELD.finditer(template)}


@pytest.mark.parametrize("language", house_languages())
def test_every_refusal_has_words_and_every_word_is_used(language: str) -> None:
    own = read_words(WORDS / f"{language}.toml")["refusal"]
    routed = {"no_such_page", "wrong_method", "internal"}  # chosen by status
    assert set(own) == set(said()) | routed
    for key, names in said().items():
        assert fields(own[key]) == names, key


@pytest.mark.parametrize("language", house_languages())
def test_plurals_have_the_forms_of_the_language(language: str) -> None:
    for group in ("refusal", "event", "word"):
        for key, template in read_words(WORDS / f"{language}.toml")[group].items():
            for match in FIELD.finditer(template):
                if match[3]:
                    assert len(match[4].split("|")) == LANGUAGES[language].forms, key


def test_languages_have_the_same_texts() -> None:
    first, *others = (read_words(WORDS / f"{language}.toml") for language in house_languages())
    for group in ("refusal", "event", "word"):
        assert all(list(other[group]) == list(first[group]) for other in others)
