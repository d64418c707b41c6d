"""What happens is seen to happen, and is said to whoever does not see it."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import expect

from tests.server.playing import Guest
from tests.web.at_table import (
    CURTAIN,
    PROMPT,
    at_random,
    give_cookie,
    let_play,
    log_of,
    open_curtain,
    place,
    send_somebody,
    started,
    updates,
    wait_for_news,
)
from tests.web.conftest import NewGuest, Visit

# Counts what moves: dice that glide, treasures that fly, cards that are dealt, rolls that are shown, marks instead.
WATCH = """() => {
  const seen = window.seen = { glides: 0, flights: 0, dealt: 0, rolls: 0, marks: 0 };
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, timing) {
    if (this.classList.contains("flying")) seen.flights++;
    else if (this.dataset.flock) seen.glides++;
    else if (this.dataset.key && "opacity" in frames[0]) seen.dealt++;
    return animate.call(this, frames, timing);
  };
  new MutationObserver(() => (seen.rolls = Math.max(seen.rolls, document.querySelectorAll("#rolls li").length)))
    .observe(document.getElementById("rolls"), { childList: true });
  new MutationObserver(changes => changes.forEach(one => (seen.marks += one.target.hasAttribute("data-changed"))))
    .observe(document.getElementById("live"), { attributes: true, attributeFilter: ["data-changed"], subtree: true });
}"""

# As if a roll and a flight were still to be seen.
ON_STAGE = """() => {
  document.getElementById("rolls").append(document.createElement("li"));
  const flying = document.createElement("i");
  flying.className = "flying";
  document.getElementById("stage").append(flying);
}"""


def two_people(guest: NewGuest) -> tuple[str, Guest, Guest]:
    """A table of two: who is to move, and who waits."""
    ana, bo = guest(), guest()
    table = started(ana, bo)
    first = updates(ana, table)[0]["view"]["waiting"][0]
    return (table, ana, bo) if first == 0 else (table, bo, ana)


def watched(visit: Visit, guest: NewGuest, still: bool, wanted: set[str]) -> dict[str, int]:
    """What a page shows while a game is played without it, until it has shown all that is wanted."""
    table, mover, waiter = two_people(guest)
    visitor = give_cookie(visit(), waiter)
    visitor.page.emulate_media(reduced_motion="reduce" if still else "no-preference")
    page = visitor.go(f"/t/{table}")
    page.evaluate(WATCH)

    def seen() -> dict[str, int]:
        found: dict[str, int] = page.evaluate("() => window.seen")
        return found

    let_play(table, [mover, waiter], at_random(21), lambda update: wanted <= {kind for kind, n in seen().items() if n})
    return seen()


def test_dice_glide_treasures_fly_cards_are_dealt_and_rolls_are_shown(visit: Visit, guest: NewGuest) -> None:
    seen = watched(visit, guest, False, {"glides", "flights", "dealt", "rolls"})
    assert all(seen[kind] for kind in ("glides", "flights", "dealt", "rolls")), seen
    assert not seen["marks"]


def test_who_wants_no_motion_gets_marks_and_still_sees_the_rolls(visit: Visit, guest: NewGuest) -> None:
    seen = watched(visit, guest, True, {"marks", "rolls"})
    assert seen["marks"]
    assert seen["rolls"]
    assert not any(seen[kind] for kind in ("glides", "flights", "dealt")), seen


# For how long a ring was seen around each thing that changed, and whether the thing stood still meanwhile.
RINGS = """() => {
  const rings = window.rings = [];
  const seen = new Map();
  const frame = () => {
    const now = performance.now();
    for (const one of document.querySelectorAll("#live *")) {
      const style = getComputedStyle(one);
      const ringed = style.outlineStyle === "solid" && style.outlineWidth === "3px" && one !== document.activeElement;
      const was = seen.get(one);
      if (ringed && !was) seen.set(one, { since: now, moves: one.getAnimations().length });
      else if (ringed) was.moves += one.getAnimations().length;
      else if (was) {
        rings.push({ shown: now - was.since, moves: was.moves });
        seen.delete(one);
      }
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def test_the_ring_is_seen_for_a_second_whatever_else_happens_meanwhile(visit: Visit, guest: NewGuest) -> None:
    """Also when the page is patched in between, as it is when bots move."""
    table, mover, waiter = two_people(guest)
    visitor = give_cookie(visit(), waiter)
    visitor.page.emulate_media(reduced_motion="reduce")
    page = visitor.go(f"/t/{table}")
    page.evaluate(RINGS)

    def rings() -> list[dict[str, float]]:
        found: list[dict[str, float]] = page.evaluate("() => window.rings")
        return found

    let_play(table, [mover, waiter], at_random(21), lambda update: len(rings()) >= 3)
    page.wait_for_function("() => window.rings.length >= 3")
    shown = [ring["shown"] for ring in rings()]
    assert len(shown) >= 3
    assert min(shown) > 700, shown
    assert not any(ring["moves"] for ring in rings())


def test_what_happens_and_whose_turn_it_is_is_said(visit: Visit, guest: NewGuest) -> None:
    """The live regions say each new line of the log, and call whoever is next."""
    table, mover, waiter = two_people(guest)
    page = give_cookie(visit(), waiter).go(f"/t/{table}")
    expect(page.locator("#told")).to_have_text("")
    expect(page.locator("#called")).to_have_text("")
    heard = len(log_of(page))
    let_play(table, [mover], at_random(22), lambda update: update["seat"] not in update["view"]["waiting"])
    expect(page.locator("#table[data-turn]")).to_have_count(1)
    expect(page.locator("#called")).to_have_text(" ".join(page.locator(PROMPT).inner_text().split()))
    told = page.locator("#told").inner_text()
    assert told
    assert any(line.endswith(told.split(". ")[-1].strip()) or told in line for line in log_of(page)[heard:]), told


def test_the_next_at_one_screen_is_told_nothing_of_what_the_last_one_heard(visit: Visit, guest: NewGuest) -> None:
    both, visitor = guest(), visit()
    table = started(both, both)
    pages: list[dict[str, Any]] = []

    def note(text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] in ("start", "step", "change"):
            pages.append(message)

    visitor.page.on("websocket", lambda line: line.on("framereceived", note))
    page = give_cookie(visitor, both).go(f"/t/{table}")
    open_curtain(page)
    before = place(page)
    send_somebody(page)
    wait_for_news(page, before)
    expect(page.locator("#told")).not_to_have_text("")
    page.evaluate(ON_STAGE)
    page.keyboard.press("d")
    expect(page.locator(CURTAIN)).to_be_visible()
    expect(page.locator("#stage .flying")).to_have_count(0)
    expect(page.locator("#told")).to_have_text("")
    expect(page.locator("#rolls li")).to_have_count(0)
    last = [message for message in pages if message["type"] == "start"][-1]
    assert (last["page"]["curtain"], last["page"]["viewer"]) == (True, -1), "nothing is taken from the last one's page"
    assert not any(message["type"] == "step" for message in pages[pages.index(last) + 1 :])
