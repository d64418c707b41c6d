"""A game told in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.record import read_record
from polikarp.engine.thoughts import Thoughts
from tests.conftest import Command


@pytest.mark.parametrize(
    ("language", "head", "others"), [("en", "what the bot considered", "other move"), ("pl", "co bot rozważał", "inn")]
)
def test_replay_tells_why(call: Command, weighed: Path, language: str, head: str, others: str) -> None:
    plain = call("replay", str(weighed), "--language", language).stdout
    told = call("replay", str(weighed), "--language", language, "--why").stdout
    assert head in told
    assert others in told
    lines = told.splitlines()
    thoughts = [move.thoughts for move in read_record(weighed.read_bytes()).moves if move.thoughts is not None]
    assert sum(head in line for line in lines) == len(thoughts)
    assert sum(line.startswith("  >") for line in lines) == len(thoughts)
    assert [line for line in lines if not line.startswith("  ") or line in plain.splitlines()] == plain.splitlines()
    first: Thoughts = thoughts[0]
    assert any(f"{one.value:4.0%}" in line and one.move in line for one in first.best for line in lines)
