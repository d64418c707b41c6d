"""`polikarp serve` with no rest after a taking (hunters.31), for tests in which many monsters are taken."""

import sys

from polikarp.cli import main
from polikarp.games.hunters import game

HASTY = (sys.executable, "-m", "tests.server.hasty", "serve")

if __name__ == "__main__":
    game.rest = 0.0
    sys.exit(main())
