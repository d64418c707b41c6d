"""Any game as a PettingZoo environment (AEC: agents act one after another). Needs the extra `pettingzoo`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.phrase import Refusal, Refused
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.lab.batch import Reward, by_score
from polikarp.lab.rows import Round, sight_row, width_of, worth

LARGEST = 2**31 - 1  # of a number in a sight, either way


class TableEnv(AECEnv):  # type: ignore[misc]
    """A table: `agents` are its seats. Observations are what the seat knows, with a mask of its legal moves."""

    metadata: ClassVar[dict[str, Any]] = {"name": "polikarp_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Mapping[str, OptionValue] | None = None,
        reward: Reward = "win",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = game
        self.by_score = by_score(reward)
        self.render_mode = render_mode
        self.blank = game.empty(seats, options or {})
        self.state_now = self.blank.copy()
        self.moves = self.blank.move_count()
        self.round = Round(seats) if self.blank.let_go() >= 0 else None
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        row = self.row_space(seats, options)
        mask = spaces.Box(0, 1, (self.moves,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": row, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.moves) for agent in self.possible_agents}

    def row_space(self, seats: int, options: Mapping[str, OptionValue] | None) -> spaces.Box:
        """The bounds of every number, where the game says them."""
        try:
            columns = self.game.observation_spec(seats, options).columns
        except UsageError:
            return spaces.Box(-LARGEST, LARGEST, (int(width_of(self.blank)),), np.int64)
        low, high = ([getattr(column, end) for column in columns] for end in ("low", "high"))
        return spaces.Box(np.array(low, np.int64), np.array(high, np.int64), dtype=np.int64)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        drawn = np.random.SeedSequence().entropy if seed is None else seed
        self.chance = FastRng(("pettingzoo", drawn))
        self.state_now = self.blank.copy()
        self.state_now.deal(self.chance)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self.round is not None:
            self.round.begin(self.state_now)
        self.agent_selection = self.possible_agents[first_seat(self.asked())]

    def asked(self) -> int:
        """The seats whose decision is wanted: where the first counts, all that may act and have not chosen yet."""
        return self.state_now.waiting if self.round is None else self.round.left

    def legal(self, seat: int) -> list[int]:
        if not self.asked() >> seat & 1:
            return []
        if self.round is None:
            return self.state_now.moves(seat)
        return [self.state_now.legal[at] for at in range(self.round.list_moves(self.state_now, seat))]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        seat = self.seat_of[agent]
        mask = np.zeros(self.moves, np.int8)
        mask[self.legal(seat)] = 1
        return {"observation": np.array(sight_row(self.state_now, seat), np.int64), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat, move = self.seat_of[agent], -1 if action is None else int(action)
        if move not in self.legal(seat):
            raise Refused(self.state_now.why_not(seat, move) or Refusal("", "no_such_move", {"move": move}))
        self.make(seat, move)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.state_now.waiting:
            self.agent_selection = self.possible_agents[first_seat(self.asked())]
        else:
            for each in self.agents:
                self.rewards[each] = worth(self.state_now, self.seat_of[each], self.by_score)
                self.terminations[each] = True
            self.agent_selection = self.agents[0]
        self._accumulate_rewards()

    def make(self, seat: int, move: int) -> None:
        if self.round is None:
            self.state_now.apply(seat, move, self.chance)
        elif self.round.choose(seat, move):
            self.round.finish(self.state_now, self.chance)
            self.round.begin(self.state_now)

    def render(self) -> str | None:
        """The table as a watcher sees it, as text."""
        if self.render_mode is None:
            return None
        view = self.game.view(self.state_now, None)
        return "\n".join(self.game.table_text(view, self.game.words("en"), self.possible_agents))

    def close(self) -> None:
        pass
