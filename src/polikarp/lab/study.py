"""The balance of a game, from many games of the same bot on all seats: who wins from which seat, how scores and lengths
spread, and what each thing in the game is worth. With another data file, the same deals are played with both.

What a thing is worth is seen, not tried: seats of the same game are compared by how often they had it. A thing that
winners can afford looks good for that alone.
"""

from __future__ import annotations

import csv
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from polikarp.bots.anywhere import find_bot
from polikarp.bots.fault import BotFault
from polikarp.bots.seated import Seated
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, UsageError, read_options
from polikarp.engine.rng import FastRng
from polikarp.engine.state import Log
from polikarp.games import find_game
from polikarp.lab.crew import Crew
from polikarp.lab.interval import around, share
from polikarp.lab.match import win_shares
from polikarp.lab.plot import Whisker, bars, whiskers

MOST_GAMES = 10_000_000
TASK_SECONDS = 0.5
MOST_AT_ONCE = 1000
FEW = 30  # games: what was seen in fewer is not shown


class StudyError(Exception):
    """A game could not be played to its end."""


class Setup(msgspec.Struct, frozen=True):
    """What is studied."""

    game: str
    data: str | None  # a data file in place of the game's own
    seats: int
    options: dict[str, OptionValue]
    bot: str
    seed: str


class Sample(msgspec.Struct, frozen=True):
    """What a study keeps of one game."""

    scores: list[int]
    shares: list[float]
    moves: int
    had: list[dict[str, int]]  # by seat: how often it had each thing
    seen: list[str]  # things of the whole table


class Stint(msgspec.Struct, frozen=True):
    setup: Setup
    first: int
    count: int


class StintDone(msgspec.Struct, frozen=True):
    samples: list[Sample]
    seconds: float
    failure: str = ""


def game_of(name: str, data: str | None) -> Game:
    game = find_game(name)
    return game if data is None else game.with_data(Path(data))


def plan(game: Game, seats: int, bot: str, seed: str, options: Mapping[str, OptionValue] | None = None) -> Setup:
    """A study, if it can be made."""
    game.check_seats(seats)
    find_bot(game, bot)
    return Setup(game.id, None, seats, read_options(game.options, options or {}), bot, seed)


def play_sample(setup: Setup, game: Game, number: int) -> Sample:
    """One game, with an ear for what happens in it."""
    log = Log()
    chance = FastRng(("table", setup.seed, number))
    state = game.start(setup.seats, setup.options, chance, log)
    bots = {seat: find_bot(game, setup.bot) for seat in range(setup.seats)}
    private = {seat: FastRng(("seat", seat, setup.seed, number)) for seat in bots}
    seated = Seated(game, setup.options, bots, private)
    had: list[Counter[str]] = [Counter() for _ in bots]
    seen: set[str] = set()
    moves = 0
    try:
        while True:
            for event in log.events:
                seat = event.args.get("seat")
                (had[seat] if isinstance(seat, int) else seen).update(map(": ".join, game.things(event)))
            chosen = seated.next_move(state)
            if chosen is None:
                break
            log = state.play(*chosen, chance)
            moves += 1
    finally:
        seated.end(state)
    result = game.result(state)
    assert result is not None
    return Sample(result.scores, win_shares(result), moves, [dict(things) for things in had], sorted(seen))


def play_stint(stint: Stint) -> StintDone:
    """What a worker does."""
    began = time.perf_counter()
    game = game_of(stint.setup.game, stint.setup.data)
    samples = []
    for number in range(stint.first, stint.first + stint.count):
        try:
            samples.append(play_sample(stint.setup, game, number))
        except BotFault as fault:
            return StintDone([], 0.0, f"game {number}: {stint.setup.bot}, {fault}")
        except Exception as mistake:
            return StintDone([], 0.0, f"game {number}: {type(mistake).__name__}: {mistake}")
    return StintDone(samples, time.perf_counter() - began)


def play(setups: Sequence[Setup], games: int, crew: Crew) -> Iterator[list[Sample]]:
    """Game after game: a sample of each setup."""
    at_once = 1

    def stints() -> Iterator[Stint]:
        start = 0
        while start < games:
            count = min(at_once, games - start)
            yield from (Stint(setup, start, count) for setup in setups)
            start += count

    waiting: list[list[Sample]] = []
    for done in crew.results(play_stint, stints()):
        if done.failure:
            raise StudyError(done.failure)
        seconds = done.seconds / len(done.samples)
        at_once = max(1, min(MOST_AT_ONCE, 2 * at_once, int(TASK_SECONDS / max(seconds, 1e-6))))
        waiting.append(done.samples)
        if len(waiting) == len(setups):
            yield from map(list, zip(*waiting, strict=True))
            waiting.clear()


class Seat(msgspec.Struct, frozen=True):
    """How a seat did."""

    seat: int
    share: float
    low: float
    high: float
    score: float


class Spread(msgspec.Struct, frozen=True):
    """Numbers: their mean, quartiles, and how often each came."""

    mean: float
    quartiles: list[int]
    counts: dict[int, int]


class Thing(msgspec.Struct, frozen=True):
    """A thing of the game. A seat's: how much larger the win share and the score of those are who had it once more than
    others of the same game. The table's: how much higher the scores are in games with it than without."""

    kind: str
    name: str
    games: int  # in which it was seen
    whose: str  # "seat" or "table"
    share: float | None
    low: float | None
    high: float | None
    score: float | None
    score_low: float | None
    score_high: float | None


class Study(msgspec.Struct, frozen=True):
    """What one setup came to."""

    setup: Setup
    rules: str
    games: int
    seats: list[Seat]
    scores: Spread
    winning: Spread
    lengths: Spread
    things: list[Thing]


class Change(msgspec.Struct, frozen=True):
    """What another data file changes, from the same deals: `after` less `before`, with a 95 % interval."""

    what: str
    before: float
    after: float
    low: float
    high: float


class Report(msgspec.Struct, frozen=True):
    """What `polikarp study --json` prints. `changed` and `changes` only with another data file."""

    study: Study
    changed: Study | None = None
    changes: list[Change] = []


class Pile:
    """Collects samples of one setup."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.samples: list[Sample] = []
        self.worth: dict[str, list[float]] = defaultdict(list)  # of a seat's thing, in win share
        self.gains: dict[str, list[float]] = defaultdict(list)  # the same in score
        self.games: Counter[str] = Counter()
        self.table: set[str] = set()

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)
        self.table.update(sample.seen)
        self.games.update(sample.seen)
        for thing in {thing for things in sample.had for thing in things}:
            self.games[thing] += 1
            counts = [things.get(thing, 0) for things in sample.had]
            if min(counts) < max(counts):
                self.worth[thing].append(slope(sample.shares, counts))
                self.gains[thing].append(slope(sample.scores, counts))

    def study(self) -> Study:
        scores = [score for sample in self.samples for score in sample.scores]
        seats = []
        for seat in range(self.setup.seats):
            own = mean([sample.scores[seat] for sample in self.samples])
            seats.append(Seat(seat, *rounded(*share([sample.shares[seat] for sample in self.samples]), own)))
        return Study(
            self.setup,
            game_of(self.setup.game, self.setup.data).rules,
            len(self.samples),
            seats,
            spread(scores),
            spread([max(sample.scores) for sample in self.samples]),
            spread([sample.moves for sample in self.samples]),
            [self.thing(thing) for thing in sorted(self.games, key=natural) if self.games[thing] >= FEW],
        )

    def thing(self, thing: str) -> Thing:
        kind, _, name = thing.partition(": ")
        games = self.games[thing]
        if thing in self.table:
            means = [(thing in sample.seen, sum(sample.scores) / len(sample.scores)) for sample in self.samples]
            with_it = [mean for there, mean in means if there]
            without = [mean for there, mean in means if not there]
            if len(without) < FEW:
                return Thing(kind, name, games, "table", None, None, None, None, None, None)
            (one, one_half), (other, other_half) = around(with_it), around(without)
            off, half = one - other, math.hypot(one_half, other_half)
            return Thing(kind, name, games, "table", None, None, None, *rounded(off, off - half, off + half))
        if len(self.gains[thing]) < FEW:
            return Thing(kind, name, games, "seat", None, None, None, None, None, None)
        worth, worth_half = around(self.worth[thing])
        gain, half = around(self.gains[thing])
        in_share = rounded(worth, max(-1.0, worth - worth_half), min(1.0, worth + worth_half))
        return Thing(kind, name, games, "seat", *in_share, *rounded(gain, gain - half, gain + half))


def rounded(*values: float) -> list[float]:
    return [round(value, 6) for value in values]


def natural(thing: str) -> list[tuple[int, str]]:
    """Sorts numbers in names as numbers."""
    return [(int(word), "") if word.isdigit() else (-1, word) for word in thing.split()]


def slope(values: Sequence[float], counts: Sequence[int]) -> float:
    """How much the values grow with each count, by least squares. Of values from 0 to 1 it is never beyond 1."""
    usual = mean(counts)
    off = [count - usual for count in counts]
    return sum(each * value for each, value in zip(off, values, strict=True)) / sum(each * each for each in off)


def spread(values: Sequence[int]) -> Spread:
    ordered = sorted(values)
    quartiles = [ordered[(len(ordered) - 1) * part // 4] for part in range(5)]
    return Spread(round(sum(values) / len(values), 6), quartiles, dict(sorted(Counter(values).items())))


def run_study(
    setup: Setup,
    games: int,
    crew: Crew,
    data: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Play, and with another data file the same deals with it too."""
    check_games(games)
    piles = [Pile(setup)]
    if data is not None:
        game_of(setup.game, str(data))
        piles.append(Pile(msgspec.structs.replace(setup, data=str(data))))
    for number, samples in enumerate(play([pile.setup for pile in piles], games, crew)):
        for pile, sample in zip(piles, samples, strict=True):
            pile.add(sample)
        if progress is not None:
            progress(number + 1)
    study = piles[0].study()
    if data is None:
        return Report(study)
    return Report(study, piles[1].study(), list(changes(piles[0].samples, piles[1].samples)))


def check_games(games: int) -> None:
    if not FEW <= games <= MOST_GAMES:
        raise UsageError(f"{games} games can not be studied; right is: {FEW} to {MOST_GAMES}")


def changes(before: Sequence[Sample], after: Sequence[Sample]) -> Iterator[Change]:
    """Game by game, so that what both have in common cancels out."""
    pairs = list(zip(before, after, strict=True))
    for seat in range(len(before[0].scores)):
        yield change(f"win share of seat {seat}", [(old.shares[seat], new.shares[seat]) for old, new in pairs])
    yield change("score", [(mean(old.scores), mean(new.scores)) for old, new in pairs])
    yield change("winning score", [(max(old.scores), max(new.scores)) for old, new in pairs])
    yield change("moves", [(old.moves, new.moves) for old, new in pairs])


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def change(what: str, pairs: Sequence[tuple[float, float]]) -> Change:
    off, half = around([new - old for old, new in pairs])
    old, new = mean([old for old, _ in pairs]), mean([new for _, new in pairs])
    return Change(what, *rounded(old, new, off - half, off + half))


# For people


def summary(report: Report) -> str:
    """The study in a few lines."""
    study = report.study
    setup = study.setup
    lines = [f"{setup.game}, {setup.seats} seats, {study.games} games of {setup.bot}, seed {setup.seed}", ""]
    for seat in study.seats:
        share = f"{seat.share:.3f} ({seat.low:.3f}–{seat.high:.3f})"
        lines.append(f"seat {seat.seat}  wins {share}  mean score {seat.score:.2f}")
    lines.append(f"scores {quartiles(study.scores)}; winning {quartiles(study.winning)}")
    lines.append(f"moves {quartiles(study.lengths)}")
    if report.changed is not None:
        lines += ["", f"with {report.changed.setup.data} on the same deals:"]
        for each in report.changes:
            sure = f"{each.low:+.3f} to {each.high:+.3f}"
            lines.append(f"{each.what:20} {each.before:8.3f} → {each.after:8.3f}  ({sure})")
    return "\n".join(lines)


def write_csv(report: Report, path: Path) -> None:
    """A line for each seat and each thing, with another data file for both."""
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["data", "kind", "name", "games", "share", "low", "high", "score", "score_low", "score_high"])
        for study in (report.study, report.changed):
            if study is None:
                continue
            data = study.setup.data or ""
            for seat in study.seats:
                lines.writerow(
                    [data, "seat", seat.seat, study.games, seat.share, seat.low, seat.high, seat.score, "", ""]
                )
            for thing in study.things:
                values = [thing.share, thing.low, thing.high, thing.score, thing.score_low, thing.score_high]
                told = ["" if value is None else value for value in values]
                lines.writerow([data, thing.kind, thing.name, thing.games, *told])


def quartiles(spread: Spread) -> str:
    least, low, middle, high, most = spread.quartiles
    return f"{least} to {most}, half of them {low} to {high}, mean {spread.mean:.2f} (median {middle})"


STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "svg{max-width:100%;height:auto}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}}"
)


def page(report: Report) -> str:
    """The study as one HTML file that needs nothing else."""
    study = report.study
    setup = study.setup
    title = f"{setup.game} with {setup.seats} seats: a study"
    chosen = ", ".join(f"{name} {value}" for name, value in setup.options.items()) or "none"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{study.games} games with {escape(setup.bot)} on every seat, seed {escape(setup.seed)},"
        f" rules {escape(study.rules)}, options: {escape(chosen)}.</p>",
        *(what_if(report) if report.changed is not None else []),
        *plots(study),
    ]
    if report.changed is not None:
        parts += [f"<h1>With {escape(str(report.changed.setup.data))}</h1>", *plots(report.changed)]
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    head += f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
    return "\n".join([head, *parts, "</body></html>", ""])


def what_if(report: Report) -> list[str]:
    assert report.changed is not None
    rows = [
        f"<tr><td>{escape(each.what)}</td><td>{each.before:.3f}</td><td>{each.after:.3f}</td>"
        f"<td>{each.low:+.3f} to {each.high:+.3f}</td></tr>"
        for each in report.changes
    ]
    return [
        "<h2>What if</h2>",
        f"<p>The same deals, played with the numbers of {escape(str(report.changed.setup.data))}"
        f" (rules {escape(report.changed.rules)}). Intervals are of 95 %, game by game.</p>",
        "<table><tr><th></th><th>before</th><th>after</th><th>change</th></tr>",
        *rows,
        "</table>",
    ]


def plots(study: Study) -> list[str]:
    rows = [Whisker(f"seat {each.seat}", each.share, each.low, each.high) for each in study.seats]
    parts = [
        "<h2>Seats</h2>",
        whiskers("Win share by seat", rows, fair=1 / len(study.seats)),
        "<h2>Scores and length</h2>",
        f"<p>Scores: {escape(quartiles(study.scores))}. Moves: {escape(quartiles(study.lengths))}.</p>",
        bars("Scores of all seats", study.scores.counts),
        bars("Winning scores", study.winning.counts),
        bars("Moves in a game", study.lengths.counts),
    ]
    kinds: dict[str, list[Thing]] = {}
    for thing in study.things:
        if thing.score is not None:
            kinds.setdefault(thing.kind, []).append(thing)
    if kinds:
        parts.append("<h2>What things are worth</h2>")
        parts.append(
            "<p>Seen, not tried: a seat's things compare the seats of a game by how often they had them, and what"
            " winners can afford looks good for that alone. Things of the whole table compare games.</p>"
        )
    for kind, things in kinds.items():
        wins = [t for t in things if t.share is not None and t.low is not None and t.high is not None]
        if wins:
            marks = [Whisker(t.name, t.share or 0.0, t.low or 0.0, t.high or 0.0) for t in wins]
            parts.append(whiskers(f"{kind}: win share for each one more", marks, fair=0.0))
        marks = [Whisker(t.name, t.score or 0.0, t.score_low or 0.0, t.score_high or 0.0) for t in things]
        compared = "for each one more" if wins else "beyond games without"
        parts.append(whiskers(f"{kind}: score {compared}", marks, fair=0.0))
    return parts
