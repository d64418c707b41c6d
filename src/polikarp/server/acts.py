"""What people do at a table besides making moves: sitting down, settings, bots, handing over, muting.

An act changes a draft of the table and nothing else, or is denied. Writing and showing it is the lane's part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from polikarp.bots import bot_levels, bot_types
from polikarp.engine.game import Game
from polikarp.engine.option import Option, OptionValue, UsageError, read_options
from polikarp.engine.words import printable
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import NAME_LETTERS, Person, clean_name
from polikarp.server.seating import DEALING, OPEN, PACES, PLAYING, Body, Pace, Seat, default_absence

BOT_NAMES = (
    "Jagna", "Bolek", "Mira", "Wojtek", "Hanka", "Zbyszko", "Danuta", "Lech", "Sawa", "Ziemowit", "Bronka", "Gniewko",
    "Lubosza", "Mszczuj", "Olena", "Radek",
)  # fmt: skip


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


def refit(game: Game, body: Body) -> None:
    """Make a table that is not dealt one of the installed rules, which may know other options and bots."""
    known = {*bot_levels(game), *bot_types(game)}
    usual = usual_stand_in(game)
    body.rules = game.rules
    body.options = {option.name: fitting(option, body.options.get(option.name)) for option in game.options}
    body.stand_in = body.stand_in if body.stand_in in known else usual
    for seat in body.seats:
        seat.bot = seat.bot if seat.bot in known or not seat.bot else usual


def fitting(option: Option, value: OptionValue | None) -> OptionValue:
    """The value if the option still allows it, else the default."""
    try:
        return option.default if value is None else option.read(value)
    except UsageError:
        return option.default


def named_seat(body: Body, seat: int) -> Seat:
    if seat >= len(body.seats):
        raise Denied("no_such_seat", {"number": seat, "seats": len(body.seats)}, 422)
    return body.seats[seat]


def owns(table: str, body: Body, who: Person, seat: int) -> bool:
    """The seat is this person's, and a token for one seat is for this one and still holds."""
    if seat >= len(body.seats) or body.seats[seat].person != who.id:
        return False
    return who.whole() or (who.table, who.seat, who.tokens) == (table, seat, body.seats[seat].tokens)


def name_at(seats: list[Seat], name: str) -> str:
    """The name, or with a number behind it if somebody at the table has it already."""
    taken = {seat.name for seat in seats}
    numbered = (f"{name[: NAME_LETTERS - 3]} {number}" for number in range(2, len(seats) + 2))
    return next(one for one in (name, *numbered) if one not in taken)


def take_seat(seat: Seat, who: Person, name: str, lines: list[str], now: float) -> None:
    seat.person, seat.name, seat.lines = who.id, name, lines
    seat.away = None if lines else now


def return_to(seat: Seat, now: float) -> None:
    """The person plays the seat again. Whoever does so without a line is away from now on, not from before."""
    seat.held = ""
    seat.away = None if seat.away is None else now


class Act:
    """Somebody does something at a table. `lines` are the servers through which they are connected."""

    def __init__(self, table: str, draft: Body, game: Game, who: Person, lines: list[str], now: float) -> None:
        self.table = table
        self.draft = draft
        self.game = game
        self.who = who
        self.lines = lines
        self.now = now

    # Who may do what, and when.

    def own(self, seat: int) -> Seat:
        """One's own seat."""
        named = named_seat(self.draft, seat)
        if not owns(self.table, self.draft, self.who, seat):
            raise Denied("not_your_seat", {"number": seat}, 403)
        return named

    def mine(self) -> list[int]:
        seats = [seat for seat in range(len(self.draft.seats)) if owns(self.table, self.draft, self.who, seat)]
        if not seats:
            raise Denied("not_seated", status=403)
        return seats

    def need_owner(self) -> None:
        if self.who.id != self.draft.owner or not self.who.whole():
            raise Denied("not_the_owner", status=403)

    def need_person(self) -> None:
        if not self.who.whole():
            raise Denied("token_for_one_seat", status=403)

    def need_stage(self, *stages: str) -> None:
        if self.draft.stage not in stages:
            raise Denied(f"stage_{self.draft.stage}")

    def free_seats(self, wanted: int | None) -> list[int]:
        """The free seats, or the wanted one if it is free."""
        if wanted is not None:
            if not named_seat(self.draft, wanted).free:
                raise Denied("seat_taken", {"number": wanted})
            return [wanted]
        free = [number for number, seat in enumerate(self.draft.seats) if seat.free]
        if not free:
            raise Denied("table_full")
        return free

    # Before the start.

    def sit(self, command: say.Sit) -> int:
        self.need_person()
        self.need_stage(OPEN)
        if self.who.id in self.draft.barred:
            raise Denied("barred", status=403)
        seat = self.free_seats(command.seat)[0]
        self.choose(seat, command.faction)
        name = name_at(self.draft.seats, clean_name(command.name) if command.name else self.who.name)
        take_seat(self.draft.seats[seat], self.who, name, self.lines, self.now)
        return seat

    def choose_faction(self, command: say.ChooseFaction) -> None:
        self.own(command.seat)
        self.need_stage(OPEN)
        self.choose(command.seat, command.faction)

    def choose(self, seat: int, faction: str) -> None:
        """A faction for a seat, if it is one and nobody else chose it; whoever only happens to have it gets another."""
        names = [one.name for one in self.draft.seats]
        if faction and not self.game.factions:
            raise Denied("no_factions", status=422)
        if faction and faction not in self.game.factions:
            known = " ".join(self.game.factions)
            raise Denied("no_such_faction", {"text": printable(faction), "faction": known}, 422).of(self.game, names)
        for number, other in enumerate(self.draft.seats):
            if faction and other.faction == faction and number != seat:
                raise Denied("faction_taken", {"seat": number, "faction": faction}).of(self.game, names)
        self.draft.seats[seat].faction = faction

    def leave(self, command: say.Leave) -> None:
        self.need_person()
        if command.seat is not None:
            self.own(command.seat)
        mine = self.mine()
        self.need_stage(OPEN, DEALING, PLAYING)
        leaving = mine if command.seat is None else [command.seat]
        if self.draft.stage != OPEN:
            for number in leaving:
                self.draft.seats[number].held = self.draft.stand_in
            return
        for number in leaving:
            self.vacate(number)
        if self.draft.owner == self.who.id and leaving == mine:
            self.draft.owner = next((seat.person for seat in self.draft.seats if seat.person), self.who.id)

    def vacate(self, number: int) -> None:
        old = self.draft.seats[number]
        self.draft.seats[number] = Seat(number=old.number, prompt=old.prompt, tokens=old.tokens + 1)

    def kick(self, command: say.Kick) -> None:
        self.need_owner()
        self.need_stage(OPEN)
        seat = named_seat(self.draft, command.seat)
        if seat.free:
            raise Denied("seat_free", {"number": command.seat})
        self.vacate(command.seat)
        if seat.person and seat.person != self.who.id:
            self.draft.barred = [*self.draft.barred, seat.person]
            for number, other in enumerate(self.draft.seats):
                if other.person == seat.person:
                    self.vacate(number)

    def add_bot(self, command: say.AddBot) -> None:
        self.need_owner()
        self.need_stage(OPEN)
        level = checked_level(self.game, command.level) if command.level else self.draft.stand_in
        taken = {seat.name for seat in self.draft.seats}
        names = iter([name for name in BOT_NAMES if name not in taken])
        for number in self.free_seats(command.seat):
            self.draft.seats[number].bot, self.draft.seats[number].name = level, next(names)

    def settle(self, command: say.Settings) -> None:
        self.need_owner()
        self.need_stage(OPEN)
        draft = self.draft
        if command.seats is not None:
            seats = checked_seats(self.game, command.seats)
            if any(not seat.free for seat in draft.seats[seats:]):
                raise Denied("seats_in_use", {"seats": seats})
            more = [Seat(number=draft.watch_number) for _ in range(seats - len(draft.seats))]
            draft.seats = [*draft.seats[:seats], *more]
        wanted = draft.options if command.options is None else command.options
        draft.options = checked_options(self.game, len(draft.seats), wanted)
        if command.pace is not None:
            draft.pace = checked_pace(command.pace)
            draft.absence = default_absence(draft.pace)
        if command.public is not None:
            draft.public = command.public
        if command.absence is not None:
            draft.absence = command.absence
        if command.stand_in is not None:
            draft.stand_in = checked_level(self.game, command.stand_in)

    def promise(self, command: say.Commit) -> None:
        seat = self.own(command.seat)
        self.need_stage(OPEN)
        if seat.commitment:
            raise Denied("already_promised")
        seat.commitment = command.commitment

    def start(self) -> None:
        self.need_owner()
        self.need_stage(OPEN)
        checked_seats(self.game, len(self.draft.seats))
        free = sum(seat.free for seat in self.draft.seats)
        if free:
            raise Denied("seats_free", {"count": free})

    def reveal(self, command: say.Reveal) -> None:
        seat = self.own(command.seat)
        self.need_stage(DEALING)
        if hashlib.sha256(bytes.fromhex(command.share)).hexdigest() != seat.commitment:
            raise Denied("wrong_share", status=422)
        seat.share = command.share

    # At any time.

    def hand_over(self, command: say.HandOver) -> None:
        self.need_stage(PLAYING, DEALING)
        seat = named_seat(self.draft, command.seat)
        own = owns(self.table, self.draft, self.who, command.seat)
        if not own:
            self.need_owner()
        if seat.player:
            raise Denied("held_already", {"number": command.seat})
        if seat.lines and not own:  # through whichever server: who is here plays, or decides not to
            raise Denied("person_present", {"number": command.seat}, 403)
        seat.held = self.draft.stand_in

    def take_back(self, command: say.TakeBack) -> None:
        return_to(self.own(command.seat), self.now)

    def mute(self, command: say.Mute) -> None:
        self.need_owner()
        person = named_seat(self.draft, command.seat).person
        if not person:
            raise Denied("nobody_there", {"number": command.seat})
        others = [one for one in self.draft.muted if one != person]
        self.draft.muted = [*others, person] if command.muted else others
