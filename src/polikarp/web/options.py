"""The options of a game on pages: as a form asks for them, and as a table tells them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.option import Option, OptionValue
from polikarp.engine.words import plain
from polikarp.web.render import Speaker

OWN = "_own"  # the field for a value that is written, where the list is not all that is allowed


def options_in(game: Game, fields: Mapping[str, str]) -> dict[str, OptionValue]:
    """What a form chose. A box that is not ticked is not sent."""
    chosen: dict[str, OptionValue] = {}
    for option in game.options:
        written = fields.get(option.name + OWN, "").strip()
        if isinstance(option.default, bool):
            chosen[option.name] = option.name in fields
        elif written or option.name in fields:
            chosen[option.name] = written or fields[option.name]
    return chosen


def choice_words(game: Game, option: Option, value: OptionValue, speaker: Speaker) -> str:
    """A value of an option, as people say it."""
    if isinstance(value, bool):
        return speaker.page("option_on" if value else "option_off")
    if isinstance(value, float):
        value = f"{value:g}"
    named = game.words(speaker.language).find("option", option.name, "choices", str(value))
    return named or (plain(value) if isinstance(value, str) and value in option.choices else str(value))


class OptionWords(msgspec.Struct, frozen=True):
    """What a form says about an option: its name, what it does, and how a value of one's own is written."""

    name: str
    help: str
    own: str


def option_words(game: Game, option: Option, language: str) -> OptionWords:
    words = game.words(language)
    return OptionWords(
        words.find("option", option.name, "name") or plain(option.name),
        words.find("option", option.name, "help") or "",
        words.find("option", option.name, "own") or option.allowed(),
    )
