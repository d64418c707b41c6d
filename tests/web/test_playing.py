"""Whole games in real browsers."""

from __future__ import annotations

import random
import re

from playwright.sync_api import Page, expect

from tests.web.conftest import Visit


def play_one_move(page: Page, chance: random.Random) -> None:
    """One legal thing by click: a niche and a cell, or one of the other moves."""
    niches = page.locator(".niche label.can")
    if niches.count() and chance.random() < 0.7:
        niches.nth(chance.randrange(niches.count())).click()
        cells = page.locator(".grid:visible .cell:not(.no)")
        if cells.count():
            cells.nth(chance.randrange(cells.count())).click()
            return
    others = page.locator(".others button")
    if others.count():
        others.nth(chance.randrange(others.count())).click()


def play_to_the_end(pages: list[Page], chance: random.Random) -> None:
    """Everybody plays when it is their turn, until the game is over."""
    for _ in range(600):
        for page in pages:
            if page.get_by_role("button", name=re.compile("Play again|Zagraj jeszcze raz")).count():
                return
            prompt = page.locator(".prompt:not(.wait)")
            if prompt.count():
                before = page.locator("#table").inner_html()
                play_one_move(page, chance)
                page.wait_for_function("before => document.querySelector('#table').innerHTML !== before", arg=before)
    raise AssertionError("the game did not end")


def test_two_browsers_play_a_whole_game(visit: Visit) -> None:
    ana, bo = visit(), visit(language="pl-PL", scheme="dark")
    page = ana.go("/new/crypt")
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Link to this table").input_value()
    other = bo.go(link if link.startswith("http") else f"{ana.url}{link}")
    other.get_by_role("button", name="Usiądź tu").click()
    expect(page.locator("#seat-1 .who b")).not_to_have_text("Free seat")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(other.locator(".crypt")).to_be_visible()
    play_to_the_end([page, other], random.Random(1))
    expect(page.locator(".score").first).to_be_visible()


def test_one_click_and_a_game_with_bots_is_on(visit: Visit) -> None:
    ana = visit()
    page = ana.go("/")
    page.get_by_role("button", name="Play with bots").click()
    expect(page.locator(".crypt")).to_be_visible()
    expect(page.locator(".seat")).to_have_count(3)
    play_to_the_end([page], random.Random(2))
