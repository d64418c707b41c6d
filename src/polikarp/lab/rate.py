"""How fast something is: work per CPU second."""

from __future__ import annotations

import time
from collections.abc import Callable

Run = Callable[[], float]  # does some work; says the work done per CPU second


def rate(work: Callable[[], int]) -> float:
    """Of work that says how much it was."""
    began = time.process_time()
    done = work()
    return done / (time.process_time() - began)
