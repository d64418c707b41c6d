"""A pupil's walk through a lesson: right and wrong tries, refusals, light, back and again."""

from __future__ import annotations

import pytest

from polikarp.engine.game import MoveTextError
from polikarp.engine.lessons.lesson import Lesson, say
from polikarp.engine.lessons.walk import LessonRng, Walk
from polikarp.engine.rng import ScriptError
from polikarp.engine.state import bit
from tests.engine.lessons.pupils import LESSONS, called, first_path, lesson_of

PUSH = lesson_of("crypt", "push")


@pytest.mark.parametrize("lesson", LESSONS, ids=called)
def test_a_lesson_is_a_function_of_its_trail(lesson: Lesson) -> None:
    trail = first_path(lesson, lambda moves: moves[-1])
    for length in range(len(trail) + 1):
        walk = Walk.along(lesson, trail[:length])
        assert (list(walk.trail), walk.number, walk.over) == (trail[:length], length, length == len(trail))
        assert walk.state.to_bytes() == Walk.along(lesson, trail[:length]).state.to_bytes()
        assert walk.over or Walk.along(lesson, trail[: length + 1]).back().trail == walk.trail


@pytest.mark.parametrize(
    ("trail", "fits"),
    [
        (["send 1x6 at A", "done"], 2),
        (["send 1x6 at A", "recover", "done"], 1),  # allowed, but not part of the lesson
        (["send 1x5 at A", "done"], 0),  # refused
        (["send 1x6 at B", "done"], 0),  # wrong
        (["nonsense"], 0),
        (["", "done"], 0),  # nothing to read here
        (["send 1x6 at A", "done", "done", "more"], 2),
    ],
)
def test_what_is_not_part_of_the_lesson_leads_to_the_step_that_it_fits(trail: list[str], fits: int) -> None:
    assert list(Walk.along(PUSH, trail).trail) == trail[:fits]


def test_a_move_that_leads_on() -> None:
    walk = Walk(PUSH)
    assert "send 1x6 at A" in walk.right()
    assert "send 1x6 at B" not in walk.right()
    answer = walk.answer("SEND 2x3 at a")
    assert (answer.kind, answer.walk.number, answer.walk.trail) == ("on", 1, ("send 2x3 at A",))
    assert answer.reply is not None
    assert say(PUSH.game, answer.reply, "pl") == "Kość Jagny wraca do niej. Skarb jest twój!"
    assert [event.key for event in answer.frames[0].events] == ["push"]
    assert walk.number == 0, "a walk never changes"


def test_a_wrong_try_that_is_only_told() -> None:
    answer = Walk(PUSH).answer("send 1x6 at B")
    assert (answer.kind, answer.frames, answer.walk.number) == ("wrong", (), 0)
    assert answer.reply is PUSH.steps[0].wrong[0].say


def test_a_wrong_try_that_is_played_is_seen_and_taken_back() -> None:
    walk = Walk(lesson_of("crypt", "tired"))
    before = walk.state.to_bytes()
    answer = walk.answer("send 1x2 at A")
    assert (answer.kind, [frame.move for frame in answer.frames]) == (
        "wrong",
        ["send 1x2 at A", "done", "send 1x4 at A"],
    )
    assert answer.frames[-1].state.to_bytes() != before
    assert answer.outcome is not None
    assert answer.walk.state.to_bytes() == before


def test_a_wrong_try_that_nobody_wrote_about() -> None:
    walk = Walk(lesson_of("hunters", "catch"))
    answer = walk.answer("slap 1 before")
    assert (answer.kind, answer.reply, answer.outcome, answer.frames) == ("wrong", None, None, ())


def test_a_refused_move_has_the_rule_and_a_sentence_where_one_is_written() -> None:
    answer = Walk(PUSH).answer("send 1x5 at A")
    assert answer.refusal is not None
    assert (answer.kind, answer.refusal.rule, answer.refusal.key) == ("refused", "crypt.14", "too_low")
    assert answer.reply is PUSH.steps[0].barred[0].say
    unwritten = Walk(PUSH).answer("send 1x1 at A")
    assert unwritten.refusal is not None
    assert unwritten.reply is None


def test_what_is_no_move_is_an_error() -> None:
    with pytest.raises(MoveTextError):
        Walk(PUSH).answer("jump")


def test_light_narrows_with_every_wrong_try() -> None:
    walk = Walk(lesson_of("crypt", "first-treasure"))
    assert walk.light().roles == ("treasure B", "treasure D", "cell 1x1")
    assert walk.light().moves == ("send 1x1 at B", "send 1x1 at D")
    assert walk.light(1) == walk.light()
    assert walk.light(2) == ((), ("send 1x1 at B", "send 1x1 at D"))
    assert Walk(PUSH).light().moves == (), "only moves that are named one by one"
    assert [walk.shown(tries) for tries in (2, 3)] == [None, "send 1x1 at B"]


def test_moves_that_come_by_themselves_and_a_rival() -> None:
    lesson = lesson_of("hunters", "hurry")
    walk = Walk(lesson).read_on()
    assert [(frame.seat, frame.move) for frame in walk.arriving] == [(1, "flip"), (0, "flip")]
    assert walk.reading
    walk = walk.read_on()
    rival = lesson.steps[2].rival
    assert rival is not None
    answer = walk.outrun(rival)
    assert (answer.kind, answer.walk, answer.frames[0].seat) == ("rival", walk, 1)
    assert "catch" in [event.key for event in answer.frames[0].events]


def test_the_pupil_sees_no_more_than_the_seat() -> None:
    walk = Walk(lesson_of("melee", "guess"))
    duel = walk.view().board.duel
    assert duel is not None
    assert duel.stake is None


def test_the_pupil_is_told_no_more_than_the_seat() -> None:
    lesson = lesson_of("melee", "a-season")
    told = [event for frame in Walk(lesson).answer("bid 0").frames for event in frame.events]
    assert [event.args["gold"] for event in told if event.key == "your_bid"] == [0], "what Jagna bids is hers alone"
    for each in LESSONS:
        walk = Walk(each)
        for move in first_path(each):
            answer = None if walk.reading else walk.answer(move)
            frames = (*walk.arriving, *(answer.frames if answer else ()))
            assert all(event.audience & bit(each.pupil) for frame in frames for event in frame.events)
            walk = answer.walk if answer else walk.read_on()


def test_draws_repeat_the_last_one_and_are_cut_to_what_is_possible() -> None:
    rng = LessonRng([1, 9])
    assert [rng.below(6) for _ in range(3)] == [1, 5, 5]
    rng.finish()
    with pytest.raises(ScriptError, match="2 draws are written down, but the rules ask for 0"):
        LessonRng([1, 2]).finish()
    with pytest.raises(ScriptError, match="gives no draws"):
        LessonRng([]).below(6)
