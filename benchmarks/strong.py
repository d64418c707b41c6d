"""How strong a bot is against others: `python benchmarks/strong.py GAME [--bot strong:level=hard] [--against greedy]`.

One seat is the bot's, all others are those it is measured against. Every deal is played once with it on each seat;
the interval is clustered by deal, since the games of a deal are not independent.
"""

from __future__ import annotations

import argparse
import statistics

from polikarp.bots import make_bot
from polikarp.games import find_game
from polikarp.lab.match import play_match, win_shares


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--bot", default="strong")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--deals", type=int, default=50)
    asked = parser.parse_args()
    game, seats, deals = find_game(asked.game), asked.seats, max(2, asked.deals)
    game.check_seats(seats)
    shares, scores = [], []
    for deal in range(deals):
        won = 0.0
        for seat in range(seats):
            names = [asked.bot if place == seat else asked.against for place in range(seats)]
            result = play_match(game, seats, {}, [make_bot(game, name) for name in names], ("strong", deal)).result
            won += win_shares(result)[seat]
            scores.append(result.scores[seat])
        shares.append(won / seats)
    half = 1.96 * statistics.stdev(shares) / deals**0.5
    print(
        f"{asked.bot} against {seats - 1} x {asked.against}, {game.id}, {deals} deals x {seats} seats:"
        f" win share {statistics.fmean(shares):.3f} ± {half:.3f}, fair {1 / seats:.3f};"
        f" mean score {statistics.fmean(scores):.1f}"
    )


if __name__ == "__main__":
    main()
