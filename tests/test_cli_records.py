"""Records on the command line, in a process of its own: one that is broken ends it in peace, and one without end is not
read to its end. What holds of records is in tests/engine/test_record.py."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from polikarp.engine.record import LARGEST
from tests.conftest import PATIENCE, PROGRAM, Command, Outcome
from tests.engine.test_record import BROKEN, as_bytes, assert_does_not_hold

IN_A_PROCESS = """empty, binary, not UTF-8, deep lists, deep objects, deep field, one byte too many, newer format, NaN,
illegal move, far too many moves, seat 18446744073709551616, other scores""".replace("\n", " ").split(", ")


@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_a_broken_record_ends_the_process_in_peace(name: str, record_file: Path, run: Command, tmp_path: Path) -> None:
    damage, words = BROKEN[name]
    (tmp_path / "damaged.json").write_bytes(as_bytes(damage(json.loads(record_file.read_bytes()))))
    assert_does_not_hold(run("verify", "damaged.json"), *words)


def test_a_file_without_end_is_refused(surroundings: dict[str, str], tmp_path: Path) -> None:
    """No more is read than a record can have, and nothing is said of a size that nobody knows."""
    pipe = tmp_path / "damaged.json"
    os.mkfifo(pipe)
    command = [*PROGRAM, "replay", "damaged.json"]
    with Popen(command, cwd=tmp_path, env=surroundings, stdout=PIPE, stderr=PIPE, text=True) as process:
        written = 0
        with suppress(BrokenPipeError), pipe.open("wb", buffering=0) as file:
            while written < 4 * LARGEST:
                written += file.write(bytes(2**16))
        stdout, stderr = process.communicate(timeout=PATIENCE)
    assert LARGEST < written < 2 * LARGEST
    assert_does_not_hold(Outcome(command, process.returncode, stdout, stderr), str(LARGEST))
    assert str(LARGEST + 1) not in stderr
