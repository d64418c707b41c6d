"""Every page of the site in every state that looks different, ready to be looked at: for checks and for pictures."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
from playwright.sync_api import Page

from polikarp.engine.record import record_json
from tests.server.playing import Guest
from tests.web.at_table import CURTAIN, MY_TURN, OVER, Choice, at_random, let_play, open_curtain, started, updates
from tests.web.hunting import CARD, PHOTO, RANKING, end, hunt, slap
from tests.web.weighing import moments, weighed

HOME = "#main"
NAMES = ("Kasia", "Tomek", "Ewa", "Adam", "Zofia", "Bartłomiej", "Ola", "Gniewko")
VARIANTS = {"sorted_guards": True, "kings_orders": True}  # of gold


class Place(msgspec.Struct, frozen=True):
    """An address, who looks at it, what is there when it is loaded, and what is pressed then."""

    path: str
    guest: Guest | None = None
    shows: str = "main"
    status: int = 200
    press: Callable[[Page], None] | None = None


class Places:
    """Makes the states when they are first asked for; each is made once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.guests: list[Guest] = []
        self.made: dict[str, Place] = {}
        self.pair: tuple[str, Guest, Guest] | None = None
        self.open: tuple[str, Guest] | None = None
        self.over: tuple[str, Guest] | None = None

    def __getitem__(self, name: str) -> Place:
        if name not in self.made:
            self.made[name] = STATES[name](self)
        return self.made[name]

    def guest(self) -> Guest:
        guest = Guest(self.url)
        self.guests.append(guest)
        name = NAMES[(len(self.guests) - 1) % len(NAMES)]
        answer = guest.http.put("/api/me", json={"name": name})
        assert answer.status_code == 200, answer.text
        return guest

    def close(self) -> None:
        for guest in self.guests:
            guest.close()

    def open_table(self) -> tuple[str, Guest]:
        if self.open is None:
            ana = self.guest()
            self.open = (ana.table(seats=3, public=True), ana)
        return self.open

    def running(self) -> tuple[str, Guest, Guest]:
        """A table in the middle of a game: who is to move, and who waits."""
        if self.pair is None:
            three = [self.guest() for _ in range(3)]
            table = started(*three)
            let_play(table, three, at_random(11), ready_to_send)
            deciding = [one for one in three if decides(one, table)]
            self.pair = (table, deciding[0], next(one for one in three if one not in deciding))
        return self.pair

    def finished(self) -> tuple[str, Guest]:
        if self.over is None:
            ana, bo = self.guest(), self.guest()
            table = started(ana, bo)
            let_play(table, [ana, bo], at_random(12), lambda update: False)
            self.over = (table, ana)
        return self.over

    def one_screen(self) -> tuple[str, Guest]:
        both = self.guest()
        table = started(both, both)
        let_play(table, [both], at_random(13), ready_to_send)
        return table, both


def decides(guest: Guest, table: str) -> bool:
    """The game waits for this guest."""
    update = updates(guest, table)[0]
    return update["seat"] in update["view"]["waiting"]


def ready_to_send(update: dict[str, object]) -> bool:
    """Treasures are collected already, dice of others lie in the crypt, and there is something to send."""
    view = update["view"]
    assert isinstance(view, dict)
    board = view["board"]
    sends = [move for move in view["moves"] if move.startswith("send")]
    held = [one for one in board["crypt"] if one["holder"] is not None]
    return board["round"] >= 4 and len(sends) > 20 and bool(held)


def my_tables(places: Places) -> Place:
    places.open_table()
    places.finished()
    return Place("/", places.running()[1])


def at_running(who: str) -> Callable[[Places], Place]:
    def made(places: Places) -> Place:
        table, deciding, waiting = places.running()
        guest = {"deciding": deciding, "waiting": waiting}.get(who)
        return Place(f"/t/{table}", guest, MY_TURN if who == "deciding" else ".prompt.wait")

    return made


def curtain(places: Places) -> Place:
    table, both = places.one_screen()
    return Place(f"/t/{table}", both, CURTAIN)


def curtain_open(places: Places) -> Place:
    table, both = places.one_screen()
    return Place(f"/t/{table}", both, CURTAIN, press=open_curtain)


def alone(places: Places) -> Place:
    ana = places.guest()
    table = started(ana)
    let_play(table, [ana], at_random(14), lambda update: update["view"]["board"]["round"] >= 4)
    return Place(f"/t/{table}", ana, MY_TURN)


def four(places: Places) -> Place:
    """Four people's places at once, with torches, full hands and a long log."""
    guests = [places.guest() for _ in range(4)]
    table = started(*guests)
    let_play(table, guests, at_random(15), ready_to_send)
    deciding = next(one for one in guests if decides(one, table))
    return Place(f"/t/{table}", deciding, MY_TURN)


def failed_roll(places: Places) -> Place:
    """Somebody's dice failed, and a statue may be turned up to roll one again."""
    return moment(places, 4, may("reroll "), tiring(19))


def tiring(seed: int) -> Choice:
    """In crypt: mostly dice that are likely to fail."""
    chance = random.Random(seed)

    def choose(update: dict[str, Any]) -> str:
        moves: list[str] = update["view"]["moves"]
        high = [move for move in moves if "x5 " in move or "x6 " in move]
        return chance.choice(high if high and chance.random() < 0.8 else moves)

    return choose


def moment(
    places: Places, seats: int, until: Callable[[dict[str, Any]], bool], choose: Choice | None = None, **wanted: Any
) -> Place:
    """A table of so many people, at a moment when something is so for one of them: that one looks at it."""
    guests = [places.guest() for _ in range(seats)]
    while True:
        table = started(*guests, **wanted)
        let_play(table, guests, choose or at_random(16), until)
        for guest in guests:
            update = updates(guest, table)[0]
            if not update["view"]["result"] and until(update):
                return Place(f"/t/{table}", guest, MY_TURN)


def ended(places: Places, seats: int, **wanted: Any) -> Place:
    guests = [places.guest() for _ in range(seats)]
    table = started(*guests, **wanted)
    let_play(table, guests, at_random(17), lambda update: False)
    return Place(f"/t/{table}", guests[0], OVER)


def castle(round_from: int) -> Callable[[dict[str, Any]], bool]:
    """In gold: somebody may place and replace."""

    def so(update: dict[str, Any]) -> bool:
        words = {move.split()[0] for move in update["view"]["moves"]}
        return update["view"]["board"]["round"] >= round_from and words == {"place", "replace"}

    return so


def may(*words: str) -> Callable[[dict[str, Any]], bool]:
    """Somebody has such a move."""
    return lambda update: any(move.startswith(words) for move in update["view"]["moves"])


def warlike(seed: int) -> Choice:
    """In melee: attack where that can be done, and else anything."""
    otherwise = at_random(seed)

    def choose(update: dict[str, Any]) -> str:
        moves: list[str] = update["view"]["moves"]
        return next((move for move in moves if move.startswith(("attack ", "use soldier"))), otherwise(update))

    return choose


def hunters(places: Places) -> Place:
    """Eight people's cards at once. While somebody looks on cards turn by themselves."""
    eight = [places.guest() for _ in range(8)]
    return Place(f"/t/{hunt(*eight, cards=13)}", eight[0], CARD)


def photo_finish(places: Places) -> Place:
    """Seen by a watcher, for whom it stays."""
    guests = [places.guest() for _ in range(4)]
    table = hunt(*guests, cards=9)
    slap(table, guests[1], 1)
    return Place(f"/t/{table}", None, PHOTO)


def calm_hunt(places: Places) -> Place:
    """Somebody has a hand on a monster, and everybody else may answer."""
    guests = [places.guest() for _ in range(3)]
    table = hunt(*guests, cards=6, calm=60)
    slap(table, guests[1], 1)
    return Place(f"/t/{table}", guests[0], "form[data-pass]")


def hunters_at_one_screen(places: Places) -> Place:
    four = places.guest()
    return Place(f"/t/{hunt(*[four] * 4, cards=7)}", four, ".zone")


def hunters_over(places: Places) -> Place:
    guests = [places.guest() for _ in range(3)]
    table = hunt(*guests)
    end(table, *guests)
    return Place(f"/t/{table}", guests[0], RANKING)


# The empty home comes first: later there are tables.
def why_that(places: Places) -> Place:
    record = weighed("crypt-3-A")
    headers = {"Content-Type": "application/json"}
    answer = places.guest().http.post("/api/records", content=record_json(record), headers=headers)
    assert answer.status_code == 201, answer.text
    address = f"/t/{answer.json()['table']}/replay?at={moments(record)[0]}"
    return Place(address, press=lambda page: page.locator(".considered summary").click())


STATES: dict[str, Callable[[Places], Place]] = {
    "home, empty": lambda places: Place("/"),
    "home, with open tables": lambda places: Place("/", shows=HOME) if places.open_table() else Place("/"),
    "home, with my tables": my_tables,
    "new table": lambda places: Place("/new/crypt"),
    "open table, its owner": lambda places: Place(f"/t/{places.open_table()[0]}", places.open_table()[1]),
    "open table, somebody new": lambda places: Place(f"/t/{places.open_table()[0]}"),
    "running table, my turn": at_running("deciding"),
    "running table, waiting": at_running("waiting"),
    "running table, a watcher": at_running("watcher"),
    "curtain": curtain,
    "curtain, opened": curtain_open,
    "finished table": lambda places: Place(f"/t/{places.finished()[0]}", places.finished()[1], OVER),
    "alone with the ghost": alone,
    "four players": four,
    "a failed roll": failed_roll,
    "hunters, new table": lambda places: Place("/new/hunters"),
    "hunters, eight players": hunters,
    "hunters, a photo finish": photo_finish,
    "hunters, a calm race": calm_hunt,
    "hunters, one screen": hunters_at_one_screen,
    "hunters, finished": hunters_over,
    "replay, the beginning": lambda places: Place(f"/t/{places.finished()[0]}/replay"),
    "replay, a moment": lambda places: Place(f"/t/{places.finished()[0]}/replay?at=40&seat=1", places.finished()[1]),
    "replay, why that": why_that,
    "import": lambda places: Place("/import"),
    "rules": lambda places: Place("/rules/crypt"),
    "gold, new table": lambda places: Place("/new/gold"),
    "gold, my turn": lambda places: moment(places, 4, castle(3), game="gold", options=VARIANTS),
    "gold, six players": lambda places: moment(places, 6, castle(2), game="gold", options=VARIANTS),
    "gold, finished": lambda places: ended(places, 4, game="gold"),
    "gold, rules": lambda places: Place("/rules/gold"),
    "melee, new table": lambda places: Place("/new/melee"),
    "melee, my turn": lambda places: moment(places, 4, may("go ", "attack "), game="melee"),
    "melee, a stake": lambda places: moment(
        places, 2, may("stake "), warlike(18), game="melee", options={"rules": "advanced"}
    ),
    "melee, a guess": lambda places: moment(
        places, 3, may("name "), warlike(18), game="melee", options={"rules": "advanced"}
    ),
    "melee, finished": lambda places: ended(places, 4, game="melee"),
    "melee, rules": lambda places: Place("/rules/melee"),
    "about": lambda places: Place("/about"),
    "error": lambda places: Place("/t/no-such-table", status=404),
}
