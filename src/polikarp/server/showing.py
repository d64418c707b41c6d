"""What people see of a table: each viewer's updates, the list entry, the record so far and at the end.

Everything about the game comes out of the viewer's own sight of it; everything else is what all may know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.phrase import Event
from polikarp.engine.record import Record, Share, format_of, recorded_factions
from polikarp.engine.state import WATCHER, bit, seats_of
from polikarp.server import messages as say
from polikarp.server.clocks import deadline
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.seating import DECODE, OVER, PLAYING, Body, faction_choices

if TYPE_CHECKING:
    from polikarp.server.hall import Hall
    from polikarp.server.lane import Lane
    from polikarp.store import TableRow

JSON = msgspec.json.Encoder().encode
NOTHING = msgspec.Raw(b"null")


class Entry(NamedTuple):
    """One step as the log tells it."""

    seat: int
    events: list[Event]
    undone: bool  # this takes back the step that told these events


def told(entry: Entry, viewer: int) -> list[say.Told]:
    """What a step tells one viewer."""
    may = bit(viewer)
    seen = [event for event in entry.events if event.audience & may]
    if not entry.undone:
        return [say.Told(event.key, event.args) for event in seen]
    if seen or viewer == entry.seat:
        return [say.Told("undone", {"seat": entry.seat, "events": len(seen)})]
    return []


def log_from(lane: Lane, viewer: int, entry: int) -> list[say.Told]:
    return [line for one in lane.history[entry:] for line in told(one, viewer)]


def entry_after(lane: Lane, viewer: int, lines: int) -> int | None:
    """Where in the history a client goes on that has this many log lines; None if that fits nowhere."""
    counted = 0
    for at, entry in enumerate(lane.history):
        if counted == lines:
            return at
        counted += len(told(entry, viewer))
    return len(lane.history) if counted == lines else None


def stream_number(body: Body, viewer: int) -> int:
    """The number of a viewer's last update."""
    return body.watch_number if viewer == WATCHER else body.seats[viewer].number


def update(lane: Lane, who: Person | None, viewer: int, entry: int, log: int, chat: int) -> say.Update:
    """All that is new for a viewer who has the history up to `entry`, which made `log` lines, and `chat` lines."""
    body = lane.body
    playing = body.stage == PLAYING and lane.table is not None
    return say.Update(
        seat=None if viewer == WATCHER else viewer,
        number=stream_number(body, viewer),
        prompt=0 if viewer == WATCHER else body.seats[viewer].prompt,
        now=round(lane.hall.now(), 3) if body.pace.kind != "none" else None,
        you=you(lane, who),
        table=table_info(lane, viewer),
        view=game_view(lane, viewer),
        can_undo=viewer != WATCHER and playing and lane.table is not None and lane.table.can_undo(viewer),
        log_from=log,
        log=log_from(lane, viewer, entry),
        chat_from=chat,
        chat=[say.ChatLine(line.seat, line.name, line.text, line.at) for line in lane.chat[chat:]],
        strip=lane.strip(),
    )


def you(lane: Lane, who: Person | None) -> say.You:
    if who is None:
        return say.You("", False, [])
    return say.You(who.name, who.whole() and who.id == lane.body.owner, lane.seats_of(who))


def game_view(lane: Lane, viewer: int) -> msgspec.Raw:
    """The game as one viewer may know it, made once and used for everybody who sees the same."""
    if lane.table is None:
        return NOTHING
    made = lane.views.get(viewer)
    if made is None:
        seat = None if viewer == WATCHER else viewer
        made = lane.views[viewer] = msgspec.Raw(JSON(lane.table.view(seat)))
    return made


def table_info(lane: Lane, viewer: int) -> msgspec.Raw:
    """The table as one viewer may know it; without clocks that is the same for all."""
    key = viewer if lane.body.pace.kind != "none" else WATCHER
    made = lane.infos.get(key)
    if made is None:
        body = lane.body
        info = say.TableInfo(
            id=lane.id,
            code=body.code,
            link=lane.hall.link(lane.id),
            game=body.game,
            rules=body.rules,
            options=body.options,
            stage=body.stage,
            public=body.public,
            pace=body.pace,
            stand_in=body.stand_in,
            absence=body.absence,
            commitment=body.commitment,
            seats=[
                seat_info(lane.game, body, number, clock(lane, number, viewer)) for number in range(len(body.seats))
            ],
            following=body.following,
            halted=body.halted,
        )
        made = lane.infos[key] = msgspec.Raw(JSON(info))
    return made


def clock(lane: Lane, number: int, viewer: int) -> say.Clock | None:
    """A seat's clock as a viewer may know it: while a choice is secret, so is that it was made."""
    body = lane.body
    if body.pace.kind == "none" or lane.table is None:
        return None
    seat = body.seats[number]
    if not lane.table.state.sight(viewer).waiting >> number & 1:
        return say.Clock(round(seat.reserve, 1), None)
    until = deadline(body, seat, lane.hall.now(), lane.hall.outages)
    return say.Clock(round(seat.asked_reserve, 1), None if until is None else round(until, 1))


def seat_info(game: Game, body: Body, number: int, clock: say.Clock | None) -> say.SeatInfo:
    seat = body.seats[number]
    factions = game.seat_factions(len(body.seats), faction_choices(body))
    status = "free"
    if seat.bot:
        status = "bot"
    elif seat.held:
        status = "held"
    elif seat.person or body.imported:
        status = "present" if seat.lines else "away"
    return say.SeatInfo(
        name=seat.name,
        status=status,
        level=seat.player,
        faction=factions[number] if factions and status != "free" else "",
        owner=bool(seat.person) and seat.person == body.owner,
        muted=bool(seat.person) and seat.person in body.muted,
        committed=bool(seat.commitment),
        revealed=bool(seat.share),
        clock=clock,
    )


def listed(hall: Hall, row: TableRow, who: Person | None) -> say.Listed:
    """A table as a list shows it: who is waited for as everybody sees it, and to the reader their own turn."""
    body: Body = DECODE(row.body)
    yours = [number for number, seat in enumerate(body.seats) if who is not None and seat.person == who.id]
    waiting: list[int] = []
    your_turn = False
    if row.state is not None and row.stage == PLAYING and row.rules == hall.games[row.game].rules:
        state = hall.games[row.game].load(len(body.seats), row.state, body.options)
        waiting = seats_of(state.sight(WATCHER).waiting)
        your_turn = any(state.waiting >> number & 1 for number in yours)
    return say.Listed(
        id=row.id,
        code=row.code,
        link=hall.link(row.id),
        game=row.game,
        options=body.options,
        stage=row.stage,
        pace=body.pace,
        seats=[seat_info(hall.games[row.game], body, number, None) for number in range(len(body.seats))],
        waiting=waiting,
        yours=yours,
        your_turn=your_turn,
        made=round(body.made, 3),
        following=body.following,
    )


def player_names(body: Body) -> list[str]:
    return [f"{seat.name} ({seat.bot})" if seat.bot else seat.name or "?" for seat in body.seats]


def whole_record(lane: Lane) -> Record:
    """The record of a game that is over: everything, the shares too, and the seed if all chance follows from it."""
    body, table = lane.body, lane.table
    if body.stage != OVER:
        raise Denied("record_not_yet")
    seed = None if body.continued else body.seed
    moves = lane.moves()
    factions = recorded_factions(table) if table is not None else []
    return Record(
        polikarp=format_of(moves, factions),
        game=body.game,
        rules=body.rules,
        options=body.options,
        players=player_names(body),
        factions=factions,
        commitment=body.commitment,
        seed=seed.hex() if seed is not None else None,
        shares=[
            Share(number, seat.commitment, seat.share or None)
            for number, seat in enumerate(body.seats)
            if seat.commitment
        ],
        dealt=table.dealt if table is not None else lane.unread[0].drawn,
        moves=moves,
        result=table.result if table is not None else body.result,
    )


def seat_record(lane: Lane, viewer: int) -> say.SeatRecord:
    """A game so far, as one viewer may know it."""
    body = lane.body
    return say.SeatRecord(
        game=body.game,
        rules=body.rules,
        options=body.options,
        players=player_names(body),
        commitment=body.commitment,
        seat=None if viewer == WATCHER else viewer,
        moves=[move.move for move in lane.moves() if move.seat == viewer],
        log=log_from(lane, viewer, 0),
        view=game_view(lane, viewer),
    )
