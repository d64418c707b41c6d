"""What the server writes about itself: one JSON object a line on stderr, without names, contents or table ids."""

from __future__ import annotations

import hashlib
import logging
import sys
import time
import traceback
from pathlib import Path

import msgspec

from polikarp.engine.data import HOUSE, DataError, shown

LOGGER = logging.getLogger("polikarp")
SAID_ALREADY = (  # uvicorn on sockets that were refused with an answer, and on answers that could not be sent
    "ASGI callable returned without completing handshake.",
    "ASGI callable returned without completing response.",
)
TROUBLE = {
    "error": logging.ERROR,
    "left_out": logging.ERROR,
    "halted": logging.WARNING,
    "store_down": logging.WARNING,
    "not_read": logging.WARNING,
}


def log(event: str, **facts: object) -> None:
    """Note that something happened. An exception among the facts is written with the place it came from."""
    LOGGER.log(TROUBLE.get(event, logging.INFO), event, extra={"facts": facts})


def short(table_id: str) -> str:
    """A table's name for logs: nobody can come in with it."""
    return hashlib.sha256(table_id.encode()).hexdigest()[:12]


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = getattr(record, "facts", {})
        line: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage().strip().partition("\n")[0],  # what follows may quote people
        }
        for name, value in facts.items():
            line[name] = described(value) if isinstance(value, BaseException) else value
        if record.exc_info and record.exc_info[1] is not None:
            line["mistake"] = described(record.exc_info[1])
        return msgspec.json.encode(line).decode()


def described(mistake: BaseException) -> str:
    """What went wrong and where, file by file, but not what was in it: messages of exceptions may quote people. Those
    about data files quote only files, and stay.
    """
    frames = traceback.extract_tb(mistake.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(HOUSE)][-4:]
    told = ours if not frames or frames[-1] in ours else [*ours, frames[-1]]  # a library's own place, where it ended
    places = " < ".join(f"{frame.name} ({module(frame.filename)}:{frame.lineno})" for frame in reversed(told))
    said = f" ({mistake})" if isinstance(mistake, DataError) else ""
    return f"{type(mistake).__name__}{said}{' in ' if places else ''}{places}"


def module(filename: str) -> str:
    """A module as it is imported, and any other file, such as a template, by its place in the package."""
    path = Path(filename)
    if path.suffix != ".py":
        return str(shown(path))
    inside = path.is_relative_to(HOUSE)
    return ".".join(shown(path).with_suffix("").parts if inside else (path.parent.name, path.stem))


def set_up_logs() -> None:
    """Everything that is logged, by us and by the libraries, goes to stderr as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(lambda record: record.msg not in SAID_ALREADY)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    LOGGER.setLevel(logging.INFO)
