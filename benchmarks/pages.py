"""Every page of the demo, asked for by eight people at once, beside the page where one signs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.pressing import said_by
from benchmarks.table import Result

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SIGN_IN = "sign-in"
BOUND = 3.0


def pages(setting: Setting) -> list[Result]:
    """Processor time of the web process for an answer, the dearest pages first."""
    folder = setting.folder / "pages"
    folder.mkdir()
    found = said_by("benchmarks.desk_pages", folder, setting.repeat)
    door = found.pop(SIGN_IN) * 1000
    lines = sorted(found.items(), key=lambda line: -line[1])
    return [
        Result(f"page {kind}", 1000 * used, door, "the sign-in page", BOUND, "ms") for kind, used in lines
    ]
