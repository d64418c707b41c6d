"""What is known of languages: their names and plural forms. tests/web/test_languages.py asks a browser whether they are
right."""

from __future__ import annotations

import pytest

from polikarp.engine.languages import LANGUAGES, language_name, plural_form


def test_every_language_has_as_many_forms_as_it_says() -> None:
    for code, language in LANGUAGES.items():
        assert {plural_form(code, number) for number in range(200)} == set(range(language.forms)), code
    assert plural_form("xx", 2) == plural_form("en", 2)
    assert (language_name("de"), language_name("xx")) == ("Deutsch", "XX")


@pytest.mark.parametrize(
    ("number", "form"),
    [(0, 2), (1, 0), (2, 1), (4, 1), (5, 2), (12, 2), (14, 2), (21, 2), (22, 1), (25, 2), (112, 2)],
)
def test_polish_plurals(number: int, form: int) -> None:
    assert plural_form("pl", number) == form


def test_english_plurals() -> None:
    assert [plural_form("en", number) for number in (0, 1, 2, 21)] == [1, 0, 1, 1]
