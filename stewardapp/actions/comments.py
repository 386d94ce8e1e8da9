"""What is said about a release."""

from __future__ import annotations

from django.utils import timezone

from stewardapp.access.rules import may_comment, may_resolve_comment
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.facts import release_facts
from stewardapp.domain.text import required
from stewardapp.models import Comment, Release, User, Visibility
from stewardapp.notifications import notify


@action
def add(*, release: Release, text: str, visibility: str = Visibility.PUBLIC, by: User) -> Comment:
    """Say something, to everybody on the release or among its reviewers."""
    if visibility not in list(Visibility):
        raise Invalid("unknown-visibility", "A comment is public or private.", "visibility")
    private = visibility == Visibility.PRIVATE
    release = locked(release)
    require(may_comment(release.person(by), release_facts(release), private=private))
    comment = Comment.objects.create(
        release=release, author=by, text=required(text, "text"), visibility=visibility
    )
    details = {"release": str(release.pk), "visibility": visibility}
    audit.record("comment.added", comment, by=by, project=release.project, details=details)
    if not private and release.author_id != by.pk:
        notify([release.author], f"A comment on {release.title}.", f"/releases/{release.pk}/review/")
    return comment


@action
def resolve(*, comment: Comment, by: User) -> Comment:
    """Mark a comment as dealt with."""
    comment = locked(comment)
    release = comment.release
    require(may_resolve_comment(release.person(by), release_facts(release), comment.facts()))
    open_ = Comment.objects.unresolved().filter(pk=comment.pk)
    if open_.update(resolved_at=timezone.now(), resolved_by=by) != 1:
        raise Conflict("resolved", "Somebody else resolved this comment.")
    comment.refresh_from_db()
    audit.record("comment.resolved", comment, by=by, project=release.project)
    return comment
