"""Everything of a lesson, played: every path, every wrong try, every refusal, every claim. What is not true is a
`DataError` with file, line and step. So a rule, card or word that changes breaks the build and not a pupil's lesson.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from polikarp.engine.data import DataError, line_of
from polikarp.engine.game import MoveTextError, View
from polikarp.engine.lessons.claims import Claim, fits, objection, plain_view
from polikarp.engine.lessons.lesson import Barred, Effect, Lesson, Sentence, Step, count_words, say
from polikarp.engine.lessons.walk import Answer, Frame, Stuck, Walk
from polikarp.engine.words import FALLBACK

MOST_WORDS = 55  # that a lesson says, without replies
DOING = 4  # seconds for each thing to do
SLACK = 2.0  # a lesson may say that it takes so many times what is worked out
MOST_PATHS = 5000


class Walked(NamedTuple):
    """How much was played, and what it takes a pupil: words by language, seconds on the longest path."""

    paths: int
    moves: int
    tries: int
    words: dict[str, int]
    needs: float


def check_lesson(lesson: Lesson) -> Walked:
    """Raises `DataError` at the first thing that is not as the lesson says."""
    return Checker(lesson).run()


class Checker:
    """Walks a lesson on all its paths and counts."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.paths = 0
        self.moves = len(lesson.before)
        self.tries = 0
        self.matched: set[tuple[int, str]] = set()  # the line of an entry, and a pattern of it that a move fits

    def run(self) -> Walked:
        lesson = self.lesson
        try:
            walk = Walk(lesson)
        except Stuck as stuck:
            raise DataError(lesson.path, lesson.before_line, f"before step 1: {stuck}") from None
        self.follow(walk)
        for number, step in enumerate(lesson.steps, 1):
            self.check_patterns(number, [(way.line, way.moves) for way in step.ways])
            self.check_patterns(number, [(wrong.line, wrong.moves) for wrong in step.wrong])
        words = self.check_words()
        return Walked(self.paths, self.moves, self.tries, words, self.check_time())

    def check_patterns(self, number: int, entries: list[tuple[int, tuple[str, ...]]]) -> None:
        """Every pattern was of use on some path."""
        for line, patterns in entries:
            for each in patterns:
                if (line, each) not in self.matched:
                    raise self.wrong(number, line, f"no legal move fits {each!r}, or an entry above has it")

    def wrong(self, step: int, line: int, text: str, trail: Iterable[str] = ()) -> DataError:
        done = [move for move in trail if move]
        after = f", after {', '.join(done)}" if done else ""
        return DataError(self.lesson.path, line, f"step {step}{after}: {text}")

    def follow(self, walk: Walk) -> None:
        """A step and everything behind it."""
        step = walk.step
        if step is None:
            self.paths += 1
            if self.paths > MOST_PATHS:
                raise self.wrong(walk.number, self.lesson.steps[-1].line, f"there are more than {MOST_PATHS} paths")
            return
        try:
            self.moves += len(walk.arriving)
        except Stuck as stuck:
            raise self.wrong(walk.number + 1, step.line, str(stuck), walk.trail) from None
        self.hold(walk, self.lesson.game.view(walk.start, self.lesson.pupil), step.holds)
        if walk.reading:
            if step.wrong or step.barred or step.rival:
                raise self.wrong(walk.number + 1, step.line, "there are wrong tries, but nothing to do")
            self.go_on(walk, None)
            return
        right = walk.right()
        if not right:
            raise self.wrong(walk.number + 1, step.ways[0].line, "no legal move leads on", walk.trail)
        self.check_tries(walk, step)
        for move in right:
            self.go_on(walk, move)

    def go_on(self, walk: Walk, move: str | None) -> None:
        """To the next step by a move that leads there, or by reading."""
        step, number = walk.step, walk.number + 1
        assert step is not None
        line = step.line
        try:
            if move is None:
                ahead = walk.read_on()
            else:
                line = next(way.line for way in step.ways if fits(move, way.moves))
                answer = walk.answer(move)
                assert answer.way is not None
                self.note(answer.way.line, answer.way.moves, move)
                self.moves += len(answer.frames)
                self.effect(walk, answer, answer.way.effect, line)
                ahead = answer.walk
        except Stuck as stuck:
            raise self.wrong(number, line, str(stuck), walk.trail) from None
        self.follow(ahead)

    def check_tries(self, walk: Walk, step: Step) -> None:
        """Every other move of the pupil, the refusals that are written, and the rival."""
        right = set(walk.right())
        for move in walk.moves():
            entry = next((each for each in step.wrong if fits(move, each.moves)), None)
            if move in right or entry is None:
                continue
            self.tries += 1
            self.note(entry.line, entry.moves, move)
            try:
                answer = walk.answer(move)
            except Stuck as stuck:
                raise self.wrong(walk.number + 1, entry.line, str(stuck), walk.trail) from None
            if entry.play:
                self.effect(walk, answer, entry.effect, entry.line)
        for barred in step.barred:
            self.check_refusals(walk, barred)
        if step.rival is not None:
            try:
                frames = walk.outrun(step.rival).frames
            except Stuck as stuck:
                raise self.wrong(walk.number + 1, step.rival.line, str(stuck), walk.trail) from None
            self.told(walk, frames, step.rival.tells, step.rival.line)

    def check_refusals(self, walk: Walk, barred: Barred) -> None:
        for move in barred.moves:
            self.tries += 1
            if mistake := self.unlike(walk, barred, move):
                raise self.wrong(walk.number + 1, barred.line, mistake, walk.trail)

    def unlike(self, walk: Walk, barred: Barred, move: str) -> str | None:
        """In what a move is not refused as it is written."""
        try:
            answer = walk.answer(move)
        except MoveTextError as mistake:
            return str(mistake)
        if answer.refusal is None:
            return f"{move!r} is allowed"
        rule, key = answer.refusal.rule, answer.refusal.key
        if (rule, key) != (barred.rule, barred.key):
            return f"{move!r} is refused for {rule} ({key}), the lesson says {barred.rule} ({barred.key})"
        if answer.reply is not barred.say:
            return f"{move!r} is not how the move is written, or an entry above has it"
        return None

    def note(self, line: int, patterns: tuple[str, ...], move: str) -> None:
        self.matched |= {(line, each) for each in patterns if fits(move, (each,))}

    def effect(self, walk: Walk, answer: Answer, effect: Effect, line: int) -> None:
        """What an entry says of the moves that were made."""
        self.told(walk, answer.frames, effect.tells, line)
        view = self.lesson.game.view(answer.frames[-1].state, self.lesson.pupil)
        self.hold(walk, view, effect.holds, answer.frames[0].move)

    def told(self, walk: Walk, frames: tuple[Frame, ...], keys: tuple[str, ...], line: int) -> None:
        told = list(dict.fromkeys(event.key for frame in frames for event in frame.events))
        for key in keys:
            if key not in told:
                text = f"{frames[0].move!r} does not tell {key!r}; it tells: {', '.join(told) or 'nothing'}"
                raise self.wrong(walk.number + 1, line, text, walk.trail)

    def hold(self, walk: Walk, view: View, claims: tuple[Claim, ...], move: str = "") -> None:
        if not claims:
            return
        plain = plain_view(view)
        for claim in claims:
            if said := objection(plain, claim):
                raise self.wrong(walk.number + 1, claim.line, said, (*walk.trail, move))

    def check_words(self) -> dict[str, int]:
        """How many words the lesson says in each language, without replies."""
        lesson = self.lesson
        counts = {
            language: sum(self.length(step.say, language) for step in lesson.steps) for language in lesson.languages
        }
        for language, count in counts.items():
            if count > MOST_WORDS:
                long = f"the lesson says {count} words in {language}; right is at most {MOST_WORDS}"
                raise DataError(lesson.path, lesson.steps[0].line, long)
        return counts

    def length(self, sentence: Sentence | None, language: str) -> int:
        return 0 if sentence is None else count_words(say(self.lesson.game, sentence, language))

    def check_time(self) -> float:
        """What the longest path takes a newcomer, in the longest language."""
        needs = max(self.time(language) for language in self.lesson.languages)
        if not needs <= self.lesson.seconds <= needs * SLACK:
            right = f"{ceil(needs)} to {int(needs * SLACK)}"
            text = f"the lesson says that it takes {self.lesson.seconds} seconds; right is {right}, by its words"
            raise DataError(self.lesson.path, line_of(self.lesson.path, ("seconds",)), text)
        return needs

    def time(self, language: str = FALLBACK) -> float:
        seconds = 0.0
        for step in self.lesson.steps:
            replies = [self.length(way.reply, language) + self.length(way.outcome, language) for way in step.ways]
            words = self.length(step.say, language) + max(replies, default=0)
            seconds += words * 60 / self.lesson.reads + (DOING if step.ways else 0) + sum(m.after for m in step.auto)
        return seconds
