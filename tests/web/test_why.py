"""Why a bot played what it played: opened in the replay of a finished game, by everybody who can see that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Page, expect

from polikarp.bots import make_bot, thoughts_of
from polikarp.engine.conformance import Setting, walk
from polikarp.engine.game import Game
from polikarp.engine.record import Record, read_record, record_json, replay
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State, bit, seats_of
from polikarp.engine.thoughts import MOST, Thoughts
from polikarp.engine.words import house_languages
from polikarp.games import all_games, offered_games
from polikarp.web.render import Speaker
from polikarp.web.why import first_event, told_moves, why_of
from tests.melee.positions import attacking, play
from tests.server.playing import PATIENCE, Guest, ServerProcess, wait_until
from tests.web.conftest import Visit
from tests.web.weighing import WEIGHING, golden, moments, weighed

OPENED = ".considered[open]"
SUMMARY = ".considered summary"
ROWS = "#considered tbody tr"
NAMES = ["Ada", "Ben", "Cleo", "Dan", "Ewa", "Filip", "Gosia", "Hugo"]


def imported(guest: Guest, record: Record) -> str:
    answer = guest.http.post("/api/records", content=record_json(record), headers={"Content-Type": "application/json"})
    assert answer.status_code == 201, answer.text
    table: str = answer.json()["table"]
    return table


class Kept:
    """A game with thoughts on the site."""

    def __init__(self, guest: Guest, name: str) -> None:
        self.guest = guest
        self.game, _ = golden(name)
        self.record = weighed(name)
        self.table = imported(guest, self.record)
        self.at = moments(self.record)[0]

    def address(self, at: int | None = None, seat: str = "watcher") -> str:
        return f"/t/{self.table}/replay?at={self.at if at is None else at}&seat={seat}"

    def thoughts(self, at: int | None = None) -> Thoughts:
        thoughts = self.record.moves[(self.at if at is None else at) - 1].thoughts
        assert thoughts is not None
        return thoughts

    def silent(self) -> int:
        """A moment before a move of which nothing is known, after one that has thoughts."""
        return next(
            at
            for at, (one, next_one) in enumerate(zip(self.record.moves, self.record.moves[1:], strict=False), 1)
            if one.thoughts is not None and next_one.thoughts is None
        )


@pytest.fixture(scope="module")
def gold(site: ServerProcess) -> Iterator[Kept]:
    guest = Guest(site.url)
    yield Kept(guest, "gold-3-base")
    guest.close()


def numbers(page: Page) -> list[list[str]]:
    """Value and tries of each line."""
    return [[cell.strip() for cell in row.locator("td").all_inner_texts()] for row in page.locator(ROWS).all()]


def test_what_was_considered_is_listed_with_the_move_that_was_played(visit: Visit, gold: Kept) -> None:
    page = visit().go(gold.address())
    expect(page.locator(ROWS).first).to_be_hidden()
    page.locator(SUMMARY).click()
    expect(page.locator(ROWS).first).to_be_visible()
    thoughts = gold.thoughts()
    assert len(thoughts.best) == MOST
    assert thoughts.others > 1
    expected = [[f"{round(100 * one.value)}%", str(one.visits)] for one in thoughts.best]
    assert numbers(page) == [*expected, ["", str(thoughts.other_visits)]]
    expect(page.locator(ROWS).last).to_contain_text(f"{thoughts.others} other moves")
    step = replay(gold.game, gold.record).steps[gold.at - 1]
    told = Speaker("en", gold.game, gold.record.players).of_game("event", step.events[0].key, step.events[0].args)
    assert page.locator(f"{ROWS}.played").count() == 1
    expect(page.locator(f"{ROWS}.played th")).to_have_text(re.compile(rf"Played\s+{re.escape(told)}"))
    expect(page.locator("#considered h2")).to_have_text(f"Move {gold.at}: {gold.record.players[WEIGHING]}")
    widths = [float(bar.get_attribute("width") or "") for bar in page.locator("#considered .part").all()]
    assert widths == [round(100 * one.visits / thoughts.visits, 1) for one in thoughts.best]


def test_it_is_the_same_through_everybodys_eyes(visit: Visit, gold: Kept) -> None:
    page = visit().page
    seen = set()
    for eyes in ("watcher", "0", "1", "2"):
        page.goto(gold.guest.url + gold.address(seat=eyes))
        seen.add(page.locator("#considered").inner_html())
    assert len(seen) == 1


def test_the_open_table_goes_along_from_move_to_move(visit: Visit, gold: Kept) -> None:
    at = gold.silent()
    page = visit().go(gold.address(at))
    page.locator(SUMMARY).click()
    expect(page.locator(ROWS)).to_have_count(len(gold.thoughts(at).best) + bool(gold.thoughts(at).others))
    expect(page.locator(".considered.idle")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#considered")).to_contain_text("Nothing to show here")
    expect(page.locator(ROWS)).to_have_count(0)
    expect(page.locator(f"{OPENED}.idle")).to_have_count(1)
    page.get_by_role("link", name="One move back").click()
    expect(page.locator("#considered h2")).to_have_text(re.compile(f"^Move {at}: "))
    expect(page.locator(f"{OPENED}:not(.idle)")).to_have_count(1)


def test_by_key(visit: Visit, gold: Kept) -> None:
    page = visit(360, 640).go(gold.address())
    page.locator("#replay-at").focus()
    for _ in range(20):
        if page.evaluate("() => document.activeElement.matches('.considered summary')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(OPENED)).to_have_count(1)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "considered"
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.getElementById('considered').scrollTop > 0")
    page.keyboard.press("Escape")
    expect(page.locator(OPENED)).to_have_count(0)


def test_the_controls_stay_in_reach_of_the_pointer(visit: Visit, gold: Kept) -> None:
    """An open sheet is whole, beside whatever width the bar has, and covers no control."""
    for width in (360, 700, 1100, 1280, 1920):
        page = visit(width, 800).go(gold.address())
        for summary in page.locator(".up summary").all():
            summary.click()
            box = page.locator(".up[open] .sheet").bounding_box()
            bar = page.locator(".replay-bar").bounding_box()
            assert box is not None
            assert bar is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= bar["y"]


def test_without_javascript(chromium: Browser, gold: Kept) -> None:
    context = chromium.new_context(java_script_enabled=False, locale="pl-PL")
    page = context.new_page()
    page.goto(gold.guest.url + gold.address())
    page.get_by_text("Dlaczego tak?", exact=True).click()
    expect(page.locator(ROWS).last).to_contain_text(re.compile(r"inn(e|ych) ruch"))
    expect(page.locator(f"{ROWS}.played")).to_be_visible()
    page.goto(gold.guest.url + gold.address(0))
    page.get_by_text("Dlaczego tak?", exact=True).click()
    expect(page.locator("#considered")).to_contain_text("nie ma czego pokazać")
    context.close()


def test_a_game_in_which_nobody_searched_has_no_such_button(visit: Visit, gold: Kept) -> None:
    _, record = golden("gold-4-both")
    page = visit().go(f"/t/{imported(gold.guest, record)}/replay?at=5")
    expect(page.locator(".moves summary")).to_be_visible()
    assert page.locator(".considered").count() == 0


def test_a_choice_made_at_once_is_told_as_a_mixture(visit: Visit, gold: Kept) -> None:
    """And in words that tell one secret choice from another."""
    melee = Kept(gold.guest, "melee-2-basic")
    table = replay(melee.game, melee.record)
    at = next(
        number
        for number in moments(melee.record)
        if (before := table.steps[number - 1].before) is not None
        if len(seats_of(melee.game.load(2, before, table.options).sight(WEIGHING).waiting)) == 2
    )
    page = visit().go(melee.address(at))
    page.locator(SUMMARY).click()
    expect(page.locator("#considered")).to_contain_text("All decide at once here")
    told = page.locator(f"{ROWS}:not(.others) th").all_inner_texts()
    assert len(set(told)) == len(told) > 1
    assert all(text.split("\n")[-1].startswith("Your ") for text in told), told
    page.goto(gold.guest.url + gold.address())
    page.locator(SUMMARY).click()
    expect(page.locator("#considered")).to_contain_text("It plays the move that it tried most")


def test_what_a_style_settles_is_drawn_and_says_so() -> None:
    melee, speaker = all_games()["melee"], Speaker("en", all_games()["melee"], ["Ewa", "Adam"])
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=6)
    play(state, 0, "use soldier at R1", "attack Y1")
    bot = make_bot(melee, "strong:simulations=20")
    move = bot.choose(state.sight(0), 0, FastRng(1))
    step = SimpleNamespace(seat=0, move=move, thoughts=thoughts_of(melee, bot, move))
    why = why_of(melee, state, step, speaker)  # type: ignore[arg-type]
    assert why is not None
    assert (why.drawn, why.mixed) == (True, False)


def test_a_table_with_searching_bots_from_the_first_move_to_the_file(visit: Visit, site: ServerProcess) -> None:
    """Nothing is there while it is played; then the page has it, and so has the page of the downloaded record."""
    guest = Guest(site.url)
    table = guest.table(game="gold", seats=3)
    guest.do(table, "add_bot", level="strong:level=easy")
    guest.do(table, "start")
    visitor = visit()
    page = visitor.go(f"/t/{table}/replay")
    expect(page.locator("body")).to_contain_text("That did not work")
    visitor.forgive("409")
    guest.do(table, "hand_over", seat=0)
    wait_until(lambda: guest.get(f"/api/tables/{table}/record").get("result"), 4 * PATIENCE)
    data = guest.http.get(f"/api/tables/{table}/record").content
    at = moments(read_record(data))[0]
    shown = []
    for place in (table, imported(guest, read_record(data))):
        page = visitor.go(f"/t/{place}/replay?at={at}")
        page.locator(SUMMARY).click()
        assert page.locator(ROWS).count() > 1
        shown.append(numbers(page))
    assert shown[0] == shown[1]
    guest.close()


# The words of moves


@pytest.mark.parametrize("language", house_languages())
@pytest.mark.parametrize("game", offered_games(), ids=lambda game: game.id)
def test_every_move_has_words_of_its_own(game: Game, language: str) -> None:
    speaker = Speaker(language, game, NAMES)
    in_words = 0
    for number, state in enumerate(walk(Setting(game, game.seats[-1], {}, "why"))):
        if number % 5:
            continue
        for seat in seats_of(state.waiting):
            before = state.to_bytes()
            moves = [game.text(move) for move in state.moves(seat)]
            told = told_moves(game, state, seat, moves, speaker)
            assert len(set(told)) == len(moves)
            assert state.to_bytes() == before
            in_words += sum(text != move for text, move in zip(told, moves, strict=True))
    assert in_words > 20


@pytest.mark.parametrize("name", ["crypt-3-A", "gold-6-orders", "melee-4-advanced"])
def test_a_move_is_told_as_the_log_tells_it(name: str) -> None:
    """What is told before chance comes in is what was told when the move was made."""
    game, record = golden(name)
    table = replay(game, record)
    told = 0
    for step in table.steps:
        assert step.before is not None
        event = first_event(game.load(table.seats, step.before, table.options), step.seat, step.move)
        if event is not None:
            assert event == next(one for one in step.events if one.audience & bit(step.seat))
            told += 1
    assert told > 0.9 * len(table.steps)


class Roll(State):
    """A position in which the one move tells first what chance brought."""

    def __init__(self) -> None:
        super().__init__(1, 1)

    def blank(self) -> State:
        return Roll()

    def become(self, other: State) -> None:
        pass

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        rolled = rng.below(6)
        assert self.log is not None
        self.log.tell("roll", {"rolled": rolled})


def test_what_is_up_to_chance_is_not_made_up() -> None:
    assert first_event(Roll(), 0, 0) is None


def test_a_move_without_thoughts_has_no_why() -> None:
    game, record = golden("crypt-3-A")
    table = replay(game, record)
    step = table.steps[0]
    assert step.before is not None
    before = game.load(table.seats, step.before, table.options)
    assert why_of(all_games()["crypt"], before, step, Speaker("en", game, NAMES)) is None
