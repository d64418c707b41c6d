"""How strong `greedy` is: `python benchmarks/greedy.py [DEALS]`.

Against `random` bots on duplicate deals: every deal is played once with `greedy` on each seat. The interval is
clustered by deal, since the games of a deal are not independent. Then the solo game of Crypt. Where `greedy` is not
clearly ahead of a fair share, the line says so.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping

from polikarp.bots import make_bot
from polikarp.engine.option import OptionValue
from polikarp.games import find_game
from polikarp.lab.match import play_match, win_shares


def against_random(name: str, seats: int, options: Mapping[str, OptionValue], deals: int) -> str:
    game = find_game(name)
    greedy, other = make_bot(game, "greedy"), make_bot(game, "random")
    shares = []
    for deal in range(deals):
        won = 0.0
        for seat in range(seats):
            bots = [greedy if place == seat else other for place in range(seats)]
            won += win_shares(play_match(game, seats, options, bots, (str(options), deal)).result)[seat]
        shares.append(won / seats)
    mean = statistics.fmean(shares)
    half = 1.96 * statistics.stdev(shares) / deals**0.5
    chosen = "".join(f", {option} {value}" for option, value in options.items())
    played = f"{name}, {seats} seats{chosen}, {deals} deals x {seats} seats"
    ahead = "" if mean - half > 1 / seats else ", NOT AHEAD"
    return f"{played}: win share {mean:.3f} ± {half:.3f}, fair {1 / seats:.3f}{ahead}"


def solo_crypt(sides: str, deals: int) -> str:
    crypt = find_game("crypt")
    greedy = make_bot(crypt, "greedy")
    options = {"collectors": sides}
    coins = [play_match(crypt, 1, options, [greedy], (sides, deal)).result.scores[0] for deal in range(deals)]
    half = 1.96 * statistics.stdev(coins) / deals**0.5
    rich = sum(each >= 40 for each in coins) / deals
    mean = statistics.fmean(coins)
    return f"crypt alone, collectors {sides}: mean {mean:.2f} ± {half:.2f} coins, {rich:.1%} at 40 or more"


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong greedy is.")
    parser.add_argument("deals", type=int, nargs="?", default=2000)
    deals = max(2, parser.parse_args().deals)
    for sides in ("A", "B", "random"):
        print(against_random("crypt", 4, {"collectors": sides}, deals), flush=True)
    for sides in ("A", "B"):
        print(solo_crypt(sides, deals), flush=True)
    for seats in (3, 4, 5, 6):
        print(against_random("gold", seats, {}, deals), flush=True)
        print(against_random("gold", seats, {"sorted_guards": True, "kings_orders": True}, deals), flush=True)
    for seats in (2, 3, 4):
        for rules in ("basic", "advanced"):
            print(against_random("melee", seats, {"rules": rules}, deals), flush=True)
    for seats in (2, 3, 5):
        print(against_random("hunters", seats, {}, deals), flush=True)


if __name__ == "__main__":
    main()
