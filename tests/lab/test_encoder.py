"""Features of observations: from 0 to 1, all that the observation says, and the same for a batch as one by one."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from polikarp.engine.conformance import Setting, walk
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.games import all_games, find_game
from polikarp.lab.batch import Batch
from polikarp.lab.bench_batch import any_moves
from polikarp.lab.encoder import Encoder
from polikarp.lab.rows import sight_row

GAMES = list(all_games().values())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_features_tell_apart_what_observations_tell_apart(game: Game) -> None:
    seats = game.seats[-1]
    encoder = Encoder(game, seats)
    seen: dict[tuple[int, ...], bytes] = {}
    for state in islice(walk(Setting(game, seats, {}, "features")), None, None, 3):
        for seat in range(seats):
            row = tuple(map(int, sight_row(state, seat)))
            features = encoder.encode(np.array(row))
            assert features.dtype == np.float32
            assert features.shape == (len(encoder.names),)
            assert 0 <= features.min() <= features.max() <= 1
            seen[row] = bytes([seat]) + features.tobytes()
    assert len(set(seen.values())) == len(seen) > 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_batch_is_encoded_at_once(game: Game) -> None:
    seats = game.seats[-1]
    encoder, batch = Encoder(game, seats), Batch(game, seats, 7, seed=1)
    rng = np.random.default_rng(1)
    for _ in range(20):
        batch.step(any_moves(batch.mask, rng))
    together = encoder.encode(batch.observation)
    assert together.shape == (7, len(encoder.names))
    assert (together == [encoder.encode(row) for row in batch.observation]).all()


def test_a_hand_is_ones_own_and_anothers_is_hidden() -> None:
    leduc = find_game("leduc")
    encoder, batch = Encoder(leduc, 2), Batch(leduc, 2, 50, seed=1)
    batch.step(np.full(50, leduc.parse("call")))
    assert set(batch.actor) == {1}
    features = encoder.encode(batch.observation)
    mine = [encoder.names.index(f"hand.+0.{rank}") for rank in ("jack", "queen", "king")]
    theirs = [encoder.names.index(f"hand.+1.{rank}") for rank in ("jack", "queen", "king")]
    assert (features[:, mine].sum(axis=1) == 1).all()
    assert not features[:, theirs].any()
    hands = batch.observation[:, [column.name for column in leduc.observation_spec(2).columns].index("hand.1")]
    assert (features[:, mine].argmax(axis=1) == hands).all()


def test_an_observation_of_another_game_is_refused() -> None:
    with pytest.raises(UsageError, match="an observation has 11 numbers here, not 3"):
        Encoder(find_game("leduc"), 2).encode(np.zeros(3, np.int64))
