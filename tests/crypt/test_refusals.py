"""Why a move is refused: the number of the rule, a key, and the numbers that make it so. One position for every key."""

from __future__ import annotations

import pytest

from polikarp.engine.phrase import Arg, Refusal, Refused
from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.games.crypt import game
from polikarp.games.crypt.rules import Crypt

from .positions import any_move, finish, play, position, why_not

POTTERY = ["pottery 1", "pottery 2"]


def pottery_window() -> Crypt:
    """Seat 0 of three is asked whether to use Pottery B."""
    return position(3, side_b="pottery", hands={0: POTTERY})


def statue_window() -> Crypt:
    """Seat 0 of three is asked whether to use Statue A: its 5 failed, its 2 did not."""
    state = position(3, turn=2, hands={0: ["statue 1"]}, held={"A": (0, 1, 5), "B": (0, 1, 2)})
    play(state, 2, "recover", rolls=[1, 2])
    return state


def test_not_your_turn() -> None:
    """crypt.12, crypt.44B, crypt.41A: the rule tells in which phase the game waits, and for whom."""
    for state, rule in [(position(3), "crypt.12"), (pottery_window(), "crypt.44B"), (statue_window(), "crypt.41A")]:
        for move in ("done", "recover", "send 1x1 at A", "take D", "reroll 5"):
            assert why_not(state, 1, move) == Refusal(rule, "not_your_turn", {"waits_for": 0})


def test_window_first() -> None:
    """crypt.12: servants are sent and recovered in the Servants phase, not in a collector's window."""
    for move in ("recover", "send 1x1 at A"):
        assert why_not(pottery_window(), 0, move) == Refusal("crypt.12", "window_first", {"phase": "pottery"})
        assert why_not(statue_window(), 0, move) == Refusal("crypt.12", "window_first", {"phase": "statues"})


def test_nothing_sent() -> None:
    """crypt.13: a send has at least one die."""
    assert why_not(position(3), 0, "done") == Refusal("crypt.13", "nothing_sent")


def test_already_sending() -> None:
    """crypt.12: to send or to recover, not both."""
    state = position(3, tired={0: 1})
    play(state, 0, "send 1x1 at A")
    assert why_not(state, 0, "recover") == Refusal("crypt.12", "already_sending")


def test_no_treasure_to_send_to() -> None:
    """crypt.13: a slot that this number of players does not have, or that Pottery B emptied."""
    assert why_not(position(3), 0, "send 1x1 at E") == Refusal("crypt.13", "no_treasure", {"slot": "E"})
    state = pottery_window()
    play(state, 0, "take D")
    assert why_not(state, 0, "send 1x1 at D") == Refusal("crypt.13", "no_treasure", {"slot": "D"})


def test_one_group() -> None:
    """crypt.13: one group a treasure in one send."""
    state = position(3)
    play(state, 0, "send 1x1 at A")
    assert why_not(state, 0, "send 1x6 at A") == Refusal("crypt.13", "one_group", {"slot": "A"})


def test_one_treasure() -> None:
    """crypt.15: who acts last sends to one treasure only."""
    state = position(3, turn=2)
    play(state, 2, "send 1x1 at A")
    assert why_not(state, 2, "send 1x6 at B") == Refusal("crypt.15", "one_treasure")


def test_too_few_dice() -> None:
    """crypt.13, crypt.17: only ready dice are sent; those that a send would push off are not ready for it."""
    refusal = Refusal("crypt.13", "too_few_dice", {"have": 1, "need": 3})
    assert why_not(position(3, tired={0: 2}), 0, "send 3x1 at A") == refusal
    assert why_not(position(2, turn=2, held={"A": (0, 2, 1)}), 0, "send 3x1 at A") == refusal


def test_too_low() -> None:
    """crypt.14, crypt.17: the total must be higher than what holds the treasure, another's dice or one's own."""
    numbers: dict[str, Arg] = {"slot": "A", "total": 4, "held": 4}
    others = position(2, turn=2, held={"A": (1, 1, 4)})
    assert why_not(others, 0, "send 2x2 at A") == Refusal("crypt.14", "too_low", numbers)
    own = position(2, turn=2, held={"A": (0, 1, 4)})
    assert why_not(own, 0, "send 2x2 at A") == Refusal("crypt.17", "too_low", numbers)


def test_too_few_down() -> None:
    """crypt.40: a collector is paid with cards that still lie face down."""
    looks = position(3, side_b="manuscript", hands={0: ["manuscript 1 turned"]})
    lacking: dict[str, Arg] = {"kind": "manuscript", "have": 0, "need": 1}
    assert why_not(looks, 0, "look") == Refusal("crypt.40", "too_few_down", lacking)
    revives = position(3, hands={0: ["remains 1", "remains 2 turned"]}, tired={0: 1})
    lacking = {"kind": "remains", "have": 1, "need": 2}
    assert why_not(revives, 0, "revive") == Refusal("crypt.40", "too_few_down", lacking)


@pytest.mark.parametrize(
    ("side_b", "move", "rule", "kind", "side"),
    [
        ("", "look", "crypt.43B", "manuscript", "B"),
        ("remains", "revive", "crypt.45A", "remains", "A"),
        ("statue", "reroll 3", "crypt.41A", "statue", "A"),
        ("", "take D", "crypt.44B", "pottery", "B"),
    ],
)
def test_other_side(side_b: str, move: str, rule: str, kind: str, side: str) -> None:
    """crypt.41A, crypt.43B, crypt.44B, crypt.45A: what the side in use does not give."""
    state = position(3, side_b=side_b)
    assert why_not(state, 0, move) == Refusal(rule, "other_side", {"kind": kind, "side": side})


def test_nothing_to_look_at() -> None:
    """crypt.43B: who has seen all face-down cards is not sold another look."""
    state = position(3, side_b="manuscript", hands={0: ["manuscript 1", "manuscript 2"]})
    play(state, 0, "look")
    assert why_not(state, 0, "look") == Refusal("crypt.43B", "nothing_to_look_at")


def test_nobody_tired() -> None:
    """crypt.45A: only an exhausted die can be revived."""
    state = position(3, hands={0: ["remains 1", "remains 2"]})
    assert why_not(state, 0, "revive") == Refusal("crypt.45A", "nobody_tired")


def test_only_after_rolls() -> None:
    """crypt.41A: Statue A is for collecting."""
    state = position(3, hands={0: ["statue 1"]}, tired={0: 1})
    assert why_not(state, 0, "reroll 5") == Refusal("crypt.41A", "only_after_rolls")


def test_no_failed_die() -> None:
    """crypt.41A: no die failed that showed this value."""
    assert why_not(statue_window(), 0, "reroll 2") == Refusal("crypt.41A", "no_failed_die", {"shows": 2})
    assert why_not(statue_window(), 0, "reroll 5") is None


def test_only_before_servants() -> None:
    """crypt.44B: Pottery B is for the time between Reveal and Servants."""
    state = pottery_window()
    play(state, 0, "done")
    assert why_not(state, 0, "take D") == Refusal("crypt.44B", "only_before_servants")


def test_no_treasure_to_take() -> None:
    """crypt.44B: the slot is empty or does not exist."""
    state = position(4, side_b="pottery", hands={0: [*POTTERY, "pottery 3", "pottery 4"]})
    play(state, 0, "take E")
    assert why_not(state, 0, "take E") == Refusal("crypt.44B", "no_treasure", {"slot": "E"})
    assert why_not(pottery_window(), 0, "take F") == Refusal("crypt.44B", "no_treasure", {"slot": "F"})


def test_face_up() -> None:
    """crypt.44B: only face-down cards are taken."""
    assert why_not(pottery_window(), 0, "take A") == Refusal("crypt.44B", "face_up", {"slot": "A"})


def test_seats_and_moves_that_do_not_exist() -> None:
    """The engine's own refusals, which no rule of the game is needed for."""
    state = position(3)
    assert state.why_not(3, 1) == Refusal("", "no_such_seat", {"number": 3, "seats": 3})
    assert state.why_not(0, 124) == Refusal("", "no_such_move", {"move": 124})


def test_game_over() -> None:
    """crypt.30: after the last round there is no move."""
    state = position(2, hands={0: ["statue 4"]}, last=True)
    finish(state)
    for seat in (0, 1):
        assert why_not(state, seat, "recover") == Refusal("", "game_over")


def test_a_refused_move_changes_nothing() -> None:
    """crypt.14: `play` raises what `why_not` says, and the position stays as it was."""
    state = position(3, turn=1, held={"A": (0, 1, 5)})
    before = state.to_bytes()
    with pytest.raises(Refused) as raised:
        state.play(1, game.parse("send 1x5 at A"), ScriptRng([]))
    assert raised.value.refusal == why_not(state, 1, "send 1x5 at A")
    assert state.to_bytes() == before


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_a_move_is_refused_if_and_only_if_it_is_not_listed(seats: int) -> None:
    """crypt.12, crypt.47: through whole games, for every seat and every move that can be written."""
    for sides in ("ABBBAA", "BBABBB"):
        rng = FastRng(f"refusals {seats} {sides}")
        state = game.start(seats, {"collectors": sides}, rng)
        while state.waiting:
            for seat in range(seats):
                allowed = [move for move in range(state.move_count()) if state.why_not(seat, move) is None]
                assert allowed == sorted(state.moves(seat))
            seat, move = any_move(state, rng)
            state.play(seat, move, rng)
