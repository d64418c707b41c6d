"""Everybody can use the pages: with a screen reader, by key, on a small screen, enlarged, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Page, Response, expect

from tests.server.playing import ServerProcess
from tests.web.at_table import give_cookie
from tests.web.conftest import NewGuest, Visit
from tests.web.hunting import TARGET
from tests.web.places import STATES, Place, Places

# Each state is seen in both languages and both schemes; which go together takes turns.
PAIRS = ((("en-GB", "light"), ("pl-PL", "dark")), (("en-GB", "dark"), ("pl-PL", "light")))
SEEN = [
    (state, language, scheme, wide)
    for number, state in enumerate(STATES)
    for wide, (language, scheme) in zip((True, False), PAIRS[number % 2], strict=True)
]
FULL, ENLARGED, SMALL = 1280, 640, 360

NAMELESS = """() => [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
  .filter(one => one.checkVisibility() && !one.closest("[aria-hidden=true]"))
  .filter(one => {
    const named = (one.getAttribute("aria-labelledby") ?? "").split(" ");
    const by = named.map(id => document.getElementById(id)?.textContent);
    const labels = [...(one.labels ?? [])].map(label => label.textContent);
    const icons = [...one.querySelectorAll("[aria-label]")].map(icon => icon.getAttribute("aria-label"));
    const names = [one.getAttribute("aria-label"), one.title, one.textContent, ...by, ...labels, ...icons];
    return !names.some(name => name && name.trim());
  })
  .map(one => one.outerHTML.slice(0, 120))"""

OUTSIDE = """() => [...document.querySelectorAll("main *, .dock *, .seats *, header *")]
  .filter(one => one.checkVisibility({opacityProperty: true, visibilityProperty: true}))
  .filter(one => one.matches("a[href], button, input, select, summary, p, h1, h2, h3, label, td, th"))
  .filter(one => !one.closest(".scroll, [popover]:not(:popover-open), .unseen, .skip, [aria-hidden=true]"))
  .filter(one => getComputedStyle(one).clipPath === "none" && !one.matches(".unseen, [type=radio], [type=hidden]"))
  .filter(one => {
    for (let up = one.parentElement; up; up = up.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return false;
    const box = one.getBoundingClientRect();
    return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1);
  })
  .map(one => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def places(site: ServerProcess) -> Iterator[Places]:
    places = Places(site.url)
    yield places
    places.close()


def violations(page: Page, axe: str) -> list[str]:
    page.evaluate(axe)
    found = page.evaluate("() => axe.run().then(all => all.violations)")
    return [
        f"{one['id']}: {node['html'][:160]} {(node['any'] or node['all'] or node['none'])[0]['message'][:160]}"
        for one in found
        for node in one["nodes"][:3]
    ]


class Inline(HTMLParser):
    """What a strict policy forbids in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [f"{tag} {name}" for name in names if name == "style" or name.startswith("on")]
        self.found += [f"{tag} {name}={value}" for name, value in attrs if (value or "").startswith("javascript:")]


def strict(answer: Response, html: str) -> list[str]:
    policy = answer.headers.get("content-security-policy", "")
    assert "default-src 'none'" in policy, answer.url
    assert "unsafe" not in policy
    inline = Inline()
    inline.feed(html)
    return inline.found


def looked_at(page: Page, place: Place, url: str) -> Response:
    answer = page.goto(url + place.path)
    assert answer is not None
    assert answer.status == place.status
    page.locator(place.shows).first.wait_for(state="attached")
    if place.press is not None:
        place.press(page)
    page.evaluate("() => document.fonts.ready.then(() => null)")
    return answer


@pytest.mark.parametrize(("state", "language", "scheme", "wide"), SEEN, ids=[" ".join(map(str, one)) for one in SEEN])
def test_everybody_can_use_the_page(
    visit: Visit, places: Places, axe: str, state: str, language: str, scheme: str, wide: bool
) -> None:
    place, visitor = places[state], visit(FULL if wide else SMALL, 800, language, scheme)
    if place.guest is not None:
        give_cookie(visitor, place.guest)
    page = visitor.page
    answer = looked_at(page, place, visitor.url)
    assert page.locator("html").get_attribute("lang") == language[:2]
    trouble = {
        "inline": strict(answer, answer.text()),
        "axe": violations(page, axe),
        "without a name": page.evaluate(NAMELESS),
    }
    for width in (ENLARGED, SMALL):
        page.set_viewport_size({"width": width, "height": 800})
        wide_now = page.evaluate("() => document.documentElement.scrollWidth")
        trouble[f"scrolls sideways at {width} px"] = [wide_now] if wide_now > width else []
        trouble[f"cut off at {width} px"] = page.evaluate(OUTSIDE)
    if place.status >= 400:
        visitor.forgive(f"{place.status}")
    assert {name: found for name, found in trouble.items() if found} == {}


def test_what_is_chosen_in_the_menu_wins_over_the_system(visit: Visit, places: Places, axe: str) -> None:
    visitor = visit(language="en-GB", scheme="light")
    page = give_cookie(visitor, places.running()[1]).go(f"/t/{places.running()[0]}")
    light = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.locator("summary[aria-label=Menu]").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    page.wait_for_selector("html[data-look=dark]")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != light
    assert violations(page, axe) == []


def test_an_open_menu_and_the_list_of_keys_are_in_order_too(visit: Visit, places: Places, axe: str) -> None:
    visitor = visit()
    page = give_cookie(visitor, places.running()[1]).go(f"/t/{places.running()[0]}")
    page.locator("summary[aria-label=Menu]").click()
    assert violations(page, axe) == []
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    assert violations(page, axe) == []
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")


def test_the_first_tab_leads_past_the_header(visit: Visit) -> None:
    page = visit().go("/")
    page.keyboard.press("Tab")
    focused = page.evaluate("() => document.activeElement.getAttribute('href')")
    assert focused == "#main"
    page.keyboard.press("Enter")
    assert re.search("#main$", page.url)


# What can be pressed but lies under something else or beyond the edge of the screen, wherever the page is scrolled to.
COVERED = """() => [...document.querySelectorAll("#table :is(button, input, select)")].filter((one) => {
  if (!one.checkVisibility() || one.type === "hidden") return false;
  one.scrollIntoView({ block: "center" });
  const { left, top, right, width, height } = one.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return left < 0 || right > innerWidth || !one.contains(there);
}).map((one) => one.textContent || one.name)"""


@pytest.mark.parametrize(("game", "seats"), [("hunters", 8), ("gold", 6), ("crypt", 4)])
def test_where_people_sit_down_nothing_lies_upon_anything(visit: Visit, guest: NewGuest, game: str, seats: int) -> None:
    """With all seats free and on every screen: many seats do not fit on a phone, so the page is scrolled."""
    ana = guest()
    page = give_cookie(visit(), ana).go(f"/t/{ana.table(game=game, seats=seats)}")
    expect(page.locator(".seating form").first).to_be_visible()
    for width, height in ((360, 640), (360, 740), (844, 390), (768, 1024), (1024, 768), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        assert page.evaluate(COVERED) == [], (width, height)


@pytest.mark.parametrize(
    ("game", "seats", "things"),
    [("gold", 6, ".slot"), ("melee", 4, ".map"), ("crypt", 4, ".niche"), ("hunters", 8, TARGET)],
)
def test_on_a_tablet_or_phone_that_lies_the_board_is_there(
    visit: Visit, guest: NewGuest, game: str, seats: int, things: str
) -> None:
    """On a tablet all of it is in view; on a phone it is large enough, and the page is scrolled."""
    ana = guest()
    table = ana.table(game=game, seats=seats)
    ana.do(table, "add_bot", level="random")
    ana.do(table, "start")
    page = give_cookie(visit(1024, 768), ana).go(f"/t/{table}")
    expect(page.locator(things).first).to_be_visible()
    board = page.locator("#main").bounding_box()
    assert board is not None
    for one in page.locator(things).all():
        own = one.bounding_box()
        assert own is not None
        assert own["y"] >= board["y"]
        assert own["y"] + own["height"] <= board["y"] + board["height"]
    page.set_viewport_size({"width": 844, "height": 390})
    for one in page.locator(things).all():
        own = one.bounding_box()
        assert own is not None
        assert min(own["width"], own["height"]) > 40
