"""Words in the browser: both formatters say the same, and what is right stands in `words.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.engine.languages import LANGUAGES, plural_form
from polikarp.engine.words import Words, plain
from polikarp.web.scripts import layers
from tests.web.node import answers, bundled

VECTORS: dict[str, Any] = msgspec.json.decode((Path(__file__).parent / "words.json").read_bytes())
NUMBERS = [*range(-3, 125), 1000, 1001, 1_000_000]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled("words.ts", tmp_path_factory.mktemp("words"))


def words() -> Words:
    return Words(VECTORS["words"]["pl"], "pl", Words(VECTORS["words"]["en"], "en"))


def args_of(given: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def test_both_say_what_is_right(client: Path) -> None:
    said = VECTORS["said"]
    right = [sentence for _key, _args, sentence in said]
    assert [words().say("event", key, args_of(args), VECTORS["names"]) for key, args, _sentence in said] == right
    given = {"layers": layers(words(), {"event": {"*"}}), "group": "event", "names": VECTORS["names"]}
    assert answers("words.mjs", [client], [{**given, "key": key, "args": args} for key, args, _ in said]) == right


def test_keys_in_plain_words(client: Path) -> None:
    keys, right = zip(*VECTORS["plain"], strict=True)
    assert [plain(key) for key in keys] == list(right)
    assert answers("words.mjs", [client], [{"key": key} for key in keys]) == list(right)


def test_plural_forms_of_all_languages(client: Path) -> None:
    languages = [*LANGUAGES, "xx"]
    asked = [{"language": language, "numbers": NUMBERS} for language in languages]
    right = [[plural_form(language, number) for number in NUMBERS] for language in languages]
    assert answers("words.mjs", [client], asked) == right


def test_of_texts_below_others_only_those_go_along_that_can_be_said() -> None:
    top = Words({"event": {"a": "{x}", "b": "{x} {y}", "c": "top"}}, "pl", Words({"event": ALL}, "en"))
    made = layers(top, {"event": {"a", "b", "n*"}})
    assert [layer["texts"] for layer in made] == [
        {"event": {"a": "{x}", "b": "{x} {y}"}},
        {"event": {"b": "{x}", "new": "en"}},
    ]


ALL = {"a": "{x} {y}", "b": "{x}", "c": "en", "new": "en", "other": "en"}
