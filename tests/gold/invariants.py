"""What holds in every position of Heroes' Gold. `scripts/fuzz` asks it of every position too."""

from __future__ import annotations

from polikarp.engine.state import State
from polikarp.games.gold.cards import count_bits
from polikarp.games.gold.rules import ALL_MONSTERS, EMPTY, Gold


def check_state(state: State) -> None:
    """gold.6, gold.7, gold.8, gold.18, gold.25: gold is only moved, and nobody has less than none; everybody has five
    monsters, three of them in hand or castle; and who has two in the castle is not asked."""
    assert isinstance(state, Gold)
    assert sum(state.gold) + state.treasury == 0
    assert min(state.gold) >= 0
    for seat in range(state.seats):
        slots = [slot for slot in range(state.slots) if state.monster[slot] != EMPTY and state.owner[slot] == seat]
        castle = sum(1 << state.monster[slot] for slot in slots)
        assert state.hand[seat] | state.aside[seat] | castle == ALL_MONSTERS
        assert count_bits(state.hand[seat]) + len(slots) == 3
        assert count_bits(state.aside[seat]) == 2
        assert len(slots) == state.placed[seat] <= 2
        assert state.placed[seat] < 2 or not state.waiting >> seat & 1
