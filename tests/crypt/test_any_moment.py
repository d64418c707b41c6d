"""Rights that need no turn: Manuscript B and Remains A. Nobody waits for them, and they disturb nobody."""

from __future__ import annotations

from polikarp.engine.state import seats_of

from .positions import board, crypt_texts, dice, keys, moves, play, position, send, sends, waits_for

REMAINS = ["remains 1", "remains 2"]


def test_a_die_is_revived_while_another_player_is_waited_for() -> None:
    """crypt.47: out of turn, with the game still waiting for the same player."""
    state = position(3, hands={2: REMAINS}, tired={2: 1})
    assert moves(state, 2) == ["revive"]
    assert moves(state, 1) == []
    log = play(state, 2, "revive")
    assert keys(log) == ["turn_up", "turn_up", "revive"]
    assert dice(state, 2) == (3, 0)
    assert waits_for(state) == 0
    assert moves(state, 2) == []


def test_the_crypt_is_looked_at_while_another_player_is_waited_for() -> None:
    """crypt.47: out of turn, with the game still waiting for the same player."""
    state = position(2, side_b="manuscript", crypt=["statue 4", "pottery 2", "remains 3"], hands={1: ["manuscript 1"]})
    assert moves(state, 1) == ["look"]
    play(state, 1, "look")
    assert crypt_texts(state, 1) == ["statue 4", "pottery 2", "remains 3"]
    assert crypt_texts(state, 0) == ["statue 4", "pottery 2", "remains ?"]
    assert waits_for(state) == 0


def test_rights_are_open_between_the_parts_of_ones_own_send() -> None:
    """crypt.47: having sent a first group, one may look and revive, and then send on."""
    state = position(3, side_b="manuscript", hands={0: [*REMAINS, "manuscript 4"]}, tired={0: 1})
    play(state, 0, "send 2x3 at A")
    assert moves(state, 0) == ["look", "revive", "done"]
    play(state, 0, "look")
    play(state, 0, "revive")
    assert waits_for(state) == 0
    send(state, 0, "1x2 at B")
    assert waits_for(state) == 1


def test_rights_are_open_between_the_parts_of_anothers_send() -> None:
    """crypt.47: the sender goes on where they were."""
    state = position(3, hands={1: REMAINS}, tired={1: 1})
    play(state, 0, "send 1x3 at A")
    play(state, 1, "revive")
    assert sends(state, 0, "A") == []
    assert "2x6 at B" in sends(state, 0)


def test_rights_are_open_in_a_pottery_window() -> None:
    """crypt.47: the game waits for one player's Pottery B, another looks and revives, and the window stays open."""
    state = position(
        3,
        side_b="pottery manuscript",
        crypt=["statue 4", "jewellery 2", "remains 3", "tapestry 1"],
        hands={0: ["pottery 1", "pottery 2"], 1: [*REMAINS, "manuscript 1"]},
        tired={1: 1},
    )
    assert board(state).phase == "pottery"
    assert moves(state, 1) == ["look", "revive"]
    play(state, 1, "revive")
    play(state, 1, "look")
    assert board(state).phase == "pottery"
    assert waits_for(state) == 0
    assert moves(state, 0) == ["done", "take D"]


def test_rights_are_open_in_a_statue_window() -> None:
    """crypt.47: the game waits for one player's Statue A, another revives, and the window stays open."""
    state = position(
        3, turn=2, hands={0: ["statue 1"], 1: REMAINS}, held={"A": (0, 1, 6), "B": (1, 1, 1)}, tired={1: 2}
    )
    play(state, 2, "recover", rolls=[1])
    assert board(state).phase == "statues"
    assert moves(state, 1) == ["revive"]
    play(state, 1, "revive")
    assert dice(state, 1) == (2, 1)
    assert waits_for(state) == 0
    assert moves(state, 0) == ["done", "reroll 6"]


def test_nobody_waits_for_a_right() -> None:
    """crypt.47: who has only a right can act, but the game goes on without it."""
    state = position(3, hands={2: REMAINS}, tired={2: 1})
    assert seats_of(state.waiting) == [0]
    assert seats_of(state.acting()) == [0, 2]
    play(state, 0, "recover")
    assert seats_of(state.waiting) == [1]
