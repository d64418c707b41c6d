"""No line of a page, style or client is longer than 120 characters."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src/polikarp/web", "src/polikarp/games")
LONGEST = 120


def long_lines() -> list[str]:
    """Where lines are too long."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    drawn = [path for path in paths if path.suffix in (".html", ".css", ".ts") and "built" not in path.parts]
    return [
        f"{path.relative_to(ROOT)}:{number}: longer than {LONGEST} characters"
        for path in drawn
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST
    ]


def main() -> int:
    found = long_lines()
    print("\n".join(found) or f"No line of a page is longer than {LONGEST} characters.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
