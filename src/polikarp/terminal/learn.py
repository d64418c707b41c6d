"""Lessons in the terminal, from the same files as the pages: the table as text, a sentence, and a line for each try.

Nothing is lit and no clock runs here: cards that come by themselves come at once, and a rival waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from polikarp.engine.game import MoveTextError
from polikarp.engine.lessons.lesson import Lesson, Sentence, say
from polikarp.engine.lessons.shelf import Shelf
from polikarp.engine.lessons.walk import LOOK_AFTER, Answer, Frame, Walk
from polikarp.engine.option import UsageError
from polikarp.engine.words import Words, printable
from polikarp.terminal.play import Left, read_line
from polikarp.terminal.story import Story


class Skipped(Exception):
    """The pupil wants the next lesson."""


class Teacher:
    """Teaches lessons of a game at one keyboard, one after another."""

    walk: Walk
    story: Story
    tries: int  # wrong ones of this step
    helped: set[str]  # the kinds of moves that were explained in this lesson
    seen: bytes  # the position that was shown last

    def __init__(self, shelf: Shelf, language: str) -> None:
        self.shelf = shelf
        self.game = shelf.game
        self.speak(language)

    def speak(self, language: str) -> None:
        self.language = language
        self.words = Words.load(Path(__file__).parent / "words", language)

    def say(self, key: str, **args: int | str) -> None:
        print(self.words.say("learn", key, args))

    def always(self, key: str, **args: str) -> None:
        """Something that is said wherever lessons are given."""
        print(self.game.words(self.language).say("lesson", key, args))

    def sentence(self, sentence: Sentence | None) -> None:
        if sentence is not None:
            print(f"* {say(self.game, sentence, self.language)}")

    def title(self, lesson: Lesson) -> str:
        return say(self.game, lesson.title, self.language)

    def list(self) -> None:
        """All lessons: those before the first game, and the others."""
        for key, lessons in (("core", self.shelf.core), ("more", [one for one in self.shelf.lessons if not one.core])):
            if lessons:
                self.say(key)
            for lesson in lessons:
                print(f"  {lesson.name:20} {self.title(lesson)} ({lesson.seconds} s)")

    def sheet(self) -> None:
        """The crib sheet."""
        sheet = self.shelf.sheet
        if sheet is None:
            raise UsageError(f"{self.game.id} has no crib sheet")
        print("\n".join([say(self.game, sheet.title, self.language), "", *sheet.text(self.language)]))

    def run(self, lessons: Sequence[Lesson]) -> None:
        """Teach these, until the pupil leaves."""
        self.say("welcome", name=lessons[0].names[lessons[0].pupil])
        try:
            for lesson in lessons:
                self.teach(lesson)
        except Left:
            self.say("left")
            return
        if lessons[-1].core and self.shelf.after(lessons[-1]) is None:
            self.always("core_done")
            print(f"  polikarp play {self.game.id}")

    def teach(self, lesson: Lesson) -> None:
        self.helped, self.seen = set(), b""
        self.walk, self.tries = Walk(lesson), 0
        self.story = Story(self.game, lesson.names, self.language)
        print(f"\n{lesson.name}: {self.title(lesson)}")
        try:
            self.show()
            while not self.walk.over:
                self.answer(read_line("> "))
        except Skipped:
            return
        following = self.shelf.after(lesson)
        if following is None:
            self.always("well_done")
        else:
            self.always("well_done_next", title=self.title(following))

    def show(self) -> None:
        """The table as the pupil sees it, if it is not as before, and the sentence of the step. What comes by itself
        comes after the sentence."""
        step = self.walk.step
        if step is None:
            return
        if self.walk.arriving:
            self.sentence(step.say)
            self.tell(self.walk.arriving)
        if self.seen != self.walk.state.to_bytes():
            self.table()
        if not self.walk.arriving:
            self.sentence(step.say)
        self.how()

    def table(self) -> None:
        self.seen = self.walk.state.to_bytes()
        print("\n".join(["", *self.story.table(self.walk.view()), ""]))

    def how(self) -> None:
        """How moves of these kinds are written if that is new, or how to go on."""
        if self.walk.reading:
            self.say("enter")
            return
        kinds = dict.fromkeys(move.split()[0] for move in self.walk.moves())
        for kind in kinds:
            if kind not in self.helped:
                print(f"  {self.story.words.find('help', kind) or kind}")
        self.helped |= set(kinds)

    def tell(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            for line in self.story.events(frame.events):
                print(f"  {line}")

    def answer(self, line: str) -> None:
        """Do what a line says."""
        word, _, rest = line.strip().partition(" ")
        languages = self.game.spoken()
        commands: dict[str, Callable[[str], None]] = {
            "": self.go_on,
            "?": lambda _: self.say("help"),
            "help": lambda _: self.say("help"),
            "moves": lambda _: print(", ".join(self.walk.moves())),
            "table": lambda _: self.table(),
            "rules": self.rule,
            "show": self.show_me,
            "back": lambda _: self.go(self.walk.back()),
            "again": lambda _: self.go(self.walk.again()),
            "skip": self.skip,
            "quit": self.leave,
        }
        if word.lower() in languages:
            self.speak(word.lower())
            self.story = Story(self.game, self.walk.lesson.names, self.language)
            self.seen = b""
            self.show()
        elif word.lower() in commands:
            commands[word.lower()](rest)
        else:
            self.attempt(line)

    def go(self, walk: Walk) -> None:
        self.walk, self.tries = walk, 0
        self.show()

    def go_on(self, rest: str) -> None:
        """Enter: what was read is behind the pupil; what waits for a move is said again."""
        if self.walk.reading:
            self.go(self.walk.read_on())
        else:
            self.show()

    def attempt(self, line: str) -> None:
        """A move of the pupil."""
        if self.walk.reading:
            self.say("enter")
            return
        try:
            answer = self.walk.answer(line)
        except MoveTextError as mistake:
            print(self.words.say("play", "bad_move", {"text": mistake.text, "examples": mistake.examples}))
            return
        if answer.kind == "on":
            self.tell(answer.frames[:1])
            self.sentence(answer.reply)
            self.tell(answer.frames[1:])
            self.sentence(answer.outcome)
            self.go(answer.walk)
        else:
            self.correct(answer)

    def correct(self, answer: Answer) -> None:
        """Say what was wrong, and help more each time."""
        if answer.refusal is not None:
            print(self.story.refusal(answer.refusal))
        elif not answer.frames and answer.reply is None:
            self.always("allowed")
        self.tell(answer.frames)
        self.sentence(answer.reply)
        self.sentence(answer.outcome)
        if answer.frames:
            self.say("taken_back")
        self.tries += 1
        if self.walk.shown(self.tries) is not None:
            self.say("can_show")
        elif self.tries >= LOOK_AFTER:
            self.always("look_here")
            print(f"  {', '.join(self.walk.light(self.tries).moves)}")

    def show_me(self, rest: str) -> None:
        """Make the move that leads on, once somebody has tried."""
        move = self.walk.shown(self.tries)
        if move is None:
            self.say("try_first")
        else:
            print(f"  {move}")
            self.attempt(move)

    def rule(self, rest: str) -> None:
        number = rest.strip()
        rule = self.story.rule(number)
        if rule is None:
            print(self.words.say("play", "no_rule", {"number": printable(number), "game": self.game.id}))
        else:
            print(rule)

    def skip(self, rest: str) -> None:
        raise Skipped

    def leave(self, rest: str) -> None:
        raise Left
