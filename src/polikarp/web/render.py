"""From a table to HTML, in the reader's language. Templates are here; what a game looks like is in its own folder.

A game's `page/` holds parts of pages, and each may be missing. These have a default in `templates/default`, made from
the game's own text and moves: `track.html` (how far the game is, in the top bar), `board.html` (the middle),
`strip.html` (what one looks up, on small screens, under the board), `acts.html` (moves by button, beside the prompt),
`hand.html` (under the prompt), `points.html` and `seat.html` (for each seat), `side.html` (what one looks up),
`line.html` (a line of the log), `one_screen.html` (how people play at one screen) and `picture.html` (on the home
page). These are drawn where a game has them: `extra_seats.html` (of whom nobody plays), `drawings.html` (what the table
draws with, outside of it), `home_acts.html` (more ways to begin, on the home page), `style.css` and `emblems.json` (the
icons that factions are known by).
They get the view and words, and macros from `parts.html`. A page on which a game's own part fails is drawn with
defaults instead, and the log names the part and its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup, escape

from polikarp.engine.data import DataError
from polikarp.engine.game import Game
from polikarp.engine.phrase import Arg
from polikarp.engine.words import Words, plain
from polikarp.server.logs import log

HERE = Path(__file__).parent
BUILT = HERE / "built"


class Look(NamedTuple):
    """What a seat is known by: colour, shape and emblem, so that colour is never alone."""

    colour: str
    shape: str
    emblem: str


SEATS = (
    Look("red", "square", "horse-head"),
    Look("yellow", "circle", "sun"),
    Look("green", "shield", "pine-tree"),
    Look("blue", "hexagon", "waves"),
    Look("violet", "diamond", "owl"),
    Look("night", "octagon", "ghost"),
    Look("teal", "star", "turtle"),
    Look("plum", "drop", "butterfly"),
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
    if name not in icon_bodies():
        log("error", mistake=DataError(BUILT / "icons.json", 0, f"has no icon {name!r}: run scripts/pages"))
    return Markup(f'<svg class="icon" viewBox="0 0 512 512" {spoken}>{icon_bodies().get(name, "")}</svg>')


@cache
def faction_emblems(game: Game) -> dict[str, str]:
    """By faction: the emblem that the game's own page gives it, if it does."""
    path = game.folder / "page" / "emblems.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.is_file() else {}
    except msgspec.DecodeError as mistake:
        log("error", mistake=DataError(path, 0, f"can not be read: {mistake}"))
        return {}


def look_of(game: Game, seats: int, seat: int, faction: str) -> Look:
    """What a seat is known by: where it has a faction, that one's look, wherever it sits."""
    place = game.factions.index(faction) if faction in game.factions else game.look(seats, seat)
    look = SEATS[place % len(SEATS)]
    return look._replace(emblem=faction_emblems(game).get(faction, look.emblem))


def static(name: str) -> str:
    return f"/static/{built_files()[name]}"


@cache
def page_words(language: str) -> Words:
    return Words.load(HERE / "words", language)


class Speaker:
    """Words for a template: `t("free_places", count=2)` says something of the pages, `w("event", "send", args)` of
    the game, or of the pages where the game has no word for it."""

    def __init__(self, language: str, game: Game | None = None, names: list[str] | None = None) -> None:
        self.language = language
        self.game_words = game.words(language) if game is not None else None
        self.names = names or []

    def page(self, key: str, **args: Arg) -> str:
        return page_words(self.language).say("page", key, args, self.names)

    def words(self) -> Words:
        """The game's."""
        assert self.game_words is not None
        return self.game_words

    def of_game(self, group: str, key: str, args: Mapping[str, Arg] | None = None) -> str:
        site = page_words(self.language)
        words = self.words() if self.words().find(group, key) or not site.find(group, key) else site
        return words.say(group, key, args or {}, self.names)

    def prompt(self, key: str, args: Mapping[str, Arg]) -> str:
        """What to do now, shorter than where there is no board to look at, if the game says it so."""
        if self.words().find("page", f"ask_{key}"):
            return self.words().say("page", f"ask_{key}", args, self.names)
        return self.words().say("prompt", key, args, self.names)

    def help(self, key: str, args: Mapping[str, Arg]) -> str:
        """A quiet line under a prompt, where the game has one."""
        return self.words().say("page", f"help_{key}", args) if self.words().find("page", f"help_{key}") else ""

    def move(self, text: str) -> str:
        """A move as a button names it: by its first word, if the game has a name for that, or as it is written."""
        name, _, rest = text.partition(" ")
        if self.words().find("page", f"move_{name}"):
            return self.words().say("page", f"move_{name}", {"text": rest})
        return text[:1].upper() + text[1:]

    def level(self, name: str) -> str:
        """How well a bot plays; a bot that nobody described is called by its name."""
        key = name.replace(":level=", "_")
        if self.words().find("page", f"level_{key}"):
            return self.words().say("page", f"level_{key}", {})
        return self.page(f"level_{key}") if page_words(self.language).find("page", f"level_{key}") else plain(name)

    def faction(self, name: str) -> str:
        """A faction of the game, as people call it."""
        called = self.words().term("faction", name, "nom")
        return called[:1].upper() + called[1:]


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
    environment.globals.update(icon=icon, static=static, faction_emblems=faction_emblems)
    environment.tests["search"] = lambda text, pattern: re.search(pattern, text) is not None
    return environment


def game_part(name: str, game: Game, /, **context: Any) -> Markup:
    """A game's part of a page that is about all games: whatever is wrong with it, the other games have theirs."""
    return Markup(render("game_part.html", {game.id: game}, **{**context, "game": game, "part": name}))


def render(name: str, games: Mapping[str, Game], /, **context: Any) -> str:
    folders = tuple(str(game.folder) for game in games.values())
    try:
        return templates(folders).get_template(name).render(**context)
    except Exception as mistake:
        log("error", mistake=mistake)
        return templates(()).get_template(name).render(**context)
