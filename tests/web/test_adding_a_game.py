"""The games of docs/adding-a-game.md, built from the page alone, are offered on a site and played there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.folders import Copy, games_of_the_page
from tests.server.playing import ServerProcess, serving
from tests.web.at_table import OVER, wait_for_decision
from tests.web.conftest import Visit
from tests.web.test_poor_game import play_to_the_end

NOT_OFFERED = "    offered = False\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    copy = Copy(tmp_path_factory.mktemp("copy"), *games_of_the_page())
    for game, files in games_of_the_page().items():
        for path, text in files.items():
            copy.write(f"games/{game}/{path}", text)
        copy.change(f"games/{game}/__init__.py", NOT_OFFERED, "")
    copy.write("games/pig/words/de.toml", GERMAN)
    with serving(tmp_path_factory.mktemp("site") / "data", command=copy.command("serve")) as server:
        yield server


GERMAN = '[game]\ntitle = "Böse Eins"\n[event]\nroll = "{seat} würfelt {rolled}."\n'


@pytest.mark.parametrize("game", games_of_the_page())
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
def test_a_game_of_the_page_is_offered_and_played(visit: Visit, game: str, width: int, scheme: str) -> None:
    page = visit(width, 740, scheme=scheme).go()
    page.locator(f'form[action="/play/{game}"] button').click()
    play_to_the_end(page)
    expect(page.locator(OVER)).to_have_count(1)
    expect(page.locator("#main .plain-result tbody tr")).to_have_count(3 if game == "pig" else 2)


def test_leduc_is_drawn_and_pig_is_told(visit: Visit) -> None:
    page = visit().go()
    page.locator('form[action="/play/leduc"] button').click()
    wait_for_decision(page)
    expect(page.locator(".leduc .back")).to_have_count(2)  # the other's card, and the one that is not open yet
    page = visit().go()
    page.locator('form[action="/play/pig"] button').click()
    wait_for_decision(page)
    expect(page.locator("#main .lines")).to_contain_text("Turns to come")
    expect(page.locator("#dock .plain-moves button")).to_have_text(["Roll"])


def test_a_language_that_is_begun_can_be_chosen_and_is_not_offered(visit: Visit) -> None:
    """What it lacks is said in English; a game with all its words in it offers it."""
    visitor = visit(language="de-DE")
    page = visitor.go()
    expect(page.locator(".switch button")).to_have_text(["PL", "EN"])
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page = visitor.go("/new/pig")
    expect(page.locator(".switch button")).to_have_text(["PL", "EN"])
    page = visitor.go("/new/pig?language=de")
    expect(page.locator("h1")).to_have_text("A new table: Böse Eins")
    expect(page.locator(".switch button")).to_have_text(["PL", "EN", "DE"])
