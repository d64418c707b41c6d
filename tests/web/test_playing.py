"""Whole games in real browsers: by click, by key, by touch, alone and at one screen."""

from __future__ import annotations

import random
import re

from playwright.sync_api import Locator, Page, expect

from tests.web import at_table
from tests.web.at_table import (
    ANY_CELL,
    CELL,
    CURTAIN,
    HAND,
    LOG,
    MOVE_TEXT,
    MOVES_SUMMARY,
    MY_TURN,
    NICHE,
    OTHERS,
    OVER,
    PATIENCE,
    PROMPT,
    SECRETS,
    TABLE,
    TREASURE,
    UNDO,
    at_random,
    give_cookie,
    let_play,
    log_keys,
    log_of,
    my_turn_with_a_bot,
    place,
    play_one_move,
    play_to_the_end,
    seat_name,
    send_somebody,
    started,
    table_in,
    tap,
    updates,
    wait_for_decision,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit


def test_two_browsers_play_a_whole_game(visit: Visit) -> None:
    ana, bo = visit(), visit(language="pl-PL", scheme="dark")
    page = ana.go("/new/crypt")
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Link to this table", exact=True).input_value()
    other = bo.go(link if link.startswith("http") else f"{ana.url}{link}")
    other.get_by_role("button", name="Usiądź tu").click()
    expect(page.locator(seat_name(1))).not_to_have_text("Free seat")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(other.locator(TREASURE).first).to_be_visible()
    chance = random.Random(1)
    while page.locator(OVER).count() == 0:
        for one in (page, other):
            if one.locator(MY_TURN).count():
                play_one_move(one, chance)
    expect(other.locator(OVER)).to_be_visible()
    assert page.get_by_role("table").inner_text().split()[-2:] == other.get_by_role("table").inner_text().split()[-2:]


def test_one_click_and_a_game_with_bots_is_on(visit: Visit) -> None:
    page = visit().go("/")
    page.locator("form[action='/play/crypt'] button").click()
    expect(page.locator(PROMPT)).to_be_visible()
    expect(page.locator(seat_name(2))).to_be_visible()
    chance = random.Random(2)
    for _ in range(5):
        wait_for_decision(page)
        play_one_move(page, chance)


def test_one_person_plays_against_the_ghost_to_the_end(visit: Visit) -> None:
    page = visit().go("/new/crypt")
    page.get_by_label("Players").select_option("1")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(seat_name(1))).to_have_text("Ghost", ignore_case=True)
    play_to_the_end(page, random.Random(3))
    lines = log_of(page)
    assert any("ghost goes for" in line for line in lines)
    assert re.search(r"The game is over: \d+ coins?\.", lines[-1])
    expect(page.get_by_role("table")).to_be_visible()


# Keys.


def tab_to(page: Page, thing: Locator) -> None:
    """Press Tab until this has the focus."""
    for _ in range(120):
        if thing.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {thing}")


def focused(page: Page, selector: str) -> bool:
    found: bool = page.evaluate("selector => document.activeElement.matches(selector)", selector)
    return found


def enter(page: Page, thing: Locator) -> None:
    tab_to(page, thing)
    page.keyboard.press("Enter")


def send_by_key(page: Page, chance: random.Random) -> None:
    """Arrows choose a treasure, Enter goes to its cells, arrows choose one, Enter sends."""
    tab_to(page, page.locator(f"{NICHE}:checked"))
    able = page.locator(f".niche:has(label.can) input:not({NICHE}:checked)").count()
    for _ in range(chance.randrange(able + 1)):
        page.keyboard.press("ArrowRight")
    while not page.locator(f".niche:has(label.can) {NICHE.split()[-1]}:checked").count():
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert focused(page, ".grid .cell:not(.no)"), "Enter leads to a cell that can be pressed"
    page.keyboard.press("ArrowRight")
    assert focused(page, ANY_CELL), "arrows stay among the cells"
    if not focused(page, ".cell:not(.no)"):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")


def write_a_move(page: Page, chance: random.Random) -> None:
    """The box for moves as text."""
    if not page.locator(MOVE_TEXT).is_visible():
        enter(page, page.locator(MOVES_SUMMARY))
    tab_to(page, page.locator(MOVE_TEXT))
    moves = page.locator("#move-list option").evaluate_all("all => all.map(one => one.value)")
    page.keyboard.press("Control+a")
    page.keyboard.type(chance.choice(moves))
    page.keyboard.press("Enter")


def test_the_whole_game_can_be_played_by_keyboard(visit: Visit) -> None:
    page = visit().go("/")
    enter(page, page.locator("a[href='/new/crypt']"))
    page.wait_for_url("**/new/crypt")
    enter(page, page.get_by_role("button", name="Open the table"))
    page.wait_for_url("**/t/*")
    enter(page, page.get_by_role("button", name="Fill with bots"))
    expect(page.locator(seat_name(1))).not_to_have_text("Free seat")
    enter(page, page.get_by_role("button", name="Start", exact=True))
    chance = random.Random(4)
    done = {"sent": 0, "written": 0, "undone": 0, "pressed": 0}
    while wait_for_decision(page):
        before = place(page)
        if page.locator(UNDO).count() and not done["undone"]:
            if focused(page, MOVE_TEXT):
                page.keyboard.press("Tab")
            page.keyboard.press("u")
            done["undone"] += 1
        elif page.locator(CELL).count() and chance.random() < 0.6:
            send_by_key(page, chance)
            done["sent"] += 1
        elif page.locator(OTHERS).count() and chance.random() < 0.6:
            enter(page, page.locator(OTHERS).last)
            done["pressed"] += 1
        else:
            write_a_move(page, chance)
            done["written"] += 1
        wait_for_news(page, before)
    assert all(done.values()), done
    expect(page.get_by_role("table")).to_be_visible()


def test_focus_is_never_lost_while_playing_by_key(visit: Visit, guest: NewGuest) -> None:
    page = my_turn_with_a_bot(visit(), guest())
    chance = random.Random(5)
    for _ in range(4):
        if not wait_for_decision(page):
            break
        before = place(page)
        if page.locator(CELL).count():
            send_by_key(page, chance)
        else:
            enter(page, page.locator(OTHERS).last)
        wait_for_news(page, before)
        assert page.evaluate("() => document.activeElement !== document.body"), "the focus fell off the page"


# Touch.


def test_a_phone_in_the_hand_is_enough(visit: Visit) -> None:
    page = visit(360, 640, touch=True).go("/")
    tap(page.locator("a[href='/new/crypt']"))
    page.get_by_label("Players").select_option("2")
    tap(page.get_by_role("button", name="Open the table"))
    tap(page.get_by_role("button", name="Fill with bots"))
    tap(page.get_by_role("button", name="Start", exact=True))
    play_to_the_end(page, random.Random(6), tap)
    expect(page.get_by_role("table")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


# Several seats at one screen.


def knows_a_hidden_card(update: dict[str, object]) -> bool:
    """The seat was told something that a watcher is not, and it is somebody else's turn: the curtain is down."""
    log, view, seat = update["log"], update["view"], update["seat"]
    assert isinstance(log, list)
    assert isinstance(view, dict)
    return any(line["key"] == "see_card" for line in log) and seat not in view["waiting"]


def for_the_hidden(update: dict[str, object]) -> str:
    """Go for the face-down cards with what is needed, so that somebody gets one."""
    view = update["view"]
    assert isinstance(view, dict)
    hidden = [one["slot"] for one in view["board"]["crypt"] if not one["face_up"]]
    moves: list[str] = view["moves"]
    wanted = [move for move in moves if move.startswith("send") and move[-1] in hidden]
    return next(iter([*wanted, *(move for move in moves if move == "done"), *moves]))


def test_while_the_curtain_is_down_the_page_knows_what_a_watcher_knows(visit: Visit, guest: NewGuest) -> None:
    ana, watcher = visit(), visit()
    both = guest()
    table = started(both, both)
    let_play(table, [both], for_the_hidden, knows_a_hidden_card)
    told = {update["seat"]: update["log"] for update in updates(both, table)}
    page, outside = give_cookie(ana, both).go(f"/t/{table}"), watcher.go(f"/t/{table}")
    expect(page.locator(CURTAIN)).to_be_visible()

    def nothing_secret() -> None:
        outside.wait_for_function(
            f"count => document.querySelectorAll('{LOG}').length === count", arg=page.locator(LOG).count()
        )
        assert log_of(page) == log_of(outside)
        html = page.content()
        assert "Your card from" not in html
        assert "You look at" not in html
        expect(page.locator(SECRETS)).to_have_count(0)
        for number in (0, 1):
            mine, theirs = (one.locator(f"#seat-{number} .detail") for one in (page, outside))
            kept = [" ".join((text or "").split()) for text in (mine.first.text_content(), theirs.first.text_content())]
            assert kept[0].startswith(kept[1]), "the watcher's view of a seat, and perhaps buttons"

    nothing_secret()
    page.reload()
    expect(page.locator(CURTAIN)).to_be_visible()
    nothing_secret()

    # The one who is next presses, and sees their own place and no other.
    waiting = updates(both, table)[0]["view"]["waiting"][0]
    at_table.open_curtain(page)
    expect(page.locator(f"#seat-{waiting} .you")).to_have_count(1)
    expect(page.locator(f"#seat-{1 - waiting} .you")).to_have_count(0)
    expect(page.locator(LOG)).to_have_count(len(told[waiting]))
    seen = [[line["args"] for line in told[seat] if line["key"] == "see_card"] for seat in (0, 1)]
    assert seen[0] != seen[1], "the seats know different things, or this shows nothing"
    expect(page.locator(HAND)).to_be_visible()

    # They play until it is somebody else's turn, and it is dark again at once.
    while page.locator(CURTAIN).count() == 0:
        others = page.locator(OTHERS)
        before = place(page)
        if others.count():
            others.last.click()
        else:
            send_somebody(page)
        wait_for_news(page, before)
        if updates(both, table)[0]["view"]["waiting"] != [waiting]:
            expect(page.locator(CURTAIN)).to_be_visible()
    nothing_secret()
    at_table.open_curtain(page)
    expect(page.locator(f"#seat-{1 - waiting} .you")).to_have_count(1)
    expect(page.locator(f"#seat-{waiting} .you")).to_have_count(0)


def test_two_seats_at_one_screen_play_to_the_end(visit: Visit, guest: NewGuest) -> None:
    both = guest()
    table = started(both, both)
    let_play(table, [both], at_random(7), lambda update: update["view"]["board"]["round"] >= 7)
    page = give_cookie(visit(), both).go(f"/t/{table}")
    play_to_the_end(page, random.Random(7))
    expect(page.locator(CURTAIN)).to_have_count(0)
    expect(page.get_by_role("table")).to_be_visible()


# What people do besides.


def test_a_double_click_plays_one_move(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    page = my_turn_with_a_bot(visit(), ana)
    table, me = table_in(page), updates(ana, table_in(page))[0]["seat"]

    def mine() -> list[str]:
        log = updates(ana, table)[0]["log"]
        return [line["key"] for line in log if line["args"].get("seat") == me]

    before, sent = place(page), len(mine())
    page.locator(CELL).first.dblclick()
    wait_for_news(page, before)
    page.reload()  # after it, nothing is on its way any more
    expect(page.locator(PROMPT)).to_be_visible()
    assert len(mine()) == sent + 1
    if page.locator(OTHERS).count():  # it is still the same turn: the end of it, twice
        ends = mine().count("done")
        before = place(page)
        page.locator(OTHERS).last.dblclick()
        wait_for_news(page, before)
        assert mine().count("done") <= ends + 1


def test_a_double_click_opens_one_table(visit: Visit, guest: NewGuest) -> None:
    ana, visitor = guest(), visit()
    page = give_cookie(visitor, ana).go("/new/crypt")
    page.get_by_role("button", name="Open the table").dblclick()
    page.wait_for_url("**/t/*")
    expect(page.locator(PROMPT)).to_be_visible()
    assert len(ana.get("/api/mine")) == 1


def test_people_at_one_screen_sit_under_their_own_names(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    table = ana.table(seats=3)
    page = give_cookie(visit(), ana).go(f"/t/{table}")
    expect(page.get_by_label("Name", exact=True)).to_have_count(2)
    page.get_by_label("Name", exact=True).first.fill("Zosia")
    page.get_by_role("button", name="Sit here too").first.click()
    expect(page.locator(seat_name(1))).to_contain_text("Zosia")
    page.get_by_role("button", name="Sit here too").click()
    expect(page.locator(seat_name(2))).to_contain_text(f"{updates(ana, table)[0]['table']['seats'][0]['name']} 2")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(CURTAIN)).to_be_visible()
    names = [seat["name"] for seat in updates(ana, table)[0]["table"]["seats"]]
    waiting = updates(ana, table)[0]["view"]["waiting"][0]
    expect(page.locator(CURTAIN)).to_contain_text(names[waiting])


def test_a_bot_of_a_chosen_level_is_seated(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    table = ana.table(seats=2)
    page = give_cookie(visit(), ana).go(f"/t/{table}")
    page.get_by_label("How well the bot plays").select_option(label="Easy")
    page.get_by_role("button", name="Bot", exact=True).click()
    expect(page.locator("#seat-1 .state")).to_contain_text("Easy")
    assert updates(ana, table)[0]["table"]["seats"][1]["level"] == "strong:level=easy"


def test_two_tabs_of_one_person_stay_in_step(visit: Visit, guest: NewGuest) -> None:
    ana, visitor = guest(), visit()
    page = my_turn_with_a_bot(visitor, ana)
    second = visitor.tab()
    second.goto(page.url)
    chance = random.Random(8)
    for turn in range(4):
        here, there = (page, second) if turn % 2 else (second, page)
        if not wait_for_decision(here):
            break
        play_one_move(here, chance)
        wait_for_decision(here)
        there.wait_for_function(f"place => ({at_table.PLACE})() === place", arg=place(here), timeout=PATIENCE)
        assert log_of(here) == log_of(there)


def test_the_back_button_and_a_reload_keep_the_place(visit: Visit, guest: NewGuest) -> None:
    page = my_turn_with_a_bot(visit(), guest())
    seen, lines = place(page), log_of(page)
    page.reload()
    expect(page.locator(CELL).first).to_be_visible()
    assert (place(page), log_of(page)) == (seen, lines)
    page.goto(page.url.split("/t/")[0] + "/about")
    page.go_back()
    expect(page.locator(CELL).first).to_be_visible()
    assert (place(page), log_of(page)) == (seen, lines)
    play_one_move(page, random.Random(9))  # and the game goes on from here
    assert len(log_of(page)) > len(lines)


def test_the_language_can_be_changed_in_the_middle_of_a_game(visit: Visit, guest: NewGuest) -> None:
    page = my_turn_with_a_bot(visit(), guest())
    seen, where = place(page), page.url
    assert "send" in page.locator(PROMPT).inner_text().lower()
    page.get_by_role("button", name="Polski").click()
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page.locator(PROMPT)).to_contain_text("yślij")
    assert (place(page), page.url) == (seen, where)
    polish, english = set("ąćęłńóśźż"), re.compile(r"\b(the|sends?|cards?|value|wait|you|your)\b", re.I)
    assert sum(1 for line in log_of(page) if polish & set(line.lower())) > 1
    assert not [line for line in log_of(page) if english.search(line)]
    play_one_move(page, random.Random(10))  # what comes over the line is in the new language too
    assert not [line for line in log_of(page) if english.search(line)]
    assert not english.search(page.locator(PROMPT).inner_text())
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert not [line for line in log_of(page) if polish & set(re.sub(r"^\S+", "", line).lower()) and "Gość" not in line]


def test_what_is_taken_back_is_gone_from_the_page(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    page = my_turn_with_a_bot(visit(), ana)
    before = place(page)
    send_somebody(page)
    wait_for_news(page, before)
    if page.locator(UNDO).count():
        before = place(page)
        page.locator(f"{UNDO} button").click()
        wait_for_news(page, before)
        assert log_keys(ana, table_in(page))[-1] == "undone"
        expect(page.locator(TABLE)).to_contain_text("takes back the last step")


def test_somebody_who_hands_over_watches_the_game_to_its_end(visit: Visit, guest: NewGuest) -> None:
    ana = guest()
    page = my_turn_with_a_bot(visit(), ana)
    table = table_in(page)
    ana.do(table, "hand_over", seat=updates(ana, table)[0]["seat"])
    expect(page.locator(OVER)).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("table")).to_be_visible()
