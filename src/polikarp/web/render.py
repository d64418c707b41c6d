"""From a table to HTML, in the reader's language. Templates are here; what a game looks like is in its own folder.

A game's `page/` holds `track.html` (how far the game is, in the top bar), `board.html` (the middle), `strip.html` (what
one looks up, on small screens, under the board), `acts.html` (moves by button, beside the prompt), `hand.html` (under
the prompt), `points.html` and `seat.html` (for each seat), `extra_seats.html` (of whom nobody plays; may be missing),
`side.html` (what one looks up), `line.html` (a line of the log), `picture.html` (on the home page) and `style.css`.
These may be missing: `drawings.html` (what the table draws with, outside of it), `home_acts.html` (more ways to begin,
on the home page), `one_screen.html` (how people play at one screen) and `emblems.json` (the icons that seats are known
by).
They get the view and words, and macros from `parts.html`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from polikarp.engine.game import Game
from polikarp.engine.phrase import Arg
from polikarp.engine.words import Words

HERE = Path(__file__).parent
BUILT = HERE / "built"

# What each seat is known by: colour, shape and emblem, so that colour is never alone.
SEATS = (
    ("red", "square", "horse-head"),
    ("yellow", "circle", "sun"),
    ("green", "shield", "pine-tree"),
    ("blue", "hexagon", "waves"),
    ("violet", "diamond", "owl"),
    ("night", "octagon", "ghost"),
    ("teal", "star", "turtle"),
    ("plum", "drop", "butterfly"),
)


class PagesMissing(Exception):
    """The pages were not built. The text says how."""


@cache
def built_files() -> dict[str, str]:
    """The names of the built files, which change with their contents."""
    try:
        names: dict[str, str] = json.loads((BUILT / "files.json").read_text("utf-8"))
    except FileNotFoundError:
        raise PagesMissing("the pages are not built yet: run scripts/pages") from None
    return names


@cache
def icon_bodies() -> dict[str, str]:
    bodies: dict[str, str] = json.loads((BUILT / "icons.json").read_text("utf-8"))
    return bodies


def icon(name: str, label: str = "") -> Markup:
    """A picture from the icon set; it says nothing to a screen reader unless it has a label."""
    spoken = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="icon" viewBox="0 0 512 512" {spoken}>{icon_bodies()[name]}</svg>')


@cache
def seat_emblems(folder: Path) -> dict[int, str]:
    """By seat: the emblems that a game's own page gives its seats, if it does."""
    path = folder / "page" / "emblems.json"
    return dict(enumerate(json.loads(path.read_text("utf-8")))) if path.is_file() else {}


def static(name: str) -> str:
    return f"/static/{built_files()[name]}"


@cache
def page_words(language: str) -> Words:
    return Words.load(HERE / "words" / f"{language}.toml", language)


class Speaker:
    """Words for a template: `t("free_places", count=2)` says something of the pages, `w("event", "send", args)` of
    the game."""

    def __init__(self, language: str, game: Game | None = None, names: list[str] | None = None) -> None:
        self.language = language
        self.game_words = game.words(language) if game is not None else None
        self.names = names or []

    def page(self, key: str, **args: Arg) -> str:
        return page_words(self.language).say("page", key, args, self.names)

    def of_game(self, group: str, key: str, args: Mapping[str, Arg] | None = None) -> str:
        assert self.game_words is not None
        return self.game_words.say(group, key, args or {}, self.names)


@cache
def templates(folders: tuple[str, ...]) -> jinja2.Environment:
    """The pages' own templates, and those of each game under its id."""
    games = {Path(folder).name: jinja2.FileSystemLoader(Path(folder) / "page") for folder in folders}
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(HERE / "templates"), jinja2.PrefixLoader(games)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    looks = [{"colour": colour, "shape": shape, "emblem": emblem} for colour, shape, emblem in SEATS]
    environment.globals.update(icon=icon, static=static, seat_looks=looks)
    environment.tests["search"] = lambda text, pattern: re.search(pattern, text) is not None
    return environment


def render(name: str, games: Mapping[str, Game], /, **context: Any) -> str:
    folders = tuple(str(game.folder) for game in games.values() if game.offered)
    return templates(folders).get_template(name).render(**context)
