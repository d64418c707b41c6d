"""What the numbers of observations mean: every one has a name, bounds that hold and a meaning. The tables of
`docs/observations.md` are made from it: `python -m tests.test_observation` writes them anew."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest

from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.data import DataError
from polikarp.engine.game import Game
from polikarp.engine.observation import ObservationSpec, observation_spec
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.games import all_games, find_game
from polikarp.lab.rows import sight_row

GAMES = list(all_games().values())
PAGE = Path(__file__).parents[1] / "docs" / "observations.md"


def spec_of(game: Game) -> ObservationSpec:
    return game.observation_spec(game.seats[-1])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_number_has_a_name_and_a_meaning_and_is_within_its_bounds(game: Game) -> None:
    for seats, options in all_settings(game):
        spec = game.observation_spec(seats, options)
        for told in (spec.columns, spec.features):
            assert len({each.name for each in told}) == len(told)
            assert all(each.meaning for each in told)
        for number, state in enumerate(islice(walk(Setting(game, seats, options, "observed")), None, None, 5)):
            row = list(sight_row(state, number % seats))
            assert len(row) == len(spec.columns)
            for value, column in zip(row, spec.columns, strict=True):
                assert column.low <= value <= column.high, column


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_nothing_is_packed_in_a_feature(game: Game) -> None:
    """Every feature is a bit, a comparison, or a number with small bounds; and the moves have their names."""
    spec = spec_of(game)
    for step in spec.steps(0):
        assert step.op != "scale" or 1 <= step.span < 2000
    assert [game.parse(action) for action in spec.actions] == list(range(len(spec.actions)))


def test_fields_are_in_the_order_of_the_state() -> None:
    crypt = find_game("crypt")
    state = crypt.start(3, {}, FastRng(1))
    row = dict(zip([column.name for column in crypt.observation_spec(3).columns], sight_row(state, 2), strict=True))
    assert row["seat"] == 2
    assert row["round"] == 1
    assert [row[f"ready.{seat}"] for seat in range(3)] == [3, 3, 3]
    assert row["owned.1.statue"] == 0


def test_features_are_told_from_the_seat_that_looks() -> None:
    spec = find_game("leduc").observation_spec(2)
    names = [feature.name for feature in spec.features]
    own = names.index("paid.+0")
    assert [spec.columns[spec.steps(seat)[own].column].name for seat in range(2)] == ["paid.0", "paid.1"]
    folded = names.index("folded.+1")
    assert [spec.steps(seat)[folded].value for seat in range(2)] == [1, 0]


def test_a_file_that_does_not_fit_says_so(tmp_path: Path) -> None:
    leduc = find_game("leduc")
    state = leduc.start(2, {}, FastRng(1))
    path = tmp_path / "observation.toml"
    with pytest.raises(UsageError, match=r"leduc does not say what its observations mean: it has no observation\.toml"):
        observation_spec("leduc", path, state, [])
    path.write_text('[[field]]\nname = "hand"\nmeaning = "a card"\n')
    with pytest.raises(DataError, match="has 1 fields, but a state of leduc has 7"):
        observation_spec("leduc", path, state, [])
    other = tmp_path / "other.toml"
    other.write_text('[[field]]\nname = "hand"\nmeaning = "a card"\nhihg = 3\n')
    with pytest.raises(DataError, match=r"other\.toml: Object contains unknown field `hihg`"):
        observation_spec("leduc", other, state, [])


def page() -> str:
    """What is written there before the first table, and the tables."""
    written = PAGE.read_text("utf-8").partition("\n## ")[0].rstrip("\n")
    return "\n".join([written, "", *(line for game in GAMES for line in table(game))])


def table(game: Game) -> list[str]:
    """The fields of a game with how many numbers and features each has."""
    spec = spec_of(game)
    lines = [
        f"## {game.id}",
        "",
        f"{len(spec.columns)} numbers, {len(spec.features)} features, {game.seats[-1]} seats.",
        "",
    ]
    lines += ["| field | numbers | bounds | features | meaning |", "|---|---|---|---|---|"]
    made = [spec.columns[step.column].name.partition(".")[0] for step in spec.steps(0)]
    for name in dict.fromkeys(column.name.partition(".")[0] for column in spec.columns):
        mine = [column for column in spec.columns if column.name.partition(".")[0] == name]
        named = [feature.name for feature in spec.features if re.split(r"[.?]", feature.name)[0] == name]
        shown = f"`{named[0]}`" + (f" … `{named[-1]}` ({len(named)})" if len(named) > 1 else "") if named else ""
        assert made.count(name) == len(named)
        bounds = f"{mine[0].low} to {mine[0].high}"
        lines.append(f"| `{name}` | {len(mine)} | {bounds} | {shown} | {mine[0].meaning} |")
    return [*lines, ""]


def test_the_page_is_made_from_the_games() -> None:
    assert PAGE.read_text("utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
