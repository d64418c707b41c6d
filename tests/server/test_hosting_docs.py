"""`docs/hosting.md` is true: its commands, options, variables, metrics and log events are those of the program."""

from __future__ import annotations

import argparse
import ast
import configparser
import json
import re
import shlex
from pathlib import Path

import pytest

import polikarp.server
from polikarp.cli import build_parser
from polikarp.server import serve, settings, tables
from polikarp.server.settings import ServerSettings
from polikarp.store import GAP
from tests.server.playing import Guest, serving, wait_until

PAGE = Path(__file__).parents[2] / "docs" / "hosting.md"
TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
SPANS = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
VARIABLES = {f"POLIKARP_{name.upper()}" for name in ServerSettings.__struct_fields__}


def command_lines() -> list[str]:
    """Every `polikarp …` that the page shows or mentions, and that of the systemd unit."""
    shown = [line[2:] for kind, block in BLOCKS if kind == "console" for line in block.splitlines()]
    mentioned = [span for span in SPANS if span.startswith("polikarp ")]
    return [*shown, *mentioned, unit()["Service"]["ExecStart"].rpartition("/")[2]]


def unit() -> configparser.ConfigParser:
    """The systemd unit. Settings that are there twice count once."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(next(block for kind, block in BLOCKS if kind == "ini"))
    return parser


def subcommand(name: str) -> argparse.ArgumentParser:
    commands = next(action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = commands.choices[name]
    return parser


def options_of(name: str) -> set[str]:
    options = {option for action in subcommand(name)._actions for option in action.option_strings}
    return {option for option in options if option.startswith("--")} - {"--help"}


@pytest.mark.parametrize("line", command_lines())
def test_every_command_can_be_parsed(line: str) -> None:
    words = shlex.split(line)
    assert words[0] == "polikarp"
    assert "run" in build_parser().parse_args(words[1:])


def test_all_commands_for_hosts_are_shown() -> None:
    shown = {shlex.split(line)[1] for line in command_lines()}
    assert shown >= {"serve", "token", "backup", "restore", "check"}


def test_options_and_variables_are_those_of_the_program() -> None:
    mentioned = {word for span in SPANS if span.startswith("--") for word in re.findall(r"--[a-z-]+", span)}
    assert mentioned == options_of("serve")
    assert set(re.findall(r"POLIKARP_[A-Z_]+", TEXT)) == VARIABLES
    for name in ServerSettings.__struct_fields__:
        assert f"| `--{name.replace('_', '-')}` | `POLIKARP_{name.upper()}` |" in TEXT
    for command in ("token", "backup", "restore", "check"):
        assert options_of(command) <= {"--data", "--database", "--days"}


def test_variables_do_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of the page are taken as settings; the command line wins."""
    for name in (*VARIABLES, "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    given: dict[str, str | None] = dict.fromkeys(ServerSettings.__struct_fields__)
    plain = settings.read_settings(given)
    assert plain.data == Path("/home/ada/.local/share/polikarp")
    assert "`~/.local/share/polikarp`" in TEXT
    assert re.search(rf"`POLIKARP_HOST` \| `{plain.host}`", TEXT)
    assert re.search(rf"`POLIKARP_PORT` \| `{plain.port}`", TEXT)
    for assignment in re.findall(r"POLIKARP_[A-Z_]+=\S+", TEXT):
        monkeypatch.setenv(*assignment.split("=", 1))
    read = settings.read_settings(given)
    assert read.public_url == "https://play.example.org"
    assert str(read.place).startswith("postgresql://")
    assert settings.read_settings({**given, "host": "::1"}).host == "::1"


def test_the_unit_brings_the_server_back() -> None:
    service = unit()["Service"]
    assert service["Restart"] == "always"
    assert unit()["Unit"]["StartLimitIntervalSec"] == "0"
    assert int(service["TimeoutStopSec"]) > serve.STOP_SECONDS
    assert f"POLIKARP_DATA=/var/lib/{service['StateDirectory']}" in TEXT


def test_metrics_and_log_lines_are_those_of_a_running_server(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        guest = Guest(server.url)
        metrics = set(re.findall(r"^# TYPE (\w+)", guest.http.get("/metrics").text, re.MULTILINE))
        assert guest.get("/healthz")["ok"] is True
        wait_until(lambda: "started" in server.log.read_text())
        guest.close()
    named = {span for span in SPANS if span.startswith("polikarp_")}
    assert named == metrics
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["started", "stopping", "stopped"]
    example = next(block for kind, block in BLOCKS if kind == "text")
    assert set(json.loads(example)) == set(lines[0])
    files = {path.name for path in (tmp_path / "data").iterdir()}
    assert files == {"polikarp.sqlite", "polikarp.sqlite.lock", "key"}
    assert all(f"`{name}`" in TEXT for name in files)


def test_every_event_of_the_log_is_explained() -> None:
    logged = set()
    for module in Path(polikarp.server.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) == "log"
                and isinstance(node.args[0], ast.Constant)
            ):
                logged.add(str(node.args[0].value))
    table = TEXT.partition("| event |")[2].partition("\n\n")[0]
    explained = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")
    }
    assert explained == logged


def test_the_numbers_are_those_of_the_code() -> None:
    for phrase in (
        f"pings every socket each {serve.PING_SECONDS:.0f} seconds",
        f"a sign of life every second, and one that was not heard for {GAP:.0f} seconds counts as dead",
        f"After {GAP:.0f} seconds the others",
        f"which is {settings.PORT} unless",
    ):
        assert phrase in TEXT, phrase
    assert tables.BEAT_SECONDS == 1.0
    assert serve.STOP_SECONDS < 10
    assert "stops within ten seconds" in TEXT


def test_figures_have_their_place() -> None:
    assert re.search(r"^## Sizes to expect$", TEXT, re.MULTILINE)
    assert "`python benchmarks/load.py`" in TEXT
