"""How smooth the race is on a slow phone: `python -m benchmarks.frames [--seconds S] [--slower N]`, from the project's
root.

Somebody hunts with seven bots on a screen of 360 by 640, in a browser whose processor is made so many times slower.
Cards turn as fast as they may. Told are the times between frames, and the time from the message that brings a card
until the frame that shows it; before that the times between frames of a table at which nothing happens, in the same
browser. Absolute times depend on the machine, and on what else runs on it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tests.server.playing import guests_at, serving
from tests.web.at_table import give_cookie
from tests.web.conftest import Visitor, launch

FRAME = 1000 / 60

# Notes when a message comes, and when a frame shows another card.
WATCH = """() => {
  window.frames_ = [];
  window.shown_ = [];
  let heard = 0;
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", (event) => { if (event.data.includes('"page"')) heard = performance.now(); });
    }
  };
  let card = "";
  let last = 0;
  const frame = () => {
    const now = performance.now();
    if (last) window.frames_.push(now - last);
    last = now;
    const { round = "", card: newest = "" } = document.querySelector("[data-race]")?.dataset ?? {};
    const here = `${round}.${newest}`;
    if (here !== card) window.shown_.push([now - heard, Number(newest)]);
    card = here;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def measure(seconds: float, slower: float) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data") as server,
        guests_at(server.url) as (ana,),
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, device_scale_factor=2)
        visitor = Visitor(context, server.url)
        visitor.page.add_init_script(f"({WATCH})()")
        table = ana.table(game="hunters", seats=8, options={"pace": 0.8})
        ana.do(table, "add_bot", level="still")
        page = give_cookie(visitor, ana).go(f"/t/{table}")
        page.wait_for_selector("#table")
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        quiet = watched(page, seconds / 4)
        ana.do(table, "start")
        page.wait_for_selector("[data-race]")
        return {"quiet": quiet["frames"], **watched(page, seconds)}


def watched(page: Page, seconds: float) -> dict[str, Any]:
    page.wait_for_timeout(2000)
    page.evaluate("() => { frames_.length = 0; shown_.length = 0; }")
    page.wait_for_timeout(seconds * 1000)
    told: dict[str, Any] = page.evaluate("() => ({ frames: frames_, shown: shown_ })")
    return told


def tell_frames(name: str, frames: list[float]) -> None:
    missed = sum(round(time / FRAME) - 1 for time in frames if time > 1.5 * FRAME)
    a_second = 1000 * len(frames) / sum(frames)
    print(f"  {name:22} {a_second:5.1f} a second, p95 {quantile(frames, 0.95):5.1f} ms, {missed} missed")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--slower", type=float, default=4)
    asked = parser.parse_args()
    told = measure(asked.seconds, asked.slower)
    shown = [time for time, _ in told["shown"]]
    most = max(card for _, card in told["shown"])
    print(f"processor {asked.slower:g} times slower, {len(shown)} cards in {asked.seconds:g} s, up to {most} open")
    tell_frames("frames, nothing new", told["quiet"])
    tell_frames("frames, cards turning", told["frames"])
    print(f"  message to frame       median {statistics.median(shown):.1f} ms, p95 {quantile(shown, 0.95):.1f} ms")


if __name__ == "__main__":
    main()
