"""The queue, the candidate page, votes and comments."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_GET, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.access.workflow import State
from stewardapp.actions import comments, reviews
from stewardapp.domain.facts import release_facts
from stewardapp.forms.reviews import CommentForm, DecisionForm
from stewardapp.models import Comment, Release
from stewardapp.presenters import candidates, release_pages
from stewardapp.reads.releases import Seen
from stewardapp.views.finding import release_or_404
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in
from stewardapp.views.reauthentication import confirm_identity


@require_GET
def review_list(request: HttpRequest) -> HttpResponse:
    """What waits for review, the longest waiting first."""
    user = signed_in(request)
    waiting = Release.objects.reviewable_by(user).select_related("project", "candidate", "version", "policy")
    wanted = searched(request, waiting.prefetch_related("policy__rows"), "title", "project__name")
    page = paged(request, wanted)
    return render(request, "reviews/list.html", {"page": page, "lines": candidates.queue(list(page), user)})


@require_GET
def review_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The candidate: its checks, exactly its bytes, what changed, what was said."""
    return candidate_page(request, release_or_404(request, id), DecisionForm(), CommentForm())


@require_GET
def review_progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What others vote and say, while the page with one's own words stays, and says what it shows."""
    release = release_or_404(request, id)
    moved_on = release.state != State.IN_REVIEW
    before, shown = Seen(release, request.user), request.GET.get("seen", "")
    since = {
        "moved_on": moved_on,
        "seen": shown,
        "behind": bool(shown) and not moved_on and shown != release.candidate_sha256,
        "may_vote": rules.may_review(before.person, before.facts),
    }
    return render(request, "reviews/_talk.html", {"release": release, **release_pages.talk(before), **since})


def candidate_page(
    request: HttpRequest,
    release: Release,
    decision: DecisionForm,
    comment: CommentForm,
    status: int = 200,
    outdated: str = "",
) -> HttpResponse:
    """The candidate page around its two forms; `outdated` says why it came instead of what was asked."""
    if release.candidate is None:
        raise Http404
    shown = candidates.context(Seen(release, request.user), request.GET)
    return render(
        request,
        "reviews/detail.html",
        {
            **shown,
            "decision_form": decision,
            "comment_form": comment,
            "outdated": outdated,
            "seen": release.candidate_sha256,
        },
        status=status,
    )


@require_POST
def review_decide(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Vote on the bytes the page showed; where more is known of them by now, the page comes anew first."""
    release = release_or_404(request, id)
    person, facts = release.person(request.user), release_facts(release)
    require(rules.may_review(person, facts))
    hashes = {"seen": request.POST.get("manifest_sha256", ""), "candidate": release.candidate_sha256}
    verdict = rules.may_decide(person, facts, **hashes, approving=False)
    if not verdict:
        typed = DecisionForm(initial={"reason": request.POST.get("reason", "")})
        return candidate_page(request, release, typed, CommentForm(), status=409, outdated=verdict.reason)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return candidate_page(request, release, form, CommentForm(), status=422)
    if form.cleaned_data["decision"] == "approve":
        confirm_identity(request)
    reviews.decide(release=release, by=signed_in(request), **form.cleaned_data)
    messages.success(request, "Your vote is recorded.")
    return redirect("review-detail", release.pk)


@require_POST
def comment_add(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Add a remark."""
    release = release_or_404(request, id)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return candidate_page(request, release, DecisionForm(), form, status=422)
    comments.add(release=release, by=signed_in(request), **form.cleaned_data)
    return back(release)


@require_POST
def comment_resolve(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Mark a remark as dealt with."""
    comment = get_object_or_404(Comment.objects.visible_to(request.user).select_related("release"), pk=id)
    comments.resolve(comment=comment, by=signed_in(request))
    return back(comment.release)


def back(release: Release) -> HttpResponse:
    """To the page the conversation is on."""
    return redirect("review-detail" if release.candidate_id else "release-detail", release.pk)


urlpatterns = [
    path("reviews/", review_list, name="review-list"),
    path("releases/<uuid:id>/review/", review_detail, name="review-detail"),
    path("releases/<uuid:id>/review/progress/", review_progress, name="review-progress"),
    path("releases/<uuid:id>/review/decide/", review_decide, name="review-decide"),
    path("releases/<uuid:id>/comments/", comment_add, name="comment-add"),
    path("comments/<uuid:id>/resolve/", comment_resolve, name="comment-resolve"),
]
