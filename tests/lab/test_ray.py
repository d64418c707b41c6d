"""Many machines: a Ray cluster of two nodes on this one, of which one is killed while it plays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.build import COMPILED
from tests.conftest import PROGRAM, Command, assert_refused

pytest.importorskip("ray", reason="Ray is an optional extra, and not installed")

DEALS = 2000 if COMPILED else 150  # some seconds of play
COMMAND = ("tournament", "crypt", "--seats", "3", "--bots", "greedy,random", "--seed", "7", "--deals", str(DEALS))
LONG = 180  # seconds: a node takes some to start on a busy machine

NODES = """
import json, sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
node = cluster.add_node(num_cpus=1)
raylet = node.all_processes["raylet"][0].process.pid
print(json.dumps({"address": cluster.address, "raylet": raylet}), flush=True)
for line in sys.stdin:
    if line == "kill\\n":
        cluster.remove_node(node, allow_graceful=False)
        print("killed", flush=True)
cluster.shutdown()
"""


class Nodes:
    """Two nodes, the second of which can be killed. They live in a process of their own, apart from pytest."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NODES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        told = self.told()
        self.address: str = told["address"]
        self.raylet: int = told["raylet"]

    def told(self) -> Any:
        assert self.process.stdout is not None
        return next(json.loads(line) for line in self.process.stdout if line.startswith("{"))

    def second_is_working(self) -> bool:
        """Ray names its workers after what they do; those of a node are its raylet's children."""
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(stat.read_text().rpartition(")")[2].split()[1])
                title = stat.with_name("cmdline").read_bytes()
            except OSError:
                continue
            if parent == self.raylet and title.startswith(b"ray::play_stint"):
                return True
        return False

    def kill_second(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("kill\n")
        self.process.stdin.flush()
        while self.process.stdout.readline() != "killed\n":
            assert self.process.poll() is None
        with pytest.raises(ProcessLookupError):
            os.kill(self.raylet, 0)

    def close(self) -> None:
        self.process.communicate(timeout=LONG)


@pytest.fixture
def nodes(surroundings: dict[str, str]) -> Iterator[Nodes]:
    nodes = Nodes({**surroundings, "RAY_USAGE_STATS_ENABLED": "0"})
    yield nodes
    nodes.close()


@pytest.mark.long
def test_a_cluster_that_loses_a_node_has_the_results_of_the_process_pool(
    nodes: Nodes, surroundings: dict[str, str], tmp_path: Path, run: Command
) -> None:
    journal = tmp_path / "deals.jsonl"
    command = [*PROGRAM, *COMMAND, "--json", "--journal", str(journal), "--on", f"ray://{nodes.address}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings) as process:
        end = time.monotonic() + LONG
        while not (journal.exists() and journal.read_bytes().count(b"\n") > DEALS // 20 and nodes.second_is_working()):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.02)
        nodes.kill_second()
        assert journal.read_bytes().count(b"\n") < DEALS * 0.9, "it was over too soon to kill anybody in the middle"
        stdout, stderr = process.communicate(timeout=LONG)
    assert process.returncode == 0, stderr.decode()
    assert "Traceback" not in stderr.decode()
    outcome = run(*COMMAND, "--json")
    assert outcome.returncode == 0
    assert json.loads(outcome.stdout)["deals"] == DEALS
    assert stdout.decode() == outcome.stdout


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1", "127.0.0.1:many", "127.0.0.1:99999999", "no host:1"])
def test_a_cluster_that_is_not_there_gets_one_line(address: str, call: Command) -> None:
    assert_refused(call(*COMMAND, "--on", f"ray://{address}"), 2, f"there is no Ray cluster at '{address}'")
