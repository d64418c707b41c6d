"""How fast the pages feel, and how much has to be loaded: `python -m benchmarks.page [MOVES]`, from the project's root.

Two people play in two browsers of one machine against a real server. Time is taken from the click to the first frame
that shows the move: in the browser of the one who clicked, and in the other's. Script and style are weighed as they
come over the wire to a browser that takes gzip, and so is what the socket brings after each move. Absolute times
depend on the machine.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import statistics
import sys
import tempfile
from pathlib import Path

import httpx2
from playwright.sync_api import Page, sync_playwright
from tests.server.playing import Guest, guests_at, serving
from tests.web.at_table import (
    CAN,
    CELL,
    LOG,
    MY_TURN,
    OTHERS,
    OVER,
    give_cookie,
    log_keys,
    place,
    some,
    started,
    table_in,
    wait_for_news,
)
from tests.web.conftest import Visitor, launch

MOVES = 60
BUDGET = 60 * 1024  # bytes of script and style, compressed; fonts and pictures come on top

# Remembers when something was clicked, and when a frame with new lines of the log was on the screen.
WATCH = f"""() => {{
  const now = () => performance.timeOrigin + performance.now();
  window.clicked = 0;
  window.painted = [];
  document.addEventListener("click", () => (window.clicked = now()), true);
  let lines = document.querySelectorAll("{LOG}").length;
  new MutationObserver(() => {{
    const there = document.querySelectorAll("{LOG}").length;
    if (there === lines) return;
    lines = there;
    requestAnimationFrame(() => setTimeout(() => window.painted.push(now())));
  }}).observe(document.getElementById("live"), {{ childList: true, subtree: true }});
}}"""


def one_move(own: Page, other: Page, watcher: Guest, chance: random.Random) -> tuple[float, float] | None:
    """Milliseconds from the click to the paint, here and there; None if the move gave the other no line to paint."""
    niches = own.locator(CAN)
    if niches.count() and (chance.random() < 0.7 or not own.locator(OTHERS).count()):
        some(niches, chance).click()
        pressed = some(own.locator(CELL), chance)
    else:
        pressed = some(own.locator(OTHERS), chance)
    pressed.scroll_into_view_if_needed()
    for page in (own, other):
        page.evaluate("() => (window.painted.length = 0)")
    table, before = table_in(own), place(own)
    known = len(log_keys(watcher, table))
    pressed.click()
    wait_for_news(own, before)
    if len(log_keys(watcher, table)) == known:
        return None
    for page in (own, other):
        page.wait_for_function("() => window.painted.length > 0")
    clicked: float = own.evaluate("() => window.clicked")
    here, there = (page.evaluate("() => window.painted[0]") - clicked for page in (own, other))
    return here, there


def one_game(
    ana: Visitor, bo: Visitor, guests: list[Guest], most: int, chance: random.Random
) -> list[tuple[float, float]]:
    """A game of two, as far as it is wanted."""
    table = started(*guests)
    pages = [visitor.go(f"/t/{table}") for visitor in (ana, bo)]
    for page in pages:
        page.wait_for_selector(f"{MY_TURN}, .prompt.wait")
        page.wait_for_function("() => document.fonts.ready.then(() => true)")
        page.evaluate(WATCH)
    taken: list[tuple[float, float]] = []
    while len(taken) < most:
        pages[0].wait_for_function(
            f"() => document.querySelector('{MY_TURN}') || document.querySelector('.prompt.wait')"
        )
        if pages[0].locator(OVER).count():
            break
        own, other = pages if pages[0].locator(MY_TURN).count() else pages[::-1]
        own.wait_for_selector(MY_TURN)
        measured = one_move(own, other, guests[1] if own is pages[0] else guests[0], chance)
        if measured is not None:
            taken.append(measured)
    return taken


def weights(url: str) -> dict[str, tuple[int, int, str]]:
    """For each script and style of the page: bytes on the wire, bytes after gzip, and how it was sent."""
    weighed = {}
    with httpx2.Client(base_url=url, headers={"Accept-Encoding": "gzip"}) as http:
        html = http.get("/").text
        for path in dict.fromkeys(re.findall(r'(?:href|src)="(/static/[^"]+\.(?:js|css))"', html)):
            with http.stream("GET", path) as answer:
                sent = b"".join(answer.iter_raw())
                encoding = answer.headers.get("content-encoding", "")
            packed = sent if encoding else gzip.compress(sent, 6)
            weighed[path.rsplit("/", 1)[1]] = (len(sent), len(packed), encoding or "as it is")
    return weighed


def weigh_news(visitor: Visitor, sizes: list[float]) -> None:
    """Take down how much each message of the page's socket brings."""
    visitor.page.on("websocket", lambda line: line.on("framereceived", lambda data: sizes.append(float(len(data)))))


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("moves", nargs="?", type=int, default=MOVES)
    moves: int = parser.parse_args().moves
    chance = random.Random(1)
    taken: list[tuple[float, float]] = []
    sizes: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data") as server,
        guests_at(server.url, server.url) as guests,
        sync_playwright() as playwright,
        launch(playwright) as mine,
        launch(playwright) as theirs,
    ):
        visitors = [Visitor(browser.new_context(), server.url) for browser in (mine, theirs)]
        for visitor, guest in zip(visitors, guests, strict=True):
            give_cookie(visitor, guest)
            weigh_news(visitor, sizes)
        while len(taken) < moves:
            taken += one_game(visitors[0], visitors[1], guests, moves - len(taken), chance)
        weighed = weights(server.url)
    print(f"click to paint, {len(taken)} moves   median      p95")
    for name, times in (("own browser", [own for own, _ in taken]), ("other browser", [other for _, other in taken])):
        print(f"  {name:26} {statistics.median(times):7.1f} ms {quantile(times, 0.95):6.1f} ms")
    print(f"bytes of a message to a page      {statistics.median(sizes):7.0f} B  {quantile(sizes, 0.95):6.0f} B")
    print("script and style               on the wire  gzipped")
    for name, (sent, packed, how) in weighed.items():
        print(f"  {name:28} {sent:9} B {packed:7} B  {how}")
    total = sum(packed for _, packed, _ in weighed.values())
    print(f"  {'together, of ' + str(BUDGET):28} {sum(sent for sent, _, _ in weighed.values()):9} B {total:7} B")
    if total > BUDGET:
        sys.exit("over the budget")


if __name__ == "__main__":
    main()
