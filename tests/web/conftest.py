"""A real Chromium and a real server for the tests of the pages."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.server.hasty import HASTY
from tests.server.playing import Guest, ServerProcess, serving

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def playwright_here() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@contextlib.contextmanager
def launch(playwright: Playwright) -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "Chromium is needed: install the package chromium"
    browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
    try:
        yield browser
    finally:
        browser.close()


@pytest.fixture(scope="module")
def chromium(playwright_here: Playwright) -> Iterator[Browser]:
    with launch(playwright_here) as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(tmp_path_factory.mktemp("site") / "data", command=HASTY) as server:
        yield server


class Visitor:
    """Somebody with a browser of their own. What goes wrong in it is remembered."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.trouble: list[str] = []
        self.page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.note(f"console: {message.text}") if message.type == "error" else None)
        page.on("pageerror", lambda mistake: self.note(f"error: {mistake}"))
        page.on("response", lambda answer: self.note(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
        return page

    def note(self, trouble: str) -> None:
        self.trouble.append(trouble)

    def forgive(self, pattern: str) -> None:
        """This had to go wrong, for the test is about it."""
        self.trouble = [trouble for trouble in self.trouble if not re.search(pattern, trouble)]

    def go(self, path: str = "/") -> Page:
        self.page.goto(path if path.startswith("http") else self.url + path)
        if self.page.locator("#live[data-pages]").count():
            self.page.wait_for_selector("#live[data-begun]", state="attached")  # until then its forms are plain ones
        return self.page


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(chromium: Browser, site: ServerProcess) -> Iterator[Visit]:
    """Opens a browser for somebody. At the end none of them may have seen an error."""
    visitors: list[Visitor] = []

    def open_browser(
        width: int = 1280, height: int = 800, language: str = "en-GB", scheme: str = "light", touch: bool = False
    ) -> Visitor:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            locale=language,
            color_scheme="dark" if scheme == "dark" else "light",
            has_touch=touch,
            reduced_motion="reduce",
        )
        visitors.append(Visitor(context, site.url))
        return visitors[-1]

    yield open_browser
    for visitor in visitors:
        visitor.context.close()
    assert [trouble for visitor in visitors for trouble in visitor.trouble] == []


NewGuest = Callable[[], Guest]


@pytest.fixture
def guest(site: ServerProcess) -> Iterator[NewGuest]:
    """Somebody whom the server knows, without a browser."""
    guests: list[Guest] = []

    def new_guest() -> Guest:
        guests.append(Guest(site.url))
        return guests[-1]

    yield new_guest
    for one in guests:
        one.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker, to be run inside a page."""
    path = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
    assert path.is_file(), "axe-core is missing: run scripts/pages"
    return path.read_text("utf-8")
