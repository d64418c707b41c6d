"""No line of a page, style or client is longer than 120 characters, but for the files listed in `long_lines.txt`. A
file that has none any more must leave the list: it only ever gets shorter.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTED = Path(__file__).with_suffix(".txt")
LONGEST = 120


def long_lines() -> dict[str, list[int]]:
    """The numbers of lines that are too long, by file."""
    found: dict[str, list[int]] = {}
    for folder in ("src/polikarp/web", "src/polikarp/games"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".html", ".css", ".ts") and "built" not in path.parts:
                lines = path.read_text("utf-8").splitlines()
                numbers = [number for number, line in enumerate(lines, 1) if len(line) > LONGEST]
                if numbers:
                    found[str(path.relative_to(ROOT))] = numbers
    return found


def main() -> int:
    found, listed = long_lines(), LISTED.read_text("utf-8").split()
    wrong = [
        f"{file}:{number}: longer than {LONGEST} characters"
        for file in found
        if file not in listed
        for number in found[file]
    ]
    wrong += [
        f"{file} has no long line any more: take it out of scripts/{LISTED.name}"
        for file in listed
        if file not in found
    ]
    print("\n".join(wrong) or f"No new long lines; {len(listed)} files still have some.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
