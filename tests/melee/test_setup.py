"""Before the first season: what everybody starts with, and the preliminary phase."""

from __future__ import annotations

import pytest

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.games.melee import game
from polikarp.games.melee.cards import ABILITIES
from polikarp.games.melee.rules import Melee

from .positions import (
    NO_CHANCE,
    board,
    gold,
    keys,
    moves,
    places,
    play,
    position,
    put_units,
    refused,
    reserve,
    told,
    units_in,
    waits_for,
)


def start(seats: int = 4, rules: str = "basic", seed: object = 0) -> Melee:
    state = game.start(seats, {"rules": rules}, FastRng(seed))
    assert isinstance(state, Melee)
    return state


def offers(state: Melee, *abilities: str) -> Melee:
    """An advanced game with these abilities on the table, and seat 0 to begin."""
    for slot, name in enumerate(abilities):
        state.ability[slot] = ABILITIES.index(name)
    state.first = 0
    state.begin_preliminary(0)
    return state


@pytest.mark.parametrize(("seats", "provinces"), [(2, 8), (3, 10), (4, 15)])
def test_a_board_for_each_number_of_players(seats: int, provinces: int) -> None:
    """melee.1, melee.6: a castle is a province too, and counted among them."""
    assert len(board(start(seats)).provinces) == provinces


def test_two_to_four_players() -> None:
    """melee.1"""
    for seats in (1, 5):
        with pytest.raises(UsageError, match="right is: 2 to 4 seats"):
            game.deal(seats)


def test_everybody_starts_alike() -> None:
    """melee.2, melee.4: ten units, one soldier of them in the castle for free, and 15 gold for all to see."""
    table = board(start(3))
    for seat, castle in enumerate(("R0", "Y0", "G0")):
        lord = table.lords[seat]
        assert (lord.gold, lord.abilities) == (15, [])
        assert lord.reserve == {"soldier": 2, "knight": 2, "camp": 3, "catapult": 2}
        assert units_in(start(3), castle) == (seat, ["soldier"])


def test_anybody_may_be_first() -> None:
    """melee.3"""
    assert {start(4, seed=seed).first for seed in range(30)} == {0, 1, 2, 3}
    state = start(4, seed=1)
    assert waits_for(state) == state.first


def test_abilities_lie_open_in_the_advanced_game_only() -> None:
    """melee.5: one more than there are players, at random, no card twice."""
    seen = set()
    for seed in range(60):
        for seats in (2, 3, 4):
            there = [offer.ability for offer in board(start(seats, "advanced", seed)).offers]
            assert len(there) == len(set(there)) == seats + 1
            seen |= set(there)
    assert seen == set(ABILITIES)
    assert board(start(4)).offers == []
    usual = game.start(4, {}, FastRng(0))
    assert isinstance(usual, Melee)
    assert board(usual).offers == []
    assert refused(start(4, seed=1), start(4, seed=1).first, "offer 1 at A") == ("melee.5", "no_ability")


def test_lands_are_the_castle_and_its_two_neighbours() -> None:
    """melee.6, melee.11: only there is recruited now, although seat 0 could go anywhere later."""
    state = start()
    state.begin_preliminary(1)
    assert places(state, 1, "recruit catapult") == {"Y0", "Y1", "Y2"}
    assert refused(state, 1, "recruit soldier at M") == ("melee.11", "only_lands")


def test_without_a_unit_one_is_still_in_the_game() -> None:
    """melee.7: castle, garrison, reserve and turns remain."""
    state = position(2, {1: "soldier R1"}, gold={0: 2, 1: 9}, cards={0: "recruit", 1: "attack"})
    assert (waits_for(state), board(state).lords[0].provinces) == (0, 1)
    play(state, 0, "done")
    play(state, 1, "use soldier at R1", "attack R0")
    duel = board(state).duel
    assert duel is not None
    assert duel.defender == "garrison"
    state = position(2, {1: "soldier R1"})
    assert (board(state).season, board(state).phase, state.waiting) == ("autumn", "bidding", 3)
    assert "bid 0" in moves(state, 0)


def test_one_action_each_round_and_round_until_all_have_passed() -> None:
    """melee.10: recruit one unit or pass; who has passed is out."""
    state = start(3)
    state.first = 1
    state.begin_preliminary(1)
    order = []
    for text in ("recruit camp at Y1", "pass", "recruit soldier at R1", "recruit camp at Y2", "pass"):
        order.append(waits_for(state))
        play(state, order[-1], text)
    assert order == [1, 2, 0, 1, 0]
    log = play(state, 1, "pass")
    assert keys(log) == ["pass", "season"]
    assert board(state).phase == "bidding"


def test_recruiting_before_the_first_season_follows_the_prices_and_limits() -> None:
    """melee.11, melee.30, melee.32, melee.34"""
    state = start(4)
    state.begin_preliminary(0)
    play(state, 0, "recruit knight at R0")
    assert gold(state, 0) == 9
    assert reserve(state, 0)["knight"] == 1
    state.begin_preliminary(0)
    assert refused(state, 0, "recruit soldier at R0") == ("melee.32", "identical")
    assert refused(state, 0, "recruit camp at R0") == ("melee.34", "no_camp_in_castle")


def test_bids_for_abilities() -> None:
    """melee.12: at least 1, higher than the last, the gold lies on the card, who is outbid gets theirs back at once,
    even after passing; outbidding oneself costs only the difference."""
    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    assert moves(state, 0, "offer")[0] == "1 at A"
    play(state, 0, "offer 4 at A")
    assert (gold(state, 0), board(state).offers[0].seat, board(state).offers[0].gold) == (11, 0, 4)
    assert refused(state, 1, "offer 4 at A") == ("melee.12", "too_low")
    assert moves(state, 1, "offer")[0] == "5 at A"
    assert refused(state, 1, "offer 16 at A") == ("melee.12", "too_high")
    play(state, 1, "pass")
    log = play(state, 0, "offer 6 at A")
    assert (gold(state, 0), keys(log)) == (9, ["offer_more"])
    play(state, 0, "offer 15 at A")
    assert gold(state, 0) == 0

    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    play(state, 0, "offer 4 at A")
    play(state, 1, "recruit camp at B1")
    play(state, 0, "pass")
    log = play(state, 1, "offer 5 at A")
    assert told(log, "outbid")[0]["back"] == 4
    assert (gold(state, 0), gold(state, 1)) == (15, 8)
    assert waits_for(state) == 1


def test_bidders_get_their_cards_at_the_end() -> None:
    """melee.13, melee.15, melee.17: also several; they are open from then on and work only from then on; the rest is
    discarded."""
    state = offers(start(2, "advanced"), "recruiter", "wheels", "herald")
    play(state, 0, "offer 2 at A")
    play(state, 1, "pass")
    play(state, 0, "offer 3 at C")
    assert board(state).lords[0].prices["soldier"] == 2
    log = play(state, 0, "pass")
    assert told(log, "discard") == [{"ability": "wheels"}]
    assert board(state, 1).lords[0].abilities == ["recruiter", "herald"]
    assert board(state).lords[0].prices["soldier"] == 1
    assert (gold(state, 0), board(state).offers) == (10, [])


def test_a_bid_does_not_take_a_unit() -> None:
    """melee.14"""
    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    before = reserve(state, 0)
    play(state, 0, "offer 1 at A")
    assert reserve(state, 0) == before


def test_every_standing_bid_is_marked_by_a_unit_in_reserve() -> None:
    """melee.14: who has as many bids as units in reserve can neither bid for another card nor recruit, until outbid."""
    state = offers(start(4, "advanced"), "moat", "wheels", "herald", "sappers", "looters")
    for slot in range(4):
        state.offerer[slot], state.offered[slot] = 0, 1
    put_units(state, 0, "soldier R0, soldier R1, soldier R2, camp R1, camp R2, catapult R1")
    assert sum(reserve(state, 0).values()) == 4
    assert refused(state, 0, "offer 1 at E") == ("melee.14", "no_marker")
    assert refused(state, 0, "recruit catapult at R2") == ("melee.14", "all_mark_bids")
    assert {text.split()[-1] for text in moves(state, 0, "offer")} == {"A", "B", "C", "D"}, "one may raise one's own"
    assert not moves(state, 0, "recruit")
    play(state, 0, "offer 2 at A")
    play(state, 1, "offer 3 at A")
    state.begin_preliminary(0)
    assert moves(state, 0, "recruit")
    assert "1 at E" in moves(state, 0, "offer")


def test_who_has_a_unit_for_every_bid_and_no_gold_passes_by_itself() -> None:
    """melee.14, melee.16: units that mark bids can not be recruited."""
    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    state.offerer[0], state.offered[0], state.gold[0] = 0, 1, 14
    put_units(
        state, 0, "soldier R0, soldier R1, soldier R2, knight R0, knight R1, camp R1, camp R2, catapult R0, catapult R1"
    )
    assert sum(reserve(state, 0).values()) == 1
    state.offered[0] = 20
    state.gold[0] = 0
    state.begin_preliminary(0)
    assert waits_for(state) == 1


def test_who_can_do_nothing_passes_by_itself() -> None:
    """melee.16: and stays out, even when gold comes back."""
    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    play(state, 0, "offer 15 at A")
    log = play(state, 1, "recruit soldier at B1")
    assert keys(log) == ["recruit", "pass_self"]
    play(state, 1, "recruit camp at B1")
    state.gold[1] = 18
    log = play(state, 1, "offer 16 at A")
    assert gold(state, 0) == 15
    assert waits_for(state) == 1
    assert state.why_not(0, game.parse("pass")) is not None


def test_who_can_still_bid_is_asked() -> None:
    """melee.16: with too little for any unit, but enough for a bid."""
    state = offers(start(2, "advanced"), "moat", "wheels", "herald")
    state.gold[1] = 1
    play(state, 0, "recruit camp at R1")
    assert waits_for(state) == 1
    assert moves(state, 1) == ["pass", "offer 1 at A", "offer 1 at B", "offer 1 at C"]


def test_the_salt_master_needs_a_province_that_is_marked() -> None:
    """melee.a7: the board for three has none."""
    for seed in range(80):
        assert "salt_master" not in [offer.ability for offer in board(start(3, "advanced", seed)).offers]


def test_the_deal_tells_what_is_open() -> None:
    table = game.deal(2, seed=3, rules="advanced")
    assert [event.key for event in table.dealt_events] == ["begin", "on_offer", "on_offer", "on_offer"]
    assert NO_CHANCE.used == 0
