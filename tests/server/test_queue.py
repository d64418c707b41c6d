"""Whose bot thinks next."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

from polikarp.server.bots.queue import REMEMBERED, BotQueue


@dataclass
class Asked:
    number: int
    person: str
    table: str
    searching: bool = True
    again: bool = False


def queue_of(*questions: Asked) -> BotQueue[Asked]:
    queue: BotQueue[Asked] = BotQueue()
    for question in questions:
        queue.add(question)
    return queue


def order(queue: BotQueue[Asked]) -> list[int]:
    """One worker takes them all, one after the other."""
    taken = []
    while (question := queue.take()) is not None:
        queue.done(question)
        taken.append(question.number)
    return taken


def many(person: str, tables: int, first: int = 1) -> list[Asked]:
    return [Asked(first + number, person, f"{person}{number}") for number in range(tables)]


def test_who_asks_for_one_table_does_not_wait_for_somebodys_many() -> None:
    queue = queue_of(*many("ann", 25), Asked(26, "bob", "b"), Asked(27, "cid", "c"))
    assert order(queue) == [1, 26, 27, *range(2, 26)]


def test_people_take_turns_and_so_do_the_tables_of_each() -> None:
    ann = [Asked(1, "ann", "a"), Asked(2, "ann", "a"), Asked(3, "ann", "a"), Asked(4, "ann", "A")]
    bob = [Asked(5, "bob", "b"), Asked(6, "bob", "b"), Asked(7, "bob", "B")]
    assert order(queue_of(*ann, *bob)) == [1, 5, 4, 7, 2, 6, 3]


def test_who_has_fewer_bots_thinking_comes_first() -> None:
    queue = queue_of(*many("ann", 3), Asked(4, "bob", "b"), Asked(5, "bob", "B"))
    taken = [queue.take() for _ in range(3)]
    assert [one.number for one in taken if one is not None] == [1, 4, 2]
    assert taken[1] is not None
    queue.done(taken[1])
    assert order(queue) == [5, 3], "two of ann's are still thinking"


def test_quick_bots_go_before_those_that_search() -> None:
    queue = queue_of(*many("ann", 3), Asked(4, "bob", "b", searching=False), Asked(5, "ann", "a", searching=False))
    assert order(queue) == [4, 5, 1, 2, 3]


def test_a_question_that_lost_its_worker_is_asked_next() -> None:
    queue = queue_of(*many("ann", 2), Asked(3, "bob", "b", again=True), Asked(4, "cid", "c", searching=False))
    assert order(queue) == [4, 3, 1, 2]


def test_who_asks_again_and_again_does_not_come_before_who_waits() -> None:
    """Each of two has one worker's time in turn, although one asks anew only when it is answered."""
    queue = queue_of(*many("ann", 40))
    numbers = itertools.count(100)
    queue.add(Asked(next(numbers), "bob", "b"))
    served: Counter[str] = Counter()
    for _turn in range(40):
        question = queue.take()
        assert question is not None
        queue.done(question)
        served[question.person] += 1
        if question.person == "bob":
            queue.add(Asked(next(numbers), "bob", "b"))
    assert served == {"ann": 20, "bob": 20}


def test_what_nobody_wants_any_more_is_gone_and_nothing_is_remembered_for_ever() -> None:
    questions = many("ann", 3)
    queue = queue_of(*questions)
    queue.drop(questions[0])
    queue.drop(questions[0])
    assert order(queue) == [2, 3]
    for number in range(REMEMBERED + 100):
        queue.add(Asked(number, f"guest {number}", "t"))
        assert order(queue) == [number]
    assert not queue.thinking
    assert len(queue.served) == REMEMBERED
