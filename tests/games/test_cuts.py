"""Where the rules cut long moves: what is told between two cuts, in recorded games."""

from __future__ import annotations

from typing import Any

import pytest

from polikarp.engine.record import replay
from polikarp.engine.rng import ScriptRng
from polikarp.engine.state import WATCHER, Log
from polikarp.engine.table import Step, Table
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


def played(table: Table, step: Step) -> Log:
    """What happened in a step of a game, with its cuts."""
    assert step.before is not None
    state = table.game.load(table.seats, step.before, table.options)
    return state.play(step.seat, step.move, ScriptRng(step.drawn))


def table_of(name: str) -> Table:
    record = load(GOLDEN / f"{name}.json")
    return replay(all_games()[record.game], record)


def parts(name: str, at: int) -> str:
    """The events of a move with its cuts; those that are told several times one after another stand once."""
    table = table_of(name)
    log = played(table, table.steps[at])
    keys = ["roll" if event.key in ("roll_kept", "roll_tired") else event.key for event in log.events]
    for cut in reversed(log.cuts):
        keys.insert(cut.told, "|")
    return " ".join(key for key, before in zip(keys, ["", *keys], strict=False) if key != before or key == "|")


@pytest.mark.parametrize(("name", "at"), CASES)
def test_where_moves_are_cut(name: str, at: int) -> None:
    assert parts(name, at) == CASES[name, at]


def boards(name: str, at: int) -> list[Any]:
    """What a watcher sees at each cut of a move."""
    table = table_of(name)
    cuts = played(table, table.steps[at]).cuts
    sights = [table.game.load(table.seats, cut.state, table.options).sight(WATCHER) for cut in cuts]
    return [table.game.seen_board(sight, WATCHER, table.factions) for sight in sights]


def test_what_was_told_can_be_seen_at_the_cut() -> None:
    """Rolled dice lie on their treasures until these are taken, a raid grows guard by guard, monsters go home, cards
    that were turned up stay up, and a stake that was shown is no secret."""
    _done, _discarded, rolls, taken, _awards = boards("crypt-3-B", 16)
    assert [(one.slot, one.rolled) for one in rolls.collected] == [(one.slot, one.rolled) for one in taken.collected]
    assert (rolls.crypt, [heir.away for heir in rolls.heirs]) == ([], [0, 0, 0])
    assert sum(len(heir.collection) for heir in taken.heirs) == sum(len(heir.collection) for heir in rolls.heirs) + 3
    full, *fights, healed, home = boards("gold-4-both", 10)
    assert full.fight is None
    outcomes = [[field.outcome for field in fight.fight.fields].count("unfought") for fight in fights]
    assert outcomes == [3, 2, 1, 0]
    assert (sum(fights[-1].fight.paid), sum(healed.fight.paid) > 0) == (0, True)
    assert [player.placed for player in healed.players] == [2] * 4
    assert [(player.placed, len(player.aside), None in player.hand) for player in home.players] == [(0, 2, False)] * 4
    first, second, _income = boards("melee-2-advanced", 12)
    assert sorted([len(lord.cards) for lord in first.lords]) == [0, 1]
    assert [len(lord.cards) for lord in second.lords] == [1, 1]
    (shown,) = boards("melee-2-advanced", 37)
    assert (shown.duel, shown.last_duel.outcome) == (None, "won")


def test_the_end_of_a_move_is_no_cut_and_monster_hunters_has_none() -> None:
    for record in map(load, RECORDS):
        table = replay(all_games()[record.game], record)
        for step in table.steps:
            log = played(table, step)
            assert all(cut.told < len(log.events) for cut in log.cuts)
            assert record.game != "hunters" or not log.cuts
