"""docs/adding-a-game.md shows its games as they are, and building them is adding a folder. That they are offered and
played on a site is in tests/web."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polikarp.games import all_games
from tests.folders import Copy, games_of_the_page

GAMES = games_of_the_page()
ALL = (".py", ".toml", ".md", ".html", ".css")


@pytest.mark.parametrize("name", GAMES)
def test_the_page_shows_the_games_as_they_are(name: str) -> None:
    folder = (all_games()[name].folder / "__init__.py").resolve().parent  # the compiled build is a tree of links
    files = {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.suffix in ALL and path.parent.name != "__pycache__"
    }
    shown = GAMES[name]
    assert shown == {path: files[path] for path in shown}
    assert all(Path(path).stem in ("pl", "de") for path in files.keys() - shown.keys()), (
        "only translations are not shown"
    )


@pytest.mark.parametrize(("name", "bots"), [("pig", "random,random"), ("leduc", "greedy,random")])
def test_a_folder_made_from_the_page_is_a_whole_game(tmp_path: Path, name: str, bots: str) -> None:
    """A package without it does not know it; with the page's folder added, and nothing else, it plays."""
    copy = Copy(tmp_path, name)
    command = copy.command("simulate", name, "--seats", "2", "--games", "20", "--bots", bots, "--seed", "1", "--json")
    without = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert without.returncode == 2
    assert f"there is no game '{name}'" in without.stderr
    for path, text in GAMES[name].items():
        copy.write(f"games/{name}/{path}", text)
    played = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (played.returncode, played.stderr) == (0, "")
    assert '"games":20' in played.stdout


def test_a_folder_with_a_mistake_says_so_to_who_asks_for_it(tmp_path: Path) -> None:
    copy = Copy(tmp_path).change("games/pig/words/en.toml", 'title = "Pig"', "title = Pig")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(copy.command(*words), cwd=tmp_path, capture_output=True, text=True, check=False)

    asked = run("simulate", "pig", "--seats", "2", "--games", "1", "--bots", "random")
    assert asked.returncode == 2
    assert asked.stderr.startswith(
        "polikarp: the game pig can not be loaded: games/pig/words/en.toml:4: can not be read"
    )
    listed = run("games")
    assert (listed.returncode, listed.stdout.count("seats;")) == (0, 4)
    assert "the game pig is left out: games/pig/words/en.toml:4:" in listed.stderr
