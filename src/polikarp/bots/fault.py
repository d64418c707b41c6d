"""Asking a bot that may be anybody's: whatever it does wrong is its own fault, and is said in one line.

A bot that raises, is silent or makes a move that is not legal raises `BotFault` here. What that costs it, whoever plays
the game decides.
"""

from __future__ import annotations

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.engine.words import printable

LONGEST_LINE = 300


class BotFault(Exception):
    """A bot can not go on: its seat, and why in one line."""

    def __init__(self, seat: int, reason: str) -> None:
        self.seat = seat
        self.reason = printable(" ".join(reason.split()), LONGEST_LINE)
        super().__init__(f"seat {seat}: {self.reason}")


class ProgramError(Exception):
    """What a bot has to say about itself: its line is shown as it is."""


def chosen(state: State, seat: int, bot: Bot, rng: Rng) -> int:
    """The bot's decision, a legal move."""
    try:
        move = bot.choose(state.sight(seat), seat, rng)
    except Exception as mistake:
        raise fault(seat, mistake) from mistake
    return checked(state, seat, move)


def volunteered(state: State, seat: int, bot: Bot, rng: Rng) -> int:
    """What the bot does unasked, a legal move; -1 for nothing."""
    try:
        move = bot.volunteer(state.sight(seat), seat, rng)
    except Exception as mistake:
        raise fault(seat, mistake) from mistake
    return checked(state, seat, move) if move >= 0 else -1


def begun(state: State, seat: int, bot: Bot, rng: Rng) -> None:
    """Tell the bot that a game begins."""
    try:
        bot.begin(state.sight(seat), seat, rng)
    except Exception as mistake:
        raise fault(seat, mistake) from mistake


def checked(state: State, seat: int, move: int) -> int:
    refusal = state.why_not(seat, move)
    if refusal is None:
        return move
    why = " ".join(part for part in (refusal.rule, refusal.key) if part)
    raise BotFault(seat, f"its move {move} is not legal ({why})")


def fault(seat: int, mistake: Exception) -> BotFault:
    if isinstance(mistake, ProgramError):
        return BotFault(seat, str(mistake))
    return BotFault(seat, f"{type(mistake).__name__}: {mistake}")
