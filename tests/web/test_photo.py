"""The photo finish as a drawing: everything is inside the frame, in order, and what was corrected says so."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from polikarp.engine.strip import Finish, Strip
from polikarp.games import all_games
from polikarp.web.photo import WIDTH, Photo, photo_of
from polikarp.web.render import Speaker, render


def finish(seat: int, time: float, outcome: str, uncertainty: float = 5.0, claimed: float | None = None) -> Finish:
    return Finish(
        seat=seat,
        target=0,
        round=3,
        elapsed=time + 20,
        claimed=claimed,
        line=20.0,
        vouched=True,
        credit=0.0,
        time=time,
        uncertainty=uncertainty,
        screen="",
        judged="seen",
        outcome=outcome,
    )


def told(language: str, slap: Finish) -> str:
    """The page's words about a slap."""
    return render(
        "photo.html",
        all_games(),
        photo=photo(slap),
        t=Speaker(language).page,
        game="hunters",
        seats=[SimpleNamespace(colour="red", name="Ewa")],
        parts=SimpleNamespace(small_emblem=lambda one: ""),
    )


def photo(*finishes: Finish) -> Photo:
    return photo_of(Strip(3, 7, False, list(finishes)))


def test_the_one_that_counts_comes_first_and_the_rest_by_time() -> None:
    made = photo(finish(0, 448, "later"), finish(1, 62, "void"), finish(2, 412, "counts"), finish(3, 431, "later"))
    assert [slap.seat for slap in made.slaps] == [2, 1, 3, 0]
    assert made.ahead == 19


@pytest.mark.parametrize("times", [(412.0,), (-260.0, 130.0), (5.0, 9_800.0), (0.0, 61_000.0)])
def test_everything_is_inside_the_frame(times: tuple[float, ...]) -> None:
    made = photo(*(finish(seat, time, "counts" if seat == 0 else "later", 25) for seat, time in enumerate(times)))
    for slap in made.slaps:
        assert 0 <= slap.band_x <= slap.x <= slap.band_x + slap.band <= WIDTH
    places = [x for _, x in made.marks]
    assert places[0] == 0
    assert places[-1] == WIDTH
    assert places == sorted(places)
    assert len(places) <= 8
    assert 0 <= made.zone[0] <= made.zone[0] + made.zone[1] <= WIDTH


def test_a_later_slap_is_further_right_and_a_wider_band_less_sure() -> None:
    early, late = photo(finish(0, 300, "counts", 5), finish(1, 400, "later", 20)).slaps
    assert early.x < late.x
    assert early.band * 4 == pytest.approx(late.band, abs=0.2)


def test_a_lead_is_told_only_where_the_clock_decided() -> None:
    assert photo(finish(0, 412, "counts")).ahead is None
    assert photo(finish(0, 415, "counts"), finish(1, 412, "lower")).ahead is None
    assert photo(finish(0, 412, "counts"), finish(1, 62, "void"), finish(2, 500, "later")).ahead == 88


def test_what_the_browser_said_is_told_where_something_else_counts() -> None:
    same, less = photo(finish(0, 412, "counts", claimed=412.5), finish(1, 431, "later", claimed=380)).slaps
    assert same.claimed is None
    assert less.claimed == 380


@pytest.mark.parametrize(
    ("language", "known", "believed"),
    [("en", "(claimed 380, line 20 ms)", "can not be checked"), ("pl", "(zgłoszono 380, łącze 20 ms)", "nie da się")],
)
def test_a_line_that_nothing_vouches_for_is_named_as_the_reason(language: str, known: str, believed: str) -> None:
    def words(vouched: bool) -> str:
        return told(language, msgspec.structs.replace(finish(0, 431, "counts", claimed=380), vouched=vouched))

    assert known in words(vouched=True)
    assert known not in words(vouched=False)
    assert believed in words(vouched=False)
    assert believed not in words(vouched=True)


@pytest.mark.parametrize(("language", "why"), [("en", "may have been too early"), ("pl", "mógł być za wczesny")])
def test_a_slap_that_may_have_been_a_false_start_says_so(language: str, why: str) -> None:
    void = msgspec.structs.replace(finish(0, 110, "void", 20, claimed=110), judged="unsure", unseen=1)
    assert why in told(language, void)
    assert why not in told(language, msgspec.structs.replace(void, time=62.0, judged="before")), "its time says it"
    assert why not in told(language, finish(0, 110, "counts"))


@pytest.mark.parametrize(
    ("language", "one", "more"),
    [("en", "judged without the newest card", "the newest cards"), ("pl", "najnowszej karty", "najnowszych kart")],
)
def test_a_slap_that_was_judged_without_some_cards_says_so(language: str, one: str, more: str) -> None:
    """hunters.25, hunters.33"""
    early = msgspec.structs.replace(finish(0, 62, "counts"), judged="before", unseen=1)
    assert one in told(language, early).lower()
    assert more not in told(language, early)
    assert more in told(language, msgspec.structs.replace(early, unseen=2))


def test_a_race_without_slaps_is_an_empty_photo() -> None:
    assert photo().slaps == []
