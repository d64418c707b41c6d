"""A bot for any game: python examples/bot.py http://127.0.0.1:8765/t/TABLE [--token TOKEN] [--name NAME]"""

import argparse
import asyncio
import contextlib
import hashlib
import secrets
from typing import Any
from urllib.request import Request, urlopen

from msgspec.json import decode, encode
from websockets import ConnectionClosed, connect

SHARE = secrets.token_bytes(32)  # in the chance: its hash is promised before the deal, then it is shown


def choose(view: Any) -> Any:
    """Your own idea goes here. `view` is all that the seat may know; one of its moves is to be made."""
    return secrets.choice(view["moves"])


def wish(seat: int | None, prompt: int, table: Any, view: Any) -> dict[str, Any]:
    """What to do at the table as it is now; nothing, where it is for others to act."""
    if seat is None:
        return {"type": "sit"}
    if table["stage"] == "open":
        return {"type": "commit", "seat": seat, "commitment": hashlib.sha256(SHARE).hexdigest()}
    if table["stage"] == "dealing":
        return {"type": "reveal", "seat": seat, "share": SHARE.hex()}
    if table["seats"][seat]["status"] == "held":
        return {"type": "take_back", "seat": seat}
    return {"type": "move", "seat": seat, "prompt": prompt} if seat in view["waiting"] else {}


async def play(address: str, headers: dict[str, str]) -> Any:
    """Play to the end, or say why not. On every new line, say how far we are, and what may not have been heard."""
    said: list[Any] = [{"type": "hello"}]
    async for line in connect(address, additional_headers=headers, max_size=None):
        with contextlib.suppress(ConnectionClosed):
            for message in said:
                await line.send(encode(message), text=True)
            async for text in line:
                news = decode(text)
                if news["type"] == "update":
                    said[0] = {"type": "hello", "seen": [{"seat": news["seat"], "number": news["number"]}]}
                    if news["table"]["stage"] in ("over", "closed", "halted"):
                        return None
                    wanted = wish(news["seat"], news["prompt"], news["table"], news["view"])
                    if not wanted.items() <= said[-1].items():  # we have not said it yet
                        move = {"move": choose(news["view"])} if wanted["type"] == "move" else {}
                        said[1:] = [{"id": secrets.token_hex(8), **wanted, **move}]
                        await line.send(encode(said[-1]), text=True)
                elif news["type"] == "refused":
                    if news["reason"]["key"] in ("busy", "restarting", "store_down", "too_fast"):
                        await asyncio.sleep(1)
                        break  # and say it again on a new line
                    late = news["id"] != said[-1]["id"] or news["reason"]["key"] in ("old_prompt", "stage_over")
                    if said[-1]["type"] in ("sit", "move") and not late:
                        return news["reason"]["text"]
    return None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("link", help="of the table")
    parser.add_argument("--token", help="from `polikarp token`, or for one seat from who sits there")
    parser.add_argument("--name", default="Bot")
    args = parser.parse_args()
    home, _, table = args.link.rpartition("/t/")
    headers = {"Authorization": f"Bearer {args.token}"}
    if not args.token:  # be a guest
        me = Request(f"{home}/api/me", encode({"name": args.name}), {"Content-Type": "application/json"}, method="PUT")
        headers = {"Cookie": urlopen(me).headers["Set-Cookie"].partition(";")[0]}
    raise SystemExit(asyncio.run(play(f"ws{home[4:]}/api/tables/{table}/socket", headers)))
