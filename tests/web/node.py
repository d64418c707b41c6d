"""Runs what the client is made of outside of a browser, in Node.js."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def bundled(name: str, place: Path) -> Path:
    """A module of the client with all that it imports, as one file."""
    made = place / f"{Path(name).stem}.mjs"
    source = ROOT / "src" / "polikarp" / "web" / "client" / name
    esbuild = ROOT / "node_modules" / ".bin" / "esbuild"
    options = ["--bundle", "--format=esm", f"--outfile={made}", "--log-level=error"]
    subprocess.run([str(esbuild), str(source), *options], check=True)
    return made


def answers(script: str, files: Iterable[Path], cases: Iterable[Any], complaint: str = "") -> list[Any]:
    """What a script of this folder answers to cases, a line of JSON to each. It must complain only as it should."""
    node = shutil.which("node") or str(ROOT / ".venv-node" / "bin" / "node")
    command = [node, str(HERE / script), *map(str, files)]
    lines = b"\n".join(msgspec.json.encode(case) for case in cases)
    done = subprocess.run(command, input=lines, capture_output=True, check=False)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert complaint in said if complaint else said == "", said
    return [msgspec.json.decode(line) for line in done.stdout.splitlines()]
