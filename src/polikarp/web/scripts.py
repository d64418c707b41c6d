"""What a browser needs to draw tables by itself, as files that it may keep: for each game a script with the templates,
icons and data of its pages, and for each language the words that those templates ask for. Nothing of a table is here.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from polikarp.engine.game import Game
from polikarp.engine.words import Words, fields_of
from polikarp.server.denied import server_words
from polikarp.web.compiled import EVERY, Asked, Compiled, script_of, written
from polikarp.web.render import SEATS, TABLE, fixed_data, icon_bodies, page_words, templates

LOG = ("past_line",)  # what the log says besides the events themselves


class Script:
    """A file by its name, which changes with its contents."""

    def __init__(self, name: str, text: str) -> None:
        self.body = text.encode()
        self.name = f"{name}-{hashlib.sha256(self.body).hexdigest()[:8].upper()}.js"

    @cached_property
    def packed(self) -> bytes:
        return gzip.compress(self.body, 9, mtime=0)


class Scripts:
    """The scripts of all games, made when the server starts."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        folders = tuple(str(game.folder) for game in games.values())
        self.compiler = templates(folders).compiler
        self.pages: dict[tuple[str, int], Script] = {}
        self.words: dict[tuple[str, str], Script] = {}
        for game in games.values():
            parts = self.compiler.reached(TABLE, game.id)
            for seats in game.seats:
                self.pages[game.id, seats] = Script(game.id, pages_text(game, seats, parts))
            for language in game.spoken():
                self.words[game.id, language] = Script(f"words-{game.id}-{language}", words_text(game, language, parts))
        self.files = {script.name: script for script in (*self.pages.values(), *self.words.values())}


def pages_text(game: Game, seats: int, parts: Mapping[str, Compiled]) -> str:
    """A game's pages: `Pages` of client/runtime.ts."""
    fixed = fixed_data(game, seats)
    names = {name for part in parts.values() for name in part.icons}
    names |= {look.emblem for look in SEATS} | set(fixed["emblems"].values())
    icons = {name: icon_bodies()[name] for name in sorted(names) if name in icon_bodies()}
    made = {
        "templates": script_of(dict(parts)),
        "icons": written(icons),
        "data": written(fixed["data"]),
        "emblems": written(fixed["emblems"]),
    }
    return "".join(f"export const {name}={text};\n" for name, text in made.items())


def words_text(game: Game, language: str, parts: Mapping[str, Compiled]) -> str:
    return f"export default {written(words_of(game, language, parts))};\n"


def words_of(game: Game, language: str, parts: Mapping[str, Compiled]) -> dict[str, Any]:
    """The words that a game's pages ask for: `Words` of client/words.ts."""
    asked = asked_by(parts.values())
    words = game.words(language)
    return {
        "game": layers(words, {**asked.game, "event": {EVERY}}),
        "page": layers(page_words(language), {"page": asked.page | asked.game["page"] | set(LOG)}),
        "server": layers(server_words(language), {"event": {"undone"}}),
        "tables": {group: words.tables[group] for group in sorted(asked.tables) if group in words.tables},
    }


def asked_by(parts: Iterable[Compiled]) -> Asked:
    whole = Asked()
    for part in parts:
        whole.page |= part.asked.page
        whole.tables |= part.asked.tables
        for group, keys in part.asked.game.items():
            whole.game.setdefault(group, set()).update(keys)
    return whole


def layers(words: Words, wanted: Mapping[str, set[str]]) -> list[dict[str, Any]]:
    """Words from their own file down to what they fall back to: of each file the texts that are wanted and that can
    ever be said."""
    made: list[dict[str, Any]] = []
    above: dict[tuple[str, str], list[str]] = {}  # texts of the files before, which are asked first
    layer: Words | None = words
    while layer is not None:
        texts: dict[str, dict[str, str]] = {}
        for group, keys in wanted.items():
            for key, text in layer.own.get(group, {}).items():
                if isinstance(text, str) and is_wanted(key, keys) and can_be_said(text, above.get((group, key), [])):
                    texts.setdefault(group, {})[key] = text
                    above.setdefault((group, key), []).append(text)
        if texts or layer is words:
            made.append(
                {
                    "language": layer.language,
                    "texts": texts,
                    "terms": layer.tables.get("term", {}),
                    "seats": layer.seat_args,
                    "like": layer.like,
                }
            )
        layer = layer.fallback
    return made


def is_wanted(key: str, keys: set[str]) -> bool:
    return key in keys or any(one.endswith(EVERY) and key.startswith(one[:-1]) for one in keys)


def can_be_said(text: str, above: Iterable[str]) -> bool:
    """Whether there are arguments for which none of the texts above this one will do."""
    return not any(fields_of(other) <= fields_of(text) for other in above)
