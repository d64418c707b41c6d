"""Tables from Python: seats that do not exist, undo, playing on, shares of chance, and tables that were stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from polikarp.engine.conformance import choose
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.phrase import Event, Refused
from polikarp.engine.record import Share, make_record, replay, verify
from polikarp.engine.rng import FastRng, ScriptError, SeedRng
from polikarp.engine.state import State, bit
from polikarp.engine.table import Step, Table, commitment, make_seed, mix
from polikarp.games import all_games
from tests import toys

crypt = all_games()["crypt"]
leduc = all_games()["leduc"]


@pytest.mark.parametrize("seat", [-2, 2, 64, 2**63, 2**64, 10**30])
def test_a_seat_that_does_not_exist_is_told_nothing(seat: int) -> None:
    """In both builds, also where the number of the seat does not fit into a machine word."""
    table = crypt.deal(seats=2, seed=1)
    for ask in (table.view, table.log, table.moves, table.state.sight, table.state.moves):
        with pytest.raises(UsageError, match=f"there is no seat {seat}"):
            ask(seat)
    with pytest.raises(UsageError):
        table.state.imagine(seat, FastRng(1))
    refusal = table.state.why_not(seat, 0)
    assert refusal is not None
    assert refusal.key == "no_such_seat"
    with pytest.raises(Refused):
        table.play("recover", seat)


def test_a_watcher_is_not_a_seat_of_a_table() -> None:
    table = crypt.deal(seats=2, seed=1)
    for ask in (table.view, table.log, table.moves):
        with pytest.raises(UsageError):
            ask(-1)


def test_a_refused_move_changes_nothing() -> None:
    table = crypt.deal(seats=2, seed=1)
    before = table.state.to_bytes()
    with pytest.raises(Refused):
        table.play("done")
    assert (table.state.to_bytes(), table.steps) == (before, [])


def test_undo_takes_back_own_steps_while_nothing_was_shown() -> None:
    table = crypt.deal(seats=2, seed=1)
    before = table.state.to_bytes()
    seat = table.waiting[0]
    table.play("send 1x2 at A")
    table.play("send 1x2 at B")
    assert not table.can_undo(1 - seat)
    table.undo()
    table.undo()
    assert table.state.to_bytes() == before
    with pytest.raises(Refused):
        table.undo()


def test_nothing_is_taken_back_once_dice_were_rolled() -> None:
    table = crypt.deal(seats=2, seed=1)
    for move in ("send 1x6 at A", "done", "recover", "recover"):
        table.play(move)
    assert table.steps[-1].drawn
    assert not table.can_undo(table.steps[-1].seat)


@pytest.mark.parametrize(
    ("move", "by", "can"),
    [("give", 0, True), ("give", 1, False), ("keep", 0, False), ("show", 0, False)],
    ids=["one's own step", "somebody else's", "a roll", "what was shown"],
)
def test_what_can_be_taken_back_and_by_whom(move: str, by: int, can: bool) -> None:
    """A roll need not be sealed, and what is shown need not be drawn."""
    table = toys.ToyGame().deal(seats=2, seed=1)
    table.play(move)
    assert table.can_undo(by) == can
    if can:
        table.undo(by)
    else:
        with pytest.raises(Refused, match="no_undo"):
            table.undo(by)
    assert len(table.steps) == (0 if can else 1)


def test_who_is_asked_can_not_take_back_what_another_did_by_right() -> None:
    table = toys.game_of(toys.Generous).deal(seats=2, seed=1)
    assert table.waiting == [0]
    table.play("give", 1)
    assert table.waiting == [0]
    assert not table.can_undo(0)


def test_everybody_hears_what_they_may_know() -> None:
    """Of the deal each seat their own card, and watchers none; of a card that is shown, all."""
    table = toys.ToyGame().deal(seats=2, seed=1)
    assert [event.audience for event in table.log(1)] == [bit(1)]
    assert table.log(None) == []
    table.play("show")
    for viewer in (None, 0, 1):
        assert [event.key for event in table.log(viewer, since=0)] == ["show"]


def test_nothing_is_taken_back_when_the_game_is_over() -> None:
    table = leduc.deal(seed=1)
    table.play("raise")
    table.play("fold")
    assert table.over
    with pytest.raises(Refused, match="no_undo"):
        table.undo()


def test_a_replayed_game_can_be_played_on() -> None:
    table = crypt.deal(seats=2, seed=1)
    table.play("send 1x6 at A")
    record = make_record(table, ["Ala", "Bo"])
    assert record.seed is None, "the seed of a running game stays secret"
    again = replay(crypt, record)
    again.play("done")
    assert len(again.steps) == 2


def test_a_mistake_inside_the_rules_leaves_the_table_as_it_was() -> None:
    table = Table(crypt, 2, {}, 1, script=[crypt.deal(seats=2, seed=1).dealt, [], [], [], [9]])
    for move in ("send 1x6 at A", "done", "recover"):
        table.play(move)
    before = table.state.to_bytes()
    with pytest.raises(ScriptError, match="draw number 1 is 9"):
        table.play("recover")
    assert (table.state.to_bytes(), len(table.steps)) == (before, 3)


def test_a_prepared_move_counts_when_it_is_accepted() -> None:
    table, other = crypt.deal(seats=2, seed=1), crypt.deal(seats=2, seed=1)
    for text in ("send 1x6 at A", "done", "recover", "recover"):
        seat, move = table.waiting[0], crypt.parse(text)
        before = (table.state.to_bytes(), list(table.steps))
        prepared = table.prepare(seat, move)
        assert (table.state.to_bytes(), table.steps) == before, "preparing changes nothing"
        assert prepared.step == table.prepare(seat, move).step, "chance is the same each time"
        table.accept(prepared)
        assert other.play_move(seat, move) == prepared.step == table.steps[-1]
        assert table.state.to_bytes() == other.state.to_bytes()
    assert table.steps[-1].drawn


def test_a_move_that_can_not_be_prepared_changes_nothing() -> None:
    table = crypt.deal(seats=2, seed=1)
    before = table.state.to_bytes()
    with pytest.raises(Refused):
        table.prepare(table.waiting[0], crypt.parse("done"))
    assert (table.state.to_bytes(), table.steps) == (before, [])


def test_a_move_prepared_in_another_position_is_not_accepted() -> None:
    table = crypt.deal(seats=2, seed=1)
    seat = table.waiting[0]
    prepared = table.prepare(seat, crypt.parse("send 1x2 at A"))
    table.play("send 1x2 at B")
    before = table.state.to_bytes()
    with pytest.raises(UsageError, match="prepared in another position"):
        table.accept(prepared)
    assert (table.state.to_bytes(), len(table.steps)) == (before, 1)


def test_who_keeps_time_says_when_a_move_was_made() -> None:
    for timed in (False, True):
        table = Table(crypt, 2, {}, 1, timed=timed)
        table.accept(table.prepare(table.waiting[0], crypt.parse("recover"), at=1234567))
        assert make_record(table, ["Ala", "Bo"]).moves[0].at == 1234567


def test_timed_tables_note_when_a_move_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """In milliseconds since the deal."""
    times = iter([100.0, 101.5, 160.0])
    monkeypatch.setattr("polikarp.engine.table.time", SimpleNamespace(monotonic=lambda: next(times)))
    table = Table(crypt, 2, {}, 1, timed=True)
    table.play("recover")
    table.play("recover")
    assert [move.at for move in make_record(table, ["Ala", "Bo"]).moves] == [1500, 60_000]


def test_seeds() -> None:
    assert make_seed(7) == make_seed("7") != make_seed(8)
    assert make_seed(None) != make_seed(None)
    assert make_seed(bytes(32)) == bytes(32)
    assert len(commitment(bytes(32))) == 64
    with pytest.raises(UsageError, match="has 32 of them, not 3"):
        make_seed(b"abc")


SEED = bytes(range(32))


def mixed_by_hand(seed: bytes, *shares: bytes) -> bytes:
    """What `docs/record.md` says, and HMAC from its definition (RFC 2104): blocks of 64 bytes, two hashes."""
    message = b"polikarp shares"
    for share in shares:
        message += bytes([0, 0, 0, len(share)]) + share
    key = seed + bytes(32)
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def test_shares_are_mixed_as_it_is_written() -> None:
    assert mix(SEED, []) == SEED
    for shares in ([b"ala"], [b"ala", b"bo"], [b"bo", b"ala"], [b"al", b"abo"], [b"\x00" * 64, b"\xff"]):
        assert mix(SEED, shares) == mixed_by_hand(SEED, *shares)
    example = mixed_by_hand(bytes(32), b"ala", b"bo").hex()
    assert example in (Path(__file__).parents[2] / "docs" / "record.md").read_text("utf-8")


def test_all_draws_follow_from_the_mix() -> None:
    shares = (b"ala", b"bo")
    table = Table(crypt, 2, {}, SEED, shares=shares)
    assert (table.seed, table.shares) == (SEED, shares), "what was committed to stays what it was"
    for move in ("send 1x6 at A", "done", "recover", "recover"):
        table.play(move)
    chance_seed = mixed_by_hand(SEED, *shares)
    same = Table(crypt, 2, {}, chance_seed)
    assert table.dealt == same.dealt != Table(crypt, 2, {}, SEED).dealt
    rolled = table.steps[-1].drawn
    rng = SeedRng(chance_seed, 4)
    assert rolled == [rng.below(6) for _ in rolled] != []


@pytest.mark.parametrize("length", [0, 65])
def test_a_share_has_1_to_64_bytes(length: int) -> None:
    with pytest.raises(UsageError, match=f"a share has 1 to 64 bytes, not {length}"):
        Table(crypt, 2, {}, SEED, shares=[b"ala", bytes(length)])
    Table(crypt, 2, {}, SEED, shares=[bytes(1), bytes(64)])


SHARES = [Share(1, commitment(b"bo"), b"bo".hex()), Share(0, commitment(b"ala"), b"ala".hex())]


def stored(table: Table) -> Table:
    """The table after it was written down and read back, without the positions before its steps."""
    return Table.restore(
        table.game,
        table.seats,
        msgspec.json.decode(msgspec.json.encode(table.options)),
        table.seed,
        table.shares,
        dealt=list(table.dealt),
        dealt_events=read_events(table.dealt_events),
        steps=[step._replace(events=read_events(step.events), before=None) for step in table.steps],
        state=table.state.to_bytes(),
    )


def read_events(events: Sequence[Event]) -> list[Event]:
    return msgspec.json.decode(msgspec.json.encode(events), type=list[Event])


def all_of(table: Table) -> list[object]:
    """All that a table can be asked for, for everyone."""
    viewers = [None, *range(table.seats)]
    record = make_record(table, ["Ala", "Bo"], SHARES)
    asked = [(table.view(viewer), table.log(viewer), table.log(viewer, 3)) for viewer in viewers]
    undoable = [table.can_undo(seat) for seat in range(table.seats)]
    return [table.state.to_bytes(), table.waiting, table.over, table.seed, record, asked, undoable]


@pytest.mark.parametrize(("game", "options"), [(crypt, {"collectors": "BABABA"}), (leduc, {})], ids=["crypt", "leduc"])
def test_a_stored_table_is_like_one_that_never_was(game: Game, options: dict[str, str]) -> None:
    """It is stored after every move, and each time taken back as far as the other, before both play on."""
    table = Table(game, 2, options, SEED, shares=[b"bo", b"ala"])
    again = stored(table)
    rng = FastRng("stored")
    undone = 0
    while not table.over:
        seat, move = choose(table.state, rng)
        assert again.play_move(seat, move) == table.play_move(seat, move)
        assert all_of(again) == all_of(table)
        again = stored(again)
        assert all_of(again) == all_of(table)
        if table.can_undo(seat) and rng.below(3) == 0:
            table.undo()
            again.undo()
            assert all_of(again) == all_of(table)
            undone += any(step.drawn for step in table.steps)
    assert undone > 3 or game is leduc, "rolls before what is taken back are rolled again as they were"
    verify(game, make_record(again, ["Ala", "Bo"], SHARES))
    with pytest.raises(Refused, match="no_undo"):
        again.undo()


def test_restoring_plays_nothing_and_takes_nothing_over(monkeypatch: pytest.MonkeyPatch) -> None:
    table = crypt.deal(seats=2, seed=1)
    table.play("recover")
    steps: list[Step] = list(table.steps)
    monkeypatch.setattr(crypt, "start", None)
    again = Table.restore(
        crypt, 2, {}, table.seed, (), dealt=table.dealt, dealt_events=[], steps=steps, state=table.state.to_bytes()
    )
    again.play("recover")
    assert (len(again.steps), len(steps)) == (2, 1)


def test_positions_are_loaded_with_the_options_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game need not write its options into its bytes."""
    table = Table(crypt, 2, {"collectors": "B"}, 1)
    load, asked = crypt.load, []

    def noting(seats: int, data: bytes, options: Mapping[str, OptionValue] | None = None) -> State:
        asked.append((seats, options))
        return load(seats, data, options)

    monkeypatch.setattr(crypt, "load", noting)
    table.play("send 1x2 at A")
    table.undo()
    stored(table)
    assert len(asked) >= 2
    assert all(each == (2, {"collectors": "B", "first": "random"}) for each in asked)
