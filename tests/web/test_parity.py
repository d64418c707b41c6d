"""One template, two engines: what a browser draws from compiled templates is what Python draws, byte for byte. Every
recorded game, every viewer, both languages, and names that are written like HTML, templates and patterns.

Some moments of each game are drawn; with `--long` it is all of them.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.game import Game
from polikarp.engine.phrase import Phrase
from polikarp.engine.record import replay
from polikarp.engine.state import WATCHER
from polikarp.engine.table import Table
from polikarp.games import all_games
from polikarp.web.scripts import Scripts
from polikarp.web.shown import FactionShown, Ranked
from tests import poor
from tests.test_playthroughs import RECORDS, load
from tests.web.node import answers, bundled
from tests.web.seen import Seen, lobby, moment

LANGUAGES = ("pl", "en")
MOMENTS = 4  # of each game, where not all are drawn
GAMES: dict[str, Game] = {**all_games(), "poor": poor.game}

Compare = Callable[[str, Iterable[Seen]], int]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled("runtime.ts", tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="module")
def scripts() -> Scripts:
    return Scripts(GAMES)


@pytest.fixture(scope="module")
def compare(runtime: Path, scripts: Scripts, tmp_path_factory: pytest.TempPathFactory) -> Compare:
    """Draws pages with both engines, in every language, and says how many there were."""
    place = tmp_path_factory.mktemp("scripts")

    def drawn(game: str, seats: int, cases: list[dict[str, Any]]) -> list[str]:
        files = [scripts.pages[game, seats], *(scripts.words[game, language] for language in LANGUAGES)]
        for file in files:
            (place / file.name).with_suffix(".mjs").write_bytes(file.body)
        paths = [(place / file.name).with_suffix(".mjs") for file in files]
        return answers("parity.mjs", [runtime, *paths], cases)

    def compare(game: str, pages: Iterable[Seen]) -> int:
        seen = list(pages)
        both = list(itertools.product(seen, enumerate(LANGUAGES)))
        cases = [{"language": at, "seen": one.plain()} for one, (at, _language) in both]
        seats = len(seen[0].shown.seats)
        for (one, (_at, language)), case, answer in zip(both, cases, drawn(game, seats, cases), strict=True):
            html = one.html(language, GAMES)
            if hashlib.sha256(html.encode()).hexdigest() != answer:
                assert drawn(game, seats, [{**case, "whole": True}])[0].splitlines() == html.splitlines()
                raise AssertionError("two pages differ in their ends of lines")
        return len(both)

    return compare


def moments(table: Table, all_of_them: bool) -> Iterator[Seen]:
    """Moments of a game for everybody, spread over it, the deal and the end among them."""
    last = len(table.steps)
    chosen = range(last + 1) if all_of_them else sorted({last * at // (MOMENTS - 1) for at in range(MOMENTS)})
    for at in chosen:
        for viewer in range(WATCHER, table.seats):
            yield moment(table, at, viewer)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_recorded_games(path: Path, compare: Compare, request: pytest.FixtureRequest) -> None:
    record = load(path)
    table = replay(GAMES[record.game], record)
    assert compare(record.game, moments(table, request.config.getoption("--long"))) > 0


@pytest.mark.parametrize("name", ["leduc", "pig", "poor"])
def test_games_with_few_parts_or_none(name: str, compare: Compare, request: pytest.FixtureRequest) -> None:
    for seed in range(3):
        chance, table = random.Random(seed), GAMES[name].deal(seed=seed)
        while not table.over:
            seat = table.waiting[0]
            table.play(chance.choice(table.moves(seat)), seat)
        assert compare(name, moments(table, request.config.getoption("--long"))) > 0


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_what_is_before_the_deal(game: Game, compare: Compare) -> None:
    looks = [FactionShown(name, "red", "square", "sun", at or None) for at, name in enumerate(game.factions)]
    assert compare(game.id, [lobby(game, viewer, factions=looks) for viewer in (WATCHER, 0, 1)]) > 0


def table_of(name: str) -> Table:
    record = load(next(path for path in RECORDS if path.stem == name))
    return replay(GAMES[record.game], record)


class Torn(poor.SticksGame):
    """A game with a part that fails when it is drawn."""

    id = "torn"

    def __init__(self, place: Path) -> None:
        self.folder = place / "torn"
        shutil.copytree(poor.game.folder, self.folder)
        (self.folder / "page").mkdir()
        (self.folder / "page" / "board.html").write_text("{{ board.nothing.at_all }}", "utf-8")


def test_where_a_part_fails_both_draw_the_defaults(runtime: Path, tmp_path: Path) -> None:
    game = Torn(tmp_path)
    scripts = Scripts({"torn": game})
    (tmp_path / "pages.mjs").write_bytes(scripts.pages["torn", 2].body)
    (tmp_path / "words.mjs").write_bytes(scripts.words["torn", "en"].body)
    seen = moment(game.deal(seed=1), 0, 0)
    case = {"language": 0, "seen": seen.plain(), "whole": True}
    files = [runtime, tmp_path / "pages.mjs", tmp_path / "words.mjs"]
    html = seen.html("en", {"torn": game})
    assert 'class="plain-table"' in html
    assert answers("parity.mjs", files, [case], complaint="Error") == [html]


def test_several_people_at_one_screen(compare: Compare) -> None:
    for name in ("hunters-5", "crypt-3-A"):
        table = table_of(name)
        shared: dict[str, Any] = {"mine": [0, 1, 2], "next": 1}
        cases = [moment(table, 30, 1, **shared), moment(table, 30, WATCHER, **shared, curtain=True)]
        assert compare(table.game.id, cases) > 0


def test_practice(compare: Compare) -> None:
    table = table_of("hunters-2")
    assert compare("hunters", [moment(table, at, 0, ["", "still"]) for at in (0, 40, len(table.steps))]) > 0


def test_replays_rematches_and_what_was_taken_back(compare: Compare) -> None:
    table = table_of("crypt-2-A")
    last = len(table.steps)
    undone = moment(table, 6, 0)
    cases = [
        moment(table, 5, 0, replaying=True, your_turn=False, can_undo=False, continued=True),
        moment(table, last, 1, replaying=True),
        moment(table, last, 1, following="another"),
        undone._replace(told=[*undone.told, Phrase("undone", {"seat": 1, "events": 2})]),
    ]
    assert compare("crypt", cases) > 0


def test_games_of_older_rules(compare: Compare) -> None:
    """Whatever was told then: lines that nobody has words for, and with arguments that are missing."""
    table = table_of("gold-4-both")
    one = moment(table, len(table.steps), 0)
    told = [*one.told, Phrase("forgotten", {"seat": 1, "kind": "x y"}), Phrase("place", {"seat": 2})]
    ranking = [Ranked(1, 2, 9), Ranked(2, 0, 5)]
    past: dict[str, Any] = {"view": None, "winners": [], "past": True, "ranking": ranking}
    past |= {"rules": "0+old", "installed": "1+new"}
    cases = [moment(table, 0, 0, **past, stage=stage)._replace(told=told) for stage in ("over", "halted")]
    assert compare("gold", cases) > 0
