"""Phases 2 and 3: guards from the gate on, loot, the first defeat, healing, the next round and the end."""

from __future__ import annotations

from polikarp.engine.phrase import Arg
from polikarp.engine.rng import FastRng
from polikarp.engine.state import EVERYONE, Log, playout
from polikarp.games.gold import game
from polikarp.games.gold.rules import Gold
from tests.gold.invariants import check_state
from tests.gold.positions import (
    before_fight,
    board,
    fight,
    gained,
    hand,
    keys,
    moves,
    play,
    position,
    told,
    waits_for,
)

WEAK = ("* 3/3", "* 3/4", "* 3/5")  # any two monsters beat them but two ones
STRONG = "*** 9/14"
FIELDS = ("0:3 1:4", "1:5 2:4", "2:3 0:5")


def shares(log: Log) -> list[tuple[Arg, Arg]]:
    return [(args["seat"], args["coins"]) for args in told(log, "loot")]


def test_guards_are_met_from_the_gate_on() -> None:
    """gold.20"""
    _, log = fight(FIELDS, WEAK)
    assert [args["field"] for args in told(log, "reveal")] == [1, 2, 3]
    assert [(args["printed"], args["loot"]) for args in told(log, "reveal")] == [(3, 3), (3, 4), (3, 5)]
    assert [(args["sum"], args["power"]) for args in told(log, "beaten")] == [(7, 3), (9, 3), (8, 3)]
    assert log.sealed


def test_an_equal_sum_beats_a_guard_and_one_less_does_not() -> None:
    """gold.20; the book's example of a guard of 9 whose monsters are too weak."""
    _, log = fight(("0:4 1:5", "1:4 2:4", "2:3 0:5"), (STRONG, *WEAK[1:]))
    assert len(told(log, "beaten")) == 3
    state, log = fight(("0:4 1:4", "1:5 2:4", "2:3 0:5"), (STRONG, *WEAK[1:]))
    assert told(log, "repelled") == [{"field": 1, "sum": 8, "power": 9}]
    assert told(log, "loot") == []
    assert state.shown[0] == 1


def test_the_odd_coin_goes_to_the_stronger_monster() -> None:
    """gold.21: the book's example: of a loot of 11, 6 to the stronger and 5 to the other."""
    _, log = fight(("0:2 1:4", "1:5 2:4", "2:3 0:5"), ("*** 6/10", "** 3/7", "* 3/4"))
    assert shares(log) == [
        (0, 5),
        (1, 5),
        (1, 4),
        (2, 3),
        (2, 2),
        (0, 2),
    ]
    _, log = fight(("0:1 1:5", "1:3 2:4", "2:3 0:5"), ("*** 5/11", "** 3/7", "* 3/4"))
    assert shares(log)[:4] == [(0, 5), (1, 6), (1, 3), (2, 4)]


def test_nobody_gets_the_odd_coin_of_equal_monsters() -> None:
    """gold.21: it stays in the treasury."""
    state, log = fight(("0:4 1:4", "1:5 2:4", "2:3 0:5"), ("*** 5/11", *WEAK[1:]))
    assert shares(log)[:2] == [(0, 5), (1, 5)]
    assert "odd_coin" in keys(log)
    assert sum(gained(state)) == 10 + 4 + 5
    assert sum(state.gold) + state.treasury == 0


def test_who_owns_both_monsters_takes_everything() -> None:
    """gold.22"""
    state, log = fight(("0:4 0:5", "1:5 2:4", "2:3 1:4"), ("*** 5/11", "* 3/3", "* 3/5"))
    assert told(log, "loot_all") == [{"seat": 0, "coins": 11, "field": 1, "at": "1a, 1b"}]
    assert gained(state)[0] == 11


def test_loot_is_told_with_its_guard_and_the_monster_that_brought_it() -> None:
    """gold.21: so that what is paid can be seen to come from there."""
    _, log = fight(("0:4 1:4", "1:5 2:4", "2:3 0:5"), ("*** 5/11", "* 3/3", "** 3/7"))
    assert [(args["seat"], args["field"], args["at"], args["coins"]) for args in told(log, "loot")] == [
        (0, 1, "1a", 5), (1, 1, "1b", 5), (1, 2, "2a", 2), (2, 2, "2b", 1), (2, 3, "3a", 3), (0, 3, "3b", 4)
    ]  # fmt: skip
    assert told(log, "odd_coin") == [{"field": 1, "at": "1a, 1b"}]
    names = ("Ala", "Bo", "Ola")
    texts = {
        language: [game.words(language).say("event", event.key, event.args, names) for event in log.events]
        for language in ("pl", "en")
    }
    assert "Ala dostaje 5 monet z łupu strażnika 1 za potwora na miejscu 1a." in texts["pl"]
    assert "Ola gets 1 coin of guard 2's loot, for the monster at 2b." in texts["en"]


def test_healing_is_told_with_what_each_monster_costs() -> None:
    """gold.24, gold.25: from the guard that won on, as the king's order has it."""
    fields, guards = ("1:3 0:4", "0:1 2:5", "1:4 2:3"), (WEAK[0], STRONG, WEAK[1])
    _, log = fight(fields, guards, gold={2: 1})
    assert told(log, "heal") == [{"seat": 1, "coins": 2, "costs": "3a: 2"}]
    assert told(log, "heal_part") == [{"seat": 2, "coins": 1, "cost": 3, "costs": "2b: 2, 3b: 1"}]
    _, log = fight(fields, guards, order=4)
    assert [args["costs"] for args in told(log, "heal")] == ["3a: 4", "2b: 4, 3b: 1"]
    _, log = fight(("1:3 0:5", "0:1 2:5", "2:4 1:4"), (STRONG, WEAK[0], WEAK[1]))
    assert told(log, "heal")[0] == {"seat": 0, "coins": 2, "costs": "1b: 2, 2a: 0"}


def test_everyone_is_told_that_monsters_go_home_and_each_the_new_hand() -> None:
    """gold.26, gold.35: which monsters it is, only their owner is told."""
    _, log = fight(FIELDS, WEAK)
    at = keys(log).index("home")
    assert (log.events[at].args, log.events[at].audience) == ({}, EVERYONE)
    hands = log.events[at + 1 : at + 4]
    assert [event.key for event in hands] == ["home_hand"] * 3
    assert [event.audience for event in hands] == [1, 2, 4]
    assert [(event.args["hand"], event.args["aside"]) for event in hands] == [
        ("1, 2, 4", "3, 5"), ("1, 2, 3", "4, 5"), ("1, 2, 5", "3, 4")
    ]  # fmt: skip
    assert keys(log)[at + 4] == "round", "before the next round begins"
    _, log = fight(FIELDS, WEAK, number=6)
    assert keys(log)[keys(log).index("home") + 4] == "score", "also after the last one"


def test_the_first_defeat_ends_the_fight() -> None:
    """gold.23: later guards are not revealed."""
    state, log = fight(("0:3 1:4", "1:3 2:4", "2:3 0:5"), (WEAK[0], "*** 9/13", WEAK[1]))
    assert [args["field"] for args in told(log, "reveal")] == [1, 2]
    last = board(state).fight
    assert last is not None
    assert [one.outcome for one in last.fields] == ["beaten", "repelled", "unfought"]
    assert (last.fields[2].field.guard.strength, last.fields[2].loot) == (None, None)
    assert "all_beaten" not in keys(log)


def test_nothing_is_paid_when_all_guards_are_beaten() -> None:
    """gold.23, gold.24"""
    state, log = fight(FIELDS, WEAK)
    assert "all_beaten" in keys(log)
    assert "heal" not in keys(log)
    assert sum(gained(state)) == 3 + 4 + 5


def test_the_beaten_and_those_who_did_not_get_to_fight_are_healed() -> None:
    """gold.24, and the book's example: the third of four guards wins. Its two owners pay 1 each, one pays 2 for the
    fourth, and the fourth player, whose monsters all beat their guards, pays nothing."""
    fields = ("3:3 3:4", "0:4 1:5", "0:3 1:3", "2:5 2:1")
    state, log = fight(fields, ("* 3/4", "** 3/6", "*** 7/11", "* 3/5"))
    assert [(args["seat"], args["coins"]) for args in told(log, "heal")] == [(0, 1), (1, 1), (2, 2)]
    assert gained(state) == [3 - 1, 3 - 1, -2, 4]
    last = board(state).fight
    assert last is not None
    assert last.paid == [1, 1, 2, 0]


def test_healing_costs_by_strength() -> None:
    """gold.6, gold.24: 0, 1, 1, 2, 2."""
    state, _ = fight(("0:1 1:2", "0:5 2:3", "1:4 2:4"), (STRONG, WEAK[0], WEAK[1]))
    assert gained(state) == [-2, -1 - 2, -1 - 2]


def test_who_has_too_little_pays_what_they_have() -> None:
    """gold.25"""
    state, log = fight(("0:4 1:3", "0:5 2:3", "1:5 2:4"), (STRONG, WEAK[0], WEAK[1]), gold={0: 3, 1: 0})
    assert gained(state, {0: 3, 1: 0}) == [-3, 0, -3]
    assert [(args["seat"], args["coins"], args["cost"]) for args in told(log, "heal_part")] == [(0, 3, 4), (1, 0, 3)]
    assert sum(state.gold) + state.treasury == 0


def test_loot_won_in_the_same_round_pays_for_healing() -> None:
    """gold.24, gold.25: healing comes after the fight."""
    state, _ = fight(("0:4 1:3", "0:5 2:3", "1:5 2:4"), ("* 3/4", STRONG, WEAK[2]), gold={0: 0})
    assert state.gold[0] == 2 - 2


def test_hands_are_changed_after_the_fight() -> None:
    """gold.26: the two laid aside come to the hand, the two from the castle are laid aside."""
    state = before_fight(FIELDS, WEAK)
    kept = hand(state, 1)
    assert kept == [3]
    play(state, 0, "place 5 at 3b")
    one = board(state, 1).players[1]
    assert (one.hand, one.aside) == ([1, 2, 3], [4, 5])


def test_unrevealed_guards_stay_unseen() -> None:
    """gold.27: also when they are long discarded."""
    again, _ = fight(("0:3 1:4", "1:3 2:4", "2:3 0:5"), (WEAK[0], "*** 9/13", "*** 9/14"))
    for viewer in (-1, 0, 1, 2):
        seen = again.sight(viewer)
        assert isinstance(seen, Gold)
        assert seen.guard[2] == seen.cards.back(3)
        assert seen.guard[1] < seen.cards.size, "this one was revealed"
    assert len(board(again).levels[2].unseen) == 11, "the one that won is known, the one behind it is not"


def test_first_player_passes_clockwise_and_new_guards_are_laid() -> None:
    """gold.28"""
    state = before_fight(FIELDS, WEAK)
    first = state.first
    deck = list(state.guard)
    play(state, 0, "place 5 at 3b")
    assert (state.round, waits_for(state), state.first) == (2, (first + 1) % 3, (first + 1) % 3)
    assert [field.guard.stars for field in board(state).castle] == [state.cards.stars[guard] for guard in deck[3:6]]
    assert all(slot.strength is None for field in board(state).castle for slot in field.slots)


def test_no_guards_are_laid_after_the_last_tile() -> None:
    """gold.28: with six players none would be left."""
    state = game.start(6, {}, FastRng("six"))
    assert isinstance(state, Gold)
    playout(state, FastRng("six"))
    assert state.round == 6
    assert board(state).castle == []
    assert board(state).deck == 0
    assert moves(state, 0) == []


def test_most_gold_wins_and_equal_gold_shares_the_place() -> None:
    """gold.29: the book's example: 32, 23, 19 and 19."""
    coins = {0: 32, 1: 23, 2: 19, 3: 19}
    state = position(4, gold=coins)
    state.round = 6
    state.finish()
    assert [state.place(seat) for seat in range(4)] == [1, 2, 3, 3]
    result = game.result(state)
    assert result is not None
    assert (result.scores, result.winners) == ([32, 23, 19, 19], [0])


def test_who_ties_for_the_first_place_wins_together() -> None:
    """gold.29"""
    fields, guards = ("0:3 1:4", "1:3 2:4", "2:3 0:4"), ("*** 9/14", WEAK[0], WEAK[1])
    state, log = fight(fields, guards, gold={0: 13, 1: 13, 2: 9}, number=6)
    assert list(state.gold) == [10, 10, 6]
    assert [args["seat"] for args in told(log, "shared_win")] == [(0, 1)]
    assert [state.place(seat) for seat in range(3)] == [1, 1, 3]
    assert state.waiting == 0


def test_gold_and_monsters_are_conserved_in_every_step() -> None:
    """gold.6, gold.7, gold.8, gold.15, gold.18, gold.21, gold.24, gold.25: see `check_state`."""
    for seats in (3, 4, 5, 6):
        for seed in range(8):
            rng = FastRng(("coins", seed))
            options = {"kings_orders": seed % 2 == 0, "sorted_guards": seed % 4 < 2, "starting_gold": 5 + seed % 2 * 3}
            state = game.start(seats, options, rng)
            assert isinstance(state, Gold)
            while state.waiting:
                check_state(state)
                state.apply(waits_for(state), state.pick(waits_for(state), rng), rng)
            check_state(state)


def test_the_view_of_the_last_fight_adds_up() -> None:
    """What a page plays out is what was paid."""
    for seed in range(12):
        rng = FastRng(("view", seed))
        state = game.start(5, {"kings_orders": True}, rng)
        assert isinstance(state, Gold)
        for _ in range(400):
            if not state.waiting:
                break
            before, number = list(state.gold), state.round
            seat = waits_for(state)
            twin = state.copy()
            move = state.pick(seat, rng)
            log = twin.play(seat, move, rng)
            state.apply(seat, move, rng)
            if state.round == number and state.waiting:
                continue
            last = board(state).fight
            assert last is not None
            assert last.round == number
            coins = [-paid for paid in last.paid]
            for one in last.fields:
                for slot, share in zip(one.field.slots, one.coins, strict=True):
                    assert slot.owner is not None
                    coins[slot.owner] += share
            paid = [args for key in ("replace", "replace_share", "replace_own") for args in told(log, key)]
            for args in paid:
                whose, price = args.get("whose"), int(str(args.get("share", 0)))
                coins[seat] -= price + int(str(args["treasury"]))
                if isinstance(whose, int):
                    coins[whose] += price
            assert [new - old for new, old in zip(state.gold, before, strict=True)] == coins
