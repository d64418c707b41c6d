"""Heroes' Gold in the browser: whole games, every way to make a move, the fight, and that everybody can use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.playing import Guest, ServerProcess
from tests.web.at_table import (
    CURTAIN,
    LOG,
    MY_TURN,
    OVER,
    PATIENCE,
    PLACE,
    at_random,
    give_cookie,
    let_play,
    place,
    started,
    table_in,
    updates,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit
from tests.web.test_access import NAMELESS, OUTSIDE, strict, violations

CARD = "label.big.can"
SLOT = "button.choice.can:visible"
ANY_SLOT = "label.anyone.can"
UPON = "button.upon.can:visible"
SCENE = "#fight"
BATTLE = f"{SCENE} .battle"
BOTH = {"kings_orders": True, "sorted_guards": True}


# Somebody who sits at a page and plays whenever it is a turn there: a card and then a slot, or the other way round.
# Inside the page, since a whole game has hundreds of clicks.
SITTER = f"""seed => {{
  const place = {PLACE};
  const any = selector => {{
    const all = [...document.querySelectorAll(selector)].filter(one => one.checkVisibility());
    seed = (seed * 48271) % 2147483647;
    return all[seed % all.length];
  }};
  const later = () => new Promise(done => setTimeout(done, 5));
  const sit = async () => {{
    while (!document.querySelector('{OVER}')) {{
      const before = place();
      const curtain = document.querySelector("{CURTAIN} button");
      if (curtain) curtain.click();
      else if (document.querySelector("{CARD}")) {{
        const cardFirst = seed % 2;
        any(cardFirst ? "{CARD}" : "{ANY_SLOT}").click();
        any(cardFirst ? "button.choice.can" : "button.upon.can").click();
      }} else {{
        await later();
        continue;
      }}
      while (place() === before) await later();
    }}
  }};
  sit();
}}"""


def ready(update: dict[str, Any], round_from: int = 2) -> bool:
    """The seat can place and replace, and a fight was fought already."""
    view = update["view"]
    words = {move.split()[0] for move in view["moves"]}
    return view["board"]["round"] >= round_from and words == {"place", "replace"}


def torn(update: dict[str, Any]) -> bool:
    """Also, the weakest monster in hand can not go everywhere, and the strongest can replace somebody."""
    moves = update["view"]["moves"]
    strengths = sorted({move.split()[1] for move in moves})
    weak, strong = (
        ([move for move in moves if move.split()[1] == strengths[at]] for at in (0, -1)) if moves else ([], [])
    )
    slots = 2 * len(update["table"]["seats"])
    return ready(update) and len(weak) < slots and any(move.startswith("replace") for move in strong)


def my_turn(visitor: Any, guests: list[Guest], until: Any = ready, **wanted: Any) -> Page:
    """A table of these people, at a moment when one of them can place and replace: this visitor."""
    while True:
        table = started(*guests, game="gold", **wanted)
        let_play(table, guests, at_random(5), until)
        if not updates(guests[0], table)[0]["view"]["result"]:  # it came to such a moment
            break
    one = next(guest for guest in guests if updates(guest, table)[0]["view"]["moves"])
    page: Page = give_cookie(visitor, one).go(f"/t/{table}")
    expect(page.locator(MY_TURN)).to_be_visible()
    return page


# Whole games


def test_two_browsers_and_two_bots_play_a_whole_game_with_both_variants(visit: Visit, guest: NewGuest) -> None:
    ana, bo = guest(), guest()
    table = started(ana, bo, bots=2, game="gold", options=BOTH)
    here, there = (give_cookie(visit(), one).go(f"/t/{table}") for one in (ana, bo))
    expect(here.locator(".decree").first).to_be_visible()
    for seed, page in enumerate((here, there)):
        page.evaluate(SITTER, seed + 1)
    for page in (here, there):
        expect(page.locator(".ranking tbody tr")).to_have_count(4, timeout=4 * PATIENCE)
    result = updates(ana, table)[0]["view"]["result"]
    shown = [int(re.sub(r"\D", "", text)) for text in here.locator(".ranking .coins").all_inner_texts()]
    assert shown == sorted(result["scores"], reverse=True)


def test_six_at_one_screen_play_a_whole_game(visit: Visit, guest: NewGuest) -> None:
    six = guest()
    table = started(*[six] * 6, game="gold", options={"kings_orders": True})
    page = give_cookie(visit(), six).go(f"/t/{table}")
    page.evaluate(SITTER, 3)
    expect(page.locator(".ranking tbody tr")).to_have_count(6, timeout=4 * PATIENCE)
    expect(page.locator(CURTAIN)).to_have_count(0)


# Making a move


def test_every_way_to_make_a_move(visit: Visit, guest: NewGuest) -> None:
    """Click card and slot, slot and card, drag, keys and text: each is one move; and what was chosen can be let go."""
    three = [guest() for _ in range(3)]
    table = started(*three, game="gold")
    visitors = {updates(one, table)[0]["seat"]: give_cookie(visit(), one) for one in three}
    for visitor in visitors.values():
        visitor.go(f"/t/{table}")

    def card_then_slot(page: Page) -> None:
        page.locator(CARD).first.click()
        page.locator(SLOT).first.click()

    def slot_then_card(page: Page) -> None:
        page.locator(ANY_SLOT).first.click()
        page.locator(UPON).first.click()

    def drag(page: Page) -> None:
        page.locator(CARD).first.drag_to(page.locator("[data-drop]:has(.bare)").first)

    def by_keys(page: Page) -> None:
        page.locator("h1").click()
        page.keyboard.press("1")
        expect(page.locator(".again")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".again")).to_be_hidden()
        page.keyboard.press("2")
        page.keyboard.press("ArrowRight")
        focused = page.evaluate("() => document.activeElement.value")
        assert re.fullmatch(r"(re)?place \d at \d[ab]", focused), focused
        page.locator(SLOT).first.focus()
        page.keyboard.press("Enter")

    def by_text(page: Page) -> None:
        page.locator(".all-moves > summary").click()
        page.locator("#move-text").fill(page.locator("#move-list option").first.get_attribute("value") or first(page))
        page.keyboard.press("Enter")

    def first(page: Page) -> str:
        return page.locator("#move-list option").first.text_content() or ""

    for make in (card_then_slot, slot_then_card, drag, by_keys, by_text):
        page = next(visitor.page for visitor in visitors.values() if is_turn(visitor.page, table, three))
        expect(page.locator(CARD).first).to_be_visible()
        before, lines = place(page), page.locator(LOG).count()
        make(page)
        wait_for_news(page, before)
        assert page.locator(LOG).count() > lines, make.__name__


def is_turn(page: Page, table: str, guests: list[Guest]) -> bool:
    """Whether the game waits for the seat that this page shows."""
    waiting = updates(guests[0], table)[0]["view"]["waiting"][0]
    return page.locator("#table").get_attribute("data-viewer") == str(waiting)


def test_what_can_not_be_done_says_why_and_prices_are_shown(visit: Visit, guest: NewGuest) -> None:
    page = my_turn(visit(), [guest() for _ in range(3)], torn)
    before = place(page)
    page.locator(CARD).first.click()
    slot = page.locator("button.choice.no:visible").first
    slot.click(force=True)
    expect(page.locator("#bubble a")).to_have_text(re.compile(r"gold\.\d+"))
    page.keyboard.press("Escape")
    assert place(page) == before, "asking why is not a move"
    page.keyboard.press("Escape")  # now the card is let go of
    assert page.locator(".price:visible").count() > 0
    page.locator(CARD).last.click()
    expect(page.locator(f"{SLOT} .price").first).to_have_text(re.compile(r"^−\d( −\d)?$"))


def test_a_move_can_be_made_without_a_script(visit: Visit, guest: NewGuest, chromium: Any, site: ServerProcess) -> None:
    ana = guest()
    table = started(ana, bots=2, game="gold")
    visitor = visit()
    plain = chromium.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    try:
        cookie = ana.http.cookies.get("polikarp")
        plain.add_cookies([{"name": "polikarp", "value": cookie, "url": visitor.url}])
        page = plain.new_page()
        for _ in range(40):
            page.goto(f"{site.url}/t/{table}")
            if page.locator(MY_TURN).count():
                break
            page.wait_for_timeout(100)
        lines = len(updates(ana, table)[0]["log"])
        page.locator(CARD).first.click()
        page.locator(SLOT).first.click()
        page.wait_for_load_state()
        assert len(updates(ana, table)[0]["log"]) > lines
        expect(page.locator("#table")).to_be_visible()
    finally:
        plain.close()


# The fight


def last_slot(guests: list[Guest], **wanted: Any) -> tuple[str, Guest]:
    """A table with one slot left to fill, and who is to fill it."""
    table = started(*guests, game="gold", **wanted)
    let_play(table, guests, places_only, lambda update: empty_slots(update) == 1 and bool(update["view"]["moves"]))
    return table, next(guest for guest in guests if updates(guest, table)[0]["view"]["moves"])


def fill_it(table: str, guest: Guest) -> dict[str, Any]:
    """The last slot is filled over the API; says what the fight came to."""
    update = updates(guest, table)[0]
    guest.do(table, "move", seat=update["seat"], prompt=update["prompt"], move=places_only(update))
    fight: dict[str, Any] = updates(guest, table)[0]["view"]["board"]["fight"]
    return fight


def seconds(page: Page) -> float:
    """How long the fight is played out."""
    return float(page.locator(SCENE).get_attribute("data-seconds") or 0)


def test_the_fight_is_played_out_and_closes_when_it_is_pressed(visit: Visit, guest: NewGuest) -> None:
    three = [guest() for _ in range(3)]
    table, one = last_slot(three)
    watcher = visit().go(f"/t/{table}")
    expect(watcher.locator(SCENE)).to_have_count(0)
    fight = fill_it(table, one)
    expect(watcher.locator(BATTLE)).to_be_visible()
    rooms = watcher.locator(f"{SCENE} .fought")
    expect(rooms).to_have_count(3)
    for number, fought in enumerate(fight["fields"]):
        expect(rooms.nth(number)).to_have_class(re.compile(fought["outcome"]))
        expect(rooms.nth(number).locator(".face")).to_have_count(0 if fought["outcome"] == "unfought" else 1)
    watcher.locator(BATTLE).click(position={"x": 5, "y": 5})
    expect(watcher.locator(BATTLE)).to_be_hidden()
    watcher.locator(f"{SCENE} > summary").click()
    expect(watcher.locator(BATTLE)).to_be_visible()
    watcher.locator(f"{SCENE} > summary").click()
    expect(watcher.locator(BATTLE)).to_be_hidden()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_fight_closes_while_the_pointer_rests_on_the_board(visit: Visit, guest: NewGuest, motion: Any) -> None:
    """Who fills the last slot by a click and leaves the mouse there sees the castle again."""
    three = [guest() for _ in range(3)]
    table, one = last_slot(three)
    page = give_cookie(visit(), one).page
    page.emulate_media(reduced_motion=motion)
    page.clock.install()
    page.goto(f"{one.url}/t/{table}")
    page.locator(CARD).first.click()
    page.locator("button.choice.can:visible", has=page.locator(".free")).click()
    expect(page.locator(BATTLE)).to_be_visible()
    assert page.evaluate(f"() => document.querySelector('{SCENE}').matches(':hover')"), "the mouse was not moved"
    page.clock.fast_forward(int(seconds(page) * 1000) - 3000)
    expect(page.locator(BATTLE)).to_be_visible()
    page.clock.fast_forward(3000)
    expect(page.locator(BATTLE)).to_be_hidden()
    expect(page.locator(".wall .slot").first).to_be_visible()
    page.mouse.move(5, 5)
    page.locator(f"{SCENE} > summary").hover()
    expect(page.locator(BATTLE)).to_be_hidden()


def test_a_press_elsewhere_hides_no_guard_that_was_not_seen(visit: Visit, guest: NewGuest) -> None:
    """Choosing a card while the fight is played chooses it, and shows how the fight ended before the castle is back."""
    three = [guest() for _ in range(3)]
    table, one = last_slot(three)
    seat = (updates(one, table)[0]["view"]["board"]["first"] + 1) % 3
    page = give_cookie(visit(), next(each for each in three if updates(each, table)[0]["seat"] == seat)).page
    page.emulate_media(reduced_motion="no-preference")
    page.clock.install()
    page.goto(f"{one.url}/t/{table}")
    expect(page.locator(".prompt")).to_be_visible()
    fight = fill_it(table, one)
    fought = [field for field in fight["fields"] if field["outcome"] != "unfought"]
    expect(page.locator(f"{SCENE}[data-playing]")).to_have_count(1)
    page.locator(CARD).last.click()
    expect(page.locator("input[name=card]").last).to_be_checked()
    expect(page.locator(BATTLE)).to_be_visible()
    expect(page.locator(f"{SCENE}[data-playing]")).to_have_count(0)
    expect(page.locator(f"{SCENE} .face:visible")).to_have_count(len(fought))
    page.clock.fast_forward(2000)
    expect(page.locator(BATTLE)).to_be_hidden()
    expect(page.locator(SLOT).first).to_be_visible()
    expect(page.locator("input[name=card]").last).to_be_checked()


def test_no_clock_closes_a_fight_that_was_opened_by_hand(visit: Visit, guest: NewGuest) -> None:
    """It is closed by its button, a press, or Escape, which takes back no move."""
    three = [guest() for _ in range(3)]
    table, one = last_slot(three)
    fill_it(table, one)
    two = next(each for each in three if updates(each, table)[0]["view"]["moves"])
    page = give_cookie(visit(), two).page
    page.clock.install()
    page.goto(f"{one.url}/t/{table}")
    expect(page.locator(MY_TURN)).to_be_visible()
    page.locator(f"{SCENE} > summary").click()
    page.locator("#prompt").hover()
    page.clock.fast_forward(120_000)
    expect(page.locator(BATTLE)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(BATTLE)).to_be_hidden()
    page.locator(CARD).first.click()
    page.locator(f"{SCENE} > summary").click()
    page.keyboard.press("Escape")
    expect(page.locator(BATTLE)).to_be_hidden()
    expect(page.locator("input[name=card]").first).to_be_checked()
    page.locator(f"{SCENE} > summary").click()
    page.locator(SLOT).first.focus()
    expect(page.locator(BATTLE)).to_be_hidden()


def test_a_card_can_be_dragged_to_a_slot_under_the_fight(visit: Visit, guest: NewGuest) -> None:
    three = [guest() for _ in range(3)]
    table, one = last_slot(three)
    fill_it(table, one)
    two = next(each for each in three if updates(each, table)[0]["view"]["moves"])
    page = give_cookie(visit(), two).go(f"/t/{table}")
    page.locator(f"{SCENE} > summary").click()
    before = place(page)
    page.locator(CARD).first.drag_to(page.locator(".wall:not(.battle .wall) [data-drop]").first, force=True)
    wait_for_news(page, before)


def places_only(update: dict[str, Any]) -> str:
    moves: list[str] = update["view"]["moves"]
    return next(move for move in moves if move.startswith("place"))


def empty_slots(update: dict[str, Any]) -> int:
    castle = update["view"]["board"]["castle"]
    return sum(slot["strength"] is None for field in castle for slot in field["slots"])


# For everybody


Tables = dict[int, tuple[str, list[Guest]]]


@pytest.fixture(scope="module")
def tables(site: ServerProcess) -> Iterator[Tables]:
    """Tables in the middle of a game with three and with six seats; all of them are one person at one screen."""
    made = {}
    guests = []
    for seats in (3, 6):
        people = [Guest(site.url) for _ in range(2)]
        guests += people
        table = started(*people, *[people[1]] * (seats - 2), game="gold", options=BOTH)
        let_play(table, people, at_random(seats), lambda update: ready(update) and update["seat"] == 0)
        made[seats] = (table, people)
    yield made
    for one in guests:
        one.close()


@pytest.mark.parametrize("seats", [3, 6])
@pytest.mark.parametrize(("language", "scheme", "width"), [("pl-PL", "dark", 360), ("en-GB", "light", 1440)])
def test_everybody_can_use_the_castle(
    visit: Visit, tables: Tables, axe: str, seats: int, language: str, scheme: str, width: int
) -> None:
    """My turn, with a card chosen, the last fight, and a watcher: axe, names, nothing cut off, no sideways scroll."""
    table, people = tables[seats]
    visitor = visit(width, 800, language, scheme)
    page = give_cookie(visitor, people[0]).page
    answer = page.goto(f"{visitor.url}/t/{table}")
    assert answer is not None
    assert strict(answer, answer.text()) == []
    expect(page.locator(MY_TURN)).to_be_visible()
    in_order(page, axe, width)
    page.locator(CARD).last.click()
    in_order(page, axe, width)
    page.locator(f"{SCENE} > summary").click()
    in_order(page, axe, width)
    if width == 360:
        for target in page.locator(f"{SLOT}, {CARD}").all():
            box = target.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44


def in_order(page: Page, axe: str, width: int) -> None:
    assert violations(page, axe) == []
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_end_ranks_with_shared_places(visit: Visit, guest: NewGuest, axe: str) -> None:
    ana = guest()
    table = started(ana, ana, ana, game="gold")
    let_play(table, [ana], at_random(9), lambda update: False)
    page = give_cookie(visit(360, 800), ana).go(f"/t/{table}")
    result = updates(ana, table)[0]["view"]["result"]
    ranks = [int(re.sub(r"\D.*", "", text, flags=re.S)) for text in page.locator(".rank").all_inner_texts()]
    assert ranks == sorted(result["places"])
    in_order(page, axe, 360)
    assert table_in(page) == table


def test_a_page_holds_no_more_than_its_reader_may_know(visit: Visit, guest: NewGuest) -> None:
    """gold.35: in the first round the HTML of a seat names no monster that another holds."""
    three = [guest() for _ in range(3)]
    table = started(*three, game="gold")
    views = [updates(one, table)[0] for one in three]
    for one, update in zip(three, views, strict=True):
        page = give_cookie(visit(), one).go(f"/t/{table}")
        for seat in range(3):
            cards = page.locator(f"#seat-{seat} .minis i").all_text_contents()
            hand = update["view"]["board"]["players"][seat]["hand"]
            assert cards[:3] == [str(card or "?") for card in hand]
            assert (None in hand) == (seat != update["seat"])
        keyed = page.locator("[data-key^=monster]").evaluate_all("all => all.map(one => one.dataset.key)")
        assert {key.split("-")[1] for key in keyed} <= {str(update["seat"])}
