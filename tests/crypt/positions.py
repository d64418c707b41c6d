"""Hand-made positions of Crypt, and short ways to play from them and to look at them.

A card is written `statue 3`; `hidden` after it says that it was laid face down, `turned` that it paid a collector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polikarp.engine.phrase import Arg, Event, Refusal
from polikarp.engine.rng import FastRng, Rng, ScriptRng
from polikarp.engine.state import EVERYONE, Log, State, bit, seats_of
from polikarp.games.crypt import game
from polikarp.games.crypt.cards import KINDS
from polikarp.games.crypt.rules import CRYPT, DECK, DISCARDED, NOBODY, OWNED, POTTERY_WINDOWS, SERVANTS, SLOTS, Crypt
from polikarp.games.crypt.view import Board, Card

DICE = 3
MOST_PASSES = 12  # in a round: a Pottery window, a turn and a Statue window of four players


def position(
    seats: int,
    side_b: str = "",
    leader: int = 0,
    crypt: Sequence[str] = (),
    hands: Mapping[int, Sequence[str]] = {},
    discards: Sequence[str] = (),
    deck: Sequence[str] = (),
    held: Mapping[str, tuple[int, int, int]] = {},
    tired: Mapping[int, int] = {},
    turn: int | None = None,
    last: bool = False,
    rolls: Sequence[int] = (),
) -> Crypt:
    """A position at its first decision: after Reveal, or from a given turn of Servants on.

    `side_b` names the kinds whose collector shows side B. `crypt` and `deck` are in the order of drawing, and what is
    not named is filled up from the cards left. `held` says who holds a slot: heir, dice, what each shows. Dice that
    neither hold a treasure nor are tired are ready. `last`: the round in which the deck has run out. `rolls` are
    dice that fall before the first decision: the ghost's.
    """
    sides = "".join("B" if kind in side_b.split() else "A" for kind in KINDS)
    state = game.start(seats, {"collectors": sides}, FastRng("any deal"))
    assert isinstance(state, Crypt)
    state.leader = leader
    lay_cards(state, crypt, hands, discards, deck, last)
    for heir in range(state.heirs):
        state.tired[heir] = tired.get(heir, 0)
        state.ready[heir] = DICE - state.tired[heir]
    for letter, (heir, dice, shows) in held.items():
        slot = SLOTS.index(letter)
        state.holder[slot], state.dice[slot], state.shows[slot] = heir, dice, shows
        state.ready[heir] -= dice
        assert state.ready[heir] >= 0, "nobody has so many dice"
        state.sent[heir] = 1
    state.phase, state.window, state.turn = POTTERY_WINDOWS, 0, 0
    if turn is not None:
        state.phase, state.turn = SERVANTS, turn
    script = faces(rolls)
    state.go_on(script)
    script.finish()
    return state


def lay_cards(
    state: Crypt,
    crypt: Sequence[str],
    hands: Mapping[int, Sequence[str]],
    discards: Sequence[str],
    deck: Sequence[str],
    last: bool,
) -> None:
    """Put every card of the game somewhere: each is known by the order in which it left the deck."""
    earlier = [(text, OWNED + seat) for seat, hand in hands.items() for text in hand]
    earlier += [(text, DISCARDED) for text in discards]
    pile = [text for text, copies in card_list(state) for _ in range(copies)]
    for text in [*crypt, *deck, *(text for text, _ in earlier)]:
        pile.remove(" ".join(text.split()[:2]))

    first = rounds_before(state, [text for text, _ in earlier], last) * state.slots
    free = {down: [card for card in range(first) if state.laid_down(card) == down] for down in (False, True)}
    for text, where in earlier:
        put(state, free["hidden" in text].pop(0), text, where)
    state.drawn = first + state.slots
    state.round = state.drawn // state.slots
    for slot in range(state.slots):
        put(state, first + slot, crypt[slot] if slot < len(crypt) else pile.pop(), CRYPT)
        state.slot[slot], state.holder[slot], state.dice[slot], state.shows[slot] = first + slot, NOBODY, 0, 0
    for card in sorted(free[False] + free[True]):
        put(state, card, pile.pop(), DISCARDED)
    for at, card in enumerate(range(state.drawn, state.size)):
        put(state, card, deck[at] if at < len(deck) else pile.pop(), DECK)
    if state.seats == 1:
        state.sort_slots()


def rounds_before(state: Crypt, cards: Sequence[str], last: bool) -> int:
    """How many rounds it took to see these cards."""
    rounds = state.size // state.slots
    hidden = sum("hidden" in card for card in cards)
    before = max(-(-(len(cards) - hidden) // state.face_up), -(-hidden // (state.slots - state.face_up)))
    assert before < rounds, "so many cards can not have been drawn yet"
    return rounds - 1 if last else before


def put(state: Crypt, card: int, text: str, where: int) -> None:
    kind, value, *marks = text.split()
    state.kind[card], state.value[card] = KINDS.index(kind), int(value)
    state.where[card] = where
    state.turned[card] = int("turned" in marks)
    state.floor[card] = 0
    if where == DECK:
        state.known[card] = 0
    elif "turned" in marks or not state.laid_down(card):
        state.known[card] = EVERYONE
    else:
        state.known[card] = bit(where - OWNED) if where >= OWNED else 0
    if where >= OWNED:
        place = (where - OWNED) * 6 + state.kind[card]
        state.owned[place] += 1
        state.down[place] += 1 - state.turned[card]


def card_list(state: Crypt) -> list[tuple[str, int]]:
    """Every card of the game, with its number of copies."""
    return [
        (card_text(kind, value), state.cards.copies_of(state.seats, kind, value))
        for kind in range(6)
        for value in range(1, 5)
    ]


def card_text(kind: int, value: int) -> str:
    return f"{KINDS[kind]} {value}"


# Playing


def faces(rolls: Iterable[int]) -> ScriptRng:
    """Dice that fall as written down."""
    return ScriptRng([face - 1 for face in rolls])


def play(state: Crypt, seat: int, text: str, rolls: Iterable[int] = ()) -> Log:
    """Play one move; exactly these dice must fall in it."""
    script = faces(rolls)
    log = state.play(seat, game.parse(text), script)
    script.finish()
    return log


def send(state: Crypt, seat: int, *groups: str, rolls: Iterable[int] = ()) -> Log:
    """A whole turn: send these groups (`2x5 at C`) and be done; what happened after the last of them."""
    for group in groups:
        play(state, seat, f"send {group}")
    return play(state, seat, "done", rolls)


def finish(state: Crypt, rolls: Iterable[int] = ()) -> Log:
    """Everybody passes until the game is over or a new round begins; what happened in the last move."""
    script = faces(rolls)
    begun = state.round
    log = Log()
    for _ in range(MOST_PASSES):
        if not state.waiting or state.round != begun:
            break
        seat = waits_for(state)
        move = "recover" if "recover" in moves(state, seat) else "done"
        log = state.play(seat, game.parse(move), script)
    script.finish()
    return log


def any_move(state: State, rng: Rng) -> tuple[int, int]:
    """One of all moves that anybody has now, with the seat that has it."""
    listed = [(seat, move) for seat in seats_of(state.acting()) for move in state.moves(seat)]
    return listed[rng.below(len(listed))]


# Looking


def waits_for(state: Crypt) -> int:
    """The only seat that the game waits for."""
    [seat] = seats_of(state.waiting)
    return seat


def moves(state: Crypt, seat: int) -> list[str]:
    return [game.text(move) for move in state.moves(seat)]


def sends(state: Crypt, seat: int, slot: str = "") -> list[str]:
    """The groups that a seat may send, to one slot or to any."""
    return [text[5:] for text in moves(state, seat) if text.startswith("send") and text.endswith(slot)]


def why_not(state: Crypt, seat: int, text: str) -> Refusal | None:
    return state.why_not(seat, game.parse(text))


def keys(log: Log) -> list[str]:
    return [event.key for event in log.events]


def told(log: Log, key: str) -> list[dict[str, Arg]]:
    """What was said under a key."""
    return [event.args for event in events(log, key)]


def events(log: Log, key: str) -> list[Event]:
    return [event for event in log.events if event.key == key]


def board(state: Crypt, seat: int | None = None) -> Board:
    """The table as a seat may see it; as a watcher may if no seat is given."""
    seen = game.view(state, seat).board
    assert isinstance(seen, Board)
    return seen


def texts(cards: Iterable[Card]) -> list[str]:
    """Cards as text, with `?` for a value that the viewer does not know."""
    return [f"{card.kind} {card.value or '?'}" for card in cards]


def collection(state: Crypt, owner: int, seat: int | None) -> list[str]:
    """An owner's treasures as a seat (or a watcher) may see them."""
    return texts(board(state, seat).heirs[owner].collection)


def turned(state: Crypt, owner: int) -> list[str]:
    """The cards that an owner turned up, which everybody sees."""
    return texts(card for card in board(state).heirs[owner].collection if card.turned)


def crypt_texts(state: Crypt, seat: int | None = None) -> list[str]:
    return texts(treasure.card for treasure in board(state, seat).crypt)


def collector_coins(state: Crypt, seat: int, kind: str) -> int:
    """What the collector of a kind pays a seat, as the seat itself can tell."""
    return board(state, seat).heirs[seat].coins.collectors[kind]


def holding(state: Crypt) -> dict[str, tuple[int, int, int]]:
    """Who holds which slot: heir, dice, what each shows."""
    return {
        treasure.slot: (treasure.holder, treasure.dice, treasure.shows)
        for treasure in board(state).crypt
        if treasure.holder is not None
    }


def dice(state: Crypt, seat: int) -> tuple[int, int]:
    """A seat's ready and exhausted dice, as everybody sees them."""
    heir = board(state).heirs[seat]
    return heir.ready, heir.exhausted
