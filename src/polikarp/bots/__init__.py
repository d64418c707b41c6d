"""Bots of the house by name. Those of this folder play any game; a game's own folder may add to them."""

from __future__ import annotations

from polikarp.bots.random import RandomBot
from polikarp.bots.search import MOST, SearchBot, StrongBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.thoughts import Candidate, Thoughts, keep_best

# The levels of `strong`: simulations for each move, and how many moves in a hundred are any move.
LEVELS = {"easy": (20, 40), "medium": (40, 0), "hard": (400, 0), "champion": (MOST, 0)}
LONGEST = 3600.0  # seconds that may be asked for


def bot_types(game: Game) -> dict[str, type[Bot]]:
    """Every bot that can play the game."""
    own = game.bots()
    return {"random": RandomBot, **own, "strong": own.get("strong", StrongBot)}


def bot_levels(game: Game) -> list[str]:
    """The bots that can be seated at a table, from the weakest to the strongest. All think for under 1 s.

    `benchmarks/strong.py --ladder` measures whether each beats the one below. Where the first counts they are others,
    with human limits.
    """
    if game.racers():
        return game.racers()
    return ["random", "strong:level=easy", *game.bots(), "strong:level=medium", "strong:level=hard", "strong"]


def make_bot(game: Game, name: str) -> Bot:
    """A bot from its name, written as on the command line: `greedy`, `strong:level=hard`, `strong:simulations=500`."""
    base, *settings = name.split(":")
    types = bot_types(game)
    if base not in types:
        raise UsageError(f"there is no bot {base[:40]!r} for {game.id}; the bots are: {', '.join(types)}")
    bot = types[base]()
    if isinstance(bot, StrongBot):
        bot.style = game.style() or bot.style
    for setting in settings:
        if not isinstance(bot, StrongBot):
            raise UsageError(f"bot {base} has no settings, but {setting[:40]!r} was given")
        set_up(bot, setting)
    return bot


def set_up(bot: StrongBot, setting: str) -> None:
    """Change one setting of the search, written key=value."""
    key, _, value = setting.partition("=")
    if key == "level" and value in LEVELS:
        bot.simulations, bot.slips = LEVELS[value]
    elif key == "simulations" and value.isascii() and value.isdigit() and 0 < int(value[:10]) <= 10**9:
        bot.simulations, bot.seconds = int(value), LONGEST
    elif key == "seconds" and (seconds := seconds_of(value)) is not None:
        bot.seconds = seconds
    else:
        levels = ", ".join(LEVELS)
        raise UsageError(
            f"strong does not know {setting[:40]!r}; right is: level=LEVEL ({levels}), simulations=N or seconds=S"
        )


def seconds_of(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 < seconds <= LONGEST else None


def thoughts_of(game: Game, bot: Bot, move: int) -> Thoughts | None:
    """What a bot considered before the move that it just chose; None if it does not search, or had no choice."""
    if not isinstance(bot, SearchBot):
        return None
    considered = [Candidate(game.text(one.move), one.visits, one.value) for one in bot.thoughts]
    return keep_best(considered, game.text(move))
