"""Is the race fair? `python benchmarks/race.py [RACES]`: simulated lines and players, and the code that decides.
With `--sockets` or `--packets`: real programs on a real server (`race_sockets.py`).

Every race is between two players with equal reflexes. A line has a mean round trip and a jitter, the standard
deviation of its round trips; delays are skewed, as real ones are. The bias is what the share of wins corresponds to:
by how many milliseconds one of two equal players would have to be faster to win so often.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from polikarp.engine.phrase import Refusal
from polikarp.engine.race import Race, Target
from polikarp.server.race.latency import LONGEST_TRIP, Latency, Packets, bounds
from polikarp.server.race.photo import Decision, Player, Slap, decide, head_starts, window

REACTION, REACTION_SPREAD = 420.0, 80.0
ACKNOWLEDGED = 40.0  # after which a kernel acknowledges what its program has not answered yet
PINGS = 2  # on each line between two races
NEAR, MIDDLE, FAR = (10.0, 5.0), (80.0, 10.0), (200.0, 40.0)  # mean and jitter of the round trip
CAUGHT = "slap 1"
SLAP = Target(1, [CAUGHT, "slap 1 before"], [True, False], Refusal("", "none_seen"), Refusal("", "false_start"))
RULES = {"counts": "", "later": "", "order": ""}


class Client:
    """A player at the end of a simulated line. An honest one claims what it measured and answers at once."""

    def __init__(self, line: tuple[float, float], rng: random.Random, vouched: bool = True) -> None:
        self.mean, self.jitter = line
        self.rng = rng
        self.vouched = vouched
        self.line = Latency()
        self.credit = 100.0
        self.packet, self.deviation, self.quickest = self.mean, self.jitter / 1.25, self.mean
        for _ in range(20):
            self.ping()

    def way(self) -> float:
        """How long one way takes now."""
        mean, spread = self.mean / 2, self.jitter / math.sqrt(2)
        root = min(2.0, mean / spread)
        return mean - spread * root + self.rng.gammavariate(root**2, spread / root)

    def ping(self) -> None:
        trip, late = self.way() + self.way(), self.pong_delay()
        acknowledged = trip + min(late, ACKNOWLEDGED)
        self.deviation += (abs(acknowledged - self.packet) - self.deviation) / 4  # as the kernel reckons
        self.packet += (acknowledged - self.packet) / 8
        self.quickest = min(self.quickest, trip)  # the first packets of a line are acknowledged at once
        packets = Packets(self.packet, self.deviation, self.quickest) if self.vouched else None
        self.line = self.line.with_trip(trip + late, packets)

    def pong_delay(self) -> float:
        return 0.0

    def reaction(self) -> float:
        return self.rng.gauss(REACTION, REACTION_SPREAD)

    def claim(self, reaction: float) -> float:
        return reaction


class Quick(Client):
    """Quicker than most people can find a monster."""

    def reaction(self) -> float:
        return max(150.0, self.rng.gauss(300.0, REACTION_SPREAD))


class Boaster(Client):
    """Claims to have been quicker than it was."""

    def claim(self, reaction: float) -> float:
        return 101.0


class SlowPongs(Client):
    """Answers pings late, to seem far away, and claims what then looks possible."""

    def pong_delay(self) -> float:
        return 150.0

    def claim(self, reaction: float) -> float:
        return reaction - 150.0


class UnevenPongs(Client):
    """Answers pings late now and then, to seem to have a line on which much is possible."""

    def pong_delay(self) -> float:
        return self.rng.uniform(0.0, 300.0)

    def claim(self, reaction: float) -> float:
        return 101.0


class Blind(Client):
    """Slaps when the card arrives, before anybody could have seen it, and claims a quick reaction."""

    def reaction(self) -> float:
        return self.rng.uniform(0.0, 20.0)

    def claim(self, reaction: float) -> float:
        return 110.0


class Guesser(Client):
    """Slaps at any moment of the first 100 ms, without having seen the card, and claims what it likes."""

    def __init__(
        self, line: tuple[float, float], rng: random.Random, vouched: bool = True, claimed: float | None = None
    ) -> None:
        super().__init__(line, rng, vouched)
        self.claimed = claimed  # none: what it took

    def reaction(self) -> float:
        return self.rng.uniform(0.0, 100.0)

    def claim(self, reaction: float) -> float:
        return reaction if self.claimed is None else self.claimed


class Case(msgspec.Struct, frozen=True):
    """What many races between two clients gave, for the first of them. Times in milliseconds."""

    name: str
    races: int
    share: float  # of the wins
    bias: float  # that the share corresponds to
    half: float  # of the 95 % interval of the bias
    shift: float  # by how much its times were better than its reactions, in the mean
    cap: float  # the credit that its line could have, in the mean; without packets its trip is on credit too
    void: float  # share of its slaps that were void
    mistakes: float  # share of its slaps that counted without the newest card; each costs a point and the monster


def run_case(name: str, clients: tuple[Client, Client], races: int, rng: random.Random) -> Case:
    wins = 0
    shifts: list[float] = []
    caps: list[float] = []
    void = mistakes = 0
    for _ in range(races):
        reactions = (clients[0].reaction(), clients[1].reaction())
        decision = run_race(clients, reactions, rng)
        wins += decision.seat == 0 and decision.move == CAUGHT
        mistakes += decision.seat == 0 and decision.move != CAUGHT
        line = bounds(clients[0].line)
        caps.append(line.credit if line.vouched else LONGEST_TRIP)
        for mine in decision.strip.finishes:
            if mine.seat == 0:
                shifts.append(reactions[0] - mine.time)
                void += mine.outcome == "void"
    share = wins / races
    half = 1.96 * math.sqrt(max(share * (1 - share), 1 / races) / races)
    return Case(
        name=name,
        races=races,
        share=share,
        bias=bias_of(share, races),
        half=(bias_of(share + half, races) - bias_of(share - half, races)) / 2,
        shift=statistics.fmean(shifts),
        cap=statistics.fmean(caps),
        void=void / len(shifts),
        mistakes=mistakes / len(shifts),
    )


def bias_of(share: float, races: int) -> float:
    """How much faster one of two equal players must be to win so often."""
    inside = min(max(share, 0.5 / races), 1 - 0.5 / races)
    return statistics.NormalDist(0.0, REACTION_SPREAD * math.sqrt(2)).inv_cdf(inside)


def run_race(clients: tuple[Client, Client], reactions: tuple[float, float], rng: random.Random) -> Decision:
    """One card that both can catch with. Both slap; who is heard after the window is too late."""
    for client in clients:
        for _ in range(PINGS):
            client.ping()
    lines = {seat: client.line for seat, client in enumerate(clients)}
    held = head_starts(lines)
    slaps: list[Slap] = []
    for seat, client in enumerate(clients):
        heard = held[seat] + client.way() + reactions[seat] + client.way()
        slaps.append(Slap(seat, 0, 0, 1, heard, client.claim(reactions[seat])))
    slaps.sort(key=lambda slap: slap.heard)
    closes = slaps[0].heard + window([lines[slaps[1].seat]])
    players = {seat: Player(line, clients[seat].credit, {1: held[seat]}) for seat, line in lines.items()}
    order = [0, 1] if rng.random() < 0.5 else [1, 0]
    race = Race(0, 1, order, [SLAP], RULES)
    decision = decide(race, players, [slap for slap in slaps if slap.heard <= closes])
    for seat, client in enumerate(clients):
        client.credit = decision.credit[seat]
    return decision


Make = Callable[[random.Random], tuple[Client, Client]]

CASES: dict[str, Make] = {
    "honest, 10 ms against 10 ms": lambda rng: (Client(NEAR, rng), Client(NEAR, rng)),
    "honest, 200 ms against 10 ms": lambda rng: (Client(FAR, rng), Client(NEAR, rng)),
    "honest, 80 ms against 10 ms, pings only": lambda rng: (Client(MIDDLE, rng, False), Client(NEAR, rng, False)),
    "honest but too far, 200 ms against 10 ms, pings only": lambda rng: (
        Client(FAR, rng, False),
        Client(NEAR, rng, False),
    ),
    "honest and quick, 10 ms against 10 ms": lambda rng: (Quick(NEAR, rng), Quick(NEAR, rng)),
    "honest and quick, 200 ms against 10 ms": lambda rng: (Quick(FAR, rng), Quick(NEAR, rng)),
    "honest, 200 ms against 200 ms": lambda rng: (Client(FAR, rng), Client(FAR, rng)),
    "claims too little, 10 ms": lambda rng: (Boaster(NEAR, rng), Client(NEAR, rng)),
    "claims too little, 200 ms": lambda rng: (Boaster(FAR, rng), Client(NEAR, rng)),
    "delays its pongs by 150 ms, 10 ms": lambda rng: (SlowPongs(NEAR, rng), Client(NEAR, rng)),
    "delays its pongs by 150 ms, 200 ms": lambda rng: (SlowPongs(FAR, rng), Client(NEAR, rng)),
    "delays some pongs, 10 ms": lambda rng: (UnevenPongs(NEAR, rng), Client(NEAR, rng)),
    "delays some pongs, 10 ms, pings only": lambda rng: (UnevenPongs(NEAR, rng, False), Client(NEAR, rng, False)),
    "delays its pongs by 150 ms, 10 ms, pings only": lambda rng: (
        SlowPongs(NEAR, rng, False),
        Client(NEAR, rng, False),
    ),
    "slaps before it can see, 10 ms": lambda rng: (Blind(NEAR, rng), Client(NEAR, rng)),
    "slaps before it can see, 200 ms": lambda rng: (Blind(FAR, rng), Client(NEAR, rng)),
    "slaps before it can see, 200 ms, pings only": lambda rng: (Blind(FAR, rng, False), Client(NEAR, rng, False)),
    "guesses in the first 100 ms, 10 ms": lambda rng: (Guesser(NEAR, rng), Client(NEAR, rng)),
    "guesses in the first 100 ms, 200 ms": lambda rng: (Guesser(FAR, rng), Client(NEAR, rng)),
    "guesses and claims 110 ms, 200 ms": lambda rng: (Guesser(FAR, rng, claimed=110.0), Client(NEAR, rng)),
    "guesses and claims -50 ms, 200 ms": lambda rng: (Guesser(FAR, rng, claimed=-50.0), Client(NEAR, rng)),
    "guesses and claims 110 ms, 200 ms, pings only": lambda rng: (
        Guesser(FAR, rng, False, claimed=110.0),
        Client(NEAR, rng, False),
    ),
}


def run_all(races: int, words: str) -> list[Case]:
    found = []
    for name, make in CASES.items():
        if name.startswith(words):
            rng = random.Random(name)
            found.append(run_case(name, make(rng), races, rng))
    return found


def table(cases: list[Case]) -> str:
    lines = ["| first player | wins | bias, ms | its times are better by, ms | credit cap, ms | void | mistakes |"]
    lines.append("|---|---|---|---|---|---|---|")
    for case in cases:
        bias = f"{case.bias:+.1f} ± {case.half:.1f}" if case.share else "never wins"
        lines.append(
            f"| {case.name} | {case.share:.1%} | {bias} | {case.shift:+.1f} | {case.cap:.0f} |"
            f" {case.void:.1%} | {case.mistakes:.1%} |"
        )
    return "\n".join(lines)


def check_words(parser: argparse.ArgumentParser, words: str, cases: Iterable[str]) -> None:
    if not any(name.startswith(words) for name in cases):
        parser.error(f"no case begins with “{words}”; there are: {'; '.join(cases)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Is the race fair?")
    parser.add_argument("races", type=int, nargs="?", help="of each case; 10000, over sockets 240")
    parser.add_argument("--case", default="", metavar="WORDS", help="only cases whose names begin so")
    parser.add_argument("--sockets", action="store_true", help="over real sockets, through delaying proxies")
    parser.add_argument("--packets", action="store_true", help="over real sockets, packets delayed (Linux, as root)")
    args = parser.parse_args()
    if args.sockets or args.packets:
        sys.path.insert(0, str(Path(__file__).parents[1]))  # these use the tests' players
        from benchmarks import race_sockets

        check_words(parser, args.case, race_sockets.CASES)
        asyncio.run(race_sockets.run_sockets(args.races or 240, args.packets, args.case))
    else:
        check_words(parser, args.case, CASES)
        print(table(run_all(max(100, args.races or 10_000), args.case)))


if __name__ == "__main__":
    main()
