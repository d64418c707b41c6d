"""Melee in real browsers: whole games, its scenes, its map by touch and by key, on a small screen too."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.playing import Guest
from tests.web.at_table import (
    LOG,
    MY_TURN,
    OVER,
    PATIENCE,
    PROMPT,
    UNDO,
    give_cookie,
    let_play,
    log_keys,
    log_of,
    place,
    some,
    started,
    updates,
    wait_for_decision,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit
from tests.web.places import warlike
from tests.web.test_access import violations
from tests.web.test_playing import enter, write_a_move

LIT = ".map g.maybe:visible use.reach"
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
        numbers = page.locator(NUMBER)
        numbers.nth(chance.randrange(min(numbers.count(), 4))).click()
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
    lit_province(page).click()


def lit_province(page: Page) -> Locator:
    lit = page.locator(LIT).first.get_attribute("href") or ""
    return page.locator(f'.tap[value="{lit.removeprefix("#land-")}"]')


def seat_at_one_table(visit: Visit, guests: list[Guest], bots: int, rules: str = "basic") -> list[Page]:
    table = started(*guests, bots=bots, game="melee", options={"rules": rules})
    pages = []
    for number, guest in enumerate(guests):
        visitor = visit(language=("en-GB", "pl-PL")[number], scheme=("light", "dark")[number])
        pages.append(give_cookie(visitor, guest).go(f"/t/{table}"))
    return pages


def table_where(people: list[Guest], wanted: str, rules: str = "basic") -> tuple[str, int]:
    """A table at a moment when one of these people has such a move, and who that is."""

    def has(update: dict[str, Any]) -> bool:
        return any(move.startswith(wanted) for move in update["view"]["moves"])

    choose = warlike(9)
    while True:
        table = started(*people, game="melee", options={"rules": rules})
        let_play(table, people, choose, has)
        found = [number for number, one in enumerate(people) if has(updates(one, table)[0])]
        if found:  # else the game ended before
            return table, found[0]


def play_all(pages: list[Page], chance: random.Random, eager: float) -> None:
    """Everybody plays when it is their turn, until the game is over."""
    while pages[0].locator(OVER).count() == 0:
        for page in pages:
            if page.locator(MY_TURN).count():
                play_something(page, chance, eager)
    for page in pages:
        expect(page.locator(OVER)).to_be_visible(timeout=PATIENCE)


def test_two_browsers_and_two_bots_play_a_whole_game(visit: Visit, guest: NewGuest) -> None:
    pages = seat_at_one_table(visit, [guest(), guest()], bots=2)
    chance = random.Random(4)
    play_all(pages, chance, 0.3)
    assert pages[0].locator(".score td").all_inner_texts() == pages[1].locator(".score td").all_inner_texts()
    lines = log_of(pages[0])
    assert any("wins the first-player card" in line for line in lines)
    assert lines[-1].endswith(("wins.",)) or "shared win" in lines[-1].lower()


def test_two_browsers_play_an_advanced_game_to_the_end(visit: Visit, guest: NewGuest) -> None:
    pages = seat_at_one_table(visit, [guest(), guest()], bots=0, rules="advanced")
    play_all(pages, random.Random(6), 0.4)
    assert pages[0].locator(".score td").all_inner_texts() == pages[1].locator(".score td").all_inner_texts()


def test_one_person_and_three_bots_play_a_basic_game(visit: Visit, guest: NewGuest) -> None:
    pages = seat_at_one_table(visit, [guest()], bots=3)
    play_all(pages, random.Random(7), 0.5)
    expect(pages[0].locator(".score thead th")).to_have_count(4)


def test_a_whole_game_by_keyboard(visit: Visit, guest: NewGuest) -> None:
    (page,) = seat_at_one_table(visit, [guest()], bots=1)
    chance = random.Random(8)
    done = {"provinces": 0, "buttons": 0, "written": 0}
    while wait_for_decision(page):
        before = place(page)
        lit, buttons = page.locator(LIT), page.locator(f"{HAND}, {ACTS}, {CARD}")
        if lit.count() and (not done["provinces"] or chance.random() < 0.5):  # a unit for sale, and where to
            enter(page, lit_province(page))
            done["provinces"] += 1
        elif buttons.count() and chance.random() < 0.8:
            enter(page, some(buttons, chance))
            done["buttons"] += 1
        else:
            write_a_move(page, chance)
            done["written"] += 1
        wait_for_news(page, before)
    assert all(done.values()), done


def test_a_unit_is_seen_to_move(visit: Visit, guest: NewGuest) -> None:
    """A piece that stands elsewhere now glides there, in the map's own measure."""
    people = [guest(), guest()]
    table, seat = table_where(people, "go ")
    visitor = give_cookie(visit(), people[seat])
    visitor.page.emulate_media(reduced_motion="no-preference")
    page = visitor.go(f"/t/{table}")
    page.evaluate("""() => {
      window.glides = [];
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (frames, timing) {
        if (this.dataset.flock) window.glides.push([this.getBoundingClientRect().x, JSON.stringify(frames)]);
        return animate.call(this, frames, timing);
      };
    }""")
    before = place(page)
    page.locator('.hand form:has(input[value^="go "]) button').first.click()
    wait_for_news(page, before)
    assert page.evaluate("() => window.glides.length") >= 1


def test_an_attack_is_a_scene(visit: Visit, guest: NewGuest, axe: str) -> None:
    """The stake is secret until the values are named; then both are shown to both."""
    guests = [guest(), guest()]
    table, seat = table_where(guests, "stake ", rules="advanced")
    attacker, defender = (give_cookie(visit(), guests[at]).go(f"/t/{table}") for at in (seat, 1 - seat))
    expect(attacker.locator(".hand-of.staking .number").first).to_be_visible()
    assert violations(attacker, axe) == []
    before = place(attacker)
    attacker.locator(NUMBER).first.click()
    attacker.locator(SAY).first.click()
    wait_for_news(attacker, before)
    naming = defender.locator(".hand-of.naming .number")
    if any(move.startswith("name ") for move in updates(guests[1 - seat], table)[0]["view"]["moves"]):
        expect(naming.first).to_be_visible()
        expect(attacker.locator(".duel .bet").first).to_contain_text("1")
        expect(defender.locator(".duel .bet").first).to_have_text("?")
        assert violations(defender, axe) == []
        while naming.count():
            known = place(defender)
            defender.locator(NUMBER).last.click()
            defender.locator(SAY).first.click()
            wait_for_news(defender, known)
    told = [[line["key"] for line in updates(one, table)[0]["log"]] for one in guests]
    assert all(set(keys) & {"named_right", "named_wrong"} for keys in told), "both were told how it went"


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
    lit_province(page).focus()
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


def two_in_the_castle(update: dict[str, Any]) -> str:
    """Recruit a knight beside the soldier in the castle, and attack."""
    moves: list[str] = update["view"]["moves"]
    first = ("recruit knight at R0", "recruit knight at B0", "pass", "bid 0", "lead R", "choose attack")
    return next(move for move in first if move in moves)


@pytest.mark.parametrize("way", ["mouse", "finger", "key"])
def test_every_unit_of_a_province_can_be_picked_on_the_map(visit: Visit, guest: NewGuest, way: str) -> None:
    """Red has a soldier and a knight in the castle: each is picked where it stands."""
    people = [guest(), guest()]
    table = started(*people, game="melee")
    let_play(table, people, two_in_the_castle, lambda update: "use knight at R0" in update["view"]["moves"])
    red = next(one for one in people if updates(one, table)[0]["view"]["moves"])
    visitor = visit(width=360, height=640, touch=True) if way == "finger" else visit()
    page = give_cookie(visitor, red).go(f"/t/{table}")
    for unit, says in (("knight", "Knight in R0"), ("soldier", "Soldier in R0")):
        expect(page.locator(f'.map .tap[value="use {unit} at R0"]')).to_be_visible()
        before = place(page)
        if way == "key":
            enter(page, page.locator(".map").get_by_role("button", name=f"R0: use the {unit}"))
        else:
            box = page.locator(f'.map [data-flock^="{unit}-"][data-at="R0"] .stand').bounding_box()
            assert box is not None
            (page.mouse.click if way == "mouse" else page.touchscreen.tap)(
                box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            )
        wait_for_news(page, before)
        expect(page.locator(PROMPT)).to_contain_text(says)
        before = place(page)
        page.locator(UNDO).get_by_role("button").click()
        wait_for_news(page, before)


FOR_SALE = ".buying input:checked"


@pytest.mark.parametrize("rules", ["basic", "advanced"])
def test_enter_does_not_give_the_preliminary_phase_up(visit: Visit, guest: NewGuest, rules: str) -> None:
    """Focus starts with the units for sale. Enter goes on to a province that can be had, Enter there recruits, and
    who takes that back has not come to Pass."""
    people = [guest(), guest()]
    table = started(*people, game="melee", options={"rules": rules})
    player = next(one for one in people if updates(one, table)[0]["view"]["moves"])
    page = give_cookie(visit(), player).go(f"/t/{table}")
    expect(page.locator(FOR_SALE)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".tap.takes-knight:focus")).to_have_count(1)
    assert "pass" not in log_keys(player, table)
    before = place(page)
    page.keyboard.press("Enter")
    wait_for_news(page, before)
    assert log_keys(player, table)[-1] == "recruit"
    before = place(page)
    enter(page, page.locator(UNDO).get_by_role("button"))
    wait_for_news(page, before)
    expect(page.locator(FOR_SALE)).to_be_focused()
    page.keyboard.press("Enter")
    assert "pass" not in log_keys(player, table)


def test_a_stake_is_chosen_and_made_by_keys(visit: Visit, guest: NewGuest) -> None:
    """Focus starts with the numbers; Enter goes on to the button, so that no single key stakes anything."""
    people = [guest(), guest()]
    table, seat = table_where(people, "stake ")
    page = give_cookie(visit(), people[seat]).go(f"/t/{table}")
    expect(page.locator(".number input:checked")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(SAY).first).to_be_focused()
    assert log_keys(people[seat], table)[-1] == "attack"
    before = place(page)
    page.keyboard.press("Enter")
    wait_for_news(page, before)
    assert "your_stake" in log_keys(people[seat], table)


# What a name on the map stands over, besides its own land.
COVERED = """() => [...document.querySelectorAll('.map .name')].flatMap(name => {
  const box = name.getBoundingClientRect();
  const over = one => one.left < box.right && one.right > box.left && one.top < box.bottom && one.bottom > box.top;
  const things = [...document.querySelectorAll('.map :is(.stand, .tower, .tag-of rect)')];
  return things.filter(one => over(one.getBoundingClientRect())).map(one => `${name.textContent}: ${one.outerHTML}`);
})"""
OUTSIDE = """() => [...document.querySelectorAll('.map .name')].filter(name => {
  const box = name.getBoundingClientRect();
  const places = {Pieskowe: 'mountains', Jezioro: 'lake', Czarnolas: 'forest'};
  const kind = Object.entries(places).find(([word]) => name.textContent.startsWith(word))[1];
  const land = document.querySelector(`.ground.${kind}`).getBoundingClientRect();
  return box.left < land.left || box.right > land.right || box.top < land.top || box.bottom > land.bottom;
}).map(name => name.textContent)"""


@pytest.mark.parametrize(
    ("seats", "names"), [(2, "Skały Czarsztyńskie"), (3, "Skały"), (4, "Skały Czarsztyńskie Czarnolas")]
)
def test_the_names_on_the_map_fit(visit: Visit, guest: NewGuest, seats: int, names: str) -> None:
    """On every board, on screens from a small phone to a wide one: inside their lands, and over nothing else."""
    person = guest()
    table = started(person, bots=seats - 1, game="melee")
    visitor = give_cookie(visit(), person)
    page = visitor.go(f"/t/{table}")
    wait_for_decision(page)
    for width, height in ((360, 640), (360, 740), (768, 1024), (1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        shown = page.locator(".map .name tspan:last-child").all_text_contents()
        assert sorted(shown) == sorted(names.split())
        assert page.evaluate(COVERED) == [], (width, height)
        assert page.evaluate(OUTSIDE) == [], (width, height)
