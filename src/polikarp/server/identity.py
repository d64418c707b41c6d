"""Who is who: guests and programs, known by a signed token that only this house can make.

A browser keeps its token in a cookie that scripts can not read; a program sends it as `Authorization: Bearer`.
Nothing about people is stored but the name on the seats they take.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import unicodedata
from pathlib import Path

import msgspec

from polikarp.server.denied import Denied
from polikarp.server.messages import LONGEST_NAME

COOKIE = "polikarp"
NAME_LETTERS = 24
KEY_BYTES = 32
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # what Unicode calls letters and signs, but nobody sees
BRANDS = {"guest": b"polikarp guest", "token": b"polikarp token"}


class Person(msgspec.Struct, frozen=True, array_like=True):
    """Somebody who plays. A person with a `table` may only play that seat there, while the seat's tokens hold."""

    id: str
    name: str
    expires: int = 0  # seconds since 1970; 0: never
    table: str = ""
    seat: int = -1
    tokens: int = 0

    @property
    def one_seat(self) -> bool:
        """This is not the person, but a token with which a program plays one of their seats."""
        return bool(self.table)


def new_person(name: str = "", expires: int = 0) -> Person:
    return Person(secrets.token_hex(12), name or "", expires)


def clean_name(text: str) -> str:
    """A name as it may be shown: one line of visible letters, not too long. Raises `Denied` if nothing is left."""
    written = text[:LONGEST_NAME]  # putting accents on letters takes the square of their number
    name = one_line(unicodedata.normalize("NFC", written))[:NAME_LETTERS].strip()
    if all(unicodedata.category(letter)[0] in "MZ" for letter in name):  # accents alone are no letters
        raise Denied("no_name", {"most": NAME_LETTERS}, 422)
    return name


def clean_chat(text: str) -> str:
    """A line of chat: what steers a terminal or a page's direction of writing is gone."""
    line = one_line(text)
    if not line:
        raise Denied("empty_chat", status=422)
    return line


def one_line(text: str) -> str:
    """What can be seen of a text, with single spaces between."""
    seen = (" " if letter in BLANK or unicodedata.category(letter)[0] in "CZ" else letter for letter in text)
    return " ".join("".join(seen).split())


class Signer:
    """Makes and reads tokens: a person, and a signature under the house's key."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def fingerprint(self) -> str:
        """Tells keys apart without telling the key."""
        return hmac.digest(self.key, b"polikarp fingerprint", "sha256").hex()[:32]

    def sign(self, person: Person, kind: str) -> str:
        body = msgspec.msgpack.encode(person)
        return f"{encoded(body)}.{encoded(self.signature(body, kind))}"

    def read(self, token: str, kind: str, now: float) -> Person | None:
        """Who the token is for; None if it was not made here, was changed, or holds no longer."""
        body_text, dot, signature_text = token.partition(".")
        if len(token) > 1000 or not dot:
            return None
        try:
            body, signature = decoded(body_text), decoded(signature_text)
            if not hmac.compare_digest(signature, self.signature(body, kind)):
                return None
            person = msgspec.msgpack.decode(body, type=Person)
        except (ValueError, msgspec.DecodeError):
            return None
        return person if not person.expires or now < person.expires else None

    def signature(self, body: bytes, kind: str) -> bytes:
        return hmac.digest(self.key, BRANDS[kind] + body, hashlib.sha256)


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except binascii.Error as mistake:
        raise ValueError(str(mistake)) from None
    if encoded(data) != text:
        raise ValueError("this is written in another way than we write it")
    return data


def house_key(folder: Path) -> bytes:
    """The key of this house, made when it is first asked for; only its owner can read the file."""
    path = folder / "key"
    try:
        key = bytes.fromhex(path.read_text("ascii"))
    except FileNotFoundError:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = secrets.token_bytes(KEY_BYTES)
        draft = folder / f".key-{secrets.token_hex(4)}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key.hex())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # two first starts at once agree on one key
        except FileExistsError:
            key = bytes.fromhex(path.read_text("ascii"))
        finally:
            draft.unlink()
    except (ValueError, UnicodeDecodeError):
        raise KeyFileError(f"{path} is not a key; put the right one there, or remove it to make a new one") from None
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{path} is not a key; put the right one there, or remove it to make a new one")
    return key


class KeyFileError(Exception):
    """The key file can not be used. The text says what to do."""
