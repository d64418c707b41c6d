"""Where the rules cut long moves: what is told between two cuts, in recorded games."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.record import replay
from polikarp.engine.rng import ScriptRng
from polikarp.games import all_games
from tests.test_playthroughs import GOLDEN, RECORDS, load

CASES = {
    ("crypt-3-B", 16): "done | discard_hidden | roll | collect | | torches round lay lay_hidden deck",
    ("crypt-3-B", 35): "done | discard | roll | collect collect_hidden see_card | | torches round lay lay_hidden deck "
    "| recover_self",
    ("crypt-3-B", -1): "done | discard discard_hidden free_recovery | roll | collect | | show | score win",
    ("crypt-1-A", 6): "done | ghost_roll ghost_push | free_recovery | | discard discard_hidden discard "
    "| torches_you round lay lay_hidden deck",
    ("crypt-1-A", 10): "done | ghost_roll ghost_aside | pass_self | | roll | collect collect_hidden see_card collect",
    ("crypt-1-A", 11): "turn_up reroll_tired | torches_ghost round lay lay_hidden deck | ghost_roll ghost_send "
    "| recover_self | ghost_rests | discard | | discard_hidden discard | torches_you round lay lay_hidden deck",
    ("gold-4-both", 10): "place | reveal beaten loot | reveal beaten loot_all | reveal by_order beaten loot "
    "| reveal by_order repelled | heal | home home_hand | round first guards deck order",
    ("gold-4-both", -1): "place | reveal beaten loot_all | reveal beaten loot | reveal beaten loot "
    "| reveal beaten loot_all | all_beaten | home home_hand | score win",
    ("melee-2-advanced", 7): "pass gain discard | season",
    ("melee-2-advanced", 12): "your_card reveal tax | reveal tax | income | season",
    ("melee-2-advanced", 37): "your_guess named_wrong | beaten camp move_in",
    ("melee-2-advanced", -1): "done | recruit_nothing | reveal_two no_chance | income | count win",
    ("melee-ending-castle", -1): "your_guess named_wrong | castle | win",
}


def parts(path: Path, at: int) -> str:
    """The events of a move with its cuts; those that are told several times one after another stand once."""
    record = load(path)
    table = replay(all_games()[record.game], record)
    step = table.steps[at]
    assert step.before is not None
    state = table.game.load(table.seats, step.before, table.options)
    log = state.play(step.seat, step.move, ScriptRng(step.drawn))
    keys = ["roll" if event.key in ("roll_kept", "roll_tired") else event.key for event in log.events]
    for cut in reversed(log.cuts):
        keys.insert(cut.told, "|")
    return " ".join(key for key, before in zip(keys, ["", *keys], strict=False) if key != before or key == "|")


@pytest.mark.parametrize(("name", "at"), CASES)
def test_where_moves_are_cut(name: str, at: int) -> None:
    assert parts(GOLDEN / f"{name}.json", at) == CASES[name, at]


def test_the_end_of_a_move_is_no_cut_and_monster_hunters_has_none() -> None:
    for record in map(load, RECORDS):
        table = replay(all_games()[record.game], record)
        for step in table.steps:
            assert step.before is not None
            state = table.game.load(table.seats, step.before, table.options)
            log = state.play(step.seat, step.move, ScriptRng(step.drawn))
            assert state.waiting or log.cuts or record.game == "hunters", "a game's end is shown part by part"
            assert all(cut.told < len(log.events) for cut in log.cuts)
            assert record.game != "hunters" or not log.cuts
