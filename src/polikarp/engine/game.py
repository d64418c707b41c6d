"""A game as the house knows it: what it is called, who may play, how to deal, and how to write its moves.

One `Game` object per game, immutable. The rules themselves are the game's `State`; this is everything around
them that needs no speed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from polikarp.engine.data import Data
from polikarp.engine.observation import ObservationSpec, observation_spec
from polikarp.engine.option import Option, OptionValue, UsageError, read_options
from polikarp.engine.phrase import Event, Phrase
from polikarp.engine.race import Intent, Race, Timing
from polikarp.engine.rng import Rng
from polikarp.engine.saved import Dealt, reduced_game
from polikarp.engine.state import WATCHER, Log, State, bit, seats_of
from polikarp.engine.strip import Finish
from polikarp.engine.text import board_lines
from polikarp.engine.words import FALLBACK, Words, files_in, house_languages, missing, plain, printable

if TYPE_CHECKING:
    from polikarp.engine.bot import Bot, Style
    from polikarp.engine.table import Table


class MoveTextError(UsageError):
    """A move was written in a way that the game's notation does not know. `examples` show how moves are written."""

    def __init__(self, text: str, examples: str) -> None:
        super().__init__(f"{text[:40]!r} is not a move; moves are written: {examples}")
        self.text = printable(text)
        self.examples = examples


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a game ended, a number a seat. Places count from 1 and can be shared."""

    scores: list[int]
    places: list[int]

    @property
    def winners(self) -> list[int]:
        return [seat for seat, place in enumerate(self.places) if place == 1]


class View(msgspec.Struct, frozen=True):
    """All that one seat (or None, a watcher) may know of a position, as plain data."""

    game: str
    seat: int | None
    waiting: list[int]
    moves: list[str]
    prompt: Phrase
    board: Any
    result: Result | None


class Played(msgspec.Struct, frozen=True):
    """How a game was played so far, which no position tells: by seat the level of the bot that plays it, every slap,
    and the time since the deal in milliseconds."""

    levels: list[str]
    finishes: list[Finish] = []
    milliseconds: int = 0


class Game:
    """What all games have in common. A game's own folder subclasses this in its `__init__.py`."""

    id: str
    version: int  # of the rules: raised when the same moves would no longer give the same game
    seats: range
    longest: int  # no game has more moves than this
    options: tuple[Option, ...] = ()
    factions: tuple[str, ...] = ()  # where players choose one, by name: they look different and play alike
    offered = True  # to players; the worked examples of the docs are not
    secrets = True  # whether seats may know different things; where not, all views are alike, and it is checked
    move_texts: Sequence[str] = ()  # every move in the game's notation, where they are few
    folder: Path  # where the game lives: data, words, rulebook
    data: Mapping[str, Any] = {}  # what its data file says, read once

    # What a game writes.

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> State:
        """A state that knows its seats and options, ready to be dealt or loaded. Both are right already."""
        raise NotImplementedError

    def text(self, move: int) -> str:
        """A move in the game's notation."""
        return self.move_texts[move]

    def parse(self, text: str) -> int:
        """The move that a text means; raises `MoveTextError` if none."""
        plain_text = " ".join(text.lower().split())
        if plain_text not in self.move_texts:
            raise MoveTextError(text, ", ".join(self.move_texts))
        return self.move_texts.index(plain_text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        """What lies on the table, as data, out of a state from which all that is hidden from the seat is gone."""
        raise NotImplementedError

    def prompt(self, sight: State, seat: int) -> Phrase:
        """What this seat is to do now, or what it waits for."""
        if not sight.waiting:
            return Phrase("over")
        return (
            Phrase("turn") if sight.waiting & bit(seat) else Phrase("wait", {"waits_for": seats_of(sight.waiting)[0]})
        )

    def table_text(self, view: View, words: Words, names: Sequence[str]) -> list[str]:
        """A view as plain text, line by line; at the end with every part of the score. Until a game writes its own
        text, its board is listed field by field."""
        return board_lines(view.board, words, names)

    def explain(self, view: View, words: Words) -> list[str]:
        """What the things on the table do, line by line, where a game has such things."""
        return []

    def shown(self, view: View, told: Sequence[Phrase], played: Played) -> dict[str, Any]:
        """What the page of one viewer needs beyond the view, as plain data: made of nothing but the view, what this
        viewer was told from the deal on, and what everybody may know of how the game was played."""
        return {}

    def page_data(self, seats: int) -> dict[str, Any]:
        """What the page draws with and never changes, such as a map, as plain data."""
        return {}

    def bots(self) -> dict[str, type[Bot]]:
        """The game's own bots, by name."""
        return {}

    def style(self) -> Style | None:
        """How the search behind `strong` plays the game in its head, where a game knows better than by any moves."""
        return None

    def race(self, state: State) -> Race | None:
        """What those who may be first can do now, where a game is about being first."""
        return None

    def secret(self, state: State) -> bool:
        """Whether seats may know different things now, so that people at one screen must not look together."""
        return self.secrets

    def timing(self, options: Mapping[str, OptionValue]) -> Timing | None:
        """How long things take, where a game is about being first."""
        return None

    def racers(self) -> list[str]:
        """The bots for such a game at a table with people, from the weakest to the strongest."""
        return []

    def intend(self, racer: str, view: View, rng: Rng) -> Intent | None:
        """What such a bot does about the newest card that it sees, if anything."""
        return None

    def reaction(self, reflexes: str, sight: State, rng: Rng) -> float:
        """How many milliseconds a bot with such reflexes (`Bot.reflexes`) needs to act on what it sees there."""
        raise NotImplementedError

    def things(self, event: Event) -> list[tuple[str, str]]:
        """What a study counts in an event: kinds of things and their names. They are its seat's, where it has one."""
        return []

    def with_data(self, path: Path) -> Game:
        """The same game with the numbers of another data file."""
        raise UsageError(f"{self.id} has no data file")

    def stack(self, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
        """The draws of a deal that comes out as a lesson wants it, by the words of its table [start.stack]. A game
        whose deal draws nothing has no words there."""
        return []

    def dressed(self, board: Any, factions: Sequence[str]) -> Any:
        """The board with the faction of each seat on it, where a game has factions."""
        return board

    def look(self, seats: int, seat: int) -> int:
        """Which of the site's colours a seat has, where a game's board gives seats colours of their own."""
        return seat

    # What follows.

    @property
    def rules(self) -> str:
        """The rules version with a mark of the data, so that a corrected card is not mistaken for the old one."""
        data = msgspec.json.encode(without_sources(self.data), order="sorted")
        return f"{self.version}+{hashlib.sha256(data).hexdigest()[:8]}"

    def check_seats(self, seats: int) -> int:
        if seats not in self.seats:
            low, high = self.seats[0], self.seats[-1]
            right = f"{low}" if low == high else f"{low} to {high}"
            raise UsageError(f"{self.id} can not be played by {seats}; right is: {right} seats")
        return seats

    def seat_factions(self, seats: int, chosen: Sequence[str] = ()) -> list[str]:
        """The faction of each seat: the one that it chose. Who does not mind (an empty text, or none for the last
        seats) has the one that goes with the seat, or if somebody chose that, one that is left.
        """
        wanted = [name for name in chosen if name]
        for name in wanted:
            if name not in self.factions:
                known = ", ".join(self.factions) if self.factions else "none"
                raise UsageError(f"there is no faction {name[:40]!r}; the factions are: {known}")
            if wanted.count(name) > 1:
                raise UsageError(f"the faction {name} is named twice, but only one seat can have it")
        if len(chosen) > seats:
            raise UsageError(f"{len(chosen)} factions are named for {seats} seats")
        if not self.factions:
            return []
        usual = ["" if name in wanted else name for name in self.factions[:seats]]
        named = [one or other for one, other in zip([*chosen, *[""] * (seats - len(chosen))], usual, strict=True)]
        left = iter([name for name in self.factions if name not in named])
        return [name or next(left) for name in named]

    def start(self, seats: int, options: Mapping[str, OptionValue], rng: Rng, log: Log | None = None) -> State:
        """Deal a bare state, for simulation and search; `log` is told what the deal shows."""
        state = self.empty(seats, options)
        state.log = log
        state.deal(rng)
        state.log = None
        return state

    def deal(
        self,
        seats: int | None = None,
        seed: int | str | bytes | None = None,
        factions: Sequence[str] = (),
        **options: OptionValue,
    ) -> Table:
        """Deal a table: a state with its committed seed and its history. `seats` is the fewest if not given."""
        from polikarp.engine.table import Table

        return Table(self, seats if seats is not None else self.seats[0], options, seed, factions=factions)

    def view(self, state: State, seat: int | None, factions: Sequence[str] = ()) -> View:
        """All that a seat may know, and nothing else: everything here is made from the seat's sight, and from what
        all may know of the seats.
        """
        viewer = WATCHER
        if seat is not None:
            state.check_seat(seat)
            viewer = seat
        sight = state.sight(viewer)
        return View(
            game=self.id,
            seat=seat,
            waiting=seats_of(sight.waiting),
            moves=[] if seat is None else [self.text(move) for move in sight.moves(seat)],
            prompt=self.prompt(sight, viewer),
            board=self.seen_board(sight, viewer, factions),
            result=self.result(sight),
        )

    def cut_view(self, state: State, before: View, factions: Sequence[str] = ()) -> View:
        """A cut as whoever had a view before the move sees it. Nobody decides anything there: no move is offered, and
        whom the game waits for is not told before the move is over.
        """
        viewer = WATCHER if before.seat is None else before.seat
        return replace(before, board=self.seen_board(state.sight(viewer), viewer, factions), moves=[])

    def seen_board(self, sight: State, viewer: int, factions: Sequence[str]) -> Any:
        board: Any = self.board(sight, viewer)
        return self.dressed(board, factions or self.seat_factions(sight.seats)) if self.factions else board

    def result(self, state: State) -> Result | None:
        """Scores and places when the game is over, else None."""
        if state.waiting:
            return None
        seats = range(state.seats)
        return Result([state.score(seat) for seat in seats], [state.place(seat) for seat in seats])

    def load(self, seats: int, data: bytes, options: Mapping[str, OptionValue] | None = None) -> State:
        """The state that `State.to_bytes` gave, dealt with these options."""
        state = self.empty(seats, options or {})
        state.load_bytes(data)
        return state

    def empty(self, seats: int, options: Mapping[str, OptionValue]) -> State:
        """A state that is not dealt, and knows what it comes from."""
        chosen = read_options(self.options, options)
        state = self.blank(self.check_seats(seats), chosen)
        state.origin = Dealt(self, chosen)
        return state

    def observation_spec(self, seats: int, options: Mapping[str, OptionValue] | None = None) -> ObservationSpec:
        """What every number of an observation means, as programs that learn get it."""
        state = self.empty(seats, options or {})
        actions = [self.text(move) for move in range(state.move_count())]
        return observation_spec(self.id, self.folder / "observation.toml", state, actions)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced_game(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self  # it never changes

    def words(self, language: str) -> Words:
        """The game's words in a language; what they lack is said in English."""
        return Words.load(self.folder / "words", language)

    def languages(self) -> list[str]:
        """The languages in which the game has all of its words."""
        folder = self.folder / "words"
        return [language for language in files_in(folder) if not missing(folder, language)]

    def spoken(self) -> tuple[str, ...]:
        """The languages that can be chosen for it: those of the house, and those that it has any words in."""
        return tuple(dict.fromkeys((*house_languages(), *files_in(self.folder / "words"))))

    def title(self, language: str) -> str:
        return self.words(language).find("game", "title") or plain(self.id)

    def tagline(self, language: str) -> str:
        """The game in one sentence, if somebody wrote it."""
        return self.words(language).find("game", "tagline") or ""

    def rulebook(self, language: str) -> str:
        """The game's rules for people, as Markdown; each rule begins with its number in bold. In English where the
        language has none, and nothing if there is none at all."""
        files = [self.folder / "rulebook" / f"{each}.md" for each in (language, FALLBACK)]
        return next((path.read_text("utf-8") for path in files if path.is_file()), "")

    def __repr__(self) -> str:
        return f"<game {self.id}, {self.seats[0]}–{self.seats[-1]} seats>"


def without_sources(data: Any) -> Any:
    """Data without the notes on where it comes from, which change nothing in a game."""
    if isinstance(data, Mapping):
        return {key: without_sources(value) for key, value in data.items() if key != "source"}
    return [without_sources(value) for value in data] if isinstance(data, list) else data
