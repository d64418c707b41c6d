"""Factions in the browser: chosen when sitting down, changed until the start, and how a table looks then (gold.6)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.playing import Guest
from tests.web.at_table import OVER, at_random, give_cookie, let_play, started, updates
from tests.web.conftest import NewGuest, Visit
from tests.web.forms import Form, PageForms
from tests.web.test_access import NAMELESS, OUTSIDE, violations
from tests.web.test_pages import Read
from tests.web.test_pages import read as read

LOOKS = {  # the colour of each faction
    "dragons": "red", "insects": "yellow", "trolls": "green", "beasts": "blue", "undead": "violet", "demons": "night",
}  # fmt: skip
POLISH = ["Smoki", "Insekty", "Trolle", "Bestie oceaniczne", "Nieumarli", "Demony"]


def choice(page: Page, seat: int, faction: str) -> Locator:
    return page.locator(f"#factions-{seat} button[value='{faction}']")


def shows(page: Page, seat: int, colour: str, name: str) -> None:
    """A seat has the emblem's colour and the name of its faction."""
    expect(page.locator(f"#figure-{seat} .token")).to_have_class(re.compile(rf"\bseat-{colour}\b"))
    expect(page.locator(f"#seat-{seat}")).to_contain_text(name)


def test_a_faction_is_chosen_when_sitting_down_and_changed_until_the_start(visit: Visit, guest: NewGuest) -> None:
    """gold.6: one is chosen with the seat, another by its emblem; nobody gets one that somebody else chose."""
    ana, bo = guest(), guest()
    table = ana.table(game="gold", seats=3)
    here, there = (give_cookie(visit(language="pl-PL"), one).go(f"/t/{table}") for one in (ana, bo))
    shows(here, 0, "red", "Smoki")
    there.locator("#faction-1").select_option("undead")
    there.locator("#seating-1 button").first.click()
    for page in (here, there):
        shows(page, 1, "violet", "Nieumarli")
    choice(here, 0, "beasts").click()
    for page in (here, there):
        shows(page, 0, "blue", "Bestie oceaniczne")
    expect(choice(here, 0, "beasts")).to_have_attribute("aria-pressed", "true")
    expect(here.locator("#faction-2 option")).to_have_text(["Dowolna frakcja", "Smoki", "Insekty", "Trolle", "Demony"])
    choice(there, 1, "beasts").click(force=True)
    expect(there.locator("#bubble")).to_contain_text(f"{ana.name} ma już tę frakcję")
    shows(there, 1, "violet", "Nieumarli")
    there.keyboard.press("Escape")
    choice(there, 1, "").click()
    shows(here, 1, "yellow", "Insekty")
    here.get_by_role("button", name="Dosadź boty").click()
    shows(here, 2, "green", "Trolle")
    choice(there, 1, "trolls").click()
    shows(here, 2, "red", "Smoki")
    here.get_by_role("button", name="Zaczynamy").click()
    for page in (here, there):
        expect(page.locator(".table.stage-playing")).to_be_visible()
        expect(page.locator(".factions")).to_have_count(0)
        for seat, (colour, name) in enumerate((("blue", "Bestie oceaniczne"), ("green", "Trolle"), ("red", "Smoki"))):
            shows(page, seat, colour, name)
    cards = here.locator(".hand .monster")
    assert set(cards.evaluate_all("all => all.map(one => one.className.match(/seat-(\\w+)/)[1])")) == {"blue"}
    assert cards.locator("use").first.get_attribute("href") == "#picture-beasts"


def test_factions_can_be_chosen_without_a_script(read: Read, guest: NewGuest) -> None:
    """gold.6: the same by plain forms; what is taken is refused in words."""
    ana, bo = guest(), guest()
    table = ana.table(game="gold", seats=3)
    ana.do(table, "choose_faction", seat=0, faction="trolls")
    reader = read("pl").become(bo)
    path = f"/t/{table}"
    sit = next(form for form in forms_of(reader.get(path).text, "sit") if form.sends()["seat"] == "1")
    html = reader.follow(reader.post(path, sit.sends(faction="demons"))).text
    assert [seat["faction"] for seat in updates(ana, table)[0]["table"]["seats"]] == ["trolls", "demons", ""]
    [form] = forms_of(html, "choose_faction")
    button = {one.value: one for one in form.buttons}
    assert list(button) == ["", *LOOKS]
    refused = reader.post(path, form.sends(button["trolls"]))
    assert refused.status_code == 409
    assert "ma już tę frakcję: trolle. Wybierz inną." in refused.text
    [form] = forms_of(refused.text, "choose_faction")
    reader.follow(reader.post(path, form.sends(button["undead"])))
    assert updates(bo, table)[0]["table"]["seats"][1]["faction"] == "undead"


def forms_of(html: str, kind: str) -> list[Form]:
    return [form for form in PageForms(html).forms if form.kind() == kind]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (768, "light"), (1440, "dark")])
def test_everybody_can_choose_a_faction(visit: Visit, guest: NewGuest, axe: str, width: int, scheme: str) -> None:
    """Emblems have names, are large enough for a finger, and nothing is cut off."""
    ana, bo = guest(), guest()
    table = ana.table(game="gold", seats=6)
    bo.do(table, "sit", faction="trolls")
    page = give_cookie(visit(width, 800, "pl-PL", scheme), ana).go(f"/t/{table}")
    expect(page.get_by_role("group", name="Frakcja").get_by_role("button")).to_have_count(7)
    labels = page.locator("#factions-0 button[aria-label]").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert labels == POLISH
    assert violations(page, axe) == []
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for button in page.locator("#factions-0 button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= (44 if width < 1100 else 24)


def test_the_end_the_replay_and_the_list_show_the_factions_that_were_chosen(visit: Visit, guest: NewGuest) -> None:
    """gold.6: in the ranking, in every moment of the replay, and in the list of tables."""
    ana, bo = guest(), guest()
    table = ana.table(game="gold", seats=3)
    ana.do(table, "choose_faction", seat=0, faction="demons")
    bo.do(table, "sit", faction="dragons")
    bo.do(table, "sit")
    ana.do(table, "start")
    let_play(table, [ana, bo], at_random(3), lambda update: False)
    visitor = give_cookie(visit(language="pl-PL"), ana)
    page = visitor.go(f"/t/{table}")
    expect(page.locator(OVER)).to_be_visible()
    assert sorted(page.locator(".ranking th small").all_inner_texts()) == ["Demony", "Smoki", "Trolle"]
    page = visitor.go(f"/t/{table}/replay?at=5")
    for seat, (colour, name) in enumerate((("night", "Demony"), ("red", "Smoki"), ("green", "Trolle"))):
        shows(page, seat, colour, name)
    used = page.locator(".wall .monster").evaluate_all("all => all.map(one => one.className.match(/seat-(\\w+)/)[1])")
    assert set(used) <= {"night", "red", "green"}
    moves = page.locator(".moves .sheet i[class]").evaluate_all("all => all.map(one => one.className)")
    assert set(moves) == {"seat-night", "seat-red", "seat-green"}
    again = started_again(ana, table)
    home = visitor.go("/")
    tokens = home.locator(f"a[href='/t/{again}'] .token").evaluate_all("all => all.map(one => one.classList[1])")
    assert tokens == ["seat-night", "seat-red", "seat-green"]


def started_again(guest: Guest, table: str) -> str:
    made: str = guest.do(table, "rematch")["table"]
    return made


def test_a_game_without_factions_asks_for_none(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    table = ana.table(seats=3)
    page = give_cookie(visit(), ana).go(f"/t/{table}")
    expect(page.locator("#seating-1")).to_be_visible()
    assert page.locator("[name=faction]").count() == 0
    assert updates(ana, started(ana, bots=1))[0]["table"]["seats"][0]["faction"] == ""
