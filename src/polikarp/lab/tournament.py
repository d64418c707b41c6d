"""Bots against bots. Every deal is played several times: the bots sit in a circle, drawn anew for each deal, and move
on by one seat from game to game, so that each sits on each seat equally often with the same cards coming.

What is counted is counted by deal, since the games of a deal are not independent. All that is random follows from the
seed and the number of the deal, so it does not matter who plays which deal, when, and how often it was begun.
"""

from __future__ import annotations

import csv
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.bots import bot_types
from polikarp.bots.anywhere import by_the_clock, find_bot, installed
from polikarp.engine.game import Game, Result
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.rng import FastRng
from polikarp.games import find_game
from polikarp.lab.crew import Crew
from polikarp.lab.interval import DOUBT, Mean
from polikarp.lab.match import play_match, win_shares
from polikarp.lab.plot import Whisker, whiskers

if TYPE_CHECKING:
    from openskill.models import BradleyTerryPart, BradleyTerryPartRating

MOST_DEALS = 10_000_000
MOST_BOTS = 64
TASK_SECONDS = 0.5  # of work in a task, about: far more than handing it over takes
MOST_AT_ONCE = 1000  # deals in a task
DECIDED = 0.0  # the goal that every bot's place is sure, since no share is ever known to ± 0
SIGMAS = 1.96  # of a rating: its 95 % interval


class TournamentError(Exception):
    """A game could not be played to its end, or a worker plays by other rules."""


class Tournament(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is played. Two equal ones have equal results, whoever plays them."""

    game: str
    rules: str
    seats: int
    options: dict[str, OptionValue]
    bots: list[str]
    seed: str


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a game ended before its time: the bot on this seat could not go on, and has lost it."""

    seat: int
    reason: str


class Played(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One game: who sat where (numbers of bots, by seat) and how it ended."""

    line_up: list[int]
    scores: list[int]
    places: list[int]
    moves: int
    fault: Fault | None = None


class Deal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All games of one deal."""

    deal: int
    games: list[Played]


class Stint(msgspec.Struct, frozen=True):
    """A task for one worker: some deals of a tournament."""

    tournament: Tournament
    deals: list[int]


class StintDone(msgspec.Struct, frozen=True):
    deals: list[Deal]
    seconds: float
    failure: str = ""


def plan(
    game: Game, seats: int, bots: Sequence[str], seed: str, options: Mapping[str, OptionValue] | None = None
) -> Tournament:
    """A tournament, if it can be played."""
    rating_model()
    game.check_seats(seats)
    if not 2 <= len(bots) <= MOST_BOTS:
        known = ", ".join([*bot_types(game), *installed()])
        raise UsageError(f"a tournament is between 2 to {MOST_BOTS} bots, not {len(bots)}; the bots are: {known}")
    for name in bots:
        find_bot(game, name)
        if bots.count(name) > 1:
            raise UsageError(f"bot {name[:40]!r} is named twice; a bot is as many as it needs to be")
    return Tournament(game.id, game.rules, seats, read_options(game.options, options or {}), list(bots), seed)


def check_deals(deals: int) -> None:
    if not 1 <= deals <= MOST_DEALS:
        raise UsageError(f"{deals} deals can not be played; right is: 1 to {MOST_DEALS}")


def read_goal(text: str) -> float:
    """What to play until: `decided`, or how far off the win shares may be."""
    if text == "decided":
        return DECIDED
    try:
        goal = float(text)
    except ValueError:
        goal = 0.0
    if not 0.0 < goal < 1.0:
        raise UsageError(f"a tournament can not be played until {text[:40]!r}; right is: decided, or such as 0.02")
    return goal


def line_ups(tournament: Tournament, deal: int) -> list[list[int]]:
    """Who sits where in each game of a deal: the circle has every bot as often as it takes to fill all seats."""
    count, seats = len(tournament.bots), tournament.seats
    circle = vec[i64]([*range(count)] * -(-seats // count))
    FastRng(("circle", tournament.seed, deal)).shuffle(circle, len(circle))
    return [[int(circle[(first + seat) % len(circle)]) for seat in range(seats)] for first in range(len(circle))]


def play_deal(tournament: Tournament, game: Game, deal: int) -> Deal:
    """All games of a deal; those with the same bots on the same seats are the same game."""
    games: dict[tuple[int, ...], Played] = {}
    order = [tuple(line_up) for line_up in line_ups(tournament, deal)]
    for line_up in order:
        if line_up not in games:
            names = [tournament.bots[at] for at in line_up]
            bots = [find_bot(game, name) for name in names]
            try:
                match = play_match(game, tournament.seats, tournament.options, bots, (tournament.seed, deal))
            except Exception as mistake:
                reason = f"{type(mistake).__name__}: {mistake}"
                raise TournamentError(f"deal {deal}, with {', '.join(names)}: {reason}") from mistake
            fault = None if match.fault is None else Fault(match.fault.seat, match.fault.reason)
            games[line_up] = Played(list(line_up), match.result.scores, match.result.places, match.moves, fault)
    return Deal(deal, [games[line_up] for line_up in order])


def play_stint(stint: Stint) -> StintDone:
    """What a worker does, wherever it is."""
    began = time.perf_counter()
    tournament = stint.tournament
    try:
        game = find_game(tournament.game)
        if game.rules != tournament.rules:
            raise TournamentError(
                f"a worker plays {game.id} by the rules {game.rules}, not {tournament.rules}; install the same polikarp"
            )
        deals = [play_deal(tournament, game, deal) for deal in stint.deals]
    except (TournamentError, UsageError) as mistake:
        return StintDone([], 0.0, str(mistake))
    return StintDone(deals, time.perf_counter() - began)


def play(tournament: Tournament, wanted: Iterable[int], crew: Crew) -> Iterator[Deal]:
    """The deals of these numbers, in order. Tasks grow until they are worth handing over."""
    at_once = 1

    def stints() -> Iterator[Stint]:
        coming = iter(wanted)
        while deals := list(itertools.islice(coming, at_once)):
            yield Stint(tournament, deals)

    for done in crew.results(play_stint, stints()):
        if done.failure:
            raise TournamentError(done.failure)
        seconds = done.seconds / len(done.deals)
        at_once = max(1, min(MOST_AT_ONCE, 2 * at_once, int(TASK_SECONDS / max(seconds, 1e-6))))
        yield from done.deals


class Rating(msgspec.Struct, frozen=True):
    """Plackett–Luce, as openskill counts it: 25 is where everybody begins."""

    mu: float
    sigma: float
    low: float
    high: float


class Standing(msgspec.Struct, frozen=True):
    """How one bot did: its win share for each time that it sat, with the interval, and its share by seat."""

    bot: str
    games: int
    share: float
    low: float
    high: float
    score: float
    by_seat: list[float]
    rating: Rating
    faults: int = 0  # games that it lost because it could not go on
    first_fault: str = ""  # the first of them, in one line


class Pair(msgspec.Struct, frozen=True):
    """Two bots: how much larger the first one's win share is, deal by deal."""

    ahead: str
    behind: str
    difference: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        return self.low > 0


class Standings(msgspec.Struct, frozen=True):
    """What `polikarp tournament --json` prints. The best bot comes first."""

    tournament: Tournament
    deals: int
    games: int
    moves: int
    repeatable: bool
    bots: list[Standing]
    pairs: list[Pair]

    def text(self) -> str:
        """The table for people."""
        played = self.tournament
        width = max(len("bot"), *(len(each.bot) for each in self.bots))
        head = f"{played.game}, {played.seats} seats, {self.deals} deals, {self.games} games, {self.moves} moves"
        lines = [f"{head}, seed {played.seed}", ""]
        lines.append(f"{'bot':{width}}  win share             rating         mean score   by seat")
        for each in self.bots:
            rating = f"{each.rating.mu:5.1f} ± {SIGMAS * each.rating.sigma:4.1f}"
            seats = " ".join(f"{share:.3f}" for share in each.by_seat)
            share = f"{each.share:.3f} ({each.low:.3f}–{each.high:.3f})"
            lines.append(f"{each.bot:{width}}  {share}   {rating}   {each.score:10.2f}   {seats}")
        open_pairs = [f"{pair.ahead} and {pair.behind}" for pair in self.pairs if not pair.decided]
        lines += [
            "",
            f"A fair share is {1 / played.seats:.3f}. Intervals are of 95 %, by deal, and hold at any moment.",
        ]
        lines.append(f"Not decided: {'; '.join(open_pairs)}" if open_pairs else "The order is decided.")
        for each in self.bots:
            if each.faults:
                lines.append(f"{each.bot} has lost {each.faults} games by its own fault; {each.first_fault}")
        if not self.repeatable:
            lines.append("A bot thought by the clock: another run may differ. `strong:simulations=N` is repeatable.")
        return "\n".join(lines)

    def plot(self) -> str:
        """Win shares with their intervals, as SVG."""
        played = self.tournament
        rows = [Whisker(each.bot, each.share, each.low, each.high) for each in self.bots]
        title = f"{played.game}, {played.seats} seats: win share in {self.deals} deals"
        return whiskers(title, rows, fair=1 / played.seats)


class Count:
    """Takes deal after deal, and says how things stand."""

    def __init__(self, tournament: Tournament) -> None:
        count, seats = len(tournament.bots), tournament.seats
        self.tournament = tournament
        self.deals: list[Deal] = []
        self.shares = [Mean(0.0, 1.0) for _ in range(count)]
        pairs = list(itertools.permutations(range(count), 2))
        self.pairs = {pair: Mean(-1.0, 1.0, 2 * DOUBT / len(pairs)) for pair in pairs}
        self.games = [0] * count
        self.scores = [0] * count
        self.won = [[0.0] * seats for _ in range(count)]
        self.faults: list[list[str]] = [[] for _ in range(count)]
        self.stopped = False  # before its end, by Ctrl-C

    def add(self, deal: Deal) -> None:
        self.deals.append(deal)
        won = [0.0] * len(self.shares)
        sat = [0] * len(self.shares)
        for game in deal.games:
            shares = win_shares(Result(game.scores, game.places))
            if game.fault is not None:
                at = game.fault.seat
                self.faults[game.line_up[at]].append(f"deal {deal.deal}, seat {at}: {game.fault.reason}")
            for seat, bot in enumerate(game.line_up):
                won[bot] += shares[seat]
                sat[bot] += 1
                self.games[bot] += 1
                self.scores[bot] += game.scores[seat]
                self.won[bot][seat] += shares[seat]
        mine = [wins / games for wins, games in zip(won, sat, strict=True)]
        for bot, share in enumerate(mine):
            self.shares[bot].add(share)
        for (one, other), mean in self.pairs.items():
            mean.add(mine[one] - mine[other])

    def reached(self, goal: float) -> bool:
        """Whether it is enough: the order is decided, or all win shares are known well enough."""
        if goal == DECIDED:
            return all(mean.excludes(0.0) for mean in self.pairs.values())
        return all(high - low <= 2 * goal for low, high in map(Mean.interval, self.shares))

    def standings(self) -> Standings:
        played = self.tournament
        names = played.bots
        ratings = rate(played, self.deals)
        order = sorted(range(len(names)), key=lambda bot: (-self.shares[bot].value, -ratings[bot].mu, bot))
        bots = []
        for bot in order:
            games = max(1, self.games[bot])
            low, high = map(rounded, self.shares[bot].interval())
            by_seat = [rounded(won * played.seats / games) for won in self.won[bot]]
            share, score = rounded(self.shares[bot].value), rounded(self.scores[bot] / games)
            faults = self.faults[bot]
            bots.append(
                Standing(
                    names[bot],
                    self.games[bot],
                    share,
                    low,
                    high,
                    score,
                    by_seat,
                    ratings[bot],
                    len(faults),
                    faults[0] if faults else "",
                )
            )
        pairs = [
            Pair(names[one], names[other], rounded(mean.value), *map(rounded, mean.interval()))
            for one, other in itertools.combinations(order, 2)
            for mean in [self.pairs[one, other]]
        ]
        all_games = [game for deal in self.deals for game in deal.games]
        repeatable = not any(by_the_clock(find_game(played.game), name) for name in names)
        moves = sum(game.moves for game in all_games)
        return Standings(played, len(self.deals), len(all_games), moves, repeatable, bots, pairs)


def rounded(value: float) -> float:
    return round(value, 6)


def rating_model() -> BradleyTerryPart:
    """What ratings are counted with; not needed on the machines that only play."""
    try:
        from openskill.models import BradleyTerryPart
    except ImportError:
        raise UsageError("openskill is not installed; get it with: pip install 'polikarp[lab]'") from None
    return BradleyTerryPart(window_size=MOST_BOTS)


def rate(tournament: Tournament, deals: Iterable[Deal]) -> list[Rating]:
    """Ratings after all games in their order. A bot that sits twice takes the mean of what both seats got.

    By pairs, everybody with everybody: so who shares a place gets the same and who has a better one gets more. With
    Plackett and Luce's model, as openskill has it, joint winners got less than the third of five.
    """
    model = rating_model()
    ratings = [model.rating() for _ in tournament.bots]
    for deal in deals:
        for line_up, places in rankings(deal):
            seated = [[model.rating(mu=ratings[bot].mu, sigma=ratings[bot].sigma)] for bot in line_up]
            rated = model.rate(seated, ranks=[float(place) for place in places])
            now: dict[int, list[BradleyTerryPartRating]] = {}
            for bot, [rating] in zip(line_up, rated, strict=True):
                now.setdefault(bot, []).append(rating)
            for bot, got in now.items():
                mu = sum(rating.mu for rating in got) / len(got)
                ratings[bot] = model.rating(mu=mu, sigma=sum(rating.sigma for rating in got) / len(got))
    return [
        Rating(*map(rounded, (each.mu, each.sigma, each.mu - SIGMAS * each.sigma, each.mu + SIGMAS * each.sigma)))
        for each in ratings
    ]


def rankings(deal: Deal) -> list[tuple[list[int], list[int]]]:
    """The bots that are to be compared, and their places. Who plays alone is compared by score on the same deal."""
    if len(deal.games[0].line_up) > 1:
        return [(game.line_up, game.places) for game in deal.games]
    scores = [game.scores[0] for game in deal.games]
    return [([game.line_up[0] for game in deal.games], [1 + sum(each > own for each in scores) for own in scores])]


def fits(tournament: Tournament, deal: Deal) -> bool:
    """Whether these are the games of that deal: who sat where, and a score and a place for everybody."""
    return [game.line_up for game in deal.games] == line_ups(tournament, deal.deal) and all(
        len(game.scores) == len(game.places) == tournament.seats for game in deal.games
    )


class Journal:
    """A file to which each deal is added as soon as it is played, so that a run that was stopped can go on."""

    def __init__(self, path: Path, skip_damaged: bool = False) -> None:
        self.path = path
        self.skip_damaged = skip_damaged
        self.file: TextIO | None = None

    def read(self) -> tuple[Tournament, list[Deal]] | None:
        """What is kept already, in the order of the deals. A last line that was cut off is as if it were not there, and
        so are damaged ones where that is wished; their deals are played again."""
        if not self.path.exists() or not self.path.stat().st_size:
            return None
        first, *lines = self.path.read_bytes().split(b"\n")[:-1] or [b""]
        try:
            tournament = msgspec.json.decode(first, type=Tournament)
        except (ValueError, msgspec.DecodeError):
            raise UsageError(f"{self.path} is not the journal of a tournament; name another file") from None
        deals: dict[int, Deal] = {}
        for number, line in enumerate(lines, 2):
            try:
                deal = msgspec.json.decode(line, type=Deal)
                if deal.deal in deals or not fits(tournament, deal):
                    raise ValueError
                deals[deal.deal] = deal
            except (ValueError, msgspec.DecodeError):
                if not self.skip_damaged:
                    raise UsageError(
                        f"line {number} of {self.path} is damaged; mend it, or skip it and play its deal again "
                        "with --skip-damaged"
                    ) from None
        return tournament, [deals[number] for number in sorted(deals)]

    def start(self, tournament: Tournament, deals: Sequence[Deal]) -> None:
        """Write what is known so far, and stay open for what comes."""
        part = self.path.with_name(f"{self.path.name}.part")
        with part.open("wb") as file:
            for entry in (tournament, *deals):
                file.write(msgspec.json.encode(entry) + b"\n")
        part.replace(self.path)
        self.file = self.path.open("a", encoding="utf-8")

    def add(self, deal: Deal) -> None:
        assert self.file is not None
        self.file.write(msgspec.json.encode(deal).decode() + "\n")
        self.file.flush()

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def run_tournament(
    tournament: Tournament,
    deals: int,
    crew: Crew,
    goal: float | None = None,
    journal: Journal | None = None,
    progress: Callable[[int], None] | None = None,
) -> Count:
    """Play up to `deals` deals, or until the goal (see `read_goal`) is reached. Ctrl-C ends it too: then `stopped` of
    what is given back says so.
    """
    check_deals(deals)
    count = Count(tournament)
    kept: list[Deal] = []
    if journal is not None:
        if (found := journal.read()) is not None:
            if found[0] != tournament:
                raise UsageError(
                    f"{journal.path} is the journal of another tournament: {differences(found[0], tournament)}"
                )
            kept = found[1]
        journal.start(tournament, kept)
    known = {deal.deal: deal for deal in kept}
    played = play(tournament, (number for number in range(deals) if number not in known), crew)
    try:
        for number in range(deals):
            deal = known.get(number) or next(played)
            count.add(deal)
            if journal is not None and number not in known:
                journal.add(deal)
            if progress is not None:
                progress(len(count.deals))
            if goal is not None and count.reached(goal):
                break
    except KeyboardInterrupt:
        count = counted_again(count)
    finally:
        if journal is not None:
            journal.close()
    return count


def counted_again(count: Count) -> Count:
    """The same deals: who was interrupted may have left one half counted."""
    again = Count(count.tournament)
    for deal in count.deals:
        again.add(deal)
    again.stopped = True
    return again


def differences(one: Tournament, other: Tournament) -> str:
    named = [name for name in Tournament.__struct_fields__ if getattr(one, name) != getattr(other, name)]
    return f"its {' and '.join(named)} differ"


def write_csv(count: Count, path: Path) -> None:
    """A line for each seat of each game."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["deal", "game", "seat", "bot", "score", "place", "win_share"])
        for deal in count.deals:
            for number, game in enumerate(deal.games):
                shares = win_shares(Result(game.scores, game.places))
                for seat, bot in enumerate(game.line_up):
                    name = count.tournament.bots[bot]
                    score, place = game.scores[seat], game.places[seat]
                    lines.writerow([deal.deal, number, seat, name, score, place, shares[seat]])
