"""What lies on the table of Leduc poker, as data. Made from a seat's sight only."""

from __future__ import annotations

import msgspec

from polikarp.engine.phrase import Phrase
from polikarp.engine.state import first_seat
from polikarp.games.leduc.rules import RANKS, Leduc


class Board(msgspec.Struct, frozen=True):
    round: int
    hands: list[str | None]  # by seat: the rank, where the viewer knows it
    paid: list[int]
    open: str | None
    raises: int


def board_view(state: Leduc) -> Board:
    return Board(
        round=state.round,
        hands=[rank_name(state.hand[seat]) for seat in range(2)],
        paid=list(state.paid),
        open=rank_name(state.open),
        raises=state.raises,
    )


def rank_name(rank: int) -> str | None:
    return RANKS[rank] if rank >= 0 else None


def prompt_phrase(state: Leduc, seat: int) -> Phrase:
    if not state.waiting:
        return Phrase("over")
    player = first_seat(state.waiting)
    return Phrase("bet") if player == seat else Phrase("wait", {"waits_for": player})
