"""One source, two builds: the compiled and the pure build give the same positions, byte for byte."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polikarp
from polikarp.engine.build import COMPILED
from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.record import read_record, replay
from polikarp.engine.rng import FastRng
from polikarp.games import all_games

GOLDEN = Path(__file__).parent / "golden"
STATES = GOLDEN / "states.txt"


def test_this_is_the_build_that_was_asked_for() -> None:
    """`scripts/test` says which build it tests, so that one build is not tested twice by mistake."""
    assert os.environ.get("POLIKARP_EXPECT", "") in ("", "compiled" if COMPILED else "pure")


def recorded_states() -> str:
    """A line for each golden record: the digest of all its positions."""
    lines = []
    for path in sorted(GOLDEN.glob("*.json")):
        record = read_record(path.read_bytes())
        table = replay(all_games()[record.game], record)
        states = [*(step.before or b"" for step in table.steps), table.state.to_bytes()]
        digest = hashlib.sha256(b"".join(states)).hexdigest()
        lines.append(f"{path.stem} {len(states)} {digest}\n")
    return "".join(lines)


def random_states() -> str:
    """A line for each game and setting: the digest of a random game's positions, and of what seats see and imagine."""
    lines = []
    for game in all_games().values():
        for seats, options in all_settings(game):
            digest = hashlib.sha256()
            for state in walk(Setting(game, seats, options, "parity")):
                digest.update(state.to_bytes())
                for viewer in range(-1, seats):
                    digest.update(state.sight(viewer).to_bytes())
                    digest.update(state.imagine(viewer, FastRng(viewer)).to_bytes())
            lines.append(f"{game.id} {seats} {options} {digest.hexdigest()}\n")
    return "".join(lines)


def test_recorded_games_have_the_written_states() -> None:
    assert recorded_states() == STATES.read_text()


def test_the_pure_build_plays_the_same_games(tmp_path: Path) -> None:
    """The sources of this very package, run without their compiled parts."""
    shutil.copytree(
        Path(polikarp.__file__).parent, tmp_path / "polikarp", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.pyc")
    )
    script = "from tests.test_parity import *; assert not COMPILED; print(recorded_states() + random_states(), end='')"
    root = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), root])}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.stdout == recorded_states() + random_states()


if __name__ == "__main__":
    STATES.write_text(recorded_states())
