"""How strong a bot is against others: `python benchmarks/strong.py GAME [--bot strong:level=hard] [--against greedy]`.

One seat is the bot's, all others are those it is measured against. Every deal is played once with it on each seat;
the interval is clustered by deal, since the games of a deal are not independent. `--until 0.45` stops as soon as the
win share is clearly above or below; its interval is wider, and holds whenever the run stops. `--ladder` measures every
bot that can be chosen at a table against the one below, all but the last, which thinks by the clock. `--pace` says how
many simulations `strong` has the time for. `--bot cheater` knows the position itself, and has the settings of `strong`;
`--beside strong:simulations=500` plays the same deals with that in its place, and says how much more the first wins.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import sys
import time
from collections.abc import Sequence

from polikarp.bots import bot_levels, make_bot, set_up
from polikarp.bots.search import THINKING, StrongBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games import find_game
from polikarp.lab.cheater import CheatingBot
from polikarp.lab.interval import Mean
from polikarp.lab.match import play_match, win_shares


def seated(game: Game, name: str) -> Bot:
    base, *settings = name.split(":")
    if base != "cheater":
        return make_bot(game, name)
    bot = CheatingBot()
    bot.style = game.style() or bot.style
    for setting in settings:
        set_up(bot, setting)
    return bot


def measure(game: Game, bot: str, against: str, asked: argparse.Namespace) -> str:
    """Play deal after deal until there are enough, or the share is clear of what it is compared with."""
    seats = asked.seats
    share, shares, scores = Mean(0.0, 1.0), [], []
    while share.count < asked.deals and not (asked.until is not None and clear(share, asked.until)):
        won, reached = play_deal(game, bot, against, asked, share.count)
        shares.append(won)
        scores += reached
        share.add(won)
    half = half_width(shares)
    low, high = share.interval() if asked.until is not None else (share.value - half, share.value + half)
    return (
        f"{game.id}: {bot} against {seats - 1} x {against}, {share.count} deals x {seats} seats:"
        f" win share {share.value:.3f} ({low:.3f}–{high:.3f}), fair {1 / seats:.3f};"
        f" mean score {statistics.fmean(scores):.1f} ± {half_width(scores):.1f}"
    )


def compare(game: Game, bot: str, other: str, against: str, asked: argparse.Namespace) -> str:
    """Two bots, each on the same deals in the other's place: how much more the first wins, deal by deal."""
    deals = [[play_deal(game, one, against, asked, number)[0] for one in (bot, other)] for number in range(asked.deals)]
    more = [first - second for first, second in deals]
    gap, half = statistics.fmean(more), half_width(more)
    return (
        f"{game.id}: against {asked.seats - 1} x {against}, {asked.deals} deals x {asked.seats} seats:"
        f" win share of {bot} {statistics.fmean(first for first, _ in deals):.3f},"
        f" of {other} {statistics.fmean(second for _, second in deals):.3f};"
        f" gap {gap:.3f} ({gap - half:.3f}–{gap + half:.3f})"
    )


def play_deal(game: Game, bot: str, against: str, asked: argparse.Namespace, number: int) -> tuple[float, list[int]]:
    """A deal, once with the bot on each seat: the share of the wins, and the scores."""
    won, scores = 0.0, []
    for seat in range(asked.seats):
        bots = [seated(game, bot if place == seat else against) for place in range(asked.seats)]
        result = play_match(game, asked.seats, {}, bots, (asked.seed, number)).result
        won += win_shares(result)[seat]
        scores.append(result.scores[seat])
    return won / asked.seats, scores


def clear(share: Mean, of: float) -> bool:
    low, high = share.interval()
    return share.count > 1 and not low <= of <= high


def half_width(values: Sequence[float]) -> float:
    return 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def pace(game: Game, seats: int) -> str:
    """How many simulations fit into the time of `strong`, at every eighth decision of a game between greedy bots."""
    greedy, rng, found = make_bot(game, "greedy"), FastRng("pace"), []
    state = game.start(seats, {}, rng)
    for number in itertools.count():
        if not state.waiting:
            break
        seat = first_seat(state.waiting)
        if number % 8 == 0:
            bot = make_bot(game, "strong:simulations=1000")
            assert isinstance(bot, StrongBot)
            begin = time.process_time()
            bot.choose(state.sight(seat), seat, rng)
            if bot.simulated:
                found.append(round(THINKING * int(bot.simulated) / (time.process_time() - begin)))
        state.apply(seat, greedy.choose(state.sight(seat), seat, rng), rng)
    return (
        f"{game.id}, {seats} seats: simulations in {THINKING} CPU seconds: {found[0]} at the first move,"
        f" {statistics.median(found):.0f} in the middle, {min(found)} at least"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--bot", default="strong")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--deals", type=int, default=50, help="the most that are played")
    parser.add_argument("--beside", help="another bot in the same place: how much more the first wins")
    parser.add_argument("--until", type=float, help="stop when the win share is clearly above or below this")
    parser.add_argument("--ladder", action="store_true", help="each level but the last against the one below")
    parser.add_argument("--pace", action="store_true", help="how many simulations strong has the time for")
    parser.add_argument("--seed", default="strong")
    asked = parser.parse_args()
    asked.deals = max(2, asked.deals)
    game = find_game(asked.game)
    game.check_seats(asked.seats)
    if asked.pace:
        print(pace(game, asked.seats))
    elif asked.ladder:
        for below, level in itertools.pairwise(bot_levels(game)[:-1]):
            print(measure(game, level, below, asked), flush=True)
    elif asked.beside:
        print(compare(game, asked.bot, asked.beside, asked.against, asked))
    else:
        print(measure(game, asked.bot, asked.against, asked))


if __name__ == "__main__":
    try:
        main()
    except UsageError as wrong:
        sys.exit(f"strong.py: {wrong}")
