"""How the levels of bots rank in Monster Hunters: `python benchmarks/levels.py [GAMES]`.

Four bots, one of each level, on seats that change from game to game; then each level alone against the one below.
Cards turn up at the usual pace, every bot intends what it does from what lies open, and the code that decides between
people decides between them.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Sequence

from polikarp.engine.rng import FastRng
from polikarp.games.hunters import game
from polikarp.games.hunters.levels import Level, intend, levels
from polikarp.games.hunters.rules import Hunters
from polikarp.games.hunters.view import Board
from polikarp.lab.match import win_shares
from polikarp.server.race.latency import Latency
from polikarp.server.race.photo import Player, Slap, decide, window

PACE = 2000.0  # milliseconds from card to card
REST = max(PACE, game.rest * 1000)  # from a taking to the first card after it
HERE = Latency()


class Hunt:
    """One game between bots, with a clock of its own."""

    def __init__(self, seated: Sequence[Level], seed: object) -> None:
        self.seated = seated
        self.rng = FastRng(seed)
        state = game.start(len(seated), {}, self.rng)
        assert isinstance(state, Hunters)
        self.state = state
        self.now = 0.0
        self.sent: dict[int, float] = {}  # by card of this round
        self.slaps: dict[int, Slap] = {}  # by seat: what it has begun to do
        self.catches: list[float] = []  # the time of each slap that counted

    def play(self) -> None:
        while self.state.waiting:
            self.show_card()
            while self.slaps and min(slap.heard for slap in self.slaps.values()) < self.now + PACE:
                if self.race():
                    break
            else:
                self.now += PACE

    def show_card(self) -> None:
        """Turn up, or wait where nothing is left to turn up; everybody looks again."""
        state = self.state
        if state.waiting == 1 << state.turn:
            state.apply(state.turn, game.parse("flip"), self.rng)
            self.sent[state.open_count()] = self.now
        board = game.view(state, None).board
        assert isinstance(board, Board)
        for seat, level in enumerate(self.seated):
            intent = None if seat in self.slaps else intend(level, board, self.rng)
            if intent is not None:
                self.slaps[seat] = Slap(seat, intent.target, board.table, board.card, self.now + intent.after)

    def race(self) -> bool:
        """Decide between the next slap and those that come within the window; says whether one counted."""
        closes = min(slap.heard for slap in self.slaps.values()) + window([HERE])
        heard = [slap for slap in self.slaps.values() if slap.heard <= closes]
        players = {seat: Player(HERE, 0.0, self.sent) for seat in range(len(self.seated))}
        decision = decide(game.race(self.state), players, heard)
        if decision.seat is None or decision.move is None:
            for slap in heard:
                del self.slaps[slap.seat]
            return False
        self.catches += [finish.time for finish in decision.strip.finishes if finish.outcome == "counts"]
        self.state.apply(decision.seat, game.parse(decision.move), self.rng)
        self.slaps.clear()
        self.sent.clear()
        self.now = closes + REST
        return True


def run_games(games: int, names: Sequence[str]) -> dict[str, tuple[float, float, float]]:
    """By level: share of wins, mean score, mistakes a game."""
    wins = dict.fromkeys(names, 0.0)
    scores: dict[str, list[int]] = {name: [] for name in names}
    mistakes = dict.fromkeys(names, 0)
    for number in range(games):
        order = [names[(number + seat) % len(names)] for seat in range(len(names))]
        hunt = Hunt([levels()[name] for name in order], number)
        hunt.play()
        result = game.result(hunt.state)
        assert result is not None
        shares = win_shares(result)
        board = game.view(hunt.state, None).board
        assert isinstance(board, Board)
        for seat, name in enumerate(order):
            wins[name] += shares[seat]
            scores[name].append(result.scores[seat])
            mistakes[name] += len(board.hunters[seat].mistakes)
    return {name: (wins[name] / games, statistics.fmean(scores[name]), mistakes[name] / games) for name in names}


def minutes_line(games: int, seats: int) -> str:
    """How long games between casual players take."""
    minutes = []
    for number in range(games):
        hunt = Hunt([levels()["casual"]] * seats, (seats, number))
        hunt.play()
        minutes.append(hunt.now / 60_000)
    marks = statistics.quantiles(minutes, n=20)
    return f"{statistics.median(minutes):.1f} | {marks[0]:.1f} and {marks[-1]:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="How the levels of bots rank.")
    parser.add_argument("games", type=int, nargs="?", default=1000)
    games = max(4, parser.parse_args().games)
    names = [name for name in levels() if name != "still"]
    print("| players | minutes a game, median | of ten games nine are between |\n|---|---|---|")
    for seats in game.seats:
        print(f"| {seats} | {minutes_line(max(20, games // 10), seats)} |")
    print("\n| level | wins | mean score | mistakes a game |\n|---|---|---|---|")
    for name, (share, score, wrong) in run_games(games, names).items():
        print(f"| {name} | {share:.1%} | {score:.1f} | {wrong:.2f} |")
    print("\n| two players | wins, 95 % | mean scores |\n|---|---|---|")
    for below, name in itertools.pairwise(names):
        found = run_games(games, [name, below])
        share, half = found[name][0], 1.96 * math.sqrt(found[name][0] * (1 - found[name][0]) / games)
        scores = f"{found[name][1]:.1f} : {found[below][1]:.1f}"
        print(f"| {name} against {below} | {share:.1%} ± {half:.1%} | {scores} |")


if __name__ == "__main__":
    main()
