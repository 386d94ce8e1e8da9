"""How far the demo project is."""

from pathlib import Path

from django.conf import settings


def marker() -> Path:
    """Is there until the demo is complete, also after an interruption."""
    return Path(settings.STEWARD_DATA) / "demo-unfinished"


def is_loading() -> bool:
    """Whether something of the demo is still to come."""
    return marker().exists()
