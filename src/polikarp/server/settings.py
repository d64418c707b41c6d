"""How a server is run: from the command line, or from environment variables of the same names."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from polikarp.engine.option import UsageError

PORT = 8765


class ServerSettings(msgspec.Struct, frozen=True):
    host: str = "127.0.0.1"
    port: int = PORT
    data: Path = Path()
    database: str = ""
    public_url: str = ""
    trusted_proxies: str = ""
    round_trip_header: str = ""

    @property
    def place(self) -> str | Path:
        """Where the tables are kept."""
        return self.database or self.data / "polikarp.sqlite"


def default_data() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "polikarp"


def read_settings(given: dict[str, str | None]) -> ServerSettings:
    """Settings as given, else from POLIKARP_HOST and so on, else the defaults."""
    named = {
        name: value if value is not None else os.environ.get(f"POLIKARP_{name.upper()}") or ""
        for name, value in given.items()
    }
    port = named.get("port") or str(PORT)
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"the port can not be {port[:20]!r}; right is: 0 to 65535 (0 takes any free one)")
    database = named.get("database", "")
    if database and not database.startswith(("postgresql://", "postgres://")):
        raise UsageError("the database is written postgresql://user:password@host/name; without one, --data is used")
    public_url = named.get("public_url", "")
    if public_url:
        parts = urlsplit(public_url)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/") or parts.query:
            raise UsageError(
                f"the public URL can not be {public_url[:60]!r}; right is such as https://play.example.org"
            )
    trusted_proxies, round_trip_header = named.get("trusted_proxies", ""), named.get("round_trip_header", "")
    if round_trip_header and not trusted_proxies:
        raise UsageError("the round trip header is what a trusted proxy says; name the proxy with --trusted-proxies")
    return ServerSettings(
        host=named.get("host") or "127.0.0.1",
        port=int(port),
        data=Path(named["data"]) if named.get("data") else default_data(),
        database=database,
        public_url=public_url.rstrip("/"),
        trusted_proxies=trusted_proxies,
        round_trip_header=round_trip_header,
    )
