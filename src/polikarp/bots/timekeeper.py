"""Keeps the time of a race between bots, in milliseconds of a clock of its own: nothing here waits.

A card is turned up at the game's pace. Whoever volunteers looks at every new card and, if it means to slap, does so
after a reaction that the game draws from its reflexes; the slap that counts is found as between people
(`engine/strip.py`). A bot that does not volunteer acts when the game waits for it, after all who were faster.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from polikarp.bots.fault import BotFault, chosen, fault, volunteered
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.race import Race, Timing
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.engine.strip import BEFORE, REACTION, SAME_CLOCK, SEEN, Finish, judge, move_of

MOST_LOOKS = 1000  # at a table where nothing more is turned up


class Slap(msgspec.Struct, frozen=True):
    """What a bot has begun to do, and the moment at which it is done. No target: it lets it go."""

    target: int | None
    at: float


class Timekeeper:
    """The clock of one game in which bots sit on some seats, or on all."""

    def __init__(self, game: Game, timing: Timing, bots: Mapping[int, Bot], chance: Mapping[int, Rng]) -> None:
        self.game = game
        self.pace = 1000 * timing.pace
        self.calm = 1000 * timing.calm
        self.bots = bots
        self.chance = chance
        self.now = 0.0
        self.until = 0.0  # when the next card is turned up
        self.round = -1
        self.shown: list[float] = []  # when each card of this round was
        self.slaps: dict[int, Slap] = {}  # by seat

    def next_move(self, state: State) -> tuple[int, int] | None:
        """The seat and move that come next; None if the game is over or waits for a person."""
        if not state.waiting:
            return None
        race = self.game.race(state)
        assert race is not None
        if race.answering:
            return self.answer(state, race)
        if self.notes_news(race):
            self.look(state, race)
        for _ in range(MOST_LOOKS):
            if (first := self.first_slap(race)) is not None:
                return first
            self.now = self.until
            if race.turn is not None:
                return self.turn_up(state, race.turn, race.flip)
            if len(self.bots) < state.seats:
                return None
            self.look(state, race)
        raise BotFault(race.order[0], "every card lies open, and it is the first of those who slap nothing")

    def notes_news(self, race: Race) -> bool:
        """Whether a card was turned up that nobody has looked at yet."""
        if race.round != self.round:
            self.round = race.round
            self.shown.clear()
            self.slaps.clear()
            self.until = self.now
        news = race.card > len(self.shown)
        self.shown += [self.now] * (race.card - len(self.shown))
        return news

    def look(self, state: State, race: Race) -> None:
        """Every bot that has nothing in mind yet looks at what lies open, as its seat sees it."""
        self.until = self.now + self.pace
        for seat, bot in self.bots.items():
            if seat not in self.slaps:
                move = -1
                if bot.volunteers:
                    move = volunteered(state, seat, bot, self.chance[seat])
                elif race.turn is None:
                    move = chosen(state, seat, bot, self.chance[seat])
                target = self.target_of(race, move)
                if target is not None:
                    self.slaps[seat] = Slap(target, self.now + self.reaction(state, seat))

    def target_of(self, race: Race, move: int) -> int | None:
        """What a move slaps, if it slaps anything. By which cards it is judged its time says, not the bot."""
        if move < 0:
            return None
        text = self.game.text(move)
        return next((at for at, target in enumerate(race.targets) if text in target.moves), None)

    def reaction(self, state: State, seat: int) -> float:
        try:
            return self.game.reaction(self.bots[seat].reflexes, state.sight(seat), self.chance[seat])
        except UsageError as mistake:  # it names reflexes that there are not
            raise fault(seat, mistake) from mistake

    def first_slap(self, race: Race) -> tuple[int, int] | None:
        """The slap that counts of those before the next card, as its seat and move."""
        while self.slaps and (first := min(slap.at for slap in self.slaps.values())) < self.until:
            close = {seat: slap for seat, slap in self.slaps.items() if slap.at < first + SAME_CLOCK}
            finishes = [self.finish(seat, slap) for seat, slap in close.items()]
            for seat in close:
                del self.slaps[seat]
            _, counts = judge(race, finishes, calm=False)
            if counts is not None:
                self.now = close[counts.seat].at
                move = move_of(race, counts)
                assert move is not None
                return counts.seat, self.game.parse(move)
        return None

    def finish(self, seat: int, slap: Slap) -> Finish:
        """A slap on the strip: by one clock, so nothing is heard late and nothing needs to be believed."""
        assert slap.target is not None
        unseen = sum(slap.at - shown < REACTION for shown in self.shown)
        time = slap.at - self.shown[-1]
        judged = SEEN if unseen == 0 else BEFORE
        return Finish(
            seat, slap.target, self.round, time, time, 0.0, True, 0.0, time, 0.0, "clock", judged, unseen=unseen
        )

    def turn_up(self, state: State, seat: int, flip: str) -> tuple[int, int] | None:
        """Whoever volunteers has slapped already, or does not mean to: the card turns by itself."""
        bot = self.bots.get(seat)
        if bot is None:
            return None
        if bot.volunteers:
            return seat, self.game.parse(flip)
        return seat, chosen(state, seat, bot, self.chance[seat])

    def answer(self, state: State, race: Race) -> tuple[int, int] | None:
        """The earliest answer to the first slap of a calm race, in which everybody has the same time for one."""
        closes = self.now + self.calm
        for seat in race.answering:
            if seat in self.bots and (seat not in self.slaps or self.slaps[seat].at > closes):
                move = chosen(state, seat, self.bots[seat], self.chance[seat])
                slap = Slap(self.target_of(race, move), self.now + self.reaction(state, seat))
                self.slaps[seat] = slap if slap.at <= closes else Slap(None, closes)
        left = [seat for seat in race.answering if seat in self.bots]
        if not left:
            return None
        seat = min(left, key=lambda seat: (self.slaps[seat].at, race.order.index(seat)))
        target = self.slaps.pop(seat).target
        return seat, self.game.parse(race.skip if target is None else race.targets[target].moves[0])
