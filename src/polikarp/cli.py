"""The command line. Wrong usage is one line on stderr and exit status 2; a record that does not hold is status 1."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from polikarp import __version__
from polikarp.bots import bot_types, thoughts_of
from polikarp.bots.anywhere import find_bot, split_bots
from polikarp.bots.fault import BotFault
from polikarp.bots.seated import Seated
from polikarp.engine.build import COMPILED
from polikarp.engine.data import DataError, told
from polikarp.engine.game import Game
from polikarp.engine.lessons.lesson import game_named
from polikarp.engine.lessons.shelf import check_file, shelf
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.record import (
    LARGEST,
    Record,
    RecordError,
    make_record,
    read_record,
    replay,
    revealed,
    verify,
    write_record,
)
from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table, commitment
from polikarp.engine.words import FALLBACK, best_language, house_languages, plain, printable
from polikarp.games import all_games, broken_games, find_game, offered_games
from polikarp.lab.bench import bench
from polikarp.lab.simulate import seat_bots, simulate
from polikarp.server.checking import check_all
from polikarp.server.denied import Denied
from polikarp.server.identity import KeyFileError, Signer, clean_name, house_key, new_person
from polikarp.server.settings import ServerSettings, read_settings
from polikarp.store import Store, StoreDown, StoreError
from polikarp.store.backup import restore
from polikarp.store.opening import open_store
from polikarp.terminal.learn import Teacher
from polikarp.terminal.play import NAMES, Left, TerminalGame
from polikarp.terminal.story import Story

STOPPED = 130  # the status of what was ended by Ctrl-C
LANGUAGE_HELP = "pl, en, or another that the game has words in (default: as your system)"


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


def build_parser() -> Parser:
    parser = Parser(prog="polikarp", description="Tabletop games about a kingdom in trouble.")
    build = "compiled" if COMPILED else "pure Python"
    parser.add_argument("--version", action="version", version=f"polikarp {__version__} ({build})")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)

    command = commands.add_parser("serve", help="start the server (also what `polikarp` alone does)")
    add_place(command)
    command.add_argument("--host", metavar="ADDRESS", help="where to listen (default 127.0.0.1: this machine only)")
    command.add_argument("--port", metavar="N", help="default 8765; 0 takes any free one")
    command.add_argument("--public-url", metavar="URL", help="the address under which players reach the server")
    command.add_argument("--trusted-proxies", metavar="A,B", help="addresses of reverse proxies whose word is taken")
    command.add_argument("--round-trip-header", metavar="NAME", help="in which they say how long a client's line is")
    command.add_argument("--open", action="store_true", help="open the site in a browser, where there is one")
    command.set_defaults(run=run_serve)

    command = commands.add_parser("token", help="make a token with which a program can use the API")
    command.add_argument("name", metavar="NAME", help="the name that the program plays under")
    command.add_argument("--days", type=int, default=365, metavar="N", help="how long it holds (default 365)")
    command.add_argument("--data", metavar="DIR", help="the server's data folder")
    command.set_defaults(run=run_token)

    command = commands.add_parser("backup", help="copy all tables into one file, while the server runs or not")
    command.add_argument("file", type=Path, metavar="FILE")
    add_place(command)
    command.set_defaults(run=run_backup)

    command = commands.add_parser("restore", help="fill an empty store from a backup")
    command.add_argument("file", type=Path, metavar="FILE")
    add_place(command)
    command.set_defaults(run=run_restore)

    command = commands.add_parser("check", help="play every stored table again under the installed rules")
    add_place(command)
    command.set_defaults(run=run_check)

    command = commands.add_parser("games", help="the games, their seats and options")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=run_games)

    command = commands.add_parser("play", help="play in the terminal")
    add_game(command)
    command.add_argument("--seats", type=int, metavar="N", help="how many play (default: the fewest, at least two)")
    command.add_argument("--bots", metavar="A,B", help="bots on the last seats; people sit on the others")
    command.add_argument("--name", action="append", default=[], help="a person's name; once for each")
    command.add_argument(
        "--factions", default="", metavar="A,B", help="of the first seats, where the game has some; empty: any"
    )
    command.add_argument("--language", default=guess_language(), help=LANGUAGE_HELP)
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the record here when the game ends")
    add_chance(command)
    command.set_defaults(run=run_play)

    command = commands.add_parser("learn", help="learn a game in the terminal, in a few minutes")
    command.add_argument("game", metavar="GAME", help="see: polikarp games")
    command.add_argument("name", nargs="?", metavar="NAME", help="a lesson, `list` of all, or the crib `sheet`")
    command.add_argument("--language", default=guess_language(), help=LANGUAGE_HELP)
    command.set_defaults(run=run_learn)

    command = commands.add_parser("check-lesson", help="check a lesson, coach.toml or sheet.toml that you write")
    command.add_argument("file", type=Path, metavar="FILE")
    command.set_defaults(run=run_check_lesson)

    command = commands.add_parser("simulate", help="play many games between bots")
    add_game(command)
    command.add_argument("--seats", type=int, required=True, metavar="N")
    command.add_argument("--games", type=int, required=True, metavar="K")
    command.add_argument(
        "--bots",
        required=True,
        metavar="A,B",
        help="one for all seats, or one for each; see docs/bot-protocol.md for your own",
    )
    command.add_argument("--json", action="store_true", help="as JSON")
    add_chance(command)
    command.set_defaults(run=run_simulate)

    command = commands.add_parser("tournament", help="bots against bots: shares, ratings, and how sure they are")
    add_game(command)
    command.add_argument("--seats", type=int, required=True, metavar="N")
    command.add_argument("--bots", required=True, metavar="A,B", help="who plays; each sits on each seat equally often")
    command.add_argument("--deals", type=int, default=100, metavar="K", help="how many at most (default 100)")
    command.add_argument(
        "--until", metavar="GOAL", help="stop earlier: `decided`, or when every share is known to ± so much, as 0.02"
    )
    command.add_argument("--journal", type=Path, metavar="FILE", help="keep every deal here; if there are some, go on")
    command.add_argument("--skip-damaged", action="store_true", help="play deals again whose lines there are damaged")
    command.add_argument("--on", default="processes", metavar="WHERE", help="processes (default), ray, ray://HOST:PORT")
    command.add_argument("--workers", type=int, metavar="N", help="how many processes (default: one for each core)")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--csv", type=Path, metavar="FILE", help="write every game here")
    command.add_argument("--plot", type=Path, metavar="FILE", help="write a picture of the win shares here, as SVG")
    add_chance(command)
    command.set_defaults(run=run_tournament)

    command = commands.add_parser("study", help="the balance of a game: seats, scores, lengths, what things are worth")
    add_game(command)
    command.add_argument("--seats", type=int, metavar="N", help="how many play (default: the fewest, at least two)")
    command.add_argument("--games", type=int, default=1000, metavar="K", help="default 1000")
    command.add_argument("--bot", metavar="A", help="who plays on every seat (default: greedy)")
    command.add_argument("--data", type=Path, metavar="FILE", help="a changed data file: what if it were so?")
    command.add_argument("--workers", type=int, metavar="N", help="how many processes (default: one for each core)")
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a page with plots here, as HTML")
    command.add_argument("--csv", type=Path, metavar="FILE", help="write every seat and thing here")
    command.add_argument("--json", action="store_true", help="as JSON")
    add_chance(command)
    command.set_defaults(run=run_study)

    command = commands.add_parser("record", help="play one game between bots into a record")
    add_game(command)
    command.add_argument("--seats", type=int, required=True, metavar="N")
    command.add_argument(
        "--bots",
        required=True,
        metavar="A,B",
        help="one for all seats, or one for each; see docs/bot-protocol.md for your own",
    )
    command.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    add_chance(command)
    command.set_defaults(run=run_record)

    command = commands.add_parser("replay", help="replay and check a record")
    command.add_argument("file", type=Path, metavar="FILE")
    command.add_argument("--until", type=int, metavar="N", help="stop after move N")
    command.add_argument(
        "--seat", type=int, metavar="S", help="as the player on seat S saw it (from 0, as in the file)"
    )
    command.add_argument("--language", default=guess_language(), help=LANGUAGE_HELP)
    command.add_argument("--why", action="store_true", help="with what bots considered before each move")
    command.add_argument("--json", action="store_true", help="the position as JSON")
    command.set_defaults(run=run_replay)

    command = commands.add_parser("verify", help="recompute all chance of a record from its seed")
    command.add_argument("file", type=Path, metavar="FILE")
    command.set_defaults(run=run_verify)

    command = commands.add_parser("bench", help="the speed table: ratios measured in one interleaved run")
    command.add_argument(
        "--against",
        action="append",
        default=[],
        choices=["openspiel", "pettingzoo"],
        help="measure another engine too (an optional extra); may be repeated",
    )
    command.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds of measuring (default 15)")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=run_bench)
    return parser


def add_game(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", help="see: polikarp games")
    command.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game; may be repeated"
    )


def add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", metavar="DIR", help="the data folder (default: polikarp in your data folder)")
    command.add_argument("--database", metavar="URL", help="postgresql://… instead of SQLite in the data folder")


def add_chance(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", metavar="S", help="any word or number: the same seed gives the same games")


def guess_language() -> str:
    """The language of the system where the house speaks it, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return best_language(value)
    return FALLBACK


def spoken(game: Game, language: str) -> str:
    if language not in game.spoken():
        raise UsageError(f"--language can not be {language[:40]!r}; right is: {', '.join(game.spoken())}")
    return language


def read_assignments(given: Sequence[str]) -> dict[str, OptionValue]:
    """`name=value` of each --option."""
    options: dict[str, OptionValue] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"an option is written name=value, not {text[:40]!r}")
        options[name.strip()] = value
    return options


def comma_list(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []


def load_record(path: Path) -> tuple[Game, Record]:
    """A record file and the game that it is of."""
    with path.open("rb") as file:
        record = read_record(file.read(LARGEST + 1))
    if record.game not in all_games():
        raise RecordError(f"the record is of the game {record.game[:40]!r}, which is not installed")
    return all_games()[record.game], record


def check_folder(path: Path) -> None:
    """A file can only be written into a folder that is there; say so before the game is played."""
    if not path.parent.is_dir():
        raise UsageError(f"can not write {path}: its folder does not exist")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"can not write {path}: Permission denied")
    if path.exists() and not path.is_file():
        raise UsageError(f"can not write {path}: it {'is a folder' if path.is_dir() else 'is there, and not a file'}")


def server_settings(args: argparse.Namespace) -> ServerSettings:
    return read_settings({name: getattr(args, name, None) for name in ServerSettings.__struct_fields__})


def run_serve(args: argparse.Namespace) -> int:
    from polikarp.server.serve import serve  # what these need takes a while to load
    from polikarp.web.render import PagesMissing
    from polikarp.web.site import Site

    try:
        serve(server_settings(args), all_games(), lambda guard, replays: Site(guard, replays).routes(), args.open)
    except PagesMissing as missing:
        return complain(str(missing), 1)
    return 0


def run_token(args: argparse.Namespace) -> int:
    if not 1 <= args.days <= 36500:
        raise UsageError(f"a token can not hold for {args.days} days; right is: 1 to 36500")
    try:
        name = clean_name(args.name)
    except Denied as denied:
        raise UsageError(denied.reason("en").text) from None
    person = new_person(name, int(time.time()) + args.days * 86400)
    print(Signer(house_key(server_settings(args).data)).sign(person, "token"))
    return 0


def run_backup(args: argparse.Namespace) -> int:
    check_folder(args.file)
    tables = with_store(server_settings(args).place, True, lambda store: store.backup(args.file))
    print(f"{args.file}: {tables} tables")
    return 0


def run_restore(args: argparse.Namespace) -> int:
    settings = server_settings(args)
    tables = with_store(settings.place, False, lambda store: restore(args.file, store))
    print(f"{tables} tables from {args.file}")
    return 0


def run_check(args: argparse.Namespace) -> int:
    """Names the tables that do not hold; exit status 1 if there are any."""

    async def check(store: Store) -> int:
        held = failed = 0
        async for table_id, reason in check_all(store, all_games()):
            if reason is None:
                held += 1
            else:
                failed += 1
                print(f"{table_id}: {reason}")
        print(f"{held + failed} tables, {held} hold, {failed} do not")
        return 1 if failed else 0

    return with_store(server_settings(args).place, True, check)


def with_store(place: str | Path, reading: bool, work: Callable[[Store], Coroutine[None, None, int]]) -> int:
    """Do something with an opened store."""

    async def run() -> int:
        store = open_store(place, reading)
        await store.start()
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def run_games(args: argparse.Namespace) -> int:
    games = offered_games()
    if args.json:
        listed = [
            {
                "id": game.id,
                "title": {language: game.title(language) for language in house_languages()},
                "seats": list(game.seats),
                "bots": list(bot_types(game)),
                "options": [msgspec.to_builtins(option) for option in game.options],
                "factions": list(game.factions),
            }
            for game in games
        ]
        print(msgspec.json.encode(listed).decode())
        return 0
    for name, mistake in broken_games().items():
        complain(f"the game {name} is left out: {told(mistake)}", 0)
    for game in games:
        titles = " / ".join(game.title(language) for language in house_languages())
        print(f"{game.id}  {titles}, {game.seats[0]}–{game.seats[-1]} seats; bots: {', '.join(bot_types(game))}")
        words = game.words(guess_language())
        print(f"  {game.tagline(guess_language())}")
        for option in game.options:
            print(f"  --option {option.name}={option.default}  ({option.allowed()})")
            print(f"    {words.find('option', option.name, 'help') or plain(option.name)}")
        if game.factions:
            print(f"  --factions {','.join(game.factions)}")
    return 0


def run_play(args: argparse.Namespace) -> int:
    game = find_game(args.game)
    seats = args.seats if args.seats is not None else usual_seats(game)
    game.check_seats(seats)
    named = [default_bot(game)] * (seats - 1) if args.bots is None else split_bots(args.bots)
    if len(named) > seats:
        raise UsageError(f"{len(named)} bots are named for {seats} seats; right is: 0 to {seats}")
    if args.output is not None:
        check_folder(args.output)
    people = seats - len(named)
    if len(args.name) > people:
        raise UsageError(f"{len(args.name)} people are named, but {people} play; give fewer names or fewer bots")
    names = [*args.name, *[name for name in NAMES if name not in args.name]][:people]
    names += [f"{name} ({bot})" for name, bot in zip([n for n in NAMES if n not in names], named, strict=False)]
    bots = {people + at: find_bot(game, name) for at, name in enumerate(named)}
    factions = comma_list(args.factions)
    table = Table(game, seats, read_assignments(args.option), args.seed, timed=True, factions=factions)
    try:
        TerminalGame(table, bots, names, spoken(game, args.language)).run()
    except Left:
        return 0
    if args.output is not None:
        write_record(make_record(table, names), args.output)
    return 0


def run_learn(args: argparse.Namespace) -> int:
    game = find_game(args.game)
    lessons = shelf(game)
    for mistake in lessons.mistakes:
        complain(f"left out: {mistake}", 0)
    teacher = Teacher(lessons, spoken(game, args.language))
    if args.name == "list":
        teacher.list()
    elif args.name == "sheet":
        teacher.sheet()
    else:
        teacher.run(lessons.course(args.name))
    return 0


def run_check_lesson(args: argparse.Namespace) -> int:
    """One line: what was played, or at which line the mistake is."""
    try:
        print(check_file(args.file, find_game(game_named(args.file))))
    except DataError as mistake:
        return complain(str(mistake), 1)
    except UsageError as mistake:
        return complain(f"{args.file}: {mistake}", 1)
    return 0


def run_simulate(args: argparse.Namespace) -> int:
    game = find_game(args.game)
    seed = args.seed if args.seed is not None else os.urandom(8).hex()
    options = read_assignments(args.option)
    with progress_line(args.games, "games") as show:
        sums = simulate(game, args.seats, args.games, split_bots(args.bots), seed, options, show)
    if args.json:
        print(msgspec.json.encode(sums).decode())
    else:
        played = f"{sums.game}, {sums.seats} seats, {sums.games} games, {sums.moves} moves"
        print(f"{played}, {sums.seconds:.2f} s, seed {seed}")
        for seat, name in enumerate(seat_bots(split_bots(args.bots), args.seats)):
            share = sums.wins[seat] / sums.games
            print(f"  seat {seat}  {name:12} wins {share:6.1%}  mean score {sums.scores[seat]:.2f}")
        for mistake in sums.errors[:10]:
            print(f"  error in {mistake}", file=sys.stderr)
    return 1 if sums.errors else 0


@contextlib.contextmanager
def progress_line(total: int, things: str) -> Iterator[Callable[[int], None] | None]:
    """Shows on a terminal how far a long run has come, ten times a second at most, and clears it in the end."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = 0.0

    def show(done: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= 0.1:
            shown = now
            sys.stderr.write(f"\r{done} of {total} {things} ({done / total:.0%})")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")


def run_tournament(args: argparse.Namespace) -> int:
    from polikarp.lab import tournament as lab  # what these need takes a while to load
    from polikarp.lab.crew import CrewLost, hire

    game = find_game(args.game)
    goal = None if args.until is None else lab.read_goal(args.until)
    for path in (args.csv, args.plot, args.journal):
        if path is not None:
            check_folder(path)
    journal = None if args.journal is None else lab.Journal(args.journal, args.skip_damaged)
    kept = None if journal is None else journal.read()
    seed = args.seed or (kept[0].seed if kept is not None else os.urandom(8).hex())
    tournament = lab.plan(game, args.seats, split_bots(args.bots), seed, read_assignments(args.option))
    lab.check_deals(args.deals)
    try:
        with hire(args.on, args.workers) as crew, progress_line(args.deals, "deals") as show:
            count = lab.run_tournament(tournament, args.deals, crew, goal, journal, show)
    except (lab.TournamentError, CrewLost) as mistake:
        return complain(str(mistake), 1)
    if count.stopped and not count.deals:
        raise KeyboardInterrupt
    standings = count.standings()
    if args.csv is not None:
        lab.write_csv(count, args.csv)
    if args.plot is not None:
        args.plot.write_text(standings.plot(), "utf-8")
    print(msgspec.json.encode(standings).decode() if args.json else standings.text())
    return complain("stopped", STOPPED) if count.stopped else 0


def run_study(args: argparse.Namespace) -> int:
    from polikarp.lab import study as lab  # what these need takes a while to load
    from polikarp.lab.crew import CrewLost, hire

    game = find_game(args.game)
    bot = args.bot or default_bot(game)
    seed = args.seed if args.seed is not None else os.urandom(8).hex()
    seats = args.seats if args.seats is not None else usual_seats(game)
    setup = lab.plan(game, seats, bot, seed, read_assignments(args.option))
    lab.check_games(args.games)
    for path in (args.output, args.csv):
        if path is not None:
            check_folder(path)
    if args.data is not None:
        game.with_data(args.data)
    try:
        with hire("processes", args.workers) as crew, progress_line(args.games, "games") as show:
            report = lab.run_study(setup, args.games, crew, args.data, show)
    except (lab.StudyError, CrewLost) as mistake:
        return complain(str(mistake), 1)
    if args.output is not None:
        args.output.write_text(lab.page(report), "utf-8")
    if args.csv is not None:
        lab.write_csv(report, args.csv)
    print(msgspec.json.encode(report).decode() if args.json else lab.summary(report))
    return 0


def usual_seats(game: Game) -> int:
    """The fewest that can play, but two where one can."""
    return max(game.seats[0], min(2, game.seats[-1]))


def default_bot(game: Game) -> str:
    return "greedy" if "greedy" in bot_types(game) else "random"


def run_record(args: argparse.Namespace) -> int:
    game = find_game(args.game)
    game.check_seats(args.seats)
    check_folder(args.output)
    seated = seat_bots(split_bots(args.bots), args.seats)
    bots = {seat: find_bot(game, name) for seat, name in enumerate(seated)}
    table = Table(game, args.seats, read_assignments(args.option), args.seed)
    chance = {seat: FastRng(("seat", seat, table.seed)) for seat in bots}
    players = Seated(game, table.options, bots, chance)
    try:
        while chosen := players.next_move(table.state):
            step = table.play_move(*chosen)
            table.steps[-1] = step._replace(thoughts=thoughts_of(game, bots[step.seat], step.move))
    finally:
        players.end(table.state)
    names = [f"{name} ({bot})" for name, bot in zip(NAMES, seated, strict=False)]
    write_record(make_record(table, names), args.output)
    print(f"{args.output}: {len(table.steps)} moves, commitment {commitment(table.seed)}")
    return 0


def run_replay(args: argparse.Namespace) -> int:
    game, record = load_record(args.file)
    if args.until is not None and args.until < 0:
        raise UsageError(f"there is no move {args.until}; right is: 0 to {len(record.moves)}")
    table = replay(game, record, args.until)
    if args.seat is not None and not 0 <= args.seat < table.seats:
        raise UsageError(f"there is no seat {args.seat}; right is: 0 to {table.seats - 1}")
    view = table.view(args.seat)
    if args.json:
        print(msgspec.json.encode({"moves": len(table.steps), "of": len(record.moves), "view": view}).decode())
        return 0
    story = Story(game, record.players, spoken(game, args.language))
    told = story.moves_with_thoughts(table, args.seat) if args.why else story.events(table.log(args.seat))
    print("\n".join([*told, "", *story.table(view)]))
    return 0


def run_verify(args: argparse.Namespace) -> int:
    game, record = load_record(args.file)
    draws = verify(game, record)
    shares = f" and {len(revealed(record.shares))} of {len(record.shares)} shares" if record.shares else ""
    print(
        f"{args.file}: holds; {len(record.moves)} moves, and all {draws} draws follow from the committed seed{shares}"
    )
    return 0


def run_bench(args: argparse.Namespace) -> int:
    if not 1 <= args.rounds <= 1000:
        raise UsageError(f"{args.rounds} rounds can not be measured; right is: 1 to 1000")
    table = bench(args.against, args.rounds, sys.stderr.isatty())
    print(msgspec.json.encode(table).decode() if args.json else table.text())
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    prepare_streams()
    try:
        status = run_command(argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        mute_output()
        return 0
    except OSError as mistake:
        mute_output()
        what = os.fsdecode(mistake.filename) if mistake.filename is not None else "can not write the output"
        return complain(f"{what}: {mistake.strerror}", 2)
    except KeyboardInterrupt:
        return complain("stopped", STOPPED)


def run_command(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as leaving:  # help was shown, or the arguments are wrong
        return int(leaving.code or 0)
    if "run" not in args:
        args = parser.parse_args(["serve"])
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        return run(args)
    except UsageError as mistake:
        return complain(str(mistake), 2)
    except BotFault as fault:
        return complain(f"a bot can not go on, {fault}", 1)
    except RecordError as mistake:
        return complain(f"{args.file}: {mistake}", 1)
    except (StoreError, KeyFileError) as mistake:
        return complain(str(mistake), 1)
    except StoreDown:
        return complain("the store can not be reached or written; nothing more was changed", 1)


def prepare_streams() -> None:
    """What a terminal can not show must not end a game, nor a stream that was closed from the start."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def mute_output() -> None:
    """Nobody can read what is still to be written: let Python close in peace."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def complain(text: str, status: int) -> int:
    print(f"polikarp: {one_line(text)}", file=sys.stderr)
    return status


def one_line(text: str) -> str:
    return printable(" ".join(text.split()), 500)


if __name__ == "__main__":
    sys.exit(main())
