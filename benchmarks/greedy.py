"""How strong `greedy` is in Crypt: `python benchmarks/greedy.py [DEALS]`.

Against three `random` bots on duplicate deals: every deal is played four times, with `greedy` on each seat once.
The interval is clustered by deal, since the four games of a deal are not independent. Then the solo game.
"""

from __future__ import annotations

import argparse
import statistics

from polikarp.bots import make_bot
from polikarp.games import find_game
from polikarp.lab.match import play_match, win_shares


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong greedy is in Crypt.")
    parser.add_argument("deals", type=int, nargs="?", default=2000)
    deals = max(2, parser.parse_args().deals)
    crypt = find_game("crypt")
    greedy, other = make_bot(crypt, "greedy"), make_bot(crypt, "random")
    for sides in ("A", "B", "random"):
        shares = []
        for deal in range(deals):
            won = 0.0
            for seat in range(4):
                bots = [greedy if place == seat else other for place in range(4)]
                won += win_shares(play_match(crypt, 4, {"collectors": sides}, bots, (sides, deal)).result)[seat]
            shares.append(won / 4)
        mean = statistics.fmean(shares)
        half = 1.96 * statistics.stdev(shares) / deals**0.5
        played = f"greedy against three random, collectors {sides}, {deals} deals x 4 seats"
        print(f"{played}: win share {mean:.3f} ± {half:.3f}")
    for sides in ("A", "B"):
        options = {"collectors": sides}
        coins = [play_match(crypt, 1, options, [greedy], (sides, deal)).result.scores[0] for deal in range(deals)]
        half = 1.96 * statistics.stdev(coins) / deals**0.5
        rich = sum(each >= 40 for each in coins) / deals
        mean = statistics.fmean(coins)
        print(f"greedy alone, collectors {sides}: mean {mean:.2f} ± {half:.2f} coins, {rich:.1%} at 40 or more")


if __name__ == "__main__":
    main()
