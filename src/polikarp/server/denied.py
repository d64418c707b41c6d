"""Refusals that are the server's own: a key with arguments, and the sentence in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from polikarp.engine.game import Game
from polikarp.engine.phrase import Arg, Refusal
from polikarp.engine.record import OtherRules, RecordError
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
        denied = cls(refusal.key, refusal.args).of(game, names)
        denied.refusal = refusal
        return denied

    def of(self, game: Game, names: Sequence[str]) -> Denied:
        """Something of the game is meant, and people at the table: they are called by their names."""
        self.game, self.names = game, names
        return self

    def reason(self, language: str) -> Reason:
        words = server_words(language)
        if self.game is not None:
            own = self.game.words(language)
            words = own if own.find("refusal", self.refusal.key) else words_of(self.game, language)
        text = words.say("refusal", self.refusal.key, self.refusal.args, self.names)
        return Reason(self.refusal.key, self.refusal.rule, self.refusal.args, text)


def record_denied(mistake: RecordError) -> Denied:
    """A record does not hold here."""
    if isinstance(mistake, OtherRules):
        return Denied("other_rules", {"played": mistake.played, "installed": mistake.installed})
    return Denied("record_fails", {"text": str(mistake)[:200]}, 422)


@cache
def server_words(language: str) -> Words:
    return Words.load(WORDS, language)


@cache
def words_of(game: Game, language: str) -> Words:
    """The server's words, said with the terms of a game."""
    return Words(server_words(language).tables, language, game.words(language))
