"""A table's parts as a store keeps them, and back."""

from __future__ import annotations

import msgspec
import pytest

from polikarp.engine.phrase import Event
from polikarp.engine.strip import Strip
from polikarp.engine.thoughts import Candidate, Thoughts
from polikarp.server.table import rows
from polikarp.server.table.document import Document, Pace, Seat
from polikarp.server.table.moves import dealt, played, prepared
from tests.server.moments import ANA, BO, TableInMemory

STRIP, THOUGHTS = Strip(1, 2, False, []), Thoughts([Candidate("recover", 3, 0.5)])


def a_game(moves: int = 3) -> TableInMemory:
    table = TableInMemory("crypt", 2).seat(ANA, BO)
    table.take(dealt(table.moment(), table.moment().draft()))
    for number in range(moves):
        table.house.clock.passed += 1.5  # type: ignore[attr-defined]
        seat = table.table.waiting[0]
        move = prepared(table.moment(), seat, table.table.state.moves(seat)[0])
        table.take(played(table.moment(), move, f"message {number}"))
    return table


def test_a_document_comes_back_as_it_was_and_can_be_found_by_its_columns() -> None:
    document = a_game().document
    document.pace, document.public, document.muted = Pace("live", 30, 10), True, ["cy"]
    document.code = "BCDFGH"
    row = rows.table_row("the id", 7, document, b"state", 12.0, 34.0)
    assert rows.document_of(row) == document
    assert (row.id, row.version, row.state, row.changed, row.due) == ("the id", 7, b"state", 12.0, 34.0)
    assert (row.code, row.game, row.rules, row.stage, row.public) == (
        "BCDFGH", "crypt", document.rules, "playing", True,
    )  # fmt: skip
    document.public = False
    assert not rows.table_row("the id", 8, document, None, 12.0, None).public


def test_what_was_stored_by_earlier_versions_can_be_read() -> None:
    """The servers of a seat are called lines there; what did not exist yet has its default."""
    plain = msgspec.msgpack.decode(rows.PACK(a_game().document))
    plain["seats"][0]["lines"] = ["a server"]
    for later in ("continued", "imported", "result", "muted"):
        del plain[later]
    row = rows.table_row("x", 1, a_game().document, None, 0.0, None)
    read = rows.document_of(msgspec.structs.replace(row, body=msgspec.msgpack.encode(plain)))
    assert read.seats[0].servers == ["a server"]
    assert not read.continued
    assert b"lines" in rows.PACK(
        Document(game="", options={}, rules="", seats=[Seat()], made=0, seed=None, commitment="")
    )


def test_a_step_comes_back_as_the_engine_has_it() -> None:
    table = a_game()
    began = table.document.began
    for number, (step, change) in enumerate(zip(table.table.steps, table.changes[1:], strict=True), 1):
        assert change.step is not None
        assert (change.step.number, change.step.mark) == (number, f"message {number - 1}")
        read = rows.step_of(table.game, change.step, began)
        assert read == step._replace(before=None)
        assert read.at == 1500 * number


def test_a_strip_and_thoughts_come_back() -> None:
    table = a_game()
    step = table.table.steps[0]._replace(strip=STRIP, thoughts=THOUGHTS)
    row = rows.move_row(table.game, 1, step, 5.0)
    read = rows.step_of(table.game, row, 5.0)
    assert (read.strip, read.thoughts) == (STRIP, THOUGHTS)
    plain = rows.move_row(table.game, 1, table.table.steps[0], 5.0)
    assert (plain.strip, plain.thoughts) == (None, None)


def test_the_deal_is_step_0_and_an_undo_has_no_move() -> None:
    table = a_game()
    deal = rows.deal_row(table.table, 3.0)
    assert (deal.number, deal.seat, deal.move, deal.drawn, deal.sealed) == (0, -1, "", table.table.dealt, True)
    assert rows.events_of(deal) == table.table.dealt_events
    back = rows.undo_row(4, 1, 9.0)
    assert (back.number, back.seat, back.move, back.sealed, rows.events_of(back)) == (4, 1, None, False, [])


def test_who_may_see_an_event_is_stored_with_it() -> None:
    secret = Event("bid", {"bid": 3}, 2)
    row = msgspec.structs.replace(rows.undo_row(1, 0, 0.0), events=rows.PACK([secret]))
    assert rows.events_of(row) == [secret]


@pytest.mark.parametrize(
    ("at", "began", "told"), [(-1.0, 5.0, None), (6.5, 5.0, 1500), (4.0, 5.0, 0), (2.0, None, 2000)]
)
def test_a_time_that_is_not_known_stays_so(at: float, began: float | None, told: int | None) -> None:
    row = msgspec.structs.replace(rows.undo_row(1, 0, at), move="x")
    assert rows.recorded_move(row, began).at == told


def test_a_whole_table_is_its_deal_and_its_moves_in_order() -> None:
    table = a_game()
    made = rows.step_rows(table.table, 3.0, [4.0, 5.0, -1.0])
    assert [(row.number, row.at) for row in made] == [(0, 3.0), (1, 4.0), (2, 5.0), (3, -1.0)]
    assert [row.move for row in made[1:]] == [table.game.text(step.move) for step in table.table.steps]
