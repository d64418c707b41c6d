"""Records: a whole game as one JSON file that anyone can replay and check. `docs/record.md` describes the format.

A record holds the moves in the game's notation and every draw of chance. Replaying checks that the moves are
legal and lead to the written result; verifying checks that the draws follow from the committed seed and from the
players' shares.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import msgspec

from polikarp.engine.game import Game, Result
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.phrase import Refused
from polikarp.engine.rng import ScriptError
from polikarp.engine.strip import Strip, judge, move_of, strip_fits
from polikarp.engine.table import LONGEST_SHARE, Table, commitment
from polikarp.engine.thoughts import Thoughts
from polikarp.engine.words import printable

FORMAT = 5  # format 1 had no shares, format 2 no strips, format 3 no thoughts, format 4 no factions
LARGEST = 16 * 2**20  # bytes of a file


Small = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Secret = Annotated[str, msgspec.Meta(pattern=rf"^([0-9a-f]{{2}}){{1,{LONGEST_SHARE}}}\Z")]


class RecordError(Exception):
    """A record does not hold. The text says why, in one line."""


class OtherRules(RecordError):
    """A record is of other rules than those that are installed."""

    def __init__(self, played: str, installed: str) -> None:
        self.played = printable(played)
        self.installed = installed
        super().__init__(f"the record was played under rules {self.played}; installed are {installed}")


class RecordedMove(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """`[seat, move, draws, milliseconds since the deal or null, strip, thoughts]`; what is null at the end is left
    out, but for the first four.
    """

    seat: int
    move: str
    drawn: list[Small] = []
    at: Annotated[int, msgspec.Meta(ge=0, lt=2**53)] | None = None
    strip: Strip | None = None
    thoughts: Thoughts | None = None


class Share(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """`[seat, commitment, secret]`: what a seat added to chance. It counts only if the secret was revealed."""

    seat: int
    commitment: Hash
    secret: Secret | None


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One game. `players` names who sat where; `seed` and the secrets of shares are missing as long as it goes on.
    `factions`: by seat, where any seat has another one than goes with it.
    """

    polikarp: int = 2
    game: str
    rules: str
    options: dict[str, OptionValue]
    players: list[str]
    factions: list[str] = []
    commitment: Annotated[str, msgspec.Meta(max_length=64)]
    seed: str | None = None
    shares: list[Share] = []
    dealt: list[Small]
    moves: list[RecordedMove]
    result: Result | None = None


class Head(msgspec.Struct):
    """The part of a record that says how to read the rest."""

    polikarp: int
    shares: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def revealed(shares: Iterable[Share]) -> list[bytes]:
    """The shares that count, in the order in which they are mixed."""
    return [bytes.fromhex(share.secret) for share in shares if share.secret is not None]


def recorded(table: Table) -> list[RecordedMove]:
    text = table.game.text
    return [
        RecordedMove(step.seat, text(step.move), step.drawn, step.at, step.strip, step.thoughts) for step in table.steps
    ]


def recorded_factions(table: Table) -> list[str]:
    """The factions of a table; none if each seat has the one that goes with it, as older programs have it."""
    return table.factions if table.factions != table.game.seat_factions(table.seats) else []


def format_of(moves: Sequence[RecordedMove], factions: Sequence[str]) -> int:
    """The oldest format in which these can be written, so that older programs can read it."""
    if factions:
        return 5
    if any(move.thoughts is not None for move in moves):
        return 4
    return 3 if any(move.strip is not None for move in moves) else 2


def make_record(table: Table, players: list[str], shares: Sequence[Share] = ()) -> Record:
    """The record of a table. Its seed and secrets are in it only when the game is over; the rest tells all that was
    hidden too. `shares` are those that the table was dealt with, and those that were never revealed.
    """
    if revealed(shares) != list(table.shares):
        raise UsageError("the revealed shares are not those that the table was dealt with")
    moves = recorded(table)
    factions = recorded_factions(table)
    return Record(
        polikarp=format_of(moves, factions),
        game=table.game.id,
        rules=table.game.rules,
        options=table.options,
        players=players,
        factions=factions,
        commitment=commitment(table.seed),
        seed=table.seed.hex() if table.over else None,
        shares=[Share(share.seat, share.commitment, share.secret if table.over else None) for share in shares],
        dealt=table.dealt,
        moves=moves,
        result=table.result,
    )


def record_json(record: Record) -> bytes:
    """A record as text: one line a move, so that people can read it and tools can compare it."""
    fields = msgspec.to_builtins(record)
    if record.polikarp == 1:
        del fields["shares"]
    if not record.factions:
        del fields["factions"]
    fields["moves"] = [cut(move) for move in fields["moves"]]
    lines = [f'  "{name}": {msgspec.json.encode(value).decode()}' for name, value in fields.items() if name != "moves"]
    moves = ",\n".join(f"    {msgspec.json.encode(move).decode()}" for move in fields["moves"])
    lines.insert(-1, '  "moves": [\n' + moves + "\n  ]" if moves else '  "moves": []')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def cut(move: list[object]) -> list[object]:
    """A move without the strip and the thoughts that it does not have."""
    while len(move) > 4 and move[-1] is None:
        move = move[:-1]
    return move


def write_record(record: Record, path: Path) -> None:
    """Write the file whole or not at all."""
    target = path.resolve()
    draft = target.with_name(f".polikarp-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(record_json(record))
        draft.replace(target)
    except BaseException as mistake:
        draft.unlink(missing_ok=True)
        if isinstance(mistake, OSError):
            mistake.filename = str(path)
        raise


def read_record(data: bytes) -> Record:
    """The record in a file's bytes. Reading executes nothing."""
    if len(data) > LARGEST:
        raise RecordError(f"the file is too large; a record has at most {LARGEST} bytes")
    try:
        head = msgspec.json.decode(data, type=Head)
        if head.polikarp > FORMAT:
            raise RecordError(f"the record has format {head.polikarp}; this program reads up to format {FORMAT}")
        if head.polikarp < 1:
            raise RecordError(f"there is no record format {head.polikarp}; right is 1 to {FORMAT}")
        if head.polikarp == 1 and head.shares is not msgspec.UNSET:
            raise RecordError("this is not a record: format 1 has no field `shares`")
        record = msgspec.json.decode(data, type=Record)
        if head.polikarp < 3 and any(move.strip is not None for move in record.moves):
            raise RecordError(f"this is not a record: moves in format {head.polikarp} have no strips")
        if head.polikarp < 4 and any(move.thoughts is not None for move in record.moves):
            raise RecordError(f"this is not a record: moves in format {head.polikarp} have no thoughts")
        if head.polikarp < 5 and record.factions:
            raise RecordError(f"this is not a record: format {head.polikarp} has no field `factions`")
        return record
    except msgspec.ValidationError as mistake:
        raise RecordError(f"this is not a record: {mistake}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as mistake:
        raise RecordError(f"the file is not readable as JSON, perhaps cut short: {mistake}") from None


def replay(game: Game, record: Record, until: int | None = None, *, any_rules: bool = False) -> Table:
    """Play a record again, up to move number `until`, with the draws written in it; raise if it does not hold.

    `any_rules` plays under the installed rules what was played under others, to see if it still holds.
    """
    if record.rules != game.rules and not any_rules:
        raise OtherRules(record.rules, game.rules)
    try:
        seed = bytes.fromhex(record.seed) if record.seed is not None else None
        script = [record.dealt, *(move.drawn for move in record.moves)]
        table = Table(
            game,
            len(record.players),
            record.options,
            seed,
            script,
            shares=revealed(record.shares),
            factions=record.factions,
        )
    except (UsageError, ScriptError, ValueError) as mistake:
        raise RecordError(f"the deal does not hold: {mistake}") from None
    for number, recorded in enumerate(record.moves[:until], 1):
        if not 0 <= recorded.seat < table.seats:
            raise RecordError(f"move {number} is by seat {recorded.seat}; right is: 0 to {table.seats - 1}")
        try:
            move = game.parse(recorded.move)
            if recorded.thoughts is not None:
                check_thoughts(table, recorded.seat, recorded.thoughts)
            step = table.play_move(recorded.seat, move)
            table.steps[-1] = step._replace(strip=recorded.strip, thoughts=recorded.thoughts)
            if recorded.strip is not None:
                check_strip(table, recorded.strip)
        except Refused as refused:
            reason = f"{refused.refusal.key} {refused.refusal.rule}".strip()
            raise RecordError(f"move {number} ({game.text(move)}) is not legal: {reason}") from None
        except (UsageError, ScriptError) as mistake:
            raise RecordError(f"move {number} does not hold: {mistake}") from None
    if (until is None or until >= len(record.moves)) and record.result != table.result:
        raise RecordError(f"the written result is {in_words(record.result)}; the moves give {in_words(table.result)}")
    return table


def check_thoughts(table: Table, seat: int, thoughts: Thoughts) -> None:
    """Raise unless everything that is said to have been considered could have been played."""
    for candidate in thoughts.best:
        move = table.game.parse(candidate.move)
        if table.state.why_not(seat, move) is not None:
            raise RecordError(
                f"the thoughts of move {len(table.steps) + 1} have {table.game.text(move)}, which is not legal there"
            )


def check_strip(table: Table, strip: Strip) -> None:
    """Raise unless the last move of a table is what the strip beside it says."""
    last = table.steps[-table.seats :] if strip.calm else table.steps[-1:]  # a calm race has an answer of everybody
    before = last[0].before
    assert before is not None
    race = table.game.race(table.game.load(table.seats, before, table.options))
    number = len(table.steps)
    if race is None or not strip_fits(race, strip):
        raise RecordError(f"the strip of move {number} does not fit the table")
    finishes, first = judge(race, strip.finishes, strip.calm)
    slaps = {
        finish.seat: move_of(race, finish) for finish in finishes if finish.outcome not in ("old", "void", "second")
    }
    played = {step.seat: table.game.text(step.move) for step in last}
    if strip.calm:
        slaps |= {seat: race.skip for seat in race.order if seat not in slaps}
    elif first is not None:
        slaps = {first.seat: move_of(race, first)}
    if finishes != strip.finishes or first is None or slaps != played:
        raise RecordError(f"the strip of move {number} shows another race")


def in_words(result: Result | None) -> str:
    if result is None:
        return "none, the game goes on"
    return f"scores {result.scores[:16]}, places {result.places[:16]}"


def verify(game: Game, record: Record, *, any_rules: bool = False) -> int:
    """Recompute all chance from the seed and the shares; says how many draws there are, and raises if one does not
    follow. `any_rules` as in `replay`.
    """
    if record.seed is None:
        raise RecordError("the record has no seed, so its chance can not be checked yet")
    try:
        seed = bytes.fromhex(record.seed)
    except ValueError:
        raise RecordError("the seed is not written in hexadecimal") from None
    if commitment(seed) != record.commitment:
        raise RecordError("the seed is not the one that was committed to before the game")
    for share in record.shares:
        if not 0 <= share.seat < len(record.players):
            raise RecordError(f"a share is of seat {share.seat}; right is: 0 to {len(record.players) - 1}")
        if share.secret is not None and commitment(bytes.fromhex(share.secret)) != share.commitment:
            raise RecordError(f"the share of seat {share.seat} is not the one that it committed to before the game")
    table = replay(game, record, any_rules=any_rules)
    honest = Table(game, len(record.players), record.options, seed, shares=table.shares)
    if honest.dealt != table.dealt:
        raise RecordError(f"the deal does not follow from the seed: {other_draw(table.dealt, honest.dealt)}")
    for number, step in enumerate(table.steps, 1):
        drawn = honest.play_move(step.seat, step.move).drawn
        if drawn != step.drawn:
            why = other_draw(step.drawn, drawn)
            raise RecordError(f"the chance of move {number} does not follow from the seed: {why}")
    return len(table.dealt) + sum(len(step.drawn) for step in table.steps)


def other_draw(written: Sequence[int], right: Sequence[int]) -> str:
    """The first of two rows of draws in which they differ."""
    pairs = enumerate(zip_longest(written, right), 1)
    return next(f"draw {number} is {a}, the seed gives {b}" for number, (a, b) in pairs if a != b)
