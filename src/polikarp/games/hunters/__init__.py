"""Monster Hunters (Pogromcy potworów): a race of eyes and hands for two to eight players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polikarp.engine.bot import Bot
from polikarp.engine.data import Data, read_data
from polikarp.engine.game import Game, Played, View
from polikarp.engine.option import Option, OptionValue, UsageError
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.race import Intent, Race, Timing
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.engine.words import Words
from polikarp.games.hunters.bot import GreedyBot
from polikarp.games.hunters.cards import SYMBOLS, Cards
from polikarp.games.hunters.drawing import HUES, drawing
from polikarp.games.hunters.hunts import hunts, last_hunts, taking
from polikarp.games.hunters.levels import PLAIN, intend, level_bots, level_of, levels, reaction
from polikarp.games.hunters.notation import move_text, parse_move
from polikarp.games.hunters.practice import Plot, plot, practice, practising
from polikarp.games.hunters.rules import NOBODY, RANDOM, Hunters
from polikarp.games.hunters.stack import stacked
from polikarp.games.hunters.text import board_text, end_text
from polikarp.games.hunters.view import board_view, prompt_phrase, race_targets


class HuntersGame(Game):
    id = "hunters"
    version = 2
    seats = range(2, 9)  # hunters.1
    longest = 3600
    options = (
        Option("failed_attacks", True),  # hunters.4
        Option("first", "random", choices=("random",), pattern="[1-8]", example="2"),  # hunters.5
        Option("calm", 0, low=0, high=60),  # hunters.35
        Option("pace", 2.0, low=0.8, high=5, timing=True),  # hunters.31
    )
    rest = 2.5  # hunters.31: seconds from a taking to the next card at least
    folder = Path(__file__).parent

    def __init__(self, data_file: Path = folder / "cards.toml") -> None:
        data = read_data(data_file)
        self.data = data.given
        self.cards = Cards(data)

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Hunters:
        first = str(options["first"])
        wanted = RANDOM if first == "random" else int(first) - 1
        if wanted >= seats:
            raise UsageError(f"option first can not be {first} at a table for {seats}; right is: 1 to {seats}")
        return Hunters(self.cards, seats, bool(options["failed_attacks"]), bool(options["calm"]), wanted)

    def text(self, move: int) -> str:
        return move_text(move)

    def parse(self, text: str) -> int:
        return parse_move(text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Hunters)
        return board_view(sight, seat)

    def prompt(self, sight: State, seat: int) -> Phrase:
        assert isinstance(sight, Hunters)
        return prompt_phrase(sight, seat)

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        ending = [] if view.result is None else ["", *end_text(view.board, words, names)]
        return [*board_text(view.board, words, names), *ending]

    def things(self, event: Event) -> list[tuple[str, str]]:
        return [("monster", str(event.args["priority"]))] if event.key in ("catch", "mistake") else []

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        return stacked(self.cards, seats, options, wanted)

    def with_data(self, path: Path) -> HuntersGame:
        return HuntersGame(path)

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": GreedyBot, **level_bots(), "strong": level_bots()[PLAIN["strong"]]}

    def race(self, state: State) -> Race:
        assert isinstance(state, Hunters)
        return race_targets(state)

    def timing(self, options: Mapping[str, OptionValue]) -> Timing:
        return Timing(float(options["pace"]), float(options["calm"]), self.rest)  # hunters.31, hunters.35

    def racers(self) -> list[str]:
        return list(levels())

    def intend(self, racer: str, view: View, rng: Rng) -> Intent | None:
        return intend(level_of(racer), view.board, rng)

    def reaction(self, reflexes: str, sight: State, rng: Rng) -> float:
        assert isinstance(sight, Hunters)
        return reaction(level_of(reflexes or PLAIN["greedy"]), sight.open_count(), rng)

    def secret(self, state: State) -> bool:
        assert isinstance(state, Hunters)
        return state.racing != NOBODY  # hunters.35: only answers in a calm race are secret

    def shown(self, view: View, told: Sequence[Phrase], played: Played) -> dict[str, Any]:
        *ended, now = last_hunts(told)
        return {
            "open": now.cards,
            "taking": taking(ended[-1]) if ended else None,
            "practice": self.practice(told, played),
        }

    def practice(self, told: Sequence[Phrase], played: Played) -> Plot | None:
        """How somebody does who practises alone."""
        seat = practising(played.levels)
        if seat is None:
            return None
        story = hunts((one.key, one.args) for one in told)
        return plot(practice(seat, story, played.finishes, played.milliseconds))

    def page_data(self, seats: int) -> dict[str, Any]:
        drawings = [(priority, drawing(priority)) for priority in self.cards.priority]
        return {"drawings": drawings, "hues": HUES, "symbols": SYMBOLS}


game = HuntersGame()
