"""A game as the house knows it: who may play with which factions, and what it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.words import house_languages
from polikarp.games import all_games

gold = all_games()["gold"]
crypt = all_games()["crypt"]


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_there_are_enough_factions_or_none(game: Game) -> None:
    assert len(set(game.factions)) == len(game.factions)
    assert not game.factions or len(game.factions) >= game.seats[-1]
    for language in house_languages():
        assert set(game.words(language).tables.get("term", {}).get("faction", {})) == set(game.factions)
    for seats in game.seats:
        assert game.seat_factions(seats) == list(game.factions[:seats])


@pytest.mark.parametrize(
    ("chosen", "factions"),
    [
        ([], ["dragons", "insects", "trolls"]),
        (["demons"], ["demons", "insects", "trolls"]),
        (["trolls"], ["trolls", "insects", "dragons"]),
        (["", "", "dragons"], ["trolls", "insects", "dragons"]),
        (["insects", "dragons", ""], ["insects", "dragons", "trolls"]),
        (["trolls", "dragons", "insects"], ["trolls", "dragons", "insects"]),
    ],
)
def test_who_does_not_mind_gets_a_faction_that_is_left(chosen: list[str], factions: list[str]) -> None:
    """The one that goes with the seat, if nobody chose it."""
    table = gold.deal(3, seed=1, factions=chosen)
    assert table.factions == factions
    assert [player.faction for player in table.view(0).board.players] == factions


@pytest.mark.parametrize(
    ("game", "chosen", "reason"),
    [
        (gold, ["wolves"], "no faction 'wolves'; the factions are: dragons, insects"),
        (gold, ["", "trolls", "trolls"], "trolls is named twice"),
        (gold, ["trolls", "", "", "undead"], "4 factions are named for 3 seats"),
        (crypt, ["trolls"], "no faction 'trolls'; the factions are: none"),
    ],
)
def test_a_faction_that_can_not_be_had_is_named(game: Game, chosen: list[str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        game.deal(3, seed=1, factions=chosen)


class Bare(Game):
    id = "bare_bones"
    version = 1
    seats = range(2, 3)
    longest = 1


def test_a_game_without_a_word_has_a_title_and_a_rulebook(tmp_path: Path) -> None:
    game = Bare()
    game.folder = tmp_path
    assert (game.title("pl"), game.tagline("pl"), game.rulebook("pl")) == ("Bare bones", "", "")
    assert (game.languages(), game.spoken()) == ([], house_languages())
    (tmp_path / "rulebook").mkdir()
    (tmp_path / "rulebook" / "en.md").write_text("**bare.1** Play.", "utf-8")
    assert game.rulebook("pl") == "**bare.1** Play."
