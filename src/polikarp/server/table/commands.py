"""What people do at a table: every command, as a change of the table or a refusal. Writing and showing it is the work
of `live.py`.
"""

from __future__ import annotations

import hashlib

from polikarp.engine.words import printable
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.identity import NAME_LETTERS, Person, clean_chat, clean_name
from polikarp.server.table.authority import is_owner, named_seat, need_person, need_stage, own_seat, seats_of_person
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.document import DEALING, HALTED, OPEN, OVER, PLAYING, REMEMBERED, Document, Seat, mark_of
from polikarp.server.table.moves import dealt, parsed, played, prepared, return_to, taken_back
from polikarp.server.table.opening import same_again
from polikarp.server.table.settings import checked_level, checked_seats, settle
from polikarp.store import ChatRow

REVEAL_SECONDS = 5.0  # for showing the shares that were promised
BOT_NAMES = (
    "Jagna", "Bolek", "Mira", "Wojtek", "Hanka", "Zbyszko", "Danuta", "Lech", "Sawa", "Ziemowit", "Bronka", "Gniewko",
    "Lubosza", "Mszczuj", "Olena", "Radek",
)  # fmt: skip


def carried_out(moment: Moment, who: Person, command: say.Commands, servers: list[str]) -> TableChange:
    """What a command makes of a table. `servers`: through which they are connected. Raises `Denied`."""
    if already(moment, who, command):
        return TableChange(done=say.Done(command.id))
    if not isinstance(command, say.Why):
        moment.house.need_open()
    match command:
        case say.Move():
            return move(moment, who, command)
        case say.Slap():
            raise Denied("nothing_to_slap")
        case say.Undo():
            need_decision(moment, who, command.seat, command.prompt)
            return taken_back(moment, marked_draft(moment, who, command.id), command.seat, say.Done(command.id))
        case say.Why():
            return why(moment, who, command)
        case _:
            return Act(moment, who, command.id, servers).worked_out(command)


def already(moment: Moment, who: Person, command: say.Commands) -> bool:
    """This very message was carried out before."""
    if isinstance(command, say.Rematch | say.MakeToken):
        return False  # harmless, and the answer is wanted again
    if isinstance(command, say.Move):
        mine = seats_of_person(moment.id, moment.document, who)
        return (command.seat, command.id) in moment.marks and command.seat in mine
    return mark_of(who.id, command.id) in moment.document.marks


def marked_draft(moment: Moment, who: Person, command_id: str) -> Document:
    """A draft that remembers the command which made it."""
    draft = moment.draft()
    draft.marks = [*draft.marks, mark_of(who.id, command_id)][-REMEMBERED:]
    return draft


# Moves.


def need_decision(moment: Moment, who: Person, seat: int, prompt: int) -> None:
    """Somebody decides about what they see now."""
    own = own_seat(moment.id, moment.document, who, seat)
    need_stage(moment.document, PLAYING)
    if prompt != own.prompt:
        raise Denied("old_prompt")


def move(moment: Moment, who: Person, command: say.Move) -> TableChange:
    need_decision(moment, who, command.seat, command.prompt)
    ready = prepared(moment, command.seat, parsed(moment.game, command.move))
    return played(moment, ready, command.id, say.Done(command.id))


def why(moment: Moment, who: Person, command: say.Why) -> TableChange:
    own_seat(moment.id, moment.document, who, command.seat)
    need_stage(moment.document, PLAYING)
    assert moment.table is not None
    refusal = moment.table.state.why_not(command.seat, parsed(moment.game, command.move))
    if refusal is not None:
        raise Denied.by_rules(refusal, moment.game, moment.names())
    return TableChange(done=say.Done(command.id))


# Everything else.


class Act:
    """Somebody does something at a table, on a draft of it."""

    def __init__(self, moment: Moment, who: Person, command_id: str, servers: list[str]) -> None:
        self.moment = moment
        self.game = moment.game
        self.who = who
        self.servers = servers
        self.now = moment.now
        self.done = say.Done(command_id)
        self.draft = marked_draft(moment, who, command_id)

    def worked_out(self, command: say.Commands) -> TableChange:
        match command:
            case say.Start():
                return self.start()
            case say.Reveal():
                return self.reveal(command)
            case say.Chat():
                return self.talk(command)
            case say.MakeToken():
                return self.make_token(command)
            case say.Rematch():
                return self.rematch(command)
            case say.Sit():
                return TableChange(self.draft, say.Done(command.id, self.sit(command)))
            case say.ChooseFaction():
                self.choose_faction(command)
            case say.Leave():
                self.leave(command)
            case say.Kick():
                self.kick(command)
            case say.AddBot():
                self.add_bot(command)
            case say.Settings():
                self.settle(command)
            case say.Commit():
                self.promise(command)
            case say.HandOver():
                self.hand_over(command)
            case say.TakeBack():
                return_to(self.own(command.seat), self.now)
            case say.Mute():
                self.mute(command)
        return TableChange(self.draft, self.done)

    # Who may do what.

    def own(self, seat: int) -> Seat:
        return own_seat(self.moment.id, self.draft, self.who, seat)

    def mine(self) -> list[int]:
        seats = seats_of_person(self.moment.id, self.draft, self.who)
        if not seats:
            raise Denied("not_seated", status=403)
        return seats

    def need_owner(self) -> None:
        if not is_owner(self.draft, self.who):
            raise Denied("not_the_owner", status=403)

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
        need_person(self.who)
        need_stage(self.draft, OPEN)
        if self.who.id in self.draft.barred:
            raise Denied("barred", status=403)
        seat = self.free_seats(command.seat)[0]
        self.choose(seat, command.faction)
        name = name_at(self.draft.seats, clean_name(command.name) if command.name else self.who.name)
        take_seat(self.draft.seats[seat], self.who, name, self.servers, self.now)
        return seat

    def choose_faction(self, command: say.ChooseFaction) -> None:
        self.own(command.seat)
        need_stage(self.draft, OPEN)
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
        need_person(self.who)
        if command.seat is not None:
            self.own(command.seat)
        mine = self.mine()
        need_stage(self.draft, OPEN, DEALING, PLAYING)
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
        need_stage(self.draft, OPEN)
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
        need_stage(self.draft, OPEN)
        level = checked_level(self.game, command.level) if command.level else self.draft.stand_in
        taken = {seat.name for seat in self.draft.seats}
        names = iter([name for name in BOT_NAMES if name not in taken])
        for number in self.free_seats(command.seat):
            self.draft.seats[number].bot, self.draft.seats[number].name = level, next(names)

    def settle(self, command: say.Settings) -> None:
        self.need_owner()
        need_stage(self.draft, OPEN)
        settle(self.game, self.draft, command)

    def promise(self, command: say.Commit) -> None:
        seat = self.own(command.seat)
        need_stage(self.draft, OPEN)
        if seat.commitment:
            raise Denied("already_promised")
        seat.commitment = command.commitment

    def start(self) -> TableChange:
        self.need_owner()
        need_stage(self.draft, OPEN)
        checked_seats(self.game, len(self.draft.seats))
        free = sum(seat.free for seat in self.draft.seats)
        if free:
            raise Denied("seats_free", {"count": free})
        if not any(seat.commitment for seat in self.draft.seats):
            return dealt(self.moment, self.draft, self.done)
        self.draft.stage, self.draft.deal_by, self.draft.code = DEALING, self.now + REVEAL_SECONDS, None
        return TableChange(self.draft, self.done)

    def reveal(self, command: say.Reveal) -> TableChange:
        seat = self.own(command.seat)
        need_stage(self.draft, DEALING)
        if hashlib.sha256(bytes.fromhex(command.share)).hexdigest() != seat.commitment:
            raise Denied("wrong_share", status=422)
        seat.share = command.share
        if all(seat.share or not seat.commitment for seat in self.draft.seats):
            return dealt(self.moment, self.draft, self.done)
        return TableChange(self.draft, self.done)

    # At any time.

    def talk(self, command: say.Chat) -> TableChange:
        moment, who = self.moment, self.who
        owner = is_owner(self.draft, who)
        seats = seats_of_person(moment.id, self.draft, who) if owner else self.mine()
        if who.id in self.draft.muted:
            raise Denied("muted", status=403)
        if moment.chat_count >= moment.house.limits.chat_lines:
            raise Denied("chat_full")
        text = clean_chat(command.text)
        if not moment.house.chatting.spend(who.id):
            raise Denied("chat_too_fast", status=429)
        row = ChatRow(
            number=moment.chat_count,
            seat=seats[0] if seats else None,
            name=self.draft.seats[seats[0]].name if seats else who.name,
            text=text,
            at=round(self.now, 3),
        )
        return TableChange(self.draft, self.done, chat=row)

    def hand_over(self, command: say.HandOver) -> None:
        need_stage(self.draft, PLAYING, DEALING)
        seat = named_seat(self.draft, command.seat)
        own = command.seat in seats_of_person(self.moment.id, self.draft, self.who)
        if not own:
            self.need_owner()
        if seat.player:
            raise Denied("held_already", {"number": command.seat})
        if seat.servers and not own:  # through whichever server: who is here plays, or decides not to
            raise Denied("person_present", {"number": command.seat}, 403)
        seat.held = self.draft.stand_in

    def mute(self, command: say.Mute) -> None:
        self.need_owner()
        person = named_seat(self.draft, command.seat).person
        if not person:
            raise Denied("nobody_there", {"number": command.seat})
        others = [one for one in self.draft.muted if one != person]
        self.draft.muted = [*others, person] if command.muted else others

    def make_token(self, command: say.MakeToken) -> TableChange:
        """Making one changes nothing; renewing ends those that are about."""
        need_person(self.who)
        seat = self.own(command.seat)
        seat.tokens += command.renew
        person = Person(self.who.id, seat.name, 0, self.moment.id, command.seat, seat.tokens)
        token = self.moment.house.signer.sign(person, "token")
        return TableChange(self.draft if command.renew else None, say.Done(command.id, token=token))

    def rematch(self, command: say.Rematch) -> TableChange:
        """A table with the same people, unless there is one already."""
        need_person(self.who)
        need_stage(self.draft, OVER, HALTED)
        self.mine()
        if self.draft.following:
            return TableChange(done=say.Done(command.id, table=self.draft.following))
        return TableChange(self.draft, self.done, opens=same_again(self.moment))


def name_at(seats: list[Seat], name: str) -> str:
    """The name, or with a number behind it if somebody at the table has it already."""
    taken = {seat.name for seat in seats}
    numbered = (f"{name[: NAME_LETTERS - 3]} {number}" for number in range(2, len(seats) + 2))
    return next(one for one in (name, *numbered) if one not in taken)


def take_seat(seat: Seat, who: Person, name: str, servers: list[str], now: float) -> None:
    seat.person, seat.name, seat.servers = who.id, name, servers
    seat.away = None if servers else now
