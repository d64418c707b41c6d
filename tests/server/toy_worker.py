"""A bot worker that also knows the game of bids."""

from polikarp.games import all_games
from polikarp.server.bots.worker import main
from tests.server.bids import BidsGame

if __name__ == "__main__":
    all_games()["bids"] = BidsGame()
    main()
