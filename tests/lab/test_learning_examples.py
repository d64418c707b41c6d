"""The examples learn, in a short run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_batch_is_learned_from() -> None:
    before, after = load("learn_batch").main(100)
    assert abs(before) < 0.3
    assert after > before + 0.4


def test_pettingzoo_is_learned_from() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is an optional extra, and not installed")
    before, after = load("learn_pettingzoo").main(1500, 500)
    assert after > before + 0.8


def test_openspiel_is_learned_from() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is an optional extra, and not installed")
    before, after = load("learn_openspiel").main(400)
    assert before == pytest.approx(4.747, abs=0.001)
    assert after < 3.5
