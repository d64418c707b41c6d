"""Heroes' Gold (Złoto bohaterów): monsters rob the king's castle together, and each wants the most gold. Three to six
players."""

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
from polikarp.games.gold.bot import GreedyBot
from polikarp.games.gold.cards import FEWEST, MOST, Cards
from polikarp.games.gold.notation import move_text, parse_move
from polikarp.games.gold.rules import FACTIONS, Gold
from polikarp.games.gold.stack import stacked
from polikarp.games.gold.style import QuickStyle
from polikarp.games.gold.text import board_text, end_text, levels_text
from polikarp.games.gold.view import Board, board_view, choices, prompt_phrase, with_factions


class GoldGame(Game):
    id = "gold"
    version = 1
    seats = range(FEWEST, MOST + 1)  # gold.1
    factions = FACTIONS  # gold.6
    longest = 360  # gold.19: six rounds of twelve slots, each filled and then replaced at most four times
    options = (
        Option("sorted_guards", False),  # gold.30
        Option("kings_orders", False),  # gold.31
        Option("starting_gold", 8, choices=(8, 5)),  # gold.7
    )
    folder = Path(__file__).parent

    def __init__(self, data_file: Path = folder / "cards.toml") -> None:
        data = read_data(data_file)
        self.data = data.given
        self.cards = Cards(data)

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Gold:
        state = Gold(self.cards, seats)
        state.sorted_guards = int(options["sorted_guards"])
        state.kings_orders = int(options["kings_orders"])
        state.start_gold = int(options["starting_gold"])
        return state

    def text(self, move: int) -> str:
        return move_text(move)

    def parse(self, text: str) -> int:
        return parse_move(text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Gold)
        return board_view(sight, seat)

    def dressed(self, board: Any, factions: Sequence[str]) -> Board:
        assert isinstance(board, Board)
        return with_factions(board, factions)

    def prompt(self, sight: State, seat: int) -> Phrase:
        assert isinstance(sight, Gold)
        return prompt_phrase(sight, seat)

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        ending = [] if view.result is None else ["", *end_text(view.result, words, names)]
        return [*board_text(view.board, words, names), *ending]

    def shown(self, view: View, told: Sequence[Phrase], played: Played) -> dict[str, Any]:
        return msgspec.structs.asdict(choices(view.moves))

    def explain(self, view: View, words: Words) -> list[str]:
        return levels_text(view.board, words)

    def things(self, event: Event) -> list[tuple[str, str]]:
        if event.key == "reveal":
            return [("guard", f"{event.args['printed']} with loot {event.args['loot']}")]
        if event.key == "order":
            return [("order", str(event.args["order"]))]
        if event.key in ("replace", "replace_share", "replace_own"):
            return [("replacing with", str(event.args["strength"]))]
        return [("placing", str(event.args["strength"]))] if event.key == "place" else []

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        return stacked(self.cards, seats, wanted)

    def with_data(self, path: Path) -> GoldGame:
        return GoldGame(path)

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": GreedyBot}

    def style(self) -> Style:
        return QuickStyle()


game = GoldGame()
