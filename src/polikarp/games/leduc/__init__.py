"""Leduc poker: a worked example of `docs/adding-a-game.md`. It is not offered to players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from polikarp.engine.bot import Bot
from polikarp.engine.game import Game, View
from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.state import State
from polikarp.engine.words import Words
from polikarp.games.leduc.bot import GreedyBot
from polikarp.games.leduc.rules import Leduc
from polikarp.games.leduc.text import board_text
from polikarp.games.leduc.view import board_view, prompt_phrase


class LeducGame(Game):
    id = "leduc"
    version = 1
    seats = range(2, 3)
    longest = 8
    offered = False
    move_texts = ("fold", "call", "raise")
    folder = Path(__file__).parent

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Leduc:
        return Leduc()

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Leduc)
        return board_view(sight)

    def prompt(self, sight: State, seat: int) -> Phrase:
        assert isinstance(sight, Leduc)
        return prompt_phrase(sight, seat)

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        return board_text(view.board, words, names)

    def things(self, event: Event) -> list[tuple[str, str]]:
        return [("hand", str(event.args["rank"]))] if event.key == "show" else []

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": GreedyBot}


game = LeducGame()
