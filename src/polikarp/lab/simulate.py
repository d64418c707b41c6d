"""Many games of the same bots, and their sums."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from polikarp.bots.anywhere import find_bot
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.lab.match import play_match, win_shares

MOST_GAMES = 100_000_000


class Simulation(msgspec.Struct):
    """What `polikarp simulate --json` prints. A number a seat in `wins` (shares of wins) and `scores` (means)."""

    game: str
    seats: int
    games: int
    moves: int
    seconds: float
    wins: list[float]
    scores: list[float]
    errors: list[str]


def seat_bots(bots: Sequence[str], seats: int) -> list[str]:
    """A bot for each seat: one name for all of them, or one name each."""
    if len(bots) == 1:
        return list(bots) * seats
    if len(bots) != seats:
        raise UsageError(f"{len(bots)} bots are named for {seats} seats; name one for all seats, or one for each")
    return list(bots)


def simulate(
    game: Game,
    seats: int,
    games: int,
    bots: Sequence[str],
    seed: object = 0,
    options: Mapping[str, OptionValue] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Play `games` games. The same seed gives the same games, whatever the machine or the build."""
    if not 1 <= games <= MOST_GAMES:
        raise UsageError(f"{games} games can not be played; right is: 1 to {MOST_GAMES}")
    game.check_seats(seats)
    chosen = read_options(game.options, options or {})
    named = seat_bots(bots, seats)
    players = [find_bot(game, name) for name in named]
    sums = Simulation(game.id, seats, games, 0, 0.0, [0.0] * seats, [0.0] * seats, [])
    played = 0
    began = time.perf_counter()
    for number in range(games):
        try:
            match = play_match(game, seats, chosen, players, (str(seed), number))
        except Exception as mistake:
            sums.errors.append(f"game {number}: {type(mistake).__name__}: {mistake}")
        else:
            if match.fault is not None:
                at, reason = match.fault.seat, match.fault.reason
                sums.errors.append(f"game {number}: {named[at]} on seat {at} has lost it: {reason}")
            played += 1
            sums.moves += match.moves
            for seat, share in enumerate(win_shares(match.result)):
                sums.wins[seat] += share
                sums.scores[seat] += match.result.scores[seat]
        if progress is not None:
            progress(number + 1)
    sums.wins = [round(wins, 6) for wins in sums.wins]
    sums.scores = [round(score / played, 6) if played else 0.0 for score in sums.scores]
    sums.seconds = time.perf_counter() - began
    return sums
