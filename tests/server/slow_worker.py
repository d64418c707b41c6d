"""A bot worker whose bots misbehave: `python slow_worker.py FOLDER`.

It is the real program with one more game, `toy`: Crypt with bots that hang, crash, print and raise. They tell what
they do by files in the folder, and wait there for a word of the test.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games import all_games
from polikarp.games.crypt import CryptGame
from polikarp.server.bots.worker import main

FOLDER = Path(sys.argv[1])


def first_time(name: str) -> bool:
    """Whether no bot of this name has thought here before."""
    try:
        (FOLDER / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class Quick(Bot):
    """Its move is the number of its process."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return os.getpid()


class Eager(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return seat

    def volunteer(self, sight: State, seat: int, rng: Rng) -> int:
        return 100 + seat


class Slow(Quick):
    """Thinks until the test writes the file `go`."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        (FOLDER / f"thinking-{os.getpid()}").touch()
        while not (FOLDER / "go").exists():
            time.sleep(0.01)
        return os.getpid()


class Stuck(Bot):
    """Never comes to an end, and lets no other thread of the process run."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        (FOLDER / f"thinking-{os.getpid()}").touch()
        return sum(range(10**18))


class StuckOnce(Stuck):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return super().choose(sight, seat, rng) if first_time("stuck") else os.getpid()


class Crashing(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        os._exit(3)


class CrashingOnce(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return os._exit(3) if first_time("crashed") else os.getpid()


class Raising(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        raise RuntimeError("no idea" * 100_000)


class Leaving(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        sys.exit("good bye")


class Wordy(Bot):
    """No move at all, but something that looks like one."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return "pass"  # type: ignore[return-value]


class Huge(Bot):
    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return 1 << 100


class Printing(Bot):
    """Writes wherever it can, and takes what it can read."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        print("I print")
        os.write(1, b"I write\n")
        assert sys.stdin.read() == ""
        return os.getpid()


class Littering(Bot):
    """Leaves a thread behind that never ends."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        threading.Thread(target=threading.Event().wait).start()
        return os.getpid()


class ToyBots(CryptGame):
    id = "toy"

    def bots(self) -> dict[str, type[Bot]]:
        return {
            "quick": Quick,
            "eager": Eager,
            "slow": Slow,
            "stuck": Stuck,
            "stuck_once": StuckOnce,
            "crashing": Crashing,
            "crashing_once": CrashingOnce,
            "raising": Raising,
            "leaving": Leaving,
            "wordy": Wordy,
            "huge": Huge,
            "printing": Printing,
            "littering": Littering,
        }


if __name__ == "__main__":
    all_games()["toy"] = ToyBots()
    (FOLDER / f"started-{os.getpid()}").touch()
    main()
