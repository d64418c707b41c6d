"""The photo of a race as records keep it. How slaps are judged is tested where the times come from, in
`tests/server/test_photo.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from polikarp.engine.strip import Strip

RECORD_DOCS = Path(__file__).parents[2] / "docs" / "record.md"


def test_the_round_of_a_race_is_written_as_table() -> None:
    """Records and stores keep the key that they have had from the first."""
    [written] = re.findall(r"```json\n(\{\"table\".*?)```", RECORD_DOCS.read_text("utf-8"), re.DOTALL)
    strip = msgspec.json.decode(written, type=Strip)
    assert (strip.round, strip.finishes[0].round) == (0, 0)
    assert msgspec.to_builtins(strip) == msgspec.json.decode(written)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(strip)) == msgspec.json.decode(written)
