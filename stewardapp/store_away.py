"""A store of sealed files that does not answer, or refuses: nothing is lost, it is asked again later."""

from __future__ import annotations

AWAY = (
    "The store of this installation does not answer, so that files can neither be read nor kept. "
    "Nothing of yours was changed. Try again in a minute; if it stays so, tell the operators."
)


class StoreAway(OSError):
    """The store could not be reached, or did not do what it was asked."""
