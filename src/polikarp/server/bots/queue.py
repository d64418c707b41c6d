"""Whose bot thinks next, so that nobody's tables hold up anybody else's.

Quick bots go before those that search: they take no time. Then it goes by people: first who has the fewest bots
thinking, of those who had none thinking for longest. Of one person's tables likewise, and at one table who came first.
It only decides; `pool.py` has the processes.
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict
from typing import Generic, Protocol, TypeVar

REMEMBERED = 10_000  # people and tables whose last turn is known; before that all were served long ago


class Waiting(Protocol):
    """A question in the queue. They are numbered as they come; `person` is for whose table it is asked; one that is
    asked `again` had its turn and lost its worker.
    """

    @property
    def number(self) -> int: ...
    @property
    def person(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def searching(self) -> bool: ...
    @property
    def again(self) -> bool: ...


Asked = TypeVar("Asked", bound=Waiting)
Key = tuple[str, ...]  # a person, or a person's table


class BotQueue(Generic[Asked]):
    def __init__(self) -> None:
        self.waiting: list[Asked] = []
        self.thinking: Counter[Key] = Counter()
        self.served: OrderedDict[Key, int] = OrderedDict()  # the turn in which each was served last
        self.turns = itertools.count(1)

    def add(self, question: Asked) -> None:
        self.waiting.append(question)

    def drop(self, question: Asked) -> None:
        """Nobody wants the answer any more."""
        if question in self.waiting:
            self.waiting.remove(question)

    def take(self) -> Asked | None:
        """The next question, which counts as being thought about until it is `done`."""
        if not self.waiting:
            return None
        question = min(self.waiting, key=self.rank)
        self.waiting.remove(question)
        turn = next(self.turns)
        for key in keys_of(question):
            self.thinking[key] += 1
            self.served[key] = turn
            self.served.move_to_end(key)
        while len(self.served) > REMEMBERED:
            self.served.popitem(last=False)
        return question

    def done(self, question: Asked) -> None:
        for key in keys_of(question):
            self.thinking[key] -= 1
            if not self.thinking[key]:
                del self.thinking[key]

    def rank(self, question: Asked) -> tuple[int, ...]:
        """The lowest comes next."""
        had = [number for key in keys_of(question) for number in (self.thinking[key], self.served.get(key, 0))]
        return (question.searching, not question.again, *had, question.number)


def keys_of(question: Waiting) -> tuple[Key, Key]:
    return (question.person,), (question.person, question.table)
