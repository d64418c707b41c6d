"""`pickle` and `copy` for games, states, tables and chance: in one process, across processes, and refused where the
rules are others."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.saved import load_game
from polikarp.engine.state import playout
from polikarp.games import all_games, find_game
from polikarp.games.gold import GoldGame

GAMES = list(all_games().values())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_state_comes_back_as_it_was_and_plays_on_alike(game: Game) -> None:
    for seats, options in all_settings(game):
        for number, state in enumerate(walk(Setting(game, seats, options, "saved"))):
            if number % 11:
                continue
            for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), copy.copy(state)):
                assert twin.to_bytes() == state.to_bytes()
                assert type(twin) is type(state)
            sight = state.sight(0)
            assert pickle.loads(pickle.dumps(sight)).to_bytes() == sight.to_bytes()
            before, other = state.to_bytes(), copy.deepcopy(state)
            again = pickle.loads(pickle.dumps(state))
            assert playout(again, FastRng(number)) == playout(other, FastRng(number))
            assert again.to_bytes() == other.to_bytes()
            assert state.to_bytes() == before


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_table_comes_back_with_its_history(game: Game) -> None:
    table = game.deal(seed="saved")
    for _ in range(2):
        table.play(table.moves(table.waiting[0])[-1], table.waiting[0])
    for twin in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert twin.game is game
        assert twin.steps == table.steps
        assert twin.view(0) == table.view(0)
        seat = twin.waiting[0]
        move = twin.moves(seat)[0]
        copied = copy.deepcopy(table)
        assert twin.play(move, seat) == copied.play(move, seat)
        assert len(table.steps) == 2
        assert twin.state.to_bytes() == copied.state.to_bytes()


def test_a_timed_table_goes_on_with_its_time() -> None:
    table = pickle.loads(pickle.dumps(timed()))
    at = table.play_move(0, table.state.moves(0)[0]).at
    assert at is not None
    assert 5000 <= at < 100_000


def timed() -> object:
    from polikarp.engine.table import Table

    table = Table(find_game("leduc"), 2, seed=1, timed=True)
    assert table.began is not None
    table.began -= 5
    return table


def test_chance_draws_on_where_it_was() -> None:
    rng = FastRng("x")
    rng.below(10)
    twins = [pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)]
    drawn = [rng.below(1000) for _ in range(20)]
    assert all([twin.below(1000) for _ in range(20)] == drawn for twin in twins)


def test_a_state_goes_to_another_process_and_back(tmp_path: Path) -> None:
    crypt = find_game("crypt")
    state = crypt.start(3, {"collectors": "random"}, FastRng(4))
    (tmp_path / "here").write_bytes(pickle.dumps((state, crypt.deal(3, seed=4))))
    code = (
        "import pickle, sys; from polikarp.engine.rng import FastRng; from polikarp.engine.state import playout\n"
        "state, table = pickle.load(open('here', 'rb'))\n"
        "playout(state, FastRng('there')); table.play(table.moves()[0])\n"
        "pickle.dump((state, table), open('there', 'wb'))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    there, table = pickle.loads((tmp_path / "there").read_bytes())
    playout(state, FastRng("there"))
    assert there.to_bytes() == state.to_bytes()
    assert len(table.steps) == 1


def test_what_is_of_other_rules_is_refused(tmp_path: Path) -> None:
    gold = find_game("gold")
    with pytest.raises(UsageError, match=r"a pickle of gold is of the rules 0\+old, but here are the rules"):
        load_game("polikarp.games.gold", "gold", "0+old")
    with pytest.raises(UsageError, match=r"of the game chess, but there is no polikarp\.games\.chess here; install it"):
        load_game("polikarp.games.chess", "chess", "1")
    with pytest.raises(UsageError, match="gold with other data can not be pickled"):
        pickle.dumps(GoldGame().start(3, {}, FastRng(1)))
    assert pickle.loads(pickle.dumps(gold)) is gold
    assert copy.deepcopy(gold) is gold


def test_a_state_that_does_not_know_its_game_says_so() -> None:
    state = find_game("leduc").start(2, {}, FastRng(1))
    with pytest.raises(UsageError, match="pickle a copy of the other"):
        pickle.dumps(state.blank())
