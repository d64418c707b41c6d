"""Melee (Królestwo): the king's sons at war for four seasons, with secret stakes of gold. Two to four players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polikarp.engine.bot import Bot, Style
from polikarp.engine.data import Data, read_data
from polikarp.engine.game import Game, Played, View
from polikarp.engine.option import Option, OptionValue
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.state import State
from polikarp.engine.words import Words
from polikarp.games.melee.boards import Board
from polikarp.games.melee.bot import GreedyBot
from polikarp.games.melee.cards import Cards
from polikarp.games.melee.drawing import draw
from polikarp.games.melee.notation import move_text, parse_move
from polikarp.games.melee.rules import Melee
from polikarp.games.melee.stack import stacked
from polikarp.games.melee.style import MeleeStyle
from polikarp.games.melee.text import abilities_text, board_text, end_text
from polikarp.games.melee.view import board_view, choices, prompt_phrase


class MeleeGame(Game):
    id = "melee"
    version = 2
    seats = range(2, 5)  # melee.1
    longest = 4000
    options = (Option("rules", "basic", choices=("basic", "advanced")),)  # melee.5
    folder = Path(__file__).parent

    def __init__(self, cards_file: Path = folder / "cards.toml", boards_file: Path = folder / "boards.toml") -> None:
        cards, boards = read_data(cards_file), read_data(boards_file)
        self.data = {**cards.given, **boards.given}
        self.cards = Cards(cards)
        self.boards = {players: Board(boards, players) for players in self.seats}
        boards.finish()
        for board in self.boards.values():
            self.cards.check_gold(cards, int(board.marked).bit_count())
        self.drawings = {players: draw(self.data["board"][str(players)]) for players in self.seats}

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Melee:
        return Melee(self.cards, self.boards[seats], seats, options["rules"] == "advanced")

    def text(self, move: int) -> str:
        return move_text(move)

    def parse(self, text: str) -> int:
        return parse_move(text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Melee)
        return board_view(sight)

    def prompt(self, sight: State, seat: int) -> Phrase:
        assert isinstance(sight, Melee)
        return prompt_phrase(sight, seat)

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        ending = [] if view.result is None else ["", *end_text(view.board, words, names)]
        return [*board_text(view.board, words, names), *ending]

    def shown(self, view: View, told: Sequence[Phrase], played: Played) -> dict[str, Any]:
        return msgspec.structs.asdict(choices(view.board, view.moves))

    def page_data(self, seats: int) -> dict[str, Any]:
        return {"map": self.drawings[seats]}

    def explain(self, view: View, words: Words) -> list[str]:
        return abilities_text(view.board, words)

    def things(self, event: Event) -> list[tuple[str, str]]:
        if event.key == "gain":
            return [("ability", str(event.args["ability"]))]
        if event.key in ("go", "capture"):
            return [("province", str(event.args["target" if event.key == "go" else "province"]))]
        return [("unit", str(event.args["unit"]))] if event.key == "recruit" else []

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        return stacked(self.boards[seats], seats, options, wanted)

    def with_data(self, path: Path) -> MeleeGame:
        """A file with a board replaces the boards, any other the cards."""
        return MeleeGame(boards_file=path) if read_data(path).has("board") else MeleeGame(path)

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": GreedyBot}

    def style(self) -> Style:
        return MeleeStyle()

    def look(self, seats: int, seat: int) -> int:
        return self.boards[seats].colour[seat]


game = MeleeGame()
