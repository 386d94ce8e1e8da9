"""What may be uploaded, as the pages say it before anybody uploads."""

from typing import NamedTuple

from django.conf import settings

from worker.engine.tables.table import WHOLE_CELL


class Limits(NamedTuple):
    """The three numbers an upload is held to."""

    bytes: int
    columns: int
    rows: int


def room_to_plan() -> int:
    """The bytes that the engine plans with: half of a job's memory."""
    return int(settings.STEWARD_JOB_MEMORY // 2)


def most_cells() -> int:
    """How many cells of whole columns a job can hold."""
    return room_to_plan() // WHOLE_CELL


def limits() -> Limits:
    """The limits of this installation."""
    return Limits(settings.STEWARD_MAX_UPLOAD, settings.STEWARD_MAX_COLUMNS, settings.STEWARD_MAX_ROWS)
