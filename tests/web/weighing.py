"""Finished games in which one seat considered every move that it could make, with numbers that are known."""

from __future__ import annotations

from pathlib import Path

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.record import Record, RecordedMove, read_record, replay
from polikarp.engine.thoughts import Candidate, Thoughts, keep_best
from polikarp.games import find_game
from tests.test_playthroughs import GOLDEN

WEIGHING = 1  # the seat that does


def golden(name: str) -> tuple[Game, Record]:
    record = read_record(Path(GOLDEN, f"{name}.json").read_bytes())
    return find_game(record.game), record


def weighed(name: str) -> Record:
    """A golden record with thoughts."""
    game, record = golden(name)
    table = replay(game, record)
    moves: list[RecordedMove] = []
    for move, step in zip(record.moves, table.steps, strict=True):
        thoughts = None
        if step.seat == WEIGHING and step.before is not None:
            legal = game.load(table.seats, step.before, table.options).moves(step.seat)
            thoughts = considered(game, legal, move.move) if len(legal) > 1 else None
        moves.append(msgspec.structs.replace(move, thoughts=thoughts))
    return msgspec.structs.replace(record, polikarp=4, moves=moves)


def considered(game: Game, legal: list[int], chosen: str) -> Thoughts | None:
    """The chosen move was tried 1000 times, each of the others less often than the one before it."""
    texts = sorted((game.text(move) for move in legal), key=lambda text: text != chosen)
    return keep_best(
        [Candidate(text, 1000 // (at + 1), round(0.9 / (at + 1), 3)) for at, text in enumerate(texts)], chosen
    )


def moments(record: Record) -> list[int]:
    """After which moves there is something to show, the one with the most first."""
    found = [(number, move.thoughts) for number, move in enumerate(record.moves, 1) if move.thoughts is not None]
    return [number for number, thoughts in sorted(found, key=lambda one: -len(one[1].best) - one[1].others)]
