"""Plots as SVG, written without a library: they are drawn from a few numbers, and open anywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.axis{stroke:#bbb}.fair{stroke:#b33;"
    "stroke-dasharray:4 3}.mark{fill:#1c5d99}.line{stroke:#1c5d99;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#666}.mark{fill:#7db7ea}.line{stroke:#7db7ea}}"
)
ROW = 26
LEFT, WIDTH, RIGHT = 190, 420, 70
TALL = 140
MOST_BINS = 40


class Whisker(NamedTuple):
    """A value with its interval."""

    label: str
    value: float
    low: float
    high: float


def whiskers(title: str, rows: Sequence[Whisker], fair: float | None = None) -> str:
    """A line for each value: a dot, its interval, and the number. `fair` is marked across all of them."""
    values = [value for row in rows for value in (row.low, row.high)] + ([fair] if fair is not None else [])
    ticks = round_ticks(min(values), max(values))
    low, high = ticks[0], ticks[-1]
    height = 40 + ROW * len(rows) + 24

    def x(value: float) -> float:
        return LEFT + WIDTH * (value - low) / (high - low)

    parts = [f'<text class="title" x="8" y="20">{escape(title)}</text>']
    for tick in ticks:
        parts.append(f'<line class="axis" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="34" y2="{height - 22}"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:.4g}</text>')
    if fair is not None:
        parts.append(f'<line class="fair" x1="{x(fair):.1f}" x2="{x(fair):.1f}" y1="34" y2="{height - 22}"/>')
    for at, row in enumerate(rows):
        y = 40 + ROW * at + ROW // 2
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(shortened(row.label))}</text>')
        parts.append(f'<line class="line" x1="{x(row.low):.1f}" x2="{x(row.high):.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="mark" cx="{x(row.value):.1f}" cy="{y}" r="4.5"/>')
        parts.append(f'<text x="{LEFT + WIDTH + 12}" y="{y + 4}">{row.value:.3f}</text>')
    return drawing(title, LEFT + WIDTH + RIGHT, height, parts)


def bars(title: str, counts: Mapping[int, int]) -> str:
    """How often each number came, put together in bins where there are many."""
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // MOST_BINS)
    bins = [0] * ((high - low) // width + 1)
    for number, count in counts.items():
        bins[(number - low) // width] += count
    parts = [f'<text class="title" x="8" y="20">{escape(title)}</text>']
    step = WIDTH / len(bins)
    for at, count in enumerate(bins):
        tall = TALL * count / max(bins)
        first, last = low + at * width, low + (at + 1) * width - 1
        said = f"{first}: {count}" if width == 1 else f"{first} to {last}: {count}"
        place = f'x="{30 + at * step:.1f}" y="{40 + TALL - tall:.1f}" width="{step * 0.9:.1f}" height="{tall:.1f}"'
        parts.append(f'<rect class="mark" {place}><title>{said}</title></rect>')
    for at in sorted({0, len(bins) // 2, len(bins) - 1}):
        x = 30 + (at + 0.45) * step
        parts.append(f'<text x="{x:.1f}" y="{TALL + 58}" text-anchor="middle">{low + at * width}</text>')
    return drawing(title, 60 + WIDTH, TALL + 70, parts)


def round_ticks(low: float, high: float) -> list[float]:
    """Round numbers, three to seven of them, that reach from below the lowest value to above the highest."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * part for part in (1, 2, 5, 10) if size * part >= rough)
    return [round(at * step, 10) for at in range(math.floor(low / step), math.ceil(high / step) + 1)]


def shortened(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"


def drawing(title: str, width: int, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join(
        [f'{head} role="img" aria-label="{escape(title)}">', f"<style>{STYLE}</style>", *parts, "</svg>", ""]
    )
