"""How the tests find and press things at a table. Every selector is here, so that a page can change in one place."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from tests.server.playing import Guest
from tests.web.conftest import Visitor

PATIENCE = 40_000  # milliseconds

TABLE = "#table"
LOG = "#log li"
PROMPT = "#prompt"
MY_TURN = ".prompt:not(.wait)"
CURTAIN = ".curtain"
HAND = ".hand"
TREASURE = ".niche"
NICHE = ".niche input"
CAN = ".niche label.can"
CELL = ".grid:visible .cell:not(.no)"
ANY_CELL = ".grid .cell"
OTHERS = ".others button"
UNDO = 'form[data-press="u"]'
OVER = 'form[data-command]:has(input[name="type"][value="rematch"])'
MOVES_SUMMARY = ".all-moves > summary"
MOVE_TEXT = "#move-text"
SECRETS = f"{HAND}, .grid, .niche input, .others, {MOVE_TEXT}, #move-list, input[name=move], input[name=prompt]"

Press = Callable[[Locator], None]


def seat_name(number: int) -> str:
    return f"#seat-{number} .who b"


# What a page shows: enough to tell whether anything has happened.
PLACE = f"""() => JSON.stringify([
  document.querySelectorAll("{LOG}").length,
  document.querySelector("input[name=prompt]")?.value ?? "",
  document.querySelector("{CURTAIN}") !== null,
  document.querySelector('{OVER}') !== null,
])"""


def place(page: Page) -> str:
    shown: str = page.evaluate(PLACE)
    return shown


def wait_for_news(page: Page, before: str) -> None:
    page.wait_for_function(f"before => ({PLACE})() !== before", arg=before, timeout=PATIENCE)


def wait_for_decision(page: Page) -> bool:
    """Until somebody at this screen has something to do; says whether the game goes on."""
    page.wait_for_selector(f"{MY_TURN}, {CURTAIN}, {OVER}", state="attached", timeout=PATIENCE)
    return page.locator(OVER).count() == 0


def log_of(page: Page) -> list[str]:
    """The lines of the log, the oldest first."""
    return [" ".join(line.split()) for line in page.locator(LOG).all_text_contents()][::-1]


def click(thing: Locator) -> None:
    thing.click()


def tap(thing: Locator) -> None:
    thing.tap()


def some(things: Locator, chance: random.Random) -> Locator:
    return things.nth(chance.randrange(things.count()))


def play_one_move(page: Page, chance: random.Random, press: Press = click) -> None:
    """One legal thing: a niche and a cell, or one of the other moves. The page shows what came of it."""
    before = place(page)
    niches = page.locator(CAN)
    if niches.count() and (chance.random() < 0.7 or not page.locator(OTHERS).count()):
        press(some(niches, chance))
        press(some(page.locator(CELL), chance))
    else:
        press(some(page.locator(OTHERS), chance))
    wait_for_news(page, before)


def send_somebody(page: Page) -> None:
    """Choose the first treasure that can be had and press the first cell of it."""
    page.locator(CAN).first.click()
    page.locator(CELL).first.click()


def open_curtain(page: Page, press: Press = click) -> None:
    press(page.locator(f"{CURTAIN} button"))
    page.wait_for_selector(CURTAIN, state="detached", timeout=PATIENCE)


def play_to_the_end(page: Page, chance: random.Random, press: Press = click) -> None:
    """Everybody at this screen plays when it is their turn, until the game is over."""
    while wait_for_decision(page):
        if page.locator(CURTAIN).count():
            open_curtain(page, press)
        else:
            play_one_move(page, chance, press)


# The same people without a page: what is not about clicking is done over the API.


def give_cookie(visitor: Visitor, guest: Guest) -> Visitor:
    """The browser is this guest's from now on."""
    cookie = guest.http.cookies.get("polikarp")
    assert cookie
    visitor.context.add_cookies([{"name": "polikarp", "value": cookie, "url": visitor.url}])
    return visitor


def table_in(page: Page) -> str:
    found = re.search(r"/t/([A-Za-z0-9_-]{22})", page.url)
    assert found, page.url
    return found[1]


def updates(guest: Guest, table: str) -> list[dict[str, Any]]:
    """What the API tells this guest of a table: one update for each of their seats."""
    told: list[dict[str, Any]] = guest.get(f"/api/tables/{table}")["updates"]
    return told


def log_keys(guest: Guest, table: str) -> list[str]:
    return [line["key"] for line in updates(guest, table)[0]["log"]]


def started(guest: Guest, *others: Guest, bots: int = 0, **wanted: Any) -> str:
    """A table of these people (one may be named twice: two seats at one screen) and some bots, dealt."""
    table = guest.table(seats=1 + len(others) + bots, **wanted)
    for other in others:
        other.do(table, "sit")
    if bots:
        guest.do(table, "add_bot")
    guest.do(table, "start")
    return table


Choice = Callable[[dict[str, Any]], str]


def let_play(table: str, guests: list[Guest], choose: Choice, until: Callable[[dict[str, Any]], bool]) -> None:
    """People without bots play over the API until something is so for one of them, or the game is over."""
    while True:
        for guest in guests:
            for update in updates(guest, table):
                view = update["view"]
                if view["result"] or until(update):
                    return
                if update["seat"] in view["waiting"]:
                    guest.do(table, "move", seat=update["seat"], prompt=update["prompt"], move=choose(update))
                    break


def at_random(seed: int) -> Choice:
    chance = random.Random(seed)
    return lambda update: chance.choice(update["view"]["moves"])


def my_turn_with_a_bot(visitor: Visitor, guest: Guest) -> Page:
    """A running table with a bot, at a moment when the guest's servants can be sent."""
    table = started(guest, bots=1)
    page = give_cookie(visitor, guest).go(f"/t/{table}")
    wait_for_decision(page)
    while not page.locator(CELL).count():
        page.locator(OTHERS).first.click()
        wait_for_decision(page)
    return page
