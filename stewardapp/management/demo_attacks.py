"""The demo's replay of attacks: what the budget prevents."""

from __future__ import annotations

from stewardapp.actions import replays
from stewardapp.management.demo_work import carry_out
from stewardapp.models import Replay, User

SETTINGS = {"few": 6, "people": 24, "questions": 4, "rounds": 3}
"""On few people: it is done before the address is told, so that the page is never empty, and yet soon."""


def load(steward: User) -> None:
    """Begin it once; finish what was interrupted."""
    if not Replay.objects.exists():
        replays.start(settings=SETTINGS, by=steward)
    for replay in Replay.objects.alive():
        carry_out("replay", replay)
