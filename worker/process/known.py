"""What measures read of a table in earlier runs: kept sealed under the key of its version, gone with it."""

import json
from collections.abc import Mapping

from stewardapp import storage
from stewardapp.models import Reading

MOST = 256
"""Older readings are forgotten, and made again when somebody needs them."""


def readings(reading: Reading) -> dict[str, str]:
    """What was read of the table, by its key."""
    kept = storage.known(reading)
    found: dict[str, str] = json.loads(kept) if kept is not None else {}
    return found


def add(reading: Reading, fresh: Mapping[str, str]) -> None:
    """Keep what is new. Of two runs that end at once one may be forgotten: the next one reads again."""
    if fresh:
        everything = list((readings(reading) | dict(fresh)).items())
        storage.keep_known(reading, json.dumps(dict(everything[-MOST:])).encode())
