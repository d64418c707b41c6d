"""The game itself at a table: dealing, moving, taking back. Each is worked out here and written by whoever asked.

Who can see that something happened is part of it: a hidden move must not reorder public lists, nor number an update of
anybody who may not know of it.
"""

from __future__ import annotations

from functools import partial

from polikarp.engine.game import Game, MoveTextError
from polikarp.engine.phrase import Refused
from polikarp.engine.state import WATCHER, State, seats_of
from polikarp.engine.table import Prepared, Table
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.clocks import resume_clock, start_clock, stop_clock
from polikarp.server.table.document import OVER, PLAYING, Document, Seat, faction_choices, shares_of
from polikarp.server.table.history import Entry, shows
from polikarp.server.table.rows import deal_row, move_row, undo_row


def dealt(moment: Moment, draft: Document, done: say.Done | None = None) -> TableChange:
    """Deal the cards: all chance from here on follows from the seed and the shares that were shown."""
    game, now = moment.game, moment.now
    table = dealt_table(game, draft)
    draft.stage, draft.deal_by, draft.code, draft.began = PLAYING, None, None, now
    draft.rules = game.rules
    for seat in draft.seats:
        seat.reserve = float(draft.pace.reserve)
        seat.prompt += 1
    for number in table.waiting:
        start_clock(draft.seats[number], now)
    if table.over:
        draft.stage, draft.result = OVER, table.result
    entry = Entry(-1, table.dealt_events, False)
    return TableChange(draft, done, step=deal_row(table, now), entry=entry, state=table.state, deals=table)


def dealt_table(game: Game, draft: Document) -> Table:
    shares, factions = shares_of(draft), faction_choices(draft)
    return Table(game, len(draft.seats), draft.options, draft.seed, shares=shares, factions=factions)


def parsed(game: Game, text: str) -> int:
    try:
        return game.parse(text)
    except MoveTextError as mistake:
        raise Denied("not_a_move", {"text": mistake.text, "examples": mistake.examples}, 422) from None


def prepared(moment: Moment, seat: int, move: int) -> Prepared:
    """A move, worked out. Raises `Denied` with the rule that forbids it."""
    assert moment.table is not None
    try:
        return moment.table.prepare(seat, move, moment.since_deal())
    except Refused as refused:
        raise Denied.by_rules(refused.refusal, moment.game, moment.names()) from None


def played(moment: Moment, move: Prepared, mark: str = "", done: say.Done | None = None) -> TableChange:
    """A move that was found to be legal. A `mark` is the id of the message with which the seat's person made it; bots
    have none.
    """
    table, draft, now = moment.table, moment.draft(), moment.now
    assert table is not None
    step, state = move.step, move.state
    entry = Entry(step.seat, step.events, False)
    public = not state.waiting
    if mark:
        public = public or bool(draft.seats[step.seat].held)
        return_to(draft.seats[step.seat], now)
    waiting = set(seats_of(state.waiting))
    final = step.sealed or bool(step.drawn)
    for number, seat in enumerate(draft.seats):
        if seat.ticking and (number not in waiting or (number == step.seat and final)):
            stop_clock(draft, seat, now, moment.outages)
        if not seat.ticking and number in waiting:
            start_clock(seat, now)
    if not state.waiting:
        draft.stage, draft.result = OVER, moment.game.result(state)
    count_up(draft, entry, table.state, state, public)
    at = (draft.began or 0.0) + (step.at or 0) / 1000
    row = move_row(moment.game, moment.step_count, step, at, mark)
    accept = partial(table.accept, move)
    return TableChange(draft, done, step=row, entry=entry, state=state, cuts=move.cuts, accept=accept, everybody=False)


def taken_back(moment: Moment, draft: Document, seat: int, done: say.Done) -> TableChange:
    """The last step is gone, as if it had never been; the log keeps both."""
    table, now = moment.table, moment.now
    assert table is not None
    if not table.can_undo(seat):
        raise Denied("no_undo")
    state = table.before_last()
    entry = Entry(seat, table.steps[-1].events, True)
    waiting = set(seats_of(state.waiting))
    for number, one in enumerate(draft.seats):
        if one.ticking and number not in waiting:
            stop_clock(draft, one, now, moment.outages)
        elif not one.ticking and number in waiting:
            if number == seat:
                resume_clock(one)
            else:
                start_clock(one, now)
    count_up(draft, entry, table.state, state, False)
    row, accept = undo_row(moment.step_count, seat, now), partial(table.undo, seat)
    return TableChange(draft, done, step=row, entry=entry, state=state, accept=accept, everybody=False)


def count_up(draft: Document, entry: Entry, before: State, after: State, public: bool) -> None:
    """Number the update of everybody who can see that something happened, and of nobody else."""
    for number, seat in enumerate(draft.seats):
        changed = shows(entry, number, before, after)
        seat.number += changed or public
        seat.prompt += changed
    draft.watch_number += public or shows(entry, WATCHER, before, after)


def return_to(seat: Seat, now: float) -> None:
    """The person plays the seat again. Whoever does so without a connection is away from now on, not from before."""
    seat.held = ""
    seat.away = None if seat.away is None else now
