"""A real PostgreSQL of the tests' own: in a temporary folder, on a free port, gone when the tests end."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "grey-heron"
REMEDY = "these tests need a PostgreSQL server: install it (Debian: apt install postgresql), or put initdb on the PATH"
# Nothing has to outlive the machine here: without fsync the tests are quick.
SETTINGS = (
    "-c fsync=off -c full_page_writes=off -c listen_addresses=127.0.0.1 -c max_connections=60 -c max_wal_size=80MB"
)
CLEARING = 'read -r _; "$0" stop --silent --mode=fast --pgdata="$1/data"; rm -rf "$1"'


def find_programs() -> Path:
    """The folder with initdb, pg_ctl and createdb."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name), reverse=True
    )
    if shutil.which("pg_config"):
        told = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
        folders.insert(0, Path(told))
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    for folder in folders:
        if all((folder / program).exists() for program in ("initdb", "pg_ctl", "createdb", "postgres")):
            return folder
    raise RuntimeError(REMEDY)


def quick_folder() -> str | None:
    """Memory, where there is enough of it: every new database is a copy of some megabytes."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30 else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PostgresServer:
    """Started and stopped at will; what is in it stays until the end."""

    def __init__(self, folder: Path) -> None:
        self._programs = find_programs()
        self._folder = folder
        self._databases = 0
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self._owner: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._owner = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        secret = folder / "password"
        secret.write_text(PASSWORD)
        self._run(
            "initdb",
            *("--pgdata", str(folder / "data"), "--username=polikarp", f"--pwfile={secret}", "--auth=scram-sha-256"),
            *("--encoding=UTF8", "--locale=C", "--no-sync"),
        )
        # Waits for the end of the tests, however they end, and clears up after those that were killed.
        self._keeper = subprocess.Popen(
            ["sh", "-c", CLEARING, self._programs / "pg_ctl", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **self._owner,
        )

    @property
    def url(self) -> str:
        """The database that is always there."""
        return self._url("postgres")

    def start(self) -> None:
        settings = f"{SETTINGS} -c port={self.port} -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "start", "--wait", *self._where(), f"--options={settings}", f"--log={self._folder / 'log'}")

    def stop(self, mode: str = "fast") -> None:
        """Stop in good order, or `immediate`: as if it had crashed."""
        self._run("pg_ctl", "stop", "--wait", *self._where(), f"--mode={mode}")

    def remove(self) -> None:
        """Stop it, whatever it is doing, and leave nothing behind."""
        self._keeper.communicate()

    def new_database(self) -> str:
        """The address of an empty database."""
        self._databases += 1
        name = f"house{self._databases}"
        self._run("createdb", f"--maintenance-db={self.url}", name)
        return self._url(name)

    def _where(self) -> list[str]:
        return ["--silent", f"--pgdata={self._folder / 'data'}"]

    def _url(self, database: str) -> str:
        return f"postgresql://polikarp:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def _run(self, program: str, *arguments: str) -> None:
        # Output goes to a file: the server inherits it, and would keep a pipe open.
        with (self._folder / f"{program}.out").open("w+") as output:
            done = subprocess.run(
                [self._programs / program, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                **self._owner,
            )
            if done.returncode != 0:
                output.seek(0)
                log = self._folder / "log"
                raise RuntimeError(f"{program} failed: {output.read()}\n{log.read_text() if log.exists() else ''}")


@contextlib.contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(prefix="polikarp-", dir=quick_folder(), ignore_cleanup_errors=True) as folder:
        server = PostgresServer(Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.remove()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server
