"""Templates as JavaScript: what is outside of the part that browsers can draw is named with file and line, and nothing
that a page does not ask for is sent."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import jinja2
import pytest

from polikarp.engine.data import DataError
from polikarp.engine.game import Game
from polikarp.games import all_games
from polikarp.web.compiled import FILTERS, TESTS, Compiler
from polikarp.web.render import TABLE, page_words, templates
from polikarp.web.scripts import Scripts, words_of
from tests.server.playing import ServerProcess

DOCS = Path(__file__).parents[2] / "docs" / "pages.md"


def compiled(folder: Path, text: str) -> Compiler:
    (folder / "page.html").write_text(text, "utf-8")
    compiler = Compiler(jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True))
    compiler.reached(["page.html"], "crypt")
    return compiler


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ x / 2 }}", "Div is no part"),
        ("{{ 1.5 }}", "fractions are made in Python"),
        ("{{ x|tojson }}", "no filter tojson"),
        ("{{ x is divisibleby 3 }}", "no test divisibleby"),
        ("{{ x|select('divisibleby', 3)|list }}", "the test of select"),
        ("{{ x|map('upper')|list }}", "map takes an attribute"),
        ("{{ {1: 2} }}", "the keys of a table"),
        ("{{ x[::2] }}", "a slice has no step"),
        ("{{ 1 < x < 3 }}", "two things at a time"),
        ("{% set a = namespace(b=1) %}{% set a.b = 2 %}", "NSRef is no part"),
        ("{% extends 'a.html' %}", "Extends is no part"),
        ("{% filter upper %}{% endfilter %}", "FilterBlock is no part"),
        ("{% import 'a.html' as a %}", "with context"),
        ("{% include name %}", "a template is named as"),
        ("{{ t(key) }}", "the key of a text is written out"),
        ("{{ w('page', key) }}", "the key of a text is written out"),
        ("{{ w(group, 'key') }}", "the group of a text is written out"),
        ("{{ x(*all) }}", "one by one"),
        ("{% if x %}", "end of template"),
    ],
)
def test_what_browsers_can_not_draw_is_named_with_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=rf"page\.html:2: .*{re.escape(said)}"):
        compiled(tmp_path, f"<p>\n{text}\n</p>")


def test_a_page_reaches_what_it_includes_and_no_more(tmp_path: Path) -> None:
    for name in ("crypt", "gold"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "board.html").write_text("{{ t('seats') }}", "utf-8")
    compiler = compiled(tmp_path, "{% include [game ~ '/board.html', 'default.html'] %}")
    assert list(compiler.reached(["page.html"], "crypt")) == ["crypt/board.html", "page.html"]
    assert list(compiler.reached(["page.html"], "melee")) == ["page.html"]


def test_a_game_that_can_not_be_drawn_in_a_browser_is_drawn_by_default_everywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, text in (("good", "{{ t('seats') }}"), ("bad", "\n{{ board.points / 2 }}")):
        (tmp_path / name / "page").mkdir(parents=True)
        (tmp_path / name / "page" / "board.html").write_text(text, "utf-8")
    known = templates((str(tmp_path / "good"), str(tmp_path / "bad"))).list_templates()
    assert "good/board.html" in known
    assert "bad/board.html" not in known
    mistakes = [getattr(record, "facts", {})["mistake"] for record in caplog.records]
    assert [str(mistake).partition(": ")[0] for mistake in mistakes] == [f"{tmp_path}/bad/page/board.html:2"]


@pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))
@pytest.mark.parametrize("language", ["pl", "en"])
def test_only_words_that_are_asked_for_are_sent(game: Game, language: str) -> None:
    folders = tuple(str(each.folder) for each in all_games().values())
    made = words_of(game, language, templates(folders).compiler.reached(TABLE, game.id))
    sent = {key for layer in made["page"] for key in layer["texts"].get("page", {})}
    known = set(page_words(language).tables["page"])
    assert {"your_move", "status_bot", "undo", "past_line"} <= sent <= known
    assert not sent & {"hero_title", "about_fair", "pace_quick", "replay_verify_what"}
    assert len(sent) < len(known) / 2
    assert "refusal" not in {group for layer in made["game"] for group in layer["texts"]}


def test_scripts_have_names_that_change_with_their_contents() -> None:
    games = {name: all_games()[name] for name in ("melee", "pig")}
    scripts = Scripts(games)
    assert len({scripts.pages["melee", seats].name for seats in games["melee"].seats}) == 3, "each map is its own"
    assert len({scripts.pages["pig", seats].name for seats in games["pig"].seats}) == 1
    for name, script in scripts.files.items():
        assert re.fullmatch(r"(melee|pig|words-(melee|pig)-[a-z]{2})-[0-9A-F]{8}\.js", name)
        assert script.body.startswith(b"export ")
        assert b"eval(" not in script.body


def test_scripts_are_served_to_be_kept(site: ServerProcess) -> None:
    scripts = Scripts(all_games())
    for script in (scripts.pages["crypt", 3], scripts.words["crypt", "pl"]):
        for coding in ("gzip", "identity"):
            got = httpx2.get(f"{site.url}/static/{script.name}", headers={"Accept-Encoding": coding})
            assert (got.status_code, got.content) == (200, script.body)
            assert got.headers["content-type"] == "text/javascript; charset=utf-8"
            assert got.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert got.headers.get("content-encoding", "identity") == coding
    assert httpx2.get(f"{site.url}/static/crypt-00000000.js").status_code == 404


def test_the_table_in_the_docs_has_all_filters_and_tests() -> None:
    rows = dict(re.findall(r"^\| (filters|tests) \| (.*) \|$", DOCS.read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", rows["filters"])) == FILTERS
    assert set(re.findall(r"`(\w+)`", rows["tests"])) == TESTS
