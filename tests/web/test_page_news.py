"""What goes to a page that has an older one: runs of lines it has, and new ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as any_of

from polikarp.web.table_page import changes

LINES = any_of.lists(any_of.sampled_from(["<li>", "</li>", "a", "b", "c", ""]), max_size=30)


def put_together(old: list[str], news: list[tuple[int, int] | str]) -> list[str]:
    """As the client does."""
    made: list[str] = []
    for one in news:
        made += [one] if isinstance(one, str) else old[one[0] : one[1]]
    return made


@given(LINES, LINES)
def test_the_page_is_put_together_again(old: list[str], new: list[str]) -> None:
    news = changes(old, new)
    assert put_together(old, news) == new
    assert all(line not in old for line in news if isinstance(line, str)), "what is known is not sent again"


def test_a_page_that_stayed_the_same_is_one_run() -> None:
    page = ["<ol>", "<li>", "</li>", "<li>", "</li>", "</ol>"]
    assert changes(page, page) == [(0, 6)]
    assert changes([], page) == list(page)


def test_one_new_line_costs_one_line() -> None:
    old = ["<ol>", *(f"<li>{number}</li>" for number in range(100)), "</ol>"]
    assert changes(old, [old[0], "<li>new</li>", *old[1:]]) == [(0, 1), "<li>new</li>", (1, 102)]
