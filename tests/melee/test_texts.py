"""What Melee says of its rules: in rulebooks, on cards, in helps and in the log, in both languages."""

from __future__ import annotations

import re

import pytest

from polikarp.engine.phrase import Arg
from polikarp.engine.words import house_languages
from polikarp.games.melee import game
from polikarp.games.melee.boards import PROVINCES

NAMES = ("Ala", "Bo", "Celina", "Dan")
PLACES = {"M": "Pieskowe Skały", "L": "Jezioro Czarsztyńskie", "F": "Czarnolas"}


def rule(language: str, number: str) -> str:
    paragraphs = game.rulebook(language).split("\n\n")
    return next(one for one in paragraphs if one.startswith(f"**{number}** "))


def word(language: str, path: str) -> str:
    group, key = path.split(".")
    found = game.words(language).tables[group][key]
    return str(found["text"] if group == "ability" else found)


def said(language: str, group: str, key: str, **args: Arg) -> str:
    return game.words(language).say(group, key, args, NAMES)


@pytest.mark.parametrize(
    ("language", "number", "says", "not_so"),
    [
        ("en", "melee.14", "more standing bids than units in reserve", "mere marker"),
        ("pl", "melee.14", "więcej twoich stawek, niż masz jednostek w zasobach", "nie zmniejsza zasobów"),
        ("en", "melee.25", "legal sequence of actions", "20,000 situations"),
        ("en", "melee.25", "20,000 positions", "20,000 situations"),
        ("pl", "melee.25", "20 000 pozycji", "20 000 sytuacji"),
        ("en", "melee.42", "attack from there", "they may then go on"),
        ("pl", "melee.42", "stamtąd zaatakować", "działać dalej"),
        ("en", "melee.44", "may attack but not ride on", "or a capture, before"),
        ("pl", "melee.44", "może zaatakować, ale nie jedzie dalej", "albo przejęcia katapulty"),
        ("en", "melee.55", "up to two provinces", "reaches two"),
        ("pl", "melee.55", "do dwóch prowincji", "na dwie prowincje"),
        ("en", "melee.57", "wins the game at once", ""),
        ("pl", "melee.57", "od razu wygrywa", ""),
        ("en", "melee.58", "can not be used in the same season", ""),
        ("pl", "melee.58", "nie wolno w tej samej porze roku użyć", ""),
        ("en", "melee.60", "with two only the lake, and with three neither", "(the lake and the forest)"),
        ("pl", "melee.60", "przy dwóch tylko jezioro, a przy trzech nie ma żadnego", "(jezioro i las)"),
        ("en", "melee.a17", "up to two provinces far from anywhere, but never into the mountains", "reach two"),
        ("pl", "melee.a17", "do dwóch prowincji, ale nigdy w góry", "na dwie prowincje"),
    ],
)
def test_the_rulebook_says_what_the_rules_are(language: str, number: str, says: str, not_so: str) -> None:
    """melee.14, 25, 42, 44, 55, 57, 58, 60, a17."""
    text = rule(language, number)
    assert says in text
    assert not not_so or not_so not in text


def test_which_boards_have_lake_and_forest() -> None:
    """melee.60: what the rulebooks say of the three boards is so."""
    marked = {players: {at for at in range(15) if board.marked >> at & 1} for players, board in game.boards.items()}
    lake, forest = PROVINCES.index("L"), PROVINCES.index("F")
    assert marked == {4: {lake, forest}, 3: set(), 2: {lake}}


@pytest.mark.parametrize(
    ("language", "path", "says"),
    [
        ("en", "ability.trebuchet", "up to two provinces far, but never into the mountains"),
        ("pl", "ability.trebuchet", "do dwóch prowincji, ale nigdy w góry"),
        ("en", "ability.forced_march", "empty or your own"),
        ("pl", "ability.forced_march", "pustą albo twoją"),
        ("en", "ability.mountain_paths", "recruited in the mountains"),
        ("pl", "ability.mountain_paths", "powoływać w górach"),
        ("en", "ability.veterans", "stays where it attacked from"),
        ("pl", "ability.veterans", "zostaje tam, skąd atakował"),
        ("en", "help.withdraw", "where the attack came from"),
        ("pl", "help.withdraw", "skąd wyszedł atak"),
        ("en", "help.march", "empty or your own"),
        ("pl", "help.march", "pustą albo twoją"),
        ("en", "help.go", "a knight may then attack, but not ride on"),
        ("pl", "help.go", "rycerz może potem zaatakować, ale nie jedzie dalej"),
        ("en", "help.offer", "needs a unit in your reserve"),
        ("pl", "help.offer", "jednostkę w zasobach"),
    ],
)
def test_cards_and_helps_say_what_the_rules_are(language: str, path: str, says: str) -> None:
    """melee.14, 42, 50, a14, a15, a17, a19."""
    assert says in word(language, path)


@pytest.mark.parametrize("key", ["falls", "beaten"])
def test_a_lost_unit_returns_to_the_reserve_and_its_owner_goes_nowhere(key: str) -> None:
    """melee.49: it is the unit that returns."""
    args: dict[str, Arg] = {"seat": 0, "whose": 0, "unit": "soldier", "province": "R1"}
    english, polish = (said(language, "event", key, **args) for language in ("en", "pl"))
    assert english == "Ala loses the soldier in R1: it returns to its owner's reserve."
    assert polish == "Ala traci piechura z R1: jednostka wraca do zasobów właściciela."


# What is made by us.


def test_abilities_are_called_made_by_us() -> None:
    """The rulebook has none of the twenty: nothing of them is reconstructed. The boards are."""
    assert game.data["ability"]["source"] == "made by us"
    assert {game.data["board"][players]["source"] for players in "234"} == {"reconstructed"}
    marks = {"en": ("made by us", "reconstructed"), "pl": ("wymyślone przez nas", "odtworzone")}
    heads = {"en": "## Abilities\n", "pl": "## Zdolności\n"}
    for language, (ours, rebuilt) in marks.items():
        told = game.rulebook(language).split(heads[language])[1].split("\n## ")[0]
        assert ours in told
        assert rebuilt not in told
        assert ours in word(language, "page.abilities_ours").lower()
        assert ours in word(language, "facts.sources")


@pytest.mark.parametrize(("language", "ours"), [("en", "made by us"), ("pl", "wymyślone przez nas")])
def test_the_terminal_says_that_abilities_are_made_by_us(language: str, ours: str) -> None:
    table = game.deal(3, seed=1, rules="advanced")
    told = game.explain(table.view(0), game.words(language))
    assert len(told) == 5, "four cards, and whose they are"
    assert ours in told[-1]
    basic = game.deal(3, seed=1)
    assert game.explain(basic.view(0), game.words(language)) == []


# The names of places.


@pytest.mark.parametrize("language", house_languages())
def test_every_province_can_be_said(language: str) -> None:
    """The three named places bear the rulebook's names beside their letters, in every form; the others are letters."""
    terms = game.words(language).tables["term"]["province"]
    assert list(terms) == list(PROVINCES)
    for letters, forms in terms.items():
        assert forms["name"] == PLACES.get(letters, letters)
        for form, text in forms.items():
            assert form == "name" or re.search(rf"\b{letters}\b", text), text


@pytest.mark.parametrize(
    ("target", "english", "polish"),
    [
        ("M", "from R1 to Pieskowe Skały (M).", "z R1 w Pieskowe Skały (M)."),
        ("L", "from R1 to Jezioro Czarsztyńskie (L).", "z R1 nad Jezioro Czarsztyńskie (L)."),
        ("F", "from R1 to Czarnolas (F).", "z R1 do Czarnolasu (F)."),
        ("Y1", "from R1 to Y1.", "z R1 do Y1."),
    ],
)
def test_the_log_names_places(target: str, english: str, polish: str) -> None:
    args: dict[str, Arg] = {"seat": 0, "unit": "soldier", "province": "R1", "target": target}
    assert said("en", "event", "go", **args).endswith(english)
    assert said("pl", "event", "go", **args).endswith(polish)


def test_prompts_and_refusals_name_places() -> None:
    unit: dict[str, Arg] = {"unit": "knight", "province": "L"}
    assert said("en", "prompt", "move", **unit).startswith("The knight in Jezioro Czarsztyńskie (L)")
    assert said("pl", "prompt", "move", **unit).startswith("Rycerz nad Jeziorem Czarsztyńskim (L)")
    refused = said("pl", "refusal", "no_mountains", **unit, target="M")
    assert "ani wejść w Pieskowe Skały (M), ani tam zaatakować" in refused


@pytest.mark.parametrize(("players", "there"), [(2, "ML"), (3, "M"), (4, "MLF")])
@pytest.mark.parametrize("language", house_languages())
def test_the_terminal_names_places_beside_their_letters(players: int, there: str, language: str) -> None:
    table = game.deal(players, seed=1)
    lines = game.table_text(table.view(0), game.words(language), NAMES[:players])
    for letter, name in PLACES.items():
        assert any(re.match(rf"  {letter} .*{name}", line) for line in lines) == (letter in there)
