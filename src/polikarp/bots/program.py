"""Bots that are programs of their own, in any language: they read questions on stdin and answer on stdout, line by line
(`docs/bot-protocol.md`). A program that ends, is silent or says what is not asked is stopped, and its bot has lost.

A program that has played a game to its end is kept for the next one. None outlives this process.
"""

from __future__ import annotations

import atexit
import os
import selectors
import shlex
import shutil
import subprocess
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any

import msgspec

from polikarp.bots.fault import ProgramError
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.rng import Rng
from polikarp.engine.saved import Dealt
from polikarp.engine.state import State

PROTOCOL = 1
STARTS_IN = 10.0  # seconds until a program must be ready
ENDS_IN = 1.0  # seconds that one may take which has closed its output
LONGEST = 65536  # bytes of an answer, and of what is kept of stderr
SECONDS = 5.0  # for a decision, if nothing else is said
MOST_SECONDS = 3600.0

idle: dict[str, list[Program]] = defaultdict(list)  # by command


class Program:
    """A process that speaks the protocol."""

    def __init__(self, command: str) -> None:
        self.command = command
        try:
            self.process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us: a program that it ended would seem to have lost
            )
        except OSError as reason:
            raise ProgramError(f"it can not be started: {reason.strerror}") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.to, self.out, self.errors = (
            stream.fileno() for stream in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        os.set_blocking(self.to, False)
        self.heard = b""  # of stdout, and not answered for yet
        self.complaint = b""  # the end of stderr

    def ask(self, lines: list[str], seconds: float) -> str:
        """Say these lines, and hear the next one that is no comment."""
        ends = time.monotonic() + seconds
        self.say(lines, ends)
        while True:
            line, newline, rest = self.heard.partition(b"\n")
            if newline:
                self.heard = rest
                answer = line.decode("utf-8", "replace").strip()
                if answer and not answer.startswith("#"):
                    return answer
            elif len(line) > LONGEST:
                raise ProgramError(f"it said more than {LONGEST} bytes in one line")
            else:
                self.attend(ends, seconds)

    def say(self, lines: list[str], ends: float) -> None:
        """Write as fast as it reads, and hear meanwhile what it says, so that neither waits for the other."""
        left = "".join(f"{line}\n" for line in lines).encode()
        seconds = ends - time.monotonic()
        while left:
            if self.attend(ends, seconds, writing=True):
                try:
                    left = left[os.write(self.to, left[:LONGEST]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    raise self.ended() from None

    def attend(self, ends: float, seconds: float, writing: bool = False) -> bool:
        """Wait until something can be heard, or said; whether it can be said."""
        with selectors.DefaultSelector() as streams:
            streams.register(self.out, selectors.EVENT_READ)
            if self.errors >= 0:
                streams.register(self.errors, selectors.EVENT_READ)
            if writing:
                streams.register(self.to, selectors.EVENT_WRITE)
            ready = {key.fd for key, _ in streams.select(max(0.0, ends - time.monotonic()))}
        if not ready:
            raise ProgramError(f"it was silent for {seconds:g} s")
        if self.errors in ready:
            self.hear_errors()
        if self.out in ready:
            data = os.read(self.out, LONGEST)
            if not data:
                raise self.ended()
            self.heard += data
        return self.to in ready

    def hear_errors(self) -> None:
        data = os.read(self.errors, LONGEST)
        if not data:
            self.errors = -1
        self.complaint = (self.complaint + data)[-LONGEST:]

    def ended(self) -> ProgramError:
        """Why it is gone, with its last words."""
        try:
            status = self.process.wait(ENDS_IN)
        except subprocess.TimeoutExpired:
            return ProgramError("it closed its output")
        while self.errors >= 0:
            self.hear_errors()
        lines = self.complaint.decode("utf-8", "replace").strip().split("\n")
        words = next((line for line in reversed(lines) if "rror" in line), lines[-1])  # some end with where, not why
        how = f"with status {status}" if status >= 0 else f"by signal {-status}"
        return ProgramError(f"it ended {how}{f': {words}' if words else ''}")

    def stop(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self.process.kill()
        self.process.wait()


class ProgramBot(Bot):
    """A bot whose moves a program says."""

    def __init__(self, game: Game, command: str, seconds: float = SECONDS) -> None:
        self.game = game
        self.command = command
        self.seconds = seconds
        self.program: Program | None = None

    def begin(self, sight: State, seat: int, rng: Rng) -> None:
        self.let_go()
        kept = idle[self.command]
        self.program = kept.pop() if kept else Program(self.command)
        options = sight.origin.options if isinstance(sight.origin, Dealt) else {}
        told = {
            "game": self.game.id,
            "rules": self.game.rules,
            "seats": int(sight.seats),
            "seat": int(seat),
            "options": options,
            "seconds": self.seconds,
            "seed": int(rng.below(2**31)),
        }
        answer = self.ask([f"polikarp {PROTOCOL}", f"game {encoded(told)}"], max(STARTS_IN, self.seconds))
        word, *abilities = answer.split()
        if word != "ready":
            raise self.wrong(f"it answered {answer[:60]!r} to a new game; right is: ready")
        self.volunteers = "rights" in abilities
        named = [ability.partition("=")[2] for ability in abilities if ability.startswith("reflexes=")]
        self.reflexes = named[0] if named else ""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return self.move(sight, seat, "go")

    def volunteer(self, sight: State, seat: int, rng: Rng) -> int:
        return self.move(sight, seat, "may")

    def move(self, sight: State, seat: int, question: str) -> int:
        view = self.game.view(sight, seat)
        answer = self.ask([f"view {encoded(view)}", "\t".join(["moves", *view.moves]), question], self.seconds)
        if question == "may" and answer == "wait":
            return -1
        word, _, text = answer.partition(" ")
        if word != "play":
            raise self.wrong(f"it answered {answer[:60]!r}; right is: play, and a move")
        if text not in view.moves:
            raise self.wrong(f"it played {text[:60]!r}, which is not legal there")
        return self.game.parse(text)

    def ask(self, lines: list[str], seconds: float) -> str:
        assert self.program is not None, "a program is asked only in a game that has begun"
        try:
            return self.program.ask(lines, seconds)
        except ProgramError:
            self.let_go()
            raise

    def wrong(self, reason: str) -> ProgramError:
        self.let_go()
        return ProgramError(reason)

    def let_go(self) -> None:
        if self.program is not None:
            self.program.stop()
            self.program = None

    def end(self, sight: State, seat: int) -> None:
        """A program whose game was played to its end hears how, and is there for the next game."""
        if self.program is None:
            return
        result = self.game.result(sight)
        if result is None:
            self.let_go()
            return
        try:
            self.program.say([f"over {encoded(result)}"], time.monotonic() + self.seconds)
        except ProgramError:
            self.let_go()
        else:
            idle[self.command].append(self.program)
            self.program = None


def encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def program_bot(game: Game, command: str, seconds: float) -> ProgramBot:
    """A bot from a command, if there is such a program."""
    try:
        words = shlex.split(command)
    except ValueError as reason:
        raise UsageError(f"the command {command[:60]!r} can not be read: {reason}") from None
    if not words:
        raise UsageError("exec: needs a command, as in exec:./mybot --fast")
    if shutil.which(words[0]) is None:
        raise UsageError(f"there is no program {words[0][:60]!r} that can be run")
    return ProgramBot(game, command, seconds)


@atexit.register
def stop_idle() -> None:
    for programs in idle.values():
        for program in programs:
            program.stop()
        programs.clear()
