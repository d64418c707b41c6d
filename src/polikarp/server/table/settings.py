"""What a table can be set to: which values are right for a game, and what is usual where nobody chose."""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.bots import bot_levels, bot_types
from polikarp.engine.game import Game
from polikarp.engine.option import Option, OptionValue, UsageError, read_options
from polikarp.server.denied import Denied
from polikarp.server.messages import WantedSettings
from polikarp.server.table.document import PACES, Document, Pace, Seat, default_absence


def checked_options(game: Game, seats: int, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """All options of a game, where so many can play with them: an option may name a seat."""
    try:
        read = read_options(game.options, options)
        game.blank(seats, read)
        return read
    except UsageError as mistake:
        raise Denied("wrong_option", {"text": str(mistake)}, 422) from None


def checked_seats(game: Game, seats: int) -> int:
    if seats not in game.seats:
        raise Denied("wrong_seats", {"seats": seats, "low": game.seats[0], "high": game.seats[-1]}, 422)
    return seats


def checked_pace(pace: Pace) -> Pace:
    allowed = PACES[pace.kind]
    if pace.seconds not in allowed or (pace.kind != "live" and pace.reserve):
        raise Denied("wrong_pace", {"low": allowed[0], "high": allowed[-1]}, 422)
    return pace


def checked_level(game: Game, level: str) -> str:
    """A bot by its name."""
    known = bot_levels(game)
    if level not in known and level not in bot_types(game):
        raise Denied("no_such_bot", {"level": level, "known": ", ".join(known)}, 422)
    return level


def usual_stand_in(game: Game) -> str:
    """The bot that plays for people where nobody chose one."""
    if racers := game.racers():
        return racers[len(racers) // 2]
    return "greedy" if "greedy" in bot_types(game) else "random"


def settle(game: Game, document: Document, wanted: WantedSettings) -> None:
    """Set what is wanted; what nobody named stays as it is. Raises `Denied`."""
    if wanted.seats is not None:
        seats = checked_seats(game, wanted.seats)
        if any(not seat.free for seat in document.seats[seats:]):
            raise Denied("seats_in_use", {"seats": seats})
        more = [Seat(number=document.watch_number) for _ in range(seats - len(document.seats))]
        document.seats = [*document.seats[:seats], *more]
    options = document.options if wanted.options is None else wanted.options
    document.options = checked_options(game, len(document.seats), options)
    if wanted.pace is not None:
        document.pace = checked_pace(wanted.pace)
        document.absence = default_absence(document.pace)
    if wanted.public is not None:
        document.public = wanted.public
    if wanted.absence is not None:
        document.absence = wanted.absence
    if wanted.stand_in:
        document.stand_in = checked_level(game, wanted.stand_in)


def refit(game: Game, document: Document) -> None:
    """Make a table that is not dealt one of the installed rules, which may know other options and bots."""
    known = {*bot_levels(game), *bot_types(game)}
    usual = usual_stand_in(game)
    document.rules = game.rules
    document.options = {option.name: fitting(option, document.options.get(option.name)) for option in game.options}
    document.stand_in = document.stand_in if document.stand_in in known else usual
    for seat in document.seats:
        seat.bot = seat.bot if seat.bot in known or not seat.bot else usual


def fitting(option: Option, value: OptionValue | None) -> OptionValue:
    """The value if the option still allows it, else the default."""
    try:
        return option.default if value is None else option.read(value)
    except UsageError:
        return option.default
