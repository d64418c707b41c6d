"""What a hand does besides clicking: dragging by mouse and finger, asking why not, sound and bell switched on."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.web.at_table import (
    CAN,
    CELL,
    TREASURE,
    give_cookie,
    log_of,
    my_turn_with_a_bot,
    place,
    started,
    table_in,
    updates,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit, Visitor

BUBBLE = "#bubble"
HEAD = ".grid:visible .head[data-drag='1x2']"

# Notices of the browser are taken down: a headless browser shows them to nobody.
BELL = """() => {
  window.notices = [];
  class Notice { constructor(title, more) { window.notices.push(more.body); } close() {} }
  Notice.permission = "granted";
  Object.defineProperty(window, "Notification", { value: Notice });
}"""


def middle(thing: Locator) -> tuple[float, float]:
    box = thing.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def first_turn(visitor: Visitor, guest: NewGuest) -> Page:
    """The page of whoever begins a game of two: nobody holds anything yet."""
    people = guest(), guest()
    table = started(*people)
    page = give_cookie(visitor, people[updates(people[0], table)[0]["view"]["waiting"][0]]).go(f"/t/{table}")
    page.locator(CAN).first.wait_for()
    return page


def test_a_die_is_dragged_to_a_treasure_by_mouse(visit: Visit, guest: NewGuest) -> None:
    page = first_turn(visit(), guest)
    goal, before = page.locator(TREASURE).last, place(page)
    slot = goal.get_attribute("data-drop")
    page.mouse.move(*middle(page.locator(HEAD)))
    page.mouse.down()
    page.mouse.move(*middle(goal), steps=8)
    expect(page.locator(".dragged .die")).to_have_count(1)
    expect(goal).to_have_class(re.compile("under"))
    page.mouse.up()
    wait_for_news(page, before)
    expect(page.locator(".dragged")).to_have_count(0)
    assert re.search(rf"sends 1 die for the \w+ {slot}: 1×2", " ".join(log_of(page)))


def test_a_die_is_dragged_by_a_finger(visit: Visit, guest: NewGuest) -> None:
    visitor = visit(360, 740, touch=True)
    page = first_turn(visitor, guest)
    goal, before = page.locator(TREASURE).last, place(page)
    (x, y), (to_x, to_y) = middle(page.locator(HEAD)), middle(goal)
    finger = visitor.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 9):
        point = {"x": x + (to_x - x) * step / 8, "y": y + (to_y - y) * step / 8}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_for_news(page, before)
    assert "1×2" in " ".join(log_of(page))


def test_a_die_that_is_let_go_elsewhere_stays(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    page = my_turn_with_a_bot(visit(), ana)
    told = len(updates(ana, table_in(page))[0]["log"])
    page.mouse.move(*middle(page.locator(HEAD)))
    page.mouse.down()
    page.mouse.move(5, 5, steps=4)
    page.mouse.up()
    expect(page.locator(".dragged")).to_have_count(0)
    page.reload()
    assert len(updates(ana, table_in(page))[0]["log"]) == told


def test_what_can_not_be_done_says_why_with_its_rule(visit: Visit, guest: NewGuest) -> None:
    page = first_turn(visit(), guest)
    before = place(page)
    page.locator(CAN).first.click()
    page.locator(CELL).first.click()
    wait_for_news(page, before)
    page.locator(".grid:visible .cell.no[value='3x6']").click(force=True)  # two dice are left
    bubble = page.locator(BUBBLE)
    expect(bubble).to_be_visible()
    expect(bubble.locator("b")).to_have_text("Why not?")
    link = bubble.locator("a")
    expect(link).to_have_text(re.compile(r"^crypt\.\d+$"))
    with page.expect_popup() as opened:
        link.click()
    rules = opened.value
    rules.wait_for_load_state()
    anchor = rules.url.partition("#")[2]
    expect(rules.locator(f'[id="{anchor}"]')).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()


def test_a_card_explains_itself_while_others_play(visit: Visit, guest: NewGuest) -> None:
    ana, bo = guest(), guest()
    table = started(ana, bo)
    waiting = updates(ana, table)[0]["view"]["waiting"][0]
    for who in ((bo, ana)[waiting], None):
        visitor = visit()
        if who is not None:
            give_cookie(visitor, who)
        page = visitor.go(f"/t/{table}")
        card = page.locator(f"{TREASURE} button.treasure").first
        card.click()
        expect(page.locator(BUBBLE)).to_contain_text(re.compile(r"^\w+ [AB]\. .{20,}"))
        page.keyboard.press("Escape")
        card.focus()
        page.keyboard.press("Enter")
        expect(page.locator(BUBBLE)).to_be_visible()


def test_sound_is_off_until_it_is_wanted_and_the_wish_is_kept(visit: Visit, guest: NewGuest) -> None:
    page = my_turn_with_a_bot(visit(), guest())
    switch = page.locator("header button.tool[data-sound]")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "false")


def test_who_wants_to_be_called_is_called_when_they_look_elsewhere(visit: Visit, guest: NewGuest) -> None:
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    seat = updates(ana, table)[0]["view"]["waiting"][0]
    mover, waiter = (ana, bo) if seat == 0 else (bo, ana)
    give_cookie(visitor, waiter)
    visitor.page.add_init_script(f"({BELL})()")
    page = visitor.go(f"/t/{table}")
    page.locator("summary[aria-label=Menu]").click()
    bell = page.locator("button[data-bell]")
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    page.evaluate("() => Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    assert not page.title().startswith("●")
    while True:
        update = updates(mover, table)[0]
        if seat not in update["view"]["waiting"]:
            break
        move = next(move for move in reversed(update["view"]["moves"]))
        mover.do(table, "move", seat=seat, prompt=update["prompt"], move=move)
    page.wait_for_function("() => window.notices.length > 0")
    assert page.evaluate("() => window.notices") == ["It is your turn"]
    assert page.title().startswith("●")


def test_a_line_that_is_dead_without_a_word_is_called_anew(visit: Visit, guest: NewGuest) -> None:
    visitor = visit()
    lines: list[list[str]] = []

    def note(line: object) -> None:
        said: list[str] = []
        lines.append(said)
        line.on("framesent", lambda text: said.append(str(text)))  # type: ignore[attr-defined]

    visitor.page.on("websocket", note)
    visitor.page.clock.install()
    page = my_turn_with_a_bot(visitor, guest())
    assert len(lines) == 1
    page.clock.run_for(20_000)  # nothing is heard for a while: the page asks, and is answered
    page.wait_for_timeout(300)
    assert '{"type":"beat"}' in lines[0]
    assert len(lines) == 1
    with page.expect_event("websocket"):
        page.clock.fast_forward(60_000)  # and here a long silence is over
        page.clock.run_for(5_000)
    assert len(lines) == 2
    before = place(page)
    page.locator(CAN).first.click()
    page.locator(CELL).first.click()
    wait_for_news(page, before)
