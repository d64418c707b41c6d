"""Playing a lesson finds what is not true in it, and names file, line and step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace

from polikarp.engine.data import DataError
from polikarp.engine.lessons.check import check_lesson
from polikarp.engine.lessons.claims import Claim
from polikarp.engine.lessons.lesson import Effect, Lesson, Step, read_lesson
from polikarp.games import all_games
from tests.engine.lessons.pupils import LESSONS, called, read_changed

Thing = TypeVar("Thing")
CRYPT = all_games()["crypt"]
PUSH = CRYPT.folder / "lessons" / "2-push.toml"
THIRD = CRYPT.folder / "lessons" / "3-tired.toml"


def test_what_was_played_is_counted() -> None:
    walked = check_lesson(read_lesson(PUSH, CRYPT))
    assert (walked.paths, walked.moves, walked.tries) == (10, 24, 56)
    assert walked.words == {"en": 28, "pl": 22}


MISTAKES = {
    "a wrong claim": ('"board.turn" = 0 }', '"board.turn" = 3 }', 13, "step 1: board.turn is 0, the lesson says 3"),
    "a wrong claim after a move": (
        '"board.turn" = 5',
        '"board.turn" = 6',
        18,
        "step 1, after roll: board.turn is 5, the lesson says 6",
    ),
    "no such field": (
        '"board.turn" = 0',
        '"board.moon" = 0',
        13,
        "nothing is at moon of board.moon; there is: turn",
    ),
    "not told": (
        'tells = ["keep"]',
        'tells = ["lose"]',
        28,
        "'stop' does not tell 'lose'; it tells: keep",
    ),
    "chance without draws": ("draws = [0]\n", "", 33, "step 2, after roll: 'roll' of seat 0: chance decides here"),
    "draws without chance": (
        'moves = ["stop"]\nreply',
        'moves = ["stop"]\ndraws = [1]\nreply',
        28,
        "1 draws are written down, but the rules ask for 0",
    ),
    "another rule": ('rule = "pig.3"', 'rule = "pig.2"', 19, "step 1: 'stop' is refused for pig.3 (nothing_to_keep)"),
    "another key": ('key = "nothing_to_keep"', 'key = "x"', 19, "the lesson says pig.3 (x)"),
    "refused, but allowed": ('moves = ["stop"]\nrule', 'moves = ["roll"]\nrule', 19, "step 1: 'roll' is allowed"),
    "refused, but no move": ('moves = ["stop"]\nrule', 'moves = ["jump"]\nrule', 19, "'jump' is not a move"),
    "refused, but spelt otherwise": (
        'moves = ["stop"]\nrule',
        'moves = ["Stop"]\nrule',
        19,
        "'Stop' is not how the move is written",
    ),
    "what can not come by itself": (
        'light = ["score"]',
        'auto = [{ by = 3, move = "roll" }]',
        40,
        "step 3, after roll, stop: 'roll' of seat 3 is refused: no_such_seat",
    ),
    "a pattern that fits nothing": (
        'moves = ["roll"]\ndraws = [4]',
        'moves = ["roll", "jump *"]\ndraws = [4]',
        14,
        "step 1: no legal move fits 'jump *'",
    ),
    "nothing leads on": (
        'moves = ["roll"]\ndraws = [4]',
        'moves = ["stop"]\ndraws = [4]',
        14,
        "no legal move leads on",
    ),
    "an answer out of turn": (
        'tells = ["keep"]',
        'then = [{ by = 0, move = "stop" }]',
        28,
        "step 2, after roll: 'stop' of seat 0 is refused: not_your_turn (pig.1)",
    ),
    "a seat that nobody has": ('tells = ["keep"]', 'then = [{ by = 7, move = "roll" }]', 28, "no_such_seat"),
    "before the lesson": (
        "seats = 2",
        'seats = 2\nbefore = [{ by = 1, move = "roll" }]',
        9,
        "before step 1: 'roll' of seat 1 is refused: not_your_turn (pig.1)",
    ),
    "too short a time": (
        "seconds = 30",
        "seconds = 10",
        3,
        "the lesson says that it takes 10 seconds; right is 26 to 50",
    ),
    "too long a time": ("seconds = 30", "seconds = 90", 3, "it takes 90 seconds; right is 26 to 50"),
    "a rival who may not": (
        'light = ["button roll"]',
        'rival = { by = 1, move = "roll", after = 4, say = { en = "Too late.", pl = "Za późno." } }',
        12,
        "step 1: 'roll' of seat 1 is refused: not_your_turn (pig.1)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_not_true_is_named(tmp_path: Path, name: str) -> None:
    old, new, line, text = MISTAKES[name]
    with pytest.raises(DataError) as mistake:
        check_lesson(read_changed(tmp_path, old, new))
    assert text in str(mistake.value)
    assert f"1-dare.toml:{line}: " in str(mistake.value)


def test_a_wrong_try_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="step 1: no legal move fits 'send 1x6 at A', or an entry above has it"):
        check_lesson(read_changed(tmp_path, '"send * at D"]', '"send * at D", "send 1x6 at A"]', PUSH, CRYPT))


def test_a_wrong_try_that_is_played_holds_what_it_says(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'send 1x1 at A' does not tell 'collect'"):
        check_lesson(read_changed(tmp_path, 'tells = ["push"]', 'tells = ["collect"]', THIRD, CRYPT))


def test_a_lesson_does_not_talk_too_long(tmp_path: Path) -> None:
    step = '[[step]]\nsay = { en = "A b c d e f g h i j k l m n o p q.", pl = "Tak." }\n'
    lesson = read_changed(tmp_path, '[[step]]\nsay = { en = "Whoever', step * 3 + '[[step]]\nsay = { en = "Whoever')
    with pytest.raises(DataError, match="the lesson says 74 words in en; right is at most 55"):
        check_lesson(lesson)


def test_a_step_without_anything_to_do_has_no_wrong_tries(tmp_path: Path) -> None:
    wrong = 'light = ["score"]\n[[step.wrong]]\nmoves = ["roll"]\nsay = { en = "No.", pl = "Nie." }\n'
    with pytest.raises(DataError, match="step 3: there are wrong tries, but nothing to do"):
        check_lesson(read_changed(tmp_path, 'light = ["score"]\n', wrong))


# Teeth: whatever a lesson claims, claimed falsely, is noticed.


def false(claim: Claim) -> Claim:
    return claim._replace(value=["something else"])


def swapped(things: Sequence[Thing], at: int, thing: Thing) -> tuple[Thing, ...]:
    return (*things[:at], thing, *things[at + 1 :])


def false_effects(effect: Effect) -> Iterator[Effect]:
    """The effect with one of its claims, or of the events that it tells, being another."""
    for at, claim in enumerate(effect.holds):
        yield replace(effect, holds=swapped(effect.holds, at, false(claim)))
    for at in range(len(effect.tells)):
        yield replace(effect, tells=swapped(effect.tells, at, "nothing"))


def false_steps(step: Step) -> Iterator[Step]:
    """The step with one thing in it that is not true."""
    for at, claim in enumerate(step.holds):
        yield replace(step, holds=swapped(step.holds, at, false(claim)))
    for at, way in enumerate(step.ways):
        for effect in false_effects(way.effect):
            yield replace(step, ways=swapped(step.ways, at, replace(way, effect=effect)))
    for at, wrong in enumerate(step.wrong):
        for effect in false_effects(wrong.effect):
            yield replace(step, wrong=swapped(step.wrong, at, replace(wrong, effect=effect)))
    for at, barred in enumerate(step.barred):
        yield replace(step, barred=swapped(step.barred, at, replace(barred, key="nothing")))
        yield replace(step, barred=swapped(step.barred, at, replace(barred, rule="nothing")))
    if step.rival is not None and step.rival.tells:
        yield replace(step, rival=replace(step.rival, tells=("nothing",)))


@pytest.mark.parametrize("lesson", LESSONS, ids=called)
def test_whatever_a_lesson_claims_falsely_is_noticed(lesson: Lesson) -> None:
    tried = 0
    for at, step in enumerate(lesson.steps):
        for broken in false_steps(step):
            tried += 1
            with pytest.raises(DataError, match=rf"step {at + 1}\b.*(the lesson says|does not tell 'nothing')"):
                check_lesson(replace(lesson, steps=swapped(lesson.steps, at, broken)))
    assert tried > len(lesson.steps)
