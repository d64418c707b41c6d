"""The coach: every moment can come, in the games that were written down or where a race makes it, and only once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from polikarp.bots import make_bot
from polikarp.engine.data import DataError
from polikarp.engine.game import Game
from polikarp.engine.lessons.coach import Coach, Moment, read_coach
from polikarp.engine.lessons.shelf import shelf
from polikarp.engine.phrase import Event, Phrase, Refusal
from polikarp.engine.record import read_record, replay
from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.engine.state import EVERYONE, bit
from polikarp.engine.words import house_languages
from polikarp.games import all_games, offered_games
from tests.engine.lessons.pupils import changed

GOLDEN = Path(__file__).parents[2] / "golden"
COUNTS = {"hunters": 11, "crypt": 18, "gold": 15, "melee": 21}


def coach_of(game: Game) -> Coach:
    coach = shelf(game).coach
    assert coach is not None
    return coach


MOMENTS = [(game, moment) for game in offered_games() for moment in coach_of(game).moments]
of_each_moment = pytest.mark.parametrize(
    ("game", "moment"), MOMENTS, ids=[f"{game.id}/{moment.id}" for game, moment in MOMENTS]
)


def test_every_game_has_a_coach() -> None:
    assert {game.id: len(coach_of(game).moments) for game in offered_games()} == COUNTS


@cache
def heard(game: Game) -> list[tuple[int, list[Event], set[str]]]:
    """What each seat of the written games was told and asked: the seat, its events, and the keys of its prompts."""
    found: list[tuple[int, list[Event], set[str]]] = []
    for path in sorted(GOLDEN.glob(f"{game.id}-*.json")):
        table = replay(game, read_record(path.read_bytes()))
        state = game.start(table.seats, table.options, ScriptRng(table.dealt))
        asked: list[set[str]] = [set() for _ in range(table.seats)]
        for step in table.steps:
            for seat in range(table.seats):
                asked[seat].add(game.prompt(state.sight(seat), seat).key)
            state.play(step.seat, step.move, ScriptRng(step.drawn))
        found += [(seat, table.log(seat), asked[seat]) for seat in range(table.seats)]
    return found


def false_starts(game: Game) -> Iterator[Refusal]:
    """The refusals that a race gives, where a game is one."""
    state = game.start(2, {}, FastRng(1))
    race = game.race(state)
    if race is not None:
        for target in race.targets:
            yield target.unsure


@of_each_moment
def test_every_moment_comes_in_some_game(game: Game, moment: Moment) -> None:
    coach = coach_of(game)
    if moment.kind == "event":
        assert any(coach.comes(moment, seat, events, None, None, ()) for seat, events, _ in heard(game))
    elif moment.kind == "prompt":
        assert any(moment.key in asked for _, _, asked in heard(game))
    else:
        assert any(coach.comes(moment, 0, (), None, refusal, ()) for refusal in false_starts(game))


@of_each_moment
def test_every_moment_speaks_every_language_of_the_house(game: Game, moment: Moment) -> None:
    assert set(moment.say) >= set(house_languages())


@pytest.mark.parametrize("game", offered_games(), ids=lambda game: game.id)
def test_the_table_of_the_first_game_can_be_played(game: Game) -> None:
    first = coach_of(game).first
    game.start(first.seats, first.options, FastRng(1))
    if first.bot not in game.racers():
        make_bot(game, first.bot)


CRYPT = coach_of(all_games()["crypt"])
HUNTERS = coach_of(all_games()["hunters"])


def test_me_and_others_are_told_apart() -> None:
    caught = [Event("catch", {"seat": 0, "priority": 5}, EVERYONE)]
    mine, theirs = HUNTERS.due(0, caught), HUNTERS.due(1, caught)
    assert mine is not None
    assert theirs is not None
    assert (mine.id, theirs.id) == ("caught", "slower")


def test_what_a_seat_is_not_told_is_no_occasion() -> None:
    assert HUNTERS.due(1, [Event("catch", {"seat": 1}, bit(0))]) is None


def test_a_pattern_of_an_argument() -> None:
    one, two = ([Event("turn_up", {"seat": 0, "symbols": each}, EVERYONE)] for each in ("fire", "fire sword"))
    assert HUNTERS.due(0, one) is None
    double = HUNTERS.due(0, two)
    assert double is not None
    assert double.id == "double"


def test_what_was_shown_is_not_said_again() -> None:
    prompt = Phrase("send")
    moment = CRYPT.due(0, (), prompt)
    assert moment is not None
    assert moment.id == "my_turn"
    assert CRYPT.due(0, (), prompt, shown={"my_turn"}) is None


def test_after_skips_the_first_of_a_game() -> None:
    torches = [Event("torches", {"seat": 1, "last": 0}, EVERYONE)]
    assert CRYPT.due(0, torches) is None
    later = CRYPT.due(0, torches, past=torches)
    assert later is not None
    assert later.id == "torches"
    assert CRYPT.due(0, (), past=torches * 2) is None, "it must be news"


def test_of_several_the_first_in_the_list_is_said() -> None:
    both = [Event("wand", {"seat": 0}, EVERYONE), Event("catch", {"seat": 0}, EVERYONE)]
    moment = HUNTERS.due(0, both, Phrase("flip"))
    assert moment is not None
    assert moment.id == "my_card"


def test_who_does_it_unasked_need_not_be_told() -> None:
    assert HUNTERS.known_by("flip") == ["my_card"]
    assert HUNTERS.known_by("slap 2") == ["watch"]
    assert CRYPT.known_by("recover") == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('event = "wand"', 'event = "wind"', "hunters has no event 'wind'"),
        ('prompt = "flip"', 'prompt = "flop"', "hunters has no prompt 'flop'"),
        ('refused = "false_start"', 'refused = "x"', "hunters has no refusal 'x'"),
        ('event = "wand"', 'event = "wand"\nprompt = "flip"', "moment 8 needs one of: event, prompt, refused"),
        ('id = "wand"', 'id = "double"', "two moments have the id 'double'"),
        ('light = ["pile"]', 'light = ["pole"]', "light of moment 11 names 'pole'"),
        ('prompt = "flip"', 'prompt = "flip"\nafter = 1', "only events are counted"),
        ("seats = 2", "seats = 1", "table.seats is 1"),
        ("pace = 4", "pace = 40", "option pace can not be '40'"),
        ('rules = ["hunters.33"]', 'rules = ["hunters.99"]', "there is no rule 'hunters.99'"),
        ('rules = ["hunters.33"]', 'rule = "hunters.33"', "rules of moment 10 is missing"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, text: str) -> None:
    path = changed(tmp_path, old, new, HUNTERS.path)
    with pytest.raises(DataError) as mistake:
        read_coach(path, HUNTERS.game)
    assert text in str(mistake.value)
    number = int(str(mistake.value).split("coach.toml:")[1].split(":")[0])
    lines = path.read_text("utf-8").splitlines()
    assert new.split("\n")[-1] in lines[number - 1] or lines[number - 1] == "[[moment]]"
