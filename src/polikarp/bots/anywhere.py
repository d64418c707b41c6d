"""Bots from anywhere, by what is written on the command line:

`greedy`, `strong:level=hard`         bots of this house (`make_bot`)
`careful`, `careful(depth=3)`         announced by an installed package, as an entry point of `polikarp.bots`
`mybots:Careful(depth=3)`             a class in a module that Python finds, also in the folder where one is
`exec:./mybot --fast`                 a program (`program.py`); `exec(seconds=2):./mybot` gives it so long for a move

Settings are plain values and are never run. Only commands come here: a server seats bots of the house alone.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from polikarp.bots import LONGEST as MOST_SEARCH
from polikarp.bots import bot_types, make_bot
from polikarp.bots.program import MOST_SECONDS, SECONDS, ProgramBot, program_bot
from polikarp.bots.search import StrongBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError

GROUP = "polikarp.bots"
IMPORTED = re.compile(r"(?P<module>[^\W\d][\w.]*):(?P<name>[^\W\d][\w.]*)(?P<settings>\(.*\))?", re.DOTALL)
INSTALLED = re.compile(r"(?P<name>[\w.-]+)(?P<settings>\(.*\))?", re.DOTALL)
EXECUTED = re.compile(r"exec(?P<settings>\([^)]*\))?:(?P<command>.*)", re.DOTALL)
QUOTES, OPENING, CLOSING = "'\"", "([{", ")]}"


def split_bots(text: str) -> list[str]:
    """The bots of a list: commas inside brackets or quotes part nothing."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if letter == "," and not depth and not quote:
            parts.append("")
            continue
        parts[-1] += letter
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES:
            quote = letter
        else:
            depth += (letter in OPENING) - (letter in CLOSING)
    return [part.strip() for part in parts] if text.strip() else []


def find_bot(game: Game, name: str) -> Bot:
    """A bot for the game; it is not started before it plays."""
    if executed := EXECUTED.fullmatch(name):
        return program_bot(game, executed["command"].strip(), read_seconds(name, executed["settings"] or "()"))
    if re.split(r"[:(]", name)[0] in bot_types(game):
        return make_bot(game, name)
    if imported := IMPORTED.fullmatch(name):
        made = imported_from(imported["module"], imported["name"])
        return build(f"{imported['module']}:{imported['name']}", made, imported["settings"] or "()")
    announced = installed()
    if (asked := INSTALLED.fullmatch(name)) and asked["name"] in announced:
        return build(asked["name"], load(announced[asked["name"]]), asked["settings"] or "()")
    known = ", ".join([*bot_types(game), *announced])
    raise UsageError(
        f"there is no bot {name[:40]!r} for {game.id}; the bots are: {known}; "
        "your own are written module:Class or exec:command"
    )


def by_the_clock(game: Game, name: str) -> bool:
    """Whether it may depend on the clock what a bot plays: then the same seed need not give the same games."""
    bot = find_bot(game, name)
    return isinstance(bot, ProgramBot) or (isinstance(bot, StrongBot) and bot.seconds < MOST_SEARCH)


def installed() -> dict[str, EntryPoint]:
    """The bots that installed packages announce, by name."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def load(point: EntryPoint) -> Callable[..., Any]:
    try:
        made: Callable[..., Any] = point.load()
    except Exception as reason:
        raise UsageError(f"the bot {point.name} can not be loaded from {point.value}: {reason}") from None
    return made


def imported_from(module: str, name: str) -> Callable[..., Any]:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except Exception as reason:
        raise UsageError(f"the module {module} can not be imported: {type(reason).__name__}: {reason}") from None
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise UsageError(f"there is no class {name} in the module {module}")
    made: Callable[..., Any] = found
    return made


def build(name: str, made: Callable[..., Any], settings: str) -> Bot:
    values, named = read_settings(name, settings)
    try:
        bot = made(*values, **named)
    except Exception as reason:
        raise UsageError(f"{name}{settings} can not be made: {type(reason).__name__}: {reason}") from None
    if not isinstance(bot, Bot):
        raise UsageError(f"{name} is no bot; right is: a class made from polikarp.engine.bot.Bot")
    return bot


def read_settings(name: str, settings: str) -> tuple[list[Any], dict[str, Any]]:
    """What is written in brackets, as plain values; nothing of it is run."""
    try:
        call = ast.parse(f"made{settings}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg is not None}
        if len(named) < len(call.keywords):
            raise ValueError
        return [ast.literal_eval(value) for value in call.args], named
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(
            f"the settings of {name} can not be {settings[:40]!r}; right are plain values, as in (depth=3)"
        ) from None


def read_seconds(name: str, settings: str) -> float:
    values, named = read_settings("exec", settings)
    seconds = named.pop("seconds", SECONDS)
    if values or named or not isinstance(seconds, int | float) or not 0 < seconds <= MOST_SECONDS:
        raise UsageError(f"exec does not know {settings[:40]!r}; right is: exec(seconds=S):command, S up to 3600")
    return float(seconds)
