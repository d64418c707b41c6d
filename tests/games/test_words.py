"""The words and the rulebook of every game: complete in every language of the house, with nothing left over. What the
rules can say is read from their source, and what they say with which arguments is collected from games played at
random.

`python -m tests.games.test_words` lists what is missing, for every language that anybody has begun."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

import polikarp.engine
from polikarp.engine.game import Game
from polikarp.engine.languages import LANGUAGES
from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Arg, Event, Phrase, Refusal, Refused
from polikarp.engine.rng import FastRng
from polikarp.engine.state import WATCHER, seats_of
from polikarp.engine.table import Table
from polikarp.engine.words import FIELD, PHRASES, files_in, house_languages, leaves, missing, read_words
from polikarp.games import all_games

ENGINE = Path(polikarp.engine.__file__).parent
GAMES = list(all_games().values())
SPOKEN = ("event", "prompt", "refusal")  # groups whose texts are filled in with arguments
NAMES = ("Ala", "Bo", "Celina", "Dan", "Ewa", "Filip", "Gosia", "Hugo")
GAMES_EACH = 4  # random games for each number of seats and each choice of options
ASKED = 50  # moves of which refusals are asked for in one position; the next position asks for others

# What random games do not reach, with arguments as the rules give them.
RARE: dict[tuple[str, str, str], dict[str, Arg]] = {
    ("crypt", "event", "shared_win"): {"seat": (0, 1)},
    ("crypt", "event", "tie_no_dice"): {"seat": 0},
    ("hunters", "event", "catch"): {"place": 1, "priority": 7, "seat": 0, "symbols": "fire bow axe", "value": 3},
    ("hunters", "prompt", "only_slap"): {},
    ("hunters", "refusal", "decks_empty"): {},
    ("hunters", "refusal", "false_start"): {"place": 2},
    ("melee", "event", "shared_win"): {"seat": (0, 1)},
    ("melee", "event", "castle"): {"province": "B0", "seat": 0, "whose": 1},
    ("melee", "event", "act_nothing"): {"seat": 0},
    ("melee", "event", "capture_none"): {"province": "R1", "seat": 0, "whose": 1},
    ("melee", "event", "loot"): {"gold": 1, "seat": 0},
    ("melee", "event", "stays"): {"province": "R1", "seat": 0, "unit": "soldier"},
    ("melee", "refusal", "all_mark_bids"): {"province": "R1", "unit": "knight"},
    ("melee", "refusal", "just_captured"): {"province": "R1", "unit": "catapult"},
    ("melee", "refusal", "just_enter"): {"province": "R1", "target": "R2", "unit": "soldier"},
    ("melee", "refusal", "named_already"): {"value": 2},
    ("melee", "refusal", "no_marker"): {"ability": "moat"},
    ("melee", "refusal", "no_shot_at_mountains"): {"province": "R1", "target": "R2", "unit": "catapult"},
    ("melee", "event", "shot_free"): {"province": "R1", "seat": 0},
}

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
every_language = pytest.mark.parametrize("language", house_languages())
of_each_language = pytest.mark.parametrize(
    ("game", "language"),
    [(game, language) for game in GAMES for language in files_in(game.folder / "words")],
    ids=lambda value: value if isinstance(value, str) else value.id,
)


# What the source says


class Source(NamedTuple):
    """What the rules can tell and refuse, as their source names it."""

    keys: dict[str, set[str]]  # by group
    rules: set[str]  # numbers given with refusals


class Reader:
    """Reads one module. A text handed to `tell`, `Phrase` or `Refusal` can be written there, be one of two, or come
    by a name: then it is any text that the module gives to that variable or parameter."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text("utf-8"))
        self.given: dict[str, list[ast.expr]] = {}
        parameters: dict[str, list[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                parameters[node.name] = [parameter.arg for parameter in node.args.args if parameter.arg != "self"]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.given.setdefault(node.targets[0].id, []).append(node.value)
        for call in self.calls():
            for name, value in zip(parameters.get(called(call), []), call.args, strict=False):
                if ast.unparse(value) != name:  # not just handed on
                    self.given.setdefault(name, []).append(value)

    def calls(self) -> Iterator[ast.Call]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))

    def texts(self, node: ast.expr) -> set[str]:
        """Every text that an expression can be."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return {node.value}
        if isinstance(node, ast.IfExp):
            return self.texts(node.body) | self.texts(node.orelse)
        if isinstance(node, ast.Name) and node.id in self.given:
            return {text for value in self.given[node.id] for text in self.texts(value)}
        raise AssertionError(f"{self.path.name}:{node.lineno}: can not tell which key this is: {ast.unparse(node)}")

    def source(self) -> Source:
        keys: dict[str, set[str]] = {group: set() for group in SPOKEN}
        rules: set[str] = set()
        for call in self.calls():
            if called(call) == "tell":
                keys["event"] |= self.texts(call.args[0])
            elif called(call) == "Phrase":
                keys["prompt"] |= self.texts(call.args[0])
            elif called(call) == "Refusal":
                rules |= self.texts(call.args[0])
                keys["refusal"] |= self.texts(call.args[1])
        return Source(keys, rules - {""})


def called(call: ast.Call) -> str:
    """The bare name of what is called."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


@cache
def source_of(game: Game) -> Source:
    """The game's own modules."""
    own = [Reader(path).source() for path in sorted(game.folder.glob("*.py"))]
    keys = {group: set().union(*(source.keys[group] for source in own)) for group in SPOKEN}
    return Source(keys, set().union(*(source.rules for source in own)))


@cache
def engine_source() -> Source:
    """What the engine says in every game, and in those without a prompt of their own."""
    modules = [Reader(ENGINE / name).source() for name in ("state.py", "table.py", "game.py")]
    return Source({group: set().union(*(source.keys[group] for source in modules)) for group in SPOKEN}, set())


# What the files say


@cache
def own_words(game: Game, language: str) -> dict[str, Any]:
    """What stands in the game's own file."""
    return read_words(game.folder / "words" / f"{language}.toml")


def texts(tables: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text of a file of words, with its path such as `event.push`."""
    return ((".".join(place), value) for place, value in leaves(tables))


def fields(template: str) -> set[str]:
    """The arguments that a template uses."""
    return {field[1] for field in FIELD.finditer(template)}


def rule_numbers(game: Game, language: str) -> list[str]:
    """The numbers that begin a paragraph of the rulebook."""
    paragraphs = game.rulebook(language).split("\n\n")
    found = [re.match(rf"\*\*({game.id}\.a?\d+(?:\.\d+)?[A-Z]?)\*\* \S", paragraph) for paragraph in paragraphs]
    return [number[1] for number in found if number]


# What is said in play


class Said(NamedTuple):
    group: str
    key: str
    args: tuple[tuple[str, Arg], ...]


def said(group: str, phrase: Event | Phrase | Refusal) -> Said:
    return Said(group, phrase.key, tuple(sorted(phrase.args.items())))


def option_choices(game: Game) -> list[dict[str, OptionValue]]:
    """All options at their defaults, and each other sample of each option."""
    others = [(option, sample) for option in game.options for sample in option.samples() if sample != option.default]
    return [{}, *({option.name: sample} for option, sample in others)]


@cache
def heard(game: Game) -> set[Said]:
    """Everything that random games said: events, prompts, and why each move that was not legal was not."""
    found: set[Said] = set()
    for seats in game.seats:
        for options in option_choices(game):
            for number in range(GAMES_EACH):
                found |= play_at_random(Table(game, seats, options, seed=number), FastRng((seats, number)))
    rare = {Said(group, key, tuple(args.items())) for (owner, group, key), args in RARE.items() if owner == game.id}
    return found | rare


def play_at_random(table: Table, rng: FastRng) -> set[Said]:
    """Play to the end; every seat that has a move may be the next, also one that nobody waits for."""
    found: set[Said] = set()
    with pytest.raises(Refused) as no_undo:
        table.undo()
    found.add(said("refusal", no_undo.value.refusal))
    while True:
        found |= hear_table(table)
        if table.over:
            break
        seats = seats_of(table.state.acting())
        seat = seats[rng.below(len(seats))]
        moves = table.state.moves(seat)
        table.play_move(seat, moves[rng.below(len(moves))])
    told = [*table.dealt_events, *(event for step in table.steps for event in step.events)]
    return found | {said("event", event) for event in told}


def hear_table(table: Table) -> set[Said]:
    """The prompts and refusals of one position, for every seat and some of the moves, also some that do not exist."""
    game, state = table.game, table.state
    found = {said("prompt", game.prompt(state.sight(seat), seat)) for seat in range(WATCHER, table.seats)}
    every = max(1, state.move_count() // ASKED)
    for seat in range(table.seats + 1):
        for move in range(len(table.steps) % every - 1, state.move_count() + 1, every):
            refusal = state.why_not(seat, move)
            if refusal is not None:
                found.add(said("refusal", refusal))
    return found


# The tests


def lacks() -> dict[str, dict[str, list[str]]]:
    """By language, and by folder of words: what is missing. Languages of the house need all of it, others what they
    have begun."""
    package = ENGINE.parent
    folders = {"engine": PHRASES, **{name: package / name / "words" for name in ("server", "terminal", "web")}}
    folders |= {game.id: game.folder / "words" for game in GAMES}
    spoken = {language for folder in folders.values() for language in files_in(folder)}
    return {
        language: {
            name: missing(folder, language)
            for name, folder in folders.items()
            if language in house_languages() or language in files_in(folder)
        }
        for language in sorted(spoken)
    }


def test_nothing_is_missing_in_any_language() -> None:
    """In our files: what others add falls back to English, and then to the key in plain words."""
    short = {language: {name: keys for name, keys in of.items() if keys} for language, of in lacks().items()}
    assert not any(short.values()), short


@of_each_language
@pytest.mark.parametrize("group", SPOKEN)
def test_every_key_has_words_and_is_used(game: Game, language: str, group: str) -> None:
    written, own = set(own_words(game, language).get(group, {})), source_of(game).keys[group]
    assert own <= written <= own | engine_source().keys[group]


@every_language
@pytest.mark.parametrize("group", ["prompt", "refusal"])
def test_everything_that_the_engine_says_has_words(language: str, group: str) -> None:
    assert set(read_words(PHRASES / f"{language}.toml")[group]) == engine_source().keys[group]


@of_each_language
def test_moves_and_options_are_explained(game: Game, language: str) -> None:
    tables = own_words(game, language)
    moves = range(game.start(game.seats[0], {}, FastRng(0)).move_count())
    assert set(tables["help"]) == {game.text(move).split()[0] for move in moves}
    assert set(tables.get("option", {})) == {option.name for option in game.options}
    for option in game.options:
        words = tables["option"][option.name]
        named = {str(choice) for choice in option.choices if isinstance(choice, str)}
        assert set(words.get("choices", {})) == named, option.name
        assert ("own" in words) == bool(option.pattern), option.name


@of_each_language
def test_templates_are_well_formed(game: Game, language: str) -> None:
    tables = own_words(game, language)
    terms = tables.get("term", {})
    like = tables.get("args", {}).get("like", {})
    for path, template in texts(tables):
        assert template.strip() == template != "", path
        assert not re.search("[{}]", FIELD.sub("", template)), f"{path}: a brace that begins no field"
        for field in FIELD.finditer(template):
            name, form, joint, variants = field.groups()
            assert path.split(".")[0] in (*SPOKEN, "page", "collector"), f"{path}: this is not filled in"
            if joint:
                assert len(variants.split("|")) == LANGUAGES[language].forms, f"{path}: {field[0]}"
                assert form is None, f"{path}: {field[0]} is a term or a plural, not both"
            elif form or like.get(name, name) in terms:
                for value, forms in terms[like.get(name, name)].items():
                    assert (form or "nom") in forms, f"{path}: {value} has no form for {field[0]}"


@of_each_language
def test_terms_have_the_same_forms(game: Game, language: str) -> None:
    for name, values in own_words(game, language).get("term", {}).items():
        shapes = {tuple(forms) for forms in values.values()}
        assert len(shapes) == 1, f"the values of {name} differ in their forms: {shapes}"


@every_game
@pytest.mark.parametrize("group", SPOKEN)
def test_languages_use_the_same_arguments(game: Game, group: str) -> None:
    used = [
        {key: fields(template) for key, template in own_words(game, language).get(group, {}).items()}
        for language in files_in(game.folder / "words")
    ]
    assert all(one == used[0] for one in used)


@every_game
def test_random_games_say_everything(game: Game) -> None:
    """So that the next test has met every key with the arguments that the rules give."""
    met = {(phrase.group, phrase.key) for phrase in heard(game)}
    own = {(group, key) for group in SPOKEN for key in source_of(game).keys[group]}
    engine = {(group, key) for group in SPOKEN for key in engine_source().keys[group]}
    assert own <= met <= own | engine


@of_each_language
def test_everything_can_be_said(game: Game, language: str) -> None:
    words = game.words(language)
    for group, key, pairs in heard(game):
        args = dict(pairs)
        assert fields(words.template(group, key)) <= args.keys(), f"{group} {key} is given {sorted(args)}"
        sentence = words.say(group, key, args, NAMES)
        assert not re.search(r"[{}|#]|\s{2}", sentence), sentence
        assert sentence.endswith((".", "!", "?")), sentence


@every_game
def test_rulebooks_have_the_same_rules(game: Game) -> None:
    numbers = rule_numbers(game, "en")
    assert set(Counter(numbers).values()) == {1}, "a rule is explained twice"
    for language in files_in(game.folder / "words"):
        assert (game.folder / "rulebook" / f"{language}.md").is_file(), language
        assert rule_numbers(game, language) == numbers, language
        bold = re.findall(r"\*\*(\w+\.a?\d+(?:\.\d+)?\w*)\*\*", game.rulebook(language))
        assert bold == numbers, "a number in bold stands elsewhere than at the beginning of a paragraph"


@of_each_language
def test_rules_that_are_named_are_explained(game: Game, language: str) -> None:
    """Those that refusals, the source, the data and the rulebook itself point at."""
    texts = [path.read_text("utf-8") for path in game.folder.iterdir() if path.suffix in (".py", ".toml")]
    texts.append(game.rulebook(language))
    named = {number for text in texts for number in re.findall(rf"\b{game.id}\.\d+(?:\.\d+)?[A-Z]?", text)}
    assert (named | source_of(game).rules) - set(rule_numbers(game, language)) == set()


@every_game
def test_rulebooks_have_the_same_shape(game: Game) -> None:
    def shape(language: str) -> list[str]:
        marks = [line.split()[0] for line in game.rulebook(language).splitlines() if line]
        return [mark for mark in marks if mark in ("##", "|")]

    assert all(shape(language) == shape("en") for language in files_in(game.folder / "words"))


@of_each_language
def test_every_label_is_shown_somewhere(game: Game, language: str) -> None:
    labels = own_words(game, language).get("label", {})
    if type(game).table_text is Game.table_text:  # which lists the board field by field
        shown = set(msgspec.structs.asdict(game.deal(seed=1).view().board))
    else:
        shown = set(re.findall(r"label\[['\"](\w+)['\"]\]", (game.folder / "text.py").read_text("utf-8")))
    assert set(labels) == shown


def main() -> None:
    for language, folders in lacks().items():
        for name, keys in folders.items():
            print(f"{language} {name}: {', '.join(keys) or 'complete'}")


if __name__ == "__main__":
    main()
