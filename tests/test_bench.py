"""The speed table: it measures what it says, and says where we lose. No test asks how fast anything is."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from polikarp.engine.build import COMPILED
from polikarp.lab.bench import BenchTable, Row
from tests.conftest import PATIENCE, Command, assert_refused

LOST = Row("ours", 2_500_000.0, "theirs", 5_000_000.0, 0.5, 0.4, 0.6, 4)
CLASSIC = ("rps_v2", "tictactoe_v3", "connect_four_v3")  # without a deck or a board of 64 fields
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
    promises = promises_of(table)
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
        ("gold", "OpenSpiel C++ ISMCTS on hearts"): 2,
        ("gold", "OpenSpiel rl_environment, euchre"): 50,
        ("crypt", "OpenSpiel rl_environment, euchre"): 50,
    }
    if COMPILED:
        expected |= {(name, "the pure build"): 15 for name in ("crypt", "gold", "leduc", "melee")}
    assert promises == expected


def promises_of(table: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    """The targets by game and opponent, once every line was found to say a ratio of two rates."""
    for row in table["rows"]:
        assert row["ours"] > 0
        assert row["theirs"] > 0
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
    return {(row["what"].split()[0].rstrip(","), row["against"]): row["target"] for row in table["rows"]}


def test_batches_are_measured_against_the_fastest_of_pettingzoo(run: Command) -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is an optional extra, and not installed")
    pytest.importorskip("pygame", reason="PettingZoo's classic environments are an optional extra, and not installed")
    outcome = run("bench", "--against", "pettingzoo", "--rounds", "1", "--json")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    promises = promises_of(json.loads(outcome.stdout))
    ours = {game: target for (game, against), target in promises.items() if against != "the pure build"}
    assert ours == {"gold": 25, "crypt": None}
    (fastest,) = {against for _, against in promises if against != "the pure build"}
    assert fastest in {f"PettingZoo {name}, its fastest" for name in CLASSIC}


def test_the_fastest_is_the_one_that_makes_most_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not installed are passed over, and all are asked."""
    bench_pettingzoo = pytest.importorskip("polikarp.lab.bench_pettingzoo")
    paces = {"tictactoe_v3": 10.0, "rps_v2": 30.0, "go_v5": 20.0}

    def load(module: str) -> Any:
        name = module.rpartition(".")[2]
        if name not in paces:
            raise ImportError(name)
        return SimpleNamespace(env=lambda: name)

    monkeypatch.setattr(bench_pettingzoo, "import_module", load)
    monkeypatch.setattr(bench_pettingzoo, "stepped", lambda name, seconds: lambda: paces[name])
    name, run = bench_pettingzoo.fastest()
    assert (name, run()) == ("rps_v2", 30.0)
    paces.clear()
    with pytest.raises(ImportError):
        bench_pettingzoo.fastest()


@pytest.mark.parametrize(
    ("missing", "against", "message", "extra"),
    [
        ("pyspiel", "openspiel", "OpenSpiel is not installed", "polikarp[openspiel]"),
        ("pettingzoo", "pettingzoo", "PettingZoo's classic environments are not installed", "polikarp[bench]"),
        ("numpy", "pettingzoo", "PettingZoo's classic environments are not installed", "polikarp[bench]"),
    ],
)
def test_one_line_says_how_to_get_what_is_missing(
    surroundings: dict[str, str], missing: str, against: str, message: str, extra: str
) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; from polikarp.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "bench", "--against", against, "--rounds", "1"]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=PATIENCE)
    assert_refused(done, 2, message, f"pip install '{extra}'")
