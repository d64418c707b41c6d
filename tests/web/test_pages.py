"""The pages over plain HTTP: addresses, headers, cookies, forms without scripts, mistakes, and the rulebook."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from polikarp.games import all_games
from polikarp.games.crypt import game as crypt
from tests.server.playing import Guest, ServerProcess, guests_at, own_address, playing
from tests.web.at_table import at_random, let_play, started
from tests.web.forms import Form, PageForms

SORRY = {"en": "That did not work", "pl": "To się nie udało"}
RULES = Path(crypt.folder)


class Reader:
    """Somebody with a browser that runs no scripts."""

    def __init__(self, url: str, language: str = "en") -> None:
        self.url = url
        self.http = httpx2.Client(
            base_url=url,
            timeout=60,
            transport=httpx2.HTTPTransport(local_address=own_address()),
            headers={"Accept-Language": language, "Accept": "text/html"},
        )

    def get(self, path: str) -> httpx2.Response:
        return self.http.get(path)

    def post(self, path: str, fields: dict[str, str], **headers: str) -> httpx2.Response:
        return self.http.post(path, data=fields, headers={"Origin": self.url, **headers})

    def follow(self, answer: httpx2.Response) -> httpx2.Response:
        assert answer.status_code == 303, answer.text[:300]
        return self.get(answer.headers["location"])

    def become(self, guest: Guest) -> Reader:
        cookie = guest.http.cookies.get("polikarp")
        assert cookie
        self.http.cookies.clear()
        self.http.cookies.set("polikarp", cookie)
        return self


Read = Callable[..., Reader]


@pytest.fixture
def read(site: ServerProcess) -> Iterator[Read]:
    """Readers of any language, each from an address of their own."""
    readers: list[Reader] = []

    def new_reader(language: str = "en") -> Reader:
        readers.append(Reader(site.url, language))
        return readers[-1]

    yield new_reader
    for one in readers:
        one.http.close()


@pytest.fixture
def reader(read: Read) -> Reader:
    return read()


@pytest.fixture
def czytelnik(read: Read) -> Reader:
    return read("pl-PL,pl;q=0.9,en;q=0.5")


@pytest.fixture(scope="module")
def running(site: ServerProcess) -> Iterator[tuple[str, Guest, Guest]]:
    ana, bo = Guest(site.url), Guest(site.url)
    yield started(ana, bo), ana, bo
    ana.close()
    bo.close()


def is_page(answer: httpx2.Response, status: int = 200, language: str = "en") -> str:
    """A whole page in this language with the headers that all pages have."""
    assert answer.status_code == status, answer.text[:300]
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "same-origin"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert f'<html lang="{language}"' in answer.text
    assert "Traceback" not in answer.text
    return answer.text


def is_sorry(answer: httpx2.Response, status: int, language: str = "en") -> str:
    html = is_page(answer, status, language)
    assert SORRY[language] in html
    return html


# Addresses.


@pytest.mark.parametrize("path", ["/", "/new/crypt", "/rules/crypt", "/about", "/import"])
@pytest.mark.parametrize("language", ["en", "pl"])
def test_every_page_has_its_headers_in_both_languages(read: Read, path: str, language: str) -> None:
    html = is_page(read(language).get(path), 200, language)
    assert html.count("<h1") == 1
    assert html.count("<main") == 1


def test_a_table_is_a_page_for_its_players_and_for_watchers(reader: Reader, running: tuple[str, Guest, Guest]) -> None:
    table, ana, _bo = running
    html = is_page(reader.get(f"/t/{table}"))
    assert "polikarp" in reader.http.cookies, "who looks is somebody from now on"
    assert 'class="hand' not in html
    assert 'class="hand' in is_page(reader.become(ana).get(f"/t/{table}"))


def test_who_reads_a_page_is_not_away_from_it(read: Read, running: tuple[str, Guest, Guest]) -> None:
    """Also without a line that is kept open."""
    table, ana, _bo = running
    assert read().get(f"/t/{table}").text.count("presence away") == 2
    assert read().become(ana).get(f"/t/{table}").text.count("presence away") == 1


@pytest.mark.parametrize(
    "path", ["/new/chess", "/rules/chess", "/t/wrong", "/t/AAAAAAAAAAAAAAAAAAAAAA", "/join?code=ZZZZZZ", "/join"]
)
def test_what_is_not_there_is_said_in_a_page(reader: Reader, czytelnik: Reader, path: str) -> None:
    is_sorry(reader.get(path), 404)
    is_sorry(czytelnik.get(path), 404, "pl")


@pytest.mark.parametrize(
    "path", ["/no/such/page", "/favicon", "/static/", "/static/nothing.js", "/static/..%2fsite.py"]
)
def test_an_address_that_leads_nowhere_is_a_404(reader: Reader, path: str) -> None:
    answer = reader.get(path)
    assert answer.status_code == 404, answer.text[:200]
    assert "Traceback" not in answer.text


def test_an_address_that_leads_nowhere_is_a_page_for_people(reader: Reader, czytelnik: Reader) -> None:
    is_sorry(reader.get("/no/such/page"), 404)
    is_sorry(czytelnik.get("/no/such/page"), 404, "pl")


@pytest.mark.parametrize("path", ["/look", "/name", "/play/crypt"])
def test_what_only_forms_may_do_is_not_done_by_a_link(reader: Reader, path: str) -> None:
    assert reader.get(path).status_code == 405


def test_scripts_and_styles_are_kept_by_browsers_and_pages_are_not(reader: Reader) -> None:
    html = reader.get("/").text
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', html)
    assert len(files) >= 3
    for file in files:
        answer = reader.get(file)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_pages_scripts_and_styles_go_compressed_to_whoever_takes_that(reader: Reader) -> None:
    html = reader.get("/").text
    for path in ["/", "/rules/crypt", *re.findall(r'(?:href|src)="(/static/[^"]+\.(?:js|css))"', html)]:
        packed = reader.http.get(path, headers={"Accept-Encoding": "gzip"})
        plain = reader.http.get(path, headers={"Accept-Encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert packed.headers["content-type"] == plain.headers["content-type"]
        assert packed.text == plain.text
        assert int(packed.headers["content-length"]) < len(plain.content) / 2


def test_a_wrong_token_is_nobody_to_a_page(reader: Reader) -> None:
    assert reader.http.get("/", headers={"Authorization": "Bearer nonsense"}).status_code == 200


# Looks and languages.


def test_language_and_look_are_kept_in_cookies(reader: Reader) -> None:
    answer = reader.post("/look", {"language": "pl", "here": "/about"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/about")
    kept = answer.headers["set-cookie"].lower()
    assert "language=pl" in kept
    assert "httponly" in kept
    assert "samesite=lax" in kept
    is_page(reader.get("/about"), 200, "pl")
    reader.post("/look", {"look": "dark"})
    assert 'data-look="dark"' in reader.get("/").text
    reader.post("/look", {"look": "system"})
    assert "data-look" not in reader.get("/").text
    reader.post("/look", {"language": "xx", "look": "<b>"})
    assert reader.http.cookies.get("language") == "pl"
    assert reader.http.cookies.get("look") == "system"


@pytest.mark.parametrize(
    "here",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/\r\nSet-Cookie: a=b",
        "//[",
        "",
    ],
)
def test_a_form_never_leads_to_another_site(reader: Reader, here: str) -> None:
    answer = reader.post("/look", {"language": "en", "here": here})
    assert answer.status_code == 303, answer.text[:200]
    where = answer.headers["location"]
    assert where.startswith("/")
    assert not where.startswith(("//", "/\\", "/\t"))
    assert "evil.example" not in httpx2.URL(f"{reader.url}/").join(where).host
    assert "a" not in reader.http.cookies


def test_a_name_with_markup_is_only_a_name(reader: Reader, running: tuple[str, Guest, Guest]) -> None:
    name = "<b>&\"'{{7*7}}<script>"
    assert reader.post("/name", {"name": name, "here": "/about"}).headers["location"] == "/about"
    table = reader.follow(reader.post("/new/crypt", {"seats": "2", "public": "on"})).url.path
    for path in ("/", table, "/about"):
        html = reader.get(path).text
        assert '<b>&"' not in html
        assert "<script>" not in html
        assert "{{7*7}}" in html
    html = reader.get(table).text
    assert "&lt;b&gt;&amp;" in html
    chat = PageForms(html).of("chat")[0]
    reader.post(table, chat.sends(text="<img src=x onerror=alert(1)>"))
    html = reader.get(table).text
    assert "<img" not in html
    assert "&lt;img src=x" in html


# Coming to a table.


def test_a_code_leads_to_its_table(reader: Reader, czytelnik: Reader) -> None:
    table = reader.follow(reader.post("/new/crypt", {"seats": "2"}))
    code = re.search(r'class="code">([A-Z0-9]+)<', table.text)
    assert code
    for written in (code[1], code[1].lower(), f"{code[1][:3]}-{code[1][3:]}", f" {code[1]} "):
        answer = czytelnik.http.get("/join", params={"code": written})
        assert (answer.status_code, answer.headers["location"]) == (303, table.url.path), written


@pytest.mark.parametrize("code", ["", "../../x", "ééé", "²²²", "A" * 50, "'; --"])
def test_a_wrong_code_leads_nowhere(czytelnik: Reader, code: str) -> None:
    html = is_sorry(czytelnik.http.get("/join", params={"code": code}), 404, "pl")
    assert "kodu" in html


# Forms that are wrong.


@pytest.mark.parametrize("language", ["en", "pl"])
def test_a_wrong_form_gets_a_sentence_in_the_readers_language(
    read: Read, running: tuple[str, Guest, Guest], language: str
) -> None:
    reader = read(language).become(running[1])
    table = f"/t/{running[0]}"

    def said(answer: httpx2.Response, status: int, sentence: dict[str, str]) -> None:
        assert sentence[language] in is_page(answer, status, language)

    origin = {"en": "another site", "pl": "innego serwisu"}
    unreadable = {"en": "can not be read", "pl": "nie można odczytać"}
    said(reader.post(table, {"type": "chat", "id": "1", "text": "x"}, Origin="https://evil.example"), 403, origin)
    said(reader.post("/name", {"name": "x"}, Origin="null"), 403, origin)
    said(reader.post("/name", {"name": "  "}), 422, {"en": "A name has", "pl": "Imię ma"})
    said(reader.post("/new/crypt", {"seats": "9"}), 422, {"en": "9 seats", "pl": "9"})
    said(reader.post("/new/crypt", {"collectors": "<Q>"}), 422, {"en": "This option", "pl": "Taka opcja"})
    said(reader.post("/new/crypt", {"first_own": "3"}), 422, {"en": "This option", "pl": "Taka opcja"})
    said(reader.http.post("/name", json={"name": "x"}), 415, unreadable)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    said(reader.http.post("/name", content=b"name=\xff\xfe", headers=form), 422, unreadable)
    said(reader.http.post("/name", content=b"a=1&" * 200, headers=form), 422, unreadable)
    said(reader.http.post("/name", content=b"a" * 70_000, headers=form), 413, {"en": "too large", "pl": "za duże"})
    said(reader.post(table, {}), 422, unreadable)
    said(reader.post(table, {"type": "dance", "id": "1"}), 422, unreadable)
    said(reader.post(table, {"type": "start", "id": "1"}), 409, {"en": "already under way", "pl": "już trwa"})
    other = {"en": "is not yours", "pl": "nie należy do ciebie"}
    said(reader.post(table, {"type": "hand_over", "id": "2", "seat": "7"}), 422, {"en": "no seat", "pl": "Nie ma"})
    said(reader.post(table, {"type": "take_back", "id": "3", "seat": "1"}), 403, other)


def test_the_owner_lets_a_bot_play_for_who_is_away_and_not_for_who_is_here(site: ServerProcess, read: Read) -> None:
    def offered(reader: Reader) -> list[str]:
        """The seats that a bot can be let play for."""
        forms = PageForms(reader.get(f"/t/{table}").text).of("hand_over")
        return [form.sends()["seat"] for form in forms]

    async def live() -> None:
        async with playing((ana, table), (bo, table)) as (owner, other):
            await owner.until(lambda update: update["table"]["seats"][1]["status"] == "present", 0)
            assert await asyncio.to_thread(offered, read().become(ana)) == ["0"]
            assert await asyncio.to_thread(offered, read().become(bo)) == ["1"]
            await other.leave()
            await owner.until(lambda update: update["table"]["seats"][1]["status"] == "away", 0)
            assert await asyncio.to_thread(offered, read().become(ana)) == ["0", "1"]

    with guests_at(site.url, site.url) as (ana, bo):
        table = started(ana, bo)
        asyncio.run(live())


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5000, "-1", "1e3", "x"])
@pytest.mark.parametrize("path", ["/new/crypt", "/play/crypt"])
def test_a_strange_number_of_seats_is_no_trouble_for_the_server(reader: Reader, path: str, number: str) -> None:
    assert reader.post(path, {"seats": number}).status_code < 500


@pytest.mark.parametrize("number", ["²", "9" * 5000, "-1", "x"])
def test_a_strange_seat_in_the_address_is_no_trouble_for_the_server(
    reader: Reader, running: tuple[str, Guest, Guest], number: str
) -> None:
    answer = reader.become(running[1]).http.get(f"/t/{running[0]}", params={"seat": number})
    assert answer.status_code < 500


def test_a_seat_that_is_not_mine_is_not_shown_whatever_the_address_says(
    reader: Reader, running: tuple[str, Guest, Guest]
) -> None:
    table, ana, _bo = running
    assert 'class="hand' not in reader.get(f"/t/{table}?seat=0").text
    html = reader.become(ana).get(f"/t/{table}?seat=1").text
    assert re.search(r'id="seat-0"[\s\S]*?class="you"', html.split('id="seat-1"')[0])


# A whole game without scripts.


def decided(page: PageForms, chance: random.Random) -> tuple[Form, dict[str, str]]:
    """A move by form: one of the buttons, or dice for a treasure."""
    ready: list[tuple[Form, dict[str, str]]] = []
    for form in page.of("move"):
        if form.id == "send":
            for button in form.buttons:
                found = re.search(r"for-([A-F])", button.inside)
                if button.usable and found:
                    ready.append((form, form.sends(button, part_slot=found[1])))
        elif form.buttons and any(field.name == "move" and field.kind == "hidden" for field in form.fields):
            ready.append((form, form.sends(form.buttons[0])))
    assert ready, "it is my turn, but there is nothing to press"
    return chance.choice(ready)


def test_forms_without_scripts_play_a_whole_game(read: Read) -> None:
    reader, chance = read("pl"), random.Random(1)
    form = PageForms(reader.get("/new/crypt").text).at("/new/crypt")
    table = reader.follow(reader.post(form.action, form.sends(seats="2")))
    path = table.url.path
    for kind in ("add_bot", "start"):
        form = PageForms(reader.get(path).text).of(kind)[-1]
        reader.follow(reader.post(path, form.sends(form.buttons[0])))
    moves, end = 0, time.monotonic() + 120
    while True:
        assert time.monotonic() < end, "the game did not end"
        page = PageForms(reader.get(path).text)
        if page.of("rematch"):
            break
        if not page.of("move"):
            time.sleep(0.05)  # the bot thinks
            continue
        form, sent = decided(page, chance)
        answer = reader.post(path, sent)
        if moves == 0:
            again = reader.post(path, sent)  # pressed twice: the same command, which is carried out once
            assert again.status_code in (303, 409)
        if answer.status_code == 409:
            continue  # a right can be used while the bot plays, and the bot was faster
        reader.follow(answer)
        moves += 1
    assert moves >= 8
    rematch = page.of("rematch")[0]
    following = reader.follow(reader.post(path, rematch.sends(rematch.buttons[0])))
    assert following.url.path.startswith("/t/")
    assert following.url.path != path


def test_a_form_sent_twice_is_carried_out_once(reader: Reader) -> None:
    path = reader.follow(reader.post("/new/crypt", {"seats": "2"})).url.path
    chat = PageForms(reader.get(path).text).of("chat")[0].sends(text="only once")
    reader.follow(reader.post(path, chat))
    html = reader.follow(reader.post(path, chat)).text
    assert html.count("only once") == 1


def test_the_finished_game_has_its_record(site: ServerProcess, reader: Reader) -> None:
    ana = Guest(site.url)
    table = started(ana)
    let_play(table, [ana], at_random(3), lambda update: False)
    html = reader.become(ana).get(f"/t/{table}").text
    link = f"/api/tables/{table}/record"
    assert f'href="{link}"' in html
    assert reader.get(link).json()["game"] == "crypt"
    ana.close()


# Options.


@pytest.mark.parametrize(
    ("language", "game", "chosen", "told"),
    [
        ("en", "gold", {"kings_orders": "on"}, {"Dapper guards": "No", "The king&#39;s new orders": "Yes"}),
        ("en", "gold", {"starting_gold": "5"}, {"The king&#39;s new orders": "No", "Gold at the start": "5"}),
        ("pl", "melee", {"rules": "advanced"}, {"Zasady": "Zaawansowane"}),
        ("pl", "melee", {}, {"Zasady": "Podstawowe"}),
        ("en", "crypt", {"collectors": "random"}, {"Sides of the collectors": "Each at random"}),
        ("en", "crypt", {"collectors_own": "ABABAA"}, {"Sides of the collectors": "ABABAA"}),
        ("en", "crypt", {}, {"Who leads": "Chance decides"}),
        ("pl", "crypt", {"first_own": "2"}, {"Kto prowadzi": "2"}),
    ],
)
def test_options_are_asked_for_and_told(
    read: Read, language: str, game: str, chosen: dict[str, str], told: dict[str, str]
) -> None:
    reader = read(language)
    form = PageForms(reader.get(f"/new/{game}").text).at(f"/new/{game}")
    html = reader.follow(reader.post(form.action, form.sends() | chosen)).text
    for name, value in told.items():
        assert f"<li>{name}: <b>{value}</b></li>" in html


# The rulebook.

NUMBER = re.compile(r"crypt\.\d+[A-Z]?")
MARKS = {"en": ("reconstructed", "our ruling"), "pl": ("odtworzone", "nasze rozstrzygnięcie")}


@pytest.mark.parametrize("language", ["en", "pl"])
def test_every_rule_has_its_anchor_and_reconstructed_data_its_mark(read: Read, language: str) -> None:
    html = is_page(read(language).get("/rules/crypt"), 200, language)
    book = (RULES / "rulebook" / f"{language}.md").read_text("utf-8")
    page = PageForms(html)
    anchors = [one for one in page.ids if NUMBER.fullmatch(one)]
    written = re.findall(r"^\*\*(crypt\.\w+)\*\*", book, re.M)
    assert anchors == written
    assert len(set(anchors)) == len(anchors) > 40
    named = set(NUMBER.findall((RULES / "rules.py").read_text("utf-8"))) | set(re.findall(r'href="#([^"]+)"', html))
    assert named - {"main"} <= set(anchors), "a refusal names a rule that is not there"
    text = "".join(page.text)
    for mark in MARKS[language]:
        assert text.count(mark) >= book.count(mark) > 0


# Facts and where they come from.

OURS = {"en": "(our estimate)", "pl": "(nasz szacunek)"}
BOOK = {"crypt": set(), "gold": set(), "hunters": set(), "melee": {"minutes"}}  # of the facts shown, those in the book


@pytest.mark.parametrize("language", ["en", "pl"])
def test_how_long_a_game_takes_is_the_books_or_marked_as_ours(read: Read, language: str) -> None:
    html = is_page(read(language).get("/"), 200, language)
    cards = re.findall(r'<li class="game">.*?</li>', html, re.S)
    offered = [game for game in all_games().values() if game.offered]
    assert len(cards) == len(offered)
    for card, game in zip(cards, offered, strict=True):
        facts = game.words(language).tables["facts"]
        assert facts["minutes"] in card
        assert set(facts.get("ours", "").split()) == {"minutes"} - BOOK[game.id]
        assert (OURS[language] in card) == ("minutes" not in BOOK[game.id]), game.id


@pytest.mark.parametrize("language", ["en", "pl"])
def test_the_about_page_says_of_each_game_what_is_reconstructed_and_what_is_ours(read: Read, language: str) -> None:
    html = is_page(read(language).get("/about"), 200, language)
    text = " ".join("".join(PageForms(html).text).split())
    ours, rebuilt = {"en": ("made by us", "reconstructed"), "pl": ("wymyślone przez nas", "odtworzon")}[language]
    for game in all_games().values():
        if game.offered:
            sources = game.words(language).tables["facts"]["sources"]
            assert f"{game.words(language).template('game', 'title')}. {sources}" in text
            assert ours in sources
            assert rebuilt in sources
