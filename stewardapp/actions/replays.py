"""Having a worker replay attacks on invented people, and keeping what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stewardapp.access.rules import may_replay_attacks
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action
from stewardapp.models import Replay, User
from stewardapp.models.membership import person_anywhere
from worker.engine.attacks.settings import AttackSettings
from worker.engine.errors import EngineError

KEPT = 12
"""So many ended replays stay; each new one pushes the oldest out."""


@action
def start(*, settings: Mapping[str, Any], by: User) -> Replay:
    """Queue all attacks with these settings; one replay at a time, because each keeps a worker busy."""
    require(may_replay_attacks(person_anywhere(by), Replay.objects.alive().exists()))
    try:
        checked = AttackSettings.of(settings)
    except EngineError as refused:
        raise Invalid(refused.code, refused.message, refused.param or "") from None
    ended = Replay.objects.ended()
    ended.exclude(pk__in=list(ended.values_list("pk", flat=True)[: KEPT - 1])).delete()
    replay = Replay.objects.create(settings=checked.params(), requested_by=by)
    audit.record("replay.started", replay, by=by, details=checked.params())
    return replay


@action
def record(*, replay: Replay, fence: int, result: Mapping[str, Any], by: User | None = None) -> None:
    """Store what a worker found, and end its job; refused when the claim was lost."""
    if not Replay.objects.succeed(replay.pk, fence, result=dict(result)):
        raise Conflict("claim-lost", "Another worker has this job now.")
    audit.record("replay.succeeded", replay, by=by)
