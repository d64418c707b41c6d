"""Whether stored tables still hold: each is played again under the installed rules, with the draws that were kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Refused
from polikarp.engine.rng import ScriptError
from polikarp.engine.table import Table
from polikarp.server.seating import DECODE, Body
from polikarp.store import Loaded, StepRow, Store


def check_stored(loaded: Loaded, games: Mapping[str, Game]) -> str | None:
    """Why a stored table does not hold under the installed rules; None if it does."""
    body: Body = DECODE(loaded.row.body)
    game = games.get(body.game)
    if game is None:
        return f"the game {body.game} is not installed"
    if not loaded.steps:
        return None  # not dealt yet
    deal, *rest = loaded.steps
    played: list[StepRow] = []
    for row in rest:
        if row.move is None:
            played.pop()
        else:
            played.append(row)
    number = 0
    try:
        table = Table(game, len(body.seats), body.options, script=[deal.drawn, *(row.drawn for row in played)])
        for number, row in enumerate(played, 1):
            table.play_move(row.seat, game.parse(row.move or ""))
    except Refused as refused:
        return f"move {number} is not legal: {refused.refusal.key} {refused.refusal.rule}".strip()
    except (UsageError, ScriptError) as mistake:
        return f"move {number} does not hold: {mistake}" if number else f"the deal does not hold: {mistake}"
    if table.state.to_bytes() != loaded.row.state:
        return "the moves lead to another position than the stored one"
    return None


async def check_all(store: Store, games: Mapping[str, Game]) -> AsyncIterator[tuple[str, str | None]]:
    """Every table's id, and why it does not hold, if so."""
    after = ""
    while ids := await store.list_ids(after, 100):
        for table_id in ids:
            loaded = await store.read(table_id)
            if loaded is not None:
                yield table_id, check_stored(loaded, games)
        after = ids[-1]
