"""Every game as an OpenSpiel game: by OpenSpiel's own test, and with numbers that OpenSpiel knows by itself."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from polikarp.engine.game import Game
from polikarp.games import all_games, find_game

pytest.importorskip("pyspiel", reason="OpenSpiel is an optional extra, and not installed")

import pyspiel
from open_spiel.python.algorithms import exploitability, ismcts, mcts
from open_spiel.python.policy import UniformRandomPolicy

from polikarp.lab.openspiel_game import TableGame, TableState

SETTINGS = [(game, seats) for game in all_games().values() for seats in (game.seats[0], game.seats[-1])]


def dealt(game: TableGame, seed: int) -> TableState:
    """The first decision of a game."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(int(rng.integers(len(state.chance_outcomes()))))
    return state


@pytest.mark.parametrize(("game", "seats"), SETTINGS, ids=lambda value: getattr(value, "id", str(value)))
def test_a_game_holds_what_openspiel_asks(game: Game, seats: int) -> None:
    pyspiel.random_sim_test(TableGame(game, seats), num_sims=1, serialize=False, verbose=False)


def test_leduc_is_as_exploitable_as_openspiels_own() -> None:
    """So its tree is the same: every deal with its odds, every bet, every situation that a player can tell apart."""
    ours = TableGame(find_game("leduc"), 2, reward="score")
    theirs = pyspiel.load_game("leduc_poker")
    known = exploitability.nash_conv(theirs, UniformRandomPolicy(theirs))
    assert exploitability.nash_conv(ours, UniformRandomPolicy(ours)) == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize(("game", "seats"), SETTINGS, ids=lambda value: getattr(value, "id", str(value)))
def test_every_draw_is_as_likely_as_any_other(game: Game, seats: int) -> None:
    """As the rules draw: a whole number below a bound, which the deal and the moves of random play ask for."""
    rng = np.random.default_rng(5)
    state = TableGame(game, seats).new_initial_state()
    draws = 0
    for _ in range(200):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert len(outcomes) > 1
            assert [outcome for outcome, _ in outcomes] == list(range(len(outcomes)))
            assert [share for _, share in outcomes] == pytest.approx([1 / len(outcomes)] * len(outcomes))
            draws += 1
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert draws


def test_deals_are_as_likely_as_with_cards() -> None:
    """In Leduc poker: two of each of three ranks, so that the second player's card is the first one's in 1 of 5."""
    chances: dict[tuple[str, str], float] = {}

    def follow(state: TableState, chance: float) -> None:
        if state.is_chance_node():
            for outcome, share in state.chance_outcomes():
                follow(state.child(outcome), chance * share)
        else:
            hands = (state.information_state_string(0), state.information_state_string(1))
            chances[hands] = chances.get(hands, 0.0) + chance

    follow(TableGame(find_game("leduc"), 2).new_initial_state(), 1.0)
    assert sorted(chances.values()) == pytest.approx(3 * [1 / 15] + 6 * [2 / 15])


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_ismcts_plays_any_game(game: Game) -> None:
    table = TableGame(game, max(2, game.seats[0]))
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(table, mcts.RandomRolloutEvaluator(1, rng), 2.0, 4, random_state=rng)
    state = dealt(table, 1)
    for _ in range(3):
        if state.is_terminal():
            break
        move = bot.step(state)
        assert move in state.legal_actions()
        state.apply_action(move)
        while state.is_chance_node():
            state.apply_action(0)


def test_what_is_imagined_looks_the_same_to_who_imagines() -> None:
    state = dealt(TableGame(find_game("leduc"), 2), 3)
    hands = set()
    for number in range(20):
        other = state.resample_from_infostate(0, partial(float, number))
        assert other.information_state_string(0) == state.information_state_string(0)
        hands.add(other.position.state.sight(1).to_bytes())
    assert len(hands) == 3
    assert state.observation_tensor(0)[0] == 0
    assert state.observation_tensor(1)[0] == 1


def test_a_player_tells_apart_what_it_sees_and_nothing_else() -> None:
    """After the deal of Leduc poker: one of three ranks."""
    game = TableGame(find_game("leduc"), 2)
    assert len({dealt(game, seed).information_state_string(0) for seed in range(30)}) == 3


def test_a_player_remembers_the_way_there() -> None:
    """Check, raise, call costs as much as raise, call: the position is the same, but not what was seen of it."""
    one, other = (dealt(TableGame(find_game("leduc"), 2), 3) for _ in range(2))
    for state, moves in ((one, (2, 1)), (other, (1, 2, 1))):
        for move in moves:
            state.apply_action(move)
        state.apply_action(0)
    assert one.observation_string(0) == other.observation_string(0)
    assert one.information_state_string(0) != other.information_state_string(0)


def test_where_the_first_counts_a_hidden_choice_is_any_to_the_others() -> None:
    """Whoever is asked later in a round does not know what was chosen before, and resampling does not tell."""
    hunters = find_game("hunters")
    flip, slap = hunters.parse("flip"), hunters.parse("slap 1")
    state = dealt(TableGame(hunters, 2, options={"first": "1"}), 1)
    state.apply_action(flip)
    other = state.clone()
    assert state.current_player() == 0
    state.apply_action(slap)
    other.apply_action(hunters.parse("pass"))
    assert state.current_player() == other.current_player() == 1
    assert state.information_state_string(1) == other.information_state_string(1)
    rng = np.random.default_rng(2)
    drawn = [state.resample_from_infostate(1, rng.random).position.round for _ in range(60)]
    chosen = {asked.chosen[0] for asked in drawn if asked is not None}
    assert chosen == {hunters.parse(text) for text in ("pass", "slap 1", "slap 2", "slap 3")}
