"""Nothing that a folder adds can make a page fail: a game with almost nothing in its folder (`tests/poor`) is offered,
opened, played in a browser to its end, replayed and recorded, and nobody else notices it. Beside it are its copies
with mistakes in them: what can be drawn by defaults is, the rest is left out, and the log names files and lines."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import httpx2
import msgspec
import pytest
from playwright.sync_api import Page, expect

from polikarp.engine.record import read_record, verify
from polikarp.games import offered_games
from tests import poor
from tests.folders import Copy
from tests.server.playing import ServerProcess, serving
from tests.web.at_table import OVER, log_of, place, table_in, wait_for_decision, wait_for_news
from tests.web.conftest import NewGuest, Visit
from tests.web.test_access import NAMELESS, OUTSIDE, violations

MOVES = "#dock button[name=move], #dock form:has(input[name=move][type=hidden]) button"
GAMES = [game.id for game in offered_games()]
FAILS = "{# A part that fails. #}\n\n{{ board.nothing.at_all }}\n"
MISTAKES = {
    "torn": ("page/board.html", FAILS),
    "ugly": ("page/picture.html", FAILS),
    "cut": ("page/acts.html", "\n{% if moves %}\n"),
    "flags": ("page/emblems.json", '{"red": "no-such-icon",'),
    "icons": ("page/points.html", '{{ icon("no-such-icon") }}'),
    "mute": ("words/en.toml", '[game]\ntitle = "Mute\n'),
    "crash": ("__init__.py", "\nx = nothing\n"),
}
LEFT_OUT = ("mute", "crash")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose games are ours, the poor one, and its copies with mistakes."""
    copy = Copy(tmp_path_factory.mktemp("copy"))
    for name in ("poor", *MISTAKES):
        copy.add_game(Path(poor.__file__).parent, name).change(
            f"games/{name}/__init__.py", 'id = "poor"', f'id = "{name}"'
        )
    for name, (path, text) in MISTAKES.items():
        copy.write(f"games/{name}/{path}", text)
    with serving(tmp_path_factory.mktemp("site") / "data", command=copy.command("serve")) as server:
        yield server


def press_a_move(page: Page, chance: random.Random) -> None:
    before = place(page)
    moves = page.locator(MOVES)
    moves.nth(chance.randrange(moves.count())).click()
    wait_for_news(page, before)


def play_to_the_end(page: Page) -> None:
    chance = random.Random(1)
    while wait_for_decision(page):
        press_a_move(page, chance)


def trouble(page: Page, axe: str) -> list[str]:
    """What keeps somebody from using the page."""
    return [*violations(page, axe), *page.evaluate(NAMELESS), *page.evaluate(OUTSIDE)]


@pytest.mark.parametrize(("width", "language", "scheme"), [(1440, "en-GB", "light"), (360, "pl-PL", "dark")])
def test_it_is_played_to_its_end_replayed_and_recorded(
    visit: Visit, guest: NewGuest, axe: str, width: int, language: str, scheme: str
) -> None:
    page = visit(width, 740, language, scheme, touch=width < 700).go()
    page.locator('form[action="/play/poor"] button').click()
    assert wait_for_decision(page)
    assert trouble(page, axe) == []
    play_to_the_end(page)
    assert trouble(page, axe) == []
    assert len(log_of(page)) >= 4
    expect(page.locator("#main .plain-result tbody tr")).to_have_count(3)
    expect(page.locator("#main")).to_contain_text("Sticks left")
    table = table_in(page)
    data = guest().http.get(f"/api/tables/{table}/record").content
    assert verify(poor.game, read_record(data)) == 0  # nothing is drawn in it

    page.goto(f"{page.url}/replay")
    moves = len(read_record(data).moves)
    for number in range(1, moves + 1):
        page.locator("[data-step=forward]").click()
        expect(page.locator(".seek output")).to_have_text(f"{number} / {moves}")
    assert len(log_of(page)) >= 4


def test_it_opens_in_the_lobby(visit: Visit) -> None:
    """With its options, bots that have no name, and people at one screen, who need no curtain in an open game."""
    page = visit(language="pl-PL").go()
    page.locator('a[href="/new/poor"]').click()
    page.locator("#option-sticks").fill("6")
    page.locator("#public").check()
    page.locator(".form button").click()
    expect(page.locator("#seat-1 option")).to_contain_text(["One by one"])
    page.locator("#seat-1 .seating form").first.locator("button").click()
    page.locator("#dock .button.dark").click()
    play_to_the_end(page)
    expect(page.locator(OVER)).to_have_count(1)


def test_its_pages_are_there_in_both_languages(site: ServerProcess) -> None:
    for language in ("en", "pl"):
        for path in ("/", "/new/poor", "/rules/poor", "/about", "/import"):
            answer = httpx2.get(site.url + path, headers={"Accept-Language": language})
            assert answer.status_code == 200, path
            assert f'lang="{language}"' in answer.text
            assert "Sticks" in answer.text


def test_nobody_else_notices_it(site: ServerProcess, guest: NewGuest) -> None:
    someone = guest()
    listed = {game["id"]: game for game in someone.get("/api/games")}
    assert set(listed) == {*GAMES, "poor", *MISTAKES} - set(LEFT_OUT)
    assert set(listed["poor"]["title"]) == set(listed["crypt"]["title"])
    for game in GAMES:
        assert someone.http.get(f"/rules/{game}").status_code == 200
        made = someone.http.post(f"/play/{game}", follow_redirects=True)
        assert made.status_code == 200
        assert 'id="table"' in made.text


def logged(site: ServerProcess) -> list[str]:
    """The mistakes in the server's log."""
    lines = [msgspec.json.decode(line) for line in site.log.read_text("utf-8").splitlines()]
    return [f"{line['event']} {line.get('game', '')} {line['mistake']}" for line in lines if "mistake" in line]


def test_a_game_that_can_not_be_loaded_is_left_out_and_the_log_says_why(site: ServerProcess) -> None:
    said = logged(site)
    assert any(line.startswith("left_out mute games/mute/words/en.toml:2: can not be read") for line in said), said
    assert any(line.startswith("left_out crash games/crash/__init__.py:2: NameError: name 'nothing'") for line in said)


def test_one_picture_that_fails_is_one_picture(site: ServerProcess) -> None:
    html = httpx2.get(site.url).text
    assert html.count('<svg class="scene"') == len(GAMES) + len(MISTAKES) + 1 - len(LEFT_OUT)
    assert "#35505A" in html, "the crypt is dark, as its own picture has it"
    assert any("UndefinedError in " in line and "games/ugly/page/picture.html:3)" in line for line in logged(site))


@pytest.mark.parametrize(
    ("game", "place"),
    [
        ("torn", "games/torn/page/board.html:3"),
        ("cut", "games/cut/page/acts.html:2"),
        ("flags", "games/flags/page/emblems.json: can not be read"),
        ("icons", "has no icon 'no-such-icon'"),
    ],
)
def test_a_part_that_fails_is_drawn_by_default(visit: Visit, site: ServerProcess, game: str, place: str) -> None:
    visitor = visit()
    page = visitor.go()
    page.locator(f'form[action="/play/{game}"] button').click()
    table = table_in(page)
    expect(visitor.go().locator(f'.going[href="/t/{table}"] .token')).to_have_count(3)
    page = visitor.go(f"/t/{table}")
    play_to_the_end(page)
    expect(page.locator("#main .plain-table")).to_contain_text("Sticks left")
    assert any(place in line for line in logged(site)), logged(site)
