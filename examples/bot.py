"""A bot for any game: python examples/bot.py http://127.0.0.1:8765/t/TABLE [TOKEN]"""

import asyncio
import contextlib
import hashlib
import secrets
import sys
from typing import Any
from urllib.request import urlopen

from msgspec.json import decode, encode
from websockets import ConnectionClosed, connect

SHARE = secrets.token_bytes(32)  # in the chance: its hash is promised before the deal, then it is shown


def choose(view: Any) -> Any:
    """Your own idea goes here. `view` is all that the seat may know; one of its moves is to be made."""
    return secrets.choice(view["moves"])


def wish(seat: int | None, prompt: int, table: Any, view: Any) -> dict[str, Any]:
    if seat is None or table["seats"][seat]["status"] == "held":
        return {"type": "sit"} if seat is None else {"type": "take_back", "seat": seat}
    if table["stage"] == "open":
        return {"type": "commit", "seat": seat, "commitment": hashlib.sha256(SHARE).hexdigest()}
    if table["stage"] == "dealing":
        return {"type": "reveal", "seat": seat, "share": SHARE.hex()}
    return {"type": "move", "seat": seat, "prompt": prompt} if seat in view["waiting"] else {}


async def play(address: str, headers: dict[str, str]) -> Any:  # noqa: RET503 (the lines never end)
    """Play to the end, or say why not. On every new line, what may not have been heard is said again."""
    said: list[Any] = [{"type": "hello"}]
    async for line in connect(address, additional_headers=headers, max_size=None):
        with contextlib.suppress(ConnectionClosed):
            await asyncio.gather(*(line.send(encode(message), text=True) for message in said))
            async for news in (decode(text) async for text in line):
                if news["type"] == "update":
                    if news["table"]["stage"] in ("over", "closed", "halted"):
                        return None
                    wanted = wish(news["seat"], news["prompt"], news["table"], news["view"])
                    if not wanted.items() <= said[-1].items():  # we have not said it yet
                        move = {"move": choose(news["view"])} if wanted["type"] == "move" else {}
                        said[1:] = [{"id": secrets.token_hex(8), **wanted, **move}]
                        await line.send(encode(said[1]), text=True)
                elif news["type"] == "refused" and said[-1]["type"] == "sit":
                    return news["reason"]["text"]
                elif news.get("reason", {}).get("key") in ("busy", "restarting", "store_down", "too_fast"):
                    break  # and say it again on a new line
        await asyncio.sleep(1)


if __name__ == "__main__":
    home, _, table = sys.argv[1].rpartition("/t/")
    guest = urlopen(f"{home}/api/me").headers["Set-Cookie"].partition(";")[0]
    headers = {"Authorization": f"Bearer {sys.argv[2]}"} if sys.argv[2:] else {"Cookie": guest}
    raise SystemExit(asyncio.run(play(f"ws{home[4:]}/api/tables/{table}/socket", headers)))
