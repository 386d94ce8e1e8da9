"""Keeps the end of the audit log sealed, anchors it once a day, and sends anchors to an address outside.

Every worker's timer does this; several at once are harmless, because a day has one anchor and an attempt to
send one is begun by one worker. Who is outside may be silent: sending has a thread of its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from queue import SimpleQueue
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from stewardapp import anchors
from stewardapp.access.verdict import Conflict
from stewardapp.actions import anchors as actions
from stewardapp.actions import audit
from stewardapp.domain import audit_chain
from stewardapp.models import Anchor

SILENT_SECONDS = 5.0

log = logging.getLogger(__name__)


def seal() -> None:
    """What was bought since the last look is sealed."""
    if audit_chain.head_needs_seal():
        audit.seal_head()


class Anchoring:
    """Makes the anchor of the day; once it is there, the database is not asked again until tomorrow."""

    __name__ = "anchor"

    def __init__(self) -> None:
        self._done: date | None = None

    def __call__(self) -> None:
        today = timezone.now().date()
        if self._done == today:
            return
        made = Anchor.objects.filter(day=today)
        if not made.exists():
            with suppress(Conflict):
                actions.make()
        if made.exists():
            self._done = today


class Sending:
    """Sends what is due, one at a time, and notes at a later tick what has arrived."""

    __name__ = "send-anchor"

    def __init__(self) -> None:
        self._arrived: SimpleQueue[UUID] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        while not self._arrived.empty():
            Anchor.objects.arrived(self._arrived.get())
        if settings.STEWARD_ANCHOR_URL and not self.is_busy():
            self._begin()

    def is_busy(self) -> bool:
        """Whether somebody outside has not answered yet."""
        return self._thread is not None and self._thread.is_alive()

    def _begin(self) -> None:
        anchor = Anchor.objects.due().first()
        if anchor is None or not Anchor.objects.begin_sending(anchor):
            return
        text, url = anchors.of_day(anchor.day).text, settings.STEWARD_ANCHOR_URL
        self._thread = threading.Thread(
            target=self._send, args=(anchor.pk, text, url), name="anchors", daemon=True
        )
        self._thread.start()

    def _send(self, id: UUID, text: str, url: str) -> None:
        try:
            status = post(url, text)
        except (OSError, HTTPException) as error:
            return log.warning("anchor.not-sent", extra={"type": type(error).__name__})
        if not 200 <= status < 300:
            return log.warning("anchor.not-sent", extra={"status": status})
        self._arrived.put(id)


def post(url: str, text: str) -> int:
    """The answer's status. Redirects are not followed: nobody but whom the site named gets it."""
    parts = urlsplit(url)
    kind: Callable[..., HTTPConnection] = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=SILENT_SECONDS)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, text.encode(), {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()
