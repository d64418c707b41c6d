"""A game's rulebook as HTML: Markdown of the small kind that the rulebooks are written in.

Each rule begins with its number in bold, and can be linked to by it. Data that was reconstructed is marked.
"""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup, escape

from polikarp.engine.game import Game

RULE = re.compile(r"^\*\*([a-z]+\.\w+)\*\*\s*")
BOLD = re.compile(r"\*\*(.+?)\*\*")
ITALIC = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
CODE = re.compile(r"`([^`]+)`")
REFERENCE = re.compile(r"(?<![\w#])((?:[a-z]+)\.[a-z]?\d+)\b")


@cache
def rulebook_html(game: Game, language: str) -> Markup:
    """The whole book."""
    parts = [block_html(block) for block in re.split(r"\n{2,}", game.rulebook(language).strip()) if block]
    return Markup("\n").join(parts)


def block_html(block: str) -> Markup:
    lines = block.splitlines()
    first = lines[0]
    if first.startswith("#"):
        level = min(4, len(first) - len(first.lstrip("#")))
        return Markup("<h{0}>{1}</h{0}>").format(level, line_html(first.lstrip("# ")))
    if first.startswith("|"):
        return table_html(lines)
    if first.startswith(("- ", "* ")):
        items = re.split(r"\n(?=[-*] )", block)
        return Markup("<ul>{}</ul>").format(
            Markup("").join(Markup("<li>{}</li>").format(line_html(" ".join(item[2:].split()))) for item in items)
        )
    if first.startswith(">"):
        text = " ".join(line.lstrip("> ") for line in lines)
        return Markup("<blockquote><p>{}</p></blockquote>").format(line_html(text))
    found = RULE.match(block)
    if found:
        number = found[1]
        rest = line_html(" ".join(block[found.end() :].split()))
        return Markup('<p class="rule" id="{0}"><a class="number" href="#{0}">{0}</a> {1}</p>').format(number, rest)
    return Markup("<p>{}</p>").format(line_html(" ".join(block.split())))


def table_html(lines: list[str]) -> Markup:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head, body = rows[0], [row for row in rows[1:] if not all(set(cell) <= set("-: ") for cell in row)]
    heads = Markup("").join(Markup('<th scope="col">{}</th>').format(line_html(cell)) for cell in head)
    made = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(line_html(cell)) for cell in row))
        for row in body
    )
    return Markup(
        '<div class="scroll" tabindex="0"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(heads, made)


def line_html(text: str) -> Markup:
    """One line: bold, italic, code, and numbers of rules as links."""
    safe = str(escape(text))
    safe = BOLD.sub(r"<strong>\1</strong>", safe)
    safe = ITALIC.sub(r"<em>\1</em>", safe)
    safe = CODE.sub(r"<code>\1</code>", safe)
    return Markup(REFERENCE.sub(r'<a href="#\1">\1</a>', safe))
