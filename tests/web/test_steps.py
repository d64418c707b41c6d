"""How a page is kept up to date in the browser: what is lost or does not fit is asked for once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from playwright.sync_api import WebSocketRoute, expect

from tests.server.playing import Guest
from tests.web.at_table import PATIENCE, give_cookie, log_keys, log_of, started
from tests.web.conftest import NewGuest, Visit, Visitor
from tests.web.reading import play_a_move

Change = Callable[[dict[str, Any]], dict[str, Any] | None]


class Tampered:
    """A page's socket on which messages from the server are changed, or lost where `change` makes nothing of them."""

    def __init__(self, visitor: Visitor, change: Change, hello: Change = lambda message: message) -> None:
        self.sent: list[str] = []  # by the page: the kinds
        self.passed: list[dict[str, Any]] = []  # to the page
        self.change = change
        self.hello = hello
        self.page = visitor.page
        self.page.route_web_socket("**/socket", self.connect)

    def connect(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        page.on_message(lambda text: self.go(text, server))
        server.on_message(lambda text: self.come(text, page))

    def go(self, text: str | bytes, server: WebSocketRoute) -> None:
        message = msgspec.json.decode(text)
        self.sent.append(message["type"])
        if message["type"] == "hello":
            message = self.hello(message)
        server.send(msgspec.json.encode(message).decode())

    def until_passed(self, kind: str, count: int = 1) -> None:
        """Wait until so many messages of a kind came to the page."""
        while [one["type"] for one in self.passed].count(kind) < count:
            self.page.evaluate("() => 0")  # lets the line go on

    def come(self, text: str | bytes, page: WebSocketRoute) -> None:
        message = self.change(msgspec.json.decode(text))
        if message is not None:
            self.passed.append(message)
            page.send(msgspec.json.encode(message).decode())


class Losing:
    """Loses one message of a kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.lost = 0

    def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if message["type"] == self.kind and not self.lost:
            self.lost += 1
            return None
        return message


def shows_all(visitor: Visitor, guest: Guest, table: str) -> None:
    """The log of the page is as long as it should be."""
    lines = len(log_keys(guest, table))
    expect(visitor.page.locator("#log li")).to_have_count(lines, timeout=PATIENCE)


def test_a_page_that_lacks_a_step_asks_for_everything_once(visit: Visit, guest: NewGuest) -> None:
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    losing = Losing("step")
    line = Tampered(give_cookie(visitor, ana), losing)
    page = visitor.go(f"/t/{table}")
    line.until_passed("start")
    for _ in range(3):
        play_a_move(table, [ana, bo])
    shows_all(visitor, ana, table)
    assert losing.lost == 1
    assert line.sent.count("again") == 1
    assert [one["type"] for one in line.passed].count("start") == 2
    seen = log_of(page)
    page.reload()
    shows_all(visitor, ana, table)
    assert log_of(page) == seen


def test_a_page_that_nothing_fits_does_not_ask_again_and_again(visit: Visit, guest: NewGuest) -> None:
    """Every step is of another story, and what the page asks for never comes."""

    def odd(message: dict[str, Any]) -> dict[str, Any] | None:
        if message["type"] == "start":
            starts.append(message)
            return message if len(starts) == 1 else None
        return message | {"serial": message["serial"] + 1000} if "serial" in message else message

    starts: list[dict[str, Any]] = []
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    line = Tampered(give_cookie(visitor, ana), odd)
    visitor.go(f"/t/{table}")
    line.until_passed("start")
    for number in range(5):
        play_a_move(table, [ana, bo])
        line.until_passed("step", number + 1)
    assert line.sent.count("again") == 1


def test_a_change_that_fits_nowhere_changes_nothing(visit: Visit, guest: NewGuest) -> None:
    """It names a field that the page does not have: the page stays whole and asks for everything."""
    altered = 0

    def odd(message: dict[str, Any]) -> dict[str, Any]:
        nonlocal altered
        if message["type"] == "step" and not altered:
            altered += 1
            return message | {"page": {"view": {"board": {"no such field": {"0": [1]}}}}}
        return message

    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    line = Tampered(give_cookie(visitor, ana), odd)
    visitor.go(f"/t/{table}")
    line.until_passed("start")
    play_a_move(table, [ana, bo])
    shows_all(visitor, ana, table)
    assert altered == 1
    assert line.sent.count("again") == 1


def test_a_page_of_an_older_version_is_told_to_load_again(visit: Visit, guest: NewGuest) -> None:
    ana, bo, visitor = guest(), guest(), visit()
    table = started(ana, bo)
    line = Tampered(give_cookie(visitor, ana), lambda message: message, hello=lambda message: {"type": "hello"})
    page = visitor.go(f"/t/{table}")
    expect(page.get_by_role("alert").filter(has_text="Load it again")).to_be_visible(timeout=PATIENCE)
    assert [one["type"] for one in line.passed] == ["refused"], "nothing that it could not understand"
