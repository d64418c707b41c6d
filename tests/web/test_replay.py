"""Finished games: looked at moment by moment, brought from files, checked, and played on."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from polikarp.engine.record import Record, read_record, replay, verify
from polikarp.engine.state import WATCHER
from polikarp.games import all_games
from polikarp.server.records import Replay
from tests.server.playing import Guest, ServerProcess, wait_until
from tests.web.conftest import Visit

CRYPT = all_games()["crypt"]
SHARES = (b"sixteen bytes !!", b"and sixteen more")


class Finished(NamedTuple):
    guest: Guest
    table: str
    record: Record
    data: bytes


def finish(guest: Guest, table: str) -> Finished:
    """Let bots play a table to its end."""
    guest.do(table, "hand_over", seat=0)
    wait_until(lambda: guest.get(f"/api/tables/{table}/record").get("result"))
    data = guest.http.get(f"/api/tables/{table}/record").content
    return Finished(guest, table, read_record(data), data)


@pytest.fixture(scope="module")
def game(site: ServerProcess) -> Iterator[Finished]:
    """A game of three, to whose chance the first seat added a share."""
    guest = Guest(site.url)
    table = guest.table(seats=3)
    guest.do(table, "add_bot")
    guest.do(table, "commit", seat=0, commitment=hashlib.sha256(SHARES[0]).hexdigest())
    guest.do(table, "start")
    guest.do(table, "reveal", seat=0, share=SHARES[0].hex())
    yield finish(guest, table)
    guest.close()


def at_moment(page: Page, at: int) -> None:
    """The table and all that says where we are agree."""
    expect(page.locator("#live")).to_have_attribute("data-at", str(at))
    expect(page.locator(".seek output b")).to_have_text(str(at))
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-move", str(at))
    expect(page.locator("#replay-at")).to_have_value(str(at))
    assert re.search(rf"[?&]at={at}(&|$)", page.url), page.url


def lines(page: Page) -> int:
    return page.locator("#log li").count()


def test_every_moment_is_what_each_seat_saw_then(game: Finished) -> None:
    made = Replay(CRYPT, game.record)
    assert made.last == len(game.record.moves)
    for at in range(made.last + 1):
        then = replay(CRYPT, game.record, at)
        for viewer in (0, 1, 2, WATCHER):
            seat = None if viewer == WATCHER else viewer
            assert made.view(at, viewer) == then.view(seat)
            assert made.told(at, viewer) == then.log(seat)


def test_bounds_are_what_the_rules_asked(game: Finished) -> None:
    bounds = game.guest.get(f"/t/{game.table}/bounds")
    written = [game.record.dealt, *(move.drawn for move in game.record.moves)]
    assert [len(step) for step in bounds] == [len(step) for step in written]
    for step, drawn in zip(bounds, written, strict=True):
        assert all(draw < bound for bound, draw in zip(step, drawn, strict=True))
    assert bounds[0][:3] == [36, 35, 34]


def treasures(page: Page, seat: int) -> str:
    return "".join(page.locator(f"#seat-{seat} .values").all_text_contents())


def test_eyes_show_what_their_owner_knew(visit: Visit, game: Finished) -> None:
    """A card whose value its owner alone knows: seen with those eyes, hidden from all others."""
    at, owner = next(
        (at, seat)
        for at in range(len(game.record.moves), 0, -1)
        for seat in range(3)
        if (then := replay(CRYPT, game.record, at)) and not then.over
        if not then.view(None).board.heirs[seat].complete
        and all(card.value for card in then.view(seat).board.heirs[seat].collection)
    )
    page = visit().go(f"/t/{game.table}/replay?at={at}&seat={owner}")
    known = treasures(page, owner)
    assert page.locator("#live form").count() == 0
    for other in ("watcher", str((owner + 1) % 3)):
        page.goto(f"{page.url.split('?')[0]}?at={at}&seat={other}")
        assert treasures(page, owner) != known


def test_stepping_and_jumping(visit: Visit, game: Finished) -> None:
    page = visit().go(f"/t/{game.table}/replay")
    last = len(game.record.moves)
    at_moment(page, 0)
    for at in (1, 2, 3):
        page.get_by_role("link", name="One move on").click()
        at_moment(page, at)
    assert lines(page) == len(replay(CRYPT, game.record, 3).log())
    page.get_by_role("link", name="One move back").click()
    at_moment(page, 2)
    page.get_by_role("link", name="To the end").click()
    at_moment(page, last)
    assert lines(page) == len(replay(CRYPT, game.record).log())
    page.get_by_role("link", name="To the start").click()
    at_moment(page, 0)
    page.locator("#replay-at").fill("9")
    at_moment(page, 9)
    page.locator(".moves summary").click()
    page.locator("[data-move='14']").click()
    at_moment(page, 14)
    expect(page.locator("[data-go-on] [name=at]")).to_have_value("14")


def test_a_link_to_a_moment_shows_what_stepping_there_shows(visit: Visit, game: Finished) -> None:
    page = visit().go(f"/t/{game.table}/replay?at=11&seat=1")
    at_moment(page, 11)
    page.get_by_role("link", name="One move on").click()
    at_moment(page, 12)
    stepped = page.locator("#live").inner_text()
    page.goto(page.url)
    assert page.locator("#live").inner_text() == stepped


def test_keys(visit: Visit, game: Finished) -> None:
    page = visit().go(f"/t/{game.table}/replay")
    at_moment(page, 0)
    for key, at in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", len(game.record.moves)),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        at_moment(page, at)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#live")).to_have_attribute("data-at", "2")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    stopped = page.locator("#live").get_attribute("data-at")
    page.wait_for_timeout(1500)
    assert page.locator("#live").get_attribute("data-at") == stopped


def test_playing_stops_at_the_end(visit: Visit, game: Finished) -> None:
    last = len(game.record.moves)
    page = visit().go(f"/t/{game.table}/replay?at={last - 4}")
    page.get_by_label("Speed").select_option("5×")
    page.get_by_role("button", name="Play").click()
    at_moment(page, last)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def check_chance(page: Page, change: Callable[[dict[str, Any]], None] | None = None) -> Any:
    """The page's verdict on its record, or on one that was changed on its way."""

    def changed(route: Route) -> None:
        record = route.fetch().json()
        assert change is not None
        change(record)
        route.fulfill(json=record)

    if change is not None:
        page.route("**/record", changed)
    page.locator("summary", has_text="Verify").click()
    page.get_by_role("button", name="Recompute all draws").click()
    verdict = page.locator(".verdict")
    expect(verdict).to_have_attribute("data-verdict", "bad" if change is not None else "good")
    return verdict.inner_text()


def test_fair_chance_is_verified_in_the_browser(visit: Visit, game: Finished) -> None:
    page = visit().go(f"/t/{game.table}/replay")
    assert f"Draws recomputed: {verify(CRYPT, game.record)}." in check_chance(page)


def drawing_move(record: Record) -> int:
    return next(number for number, move in enumerate(record.moves, 1) if move.drawn)


def test_changed_chance_is_found_and_named(visit: Visit, game: Finished) -> None:
    number = drawing_move(game.record)

    def other_draw(record: dict[str, Any]) -> None:
        drawn = record["moves"][number - 1][2]
        drawn[0] = (drawn[0] + 1) % 6

    def other_deal(record: dict[str, Any]) -> None:
        record["dealt"][0] = (record["dealt"][0] + 1) % 36

    def other_seed(record: dict[str, Any]) -> None:
        record["seed"] = "00" * 32

    def other_share(record: dict[str, Any]) -> None:
        record["shares"][0][2] = SHARES[1].hex()

    def no_share(record: dict[str, Any]) -> None:
        record["shares"] = []

    for change, found in (
        (other_draw, f"the chance of move {number} "),
        (other_deal, "the deal does not follow"),
        (other_seed, "the seed is not the one"),
        (other_share, f"what {game.record.players[0]} added"),
        (no_share, "the deal does not follow"),
    ):
        assert found in check_chance(visit().go(f"/t/{game.table}/replay"), change)


def hand_in(page: Page, data: bytes) -> None:
    page.locator("#record-file").set_input_files({"name": "game.json", "mimeType": "application/json", "buffer": data})
    page.get_by_role("button", name="Pokaż partię").click()


def test_a_game_from_a_file(visit: Visit, game: Finished) -> None:
    page = visit(language="pl-PL").go("/import")
    hand_in(page, game.data)
    page.wait_for_url(re.compile(r"/t/[\w-]+/replay"))
    assert game.table not in page.url
    page.keyboard.press("End")
    at_moment(page, len(game.record.moves))


def test_a_broken_file_is_explained_in_the_readers_language(visit: Visit, game: Finished) -> None:
    visitor = visit(language="pl-PL")
    page = visitor.go("/import")
    page.get_by_role("button", name="Pokaż partię").click()
    expect(page.locator("#import-trouble")).to_contain_text("Najpierw wybierz plik")
    changed = msgspec.json.decode(game.data)
    drawn = changed["moves"][drawing_move(game.record) - 1][2]
    drawn[0] = (drawn[0] + 1) % 6
    for data, told in (
        (game.data[:-40], "ucięty"),
        (b'{"name": "something else"}', "nie jest zapisem partii"),
        (msgspec.json.encode(changed), "się nie zgadza"),
    ):
        hand_in(page, data)
        expect(page.locator("#import-trouble")).to_contain_text(told)
    assert any("422" in trouble for trouble in visitor.trouble), "the server refused the last one"
    visitor.trouble.clear()


def test_going_on_from_a_moment(
    visit: Visit, game: Finished, site: ServerProcess, request: pytest.FixtureRequest
) -> None:
    """To the end with bots; the moves before are the old ones, and are not taken back."""
    at, seat = next(
        (at, move.seat)
        for at, move in enumerate(game.record.moves, 1)
        if replay(CRYPT, game.record, at).can_undo(move.seat)
    )
    visitor = visit()
    page = visitor.go(f"/t/{game.table}/replay?at={at - 1}&seat={seat}")
    page.keyboard.press("ArrowRight")
    at_moment(page, at)
    page.locator("summary", has_text="Go on from here").click()
    page.get_by_role("button", name="Go on", exact=True).click()
    page.wait_for_url(re.compile(r"/t/[\w-]{22}$"))
    table = page.url.rsplit("/", 1)[1]
    expect(page.locator(".continued")).to_be_visible()
    guest = Guest(site.url)
    request.addfinalizer(guest.close)
    guest.http.cookies.clear()
    cookie = next(one for one in visitor.context.cookies() if one["name"] == "polikarp")
    guest.http.cookies.set("polikarp", cookie["value"])
    update = guest.get(f"/api/tables/{table}")["updates"][0]
    assert update["seat"] == seat
    assert update["table"]["stage"] == "playing"
    assert guest.do(table, "undo", 409, seat=seat, prompt=update["prompt"])["reason"]["key"] == "no_undo"
    guest.do(table, "hand_over", seat=seat)
    wait_until(lambda: guest.get(f"/api/tables/{table}/record").get("result"))
    record = read_record(guest.http.get(f"/api/tables/{table}/record").content)
    assert record.seed is None
    assert replay(CRYPT, record).over
    assert record.dealt == game.record.dealt
    kept = [(move.seat, move.move, move.drawn) for move in record.moves[:at]]
    assert kept == [(move.seat, move.move, move.drawn) for move in game.record.moves[:at]]
    page.goto(f"{site.url}/t/{table}/replay?at={at}")
    at_moment(page, at)
    command = [sys.executable, "-m", "polikarp.cli", "check", "--data", str(site.data)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_where_one_can_not_go_on(game: Finished) -> None:
    def status(**fields: str) -> int:
        return game.guest.http.post(f"/t/{game.table}/go-on", data=fields).status_code

    assert status(at=str(len(game.record.moves)), seat="0") == 409
    assert status(at="3", seat="3") == 422
    assert status(at="x", seat="0") == 422
    assert status(seat="0") == 422


def test_a_game_that_goes_on_is_not_replayed(game: Finished) -> None:
    table = game.guest.table(seats=2)
    game.guest.do(table, "add_bot")
    game.guest.do(table, "start")
    for path in ("replay", "replay/part", "bounds"):
        assert game.guest.http.get(f"/t/{table}/{path}").status_code == 409
    assert game.guest.http.post(f"/t/{table}/go-on", data={"at": "1", "seat": "0"}).status_code == 409
    assert game.guest.http.get(f"/t/{game.table}/replay?at=1&seat=7").status_code == 422


def test_without_javascript(chromium: Browser, site: ServerProcess, game: Finished) -> None:
    """Plain links and forms do the same."""
    context = chromium.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"{site.url}/t/{game.table}")
    page.get_by_role("link", name="Replay", exact=True).click()
    page.get_by_role("link", name="One move on").click()
    assert "at=1&" in page.url
    page.locator(".moves summary").click()
    page.locator("[data-move='8']").click()
    assert "at=8&" in page.url
    assert page.locator("#log li").count() == len(replay(CRYPT, game.record, 8).log())
    page.locator("summary", has_text="Eyes").click()
    page.locator("[data-eyes='2']").click()
    assert page.url.endswith("?at=8&seat=2")
    page.get_by_role("button", name="Show", exact=True).click()
    assert "at=8" in page.url
    assert page.get_by_role("button", name="Play", exact=True).count() == 0
    page.goto(f"{site.url}/import")
    expect(page.get_by_text("needs JavaScript")).to_be_visible()
    context.close()
