"""Crypt in the browser: everything on the wall is in view, failed dice are shown where one may roll them again, rolls
for a tie are a part of the score, and the collectors' numbers are those of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from polikarp.engine.record import record_json
from polikarp.engine.words import house_languages
from polikarp.games.crypt import CryptGame, game
from polikarp.games.crypt.rules import POTTERY_WINDOWS, STATUE_WINDOWS, Crypt
from polikarp.web.render import Speaker, render
from tests.crypt.numbers import corrected
from tests.server.playing import ServerProcess
from tests.test_playthroughs import GOLDEN, load, played_again
from tests.web.at_table import MY_TURN, give_cookie, started, updates
from tests.web.conftest import NewGuest, Visit
from tests.web.places import Place, Places, failed_roll

SIZES = ((360, 640), (390, 844), (768, 1024), (1024, 768), (1280, 720), (1440, 900))

# Niches whose card or ledge is not wholly in view, or lies under something else; and piles, where they are shown.
COVERED = """() => {
  const board = document.querySelector("#main").getBoundingClientRect();
  return [...document.querySelectorAll(".niche .treasure, .niche .ledge, .piles li > *")]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
      if (left < 0 || right > innerWidth || top < board.top || bottom > board.bottom + 0.5) return true;
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      return !(one.closest(".niche") ?? one).contains(there);
    })
    .map((one) => `${one.className} ${one.textContent.trim()}`);
}"""

# Dice that do not lie on the ledge of their niche.
BESIDE = """() => [...document.querySelectorAll(".ledge .die")].filter((die) => {
  const [own, niche] = [die, die.closest(".niche")].map((one) => one.getBoundingClientRect());
  return own.left < niche.left || own.right > niche.right || own.bottom > niche.bottom;
}).length"""


@pytest.fixture(scope="module")
def places(site: ServerProcess) -> Iterator[Places]:
    places = Places(site.url)
    yield places
    places.close()


def all_in_view(page: Page) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(COVERED) == [], (width, height)
        assert page.evaluate(BESIDE) == 0, (width, height)


@pytest.mark.parametrize("language", ["en-GB", "pl-PL"])
@pytest.mark.parametrize(("seats", "niches"), [(2, 3), (3, 4), (4, 6)])
def test_every_treasure_is_in_view_and_lies_behind_nothing(
    visit: Visit, guest: NewGuest, seats: int, niches: int, language: str
) -> None:
    """Also when servants are sent, with all their dice on one treasure."""
    ana = guest()
    table = started(ana, bots=seats - 1, options={"first": "1"})
    page = give_cookie(visit(language=language), ana).go(f"/t/{table}")
    page.locator(MY_TURN).wait_for()
    expect(page.locator(".niche")).to_have_count(niches)
    all_in_view(page)
    ana.do(table, "move", seat=0, prompt=updates(ana, table)[0]["prompt"], move=f"send 3x2 at {'ABCDEF'[niches - 1]}")
    expect(page.locator(".ledge .die")).to_have_count(3)
    all_in_view(page)


def test_who_may_roll_again_sees_which_dice_failed(visit: Visit, places: Places) -> None:
    """crypt.41A: this round's treasures are still on the wall, with what their dice rolled."""
    place = failed_roll(places)
    assert place.guest is not None
    view = seen(place)
    page = give_cookie(visit(), place.guest).go(place.path)
    page.locator(MY_TURN).wait_for()
    collected = view["board"]["collected"]
    assert page.locator(".niche").count() == len(collected) > 0
    mine = [one for one in collected if one["holder"] == view["seat"]]
    low = [rolled for one in mine for rolled in one["rolled"] if rolled and rolled < one["shows"]]
    expect(page.locator(".fell.failed.can")).to_have_count(len(low))
    assert low
    everybody = [rolled and rolled < one["shows"] for one in collected for rolled in one["rolled"]]
    expect(page.locator(".fell.failed")).to_have_count(everybody.count(True))
    for niche, one in zip(page.locator(".niche").all(), collected, strict=True):
        told = " ".join((niche.locator(".unseen").text_content() or "").split())
        said = [f"Rolled {rolled}:" if rolled else "A die that is ready." for rolled in one["rolled"]]
        assert re.search(".*".join(map(re.escape, [f"showed {one['shows']}.", *said])), told), told
    all_in_view(page)


def seen(place: Place) -> dict[str, Any]:
    """What the API shows to whom the place is for."""
    assert place.guest is not None
    view: dict[str, Any] = updates(place.guest, place.path.removeprefix("/t/"))[0]["view"]
    return view


@pytest.mark.parametrize("language", ["en-GB", "pl-PL"])
def test_rolls_for_a_tie_are_a_line_of_the_score(visit: Visit, guest: NewGuest, language: str) -> None:
    """crypt.32: on the page they stand before the sum, which has them in it, and the log shows the dice."""
    record = played_again(load(GOLDEN / "crypt-ending-tie_roll.json"))
    assert record.result is not None
    headers = {"Content-Type": "application/json"}
    table = guest().http.post("/api/records", content=record_json(record), headers=headers).json()["table"]
    page = visit(language=language).go(f"/t/{table}/replay?at={len(record.moves)}")
    rows = {}
    for row in page.locator(".score :is(tbody, tfoot) tr").all():
        name, *values = [" ".join(text.split()) for text in row.locator("th, td").all_text_contents()]
        rows[name] = [int(value) if value != "–" else 0 for value in values]
    *parts, total = rows.values()
    assert list(rows)[-2] == {"en-GB": "Tie rolls", "pl-PL": "Rzuty po remisie"}[language]
    assert sum(parts[-1]) > 0
    assert total == [sum(column) for column in zip(*parts, strict=True)] == record.result.scores
    assert page.locator("#log .tie_roll .die").count() > 0


# The numbers of the data.


def collectors_page(made: CryptGame, sides: str, language: str) -> str:
    """What the page says of the collectors, as text."""
    table = made.deal(seats=2, seed=1, collectors=sides)
    speaker = Speaker(language, made, ["Ala", "Bo"])
    context = {"board": table.view(0).board, "w": speaker.of_game, "t": speaker.page, "seat": 0}
    parts = [render(f"crypt/{name}.html", {"crypt": made}, **context) for name in ("side", "strip")]
    return unescape(re.sub(r"<defs>.*?</defs>|<(?!li\b)(?!button\b)[^>]*>", " ", "".join(parts), flags=re.DOTALL))


@pytest.mark.parametrize("language", house_languages())
@pytest.mark.parametrize("sides", ["A", "B"])
def test_a_corrected_number_is_on_the_page_and_no_old_one_is_left(tmp_path: Path, sides: str, language: str) -> None:
    """crypt.41A to crypt.46B: the numbers of collectors stand in `cards.toml` and nowhere else."""
    made, numbers = corrected(tmp_path)
    text = collectors_page(made, sides, language)
    mine = {number for name, own in numbers.items() if name.endswith(sides) for number in own}
    said = {int(number) for number in re.findall(r"\d+", re.sub(r"\b0/", "", text))}
    assert said - pottery_counts(made) == mine


def pottery_counts(made: CryptGame) -> set[int]:
    """The numbers of cards by which Pottery A pays: their places in the list."""
    return set(range(1, len(made.cards.pottery_coins)))


@pytest.mark.parametrize("language", house_languages())
def test_what_is_asked_names_the_price_of_the_data(tmp_path: Path, language: str) -> None:
    """crypt.41A, crypt.44B: the line under the question and the question in the terminal."""
    made, numbers = corrected(tmp_path)
    for phase, name in ((POTTERY_WINDOWS, "pottery B"), (STATUE_WINDOWS, "statue A")):
        state = made.deal(seats=2, seed=1).state
        assert isinstance(state, Crypt)
        state.phase = phase
        state.waiting = 1
        prompt = made.prompt(state, 0)
        for group, key in (("prompt", prompt.key), ("page", f"help_{prompt.key}")):
            said = game.words(language).say(group, key, prompt.args, ["Ala", "Bo"])
            assert re.findall(r"\d+", said) == [str(number) for number in numbers[name]], said
