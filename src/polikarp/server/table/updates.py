"""What people see of a table: each viewer's updates, and the entry in a list.

Everything about the game comes out of the viewer's own sight of it; everything else is what all may know.
"""

from __future__ import annotations

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.state import WATCHER, seats_of
from polikarp.server import messages as say
from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.table.authority import is_owner
from polikarp.server.table.clocks import deadline
from polikarp.server.table.document import PLAYING, Document, TableSettings, faction_choices
from polikarp.server.table.history import log_from
from polikarp.server.table.live import LiveTable
from polikarp.server.table.rows import document_of
from polikarp.store import TableRow

JSON = msgspec.json.Encoder().encode
NOTHING = msgspec.Raw(b"null")


def stream_number(document: Document, viewer: int) -> int:
    """The number of a viewer's last update."""
    return document.watch_number if viewer == WATCHER else document.seats[viewer].number


def update(live: LiveTable, who: Person | None, viewer: int, entry: int, log: int, chat: int) -> say.Update:
    """All that is new for a viewer who has the history up to `entry`, which made `log` lines, and `chat` lines."""
    document = live.document
    return say.Update(
        seat=None if viewer == WATCHER else viewer,
        number=stream_number(document, viewer),
        prompt=0 if viewer == WATCHER else document.seats[viewer].prompt,
        now=round(live.house.clock.now(), 3) if document.pace.kind != "none" else None,
        you=you(live, who),
        table=table_info(live, viewer),
        view=game_view(live, viewer),
        can_undo=can_undo(live, viewer),
        log_from=log,
        log=log_from(live.history, viewer, entry),
        chat_from=chat,
        chat=[say.ChatLine(row.seat, row.name, row.text, row.at) for row in live.chat[chat:]],
        strip=live.strip(),
    )


def can_undo(live: LiveTable, viewer: int) -> bool:
    """Whether a seat may take back its last step."""
    if viewer == WATCHER or live.document.stage != PLAYING or live.table is None:
        return False
    return live.table.can_undo(viewer)


def you(live: LiveTable, who: Person | None) -> say.You:
    if who is None:
        return say.You("", False, [])
    return say.You(who.name, is_owner(live.document, who), live.seats_of(who))


def game_view(live: LiveTable, viewer: int) -> msgspec.Raw:
    """The game as one viewer may know it, made once and used for everybody who sees the same."""
    if live.table is None:
        return NOTHING
    made = live.made.get(("view", viewer))
    if made is None:
        seat = None if viewer == WATCHER else viewer
        made = live.made["view", viewer] = msgspec.Raw(JSON(live.table.view(seat)))
    return made


def table_info(live: LiveTable, viewer: int) -> msgspec.Raw:
    """The table as one viewer may know it; without clocks that is the same for all."""
    key = ("info", viewer if live.document.pace.kind != "none" else WATCHER)
    made = live.made.get(key)
    if made is None:
        document = live.document
        info = say.TableInfo(
            **{name: getattr(document, name) for name in TableSettings.__struct_fields__},
            id=live.id,
            code=document.code,
            link=live.house.link(live.id),
            game=document.game,
            rules=document.rules,
            stage=document.stage,
            commitment=document.commitment,
            seats=[
                seat_info(live.game, document, number, clock(live, number, viewer))
                for number in range(len(document.seats))
            ],
            following=document.following,
            halted=document.halted,
        )
        made = live.made[key] = msgspec.Raw(JSON(info))
    return made


def clock(live: LiveTable, number: int, viewer: int) -> say.Clock | None:
    """A seat's clock as a viewer may know it: while a choice is secret, so is that it was made."""
    document = live.document
    if document.pace.kind == "none" or live.table is None:
        return None
    seat = document.seats[number]
    if not live.table.state.sight(viewer).waiting >> number & 1:
        return say.Clock(round(seat.reserve, 1), None)
    until = deadline(document, seat, live.house.clock.now(), live.house.outages)
    return say.Clock(round(seat.asked_reserve, 1), None if until is None else round(until, 1))


def seat_info(game: Game, document: Document, number: int, clock: say.Clock | None) -> say.SeatInfo:
    seat = document.seats[number]
    factions = game.seat_factions(len(document.seats), faction_choices(document))
    status = "free"
    if seat.bot:
        status = "bot"
    elif seat.held:
        status = "held"
    elif seat.person or document.imported:
        status = "present" if seat.servers else "away"
    return say.SeatInfo(
        name=seat.name,
        status=status,
        level=seat.player,
        faction=factions[number] if factions and status != "free" else "",
        owner=bool(seat.person) and seat.person == document.owner,
        muted=bool(seat.person) and seat.person in document.muted,
        committed=bool(seat.commitment),
        revealed=bool(seat.share),
        clock=clock,
    )


def listed(house: House, row: TableRow, who: Person | None) -> say.Listed:
    """A table as a list shows it: who is waited for as everybody sees it, and to the reader their own turn."""
    document, game = document_of(row), house.games[row.game]
    yours = [number for number, seat in enumerate(document.seats) if who is not None and seat.person == who.id]
    waiting: list[int] = []
    your_turn = False
    if row.state is not None and row.stage == PLAYING and row.rules == game.rules:
        state = game.load(len(document.seats), row.state, document.options)
        waiting = seats_of(state.sight(WATCHER).waiting)
        your_turn = any(state.waiting >> number & 1 for number in yours)
    return say.Listed(
        id=row.id,
        code=row.code,
        link=house.link(row.id),
        game=row.game,
        options=document.options,
        stage=row.stage,
        pace=document.pace,
        seats=[seat_info(game, document, number, None) for number in range(len(document.seats))],
        waiting=waiting,
        yours=yours,
        your_turn=your_turn,
        made=round(document.made, 3),
        following=document.following,
    )
