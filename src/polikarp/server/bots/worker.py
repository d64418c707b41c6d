"""One bot worker: a process in which bots think, so that the server's loop never has to wait for them.

It reads questions from stdin and writes replies to stdout, one at a time: four bytes of length, then a message. All
that it gets of a game is one seat's sight. It ends when stdin is closed; `pool.py` is the other side.
"""

from __future__ import annotations

import ctypes
import operator
import os
import select
import signal
import struct
import sys
import threading
import traceback
from typing import BinaryIO

import msgspec

from polikarp.bots import make_bot, thoughts_of
from polikarp.bots.search import SearchBot
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng
from polikarp.engine.thoughts import Thoughts
from polikarp.games import all_games

LENGTH = struct.Struct(">I")
LONGEST_REASON = 500
NICENESS = 5
KEPT = 8  # bots that have thought about their next decision already
SEARCHER = "strong"  # the bot that thinks for as long as it may
PR_SET_PDEATHSIG = 1  # prctl: the signal that a process gets when its parent ends


class BotQuestion(msgspec.Struct, frozen=True):
    """Which move does this bot make, seated here and seeing this? With `volunteer`: does it use its right?"""

    number: int
    game: str
    seats: int
    options: dict[str, OptionValue]
    sight: bytes
    seat: int
    bot: str
    volunteer: bool
    seed: str


class BotReady(msgspec.Struct, frozen=True, tag="ready"):
    """The first thing that a worker says: all games are loaded, and it can be asked."""


class BotAnswer(msgspec.Struct, frozen=True, tag="answer"):
    """The bot's move; -1 if it does not volunteer. With it what the bot considered, if it searches."""

    number: int
    move: int
    thoughts: Thoughts | None = None


class BotFailure(msgspec.Struct, frozen=True, tag="failure"):
    """The bot has no answer to this question; the worker is sound and can be asked the next."""

    number: int
    reason: str


BotReply = BotReady | BotAnswer | BotFailure

ready: dict[tuple[object, ...], SearchBot] = {}  # by what they must be asked: bots that know something about it


def framed(message: BotQuestion | BotReply) -> bytes:
    """A message as it goes through a pipe."""
    body = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(body)) + body


def reply_to(question: BotQuestion) -> bytes:
    """The reply to a question, framed."""
    try:
        return framed(answer_to(question))
    except (Exception, SystemExit) as reason:
        traceback.print_exc()
        return framed(BotFailure(question.number, f"{type(reason).__name__}: {reason}"[:LONGEST_REASON]))


def answer_to(question: BotQuestion) -> BotAnswer:
    game = all_games()[question.game]
    sight = game.load(question.seats, question.sight, question.options)
    # A new one each time: what it saw on one seat is unknown to it on the next. Only a bot that foresaw this very
    # question, of this seat, goes on thinking.
    bot = ready.pop(place(question, question.sight), None) or make_bot(game, question.bot)
    think = bot.volunteer if question.volunteer else bot.choose
    move = operator.index(think(sight, question.seat, FastRng(question.seed)))
    if isinstance(bot, SearchBot) and bot.kept is not None:
        ready[place(question, bot.kept_for)] = bot
        while len(ready) > KEPT:
            del ready[next(iter(ready))]
    return BotAnswer(question.number, move, thoughts_of(game, bot, move))


def place(question: BotQuestion, sight: bytes) -> tuple[object, ...]:
    """A bot on a seat that sees this."""
    options = tuple(sorted(question.options.items()))
    return question.game, question.seats, options, question.bot, question.seat, question.volunteer, sight


def consider(question: BotQuestion) -> bytes:
    """The reply to a question. Long thoughts are thought aside, in time that nobody else on the machine wants."""
    if question.bot.partition(":")[0] != SEARCHER:
        return reply_to(question)
    replies: list[bytes] = []

    def think() -> None:
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # of this thread; there is no way back
        replies.append(reply_to(question))

    aside = threading.Thread(target=think)
    aside.start()
    aside.join()
    return replies[0]


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes from and to the server, out of reach of bots: they read nothing, and what they print is on stderr."""
    questions, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(questions, "rb"), os.fdopen(replies, "wb")


def end_with_server(questions: BinaryIO) -> None:
    """From now on, end this process as soon as the server has gone, even in the middle of a thought."""
    if sys.platform == "linux":  # the watcher below has to wait for compiled bots, which keep other threads out
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    poll = select.poll()
    poll.register(questions, 0)  # reports nothing but the end

    def watch() -> None:
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the server, which then ends its workers
    os.nice(NICENESS)
    questions, replies = take_pipes()
    end_with_server(questions)
    decoder = msgspec.msgpack.Decoder(BotQuestion)
    all_games()
    try:
        replies.write(framed(BotReady()))
        replies.flush()
        while head := questions.read(LENGTH.size):
            (length,) = LENGTH.unpack(head)
            replies.write(consider(decoder.decode(questions.read(length))))
            replies.flush()
    except BrokenPipeError:
        pass  # the server has gone
    os._exit(0)  # waits for nothing that a bot may have left running


if __name__ == "__main__":
    main()
