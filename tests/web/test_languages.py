"""Plural forms as the browser knows them: it has CLDR's rules."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from polikarp.engine.languages import LANGUAGES

ORDER = ("zero", "one", "two", "few", "many", "other")
NUMBERS = [*range(201), 1000, 1001, 1002, 1005, 1011]
ASK = "([code, numbers]) => numbers.map((number) => new Intl.PluralRules(code).select(number))"


@pytest.fixture(scope="module")
def browser_says(chromium: Browser) -> dict[str, list[str]]:
    page = chromium.new_page()
    return {code: page.evaluate(ASK, [code, NUMBERS]) for code in LANGUAGES}


@pytest.mark.parametrize("code", LANGUAGES)
def test_plural_forms_are_those_of_cldr(browser_says: dict[str, list[str]], code: str) -> None:
    said = browser_says[code]
    forms = [form for form in ORDER if form in said]
    assert [LANGUAGES[code].which(number) for number in NUMBERS] == [forms.index(form) for form in said]
    assert LANGUAGES[code].forms == len(forms)
