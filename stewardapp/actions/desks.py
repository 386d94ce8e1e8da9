"""Opening and closing query desks."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from stewardapp.access.rules import may_close_desk, may_open_desk
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.recipe import declared_of
from stewardapp.models import Desk, User, Version
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.wording import thousands

MOST_ROWS = 1000


@action
def open_on(*, version: Version, columns: Sequence[str], rows_per_person: int, by: User) -> Desk:
    """Let analysts with an allowance ask about these columns, as they are declared now."""
    version = locked(version)
    has_desk = version.desks.open().exists()
    require(may_open_desk(version.person(by), version.facts(), has_desk=has_desk))
    dictionary = declared_of(version, columns)
    wrong = [name for name in columns if dictionary.get(name, {}).get("role") not in RELEASED]
    if not columns or wrong:
        raise Invalid("columns", "Choose columns whose role lets them be released.", "columns")
    if guessed := [
        name for name in columns if "bounds" in dictionary[name] and "kind" not in dictionary[name]
    ]:
        text = f"The kind of {guessed[0]!r} was guessed from the data. Look at its settings and save them."
        raise Invalid("kind-guessed", text, "columns")
    if not 1 <= rows_per_person <= MOST_ROWS:
        raise Invalid("rows", f"Choose a number from 1 to {thousands(MOST_ROWS)}.", "rows_per_person")
    persons = any(part["role"] == Role.PERSON_KEY for part in dictionary.values())
    desk = Desk(
        version=version,
        reading=version.read_now(),
        rows_per_person=rows_per_person if persons else 1,  # without a key every row is somebody's only one
        opened_by=by,
    ).saying(dictionary=dictionary)
    desk.save()
    details = {"version": str(version.pk), "columns": len(columns), "rows_per_person": desk.rows_per_person}
    audit.record("desk.opened", desk, by=by, project=version.project, details=details)
    return desk


@action
def close(*, desk: Desk, by: User) -> Desk:
    """Take no more questions; what was answered stays."""
    desk = locked(desk)
    require(may_close_desk(desk.person(by), desk.facts(by)))
    desk.closed_at, desk.closed_by = timezone.now(), by
    desk.save()
    audit.record("desk.closed", desk, by=by, project=desk.project)
    return desk
