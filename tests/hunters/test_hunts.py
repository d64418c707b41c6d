"""A game told as hunts, the monsters' drawings, and what practice counts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from polikarp.engine.game import Played
from polikarp.engine.phrase import Phrase
from polikarp.engine.record import replay
from polikarp.engine.rng import FastRng
from polikarp.engine.state import seats_of
from polikarp.engine.strip import Finish
from polikarp.games.hunters import game
from polikarp.games.hunters.drawing import COLOURS, HUES, drawing
from polikarp.games.hunters.hunts import Hunt, Turned, hunts, last_hunts, needed
from polikarp.games.hunters.levels import missing
from polikarp.games.hunters.practice import PLOT_HEIGHT, PLOT_WIDTH, practice
from polikarp.games.hunters.rules import NOBODY, Hunters
from polikarp.games.hunters.view import Board, Card, Monster
from tests.test_playthroughs import GOLDEN, load


def shown(*symbols: str, seat: int = 0) -> Turned:
    return Turned(seat, Card("shown", list(symbols)))


def failed(symbol: str) -> Turned:
    return Turned(0, Card("failed", [symbol]))


WAND = Turned(1, Card("wand", []))
OGRE = Monster(29, 5, ["ice", "lightning", "sword", "sword", "bow"])
BLOB = Monster(1, 3, ["fire", "ice", "bow"])


@pytest.mark.parametrize("name", ["2", "3-calm", "8", "decks_empty"])
def test_hunts_tell_the_same_as_the_board(name: str) -> None:
    """At every moment of recorded games: the open cards and monsters, and what was taken by whom."""
    table = replay(game, load(GOLDEN / f"hunters-{name}.json"))
    told = [*table.dealt_events]
    for at, step in enumerate(table.steps):
        told += step.events
        state = table.state
        if at + 1 < len(table.steps):
            state = game.load(table.seats, table.steps[at + 1].before or b"", table.options)
        board = game.view(state, None).board
        assert isinstance(board, Board)
        story = hunts((event.key, event.args) for event in told)
        if state.waiting:
            agrees(story[-1], board)
        assert len(story) == board.table + 1
        assert last_hunts([Phrase(event.key, event.args) for event in told]) == story[-2:]
        for seat, hunter in enumerate(board.hunters):
            taken = [hunt for hunt in story[:-1] if hunt.seat == seat]
            for caught, monsters in ((True, hunter.caught), (False, hunter.mistakes)):
                mine = [hunt.monsters[hunt.place or 0] for hunt in taken if hunt.caught == caught]
                assert all(bool(hunt.missing) != caught for hunt in taken if hunt.caught == caught)
                assert sorted(mine, key=priority) == sorted(monsters, key=priority)


def priority(monster: Monster) -> int:
    return monster.priority


def agrees(hunt: Hunt, board: Board) -> None:
    assert hunt.monsters == board.monsters
    assert len(hunt.cards) == board.card
    for seat, hunter in enumerate(board.hunters):
        mine = [turned.card.symbols for turned in hunt.cards if turned.seat == seat]
        assert mine == [card.symbols for card in hunter.open]
    for place, monster in enumerate(board.monsters):
        assert (place in hunt.catchable()) == (missing(board, monster) == 0)


def test_the_earliest_cards_that_do_are_those_that_count() -> None:
    cards = [shown("sword"), failed("ice"), shown("ice", "bow"), shown("sword"), WAND, shown("sword")]
    assert needed(OGRE, cards) == [0, 2, 3, 4]
    assert needed(OGRE, cards[:4]) == []
    assert needed(BLOB, [shown("fire"), shown("ice"), WAND]) == [0, 1, 2]


def test_what_counted_is_marked_and_only_for_a_catch() -> None:
    def args(**more: int) -> dict[str, int | str | tuple[int, ...]]:
        return {"place": 1, "priority": 1, "value": 3, "symbols": "fire ice bow", **more}

    told: list[tuple[str, dict[str, int | str | tuple[int, ...]]]] = [
        ("monster", args()),
        ("turn_up", {"seat": 0, "symbols": "fire axe"}),
        ("wand", {"seat": 1}),
        ("turn_up", {"seat": 0, "symbols": "axe"}),
        ("turn_up", {"seat": 1, "symbols": "bow"}),
        ("catch", args(seat=1)),
        ("monster", args()),
        ("gather", {"seat": 1}),
        ("turn_up", {"seat": 1, "symbols": "axe"}),
        ("mistake", {**args(seat=0), "missing": "fire bow"}),
    ]
    caught, mistaken, now = hunts(told)
    assert (caught.seat, caught.place, caught.caught, caught.used) == (1, 0, True, [True, True, False, True])
    assert (mistaken.seat, mistaken.caught, mistaken.used) == (0, False, [False])
    assert (caught.missing, mistaken.missing) == ([], ["fire", "bow"])
    assert (now.seat, now.cards) == (None, [])


def test_every_monster_is_drawn_and_no_two_alike() -> None:
    numbers = range(1, 37)
    drawn = {drawing(number) for number in numbers}
    assert len(drawn) == len(numbers)
    assert len(COLOURS) == HUES
    for one in drawn:
        ElementTree.fromstring(f"<svg>{one}</svg>")


def slap(seat: int, table: int, time: float, outcome: str = "counts", judged: str = "seen") -> Finish:
    return Finish(seat, 0, table, time, None, 0.0, True, 0.0, time, 5.0, "", judged, outcome)


def test_practice_counts_catches_times_and_mistakes_by_kind() -> None:
    able = [shown("fire"), shown("ice"), shown("bow")]
    story = [
        Hunt([BLOB, OGRE, OGRE], able, 0, 0, True),
        Hunt([BLOB, OGRE, OGRE], able, 0, 1, False),  # another could be caught
        Hunt([BLOB, OGRE, OGRE], able[:2], 0, 0, False),  # none could
        Hunt([BLOB, OGRE, OGRE], able, 1, 0, False),  # somebody else's
        Hunt([BLOB, OGRE, OGRE], able, 0, 0, False),  # too soon to have seen the bow
        Hunt([BLOB, OGRE, OGRE], able, 1, 0, True),  # somebody else's
        Hunt([BLOB, OGRE, OGRE], able, 0, 0, True),
        Hunt([BLOB, OGRE, OGRE], []),
    ]
    slaps = [
        slap(0, 0, 412.0),
        slap(0, 1, 300.0),
        slap(0, 2, 44.0, "void", "unsure"),
        slap(0, 2, 700.0),
        slap(0, 4, 60.0, judged="before"),
        slap(1, 5, 350.0),
        slap(0, 5, 390.0, "later"),
        slap(0, 6, 588.0),
        slap(0, 5, 90.0, "void", "unsure"),
        slap(0, 5, 10.0, "old", "unsure"),
        slap(0, 5, 20.0, "void", "before"),
    ]
    made = practice(0, story, slaps, 90_000)
    assert (made.catches, made.times) == (2, [412.0, 588.0])
    assert (made.lacking, made.wrong, made.false_starts) == (1, 1, 3)
    assert made.per_minute() == pytest.approx(4 / 3)
    assert (made.median(), made.best()) == (500.0, 412.0)
    assert made.top() == 1000
    assert [time for time, _ in made.lines()] == [0, 500, 1000]
    for x, y in made.points():
        assert 0 <= x <= PLOT_WIDTH
        assert 0 <= y <= PLOT_HEIGHT
    assert made.points()[0][1] > made.points()[1][1], "a longer time is higher up"


def test_practice_that_has_not_begun_is_empty() -> None:
    made = practice(0, [Hunt([BLOB, OGRE, OGRE], [])], [], 0)
    assert (made.catches, made.per_minute(), made.median(), made.best(), made.points()) == (0, 0, 0, 0, [])


def test_only_one_person_with_bots_that_do_nothing_practises() -> None:
    assert game.practice([], Played(["", "still"])) is not None
    for levels in (["", "casual"], ["", ""], ["still", "still"], ["", "still", "child"]):
        assert game.practice([], Played(levels)) is None


@pytest.mark.parametrize("calm", [0, 5])
def test_where_nothing_is_secret_all_see_the_same(calm: int) -> None:
    """hunters.35: people at one screen may look together, but for the answers in a calm race."""
    table = game.deal(seats=3, seed=3, calm=calm)
    rng = FastRng(3)
    raced = 0
    for _ in range(200):
        state = table.state
        assert isinstance(state, Hunters)
        if table.over:
            break
        if game.secret(state):
            raced += 1
        else:
            assert state.racing == NOBODY
            boards = [game.view(state, seat).board for seat in (None, 0, 1, 2)]
            assert all(board == boards[0] for board in boards)
        seat = seats_of(state.waiting)[0]
        moves = table.moves(seat)
        table.play(moves[rng.below(len(moves))], seat)
    assert (raced > 0) == (calm > 0)
