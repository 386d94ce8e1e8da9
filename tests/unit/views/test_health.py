"""What machines that watch the desk are told."""

from dataclasses import replace

import pytest
from django.test import Client
from django.utils import timezone

from stewardapp.domain.vitals import Noted, Vitals
from stewardapp.views import health
from worker.engine.wording import percent

WELL = Vitals(
    now=timezone.now(), noted=Noted(workers=2), storage=True, keys=True, free=0.5, copied_at=timezone.now()
)


@pytest.mark.parametrize(
    ("found", "status", "line"),
    [
        (WELL, 200, "worker ok 2 alive"),
        (replace(WELL, noted=Noted()), 200, "worker degraded 0 alive"),
        (replace(WELL, noted=None), 503, "database failing"),
        (replace(WELL, keys=False), 503, "keys failing"),
        (replace(WELL, free=0.01), 200, f"disk degraded {percent(0.01)} free"),
    ],
)
def test_ready(found: Vitals, status: int, line: str, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(health, "vitals", lambda: found)
    answer = Client().get("/readyz")
    assert answer.status_code == status
    assert line in answer.content.decode().splitlines()
