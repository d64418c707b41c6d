"""From a table to HTML, in the reader's language. Templates are here; what a game looks like is in its own folder.

A game's `page/` holds parts of pages, and each may be missing: `templates/default` has the others. `docs/pages.md`
lists them, what they get, and the part of Jinja that they are written in. A page on which a game's own part fails is
drawn with defaults instead, and the log names the part and its line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
from polikarp.server.denied import server_words
from polikarp.server.logs import log
from polikarp.web.compiled import Compiler

HERE = Path(__file__).parent
BUILT = HERE / "built"
TABLE = ("table_live.html", "track.html")  # what a browser draws of a table's page


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


@cache
def fixed_data(game: Game, seats: int) -> dict[str, Any]:
    """What every page of a game's tables gets, and never changes."""
    data = msgspec.json.decode(msgspec.json.encode(game.page_data(seats)))
    return {"data": data, "emblems": faction_emblems(game)}


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
    """Words for a template, as functions: `t("free_places", count=2)` says something of the pages, `w("event", "send",
    args)` of the game, or of the pages where the game has no word for it."""

    def __init__(self, language: str, game: Game | None = None, names: list[str] | None = None) -> None:
        self.language = language
        self.game_words = game.words(language) if game is not None else None
        self.names = names or []

    def functions(self) -> dict[str, Callable[..., Any]]:
        """What templates call. `client/words.ts` has the same."""
        return {
            "t": self.page,
            "w": self.of_game,
            "find": self.find,
            "texts": self.texts,
            "term": self.term,
        }

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

    def find(self, *path: str) -> str | None:
        """A text as it stands in the words of the game, or else of the pages; None if nobody wrote it."""
        return self.words().find(*path) or page_words(self.language).find(*path)

    def texts(self, group: str) -> Mapping[str, str]:
        """All texts of a group of the game's words, by their keys."""
        found: Mapping[str, str] = self.words().tables.get(group, {})
        return found

    def term(self, name: str, value: str, form: str = "nom") -> str:
        """A term of the game in one of its forms."""
        return self.words().term(name, value, form)

    def sentence(self, key: str, args: Mapping[str, Arg]) -> str | None:
        """A line of the log in words. What was told under older rules may have none any more."""
        if key == "undone":
            return server_words(self.language).say("event", "undone", args, self.names)
        try:
            return self.of_game("event", key, args)
        except (AssertionError, LookupError, TypeError, ValueError):
            return None


class Pages(jinja2.Environment):
    """Templates over plain data: what a table of data has are its own entries, and no methods. `compiler` has them as
    browsers draw them."""

    compiler: Compiler

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, dict):
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)


def as_browsers_write(value: Any) -> Any:
    """What is printed: a whole number is written without a fraction, whatever it was reckoned with."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@cache
def templates(folders: tuple[str, ...]) -> Pages:
    """The pages' own templates, and those of each game under its id. A game whose table can not be drawn in a browser
    is drawn by default everywhere, and the log names file and line."""
    environment = environment_of(folders)
    able = tuple(folder for folder in folders if can_be_drawn(environment, Path(folder).name))
    return environment if able == folders else environment_of(able)


def environment_of(folders: tuple[str, ...]) -> Pages:
    games = {Path(folder).name: jinja2.FileSystemLoader(Path(folder) / "page") for folder in folders}
    environment = Pages(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(HERE / "templates"), jinja2.PrefixLoader(games)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=as_browsers_write,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals = {"icon": icon, "static": static, "range": range}
    environment.filters["plain"] = plain
    environment.compiler = Compiler(environment)
    return environment


def can_be_drawn(environment: Pages, game: str) -> bool:
    try:
        environment.compiler.reached(TABLE, game)
    except DataError as mistake:
        log("error", mistake=mistake)
        return False
    return True


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
