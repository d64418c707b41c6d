"""Records: what holds is read, replayed and verified, and whatever else a file may hold is refused in one line. Damage
is done to the record of a real game, one thing at a time."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polikarp.bots.random import RandomBot
from polikarp.engine.option import UsageError
from polikarp.engine.record import (
    LARGEST,
    Record,
    RecordError,
    Share,
    make_record,
    read_record,
    record_json,
    replay,
    revealed,
    verify,
    write_record,
)
from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table, commitment
from polikarp.games import all_games, find_game
from tests.conftest import Command, Outcome, assert_refused, files_in

Fields = dict[str, Any]
Damage = Callable[[Fields], object]  # gives the damaged fields, or the text or bytes to write instead

LONGEST_LINE = 1000  # characters that an answer may have, whatever stands in the file
CRYPT = find_game("crypt")
GOLD = find_game("gold")
quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True)


@pytest.fixture
def fields(record_file: Path) -> Fields:
    """A real record, to be damaged."""
    made: Fields = json.loads(record_file.read_bytes())
    return made


def as_bytes(damaged: object) -> bytes:
    if isinstance(damaged, bytes):
        return damaged
    return (damaged if isinstance(damaged, str) else json.dumps(damaged)).encode()


def assert_does_not_hold(outcome: Outcome, *words: str) -> None:
    assert_refused(outcome, 1, "damaged.json", *words)
    assert len(outcome.stderr) <= LONGEST_LINE


# Ways to damage a record


def instead(data: str | bytes) -> Damage:
    return lambda fields: data


def changed(**new: object) -> Damage:
    return lambda fields: {**fields, **new}


def without(name: str) -> Damage:
    return lambda fields: {other: value for other, value in fields.items() if other != name}


def replaced(old: str, new: str) -> Damage:
    """The text of the file with its first `old` replaced, for what JSON libraries would not write."""

    def damage(fields: Fields) -> str:
        text = json.dumps(fields)
        assert old in text
        return text.replace(old, new, 1)

    return damage


def first_move(*move: object) -> Damage:
    return lambda fields: {**fields, "moves": [list(move), *fields["moves"][1:]]}


def draws(change: Callable[[list[int]], list[int]]) -> Damage:
    """Other draws in the first move that has any."""

    def damage(fields: Fields) -> Fields:
        damaged = copy.deepcopy(fields)
        move = next(move for move in damaged["moves"] if move[2])
        move[2] = change(move[2])
        return damaged

    return damage


def dealt(change: Callable[[list[int]], list[int]]) -> Damage:
    return lambda fields: {**fields, "dealt": change(fields["dealt"])}


def beginning_with(draw: int) -> Callable[[list[int]], list[int]]:
    return lambda drawn: [draw, *drawn[1:]]


BROKEN: dict[str, tuple[Damage, tuple[str, ...]]] = {
    # not JSON, or not a record
    "empty": (instead(""), ("JSON",)),
    "blank": (instead(" \n"), ("JSON",)),
    "binary": (instead(bytes(range(256))), ("JSON",)),
    "zeros": (instead(bytes(1000)), ("JSON",)),
    "not UTF-8": (lambda fields: json.dumps(fields).encode().replace(b"Mira", b"\xff\xfe"), ("JSON",)),
    "UTF-16": (lambda fields: json.dumps(fields).encode("utf-16"), ("JSON",)),
    "half a surrogate": (replaced("Mira", "\\ud800"), ("JSON",)),
    "text after the end": (lambda fields: json.dumps(fields) + "x", ("JSON",)),
    "two records": (lambda fields: json.dumps(fields) * 2, ("JSON",)),
    "deep lists": (instead("[" * 100_000), ("not a record",)),
    "deep objects": (instead('{"a":' * 100_000), ("JSON",)),
    "deep field": (replaced('"options"', '"x": ' + "[" * 100_000 + "]" * 100_000 + ', "options"'), ("JSON",)),
    "a list": (instead("[]"), ("not a record", "object")),
    "a number": (instead("1"), ("not a record", "object")),
    "null": (instead("null"), ("not a record", "object")),
    "an empty object": (instead("{}"), ("not a record", "polikarp")),
    "one byte too many": (lambda fields: json.dumps(fields).ljust(LARGEST + 1), (str(LARGEST),)),
    # fields
    **{
        f"{name} is missing": (without(name), ("not a record", name))
        for name in ("polikarp", "game", "rules", "options", "players", "commitment", "dealt", "moves")
    },
    "a field too many": (changed(date="today"), ("not a record", "date")),
    "a field with a strange name": (changed(**{"\033[2J\nname": 1}), ("not a record", "name")),
    "a field too many in the result": (
        lambda fields: {**fields, "result": {**fields["result"], "note": "lucky"}},
        ("not a record", "note"),
    ),
    "a part too many in a move": (
        lambda fields: {**fields, "moves": [[*fields["moves"][0], "why not"], *fields["moves"][1:]]},
        ("not a record",),
    ),
    "a part too many in a share": (changed(shares=[[0, "ab" * 32, None, None]]), ("not a record", "length 3")),
    "a part too few in a move": (first_move(0), ("not a record", "moves")),
    **{
        f"{name} is {json.dumps(value)}": (changed(**{name: value}), ("not a record", name))
        for name, value in [
            ("polikarp", "1"),
            ("polikarp", 1.5),
            ("polikarp", True),
            ("polikarp", None),
            ("game", 1),
            ("rules", 1),
            ("options", []),
            ("options", {"collectors": []}),
            ("players", "Mira"),
            ("players", [1, 2, 3]),
            ("commitment", None),
            ("seed", 1),
            ("dealt", "1"),
            ("dealt", [1.5]),
            ("moves", {}),
            ("moves", ["done"]),
            ("moves", [["0", "done"]]),
            ("moves", [[0, 1]]),
            ("moves", [[0, "done", None]]),
            ("moves", [[0, "done", [], "noon"]]),
            ("factions", None),
            ("factions", "trolls"),
            ("factions", [1, 2, 3]),
            ("shares", None),
            ("shares", {}),
            ("shares", [0]),
            ("shares", [[0, "ab" * 32]]),
            ("shares", [["0", "ab" * 32, None]]),
            ("shares", [[0, None, None]]),
            ("shares", [[0, "", None]]),
            ("shares", [[0, "ab" * 31, None]]),
            ("shares", [[0, "AB" * 32, None]]),
            ("shares", [[0, "ab" * 32 + "\n", None]]),
            ("shares", [[0, "ab" * 32, ""]]),
            ("shares", [[0, "ab" * 32, "abc"]]),
            ("shares", [[0, "ab" * 32, "ab cd"]]),
            ("shares", [[0, "ab" * 32, "xy"]]),
            ("shares", [[0, "ab" * 32, "ab" * 65]]),
            ("shares", [[0, "ab" * 32, 1]]),
            ("result", []),
            ("result", {"scores": [1, 2, 3]}),
        ]
    },
    # a format, game or rules that are not here
    "newer format": (changed(polikarp=6), ("format 6", "up to format 5")),
    "newest format": (changed(polikarp=10**30, shape="unheard of"), ("format 1000", "up to format 5")),
    "format 1 with shares": (changed(polikarp=1), ("not a record", "format 1", "shares")),
    "format 0": (changed(polikarp=0), ("format 0",)),
    "format -1": (changed(polikarp=-1), ("format -1",)),
    "unknown game": (changed(game="chess"), ("'chess'", "not installed")),
    "game with a strange name": (changed(game="\033[2J" * 1000), ("not installed",)),
    "other rules": (changed(rules="0+00000000"), ("0+00000000", CRYPT.rules)),
    "rules with a strange name": (changed(rules="\033[2J" * 1000), (CRYPT.rules,)),
    "unknown option": (changed(options={"walls": 3}), ("'walls'", "collectors")),
    "unknown option value": (changed(options={"collectors": "C"}), ("collectors", "'C'")),
    # players
    "no players": (changed(players=[]), ("played by 0", "1 to 4")),
    "too many players": (changed(players=["A", "B", "C", "D", "E"]), ("played by 5", "1 to 4")),
    "far too many players": (changed(players=["A"] * 200_000), ("played by 200000", "1 to 4")),
    "a player too few": (changed(players=["A", "B"]), ("deal",)),
    "a player too many": (changed(players=["A", "B", "C", "D"]), ("deal",)),
    # factions
    "factions in an older format": (changed(factions=["trolls"]), ("not a record", "format 2", "factions")),
    "factions where there are none": (changed(polikarp=5, factions=["trolls"]), ("'trolls'", "factions are: none")),
    "a faction with a strange name": (changed(polikarp=5, factions=["\033[2J" * 1000]), ("no faction",)),
    "too many factions": (changed(polikarp=5, factions=[""] * 200_000), ("200000 factions", "3 seats")),
    # moves
    "illegal move": (first_move(0, "send 3x6 at F"), ("move 1", "send 3x6 at F", "crypt.13")),
    "move out of turn": (first_move(1, "recover"), ("move 1", "recover", "crypt.12")),
    "malformed move": (first_move(0, "fetch the gold"), ("move 1", "'fetch the gold'", "send 2x5 at C")),
    "empty move": (first_move(0, ""), ("move 1", "''")),
    "move of a strange text": (first_move(0, "\033[2J" * 1000), ("move 1",)),
    **{
        f"seat {seat}": (first_move(seat, "recover"), ("move 1 is by seat", "right is: 0 to 2"))
        for seat in (3, -1, 2**32, 2**63 - 1, 2**63, 2**64, -(2**64), 10**30)
    },
    "a move twice": (lambda fields: {**fields, "moves": [*fields["moves"][:4], *fields["moves"][3:]]}, ("move",)),
    "a move after the end": (lambda fields: {**fields, "moves": [*fields["moves"], [0, "recover"]]}, ("game_over",)),
    "far too many moves": (changed(moves=[[0, "recover"]] * 200_000), ("move 2", "crypt.12")),
    "the last move is missing": (lambda fields: {**fields, "moves": fields["moves"][:-1]}, ("result", "goes on")),
    "all moves are missing": (changed(moves=[]), ("result", "goes on")),
    # draws
    "no draws for the deal": (changed(dealt=[]), ("deal", "draw number 1")),
    "a draw too few for the deal": (dealt(lambda drawn: drawn[:-1]), ("deal", "draw number 36")),
    "a draw too many for the deal": (dealt(lambda drawn: [*drawn, 0]), ("deal", "37", "36")),
    "a draw too few": (draws(lambda drawn: drawn[:-1]), ("move", "draw number")),
    "a draw too many": (draws(lambda drawn: [*drawn, 0]), ("move", "draws are written down")),
    **{
        f"a draw of {draw}": (draws(beginning_with(draw)), ("move",))
        for draw in (6, -1, 2**32, 2**63, 2**64, -(2**64), 10**30)
    },
    **{
        f"a deal with {draw}": (dealt(beginning_with(draw)), ("deal",))
        for draw in (36, -1, 2**32, 2**63, 2**64, -(2**64), 10**30)
    },
    "NaN": (replaced('"dealt": [', '"dealt": [NaN, '), ("JSON",)),
    "infinity": (replaced('"dealt": [', '"dealt": [1e999, '), ("dealt",)),
    "a number of 5000 digits": (replaced('"dealt": [', f'"dealt": [{"9" * 5000}, '), ("dealt",)),
    "a move that draws without need": (first_move(0, "recover", [1]), ("move 1", "draws are written down")),
    # seed and result
    "seed is no number": (changed(seed="x" * 64), ()),
    "seed too short": (changed(seed="00"), ()),
    "other scores": (
        lambda fields: {**fields, "result": {**fields["result"], "scores": [99, 0, 0]}},
        ("result", "[99, 0, 0]"),
    ),
    "other places": (
        lambda fields: {**fields, "result": {**fields["result"], "places": fields["result"]["places"][::-1]}},
        ("result", "places"),
    ),
    "a result of many numbers": (changed(result={"scores": [1] * 100_000, "places": [1] * 100_000}), ("result",)),
    "no result": (changed(result=None), ("result", "goes on")),
    "the result is missing": (without("result"), ("result", "goes on")),
}


@pytest.mark.parametrize(("damage", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_record_gets_one_line(
    damage: Damage, words: tuple[str, ...], fields: Fields, call: Command, tmp_path: Path
) -> None:
    (tmp_path / "damaged.json").write_bytes(as_bytes(damage(fields)))
    for args in (("replay", "damaged.json"), ("replay", "damaged.json", "--json", "--seat", "0")):
        assert_does_not_hold(call(*args), *words)
    assert_does_not_hold(call("verify", "damaged.json"), *words)
    assert files_in(tmp_path) == {tmp_path / "damaged.json"}


def test_a_file_cut_short_gets_one_line(record_file: Path, call: Command, tmp_path: Path) -> None:
    whole = record_file.read_bytes()
    for length in range(0, len(whole) - 2, len(whole) // 20):
        (tmp_path / "damaged.json").write_bytes(whole[:length])
        for command in ("replay", "verify"):
            assert_does_not_hold(call(command, "damaged.json"), "cut short")


def test_the_largest_file_is_read(fields: Fields, call: Command, tmp_path: Path) -> None:
    (tmp_path / "large.json").write_bytes(json.dumps(fields).encode().ljust(LARGEST))
    assert call("verify", "large.json").returncode == 0


def test_up_to_the_damage_a_record_can_be_replayed(fields: Fields, call: Command, tmp_path: Path) -> None:
    fields["moves"][10] = [0, "fetch the gold"]
    (tmp_path / "damaged.json").write_bytes(as_bytes(fields))
    assert call("replay", "damaged.json", "--until", "10").returncode == 0
    assert_does_not_hold(call("replay", "damaged.json", "--until", "11"), "move 11")


def test_names_can_not_steer_the_terminal(fields: Fields, call: Command, tmp_path: Path) -> None:
    """A record may come from anybody, and its names are shown to whoever replays it."""
    fields["players"] = ["\033[2J\033[31mMira", "Bo\nlek", "Jagna\r\x07"]
    (tmp_path / "game.json").write_bytes(as_bytes(fields))
    outcome = call("replay", "game.json")
    assert outcome.returncode in (0, 1)
    for line in (outcome.stdout + outcome.stderr).split("\n"):
        assert line.isprintable(), line


# Records that replay, but whose chance is not honest


def share(seat: int, secret: bytes | None, committed: bytes = b"") -> list[object]:
    """A share as a file has it; its commitment is to the secret, unless to something else."""
    return [seat, commitment(committed or secret or b""), None if secret is None else secret.hex()]


UNPROVEN: dict[str, tuple[Damage, str]] = {
    "no seed": (changed(seed=None), "has no seed"),
    "the seed is missing": (without("seed"), "has no seed"),
    "another seed": (changed(seed="ab" * 32), "not the one that was committed to"),
    "another commitment": (changed(commitment="cd" * 32), "not the one that was committed to"),
    "no commitment": (changed(commitment=""), "not the one that was committed to"),
    "another seed and its commitment": (
        changed(seed="ab" * 32, commitment=commitment(bytes.fromhex("ab" * 32))),
        "the deal does not follow from the seed",
    ),
    "a share that was not mixed in": (changed(shares=[share(2, b"ala")]), "the deal does not follow from the seed"),
    "a share that was not committed to": (
        changed(shares=[share(0, None), share(2, b"ala", b"bo")]),
        "the share of seat 2 is not the one that it committed to",
    ),
    **{
        f"a share of seat {seat}": (changed(shares=[share(seat, None)]), f"seat {seat}; right is: 0 to 2")
        for seat in (3, -1, 2**63, 10**30)
    },
}


@pytest.mark.parametrize(("damage", "reason"), UNPROVEN.values(), ids=UNPROVEN.keys())
def test_chance_that_is_not_proven(damage: Damage, reason: str, fields: Fields, call: Command, tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_bytes(as_bytes(damage(fields)))
    assert call("replay", "damaged.json").returncode == 0
    assert_does_not_hold(call("verify", "damaged.json"), reason)


def tampered_draws(record: Record) -> Iterator[tuple[int, Record]]:
    """The record with one draw changed, for every draw of every move where the rest still replays."""
    for number, move in enumerate(record.moves):
        for at, draw in enumerate(move.drawn):
            drawn = [*move.drawn[:at], (draw + 1) % 6, *move.drawn[at + 1 :]]
            moves = list(record.moves)
            moves[number] = type(move)(move.seat, move.move, drawn)
            tampered = with_its_result(fields_of(record, moves=moves))
            if tampered is not None:
                yield number + 1, tampered


def fields_of(record: Record, **new: object) -> Record:
    """A copy with some fields replaced."""
    return Record(**{**{name: getattr(record, name) for name in record.__struct_fields__}, **new})


def with_its_result(record: Record) -> Record | None:
    """The record with the result that its moves and draws give, as a cheat would write it; None if they do not hold."""
    table = Table(CRYPT, len(record.players), record.options, 0, [record.dealt, *(move.drawn for move in record.moves)])
    try:
        for move in record.moves:
            table.play(move.move, move.seat)
    except Exception:
        return None
    return fields_of(record, result=table.result)


def test_no_changed_draw_passes_for_honest(record_file: Path, call: Command, tmp_path: Path) -> None:
    record = read_record(record_file.read_bytes())
    found = 0
    for number, tampered in tampered_draws(record):
        replay(CRYPT, tampered)
        with pytest.raises(RecordError, match=rf"chance of move {number} does not .*: draw \d+ is \d+, the seed gives"):
            verify(CRYPT, tampered)
        found += 1
        if found == 1:
            write_record(tampered, tmp_path / "damaged.json")
            assert call("replay", "damaged.json").returncode == 0
            assert_does_not_hold(call("verify", "damaged.json"), f"move {number}", "does not follow from the seed")
    assert found >= 5


def test_no_changed_deal_passes_for_honest(call: Command, tmp_path: Path) -> None:
    """The last draw of a deal says who leads: another leader can play an honest-looking game."""
    table = CRYPT.deal(seats=2, seed="honest")
    record = make_record(table, ["Mira", "Bolek"])
    dealt = [*record.dealt[:-1], 1 - record.dealt[-1]]
    write_record(fields_of(record, dealt=dealt, seed=table.seed.hex()), tmp_path / "damaged.json")
    assert call("replay", "damaged.json").returncode == 0
    first = f"draw {len(dealt)} is {dealt[-1]}, the seed gives {1 - dealt[-1]}"
    assert_does_not_hold(call("verify", "damaged.json"), f"the deal does not follow from the seed: {first}")


def test_a_record_that_can_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    with pytest.raises(OSError, match="taken"):
        write_record(shared_record(), taken)
    assert files_in(tmp_path) == {taken}


# Shares of chance


ALA, BO, JAGNA = b"ala", bytes(range(64)), b"\x00"
SHARES = [
    Share(2, commitment(JAGNA), JAGNA.hex()),
    Share(1, commitment(BO), None),
    Share(0, commitment(ALA), ALA.hex()),
]


@cache
def shared_record() -> Record:
    """A game of three who added to its chance; one of them never revealed what."""
    table = Table(CRYPT, 3, {}, "shared", shares=[JAGNA, ALA])
    chance = FastRng("shared")
    while not table.over:
        table.play_move(table.waiting[0], table.state.pick(table.waiting[0], chance))
    return make_record(table, ["Ala", "Bo", "Jagna"], SHARES)


def test_a_record_with_shares_verifies(call: Command, tmp_path: Path) -> None:
    record = shared_record()
    assert (record.polikarp, record.shares) == (2, SHARES)
    data = record_json(record)
    assert f'"shares": [[2,"{commitment(JAGNA)}","00"],[1,"{commitment(BO)}",null],' in data.decode()
    assert read_record(data) == record
    draws = verify(CRYPT, record)
    (tmp_path / "game.json").write_bytes(data)
    assert call("verify", "game.json").stdout.endswith(
        f"all {draws} draws follow from the committed seed and 2 of 3 shares\n"
    )


def test_a_share_that_was_not_revealed_does_not_count() -> None:
    verify(CRYPT, fields_of(shared_record(), shares=[SHARES[0], SHARES[2]]))


@pytest.mark.parametrize(
    "shares",
    [
        [],
        [SHARES[0]],
        [SHARES[2]],
        [SHARES[2], SHARES[0]],
        [*SHARES, SHARES[0]],
        [SHARES[0], Share(1, commitment(BO), BO.hex()), SHARES[2]],
        [Share(2, commitment(b"\x01"), "01"), *SHARES[1:]],
    ],
    ids=["none", "one missing", "the other missing", "another order", "one twice", "one revealed later", "another one"],
)
def test_other_shares_give_other_chance(shares: list[Share]) -> None:
    tampered = fields_of(shared_record(), shares=shares)
    replay(CRYPT, tampered)
    with pytest.raises(RecordError, match="the deal does not follow from the seed"):
        verify(CRYPT, tampered)


@pytest.mark.parametrize("damaged", [Share(0, commitment(ALA), "00"), Share(0, commitment(BO), ALA.hex())])
def test_a_share_must_be_the_one_that_was_committed_to(damaged: Share) -> None:
    with pytest.raises(RecordError, match="share of seat 0 is not the one that it committed to"):
        verify(CRYPT, fields_of(shared_record(), shares=[*SHARES[:2], damaged]))


def test_shares_stay_secret_while_the_game_goes_on() -> None:
    table = Table(CRYPT, 3, {}, "shared", shares=[JAGNA, ALA])
    running = make_record(table, ["Ala", "Bo", "Jagna"], SHARES)
    assert [(share.seat, share.commitment, share.secret) for share in running.shares] == [
        (share.seat, share.commitment, None) for share in SHARES
    ]
    assert ALA.hex() not in record_json(running).decode()
    assert replay(CRYPT, running).state.to_bytes() == table.state.to_bytes()


@pytest.mark.parametrize("shares", [[], SHARES[:2], SHARES[::-1]], ids=["none", "one missing", "another order"])
def test_a_record_is_made_only_with_the_shares_of_its_table(shares: list[Share]) -> None:
    table = Table(CRYPT, 3, {}, "shared", shares=[JAGNA, ALA])
    with pytest.raises(UsageError, match="not those that the table was dealt with"):
        make_record(table, ["Ala", "Bo", "Jagna"], shares)


# Factions


def gold_record(factions: Sequence[str]) -> Record:
    table = Table(GOLD, 4, {}, "factions", factions=factions)
    chance = FastRng("factions")
    while not table.over:
        table.play_move(table.waiting[0], table.state.pick(table.waiting[0], chance))
    return make_record(table, ["Ala", "Bo", "Jagna", "Mira"])


def test_a_record_keeps_the_factions_that_were_chosen(call: Command, tmp_path: Path) -> None:
    """gold.6: each seat's, and everybody who replays it sees them; chance and moves are as without."""
    record = gold_record(["undead", "", "trolls"])
    assert record.polikarp == 5
    assert record.factions == ["undead", "insects", "trolls", "beasts"]
    data = record_json(record)
    assert b'"factions": ["undead","insects","trolls","beasts"],' in data
    assert read_record(data) == record
    assert [player.faction for player in replay(GOLD, record).view(1).board.players] == record.factions
    plain = gold_record([])
    assert (record.dealt, record.moves, record.result) == (plain.dealt, plain.moves, plain.result)
    assert verify(GOLD, record) == verify(GOLD, plain)
    (tmp_path / "game.json").write_bytes(data)
    shown = json.loads(call("replay", "game.json", "--json").stdout)["view"]["board"]["players"]
    assert [player["faction"] for player in shown] == record.factions
    assert "· trolls\n" in call("replay", "game.json").stdout


@pytest.mark.parametrize("factions", [[], ["dragons"], ["", "insects", "", "beasts"]])
def test_a_record_without_factions_has_those_of_the_seats(factions: list[str]) -> None:
    """gold.6: as it was before they could be chosen; so programs of then can read it."""
    record = gold_record(factions)
    assert (record.polikarp, record.factions) == (2, [])
    assert b"factions" not in record_json(record)
    usual = ["dragons", "insects", "trolls", "beasts"]
    assert [player.faction for player in replay(GOLD, record).view(None).board.players] == usual


def test_nobody_in_a_record_has_the_faction_of_another() -> None:
    """gold.6"""
    record = gold_record(["undead", "trolls"])
    for factions in (["trolls", "trolls"], ["", "demons", "", "demons"], ["wolves"]):
        with pytest.raises(RecordError, match=r"the deal does not hold: .* faction"):
            replay(GOLD, fields_of(record, factions=factions))


# Other formats, other rules


def test_a_record_of_format_1_holds(fields: Fields) -> None:
    del fields["shares"]
    record = read_record(as_bytes({**fields, "polikarp": 1}))
    assert (record.polikarp, record.shares) == (1, [])
    assert verify(CRYPT, record) > 0
    data = record_json(record)
    assert b"shares" not in data
    assert read_record(data) == record
    assert read_record(as_bytes(fields)).shares == [], "in format 2 the field may be missing"


def test_a_record_of_other_rules_can_be_tried_under_these() -> None:
    record = fields_of(shared_record(), rules="0+00000000")
    for check in (replay, verify):
        with pytest.raises(RecordError, match="played under rules 0\\+00000000"):
            check(CRYPT, record)
    assert replay(CRYPT, record, any_rules=True).result == record.result
    assert verify(CRYPT, record, any_rules=True) == verify(CRYPT, shared_record())
    with pytest.raises(RecordError, match="the written result"):
        replay(CRYPT, fields_of(record, result=None), any_rules=True)


# What holds


@cache
def real_record(game_id: str, seats: int, seed: int, length: int) -> Record:
    """A game of random moves, finished or left after a number of moves."""
    game = all_games()[game_id]
    options = {option.name: option.samples()[seed % len(option.samples())] for option in game.options}
    sharing = range(seats if seed % 2 == 0 else 0)
    shares = [Share(seat, commitment(b"share"), b"share".hex() if seat % 2 == 0 else None) for seat in sharing]
    table = Table(game, seats, options, seed, shares=revealed(shares))
    chance = FastRng(("random player", seed))
    while not table.over and len(table.steps) < length:
        seat = table.waiting[0]
        table.play_move(seat, RandomBot().choose(table.state.sight(seat), seat, chance))
    return make_record(table, [f"Player {seat}" for seat in range(seats)], shares)


@st.composite
def real_records(draw: st.DrawFn) -> Record:
    game = draw(st.sampled_from(list(all_games().values())))
    seats = draw(st.sampled_from(list(game.seats)))
    return real_record(game.id, seats, draw(st.integers(0, 10)), draw(st.sampled_from([0, 1, 20, game.longest])))


@quickly
@given(record=real_records())
def test_a_real_record_is_read_as_it_was_written(record: Record) -> None:
    data = record_json(record)
    assert read_record(data) == record
    assert record_json(read_record(data)) == data
    again = make_record(replay(all_games()[record.game], record), record.players, record.shares)
    assert (again.dealt, again.moves, again.result) == (record.dealt, record.moves, record.result)
    assert (record.seed is None) == (record.result is None), "the seed of a running game stays secret"
    if record.seed is not None:
        assert again == record
        assert verify(all_games()[record.game], record) == len(record.dealt) + sum(len(m.drawn) for m in record.moves)


def test_a_record_has_one_line_for_each_move(record_file: Path) -> None:
    lines = record_file.read_text("utf-8").splitlines()
    record = read_record(record_file.read_bytes())
    for move in record.moves:
        assert sum(f'[{move.seat},"{move.move}",' in line for line in lines) >= 1
    assert len(lines) == len(record.moves) + 14


def test_times_are_kept(fields: Fields) -> None:
    fields["moves"][0] = [*fields["moves"][0][:3], 1500]
    record = read_record(as_bytes(fields))
    assert record.moves[0].at == 1500
    assert read_record(record_json(record)) == record


# Whatever a file may hold

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
any_json = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)
numbers = st.integers() | st.sampled_from([-1, 0, 1, 2, 5, 6, 35, 36, 2**31, 2**32, 2**63, 2**64, -(2**63) - 1])


def assert_read_or_refused(data: bytes) -> None:
    """It is a record, which holds or does not; or it is none. No other exception than `RecordError` comes out."""
    with suppress(RecordError):
        record = read_record(data)
        assert isinstance(record, Record)
        assert read_record(record_json(record)) == record
        if record.game in all_games():
            with suppress(RecordError):
                verify(all_games()[record.game], record)
            replay(all_games()[record.game], record)


@settings(quickly, max_examples=120)
@given(data=st.binary(max_size=300) | any_json.map(lambda value: json.dumps(value).encode()))
def test_anything_is_a_record_or_refused(data: bytes) -> None:
    assert_read_or_refused(data)


@settings(quickly, max_examples=150)
@given(data=st.data())
def test_a_record_with_anything_in_it_is_read_or_refused(data: st.DataObject) -> None:
    """One part of a real record, at any depth, is replaced by something else."""
    fields: Any = json.loads(record_json(real_record("crypt", 2, 0, 300)))
    inside: Any = fields
    while True:
        place = data.draw(st.sampled_from(list(inside) if isinstance(inside, dict) else list(range(len(inside)))))
        if not isinstance(inside[place], list | dict) or not inside[place] or data.draw(st.integers(0, 4)) == 0:
            break
        inside = inside[place]
    inside[place] = data.draw(any_json | numbers | st.just(inside[place]))
    assert_read_or_refused(json.dumps(fields).encode())


@settings(quickly, max_examples=100)
@given(data=st.data())
def test_a_record_with_another_byte_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(record_json(real_record("crypt", 2, 0, 20)))
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    assert_read_or_refused(bytes(whole))
