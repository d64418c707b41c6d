"""A finished game at any of its moments, through the eyes of any seat: the same table, to be looked at only."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from polikarp.engine.game import View
from polikarp.engine.phrase import Phrase
from polikarp.engine.state import WATCHER, bit
from polikarp.engine.strip import Finish
from polikarp.engine.table import Step
from polikarp.server.denied import Denied
from polikarp.server.identity import Person
from polikarp.server.records import Replay
from polikarp.server.table.document import OVER, PLAYING
from polikarp.server.table.live import LiveTable
from polikarp.web.render import Speaker, render
from polikarp.web.shown import ChatLine, SeatShown, Shown
from polikarp.web.table_page import TablePage
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
        self, live: LiveTable, replay: Replay, person: Person | None, language: str, at: int, viewer: int
    ) -> None:
        super().__init__(live, None, language)
        self.replay = replay
        self.at = at
        self.viewer = self.acting = viewer
        self.own = live.seats_of(person)
        self.seen = replace(replay.view(at, viewer), moves=[])

    def view(self) -> View:
        return self.seen

    def steps(self) -> list[Step]:
        return self.replay.table.steps[: self.at]

    def false_starts(self) -> list[Finish]:
        return []  # no record has them

    def shown(self) -> Shown:
        stage = OVER if self.at == self.replay.last else PLAYING
        over = {"following": "", "your_turn": False, "can_undo": False}
        return replace(super().shown(), stage=stage, replaying=True, log_lines=None, **over)

    def seat(self, number: int, view: View | None) -> SeatShown:
        status = "bot" if self.live.document.seats[number].bot else "present"  # whoever played was there
        return replace(super().seat(number, view), status=status, clock=None, shown=number in self.own)

    def told(self) -> list[Phrase]:
        return [Phrase(event.key, event.args) for event in self.replay.told(self.at, self.viewer)]

    def chat(self) -> list[ChatLine]:
        return []

    def move_lines(self) -> list[MoveLine]:
        """Every move, told as far as the viewer was told of it."""
        speaker, seats = self.speaker(), self.context()["seats"]
        lines = []
        for number, step in enumerate(self.replay.table.steps, 1):
            seen = [event for event in step.events if event.audience & bit(self.viewer)]
            text = (
                speaker.of_game("event", seen[0].key, seen[0].args)
                if seen
                else speaker.page("replay_secret", seat=step.seat)
            )
            lines.append(MoveLine(number, text, seats[step.seat]["colour"], step.thoughts is not None))
        return lines

    def bar(self) -> dict[str, Any]:
        """What the controls around the table show."""
        likely = [*self.own, *self.seen.waiting, 0] if self.viewer == WATCHER else [self.viewer]
        return {
            "at": self.at,
            "last": self.replay.last,
            "eyes": eyes_text(self.viewer),
            "address": f"/t/{self.live.id}/replay",
            "move_lines": self.move_lines(),
            "why_sheet": self.why() if any(step.thoughts is not None for step in self.replay.table.steps) else "",
            "go_on_seat": likely[0],
            "commitment": self.live.document.commitment,
            "seed_known": self.live.document.seed is not None and not self.live.document.continued,
        }

    def why(self) -> str:
        """What the bot considered that made the last move."""
        why = None
        if self.at:
            step = self.replay.table.steps[self.at - 1]
            why = why_of(self.live.game, self.replay.state(self.at - 1), step, self.speaker())
        return render("why.html", self.live.house.games, **{**self.context(), "why": why, "at": self.at})

    def part(self) -> str:
        """What changes from moment to moment."""
        parts = {"live": self.html(), "track": self.track(), "why": self.why()}
        return render("replay_part.html", self.live.house.games, **parts)

    def title(self) -> str:
        name = self.live.game.title(self.language)
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
