"""Why a bot played what it played: what it had considered, for the replay of a finished game."""

from __future__ import annotations

import contextlib
from collections import Counter

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.phrase import Event
from polikarp.engine.rng import Chance, NoChance
from polikarp.engine.state import Log, State, bit, seats_of
from polikarp.engine.table import Step
from polikarp.web.render import Speaker

BAR = 100  # length of the bar of a move that was tried always


class Considered(msgspec.Struct, frozen=True):
    """A move that was considered. `value` is a percentage, `bar` is as long as the move's part of all tries."""

    text: str
    value: int
    visits: int
    bar: float
    played: bool


class Why(msgspec.Struct, frozen=True):
    """What a bot considered before a move. `mixed`: it decided at once with others, and drew its move by the shares."""

    seat: int
    moves: list[Considered]
    visits: int
    others: int
    other_visits: int
    mixed: bool
    drawn: bool  # from what its style settled, so that nobody can guess it


def why_of(game: Game, before: State, step: Step, speaker: Speaker) -> Why | None:
    """Why a move was made in the position before it; None if nothing was considered."""
    thoughts = step.thoughts
    if thoughts is None:
        return None
    all_visits = max(thoughts.visits, 1)
    texts = told_moves(game, before, step.seat, [one.move for one in thoughts.best], speaker)
    played = game.text(step.move)
    style = game.style()
    return Why(
        seat=step.seat,
        moves=[
            Considered(
                text=text,
                value=round(100 * one.value),
                visits=one.visits,
                bar=round(BAR * one.visits / all_visits, 1),
                played=one.move == played,
            )
            for text, one in zip(texts, thoughts.best, strict=True)
        ],
        visits=thoughts.visits,
        others=thoughts.others,
        other_visits=thoughts.other_visits,
        mixed=len(seats_of(before.sight(step.seat).waiting)) > 1,
        drawn=style is not None and style.knows(before),
    )


def told_moves(game: Game, before: State, seat: int, moves: list[str], speaker: Speaker) -> list[str]:
    """Moves as the log would tell them to the seat; in the game's notation where it would not tell them apart."""
    told = [first_event(before, seat, game.parse(move)) for move in moves]
    texts = [None if event is None else speaker.of_game("event", event.key, event.args) for event in told]
    times = Counter(texts)
    return [text if text is not None and times[text] == 1 else move for text, move in zip(texts, moves, strict=True)]


def first_event(before: State, seat: int, move: int) -> Event | None:
    """The first that the seat would be told of a move, if that is sure before chance comes in."""
    state = before.copy()
    state.log = log = Log()
    with contextlib.suppress(Chance):
        state.apply(seat, move, NoChance())
    return next((event for event in log.events if event.audience & bit(seat)), None)
