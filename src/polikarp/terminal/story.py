"""A game told in words: what happened, what lies on the table, why a move was refused. In one language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from polikarp.engine.game import Game, View
from polikarp.engine.phrase import Event, Refusal
from polikarp.engine.record import Record, replay
from polikarp.engine.state import WATCHER, bit
from polikarp.engine.table import Table
from polikarp.engine.thoughts import Thoughts
from polikarp.engine.words import Words, printable

RULE_START = re.compile(r"^\*\*([a-z]+\.[\w.]+)\*\*\s*(.*)", re.DOTALL)


class Story:
    """Tells one game in one language, with the names of those who play."""

    def __init__(self, game: Game, names: Sequence[str], language: str) -> None:
        self.game = game
        self.names = [printable(name) for name in names]
        self.words = game.words(language)
        self.language = language

    def events(self, events: Iterable[Event]) -> list[str]:
        return [self.words.say("event", event.key, event.args, self.names) for event in events]

    def moves_with_thoughts(self, table: Table, seat: int | None) -> list[str]:
        """What happened, and after each move of a bot that searched what it had considered."""
        may = bit(WATCHER if seat is None else seat)
        lines = self.events(event for event in table.dealt_events if event.audience & may)
        for step in table.steps:
            lines += self.events(event for event in step.events if event.audience & may)
            if step.thoughts is not None:
                lines += self.thoughts(step.thoughts, self.game.text(step.move))
        return lines

    def thoughts(self, thoughts: Thoughts, played: str) -> list[str]:
        """A line for each candidate: its value, how often it was tried, the move. `>` marks the one that was played."""
        words = Words.load(Path(__file__).parent / "words", self.language)
        lines = [
            f"  {'>' if one.move == played else ' '} {one.value:4.0%} {one.visits:>9}  {one.move}"
            for one in thoughts.best
        ]
        if thoughts.others:
            others = words.say("replay", "others", {"count": thoughts.others})
            lines.append(f"         {thoughts.other_visits:>9}  {others}")
        return [words.template("replay", "considered"), *lines]

    def prompt(self, view: View) -> str:
        return self.words.say("prompt", view.prompt.key, view.prompt.args, self.names)

    def refusal(self, refusal: Refusal) -> str:
        """The reason, with the rule's number where a rule is the reason."""
        sentence = self.words.say("refusal", refusal.key, refusal.args, self.names)
        return f"{sentence} [{refusal.rule}]" if refusal.rule else sentence

    def table(self, view: View) -> list[str]:
        return self.game.table_text(view, self.words, self.names)

    def rule(self, number: str) -> str | None:
        """The paragraph of the rulebook that begins with this number."""
        for paragraph in self.game.rulebook(self.language).split("\n\n"):
            found = RULE_START.match(paragraph.strip())
            if found and found[1].lower() == number.lower():
                return f"{found[1]}  {' '.join(found[2].split())}"
        return None


def playthrough(game: Game, record: Record, language: str, seat: int | None = None) -> str:
    """A whole game as a text that a person can read: every move, what it led to, and the table at its end."""
    table = replay(game, record)
    story = Story(game, record.players, language)
    may = bit(WATCHER if seat is None else seat)
    lines = story.events(event for event in table.dealt_events if event.audience & may)
    for number, step in enumerate(table.steps, 1):
        lines += ["", f"{number}. {story.names[step.seat]}: {game.text(step.move)}"]
        lines += [f"   {line}" for line in story.events(event for event in step.events if event.audience & may)]
    lines += ["", *story.table(table.view(seat))]
    return "\n".join(line.rstrip() for line in lines) + "\n"
