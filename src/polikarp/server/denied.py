"""Refusals that are the server's own: a key with arguments, and the sentence in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from polikarp.engine.game import LANGUAGES, Game
from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.words import Words
from polikarp.server.messages import Reason

WORDS = Path(__file__).parent / "words"


class Denied(Exception):
    """Something can not be done. `status` is what HTTP calls it."""

    def __init__(self, key: str, args: dict[str, Arg] | None = None, status: int = 409) -> None:
        super().__init__(key)
        self.refusal = Refusal("", key, args or {})
        self.status = status
        self.command: str | None = None  # the id of the message that is refused, where it has one
        self.game: Game | None = None
        self.names: Sequence[str] = ()

    @classmethod
    def by_rules(cls, refusal: Refusal, game: Game, names: Sequence[str]) -> Denied:
        """A rule of the game is the reason: its words are the game's."""
        denied = cls(refusal.key, refusal.args)
        denied.refusal, denied.game, denied.names = refusal, game, names
        return denied

    def reason(self, language: str) -> Reason:
        words = self.game.words(language) if self.game is not None else server_words(language)
        text = words.say("refusal", self.refusal.key, self.refusal.args, self.names)
        return Reason(self.refusal.key, self.refusal.rule, self.refusal.args, text)


@cache
def server_words(language: str) -> Words:
    return Words.load(WORDS / f"{language}.toml", language)


def best_language(wanted: str) -> str:
    """The first language that we speak out of an Accept-Language header; English where there is none."""
    for part in wanted.split(","):
        tag = part.split(";")[0].strip().lower()[:2]
        if tag in LANGUAGES:
            return tag
    return "en"
