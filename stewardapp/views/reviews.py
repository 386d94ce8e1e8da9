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
from stewardapp.actions import comments, reviews
from stewardapp.forms.reviews import CommentForm, DecisionForm
from stewardapp.models import Comment, Release
from stewardapp.presenters import candidates
from stewardapp.views.finding import release_or_404
from stewardapp.views.people import signed_in
from stewardapp.views.reauthentication import confirm_identity


@require_GET
def review_list(request: HttpRequest) -> HttpResponse:
    """What waits for review, the longest waiting first."""
    waiting = Release.objects.reviewable_by(request.user).select_related("project", "author", "candidate")
    return render(request, "reviews/list.html", {"lines": candidates.queue(waiting, request.user)})


@require_GET
def review_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The candidate: its checks, exactly its bytes, what changed, what was said."""
    return candidate_page(request, release_or_404(request, id), DecisionForm(), CommentForm())


def candidate_page(
    request: HttpRequest, release: Release, decision: DecisionForm, comment: CommentForm, status: int = 200
) -> HttpResponse:
    """The candidate page around its two forms."""
    if release.candidate is None:
        raise Http404
    shown = candidates.context(release, request.user, request.GET)
    return render(
        request,
        "reviews/detail.html",
        {**shown, "decision_form": decision, "comment_form": comment},
        status=status,
    )


@require_POST
def review_decide(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Vote on the bytes the page showed; another candidate since then is a conflict."""
    release = release_or_404(request, id)
    require(rules.may_review(release.person(request.user), release.facts()))
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
    path("releases/<uuid:id>/review/decide/", review_decide, name="review-decide"),
    path("releases/<uuid:id>/comments/", comment_add, name="comment-add"),
    path("comments/<uuid:id>/resolve/", comment_resolve, name="comment-resolve"),
]
