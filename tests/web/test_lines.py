"""Lines that break, servers that stop, and pages of other sites."""

from __future__ import annotations

import contextlib
import http.server
import random
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.server.playing import Guest, ServerProcess
from tests.web.at_table import (
    CELL,
    PATIENCE,
    PROMPT,
    give_cookie,
    log_of,
    my_turn_with_a_bot,
    place,
    play_one_move,
    started,
    table_in,
    updates,
    wait_for_decision,
)
from tests.web.conftest import NewGuest, Visit, Visitor
from tests.web.wire import wired

LOST = "The line is lost"
NOTE_LOST = """() => new MutationObserver(() => (window.wasLost ||= document.querySelector("#live.lost") !== null))
  .observe(document.getElementById("live"), { attributes: true })"""
BROKEN_LINE = "WebSocket|ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET"


def says_lost(page: Page) -> None:
    expect(page.get_by_role("alert").filter(has_text=LOST)).to_be_visible(timeout=PATIENCE)
    expect(page.locator(PROMPT)).to_be_visible()  # the table is still there to look at


def all_well(page: Page) -> None:
    expect(page.get_by_role("alert").filter(has_text=LOST)).to_have_count(0, timeout=PATIENCE)


def my_sends(guest: Guest, table: str) -> int:
    update = updates(guest, table)[0]
    sends = [line for line in update["log"] if line["key"] in ("send", "push", "push_own")]
    return sum(line["args"]["seat"] == update["seat"] for line in sends)


def send_and_wait_till_it_is_played(page: Page, guest: Guest, table: str, back: object) -> None:
    """Press a cell while nothing gets through; when the line is back, it is played, once."""
    assert callable(back)
    sent, before = my_sends(guest, table) if guest.http else 0, place(page)
    page.locator(CELL).first.click()
    back()
    page.wait_for_function(
        "count => document.querySelectorAll('#log li').length > count", arg=len(log_of(page)), timeout=PATIENCE
    )
    assert place(page) != before
    all_well(page)
    page.reload()
    expect(page.locator(PROMPT)).to_be_visible()
    assert my_sends(guest, table) == sent + 1


def test_a_dropped_line_comes_back_by_itself_and_a_move_made_meanwhile_is_played_once(
    visit: Visit, guest: NewGuest, site: ServerProcess
) -> None:
    ana, visitor = guest(), visit()
    with wired(site.port) as wire:
        visitor.url = wire.url
        page = my_turn_with_a_bot(visitor, ana)
        table, seen, lines = table_in(page), place(page), log_of(page)
        wire.cut()
        says_lost(page)
        assert (place(page), log_of(page)) == (seen, lines)
        send_and_wait_till_it_is_played(page, ana, table, wire.mend)
        visitor.page.goto("about:blank")
        visitor.forgive(BROKEN_LINE)


def test_a_short_break_is_not_even_mentioned(visit: Visit, guest: NewGuest, site: ServerProcess) -> None:
    visitor = visit()
    with wired(site.port) as wire:
        visitor.url = wire.url
        page = my_turn_with_a_bot(visitor, guest())
        page.evaluate(NOTE_LOST)
        wire.cut()
        wire.mend()
        play_one_move(page, random.Random(1))
        assert not page.evaluate("() => window.wasLost")
        visitor.page.goto("about:blank")
        visitor.forgive(BROKEN_LINE)


@pytest.mark.parametrize("end", ["killed", "stopped"])
def test_after_a_restart_the_page_is_where_it_was_and_goes_on(
    visit: Visit, guest: NewGuest, site: ServerProcess, end: str
) -> None:
    ana, visitor = guest(), visit()
    page = my_turn_with_a_bot(visitor, ana)
    table, seen, lines = table_in(page), place(page), log_of(page)
    sent = my_sends(ana, table)
    if end == "killed":
        site.kill()
    else:
        assert site.stop() == 0
    try:
        says_lost(page)
        assert (place(page), log_of(page)) == (seen, lines)
        page.locator(CELL).first.click()
    finally:
        site.start()
    ana.move_to(site.url)
    page.wait_for_function(
        "count => document.querySelectorAll('#log li').length > count", arg=len(lines), timeout=PATIENCE
    )
    all_well(page)
    assert log_of(page)[: len(lines)] == lines
    page.reload()
    expect(page.locator(PROMPT)).to_be_visible()
    assert my_sends(ana, table) == sent + 1
    wait_for_decision(page)
    play_one_move(page, random.Random(2))
    visitor.forgive(BROKEN_LINE)


def test_without_a_move_a_restart_changes_nothing_on_the_page(
    visit: Visit, guest: NewGuest, site: ServerProcess
) -> None:
    visitor = visit()
    page = my_turn_with_a_bot(visitor, guest())
    seen, lines = place(page), log_of(page)
    site.kill()
    try:
        says_lost(page)
    finally:
        site.start()
    all_well(page)
    assert (place(page), log_of(page)) == (seen, lines)
    play_one_move(page, random.Random(3))
    visitor.forgive(BROKEN_LINE)


# Other sites.

TRAP = """<!doctype html><title>trap</title>
<form id="move" method="post" action="{url}/t/{table}"><input name="type" value="hand_over"><input name="id" value="x">
<input name="seat" value="{seat}"></form>
<form id="name" method="post" action="{url}/name"><input name="name" value="Fool"></form>"""


class Trap(http.server.BaseHTTPRequestHandler):
    html = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.html.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def another_site(html: str) -> Iterator[int]:
    """A page on another port; says which."""
    kind = type("ThisTrap", (Trap,), {"html": html})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def caught(visitor: Visitor, guest: Guest, table: str, host: str, port: int, form: str) -> int:
    """Somebody who plays here opens the other page, which sends a form for them. Says what the answer was."""
    page = give_cookie(visitor, guest).page
    page.goto(f"http://{host}:{port}/")
    with page.expect_navigation() as going:
        page.evaluate("name => document.getElementById(name).submit()", form)
    answer = going.value
    assert answer is not None
    return answer.status


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])  # of one site, cookies and all; and of another
def test_a_page_of_another_origin_can_not_act_for_a_player(visit: Visit, guest: NewGuest, host: str) -> None:
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    with another_site(TRAP.format(url=visitor.url, table=table, seat=0)) as port:
        assert caught(visitor, ana, table, host, port, "move") == 403
        assert caught(visitor, ana, table, host, port, "name") == 403
        page = visitor.page
        page.goto(f"http://{host}:{port}/")
        opened = page.evaluate(
            """url => new Promise(done => {
                const socket = new WebSocket(url);
                socket.onopen = () => done(true);
                socket.onerror = () => done(false);
            })""",
            f"{visitor.url.replace('http', 'ws', 1)}/t/{table}/socket",
        )
        assert opened is False
        sent = page.evaluate(
            """([url, seat]) => fetch(url, {method: "POST", mode: "no-cors", credentials: "include",
                headers: {"Content-Type": "text/plain"}, body: JSON.stringify({type: "hand_over", id: "y", seat})})
                .then(answer => answer.status)""",
            [f"{visitor.url}/api/tables/{table}", 0],
        )
        assert sent == 0, "the other page can not even read the answer"
    assert [seat["status"] for seat in updates(ana, table)[0]["table"]["seats"]] != ["held", "away"]
    assert "held" not in [seat["status"] for seat in updates(ana, table)[0]["table"]["seats"]]
    assert ana.get("/api/me")["name"] == ana.name
    visitor.forgive("403|401|WebSocket")


def test_the_same_forms_of_our_own_page_do_act(visit: Visit, guest: NewGuest) -> None:
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    page = give_cookie(visitor, ana).go("/about")
    page.evaluate(
        """table => {
            const form = document.createElement("form");
            form.method = "post";
            form.action = `/t/${table}`;
            for (const [name, value] of [["type", "hand_over"], ["id", "x"], ["seat", "0"]]) {
                const field = document.createElement("input");
                field.name = name;
                field.value = value;
                form.append(field);
            }
            document.body.append(form);
            form.submit();
        }""",
        table,
    )
    page.wait_for_url(f"**/t/{table}")
    assert updates(ana, table)[0]["table"]["seats"][0]["status"] == "held"
