"""`polikarp serve` as it was before an upgrade: `python -m tests.server.older_rules KIND serve …`.

All that is older is Crypt, which has a lower version. Of the kind `alike` it is the same game otherwise. Of the kind
`other` chance means other things, so the same draws and moves lead elsewhere, and the deal tells something that the
words of today do not know.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from polikarp.cli import main
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import Rng
from polikarp.engine.state import Log, State
from polikarp.games import all_games
from polikarp.games.crypt import game

VERSION = 0
TOLD = "omen"  # which no words know


class Turned(Rng):
    """The same draws, one further."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng

    def below(self, bound: int) -> int:
        return (self.rng.below(bound) + 1) % bound


class Alike(type(game)):  # type: ignore[misc]
    version = VERSION


class Other(Alike):
    def start(self, seats: int, options: Mapping[str, OptionValue], rng: Rng, log: Log | None = None) -> State:
        state: State = super().start(seats, options, Turned(rng), log)
        if log is not None:
            log.tell(TOLD, {"seat": 0})
        return state


if __name__ == "__main__":
    kind, *args = sys.argv[1:]
    all_games()["crypt"] = {"alike": Alike, "other": Other}[kind]()
    sys.exit(main(args))
