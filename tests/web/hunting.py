"""How the tests find and press things in Monster Hunters. What can be caught is read from the page, as people do."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Page

from tests.server.playing import Guest
from tests.web.at_table import PATIENCE, started, updates

RACE = "#race"
TARGET = "button[data-slap]"
CARD = ".open:not(.lain) .turned"
FLIP = "form[data-flip]"
RESULT = ".result"
PHOTO = ".photo .slap"
RANKING = ".ranking tbody tr"

# What lies open, and which places can be caught with it.
READ = """() => {
  const signs = ["fire", "ice", "lightning", "sword", "bow", "axe"];
  const symbols = (root, selector) => [...root.querySelectorAll(selector)].map(
    (one) => signs.find((name) => one.classList.contains(name)));
  const cards = [...document.querySelectorAll(".open:not(.lain) .turned")];
  const shown = cards.filter((one) => !one.matches(".failed, .wand")).flatMap((one) => symbols(one, ".sign"));
  const wands = cards.filter((one) => one.matches(".wand")).length;
  const lacks = [...document.querySelectorAll(".place")].map((place) => {
    const left = [...shown];
    return symbols(place, ".tile").filter((need) => {
      const at = left.indexOf(need);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    }).length;
  });
  const race = document.querySelector("#race");
  return {
    round: Number(race?.dataset.round ?? -1), cards: cards.length, over: document.querySelector(".ranking") !== null,
    catchable: cards.length ? lacks.flatMap((count, place) => (count <= wands ? [place] : [])) : [],
    others: cards.length ? lacks.flatMap((count, place) => (count > wands ? [place] : [])) : [],
  };
}"""

# Somebody at a page who turns up as soon as may be, slaps what can be caught, and with so many cards open anything.
# By key, inside the page, since a whole game has hundreds of cards.
HUNTER = f"""([most, reaction]) => {{
  const read = {READ};
  const press = (key, code) => document.dispatchEvent(new KeyboardEvent("keydown", {{ key, code, bubbles: true }}));
  const later = (time) => new Promise((done) => setTimeout(done, time));
  const hunt = async () => {{
    for (;;) {{
      const seen = read();
      if (seen.over) return;
      const goal = seen.catchable[0] ?? (seen.cards >= most ? seen.others[0] : undefined);
      if (goal !== undefined) {{
        await later(reaction);
        if (read().round === seen.round) press(String(goal + 1), `Digit${{goal + 1}}`);
        await later(400);
      }} else if (document.querySelector("{FLIP}")) {{
        press(" ", "Space");
        await later(120);
      }} else await later(30);
    }}
  }};
  hunt();
}}"""


def read(page: Page) -> dict[str, Any]:
    seen: dict[str, Any] = page.evaluate(READ)
    return seen


def wait_for(page: Page, what: str) -> dict[str, Any]:
    """Until something is so of what the page shows: `seen.catchable.length`. Cards turn by themselves meanwhile."""
    page.wait_for_function(f"() => {{ const seen = ({READ})(); return {what}; }}", timeout=3 * PATIENCE, polling=20)
    return read(page)


# Does something when something is so, a moment after the newest card was shown: sooner it would be a false start.
IN_TIME = f"""() => new Promise((done) => {{
  const read = {READ};
  const press = (key) => {{
    const event = new KeyboardEvent("keydown", {{ key, bubbles: true }});
    document.dispatchEvent(event);
    return event.timeStamp;
  }};
  let card = "", since = 0;
  const look = () => {{
    const race = document.querySelector("{RACE}"), now = performance.now();
    const shown = `${{race?.dataset.round}} ${{race?.dataset.card}}`;
    if (shown !== card) [card, since] = [shown, now];
    const seen = read(), shows = now - since;
    if ((WHAT) && shows >= 150 && shows < 350) {{
      DEED;
      done(seen);
    }} else requestAnimationFrame(look);
  }};
  look();
}})"""


def in_time(page: Page, what: str, deed: str) -> dict[str, Any]:
    """Do something (`press("q")`) at a moment when it counts, and something is so; says what the page showed then."""
    seen: dict[str, Any] = page.evaluate(IN_TIME.replace("WHAT", what).replace("DEED", deed))
    return seen


def turn_up(table: str, guests: list[Guest], cards: int) -> None:
    """Over the API, until so many cards lie open; nobody slaps."""
    while True:
        seen = updates(guests[0], table)[0]["view"]
        if seen["board"]["card"] >= cards or seen["board"]["turn"] is None:
            return
        for guest in guests:
            mine = [one for one in updates(guest, table) if one["seat"] == seen["board"]["turn"]]
            if mine and "flip" in mine[0]["view"]["moves"]:
                guest.do(table, "move", seat=mine[0]["seat"], prompt=mine[0]["prompt"], move="flip")
                break


def slap(table: str, guest: Guest, target: int, seat: int | None = None) -> None:
    """Over the API, by somebody who does not measure."""
    time.sleep(0.15)  # sooner it would be a false start
    update = next(one for one in updates(guest, table) if seat in (None, one["seat"]))
    board = update["view"]["board"]
    place = {"table": table, "round": board["table"], "card": board["card"]}
    mark = f"slap {board['table']} {board['card']} {target}"
    guest.post(f"/api/tables/{table}", {"type": "slap", "id": mark, "seat": update["seat"], "target": target, **place})


def hunt(*guests: Guest, cards: int = 0, **options: Any) -> str:
    """A table of these people with so many cards open. Cards turn by themselves only while one of them looks on."""
    table = started(*guests, game="hunters", options={"pace": 5, **options})
    turn_up(table, list(dict.fromkeys(guests)), cards)
    return table


def end(table: str, *guests: Guest) -> None:
    """Over the API: the first of them makes one mistake after another, until the game is over."""
    while updates(guests[0], table)[0]["view"]["result"] is None:
        turn_up(table, list(guests), 1)
        slap(table, guests[0], 0)
