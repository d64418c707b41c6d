"""A game in the terminal: people and bots at one table, a line for each move.

Secrets stay with their seat: with several people at the keyboard a curtain falls between their decisions, and
each is told only what they may know.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from polikarp.bots.seated import Seated
from polikarp.engine.bot import Bot
from polikarp.engine.game import MoveTextError
from polikarp.engine.phrase import Refused
from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table, commitment
from polikarp.engine.words import Words, printable
from polikarp.terminal.story import Story

NAMES = ("Mira", "Bolek", "Jagna", "Ziemowit", "Ludka", "Gniewko", "Dobrawa", "Witek")


class Left(Exception):
    """The person has left the table."""


class TerminalGame:
    """One table at one keyboard. `bots` sit on their seats, people on the rest."""

    def __init__(self, table: Table, bots: dict[int, Bot], names: list[str], language: str) -> None:
        self.table = table
        self.bots = bots
        self.names = [printable(name) for name in names]
        self.people = [seat for seat in range(table.seats) if seat not in bots]
        chance = {seat: FastRng(("seat", seat, table.seed)) for seat in bots}
        self.seated = Seated(table.game, table.options, bots, chance)
        self.told: dict[int, int | None] = dict.fromkeys(self.people)  # after how many steps; None: not of the deal
        self.at_keyboard: int | None = None
        self.speak(language)

    def speak(self, language: str) -> None:
        self.story = Story(self.table.game, self.names, language)
        self.words = Words.load(Path(__file__).parent / "words", language)

    def say(self, key: str, **args: int | str) -> None:
        print(self.words.say("play", key, args, self.names))

    def run(self) -> None:
        """Play to the end, or until a person leaves."""
        self.say("welcome", seats=self.table.seats)
        self.say("commitment", hash=commitment(self.table.seed))
        try:
            self.play()
        except Left:
            self.say("left")
            raise
        finally:
            self.seated.end(self.table.state)

    def play(self) -> None:
        while not self.table.over:
            chosen = self.seated.next_move(self.table.state)
            if chosen is not None:
                self.table.play_move(*chosen)
            else:
                self.ask(self.table.waiting[0])
        # With one person, as that person knows it; with several, as everybody does.
        alone = self.people[0] if len(self.people) == 1 else None
        told = None if self.at_keyboard is None else self.told[self.at_keyboard]
        ending = self.story.events(self.table.log(alone, told))
        print("\n".join(["", *ending, "", *self.story.table(self.table.view(alone))]))

    def ask(self, seat: int) -> None:
        """Show a person the table and read lines until one of them is a move."""
        self.curtain(seat)
        self.tell(seat)
        view = self.table.view(seat)
        print("\n".join(["", *self.story.table(view), "", f"{self.names[seat]}: {self.story.prompt(view)}"]))
        while not self.answer(seat, read_line("> ")):
            pass

    def curtain(self, seat: int) -> None:
        """With several people: hide what the last one saw until the next one is at the keyboard."""
        if len(self.people) > 1 and seat != self.at_keyboard:
            print("\n" * 60 if not sys.stdout.isatty() else "\033[2J\033[3J\033[H", end="")
            self.say("curtain", seat=seat)
            if read_line("").strip().lower() == "quit":
                raise Left
        self.at_keyboard = seat

    def tell(self, seat: int) -> None:
        """What happened since this person was last told, as far as they may know it."""
        print("\n".join(["", *self.story.events(self.table.log(seat, self.told[seat]))]))
        self.told[seat] = len(self.table.steps)

    def answer(self, seat: int, line: str) -> bool:
        """Do what a line says; whether the position has changed."""
        word, _, rest = line.strip().partition(" ")
        languages = self.table.game.spoken()
        commands: dict[str, Callable[[int, str], bool]] = {
            "": lambda *_: False,
            "?": self.help,
            "help": self.help,
            "moves": self.list_moves,
            "why": self.why,
            "undo": self.undo,
            "rules": self.rules,
            "explain": self.explain,
            "log": self.show_log,
            "table": self.show_table,
            "quit": self.leave,
            **dict.fromkeys(languages, self.switch_language),
        }
        try:
            if word.lower() in commands:
                return commands[word.lower()](seat, rest if word.lower() not in languages else word.lower())
            return self.move(seat, line)
        except MoveTextError as mistake:
            self.say("bad_move", text=mistake.text, examples=mistake.examples)
        except Refused as refused:
            print(self.story.refusal(refused.refusal))
        return False

    def move(self, seat: int, line: str) -> bool:
        """A move; `@2 look` is one by another person at this keyboard, who may use a right at any moment."""
        if line.strip().startswith("@"):
            number, _, line = line.strip()[1:].partition(" ")
            if number not in [str(other + 1) for other in self.people]:
                self.say("not_here", people=", ".join(f"@{other + 1} {self.names[other]}" for other in self.people))
                return False
            seat = int(number) - 1
        self.table.play(line, seat)
        return True

    def help(self, seat: int, rest: str) -> bool:
        self.say("help")
        for word, meaning in self.story.words.tables.get("help", {}).items():
            print(f"  {word:8} {meaning}")
        return False

    def list_moves(self, seat: int, rest: str) -> bool:
        print(", ".join(self.table.moves(seat)))
        return False

    def why(self, seat: int, rest: str) -> bool:
        refusal = self.table.why_not(rest, seat)
        if refusal is None:
            self.say("why_yes", move=self.table.game.text(self.table.game.parse(rest)))
        else:
            print(self.story.refusal(refusal))
            rule = self.story.rule(refusal.rule)
            if rule:
                print(rule)
        return False

    def undo(self, seat: int, rest: str) -> bool:
        self.table.undo(seat)
        self.told[seat] = len(self.table.steps)
        self.say("undone")
        return True

    def rules(self, seat: int, rest: str) -> bool:
        number = rest.strip()
        if not number:
            print(self.table.game.rulebook(self.story.language))
        else:
            rule = self.story.rule(number)
            if rule is None:
                self.say("no_rule", number=printable(number), game=self.table.game.id)
            else:
                print(rule)
        return False

    def explain(self, seat: int, rest: str) -> bool:
        print("\n".join(self.table.game.explain(self.table.view(seat), self.story.words)))
        return False

    def show_log(self, seat: int, rest: str) -> bool:
        print("\n".join(self.story.events(self.table.log(seat))))
        return False

    def show_table(self, seat: int, rest: str) -> bool:
        print("\n".join(self.story.table(self.table.view(seat))))
        return False

    def switch_language(self, seat: int, language: str) -> bool:
        self.speak(language)
        print("\n".join(["", *self.story.table(self.table.view(seat)), "", self.story.prompt(self.table.view(seat))]))
        return False

    def leave(self, seat: int, rest: str) -> bool:
        raise Left


def read_line(prompt: str) -> str:
    """A line from the person; the end of input is leaving."""
    try:
        if sys.stdin.isatty():
            return input(prompt)
        # Away from a terminal `input` drops what is raised while it writes its prompt, an interrupt too.
        print(prompt, end="", flush=True)
        return input()
    except EOFError:
        print()
        raise Left from None
