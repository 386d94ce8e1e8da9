"""Bookmarks of combinations of levels: for the whole team, each with a note."""

from __future__ import annotations

from stewardapp.access.rules import may_bookmark
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.text import limited
from stewardapp.models import Bookmark, Run, User
from stewardapp.models.bookmark import MOST

FULL = f"{MOST} combinations of this step are bookmarked, as many as are read side by side. Remove one first."


@action
def keep(*, run: Run, step: int, node: str, note: str = "", by: User) -> Bookmark:
    """Bookmark a combination, or change the note of one that is."""
    run = locked(run)
    require(may_bookmark(run.project.person(by)))
    note = limited(note, "note", 500)
    others = Bookmark.objects.filter(run=run, step=step).exclude(node=node)
    if others.count() >= MOST:
        raise Invalid("full", FULL, "node")
    kept = {"note": note, "kept_by": by}
    bookmark, _ = Bookmark.objects.update_or_create(run=run, step=step, node=node, defaults=kept)
    audit.record("bookmark.kept", bookmark, by=by, project=run.project, details=_about(bookmark))
    return bookmark


@action
def remove(*, bookmark: Bookmark, by: User) -> None:
    """Forget one."""
    run = bookmark.run
    require(may_bookmark(run.project.person(by)))
    audit.record("bookmark.removed", bookmark, by=by, project=run.project, details=_about(bookmark))
    bookmark.delete()


def _about(bookmark: Bookmark) -> dict[str, object]:
    return {"run": str(bookmark.run_id), "step": bookmark.step, "node": bookmark.node}
