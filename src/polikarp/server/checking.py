"""Whether stored tables still hold: each is played again under the installed rules, with the draws that were kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Event, Refused
from polikarp.engine.rng import ScriptError
from polikarp.engine.table import Table
from polikarp.server.table.document import Document
from polikarp.server.table.rows import document_of, events_of
from polikarp.store import Loaded, StepRow, Store


class DoesNotHold(Exception):
    """A stored game can not be played again under the installed rules; the text says where it fails."""


def check_stored(loaded: Loaded, games: Mapping[str, Game]) -> str | None:
    """Why a stored table does not hold under the installed rules; None if it does."""
    try:
        state_again(loaded, games)
    except DoesNotHold as reason:
        return str(reason)
    return None


def state_again(loaded: Loaded, games: Mapping[str, Game]) -> bytes | None:
    """The position of a stored table as the installed rules write it down; none before the deal. Raises `DoesNotHold`
    where it would be another one.
    """
    document = document_of(loaded.row)
    game = games.get(document.game)
    if game is None:
        raise DoesNotHold(f"the game {document.game} is not installed")
    if not loaded.steps:
        return None
    try:
        return played_again(loaded, document, game).state.to_bytes()
    except DoesNotHold as reason:
        failed = str(reason)
    except Exception as mistake:  # whatever new rules make of an old game, the others go on
        failed = f"the rules stumble over it: {type(mistake).__name__}"
    if document.rules != game.rules:
        failed = f"dealt under rules {document.rules}, installed are {game.rules}: {failed}"
    raise DoesNotHold(failed)


def played_again(loaded: Loaded, document: Document, game: Game) -> Table:
    """A dealt table, played from its deal on with the draws that were kept. It must come to the stored position. Other
    rules than it was dealt under may write positions down in another way: under them all that was told to anybody must
    still be so.
    """
    deal, *rest = loaded.steps
    played: list[StepRow] = []
    for row in rest:
        if row.move is None:
            played.pop()
        else:
            played.append(row)
    number = 0
    try:
        table = Table(game, len(document.seats), document.options, script=[deal.drawn, *(row.drawn for row in played)])
        for number, row in enumerate(played, 1):
            table.play_move(row.seat, game.parse(row.move or ""))
    except Refused as refused:
        reason = f"move {number} is not legal: {refused.refusal.key} {refused.refusal.rule}"
        raise DoesNotHold(reason.strip()) from None
    except (UsageError, ScriptError) as mistake:
        where = f"move {number} does" if number else "the deal does"
        raise DoesNotHold(f"{where} not hold: {mistake}") from None
    if table.state.to_bytes() == loaded.row.state:
        return table
    if document.rules == game.rules:
        raise DoesNotHold("the moves lead to another position than the stored one")
    now = [table.dealt_events, *(step.events for step in table.steps)]
    for number, (row, events) in enumerate(zip([deal, *played], now, strict=True)):
        if not still_told(events_of(row), events):
            raise DoesNotHold(f"what move {number} told is not so any more" if number else "the deal is another one")
    return table


def still_told(before: list[Event], now: list[Event]) -> bool:
    """Whether all that was told before is told now, in that order; there may be more of it."""
    left = iter(now)
    return all(any(says_as_much(event, old) for event in left) for old in before)


def says_as_much(event: Event, old: Event) -> bool:
    same = event.key == old.key and event.audience == old.audience
    return same and all(event.args.get(name) == value for name, value in old.args.items())


async def check_all(store: Store, games: Mapping[str, Game]) -> AsyncIterator[tuple[str, str | None]]:
    """Every table's id, and why it does not hold, if so."""
    after = ""
    while ids := await store.list_ids(after, 100):
        for table_id in ids:
            loaded = await store.read(table_id)
            if loaded is not None:
                yield table_id, check_stored(loaded, games)
        after = ids[-1]
