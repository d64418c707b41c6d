"""Pictures of every page in every state, made from a running site: see scripts/screenshots.

python -m tests.web.screenshots               all of them, into screenshots/
python -m tests.web.screenshots curtain rules    those whose name has one of these words
python -m tests.web.screenshots --readme      the few that the README shows, into docs/pictures/
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.server.playing import serving
from tests.web.at_table import give_cookie
from tests.web.conftest import Visitor, launch
from tests.web.places import STATES, Place, Places
from tests.web.test_access import looked_at

ROOT = Path(__file__).parents[2]
WIDTHS = {360: 740, 768: 1024, 1440: 900}
LANGUAGES = {"en": "en-GB", "pl": "pl-PL"}
SCHEMES = ("light", "dark")

# Of the README: a state, the width and the scheme.
README = {
    "home": ("home, with open tables", 1440, "light"),
    "crypt": ("running table, my turn", 1440, "light"),
    "phone": ("running table, my turn", 360, "dark"),
}


def take(
    browser: Browser, url: str, place: Place, width: int, language: str, scheme: str, path: Path, whole: bool
) -> None:
    """One picture: of the whole page, or of what a window shows."""
    context = browser.new_context(
        viewport={"width": width, "height": WIDTHS[width]},
        locale=LANGUAGES[language],
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    visitor = Visitor(context, url)
    if place.guest is not None:
        give_cookie(visitor, place.guest)
    looked_at(visitor.page, place, url)
    path.parent.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=path, full_page=whole)
    context.close()
    print(path.relative_to(ROOT), flush=True)


def file_name(state: str) -> str:
    return re.sub(r"\W+", "-", state)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("words", nargs="*", help="only states whose names have one of these words")
    parser.add_argument("--readme", action="store_true", help="the pictures of the README, into docs/pictures")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data") as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        places = Places(server.url)
        try:
            if asked.readme:
                for name, (state, width, scheme) in README.items():
                    picture = ROOT / "docs" / "pictures" / f"{name}.png"
                    take(browser, server.url, places[state], width, "en", scheme, picture, False)
                return
            for state in STATES:
                if asked.words and not any(word in state for word in asked.words):
                    continue
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        for language in LANGUAGES:
                            picture = ROOT / "screenshots" / f"{file_name(state)}-{width}-{scheme}-{language}.png"
                            take(browser, server.url, places[state], width, language, scheme, picture, True)
        finally:
            places.close()


if __name__ == "__main__":
    main()
