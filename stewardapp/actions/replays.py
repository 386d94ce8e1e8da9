"""Having a worker replay attacks on invented people, stopping it, and keeping what it found."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_cancel_replay, may_replay_attacks
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Replay, User
from stewardapp.models.membership import person_anywhere
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.errors import EngineError

KEPT = 12
"""So many ended replays stay; each new one pushes the oldest out."""


@action
def start(*, settings: Mapping[str, object], by: User) -> Replay:
    """Queue all attacks with these settings; one replay at a time, because each keeps a worker busy."""
    require(may_replay_attacks(person_anywhere(by), Replay.objects.alive().exists()))
    try:
        checked = AttackSettings.of(settings)
    except EngineError as refused:
        raise Invalid(refused.code, refused.sentence, refused.param or "") from None
    ended = Replay.objects.ended()
    ended.exclude(pk__in=list(ended.values_list("pk", flat=True)[: KEPT - 1])).delete()
    replay = _alone(Replay(settings=checked.params(), requested_by=by))
    audit.record("replay.started", replay, by=by, details=checked.params())
    return replay


def _alone(replay: Replay) -> Replay:
    """Two may look at the same moment and see none; the database takes one of them."""
    try:
        with transaction.atomic():
            replay.save(force_insert=True)
    except IntegrityError:
        raise Conflict("busy", "Somebody else has just had the attacks replayed.") from None
    return replay


@action
def cancel(*, replay: Replay, by: User) -> Replay:
    """Stop a replay: at once while it waits, at its next checkpoint while a worker is on it."""
    replay = locked(replay)
    require(may_cancel_replay(person_anywhere(by), replay.facts()))
    if not Replay.objects.request_cancel(replay.pk, by):
        raise Conflict("ended", "This replay has ended, or somebody else is cancelling it.")
    replay.refresh_from_db()
    audit.record("replay.cancel-requested", replay, by=by)
    return replay


@action
def record(*, replay: Replay, fence: int, result: Mapping[str, object], by: User | None = None) -> None:
    """Store what a worker found, and end its job; refused when the claim was lost."""
    if not Replay.objects.succeed(replay.pk, fence, result=dict(result)):
        raise Conflict("claim-lost", "Another worker has this job now, or it was cancelled.")
    audit.record("replay.succeeded", replay, by=by)
