"""Records: a whole game as one JSON file that anyone can replay and check. `docs/record.md` describes the format.

A record holds the moves in the game's notation and every draw of chance. Replaying checks that the moves are
legal and lead to the written result; verifying checks that the draws follow from the committed seed.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import msgspec

from polikarp.engine.game import Game, Result
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.phrase import Refused
from polikarp.engine.rng import ScriptError, SeedRng
from polikarp.engine.table import Table, commitment

FORMAT = 1
LARGEST = 16 * 2**20  # bytes of a file


Small = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class RecordError(Exception):
    """A record does not hold. The text says why, in one line."""


class RecordedMove(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """`[seat, move, draws, milliseconds since the deal or null]`"""

    seat: int
    move: str
    drawn: list[Small] = []
    at: Annotated[int, msgspec.Meta(ge=0, lt=2**53)] | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One game. `players` names who sat where; `seed` is missing as long as it is secret."""

    polikarp: int = FORMAT
    game: str
    rules: str
    options: dict[str, OptionValue]
    players: list[str]
    commitment: str
    seed: str | None = None
    dealt: list[Small]
    moves: list[RecordedMove]
    result: Result | None = None


class Head(msgspec.Struct):
    """The part of a record that says how to read the rest."""

    polikarp: int


def make_record(table: Table, players: list[str]) -> Record:
    """The record of a table. Its seed is in it only when the game is over; the rest tells all that was hidden too."""
    return Record(
        game=table.game.id,
        rules=table.game.rules,
        options=table.options,
        players=players,
        commitment=commitment(table.seed),
        seed=table.seed.hex() if table.over else None,
        dealt=table.dealt,
        moves=[RecordedMove(step.seat, table.game.text(step.move), step.drawn, step.at) for step in table.steps],
        result=table.result,
    )


def record_json(record: Record) -> bytes:
    """A record as text: one line a move, so that people can read it and tools can compare it."""
    fields = msgspec.to_builtins(record)
    lines = [f'  "{name}": {msgspec.json.encode(value).decode()}' for name, value in fields.items() if name != "moves"]
    moves = ",\n".join(f"    {msgspec.json.encode(move).decode()}" for move in fields["moves"])
    lines.insert(-1, '  "moves": [\n' + moves + "\n  ]" if moves else '  "moves": []')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


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
        return msgspec.json.decode(data, type=Record)
    except msgspec.ValidationError as mistake:
        raise RecordError(f"this is not a record: {mistake}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as mistake:
        raise RecordError(f"the file is not readable as JSON, perhaps cut short: {mistake}") from None


def replay(game: Game, record: Record, until: int | None = None) -> Table:
    """Play a record again, up to move number `until`, with the draws written in it; raise if it does not hold."""
    if record.rules != game.rules:
        raise RecordError(f"the record was played under rules {record.rules[:40]}; installed are {game.rules}")
    try:
        seed = bytes.fromhex(record.seed) if record.seed is not None else None
        script = [record.dealt, *(move.drawn for move in record.moves)]
        table = Table(game, len(record.players), record.options, seed, script)
    except (UsageError, ScriptError, ValueError) as mistake:
        raise RecordError(f"the deal does not hold: {mistake}") from None
    for number, recorded in enumerate(record.moves[:until], 1):
        if not 0 <= recorded.seat < table.seats:
            raise RecordError(f"move {number} is by seat {recorded.seat}; right is: 0 to {table.seats - 1}")
        try:
            move = game.parse(recorded.move)
            table.play_move(recorded.seat, move)
        except Refused as refused:
            reason = f"{refused.refusal.key} {refused.refusal.rule}".strip()
            raise RecordError(f"move {number} ({game.text(move)}) is not legal: {reason}") from None
        except (UsageError, ScriptError) as mistake:
            raise RecordError(f"move {number} does not hold: {mistake}") from None
    if (until is None or until >= len(record.moves)) and record.result != table.result:
        raise RecordError(f"the written result is {in_words(record.result)}; the moves give {in_words(table.result)}")
    return table


def in_words(result: Result | None) -> str:
    if result is None:
        return "none, the game goes on"
    return f"scores {result.scores[:16]}, places {result.places[:16]}"


def verify(game: Game, record: Record) -> int:
    """Recompute all chance from the seed; says how many draws there are, and raises if one does not follow."""
    if record.seed is None:
        raise RecordError("the record has no seed, so its chance can not be checked yet")
    try:
        seed = bytes.fromhex(record.seed)
    except ValueError:
        raise RecordError("the seed is not written in hexadecimal") from None
    if commitment(seed) != record.commitment:
        raise RecordError("the seed is not the one that was committed to before the game")
    table = replay(game, record)
    honest = Table(game, len(record.players), record.options, seed)
    if honest.dealt != table.dealt:
        raise RecordError("the deal does not follow from the seed")
    for number, step in enumerate(table.steps, 1):
        rng = SeedRng(seed, number)
        step.before.copy().play(step.seat, step.move, rng)
        if rng.drawn != step.drawn:
            raise RecordError(f"the chance of move {number} does not follow from the seed")
    return len(table.dealt) + sum(len(step.drawn) for step in table.steps)
