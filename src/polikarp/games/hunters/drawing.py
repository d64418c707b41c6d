"""The monsters as drawings: a body, eyes, something on top and a mouth, in two colours, each number its own."""

from __future__ import annotations

import math

FRAME = 140  # a drawing is as wide and as high as this
HUES = 9  # pairs of colours; style.css has a ground for each
LINE = 'stroke="#25223A" stroke-width="3" stroke-linejoin="round" stroke-linecap="round"'

COLOURS = (
    ("#7CC4A4", "#D7F0C9"),
    ("#F0A25B", "#B5541C"),
    ("#9B7BD1", "#F3A6C0"),
    ("#E58AA0", "#FFD6C9"),
    ("#6FA8D6", "#CFE7F7"),
    ("#A8C256", "#5C7A1E"),
    ("#EBC650", "#A87B10"),
    ("#4FB3B5", "#BDEBE6"),
    ("#D97860", "#FFD9A8"),
)
EYES = (
    ((70, 60, 23),),
    ((51, 60, 13), (89, 60, 13)),
    ((45, 63, 10), (70, 55, 9), (95, 63, 10)),
)
MOUTHS = (
    f'<path d="M52 88q18 16 36 0" fill="#fff" {LINE}/><path d="M60 92v7l5-5z" fill="#fff" {LINE}/>',
    f'<path d="M46 92q24 24 48 0z" fill="#7A1F2B" {LINE}/><path d="M56 93v7l6-6zM84 93v7l-6-6z" fill="#fff"/>',
    f'<path d="M50 90h40l-5 10-7-9-8 9-8-9-7 9z" fill="#fff" {LINE}/>',
    f'<ellipse cx="70" cy="97" rx="9" ry="10" fill="#7A1F2B" {LINE}/>',
    f'<path d="M50 92q20 12 40 0" fill="none" {LINE}/><path d="M70 98v9a7 7 0 0 0 14 0V95z" fill="#E0566B" {LINE}/>',
)


def drawing(number: int) -> str:
    """The inside of an SVG for the monster of a priority number."""
    ground, spots = COLOURS[hue(number)]
    return "".join(
        (
            top(number * 7 // 4 % 5, ground, spots),
            body(number % 4, ground, spots),
            *(eye(x, y, radius) for x, y, radius in EYES[number // 2 % 3]),
            MOUTHS[number * 5 // 3 % 5],
        )
    )


def hue(number: int) -> int:
    return number % HUES


def body(kind: int, ground: str, spots: str) -> str:
    paint = f'fill="{ground}" {LINE}'
    if kind == 0:  # a blob
        return (
            f'<path d="M22 126C10 66 32 20 70 20s60 46 48 106c-8 8-16-4-24 0s-16 8-24 0-16-8-24 0-16 8-24 0z" {paint}/>'
            f'<ellipse cx="70" cy="102" rx="27" ry="19" fill="{spots}" opacity=".55"/>'
        )
    if kind == 1:  # a barrel with arms and legs
        return (
            f'<path d="M20 78 5 62M120 78l15-16M44 126v9M96 126v9" fill="none" {LINE}/>'
            f'<rect x="20" y="22" width="100" height="105" rx="46" {paint}/>'
            f'<g fill="{spots}"><circle cx="34" cy="96" r="5"/><circle cx="106" cy="98" r="6"/>'
            '<circle cx="38" cy="40" r="4"/><circle cx="100" cy="38" r="5"/></g>'
        )
    if kind == 2:  # a ball of fluff
        points = (spike(nth) for nth in range(24))
        return (
            f'<path d="M{"L".join(points)}Z" {paint}/>'
            f'<g fill="{spots}" opacity=".75"><ellipse cx="32" cy="86" rx="8" ry="5"/>'
            '<ellipse cx="108" cy="86" rx="8" ry="5"/></g>'
        )
    return (  # an egg with feet
        f'<path d="M40 126q-14 10-20 4 0-8 14-12zM100 126q14 10 20 4 0-8-14-12z" fill="{spots}" {LINE}/>'
        f'<path d="M70 18c32 0 52 42 52 68 0 28-22 42-52 42S18 114 18 86c0-26 20-68 52-68z" {paint}/>'
        f'<path d="M26 106q44 14 88 0-10 22-44 22t-44-22z" fill="{spots}" opacity=".5"/>'
    )


def spike(nth: int) -> str:
    """A point of a fluffy outline: every other one stands out."""
    far = 6 if nth % 2 else -4
    angle = nth * math.pi / 12
    return f"{70 + (56 + far) * math.cos(angle):.0f} {74 + (52 + far) * math.sin(angle):.0f}"


def top(kind: int, ground: str, spots: str) -> str:
    if kind == 0:  # horns
        return f'<path d="M44 36 32 7l28 17zM96 36l12-29-28 17z" fill="{spots}" {LINE}/>'
    if kind == 1:  # an antenna
        return f'<path d="M70 26V9" fill="none" {LINE}/><circle cx="70" cy="8" r="6" fill="{spots}" {LINE}/>'
    if kind == 2:  # two antennae
        return (
            f'<path d="M54 30Q50 14 40 9M86 30q4-16 14-21" fill="none" {LINE}/>'
            f'<g fill="{spots}" {LINE}><circle cx="38" cy="9" r="6"/><circle cx="102" cy="9" r="6"/></g>'
        )
    if kind == 3:  # ears
        return (
            f'<g fill="{ground}" {LINE}><circle cx="30" cy="32" r="17"/><circle cx="110" cy="32" r="17"/></g>'
            f'<g fill="{spots}"><circle cx="29" cy="31" r="8"/><circle cx="111" cy="31" r="8"/></g>'
        )
    return (
        f'<path d="M48 28q0-18 9-24 1 10 7 13 1-13 9-16 0 11 5 15 5-7 12-8-4 10 0 20z" fill="{spots}" {LINE}/>'  # hair
    )


def eye(x: int, y: int, radius: int) -> str:
    aside = 2 if x < FRAME / 2 else -2 if x > FRAME / 2 else 1
    pupil, glint = radius * 0.5, radius * 0.17
    return (
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="#fff" {LINE}/>'
        f'<circle cx="{x + aside}" cy="{y + 2}" r="{pupil:.1f}" fill="#25223A"/>'
        f'<circle cx="{x + aside + glint:.1f}" cy="{y + 2 - glint:.1f}" r="{glint:.1f}" fill="#fff"/>'
    )
