"""What may be uploaded, as the pages say it before anybody uploads."""

from typing import NamedTuple

from django.conf import settings


class Limits(NamedTuple):
    """The three numbers an upload is held to."""

    bytes: int
    columns: int
    rows: int


def limits() -> Limits:
    """The limits of this installation."""
    return Limits(settings.STEWARD_MAX_UPLOAD, settings.STEWARD_MAX_COLUMNS, settings.STEWARD_MAX_ROWS)
