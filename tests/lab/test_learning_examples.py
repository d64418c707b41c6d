"""The examples learn, in a short run: what was learned beats random play, on fresh deals, by far more than luck."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from polikarp.lab.interval import Mean

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_learned(before: Mean, after: Mean) -> None:
    """What was learned is clear of what was before, and of an even game."""
    assert after.interval()[0] > max(before.interval()[1], 0)


def test_a_batch_is_learned_from() -> None:
    assert_learned(*load("learn_batch").main(100))


def test_pettingzoo_is_learned_from() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is an optional extra, and not installed")
    assert_learned(*load("learn_pettingzoo").main(1500, 1000))


def test_openspiel_is_learned_from() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is an optional extra, and not installed")
    before, after, won = load("learn_openspiel").main(400)
    assert after < before
    assert won > 0
