"""The package with folders added to it, in a place of its own: what somebody has who adds a game and nothing else."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import polikarp

PACKAGE = Path(polikarp.__file__).parent
COMPILED = ("*.so", "*.pyd", "*.pyc")


class Copy:
    """A copy of the package, uncompiled, without the games that are named."""

    def __init__(self, place: Path, *without: str) -> None:
        self.place = place
        self.package = place / "polikarp"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns(*COMPILED, *without))

    def add_game(self, folder: Path, name: str) -> Copy:
        shutil.copytree(folder, self.package / "games" / name, ignore=shutil.ignore_patterns(*COMPILED))
        return self

    def write(self, path: str, text: str) -> Copy:
        """A file in the package, which may be there already."""
        file = self.package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return self

    def change(self, path: str, old: str, new: str) -> Copy:
        text = (self.package / path).read_text("utf-8")
        assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
        return self.write(path, text.replace(old, new))

    def command(self, *words: str) -> tuple[str, ...]:
        """A command of the copy, such as `serve`."""
        return ("env", f"PYTHONPATH={self.place}", sys.executable, "-m", "polikarp.cli", *words)


def games_of_the_page() -> dict[str, dict[str, str]]:
    """The files that docs/adding-a-game.md shows, by game."""
    page = (Path(__file__).parents[1] / "docs" / "adding-a-game.md").read_text("utf-8")
    found: dict[str, dict[str, str]] = {}
    for game, path, text in re.findall(r"^```\w+ (\w+)/(\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        found.setdefault(game, {})[path] = text
    return found
