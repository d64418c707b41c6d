"""A finished game at any of its moments, through the eyes of any seat: the same table, to be looked at only."""

from __future__ import annotations

from typing import Any

import msgspec

from polikarp.engine.game import View
from polikarp.engine.state import WATCHER, bit
from polikarp.engine.strip import Finish
from polikarp.engine.table import Step
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.records import Replay
from polikarp.server.table.document import OVER, PLAYING
from polikarp.server.table.live import LiveTable
from polikarp.web.render import Speaker, render
from polikarp.web.table_page import SeatLook, TablePage
from polikarp.web.why import why_of


class MoveLine(msgspec.Struct, frozen=True):
    """A move in the list of moves. `weighed`: it is known what a bot considered before it."""

    number: int
    text: str
    colour: str
    weighed: bool


class ReplayPage(TablePage):
    """Renders a moment of a finished game. Nobody sits here: all that could be done then is over."""

    def __init__(
        self, lane: LiveTable, replay: Replay, person: Person | None, language: str, at: int, viewer: int
    ) -> None:
        super().__init__(lane, None, language)
        self.replay = replay
        self.at = at
        self.viewer = self.acting = viewer
        self.own = lane.seats_of(person)
        self.seen = msgspec.structs.replace(replay.view(at, viewer), moves=[])

    def view(self) -> View:
        return self.seen

    def steps(self) -> list[Step]:
        return self.replay.table.steps[: self.at]

    def false_starts(self) -> list[Finish]:
        return []  # no record has them

    def context(self, notice: str = "") -> dict[str, Any]:
        over = self.at == self.replay.last
        body = msgspec.structs.replace(self.lane.document, stage=OVER if over else PLAYING, following="")
        return {
            **super().context(notice),
            "body": body,
            "over": over,
            "your_turn": False,
            "help": "",
            "can_undo": False,
            "chat": [],
            "replaying": True,
        }

    def seat_look(self, number: int, waiting: list[int], speaker: Speaker) -> SeatLook:
        look = super().seat_look(number, waiting, speaker)
        status = "bot" if self.lane.document.seats[number].bot else "present"  # whoever played was there
        info = msgspec.structs.replace(look.info, status=status, clock=None)
        return msgspec.structs.replace(look, info=info, shown=number in self.own)

    def told(self) -> list[say.Told]:
        return [say.Told(event.key, event.args) for event in self.replay.told(self.at, self.viewer)]

    def move_lines(self) -> list[MoveLine]:
        """Every move, told as far as the viewer was told of it."""
        speaker = Speaker(self.language, self.lane.game, self.names)
        lines = []
        for number, step in enumerate(self.replay.table.steps, 1):
            seen = [event for event in step.events if event.audience & bit(self.viewer)]
            text = (
                speaker.of_game("event", seen[0].key, seen[0].args)
                if seen
                else speaker.page("replay_secret", seat=step.seat)
            )
            look = self.shared()["seats"][step.seat]
            lines.append(MoveLine(number, text, look.colour, step.thoughts is not None))
        return lines

    def bar(self) -> dict[str, Any]:
        """What the controls around the table show."""
        likely = [*self.own, *self.seen.waiting, 0] if self.viewer == WATCHER else [self.viewer]
        return {
            "at": self.at,
            "last": self.replay.last,
            "eyes": eyes_text(self.viewer),
            "address": f"/t/{self.lane.id}/replay",
            "move_lines": self.move_lines(),
            "why_sheet": self.why() if any(step.thoughts is not None for step in self.replay.table.steps) else "",
            "go_on_seat": likely[0],
            "seed_known": self.lane.document.seed is not None and not self.lane.document.continued,
        }

    def why(self) -> str:
        """What the bot considered that made the last move."""
        why = None
        if self.at:
            step = self.replay.table.steps[self.at - 1]
            speaker = Speaker(self.language, self.lane.game, self.names)
            why = why_of(self.lane.game, self.replay.state(self.at - 1), step, speaker)
        return render("why.html", self.lane.house.games, **{**self.shared(), "why": why, "at": self.at})

    def part(self) -> str:
        """What changes from moment to moment."""
        parts = {"live": self.html(), "track": self.track(), "why": self.why()}
        return render("replay_part.html", self.lane.house.games, **parts)

    def title(self) -> str:
        name = self.lane.game.title(self.language)
        return f"{Speaker(self.language).page('replay_of', text=name)} · Polikarp"


def eyes_text(viewer: int) -> str:
    """Whose eyes, as an address says it."""
    return "watcher" if viewer == WATCHER else str(viewer)


def eyes_of(text: str | None, seats: int, own: list[int]) -> int:
    """Whose eyes an address means; if it does not say, one's own."""
    if text is None:
        return own[0] if own else WATCHER
    if text == "watcher":
        return WATCHER
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise Denied("not_a_number", {"name": "seat", "text": text[:20]}, 422)
    if int(text) >= seats:
        raise Denied("no_such_seat", {"number": int(text), "seats": seats}, 422)
    return int(text)
