"""The tree of Leduc poker, counted by another engine: what tests/test_leduc.py knows of it is true."""

from __future__ import annotations

import subprocess
import sys

from tests.test_leduc import TREE


def test_openspiel_counts_the_same_positions() -> None:
    assert openspiel_counts() == TREE


def openspiel_counts() -> list[int]:
    """Of its leduc_poker, in a process of its own."""
    script = """
import pyspiel
def counts(state, depth):
    found = [1] + [0] * depth
    for action in state.legal_actions() if depth and not state.is_terminal() else []:
        after = [state.child(action)]
        if after[0].is_chance_node():
            after = list({card // 2: after[0].child(card) for card, _ in after[0].chance_outcomes()}.values())
        for twin in after:
            found = [a + b for a, b in zip(found, [0] + counts(twin, depth - 1))]
    return found
state = pyspiel.load_game("leduc_poker").new_initial_state()
state.apply_action(4)
state.apply_action(0)
print(*counts(state, 8))
"""
    return [int(number) for number in subprocess.check_output([sys.executable, "-c", script], text=True).split()]
