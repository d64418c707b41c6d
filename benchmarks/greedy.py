"""How strong `greedy` is: `python benchmarks/greedy.py [DEALS]`.

Against `random` bots on duplicate deals: every deal is played once with `greedy` on each seat. The interval is
clustered by deal, since the games of a deal are not independent. For Crypt also the solo game.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping

from polikarp.bots import make_bot
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.games import find_game
from polikarp.lab.match import play_match, win_shares


def win_share(game: Game, seats: int, options: Mapping[str, OptionValue], deals: int) -> str:
    """The share of wins of one `greedy` among `random`, with its interval."""
    greedy, other = make_bot(game, "greedy"), make_bot(game, "random")
    shares = []
    for deal in range(deals):
        won = 0.0
        for seat in range(seats):
            bots = [greedy if place == seat else other for place in range(seats)]
            won += win_shares(play_match(game, seats, options, bots, (*options.values(), deal)).result)[seat]
        shares.append(won / seats)
    half = 1.96 * statistics.stdev(shares) / deals**0.5
    return f"{deals} deals x {seats} seats: win share {statistics.fmean(shares):.3f} ± {half:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong greedy is.")
    parser.add_argument("deals", type=int, nargs="?", default=2000)
    deals = max(2, parser.parse_args().deals)
    crypt, melee = find_game("crypt"), find_game("melee")
    for sides in ("A", "B", "random"):
        share = win_share(crypt, 4, {"collectors": sides}, deals)
        print(f"greedy against three random, collectors {sides}, {share}")
    for sides in ("A", "B"):
        greedy = make_bot(crypt, "greedy")
        options = {"collectors": sides}
        coins = [play_match(crypt, 1, options, [greedy], (sides, deal)).result.scores[0] for deal in range(deals)]
        half = 1.96 * statistics.stdev(coins) / deals**0.5
        rich = sum(each >= 40 for each in coins) / deals
        mean = statistics.fmean(coins)
        print(f"greedy alone, collectors {sides}: mean {mean:.2f} ± {half:.2f} coins, {rich:.1%} at 40 or more")
    for rules in ("basic", "advanced"):
        for seats in melee.seats:
            share = win_share(melee, seats, {"rules": rules}, deals)
            print(f"greedy against random, melee {rules}, {share}")


if __name__ == "__main__":
    main()
