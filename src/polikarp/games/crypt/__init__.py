"""Crypt (Krypta): heirs send servants into the king's crypt. One to four players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polikarp.engine.bot import Bot, Style
from polikarp.engine.data import Data, read_data
from polikarp.engine.game import Game, Played, View
from polikarp.engine.option import Option, OptionValue, UsageError
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.state import State
from polikarp.engine.words import Words
from polikarp.games.crypt.bot import GreedyBot
from polikarp.games.crypt.cards import KINDS, Cards
from polikarp.games.crypt.notation import move_text, parse_move
from polikarp.games.crypt.rules import NOBODY, RANDOM, Crypt
from polikarp.games.crypt.stack import stacked
from polikarp.games.crypt.text import board_text, collectors_text, end_text
from polikarp.games.crypt.view import board_view, choices, prompt_phrase


class CryptGame(Game):
    id = "crypt"
    version = 2
    seats = range(1, 5)
    longest = 300
    options = (
        Option("collectors", "A", choices=("A", "B", "random"), pattern="[AB]{6}", example="ABABAA"),  # crypt.5
        Option("first", "random", choices=("random",), pattern="[1-4]", example="1"),  # crypt.7
    )
    folder = Path(__file__).parent

    def __init__(self, data_file: Path = folder / "cards.toml") -> None:
        data = read_data(data_file)
        self.data = data.given
        self.cards = Cards(data)

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Crypt:
        first = str(options["first"])
        leader = NOBODY if first == "random" else int(first) - 1
        if leader >= seats:
            raise UsageError(f"option first can not be {first} at a table for {seats}; right is: 1 to {seats}")
        state = Crypt(self.cards, seats, leader)
        choice = str(options["collectors"])
        for kind in range(6):
            state.wanted[kind] = RANDOM if choice == "random" else "AB".index(choice[kind % len(choice)])
        return state

    def text(self, move: int) -> str:
        return move_text(move)

    def parse(self, text: str) -> int:
        return parse_move(text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Crypt)
        return board_view(sight, seat)

    def prompt(self, sight: State, seat: int) -> Phrase:
        assert isinstance(sight, Crypt)
        return prompt_phrase(sight, seat)

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        ending = [] if view.result is None else ["", *end_text(view.board, words, names)]
        return [*board_text(view.board, words, names), *ending]

    def shown(self, view: View, told: Sequence[Phrase], played: Played) -> dict[str, Any]:
        return msgspec.structs.asdict(choices(view.moves))

    def explain(self, view: View, words: Words) -> list[str]:
        return collectors_text(view.board, words)

    def things(self, event: Event) -> list[tuple[str, str]]:
        if event.key == "begin":
            return [("collector", f"{kind} {side}") for kind, side in zip(KINDS, str(event.args["sides"]), strict=True)]
        if event.key in ("collect", "show"):
            return [("card", f"{event.args['kind']} {event.args['value']}")]
        return []

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        return stacked(self.cards, seats, options, wanted)

    def with_data(self, path: Path) -> CryptGame:
        return CryptGame(path)

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": GreedyBot}

    def style(self) -> Style:
        return GreedyBot()


game = CryptGame()
