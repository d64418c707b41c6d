"""Whether stored tables hold, also those that older rules wrote."""

from __future__ import annotations

import msgspec
import pytest

from polikarp.engine.phrase import Event
from polikarp.engine.state import EVERYONE
from polikarp.engine.table import Table
from polikarp.games import all_games
from polikarp.games.melee import game as melee
from polikarp.server.checking import DoesNotHold, check_stored, state_again
from polikarp.server.table.document import PLAYING, Document, Seat
from polikarp.server.table.rows import EVENTS, PACK, step_rows
from polikarp.store import Loaded, StepRow, TableRow

OLDER = "0+00000000"


def stored(rules: str, state: bytes | None = None) -> tuple[Table, Loaded]:
    """A game of Melee with some moves, as a store keeps it; with another position if one is given."""
    table = melee.deal(seats=2, seed=7)
    for _ in range(6):
        table.play(table.moves(table.waiting[0])[0], table.waiting[0])
    body = Document(
        game="melee", rules=rules, options=table.options, seats=[Seat(), Seat()], made=0.0, seed=None, commitment=""
    )  # fmt: skip
    row = TableRow(
        id="t", code=None, game="melee", rules=rules, stage=PLAYING, public=False, version=2, changed=0.0, due=None,
        body=PACK(body), state=table.state.to_bytes() if state is None else state,
    )  # fmt: skip
    return table, Loaded(row=row, steps=step_rows(table, 0.0, [-1.0] * len(table.steps)), chat=[])


def telling(row: StepRow, *events: Event) -> StepRow:
    return msgspec.structs.replace(row, events=msgspec.msgpack.encode(list(events)))


def test_a_table_holds_that_leads_to_the_stored_position() -> None:
    table, loaded = stored(melee.rules)
    assert state_again(loaded, all_games()) == table.state.to_bytes()


def test_under_the_same_rules_another_position_is_a_mistake() -> None:
    _table, loaded = stored(melee.rules, b"\0")
    assert check_stored(loaded, all_games()) == "the moves lead to another position than the stored one"


def test_older_rules_may_have_written_positions_down_in_another_way() -> None:
    """And told less: what they told is still so, and the game goes on."""
    table, loaded = stored(OLDER, b"\0")
    less = [
        telling(row, *[Event(one.key, {}, one.audience) for one in EVENTS.decode(row.events)][:1])
        for row in loaded.steps
    ]
    assert state_again(msgspec.structs.replace(loaded, steps=less), all_games()) == table.state.to_bytes()


@pytest.mark.parametrize("number", [0, 3])
def test_what_is_not_so_any_more_does_not_hold(number: int) -> None:
    _table, loaded = stored(OLDER, b"\0")
    loaded.steps[number] = telling(loaded.steps[number], Event("tax", {"seat": 0, "gold": 99}, EVERYONE))
    with pytest.raises(DoesNotHold, match="installed are"):
        state_again(loaded, all_games())
