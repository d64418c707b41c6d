"""Melee in real browsers: whole games, its scenes, its map by touch and by key, on a small screen too."""

from __future__ import annotations

import random

from playwright.sync_api import Page, expect

from tests.server.playing import Guest
from tests.web.at_table import (
    LOG,
    MY_TURN,
    OVER,
    PATIENCE,
    PROMPT,
    UNDO,
    give_cookie,
    log_of,
    place,
    started,
    wait_for_decision,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit
from tests.web.test_access import violations

TAP = ".tap:not([aria-disabled])"
UNIT = ".buy:not(.no)"
NUMBER = ".number"
SAY = ".numbers .button"
CARD = ".cards .action"
ACTS = ".prompt .others button"
HAND = ".hand .others button"


def phase(page: Page) -> str:
    """What the game waits for at this screen."""
    shown = page.locator(".hand-of").get_attribute("class") or ""
    return shown.split()[-1]


def play_something(page: Page, chance: random.Random, eager: float = 0.7) -> None:
    """One move by what the page offers: numbers, cards, units, provinces, or a button that ends something."""
    before = place(page)
    if page.locator(NUMBER).count():
        some = page.locator(NUMBER)
        some.nth(chance.randrange(min(some.count(), 4))).click()
        page.locator(SAY).first.click()
    elif page.locator(CARD).count():
        page.locator(CARD).nth(chance.randrange(page.locator(CARD).count())).click()
    elif page.locator(UNIT).count() and chance.random() < eager:
        page.locator(UNIT).nth(chance.randrange(page.locator(UNIT).count())).click()
        recruit_there(page)
    elif page.locator(HAND).count() and (chance.random() < eager or not page.locator(ACTS).count()):
        page.locator(HAND).nth(chance.randrange(page.locator(HAND).count())).click()
    else:
        page.locator(ACTS).first.click()
    wait_for_news(page, before)


def recruit_there(page: Page) -> None:
    """Tap the first province that is lit for the chosen unit."""
    lit = page.locator(".map g.maybe:visible use.reach").first.get_attribute("href") or ""
    page.locator(f'.tap[value="{lit.removeprefix("#land-")}"]').click()


def seat_at_one_table(visit: Visit, guests: list[Guest], bots: int, rules: str = "basic") -> list[Page]:
    table = started(*guests, bots=bots, game="melee", options={"rules": rules})
    pages = []
    for number, guest in enumerate(guests):
        visitor = visit(language=("en-GB", "pl-PL")[number], scheme=("light", "dark")[number])
        pages.append(give_cookie(visitor, guest).go(f"/t/{table}"))
    return pages


def test_two_browsers_and_two_bots_play_a_whole_game(visit: Visit, guest: NewGuest) -> None:
    pages = seat_at_one_table(visit, [guest(), guest()], bots=2)
    chance = random.Random(4)
    while pages[0].locator(OVER).count() == 0:
        for page in pages:
            if page.locator(MY_TURN).count():
                play_something(page, chance, eager=0.3)
    for page in pages:
        expect(page.locator(OVER)).to_be_visible(timeout=PATIENCE)
    assert pages[0].locator(".score td").all_inner_texts() == pages[1].locator(".score td").all_inner_texts()
    lines = log_of(pages[0])
    assert any("wins the first-player card" in line for line in lines)
    assert lines[-1].endswith(("wins.",)) or "shared win" in lines[-1].lower()


def until_phase(page: Page, wanted: str, chance: random.Random) -> None:
    """Play on until this is asked."""
    while wait_for_decision(page) and phase(page) != wanted:
        play_something(page, chance)


def test_an_attack_is_a_scene(visit: Visit, guest: NewGuest, axe: str) -> None:
    """The stake is secret until the values are named; then both are shown to both."""
    guests = [guest(), guest()]
    attacker, defender = seat_at_one_table(visit, guests, bots=0, rules="advanced")
    chance = random.Random(1)
    staking = ".hand-of.staking .number"
    while not attacker.locator(staking).count() and not defender.locator(staking).count():
        for page in (attacker, defender):
            if page.locator(MY_TURN).count() and not page.locator(staking).count():
                play_something(page, chance)
    if defender.locator(staking).count():
        attacker, defender = defender, attacker
    assert violations(attacker, axe) == []
    before = place(attacker)
    attacker.locator(NUMBER).first.click()
    attacker.locator(SAY).first.click()
    wait_for_news(attacker, before)
    if defender.locator(MY_TURN).count() and defender.locator(".hand-of.naming").count():
        expect(attacker.locator(".duel .bet").first).to_contain_text("1")
        expect(defender.locator(".duel .bet").first).to_have_text("?")
        assert violations(defender, axe) == []
        while defender.locator(".hand-of.naming .number").count():
            known = place(defender)
            defender.locator(NUMBER).last.click()
            defender.locator(SAY).first.click()
            wait_for_news(defender, known)
    expect(defender.locator(".duel .outcome, .score").first).to_be_visible()


def test_a_phone_shows_the_whole_map(visit: Visit, guest: NewGuest, axe: str) -> None:
    """At 360 px nothing scrolls sideways, every province can be tapped, and the page passes the checker."""
    person = guest()
    table = started(person, bots=3, game="melee")
    visitor = visit(width=360, height=740, touch=True)
    page = give_cookie(visitor, person).go(f"/t/{table}")
    wait_for_decision(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = page.locator(".tap").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(r => [r.width, r.height])"
    )
    assert len(sizes) == 15
    assert min(width for width, _ in sizes) >= 40
    assert min(height for _, height in sizes) >= 30
    page.locator(UNIT).first.tap()
    before = page.locator(LOG).count()
    recruit_there(page)
    expect(page.locator(LOG)).not_to_have_count(before)
    assert violations(page, axe) == []


def test_by_key_and_back_again(visit: Visit, guest: NewGuest) -> None:
    """Provinces are buttons: a key presses them, and Undo takes the step back."""
    person, other = guest(), guest()
    table = started(person, other, game="melee")
    pages = [give_cookie(visit(), one).go(f"/t/{table}") for one in (person, other)]
    page = pages[0] if pages[0].locator(MY_TURN).count() else pages[1]
    page.locator('.tap[value$="1"]').first.focus()
    before = place(page)
    page.keyboard.press("Enter")
    wait_for_news(page, before)
    expect(page.locator(".prompt.wait")).to_be_visible()
    page.locator(UNDO).get_by_role("button").click()
    expect(page.locator(PROMPT)).to_contain_text("Recruit one unit")
    page.keyboard.press("d")
    expect(page.locator(".prompt.wait")).to_be_visible()


def test_what_can_not_be_done_says_why(visit: Visit, guest: NewGuest) -> None:
    """Tapping a province that a knight can not stand in names the rule."""
    person, other = guest(), guest()
    table = started(person, other, game="melee")
    pages = [give_cookie(visit(), one).go(f"/t/{table}") for one in (person, other)]
    page = pages[0] if pages[0].locator(MY_TURN).count() else pages[1]
    page.locator('label[for="unit-knight"]').click()
    page.locator('.tap[value="M"]').click()
    expect(page.locator("#bubble")).to_contain_text("melee.34")
