"""Crypt with other numbers for its collectors, as an owner of the box may correct them: each of them another one."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from polikarp.games.crypt import CryptGame, game

FIRST = 41  # none of the file's own numbers is so high
LINE = re.compile(r"([AB]) = (\{.*\})")
NUMBER = re.compile("[1-9][0-9]*")


def corrected(folder: Path) -> tuple[CryptGame, dict[str, list[int]]]:
    """The game with a corrected copy of its file, and the new numbers by collector and side, such as `statue B`. Where
    it gives nothing it stays so."""
    fresh = count(FIRST)
    numbers: dict[str, list[int]] = {}
    lines = []
    kind = ""
    for line in (game.folder / "cards.toml").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]").removeprefix("collector.")
        if found := LINE.match(line):
            side, told = found.groups()
            numbers[f"{kind} {side}"] = [next(fresh) for _ in NUMBER.findall(told)]
            new = iter(numbers[f"{kind} {side}"])
            line = f"{side} = " + NUMBER.sub(lambda _, new=new: str(next(new)), told)
        lines.append(line)
    path = folder / "cards.toml"
    path.write_text("\n".join(lines), "utf-8")
    return game.with_data(path), numbers
