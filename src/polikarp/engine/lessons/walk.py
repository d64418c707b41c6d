"""A pupil in a lesson: where they are, what is said and lit, what each move of theirs leads to.

A `Walk` is a function of the lesson and of its trail, the moves that led here, one for each step that is behind the
pupil; a step that was only read left an empty text. It needs no table, store or person, so a page can hold it in an
address and a terminal in a variable. It never changes: an answer has the walk that comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from polikarp.engine.game import MoveTextError, View
from polikarp.engine.lessons.claims import fits
from polikarp.engine.lessons.lesson import Effect, Lesson, Move, Rival, Sentence, Step, Way
from polikarp.engine.phrase import Event, Refusal, Refused
from polikarp.engine.rng import Rng, ScriptError, ScriptRng
from polikarp.engine.state import State, bit

READ = ""  # in a trail: a step that was read
LOOK_AFTER = 2  # wrong tries of a step, until only what is right is lit
SHOW_AFTER = 3  # and until it can be shown


class Stuck(Exception):
    """A written move can not be made as it is written; says why."""


class LessonRng(Rng):
    """Repeats draws of a lesson. The last one repeats, cut to what is possible: [5] rolls a six with every die."""

    def __init__(self, draws: Sequence[int]) -> None:
        self.draws = draws
        self.used = 0

    def below(self, bound: int) -> int:
        if not self.draws:
            raise ScriptError("chance decides here, but the lesson gives no draws")
        draw = self.draws[min(self.used, len(self.draws) - 1)]
        self.used += 1
        return min(draw, int(bound) - 1)

    def finish(self) -> None:
        if self.used < len(self.draws):
            raise ScriptError(f"{len(self.draws)} draws are written down, but the rules ask for {self.used}")


class Frame(NamedTuple):
    """A move that was made: by whom, what the pupil was told of it, and the position after it."""

    seat: int
    move: str
    events: tuple[Event, ...]
    state: State


class Light(NamedTuple):
    """What is lit: parts of the table by their roles, and the controls of moves."""

    roles: tuple[str, ...]
    moves: tuple[str, ...]


class Answer(NamedTuple):
    """What becomes of a try. `on` leads to another step. `wrong` is allowed but does not: its frames, if it was played,
    are taken back. `refused` is against the rules. `rival`: somebody else was first, and the step begins anew.

    `reply` is said at once and `outcome` when all frames were seen; a lesson need not have written either.
    """

    kind: Literal["on", "wrong", "refused", "rival"]
    walk: Walk
    frames: tuple[Frame, ...] = ()
    reply: Sentence | None = None
    outcome: Sentence | None = None
    refusal: Refusal | None = None
    way: Way | None = None  # which of the step's ways leads on


class Walk:
    """At the beginning of a step, or behind the last one. `start` is the position there: all of it, of which a pupil
    sees only the `view`."""

    def __init__(self, lesson: Lesson, trail: tuple[str, ...] = (), start: State | None = None) -> None:
        self.lesson = lesson
        self.trail = trail
        self.start = dealt(lesson) if start is None else start

    @cached_property
    def arriving(self) -> tuple[Frame, ...]:
        """The moves that come by themselves when the step begins."""
        return made(self.lesson, self.start, self.step.auto) if self.step else ()

    @cached_property
    def state(self) -> State:
        """The position after them, in which the pupil acts."""
        return self.arriving[-1].state if self.arriving else self.start

    @classmethod
    def along(cls, lesson: Lesson, trail: Iterable[str]) -> Walk:
        """The walk that a trail leads to. Where something in it is not part of the lesson, the step that it fits."""
        walk = cls(lesson)
        for text in trail:
            further = walk.further(text)
            if further is None:
                break
            walk = further
        return walk

    @property
    def number(self) -> int:
        """Of the step, from 0."""
        return len(self.trail)

    @property
    def step(self) -> Step | None:
        """The step that the pupil is at; None behind the last."""
        return self.lesson.steps[self.number] if self.number < len(self.lesson.steps) else None

    @property
    def over(self) -> bool:
        return self.step is None

    @property
    def reading(self) -> bool:
        """Whether the step asks for nothing: the pupil reads it and goes on."""
        return self.step is not None and not self.step.ways

    def view(self) -> View:
        """The table as the pupil sees it."""
        return self.lesson.game.view(self.state, self.lesson.pupil)

    def moves(self) -> list[str]:
        """The pupil's legal moves."""
        return [self.lesson.game.text(move) for move in self.state.moves(self.lesson.pupil)]

    def right(self) -> list[str]:
        """The legal moves that lead on, those first that the lesson names first."""
        patterns = [each for way in self.step.ways for each in way.moves] if self.step else []
        moves = self.moves()
        return list(dict.fromkeys(move for each in patterns for move in moves if fits(move, (each,))))

    def light(self, tries: int = 0) -> Light:
        """What is lit after so many wrong tries: first what the step names, and the controls of moves that it names one
        by one; then only what is right."""
        if self.step is None:
            return Light((), ())
        right = self.right()
        if tries >= LOOK_AFTER and right:
            return Light((), tuple(right))
        named = {each for way in self.step.ways for each in way.moves}
        return Light(self.step.light, tuple(move for move in right if move in named))

    def shown(self, tries: int) -> str | None:
        """A move that leads on, once it can be shown."""
        right = self.right()
        return right[0] if right and tries >= SHOW_AFTER else None

    def read_on(self) -> Walk:
        """The next step, where this one only had to be read."""
        if not self.reading:
            raise ValueError("this step waits for a move")
        return Walk(self.lesson, (*self.trail, READ), self.state)

    def back(self) -> Walk:
        """The step before; the first has none."""
        return Walk.along(self.lesson, self.trail[:-1])

    def again(self) -> Walk:
        return Walk(self.lesson)

    def further(self, text: str) -> Walk | None:
        """The next step, if the text leads there."""
        if self.reading or text == READ:
            return self.read_on() if self.reading and text == READ else None
        try:
            answer = self.answer(text)
        except MoveTextError:
            return None
        return answer.walk if answer.kind == "on" else None

    def answer(self, text: str) -> Answer:
        """What a move of the pupil leads to. Raises `MoveTextError` if it is none."""
        lesson = self.lesson
        number = lesson.game.parse(text)
        move = lesson.game.text(number)
        refusal = self.state.why_not(lesson.pupil, number)
        if refusal is not None:
            barred = next((each for each in self.step.barred if move in each.moves), None) if self.step else None
            return Answer("refused", self, reply=barred.say if barred else None, refusal=refusal)
        for way in self.step.ways if self.step else ():
            if fits(move, way.moves):
                frames = self.played(move, way.effect)
                ahead = Walk(lesson, (*self.trail, move), frames[-1].state)
                return Answer("on", ahead, frames, way.reply, way.outcome, way=way)
        for wrong in self.step.wrong if self.step else ():
            if fits(move, wrong.moves):
                if not wrong.play:
                    return Answer("wrong", self, reply=wrong.say)
                return Answer("wrong", self, self.played(move, wrong.effect), outcome=wrong.say)
        return Answer("wrong", self)

    def outrun(self, rival: Rival) -> Answer:
        """What happens when the rival of the step was quicker than the pupil."""
        return Answer("rival", self, made(self.lesson, self.state, (rival.move,)), outcome=rival.say)

    def played(self, move: str, effect: Effect) -> tuple[Frame, ...]:
        """A move of the pupil and the answers to it."""
        return made(self.lesson, self.state, (Move(self.lesson.pupil, move, effect.draws), *effect.then))


def dealt(lesson: Lesson) -> State:
    """The position in which a lesson begins."""
    rng = ScriptRng(list(lesson.deal))
    try:
        state = lesson.game.start(lesson.seats, lesson.options, rng)
        rng.finish()
    except ScriptError as mistake:
        raise Stuck(f"the stack does not fit the deal: {mistake}") from None
    frames = made(lesson, state, lesson.before)
    return frames[-1].state if frames else state


def made(lesson: Lesson, state: State, moves: Iterable[Move]) -> tuple[Frame, ...]:
    """Written moves, one after another, in copies of the position."""
    frames: list[Frame] = []
    for each in moves:
        state = state.copy()
        frames.append(make(lesson, state, each))
    return tuple(frames)


def make(lesson: Lesson, state: State, each: Move) -> Frame:
    """A written move, made in this very position."""
    rng = LessonRng(each.draws)
    try:
        number = lesson.game.parse(each.move)
        log = state.play(each.by, number, rng)
        rng.finish()
    except MoveTextError as mistake:
        raise Stuck(str(mistake)) from None
    except Refused as refused:
        because = refused.refusal
        raise Stuck(f"{each.move!r} of seat {each.by} is refused: {because.key} ({because.rule})") from None
    except ScriptError as mistake:
        raise Stuck(f"{each.move!r} of seat {each.by}: {mistake}") from None
    told = tuple(event for event in log.events if event.audience & bit(lesson.pupil))
    return Frame(each.by, lesson.game.text(number), told, state)
