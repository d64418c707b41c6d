"""The speed table: it measures what it says, and says where we lose. No test asks how fast anything is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from polikarp.engine.build import COMPILED
from polikarp.lab.bench import BenchTable, Row
from tests.conftest import Command, assert_refused

LOST = Row("ours", 2_500_000.0, "theirs", 5_000_000.0, 0.5, 0.4, 0.6, 4)
WON = Row("ours too", 1500.0, "theirs", 10.0, 150.0, 140.0, 160.0, None)


def test_the_table_says_what_was_not_held_and_where_we_lose() -> None:
    text = BenchTable("compiled", 3, [LOST, WON]).text()
    assert "≥ 4 NOT HELD" in text
    assert "2.50 M" in text
    assert "1.50 k" in text
    assert text.endswith("Where we lose: ours against theirs")
    assert BenchTable("compiled", 3, [WON]).text().endswith("Where we lose: nowhere here")


def test_every_promise_is_measured_against_openspiel(run: Command) -> None:
    """One short round, for real: both engines, and the pure build beside the compiled one."""
    outcome = run("bench", "--against", "openspiel", "--rounds", "1", "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    table = json.loads(outcome.stdout)
    assert (table["build"], table["rounds"]) == ("compiled" if COMPILED else "pure", 1)
    promises = {(row["what"].split()[0].rstrip(","), row["against"]): row["target"] for row in table["rows"]}
    expected: dict[tuple[str, str], float | None] = {
        ("leduc", "OpenSpiel C++ rollouts of leduc_poker"): 4,
        ("leduc", "OpenSpiel Python API, leduc_poker"): 3,
        ("crypt", "OpenSpiel C++ rollouts of hearts"): 1,
        ("crypt", "OpenSpiel C++ rollouts of euchre"): None,
        ("crypt", "OpenSpiel Python API, hearts"): None,
        ("gold", "OpenSpiel C++ rollouts of hearts"): 1,
        ("gold", "OpenSpiel C++ rollouts of euchre"): 1,
        ("melee", "OpenSpiel C++ rollouts of hearts"): None,
        ("melee", "OpenSpiel C++ rollouts of euchre"): None,
        ("melee", "OpenSpiel Python API, hearts"): None,
    }
    if COMPILED:
        expected |= {(name, "the pure build"): 15 for name in ("crypt", "gold", "leduc", "melee")}
    assert promises == expected
    for row in table["rows"]:
        assert row["ours"] > 0
        assert row["theirs"] > 0
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])


def test_without_openspiel_one_line_says_how_to_get_it(surroundings: dict[str, str]) -> None:
    script = "import sys; sys.modules['pyspiel'] = None; from polikarp.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "bench", "--against", "openspiel", "--rounds", "1"]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=60)
    assert_refused(done, 2, "OpenSpiel is not installed", "pip install")
