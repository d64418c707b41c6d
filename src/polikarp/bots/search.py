"""Search that plays any game: it imagines what its seat can not see, plays on from there, and keeps what paid.

One tree grows from the seat's own sight. Every simulation draws a position that the seat can not tell from the true
one, walks down the tree by what was best for whoever decides there, adds a move, and plays to the end. A move that
is not always possible is measured against the times that it was (availability). Values are kept for every seat, and
each seat goes after its own. Where several decide at once, none of them knows what the others chose: each mixes its
moves by how much it would rather have played them (regret matching).

A game may offer a style: it says which moves are worth a thought, plays on where the tree ends, and may stop a
simulation and judge it. Where it rates moves, those that it likes are tried first and more often; otherwise all moves
are alike until they have been tried. What a style knows how to draw, such as a secret stake and the guess against it,
is chance to the search; where the seat itself has to draw, the style settles it by what every outcome was found to be
worth.

A turn often has several decisions. Where nothing but the seat's own move lies between two of them, the second goes on
with what the first one found out about it.
"""

from __future__ import annotations

import math
import time
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.bot import Bot, RatingStyle, Style
from polikarp.engine.rng import Chance, NoChance, Rng
from polikarp.engine.state import State, first_seat, numbers

NONE: Final = -1
RECORD: Final = 16  # added to a seat: what it chose at once with others, kept apart from what they chose
FAR: Final = 4000  # moves of a simulation: a game that takes longer is judged as it stands
MILLION: Final = 1000000
TRUST: Final = 0.5  # in ratings: how much a move that the style likes may be worse than the best and is still tried
EXPLORE: Final = 0.15  # of the choices made at once are any move
MOST: Final = 1000000  # simulations: more than time allows
THINKING: Final = 0.9  # seconds


class Thought:
    """A move that was considered: how often, and what it is worth to the seat, from 0 to 1. Where several decide at
    once or the style settles it, `visits` is its share of the mixture, in simulations.
    """

    def __init__(self, move: int, visits: int, value: float) -> None:
        self.move = move
        self.visits = visits
        self.value = value


class Tree:
    """What was tried. A node stands for a move that a seat made after those above it."""

    def __init__(self, seats: i64) -> None:
        self.seats = seats
        self.first: vec[i64] = vec[i64]()  # its first child
        self.next: vec[i64] = vec[i64]()  # its parent's next child
        self.above: vec[i64] = vec[i64]()
        self.seat: vec[i64] = vec[i64]()
        self.move: vec[i64] = vec[i64]()
        self.visits: vec[i64] = vec[i64]()
        self.chances: vec[i64] = vec[i64]()  # how often it could have been chosen
        self.regret: vec[float] = vec[float]()  # only where several decide at once
        self.mixed: vec[float] = vec[float]()  # there: the sum of the shares that it had
        self.value: vec[float] = vec[float]()  # for each seat: the sum of what simulations through it brought
        self.add(NONE, NONE, NONE)

    def add(self, parent: i64, seat: i64, move: i64) -> i64:
        node: i64 = len(self.first)
        self.first = append(self.first, i64(NONE))
        self.next = append(self.next, i64(NONE))
        self.above = append(self.above, parent)
        self.seat = append(self.seat, seat)
        self.move = append(self.move, move)
        self.visits = append(self.visits, i64(0))
        self.chances = append(self.chances, i64(0))
        self.regret = append(self.regret, 0.0)
        self.mixed = append(self.mixed, 0.0)
        for one in range(self.seats):
            self.value = append(self.value, 0.0)
        if parent >= 0:
            self.next[node] = self.first[parent]
            self.first[parent] = node
        return node

    def child(self, parent: i64, seat: i64, move: i64) -> i64:
        """The node of a move, made if it was not there."""
        node = self.first[parent]
        while node >= 0:
            if self.move[node] == move and self.seat[node] == seat:
                return node
            node = self.next[node]
        return self.add(parent, seat, move)

    def below(self, node: i64) -> Tree:
        """The part of the tree that begins with a node, as a tree."""
        made = Tree(self.seats)
        old = append(vec[i64](), node)  # by node of the new tree: which it was
        at: i64 = 0
        while at < len(old):
            made.inherit(at, self, old[at])
            child = self.first[old[at]]
            while child >= 0:
                made.add(at, self.seat[child], self.move[child])
                old = append(old, child)
                child = self.next[child]
            at += 1
        return made

    def inherit(self, node: i64, other: Tree, theirs: i64) -> None:
        """Take over what another tree knows of a node."""
        self.visits[node] = other.visits[theirs]
        self.chances[node] = other.chances[theirs]
        self.regret[node] = other.regret[theirs]
        self.mixed[node] = other.mixed[theirs]
        for seat in range(self.seats):
            self.value[node * self.seats + seat] = other.value[theirs * self.seats + seat]

    def mean(self, node: i64, seat: i64) -> float:
        return self.value[node * self.seats + seat] / float(max(self.visits[node], i64(1)))


class Searcher:
    """Grows a tree from one position."""

    def __init__(self, sight: State, style: Style, curiosity: float) -> None:
        seats = sight.seats
        self.state = sight.blank()
        self.style = style
        self.curiosity = curiosity  # about moves tried less, where they are not rated
        self.likely: vec[float] = vec[float]([0.0] * sight.move_count())  # by place among the moves: what a style likes
        self.tree = Tree(seats)
        self.node_of = numbers(sight.move_count(), 0)  # by move: its node where we are, if `marked` says `now`
        self.marked = numbers(sight.move_count(), 0)
        self.now: i64 = 0
        self.path: vec[i64] = vec[i64]()
        self.length: i64 = 0
        self.share: vec[float] = vec[float]()  # of the records in the path: how likely they were chosen
        self.worth: vec[float] = vec[float]([0.0] * int(seats))
        self.ended: i64 = 0
        self.spread = 0.0  # of the scores at the ends, summed up
        self.scores = 0.0
        self.simulated: i64 = 0
        self.apart = 0.0  # how far what simulations brought lay from the mean, squared and summed up

    def simulate(self, sight: State, seat: i64, rng: Rng) -> None:
        """One way that the game may go."""
        state = self.state
        tree = self.tree
        style = self.style
        self.imagine(sight, seat, rng)
        self.length = 0
        node: i64 = 0
        self.step(node, 1.0)
        group: i64 = NONE  # where those who decide at once began
        together: i64 = 0
        while state.waiting and not style.stops(state):
            if together & state.waiting == 0:
                if self.draws(state, node == 0):
                    node = self.draw(state, node, rng)
                    fresh = tree.visits[node] == 0
                    self.step(node, 1.0)
                    if fresh:
                        break
                    continue
                group = node
                together = state.waiting if state.waiting & (state.waiting - 1) else 0
            actor = first_seat(state.waiting & together) if together else first_seat(state.waiting)
            if together:
                record = self.mix(state, group, actor, rng)
                move = tree.move[record]
                together &= ~(1 << actor)
                node = tree.child(node, actor, move)
            else:
                if isinstance(style, RatingStyle):
                    node = self.follow(state, node, actor, style)
                else:
                    node = self.descend(state, node, actor, rng)
                move = tree.move[node]
            fresh = tree.visits[node] == 0
            state.apply(actor, move, rng)
            self.step(node, 1.0)
            if fresh and together == 0:
                break
        self.play_out(state, rng)
        if state.waiting and style.stops(state):
            style.weigh(state, self.worth)
        else:
            self.judge(state)
        self.remember()

    def imagine(self, sight: State, seat: i64, rng: Rng) -> None:
        """Begin from a position that the seat can not tell from the true one."""
        self.state.become(sight)
        self.state.fill(seat, rng)

    def draws(self, state: State, first: bool) -> bool:
        """Whether the style draws what comes next; `first`: it is what the search is about."""
        return self.style.knows(state)

    def draw(self, state: State, node: i64, rng: Rng) -> i64:
        """What the style knows how to draw is no decision here but chance; the node of what came of it."""
        style = self.style
        while state.waiting and style.knows(state):
            seat = first_seat(state.waiting)
            state.apply(seat, style.choose(state, seat, rng), rng)
        return self.tree.child(node, NONE, style.outcome(state, node == 0))

    def step(self, node: i64, share: float) -> None:
        if self.length == len(self.path):
            self.path = append(self.path, node)
            self.share = append(self.share, share)
        else:
            self.path[self.length] = node
            self.share[self.length] = share
        self.length += 1

    def mark(self, parent: i64, seat: i64) -> None:
        """Note which moves of a seat have a node here."""
        tree = self.tree
        node_of = self.node_of
        marked = self.marked
        self.now += 1
        child = tree.first[parent]
        while child >= 0:
            if tree.seat[child] == seat:
                move = tree.move[child]
                node_of[move] = child
                marked[move] = self.now
            child = tree.next[child]

    def descend(self, state: State, node: i64, actor: i64, rng: Rng) -> i64:
        """The move to follow where all are alike: one that was never tried here, or the most promising."""
        tree = self.tree
        self.mark(node, actor)
        curiosity = self.curiosity * math.sqrt(self.apart / float(max(self.simulated, i64(1))))
        untried: i64 = 0
        fresh: i64 = NONE
        best: i64 = NONE
        best_value = -1.0e9
        for at in range(self.style.consider(state, actor)):
            move = state.legal[at]
            if self.marked[move] != self.now:
                untried += 1
                if rng.below(untried) == 0:
                    fresh = move
                continue
            child = self.node_of[move]
            tree.chances[child] += 1
            visits = float(tree.visits[child])
            brought = tree.value[child * tree.seats + actor]
            value = brought / visits + curiosity * math.sqrt(math.log(float(tree.chances[child])) / visits)
            if value > best_value:
                best_value = value
                best = child
        if fresh < 0:
            return best
        made = tree.add(node, actor, fresh)
        tree.chances[made] = 1
        return made

    def follow(self, state: State, node: i64, actor: i64, style: RatingStyle) -> i64:
        """The move to follow by what was best so far and by what the style likes, which counts less with every try."""
        tree = self.tree
        self.mark(node, actor)
        count = style.rate(state, actor)
        trust = TRUST / self.prefer(style, count)
        untried = trust * math.sqrt(float(tree.visits[node]) + 1.0)
        usual = tree.mean(node, actor)
        best: i64 = NONE
        best_value = -1.0e9
        for at in range(count):
            move = state.legal[at]
            if self.marked[move] == self.now:
                child = self.node_of[move]
                tree.chances[child] += 1
                pull = trust * math.sqrt(float(tree.chances[child])) / (1.0 + float(tree.visits[child]))
                value = tree.mean(child, actor) + self.likely[at] * pull
            else:
                value = usual + self.likely[at] * untried
            if value > best_value:
                best_value = value
                best = move
        if self.marked[best] == self.now:
            return self.node_of[best]
        made = tree.add(node, actor, best)
        tree.chances[made] = 1
        return made

    def prefer(self, style: RatingStyle, count: i64) -> float:
        """Write how likely each rated move is, 1 for the best, into `likely`; says the sum."""
        best = style.ratings[0]
        for at in range(i64(1), count):
            best = max(best, style.ratings[at])
        total = 0.0
        for at in range(count):
            self.likely[at] = math.exp(max(-20.0, (style.ratings[at] - best) / style.doubt))
            total += self.likely[at]
        return total

    def mix(self, state: State, group: i64, actor: i64, rng: Rng) -> i64:
        """A choice made at once with others, by regret; its record is noted in the path."""
        tree = self.tree
        self.mark(group, actor + RECORD)
        count = self.style.consider(state, actor)
        wished = 0.0
        for at in range(count):
            move = state.legal[at]
            if self.marked[move] != self.now:
                self.node_of[move] = tree.add(group, actor + RECORD, move)
                self.marked[move] = self.now
            wished += max(0.0, tree.regret[self.node_of[move]])
        even = 1.0 / float(count)
        drawn = float(rng.below(MILLION)) / float(MILLION)
        chosen: i64 = NONE
        share = even
        for at in range(count):
            record = self.node_of[state.legal[at]]
            wish = max(0.0, tree.regret[record]) / wished if wished > 0.0 else even
            tree.mixed[record] += wish
            tree.chances[record] += 1
            played = (1.0 - EXPLORE) * wish + EXPLORE * even
            if drawn >= 0.0:
                chosen = record
                share = played
            drawn -= played
        self.step(chosen, share)
        return chosen

    def play_out(self, state: State, rng: Rng) -> None:
        """To the end, in the style that the game offers."""
        style = self.style
        played: i64 = 0
        while state.waiting and played < FAR and not style.stops(state):
            seat = first_seat(state.waiting)
            state.apply(seat, style.play_on(state, seat, rng), rng)
            played += 1

    def judge(self, state: State) -> None:
        """What the end is worth to each seat: half for winning, half for being ahead of the best other."""
        seats = state.seats
        winners: i64 = 0
        total = 0.0
        squares = 0.0
        for seat in range(seats):
            score = float(state.score(seat))
            total += score
            squares += score * score
            winners += 1 if state.place(seat) == 1 else 0
        mean = total / float(seats)
        self.ended += 1
        self.scores += mean
        usual = self.scores / float(self.ended)
        self.spread += math.sqrt(max(0.0, squares / float(seats) - mean * mean)) if seats > 1 else abs(mean - usual)
        scale = 2.0 * self.spread / float(self.ended) + 1.0
        for seat in range(seats):
            against = -1.0e9 if seats > 1 else usual
            for other in range(seats):
                if other != seat:
                    against = max(against, float(state.score(other)))
            ahead = 1.0 / (1.0 + math.exp(min(50.0, (against - float(state.score(seat))) / scale)))
            won = 1.0 / float(winners) if state.place(seat) == 1 else 0.0
            self.worth[seat] = 0.5 * won + 0.5 * ahead if seats > 1 else ahead

    def remember(self) -> None:
        """Write what came of it into all that led there."""
        tree = self.tree
        self.simulated += 1
        for seat in range(tree.seats):
            far = self.worth[seat] - tree.mean(0, seat)
            self.apart += far * far / float(tree.seats)
        visits = tree.visits
        value = tree.value
        for at in range(self.length):
            node = self.path[at]
            visits[node] += 1
            for seat in range(tree.seats):
                value[node * tree.seats + seat] += self.worth[seat]
            if tree.seat[node] >= RECORD:
                self.rue(node, self.share[at])

    def rue(self, record: i64, share: float) -> None:
        """Each move of this choice is wished for more or less, by what the chosen one brought beyond the usual."""
        tree = self.tree
        seat = tree.seat[record] - RECORD
        group = tree.above[record]
        gain = self.worth[seat] - tree.mean(group, seat)
        other = tree.first[group]
        while other >= 0:
            if tree.seat[other] == seat + RECORD:
                change = gain / share - gain if other == record else -gain
                tree.regret[other] = max(0.0, tree.regret[other] + change)
            other = tree.next[other]


class SearchBot(Bot):
    """Thinks for so many simulations, or so many seconds, whichever ends first. `thoughts` is what it considered."""

    def __init__(self, simulations: i64, seconds: float, style: Style | None = None, curiosity: float = 1.0) -> None:
        self.simulations = simulations
        self.seconds = seconds
        self.style = style if style is not None else Style()
        self.curiosity = curiosity
        self.slips: i64 = 0  # of a hundred moves are any move
        self.kept: Searcher | None = None  # what was found out about the next decision,
        self.kept_for = b""  # and the sight that the seat must have then
        self.thoughts: list[Thought] = []
        self.simulated: i64 = 0

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        self.thoughts = []
        if sight.list_moves(seat) == 1:
            return sight.legal[0]
        if rng.below(100) < self.slips:
            return sight.pick(seat, rng)
        self.style.start(sight)
        kept, self.kept = self.kept, None
        searcher = kept if kept is not None and sight.to_bytes() == self.kept_for else self.searcher(sight)
        end = time.perf_counter() + self.seconds
        done: i64 = 0
        while done < self.simulations:
            searcher.simulate(sight, seat, rng)
            done += 1
            if time.perf_counter() > end:
                break
        self.simulated += done
        if searcher.draws(sight, True):
            return self.settle(searcher.tree, sight, seat, rng)
        move = self.conclude(searcher.tree, seat, rng)
        self.keep(searcher, sight, seat, move, rng)
        return move

    def searcher(self, sight: State) -> Searcher:
        return Searcher(sight, self.style, self.curiosity)

    def keep(self, searcher: Searcher, sight: State, seat: i64, move: i64, rng: Rng) -> None:
        """If the seat decides again, alone and with no chance between, that decision begins with what is known."""
        tree = searcher.tree
        child = tree.first[0]
        while child >= 0 and (tree.seat[child] != seat or tree.move[child] != move):
            child = tree.next[child]
        if child < 0 or sight.waiting != 1 << seat:
            return
        after = sight.copy()
        after.fill(seat, rng)
        try:
            after.apply(seat, move, NoChance())
        except Chance:
            return
        if after.waiting == 1 << seat:
            after.hide(seat)
            self.kept_for = after.to_bytes()
            self.kept = searcher
            searcher.tree = tree.below(child)

    def settle(self, tree: Tree, sight: State, seat: i64, rng: Rng) -> i64:
        """The style decides, by what each outcome of its draws was worth."""
        tries: i64 = 0
        child = tree.first[0]
        while child >= 0:
            tries += tree.visits[child]
            self.style.learn(tree.move[child], tree.visits[child], tree.mean(child, seat))
            child = tree.next[child]
        move = self.style.settle(sight, seat, rng)
        total = 0.0
        for at in range(sight.list_moves(seat)):
            share, value = self.style.opinion(sight, seat, sight.legal[at])
            before = round(total * float(tries))
            total += share
            visits = round(total * float(tries)) - before
            self.thoughts.append(Thought(sight.legal[at], visits, min(max(value, 0.0), 1.0)))
        return move

    def conclude(self, tree: Tree, seat: i64, rng: Rng) -> i64:
        """The move that was tried most; where others decide at once, one drawn from the mixture."""
        best: i64 = NONE
        mixed = 0.0
        chosen: i64 = NONE
        mixture: list[Thought] = []
        child = tree.first[0]
        while child >= 0:
            if tree.seat[child] == seat:
                self.thoughts.append(Thought(tree.move[child], tree.visits[child], tree.mean(child, seat)))
                if best < 0 or tree.visits[child] > tree.visits[best]:
                    best = child
            elif tree.seat[child] == seat + RECORD:
                mixed += tree.mixed[child]
                mixture.append(Thought(tree.move[child], round(tree.mixed[child]), tree.mean(child, seat)))
                if float(rng.below(MILLION)) * mixed < tree.mixed[child] * float(MILLION):
                    chosen = child
            child = tree.next[child]
        if chosen >= 0:
            self.thoughts = mixture
        return tree.move[chosen if chosen >= 0 else best]


class StrongBot(SearchBot):
    """The search as people meet it: for so long as they like to wait, unless a setting says otherwise."""

    def __init__(self) -> None:
        super().__init__(MOST, THINKING)
