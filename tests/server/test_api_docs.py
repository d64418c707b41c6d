"""`docs/api.md` is true: it names all that the code says and hears, its examples can be read as the typed messages,
and its session is what a server really answers. `python -m tests.server.test_api_docs` writes the session anew.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import importlib
import inspect
import json
import pkgutil
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect

import polikarp.server
from polikarp.engine.game import Result, View
from polikarp.engine.option import Option
from polikarp.engine.strip import Finish, Strip
from polikarp.server import identity, serve
from polikarp.server import messages as say
from polikarp.server.denied import server_words
from polikarp.server.http.guard import COOKIE_SECONDS
from polikarp.server.http.routes import document as openapi
from polikarp.server.limits import Limits
from polikarp.server.table import commands, document, opening, updates
from tests.server.playing import Guest, serving

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
SHARE = bytes.fromhex("00112233445566778899aabbccddeeff")
Structs = tuple[type[msgspec.Struct], ...]
COMMANDS: Structs = get_args(say.Commands)
ANSWERS: Structs = (say.Hello, say.Done, say.Refused, say.Restarting, say.Update, say.Ping, say.Pong)
BODIES: Structs = (say.NewTable, say.NewName, say.Me, say.Made, say.Listed, document.Pace)
PARTS: Structs = (
    say.Update, say.You, say.TableInfo, say.SeatInfo, say.Clock, say.Told, say.ChatLine, say.Cursor, say.Done,
    say.Refused, say.Reason, say.Restarting, say.NewTable, say.Made, say.Me, say.Listed, say.SeatRecord, document.Pace,
    say.GameInfo, say.Replayed, say.Snapshot, Option, View, Result, Strip, Finish,
)  # fmt: skip


def page() -> str:
    return PAGE.read_text("utf-8")


def code_spans(text: str) -> list[str]:
    """What stands in single back-ticks, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def names_in(text: str) -> set[str]:
    """Every name that the code spans of a text mention."""
    return {name for span in code_spans(text) for name in re.findall(r"[a-z_]+", span)}


def row_of(text: str, name: str) -> str:
    """The row of a table in whose first cell this name stands."""
    found = re.search(rf"^\| [^|\n]*`{name}`[^|\n]* \|.*$", text, re.MULTILINE)
    assert found is not None, f"no table has a row for {name}"
    return found[0]


# What the code has, the page names.


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.__name__))
def test_every_command_has_its_row_with_all_its_fields(command: type[msgspec.Struct]) -> None:
    row = row_of(page(), str(command.__struct_config__.tag))
    fields = {field.name for field in msgspec.structs.fields(command)} - {"id"}
    named = names_in(row.split("|")[2])
    assert named == fields
    for field in msgspec.structs.fields(command):
        if field.name != "id":
            assert (f"`{field.name}`?" in row) is not field.required, f"{field.name}: ? marks what may be left out"


def test_no_command_is_made_up() -> None:
    table = page().partition("| command |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z_]+)` \|", table, re.MULTILINE)) == {
        str(command.__struct_config__.tag) for command in COMMANDS
    }


@pytest.mark.parametrize("part", PARTS, ids=lambda part: str(part.__name__))
def test_every_field_is_named(part: type[msgspec.Struct]) -> None:
    assert {field.name for field in msgspec.structs.fields(part)} - names_in(page()) == set()


def test_every_field_of_an_update_and_of_a_table_has_its_row() -> None:
    for part in (say.Update, say.TableInfo, say.SeatInfo):
        for field in msgspec.structs.fields(part):
            row_of(page(), field.name)


def test_every_stage_and_status_has_its_row() -> None:
    stages = {value for name, value in vars(document).items() if name.isupper() and isinstance(value, str)}
    assert len(stages) == 6
    statuses = {
        node.value
        for assigned in ast.walk(ast.parse(inspect.getsource(updates.seat_info)))
        if isinstance(assigned, ast.Assign) and ast.unparse(assigned.targets[0]) == "status"
        for node in ast.walk(assigned)
        if isinstance(node, ast.Constant)
    }
    assert len(statuses) == 5
    for name in stages | statuses:
        row_of(page(), str(name))


def calls(name: str) -> Iterator[tuple[ModuleType, ast.Call]]:
    """Every place in the server where something of this name is called."""
    for module in pkgutil.iter_modules(polikarp.server.__path__, "polikarp.server."):
        loaded = importlib.import_module(module.name)
        for node in ast.walk(ast.parse(inspect.getsource(loaded))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
                yield loaded, node


def test_every_close_code_has_its_row() -> None:
    names = [(loaded, ast.unparse(call.args[0])) for loaded, call in calls("close") if call.args]
    codes = {getattr(loaded, name, None) for loaded, name in names}
    codes = {code for code in codes if isinstance(code, int)}
    assert codes >= {4400, 4408, 4429, 1012}
    for code in codes:
        row_of(page(), str(code))


def test_refusals_stand_by_their_status() -> None:
    statuses: dict[str, set[str]] = {}
    for _, call in calls("Denied"):
        if isinstance(call.args[0], ast.Constant):
            given = [word.value for word in call.keywords if word.arg == "status"] + call.args[2:]
            statuses.setdefault(str(call.args[0].value), set()).add(ast.unparse(given[0]) if given else "409")
    known = server_words("en").tables["refusal"]
    rows = re.findall(r"^\| ([345][\d, ]+) \| (.*?) \|", page(), re.MULTILINE)
    assert len(rows) > 6
    for numbers, keys in rows:
        for key in names_in(keys) - {"stage_"}:
            assert key in known
            assert statuses.get(key, set(numbers.split(", "))) & set(numbers.split(", ")), key


def test_every_address_is_named() -> None:
    named = set(re.findall(r"`((?:GET|PUT|POST) /[^`?\s]*)", page()))
    wanted = {
        f"{method.upper()} {path.replace('{table}', 'ID').replace('{code}', 'CODE')}"
        for path, methods in openapi()["paths"].items()
        for method in methods
        if path != "/healthz"  # for hosts, not for clients
    }
    assert wanted <= named
    assert "/api/tables/ID/socket" in page()


def test_the_numbers_are_those_of_the_code() -> None:
    text = page()
    limits = Limits()
    for phrase in (
        f"{limits.messages.rate:.0f} a second, {limits.messages.burst:.0f} at once",
        f"{limits.pongs.rate:.0f} pongs a second, {limits.pongs.burst:.0f} at once",
        f"{limits.slaps.rate:.0f} slaps a second, {limits.slaps.burst:.0f} at once",
        f"within {limits.hello_seconds:.0f} seconds",
        f"more than {limits.strikes} ",
        f"{limits.body_bytes // 1024} KiB",
        f"{serve.MESSAGE_BYTES // 1024} KiB",
        f"{limits.record_bytes // 1024} KiB",
        f"{COOKIE_SECONDS // 86400} days",
        f"{limits.person_sockets} sockets",
        f"1 to {identity.NAME_LETTERS} visible letters",
        f"{commands.REVEAL_SECONDS:.0f} seconds",
        f"{limits.chat_lines} lines",
        f"the last {document.REMEMBERED} ",
        f"{limits.grace_seconds:.0f} seconds",
        f"{opening.CODE_LENGTH} letters",
        *(f"{document.default_absence(document.Pace(kind))} for `{kind}`" for kind in ("none", "live", "relaxed")),
    ):
        assert phrase in text, phrase
    for limit, words in ((limits.asking, "all requests"), (limits.making, "new tables"), (limits.guessing, "codes")):
        assert re.search(rf"\| {words}[^|]*\| {limit.rate:g} a second, {limit.burst:.0f} at once", text), words
    for kind, seconds in document.PACES.items():
        assert f"`{kind}`" in text
        assert f"{seconds[0]} to {seconds[-1]}" in text or len(seconds) == 1


# What the page shows, the code reads.


def examples() -> Iterator[str]:
    yield from re.findall(r"```json\n(.*?)```", page(), re.DOTALL)
    for span in code_spans(page()):
        if span.startswith("{"):
            yield span


def test_examples_can_be_read_as_typed_messages() -> None:
    kinds = {kind.__struct_config__.tag: kind for kind in (*COMMANDS, *ANSWERS)}
    count = 0
    for text in examples():
        count += 1
        example = json.loads(text)
        if "type" in example:
            wanted = [kinds[example["type"]]]
        else:
            wanted = [kind for kind in BODIES if set(example) <= set(kind.__struct_fields__)]
        assert wanted, text
        read: Any = msgspec.json.decode(text, type=wanted[0])
        assert set(example) <= {"type", *wanted[0].__struct_fields__}
        if isinstance(read, say.Update):
            assert set(example) == {"type", *say.Update.__struct_fields__}
            msgspec.json.decode(bytes(read.table), type=say.TableInfo)
            assert set(example["table"]) == set(say.TableInfo.__struct_fields__)
            assert set(example["view"]) == set(View.__struct_fields__)
    assert count >= 9


# The session: Ada opens a table and plays against Ben; what goes over her line is written down.


class Session:
    """One client's side of a game, line by line."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lines: list[str] = []
        self.first: dict[str, Any] = {}  # the first update after the deal, whole
        self.last: dict[str, Any] = {}
        self.counts = {"log": 0, "chat": 0}
        self.number = 0
        self.line: ClientConnection | None = None

    def note(self, sign: str, text: str) -> None:
        self.lines.append(f"{sign} {text}")

    def ask(self, guest: Guest, method: str, path: str, body: Any = None) -> Any:
        self.note(">", f"{method} {path} {compact(body) if body is not None else ''}".rstrip())
        response = guest.http.request(method, path, json=body) if body is not None else guest.http.get(path)
        answer = response.json()
        self.note("<", f"{response.status_code} {shown(answer)}")
        return answer

    async def open(self, guest: Guest, table: str) -> None:
        path = f"/api/tables/{table}/socket"
        self.note(">", f"GET {path}")
        self.line = await connect(self.url.replace("http", "ws", 1) + path, additional_headers=guest.headers())
        self.note("<", "101")
        hello: dict[str, Any] = {"type": "hello"}
        if self.last:
            hello["seen"] = [{"seat": self.last["seat"], "number": self.last["number"], **self.counts}]
        await self.send(hello)
        await self.hear("update")

    async def lose(self) -> None:
        assert self.line is not None
        await self.line.close()
        self.lines.append("  … the connection is lost; meanwhile Ben plays, and says hello …")

    async def send(self, message: dict[str, Any]) -> None:
        assert self.line is not None
        self.note(">", compact(message))
        await self.line.send(compact(message))

    async def hear(self, kind: str) -> dict[str, Any]:
        assert self.line is not None
        async with asyncio.timeout(30):
            text = str(await self.line.recv())
        message: dict[str, Any] = json.loads(text)
        assert message["type"] == kind, text
        if kind == "update":
            self.note("<", shown(changed(self.last, message)))
            self.last = message
            self.counts = {name: message[f"{name}_from"] + len(message[name]) for name in ("log", "chat")}
            if not self.first and message["view"]:
                self.first = message
        else:
            self.note("<", shown(message))
        return message

    async def do(self, kind: str, **fields: Any) -> dict[str, Any]:
        """A command that is carried out, and the update that tells of it."""
        self.number += 1
        await self.send({"type": kind, "id": f"a{self.number}", **fields})
        await self.hear("done")
        return await self.hear("update")

    async def fail(self, kind: str, **fields: Any) -> None:
        self.number += 1
        await self.send({"type": kind, "id": f"a{self.number}", **fields})
        await self.hear("refused")


def compact(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


CUT = "…"


def changed(before: Any, after: Any, name: str = "") -> Any:
    """What differs, and always the type, the seat and the number."""
    if isinstance(before, dict) and isinstance(after, dict):
        kept = ("type", "seat", "number") if "number" in after else ()
        return {
            key: changed(before.get(key), value, key)
            for key, value in after.items()
            if key in kept or key not in before or before[key] != value
        }
    if name == "seats" and isinstance(before, list):
        return [changed(old, new) if old != new else CUT for old, new in zip(before, after, strict=True)]
    return after


def shown(value: Any, name: str = "") -> str:
    """As JSON, with what is long cut short."""
    match value:
        case "…":
            return CUT
        case dict() if name in ("board", "options") or (name == "args" and len(value) > 2):
            return f"{{{CUT}}}"
        case dict():
            return "{" + ",".join(f'"{key}":{shown(one, key)}' for key, one in value.items()) + "}"
        case list() if len(value) > 3 and name != "seats":
            return "[" + ",".join(shown(one) for one in value[:2]) + f",{CUT}]"
        case list():
            return "[" + ",".join(shown(one) for one in value) + "]"
        case str() if len(value) > 32 and re.fullmatch(r"[0-9a-f]+", value):
            return f'"{value[:8]}{CUT}"'
        case _:
            return compact(value)


async def converse(url: str) -> Session:
    """The whole session. The shuffle decides who begins: if it is not Ada, they deal again."""
    while True:
        session = Session(url)
        ada, ben = Guest(url), Guest(url)
        ben.http.put("/api/me", json={"name": "Ben"}).raise_for_status()
        try:
            if await play(session, ada, ben):
                return session
        finally:
            if session.line is not None:
                await session.line.close()
            ada.close()
            ben.close()


async def play(session: Session, ada: Guest, ben: Guest) -> bool:
    session.ask(ada, "PUT", "/api/me", {"name": "Ada"})
    table = session.ask(ada, "POST", "/api/tables", {"game": "crypt", "seats": 2})["table"]
    await session.open(ada, table)
    await asyncio.to_thread(ben.do, table, "sit")
    await session.hear("update")
    await session.do("commit", seat=0, commitment=hashlib.sha256(SHARE).hexdigest())
    await session.do("start")
    update = await session.do("reveal", seat=0, share=SHARE.hex())
    send = next((move for move in update["view"]["moves"] if move.startswith("send 1x2 at ")), None)
    if update["view"]["waiting"] != [0] or send is None:
        return False
    old = update["prompt"]
    update = await session.do("move", seat=0, prompt=old, move=send)
    await session.fail("why", seat=0, move=send)
    update = await session.do("undo", seat=0, prompt=update["prompt"])
    await session.fail("move", seat=0, prompt=old, move=send)
    update = await session.do("move", seat=0, prompt=update["prompt"], move=send)
    await session.do("move", seat=0, prompt=update["prompt"], move="done")
    await session.lose()
    await asyncio.to_thread(take_turn, ben, table)
    await session.open(ada, table)
    lines = len(session.lines)
    while session.last["table"]["stage"] == "playing":
        if session.last["view"]["waiting"] == [0]:
            await session.do("move", seat=0, prompt=session.last["prompt"], move=session.last["view"]["moves"][-1])
        else:
            await asyncio.to_thread(step, ben, table)
            await session.hear("update")
    session.lines[lines:-1] = ["  … and so on, until the game is over …"]
    session.ask(ada, "GET", f"/api/tables/{table}/record")
    return True


def step(guest: Guest, table: str) -> bool:
    """One move of somebody who plays by HTTP; says whether it is still their turn."""
    now = guest.get(f"/api/tables/{table}")["updates"][0]
    if 1 not in now["view"]["waiting"]:
        return False
    guest.do(table, "move", seat=1, prompt=now["prompt"], move=now["view"]["moves"][-1])
    return True


def take_turn(guest: Guest, table: str) -> None:
    guest.do(table, "chat", text="Hello!")
    while step(guest, table):
        pass


def marks(lines: list[str]) -> list[str]:
    """What a session is about, without what chance makes of it."""
    kept = []
    for line in lines:
        line = re.sub(r"[\w-]{22}(?![\w-])", "ID", line)
        kind = re.search(r'^[<>] \{"type":"\w+"', line)
        key = re.search(r'"reason":\{"key":"\w+"', line)
        stage = re.search(r'"stage":"\w+"', line)
        start = kind[0] if kind else line[:30]
        kept.append(" ".join([start, *(found[0] for found in (key, stage) if found)]))
    return kept


def session_block(text: str) -> re.Match[str]:
    found = re.search(r"(## A whole session\n.*?```text\n)(.*?)(```)", text, re.DOTALL)
    assert found is not None
    return found


def update_block(text: str) -> re.Match[str]:
    found = re.search(r'(```json\n)(\{\s*"type": "update".*?)(```)', text, re.DOTALL)
    assert found is not None
    return found


def test_the_session_is_what_a_server_answers(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        session = asyncio.run(converse(server.url))
    assert marks(session_block(page())[2].splitlines()) == marks(session.lines)
    assert set(json.loads(update_block(page())[2])["view"]["board"]) <= set(session.first["view"]["board"])


def write_session() -> None:
    """Put a new session into the page."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data") as server:
        session = asyncio.run(converse(server.url))
    text = page()
    for block, content in ((session_block, "\n".join(session.lines)), (update_block, pretty(session.first))):
        found = block(text)
        text = f"{text[: found.start()]}{found[1]}{content}\n{found[3]}{text[found.end() :]}"
    PAGE.write_text(text, "utf-8")


def pretty(update: dict[str, Any]) -> str:
    """An update a field a line, with a few of its moves and a bit of its board."""
    view = update["view"]
    board = {name: view["board"][name] for name in list(view["board"])[:4]}
    return spread({**update, "view": {**view, "moves": view["moves"][:3], "board": board}}, "", 2)


def spread(value: Any, before: str, depth: int) -> str:
    inner = before + "  "
    if isinstance(value, dict) and depth:
        fields = [f'{inner}"{name}": {spread(one, inner, depth - 1)}' for name, one in value.items()]
        return "{\n" + ",\n".join(fields) + f"\n{before}}}" if len(fields) > 3 else json.dumps(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"{inner}{json.dumps(one)}" for one in value) + f"\n{before}]"
    return json.dumps(value)


if __name__ == "__main__":
    write_session()
