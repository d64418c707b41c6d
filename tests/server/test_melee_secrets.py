"""melee.80 on the wire: bids, cards, stakes and values leave no trace in what others receive before they are shown.

Two tables are played alike but for one secret choice; all that the others get must be the same, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.house import open_house, run
from tests.server.test_secrets import Dealer, Twin, ask_everything, begin, dealt_with, settle, sit_down

__all__ = ["dealt_with"]

# Seat and move, from the deal on; seat 0 begins with this seed. The last one differs at the other table.
PRELUDE = [
    (0, "recruit soldier at R1"),
    (1, "recruit soldier at B1"),
    (0, "recruit knight at R0"),
    (1, "pass"),
    (0, "pass"),
]
TO_CARDS = [*PRELUDE, (0, "bid 1"), (1, "bid 0"), (0, "lead R")]
TO_ATTACK = [*TO_CARDS, (1, "choose tax"), (0, "choose attack"), (0, "use soldier at R1"), (0, "attack B1")]

RAID = [(0, "recruit knight at R1"), (1, "pass"), (0, "pass"), (0, "bid 1"), (1, "bid 0"), (0, "lead R")]
RAID += [(1, "choose tax"), (0, "choose attack"), (0, "use knight at R1"), (0, "go B1"), (0, "attack B0")]
TO_NAMING = [*RAID, (0, "stake 1")]  # in a castle two values are named, and the first is hidden until the second


async def play(twin: Twin, moves: list[tuple[int, str]], first: int) -> None:
    """Seats are counted from who begins, and colours with them."""
    for number, (place, text) in enumerate(moves):
        seat = (place + first) % 2
        move = text if first == 0 else text.translate(str.maketrans("RB", "BR"))
        prompt = twin.players[seat].seen[seat].update["prompt"]
        await twin.players[seat].do("move", id=f"move {number}", seat=seat, prompt=prompt, move=move)
        await settle(twin)


@pytest.mark.parametrize(
    ("moves", "place", "choices"),
    [
        (PRELUDE, 1, ("bid 0", "bid 7")),
        (TO_CARDS, 1, ("choose tax", "choose recruit")),
        (TO_ATTACK, 0, ("stake 1", "stake 4")),
        (TO_NAMING, 1, ("name 2", "name 5")),
    ],
    ids=["bid", "card", "stake", "guess"],
)
def test_a_secret_choice_does_not_show_in_any_byte(
    tmp_path: Path,
    dealt_with: Dealer,
    moves: list[tuple[int, str]],
    place: int,
    choices: tuple[str, str],
) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.hall.now = lambda: 1_000_000.0
            dealt_with(house, None)
            people = await house.guests(3)
            twins = []
            for choice in choices:
                twin = await sit_down(house, people[:2], people[2], "melee", 2)
                await begin(twin)
                first = twin.players[0].view(0)["waiting"][0]
                await play(twin, [*moves, (place, choice)], first)
                twins.append(twin)
            chooser = (place + first) % 2
            assert twins[0].received(chooser) != twins[1].received(chooser), "who chose knows"
            for viewer in (1 - chooser, None):
                for twin in twins:
                    await ask_everything(twin, viewer, people[2 if viewer is None else viewer])
                assert twins[0].received(viewer) == twins[1].received(viewer)
            for twin in twins:
                for player in twin.players.values():
                    await player.leave()

    run(story())
