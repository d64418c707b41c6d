"""Any game as an OpenSpiel game.

What the rules draw becomes chance nodes: a move is tried, and where it asks for a draw that nobody made yet, OpenSpiel
makes it and the move is tried again. So the tree is exact, and exploitability and the like can be computed where it is
small enough. Needs the extra `openspiel`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State, first_seat
from polikarp.lab.batch import Reward, by_score
from polikarp.lab.rows import Round, sight_row, width_of, worth

MOST_OUTCOMES = 1024  # of one draw
LARGEST_SCORE = 10_000.0  # either way


class Asked(Exception):
    """The rules want a draw that is not there yet."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


class Asking(Rng):
    """Gives the draws that were made, and asks for the next."""

    def __init__(self, draws: list[int]) -> None:
        self.draws = list(reversed(draws))

    def below(self, bound: int) -> int:
        if bound == 1:
            return 0
        if not self.draws:
            raise Asked(bound)
        return self.draws.pop()


class Position:
    """A state, a step that waits for its draws, and what each seat remembers of the way there."""

    def __init__(self, game: TableGame) -> None:
        state = game.blank.blank()
        self.game = game
        self.state = state
        self.step: tuple[int, int] | None = None  # seat and move; none: the deal
        self.round = Round(state.seats) if state.let_go() >= 0 else None
        self.draws: list[int] = []
        self.bound = 0  # of the draw that is asked for; 0 when the step is done
        self.memory = [b""] * int(state.seats)
        self.seen = [b""] * int(state.seats)
        self.attempt()

    def attempt(self) -> None:
        trial = self.state.copy()
        try:
            if self.step is None:
                trial.deal(Asking(self.draws))
            else:
                self.carry_out(trial, *self.step, Asking(self.draws))
        except Asked as asked:
            self.bound = asked.bound
            return
        self.state, self.draws, self.bound = trial, [], 0
        if self.round is not None:
            self.round.begin(trial)
        for seat in range(int(trial.seats)):
            sight = trial.sight(seat).to_bytes()
            if sight != self.seen[seat]:
                self.seen[seat] = sight
                self.remember(seat, sight)

    def carry_out(self, trial: State, seat: int, move: int, chance: Rng) -> None:
        if self.round is None:
            trial.apply(seat, move, chance)
        else:
            self.round.finish(trial, chance)

    def asked(self) -> int:
        """The seats whose decision is wanted: where the first counts, all that may act and have not chosen yet."""
        return self.state.waiting if self.round is None else self.round.left

    def moves(self, seat: int) -> list[int]:
        if self.round is None:
            return self.state.moves(seat)
        return [self.state.legal[at] for at in range(self.round.list_moves(self.state, seat))]

    def remember(self, seat: int, what: bytes) -> None:
        """A mark of all that the seat saw and did, one after another."""
        self.memory[seat] = hashlib.sha256(self.memory[seat] + what).digest()

    def play(self, seat: int, move: int) -> None:
        self.step = (seat, move)
        self.remember(seat, b"move %d" % move)
        if self.round is None or self.round.choose(seat, move):
            self.attempt()

    def draw(self, outcome: int) -> None:
        self.draws.append(outcome)
        self.attempt()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        twin = object.__new__(Position)
        twin.game, twin.state = self.game, self.state.copy()
        twin.step, twin.bound = self.step, self.bound
        twin.round = None if self.round is None else self.round.copy()
        twin.draws, twin.memory, twin.seen = list(self.draws), list(self.memory), list(self.seen)
        return twin


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its seats and options. The reward is the share of the win beyond a fair one, or the score."""

    def __init__(
        self, game: Game, seats: int, options: Mapping[str, OptionValue] | None = None, reward: Reward = "win"
    ) -> None:
        self.rules = game
        self.by_score = by_score(reward)
        self.blank = game.empty(seats, options or {})
        most = LARGEST_SCORE if self.by_score else 1.0
        kinds = pyspiel.GameType
        kind = kinds(
            short_name=f"polikarp_{game.id}",
            long_name=f"Polikarp: {game.id}",
            dynamics=kinds.Dynamics.SEQUENTIAL,
            chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kinds.Information.IMPERFECT_INFORMATION,
            utility=kinds.Utility.GENERAL_SUM,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=seats,
            min_num_players=seats,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=self.blank.move_count(),
            max_chance_outcomes=MOST_OUTCOMES,
            num_players=seats,
            min_utility=-most,
            max_utility=most,
            max_game_length=game.longest * (seats if self.blank.let_go() >= 0 else 1),
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> TableState:
        return TableState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        return Observer(self, kind is not None and kind.perfect_recall)


class TableState(pyspiel.State):  # type: ignore[misc]
    """A position as OpenSpiel knows it."""

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        self.position = Position(game)

    def current_player(self) -> int:
        if self.position.bound:
            return int(pyspiel.PlayerId.CHANCE)
        asked = self.position.asked()
        return int(first_seat(asked)) if asked else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        return not self.position.bound and not self.position.state.waiting

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.moves(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        bound = self.position.bound
        return [(outcome, 1 / bound) for outcome in range(bound)]

    def _apply_action(self, action: int) -> None:
        if self.position.bound:
            self.position.draw(action)
        else:
            self.position.play(self.current_player(), action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"draw {action}" if player == pyspiel.PlayerId.CHANCE else self.position.game.rules.text(action)

    def returns(self) -> list[float]:
        state, by_score = self.position.state, self.position.game.by_score
        return [worth(state, seat, by_score) if self.is_terminal() else 0.0 for seat in range(int(state.seats))]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> TableState:
        """Another position that the player can not tell from this one."""
        twin: TableState = self.clone()
        chance = FastRng(("resample", sampler()))
        twin.position.state = self.position.state.imagine(player, chance)
        if twin.position.round is not None:
            twin.position.round.imagine(twin.position.state, player, chance)
        return twin

    def __str__(self) -> str:
        position = self.position
        chosen = [] if position.round is None else list(position.round.chosen)
        return f"{position.state.to_bytes().hex()} {position.step} {position.draws} {chosen}"


class Observer:
    """What a player sees, as numbers and as text; with perfect recall the text stands for the whole way there."""

    def __init__(self, game: TableGame, perfect_recall: bool) -> None:
        self.perfect_recall = perfect_recall
        self.tensor = np.zeros(int(width_of(game.blank)), np.float32)
        self.dict = {"sight": self.tensor}

    def set_from(self, state: TableState, player: int) -> None:
        self.tensor[:] = sight_row(state.position.state, player)

    def string_from(self, state: TableState, player: int) -> str:
        position = state.position
        return (position.memory if self.perfect_recall else position.seen)[player].hex()
