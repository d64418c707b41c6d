"""Tables as one viewer's page shows them, without a server: any moment of a played game, and what comes before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from polikarp.engine.game import Game, Played
from polikarp.engine.option import read_options
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.state import WATCHER, bit
from polikarp.engine.table import Table
from polikarp.games import all_games
from polikarp.web.photo import photo_of
from polikarp.web.render import Speaker, fixed_data, look_of, render
from polikarp.web.shown import ChatLine, Clock, SeatShown, Shown, page_context, settings_of

# Names that would be something else if anything took them for HTML, a template or a pattern.
NAMES = ["<b>Bogdan&'\"", "$& ${x}", "`tick`", "</script>", "{seat} {{ x }}", "Żółw", "O'Neil", "%s \\1"]
CHAT = [ChatLine(NAMES[0], "<i>hi</i> & $1"), ChatLine(NAMES[3], "`${x}`")]


class Seen(NamedTuple):
    """What one viewer's page is made of."""

    shown: Shown
    told: list[Phrase]
    chat: Sequence[ChatLine] = ()
    notice: str = ""

    def plain(self) -> dict[str, Any]:
        """As a browser gets it."""
        made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self._asdict()))
        return {**made, "told": [[one["key"], one["args"]] for one in made["told"]], "nonce": "n"}

    def html(self, language: str, games: dict[str, Game] | None = None) -> str:
        """As Python draws it."""
        games = games or all_games()
        game = games[self.shown.game]
        fixed = fixed_data(game, len(self.shown.seats))
        speaker = Speaker(language, game, self.shown.names)
        context = page_context(self.shown, self.told, self.chat, speaker, **fixed, nonce="n", notice=self.notice)
        return f"{render('table_live.html', games, **context)}\n{render('track.html', games, **context)}"


def seats_of(game: Game, seats: int, factions: list[str], **more: Any) -> list[SeatShown]:
    return [
        SeatShown(
            number=number,
            **look_of(game, seats, number, factions[number] if factions else "")._asdict(),
            name=NAMES[number],
            faction=factions[number] if factions else "",
            **{name: value(number) for name, value in more.items()},
        )
        for number in range(seats)
    ]


def moment(table: Table, at: int, viewer: int, levels: list[str] | None = None, **changed: Any) -> Seen:
    """A game after so many moves, through the eyes of a seat or a watcher."""
    game, steps = table.game, table.steps[:at]
    before = None if at == len(table.steps) else table.steps[at].before
    state = table.state if before is None else game.load(table.seats, before, table.options)
    seat = None if viewer == WATCHER else viewer
    view = game.view(state, seat, table.factions)
    strips = [step.strip for step in steps if step.strip is not None]
    told = told_to(viewer, [*table.dealt_events, *(event for step in steps for event in step.events)])
    levels = levels or [""] * table.seats
    played = Played(
        levels,
        [finish for strip in strips for finish in strip.finishes],
        steps[-1].at or 0 if steps else 0,
    )
    shown = Shown(
        table="tab",
        game=game.id,
        stage="playing" if state.waiting else "over",
        seats=seats_of(
            game,
            table.seats,
            list(table.factions),
            level=levels.__getitem__,
            status=lambda number: "bot" if levels[number] else ("present", "away", "held")[(number + at) % 3],
            waiting=view.waiting.__contains__,
            mine=lambda number: number == viewer,
            shown=lambda number: number == viewer,
            clock=lambda number: Clock(60.0, 1000.5 if number else None) if at % 2 else None,
        ),
        names=NAMES[: table.seats],
        viewer=viewer,
        seat=seat,
        mine=[] if seat is None else [seat],
        owner=viewer == 0,
        view=view,
        winners=view.result.winners if view.result is not None else [],
        more=game.shown(view, told, played),
        prompt_id=7,
        your_turn=viewer in view.waiting,
        can_undo=at % 3 == 1,
        options=dict(table.options),
        log_lines=40 if game.timing(table.options) is not None else None,
        photo=photo_of(strips[-1]) if strips else None,
    )
    return Seen(msgspec.structs.replace(shown, **changed), told, CHAT[: at % 3], NAMES[0] if at % 5 == 1 else "")


def told_to(viewer: int, events: list[Event]) -> list[Phrase]:
    return [Phrase(event.key, event.args) for event in events if event.audience & bit(viewer)]


def lobby(game: Game, viewer: int, **changed: Any) -> Seen:
    """Before the deal: one person, a free seat, and bots."""
    seats = game.seats[-1]
    factions = list(game.factions[:seats])
    shown = Shown(
        table="tab",
        game=game.id,
        stage="open",
        seats=seats_of(
            game,
            seats,
            factions,
            status=lambda number: ("present", "free", "bot")[min(number, 2)],
            level=lambda number: ("", "", "greedy")[min(number, 2)],
            mine=lambda number: number == viewer,
        ),
        names=NAMES[:seats],
        viewer=WATCHER,
        mine=[] if viewer == WATCHER else [viewer],
        owner=viewer == 0,
        secrets=game.secrets,
        code="ABC123",
        link="https://example.org/t/tab?a&b",
        qr='<svg class="qr"><path d="M0 0"/></svg>',
        commitment="c" * 16,
        stand_in="greedy",
        levels=["random", "greedy", "strong:level=3", "some_bot"],
        settings=settings_of(game.options, read_options(game.options, {})),
    )
    return Seen(msgspec.structs.replace(shown, **changed), [], CHAT)
