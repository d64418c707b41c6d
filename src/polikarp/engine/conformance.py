"""What every game must hold, checked by playing it. A game is tested by being registered.

Each check plays random games and raises `Broken` at the first thing that is not right; where two things should be
alike it names the first field or event in which they differ. Out-of-turn rights are used too: now and then a seat
moves that the game does not wait for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Event, Refused
from polikarp.engine.record import make_record, read_record, record_json, replay, verify
from polikarp.engine.rng import FastRng, Rng, ScriptError, ScriptRng
from polikarp.engine.state import WATCHER, Cut, Log, State, bit, numbers, playout, seats_of
from polikarp.engine.table import Table


class Broken(Exception):
    """A game does not hold what the contract asks of it."""


class Setting(NamedTuple):
    """What is played: a game, with a number of seats and options, and the seed of the random play."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]
    seed: object

    def start(self, rng: Rng, log: Log | None = None) -> State:
        return self.game.start(self.seats, self.options, rng, log)

    def viewers(self) -> list[int]:
        return [WATCHER, *range(self.seats)]

    def load(self, data: bytes) -> State:
        return self.game.load(self.seats, data, self.options)


VEC = type(numbers(0, 0))
MOST_SETTINGS = 48  # of one game


def all_settings(game: Game) -> list[tuple[int, dict[str, OptionValue]]]:
    """Every number of seats with every combination of the options' samples. Where these are too many: every number of
    seats with the defaults, and every other sample with the fewest seats, with the most, and with some in between.
    """
    names = [option.name for option in game.options]
    samples = [option.samples() for option in game.options]
    settings = [(seats, values) for seats in game.seats for values in itertools.product(*samples)]
    if len(settings) > MOST_SETTINGS:
        defaults = tuple(option.default for option in game.options)
        rows = itertools.zip_longest(*samples_but_defaults(game))
        others = [tuple(map(value_or, row, defaults)) for row in rows]
        some = {game.seats[0], game.seats[len(game.seats) // 2], game.seats[-1]}
        settings = [(seats, defaults) for seats in game.seats]
        settings += [(seats, values) for seats in sorted(some) for values in others]
    return [(seats, dict(zip(names, values, strict=True))) for seats, values in settings]


def samples_but_defaults(game: Game) -> list[list[OptionValue]]:
    return [[value for value in option.samples() if value != option.default] for option in game.options]


def value_or(value: OptionValue | None, default: OptionValue) -> OptionValue:
    return default if value is None else value


def choose(state: State, rng: Rng) -> tuple[int, int]:
    """A random seat and move: mostly a seat that the game waits for, now and then any that has a right."""
    seats = seats_of(state.waiting)
    if rng.below(5) == 0:
        seats = seats_of(state.acting())
    seat = seats[rng.below(len(seats))]
    moves = state.moves(seat)
    if not moves:
        raise Broken(f"the game waits for seat {seat}, which has no move")
    return seat, moves[rng.below(len(moves))]


def walk(setting: Setting) -> Iterator[State]:
    """Every position of one random game, the end included. The state is live: copy it before you change it."""
    rng = FastRng(setting.seed)
    state = setting.start(rng)
    for _ in range(setting.game.longest + 1):
        yield state
        if not state.waiting:
            return
        seat, move = choose(state, rng)
        state.apply(seat, move, rng)
    raise Broken(f"a game is not over after {setting.game.longest} moves")


def knowledge(game: Game, state: State, seat: int) -> bytes:
    """All that reaches a seat: its view with prompt and moves, and the sight that its bot would get."""
    view = game.view(state, None if seat == WATCHER else seat)
    return msgspec.json.encode(view) + b"\n" + state.sight(seat).to_bytes()


def known(game: Game, state: State, seat: int) -> dict[str, Any]:
    """The same with names, for telling what differs."""
    view = game.view(state, None if seat == WATCHER else seat)
    return {"view": msgspec.to_builtins(view), "sight": fields(state.sight(seat))}


def fields(state: State) -> dict[str, Any]:
    """The numbers of a position by their names, compiled or not."""
    found: dict[str, Any] = {}
    for name in dir(state):
        value = None if name.startswith("_") or name in ("legal", "log") else getattr(state, name, None)
        if isinstance(value, int):
            found[name] = int(value)
        elif isinstance(value, VEC):
            found[name] = list(value)
    return found


def difference(one: Any, other: Any, place: str = "") -> str:
    """The first place where two things differ, and what stands there in each; nothing if they are alike."""
    if isinstance(one, State):
        return difference(fields(one), fields(other), place)
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(f"{place}.{key}".strip("."), one.get(key), other.get(key)) for key in {**one, **other}]
    elif isinstance(one, list) and isinstance(other, list):
        pairs = [(f"{place}[{at}]", *both) for at, both in enumerate(itertools.zip_longest(one, other))]
    else:
        return "" if one == other else f"{place} is {one!r} and {other!r}"
    return next((found for where, a, b in pairs if (found := difference(a, b, where))), "")


def told_apart(game: Game, one: State, other: State, viewer: int) -> str:
    """By what a viewer can tell two positions apart."""
    return difference(known(game, one, viewer), known(game, other, viewer))


def told_otherwise(one: list[Event], other: list[Event]) -> str:
    """The first event that differs."""
    return difference(msgspec.to_builtins(one), msgspec.to_builtins(other), "event ")


def check_moves(setting: Setting) -> None:
    """Every offered move plays, and every other is refused with a reason and changes nothing."""
    game = setting.game
    rng = FastRng((setting.seed, "moves"))
    for state in walk(setting):
        before = state.to_bytes()
        for seat in range(setting.seats):
            offered = state.moves(seat)
            if len(set(offered)) != len(offered):
                raise Broken(f"a move is offered twice to seat {seat}: {offered}")
            legal = set(offered)
            if offered and state.pick(seat, rng) not in legal:
                raise Broken(f"a random move is drawn for seat {seat} that is not offered")
            for move in range(state.move_count()):
                refusal = state.why_not(seat, move)
                if (refusal is None) != (move in legal):
                    raise Broken(f"{game.text(move)} by seat {seat}: offered {move in legal}, refused {refusal}")
                if refusal is not None and state.waiting and not refusal.rule.startswith(f"{game.id}."):
                    raise Broken(f"{game.text(move)} is refused without naming a rule")
            if offered:
                twin = state.copy()
                twin.play(seat, offered[rng.below(len(offered))], rng)
            illegal = rng.below(state.move_count())
            if illegal not in legal:
                try:
                    state.play(seat, illegal, rng)
                except Refused:
                    pass
                else:
                    raise Broken(f"{game.text(illegal)} by seat {seat} is not offered, but plays")
        if state.to_bytes() != before:
            raise Broken("asking or being refused changed the position")


def check_pick(setting: Setting) -> None:
    """A random move is each of the legal ones, equally often: the counts of many draws are not too far from even."""
    rng = FastRng((setting.seed, "pick"))
    for number, state in enumerate(walk(setting)):
        if number % 8 or not state.waiting:
            continue
        seat = seats_of(state.waiting)[0]
        moves = state.moves(seat)
        counts = dict.fromkeys(moves, 0)
        for _ in range(20 * len(moves)):
            counts[state.pick(seat, rng)] += 1
        excess = sum((count - 20) ** 2 / 20 for count in counts.values()) - (len(moves) - 1)
        if excess > 7 * (2 * len(moves)) ** 0.5:  # seven times the spread of chi-square
            raise Broken(f"random moves are not equally likely: {counts}")


def check_notation(game: Game, seats: int) -> None:
    """Every move has a text of its own, and the text gives the move back."""
    state = game.start(seats, {}, FastRng(0))
    for move in range(state.move_count()):
        text = game.text(move)
        if game.parse(text) != move:
            raise Broken(f"move {move} is written {text!r}, which is read as {game.parse(text)}")


def check_end(setting: Setting) -> None:
    """The game ends within its bound, with a result that names a place for everyone."""
    for state in walk(setting):
        result = setting.game.result(state)
        if (result is None) != bool(state.waiting):
            raise Broken("there is a result before the end, or none at the end")
        if result is not None:
            places = sorted(result.places)
            lost_alone = setting.seats == 1 and places == [2]
            if len(places) != setting.seats or (places[0] != 1 and not lost_alone):
                raise Broken(f"the places at the end are {places}")
            if any(state.moves(seat) for seat in range(setting.seats)):
                raise Broken("there are moves after the end")


def check_totals(setting: Setting) -> int:
    """Cards, dice and coins are conserved. Says how many moves the game had."""
    first: list[int] | None = None
    moves = -1
    for state in walk(setting):
        totals = state.totals()
        if first is None:
            first = totals
        if totals != first:
            raise Broken(f"something was lost or made: {first} became {totals}")
        moves += 1
    return moves


def check_positions(setting: Setting) -> int:
    """What can be checked quickly in every position: the totals, who has a move, copies, bytes, and that a seat's
    moves follow from its sight. Says how many moves the game had.
    """
    check_end(setting)
    for state in walk(setting):
        data = state.to_bytes()
        loaded = setting.load(data)
        if state.copy().to_bytes() != data or loaded.to_bytes() != data:
            raise Broken("a state changes on its way through a copy or bytes")
        for seat in seats_of(state.waiting):
            if not state.moves(seat) or state.sight(seat).moves(seat) != state.moves(seat):
                raise Broken(f"the moves of seat {seat} do not follow from what it knows")
    return check_totals(setting)


def check_copies(setting: Setting) -> None:
    """A copy is equal and shares nothing; a state made from bytes is equal and plays on alike."""
    for number, state in enumerate(walk(setting)):
        data = state.to_bytes()
        copy = state.copy()
        loaded = setting.load(data)
        if copy.to_bytes() != data:
            raise Broken(f"a copy differs from what it was copied from: {difference(copy, state)}")
        if loaded.to_bytes() != data:
            raise Broken(f"a state changes on its way through bytes: {difference(loaded, state)}")
        ends = [played_out(each, (setting.seed, number)) for each in (copy, loaded)]
        if state.to_bytes() != data:
            raise Broken("playing on a copy changed the original")
        if ends[0] != ends[1] or ends[0] != played_out(state.copy(), (setting.seed, number)):
            raise Broken("a copy and a loaded state play on differently")


def played_out(state: State, seed: object) -> bytes:
    playout(state, FastRng(seed))
    return state.to_bytes()


def check_repeatable(setting: Setting) -> None:
    """The same seed and moves give the same positions."""
    for one, other in zip(walk(setting), walk(setting), strict=True):
        if one.to_bytes() != other.to_bytes():
            raise Broken(f"the same seed and moves gave two different positions: {difference(one, other)}")


def check_sights(setting: Setting) -> None:
    """Moves follow from what a seat knows; what it imagines fits what it knows, depends on nothing else, and plays."""
    game = setting.game
    for number, state in enumerate(walk(setting)):
        for viewer in setting.viewers():
            sight = state.sight(viewer)
            if sight.sight(viewer).to_bytes() != sight.to_bytes():
                raise Broken(f"hiding twice hides more from viewer {viewer}: {difference(sight, sight.sight(viewer))}")
            if viewer != WATCHER and sight.moves(viewer) != state.moves(viewer):
                raise Broken(f"the moves of seat {viewer} depend on what it does not know")
            for move in range(state.move_count() if viewer != WATCHER else 0):
                if sight.why_not(viewer, move) != state.why_not(viewer, move):
                    raise Broken(f"why seat {viewer} can not {game.text(move)} depends on what it does not know")
            imagined = state.imagine(viewer, FastRng((setting.seed, number, viewer)))
            again = imagined.imagine(viewer, FastRng((setting.seed, number, viewer)))
            if again.to_bytes() != imagined.to_bytes():
                raise Broken(
                    f"what viewer {viewer} imagines depends on what it does not know: {difference(imagined, again)}"
                )
            if knowledge(game, imagined, viewer) != knowledge(game, state, viewer):
                apart = told_apart(game, imagined, state, viewer)
                raise Broken(f"viewer {viewer} can tell what it imagines from what is: {apart}")
            if imagined.totals() != state.totals():
                raise Broken("imagining lost or made something")
            played_out(imagined, number)


class Tried(NamedTuple):
    """A random move in a random position: what it drew and told, and the position after it."""

    state: State
    seat: int
    move: int
    draws: list[int]
    log: Log
    after: State


def tries(setting: Setting, rng: Rng) -> Iterator[Tried]:
    """One try in every position of a random game."""
    for state in walk(setting):
        if state.waiting:
            seat, move = choose(state, rng)
            chance = Noted(FastRng(0))
            after = state.copy()
            log = after.play(seat, move, chance)
            yield Tried(state, seat, move, [draw for _, draw in chance.draws], log, after)


def check_seals(setting: Setting) -> None:
    """A move that can be taken back (nothing drawn, not sealed) tells nobody anything that was hidden."""
    game = setting.game
    rng = FastRng((setting.seed, "seals"))
    for state, seat, move, draws, log, after in tries(setting, rng):
        if log.sealed or draws:
            continue
        for viewer in setting.viewers():
            twin = state.imagine(viewer, rng)
            twin.apply(seat, move, FastRng(0))
            if knowledge(game, twin, viewer) != knowledge(game, after, viewer):
                apart = told_apart(game, twin, after, viewer)
                raise Broken(f"{game.text(move)} shows viewer {viewer} something, but could be taken back: {apart}")


def check_events(setting: Setting) -> None:
    """Nobody is told more than they then know: positions that stay alike for a viewer are told alike."""
    game = setting.game
    rng = FastRng((setting.seed, "events"))
    for state, seat, move, draws, log, after in tries(setting, rng):
        for viewer in setting.viewers():
            twin = state.imagine(viewer, rng)
            try:
                told = twin.play(seat, move, ScriptRng(draws))
            except (Refused, ScriptError):
                continue  # somebody else's move, which this viewer can not tell to be possible
            alike = knowledge(game, twin, viewer) == knowledge(game, after, viewer)
            if alike and heard(told.events, viewer) != heard(log.events, viewer):
                otherwise = told_otherwise(heard(told.events, viewer), heard(log.events, viewer))
                raise Broken(
                    f"{game.text(move)} tells viewer {viewer} something that its sight does not hold: {otherwise}"
                )
            if alike and told.sealed != log.sealed:
                raise Broken(f"whether {game.text(move)} can be taken back tells viewer {viewer} something")
            compare_cuts(setting, told, log, viewer)


def check_cuts(setting: Setting) -> None:
    """A move that is cut is the same move, and each cut is a position that holds together: nothing is lost or twice
    there, and everybody has a sight and a board of it.
    """
    game = setting.game
    for state, seat, move, draws, log, after in tries(setting, FastRng((setting.seed, "cuts"))):
        silent = state.copy()
        silent.apply(seat, move, ScriptRng(draws))
        if silent.to_bytes() != after.to_bytes():
            raise Broken(f"{game.text(move)} is another move when somebody listens: {difference(silent, after)}")
        for cut in log.cuts:
            position = setting.load(cut.state)
            if position.to_bytes() != cut.state:
                raise Broken("a cut changes on its way through bytes")
            if position.totals() != state.totals():
                raise Broken(f"something is lost or twice at a cut: {difference(position.totals(), state.totals())}")
            for viewer in setting.viewers():
                sight = position.sight(viewer)
                if sight.sight(viewer).to_bytes() != sight.to_bytes():
                    raise Broken(f"hiding a cut twice hides more: {difference(sight, sight.sight(viewer))}")
                msgspec.json.encode(game.seen_board(sight, viewer, ()))


def compare_cuts(setting: Setting, one: Log, other: Log, viewer: int) -> int:
    """Two moves that a viewer could not tell apart before: as long as it is told the same, all cuts are alike for it,
    and if it is told the same to the end, there are as many. So a cut shows nothing before it is told, and where the
    cuts are tells nothing. Says how many were compared.
    """
    compared = 0
    for a, b in zip(one.cuts, other.cuts, strict=False):
        if heard(one.events[: a.told], viewer) != heard(other.events[: b.told], viewer):
            break
        compared += 1
        apart = difference(seen_cut(setting, a, viewer), seen_cut(setting, b, viewer))
        if apart:
            raise Broken(f"viewer {viewer} can tell two cuts apart that it was told the same up to: {apart}")
    if heard(one.events, viewer) == heard(other.events, viewer) and not len(one.cuts) == len(other.cuts) == compared:
        raise Broken(f"where a move is cut tells viewer {viewer} something")
    return compared


def seen_cut(setting: Setting, cut: Cut, viewer: int) -> dict[str, Any]:
    """All that reaches a viewer of a cut, and the sight that it is made of."""
    sight = setting.load(cut.state).sight(viewer)
    return {"board": msgspec.to_builtins(setting.game.seen_board(sight, viewer, ())), "sight": fields(sight)}


def check_records(setting: Setting) -> None:
    """A table's record is read back, replays to the same end, and verifies."""
    table = Table(setting.game, setting.seats, setting.options, str(setting.seed))
    rng = FastRng(setting.seed)
    while not table.over:
        table.play_move(*choose(table.state, rng))
    record = read_record(record_json(make_record(table, ["random"] * setting.seats)))
    replayed = replay(setting.game, record).state
    if replayed.to_bytes() != table.state.to_bytes():
        raise Broken(f"a record replays to another end: {difference(replayed, table.state)}")
    verify(setting.game, record)


class Noted(Rng):
    """Draws from another source and notes bound and draw."""

    def __init__(self, source: Rng) -> None:
        self.source = source
        self.draws: list[tuple[int, int]] = []

    def below(self, bound: int) -> int:
        draw = self.source.below(bound)
        self.draws.append((bound, draw))
        return draw


class Played(NamedTuple):
    """One step of a game that was played for `check_leaks`: the first one is the deal."""

    seat: int
    move: int
    draws: list[tuple[int, int]]
    log: Log
    state: State


def check_leaks(setting: Setting, tries: int) -> int:
    """Two games that differ in one draw or in one move of somebody else: as long as all that a viewer was told is
    the same, all that it can know must be the same, byte for byte. Says how often the two really differed. A game
    that says it has no secrets must have none.
    """
    if not setting.game.secrets:
        return check_open(setting)
    rng = FastRng((setting.seed, "leaks"))
    game = play_noted(setting)
    told = 0
    for _ in range(tries):
        viewer = setting.viewers()[rng.below(setting.seats + 1)]
        at = 0 if rng.below(2) == 0 else rng.below(len(game))
        told += compare_twin(setting, game, viewer, at, rng)
    return told


def check_open(setting: Setting) -> int:
    """In a game without secrets everybody sees and is told the same: all of it. Says how many views were compared."""
    game, compared = setting.game, 0
    everyone = sum(bit(viewer) for viewer in setting.viewers())
    for step in play_noted(setting):
        for event in step.log.events:
            if event.audience & everyone != everyone:
                raise Broken(f"{game.id} says that it has no secrets, but not everybody is told of {event.key}")
        whole = open_part(game, step.state, step.state, WATCHER)
        for viewer in setting.viewers():
            apart = difference(open_part(game, step.state, step.state.sight(viewer), viewer), whole)
            for cut in step.log.cuts:
                apart = apart or difference(seen_cut(setting, cut, viewer), seen_cut(setting, cut, WATCHER))
            if apart:
                raise Broken(f"{game.id} says that it has no secrets, but viewer {viewer} sees others: {apart}")
            compared += 1
    return compared


def open_part(game: Game, state: State, sight: State, viewer: int) -> dict[str, Any]:
    """What must be alike for everybody: all but whose view it is, and what its seat is asked and may do."""
    view = msgspec.to_builtins(game.view(state, None if viewer == WATCHER else viewer))
    of_all = {name: value for name, value in view.items() if name not in ("seat", "moves", "prompt")}
    return {"view": of_all, "sight": fields(sight), "bytes": sight.to_bytes()}


def play_noted(setting: Setting) -> list[Played]:
    """A random game with everything that happened in it."""
    rng = FastRng(setting.seed)
    chance = Noted(FastRng((setting.seed, "deal")))
    log = Log()
    state = setting.start(chance, log)
    steps = [Played(WATCHER, 0, chance.draws, log, state.copy())]
    while state.waiting:
        seat, move = choose(state, rng)
        chance = Noted(FastRng((setting.seed, len(steps))))
        log = state.play(seat, move, chance)
        steps.append(Played(seat, move, chance.draws, log, state.copy()))
    return steps


def compare_twin(setting: Setting, game: list[Played], viewer: int, at: int, rng: Rng) -> int:
    """Play the same game with a change in step `at` that the viewer is not told of."""
    draws = [draw for _, draw in game[at].draws]
    move = game[at].move
    changed = rng.below(len(draws)) if draws else 0
    if draws:
        draws[changed] = rng.below(game[at].draws[changed][0])
    elif at and game[at].seat != viewer:
        moves = game[at - 1].state.moves(game[at].seat)
        move = moves[rng.below(len(moves))]
    else:
        return 0
    differed = 0
    log = Log()
    try:
        if at == 0:
            twin = setting.start(ScriptRng(draws), log)
        else:
            twin = game[at - 1].state.copy()
            log = twin.play(game[at].seat, move, ScriptRng(draws))
        for step in range(at, len(game)):
            if step > at:
                script = ScriptRng([draw for _, draw in game[step].draws])
                log = twin.play(game[step].seat, game[step].move, script)
            compare_cuts(setting, log, game[step].log, viewer)
            if heard(log.events, viewer) != heard(game[step].log.events, viewer):
                return differed
            if twin.to_bytes() != game[step].state.to_bytes():
                differed += 1
                if knowledge(setting.game, twin, viewer) != knowledge(setting.game, game[step].state, viewer):
                    apart = told_apart(setting.game, twin, game[step].state, viewer)
                    raise Broken(f"viewer {viewer} can tell two games apart that it was told the same of: {apart}")
    except (Refused, ScriptError):
        pass  # the change led to a game that can not go on like the other
    return differed


def heard(events: list[Event], viewer: int) -> list[Event]:
    return [event for event in events if event.audience & bit(viewer)]


CHECKS: tuple[Callable[[Setting], object], ...] = (
    check_moves,
    check_pick,
    check_end,
    check_totals,
    check_copies,
    check_repeatable,
    check_sights,
    check_seals,
    check_events,
    check_cuts,
    check_records,
)
