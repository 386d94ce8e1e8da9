"""Releases: list, create, show, submit, withdraw, publish, revoke."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.roles import Permission
from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.access.verdict import require
from stewardapp.access.workflow import State
from stewardapp.actions import editions, releases
from stewardapp.domain.facts import release_facts
from stewardapp.forms.presets import preset
from stewardapp.forms.refusals import attempt
from stewardapp.forms.releases import CreateForm, EditionForm, PublishForm, RevokeForm, SubmitForm
from stewardapp.models import Project, Release, Version
from stewardapp.presenters import averaging, charts, configuring, release_pages, utility_map
from stewardapp.reads.datasets import tagged_columns
from stewardapp.reads.drafts import comparable_files
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import SeenRun
from stewardapp.views import recipes
from stewardapp.views.finding import release_or_404
from stewardapp.views.people import signed_in
from stewardapp.views.reauthentication import confirm_identity

PER_PAGE = 25


@require_GET
def release_list(request: HttpRequest) -> HttpResponse:
    """The releases of one's projects, filtered by state and words."""
    found = Release.objects.visible_to(request.user).select_related("project", "version__dataset", "author")
    state, words = request.GET.get("state", ""), request.GET.get("q", "").strip()
    if state in {one.value for one in State}:
        found = found.filter(state=state)
    if words:
        found = found.filter(title__icontains=words)
    page = Paginator(found.order_by("-created_at"), PER_PAGE).get_page(request.GET.get("page"))
    shown = {"page": page, "states": list(State), "state": state, "q": words}
    return render(request, "releases/list.html", shown)


@require_http_methods(["GET", "POST"])
def release_create(request: HttpRequest) -> HttpResponse:
    """Choose a version and a kind of release; the preset fills the recipe."""
    projects = Project.objects.permitting(request.user, Permission.EDIT_RELEASE)
    versions = Version.objects.ready().filter(dataset__project__in=projects).select_related("dataset")
    form = CreateForm(request.POST or None, versions=versions, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        version, chosen = form.cleaned_data["version"], preset(form.cleaned_data["preset"])
        known = configuring.offered_of(tagged_columns(version), comparable_files(version))
        recipe = chosen.recipe(known) if chosen else {}
        title = form.cleaned_data["title"]
        made = releases.create(version=version, title=title, recipe=recipe, by=signed_in(request))
        return redirect("release-configure", made.pk)
    status = 422 if request.method == "POST" else 200
    shown = {"form": form, "presets": configuring.preset_choices(form)}
    return render(request, "releases/create.html", shown, status=status)


@require_GET
def release_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The runs of a release side by side, and where it stands."""
    release = release_or_404(request, id)
    shown = release_pages.detail(Seen(release, request.user))
    drawn = utility_map.chart(shown["runs"], shown["policy"], request.GET)
    if drawn.series:
        address = map_address(id, request.GET)
        shown |= {"map": utility_map.picture(shown["runs"], drawn, release.candidate_id, address)}
        shown |= {"map_axes": utility_map.choosable(shown["runs"], shown["policy"], request.GET)}
    return render(request, "releases/detail.html", shown)


def map_address(id: uuid.UUID, asked: Mapping[str, str]) -> str:
    """Where the map is drawn, on the axes that were asked for."""
    chosen = {axis: asked[axis] for axis in ("x", "y") if axis in asked}
    return reverse("release-map", args=[id]) + (f"?{urlencode(chosen)}" if chosen else "")


@require_GET
def release_progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The table of runs, fetched again and again while one of them is alive."""
    shown = release_pages.detail(Seen(release_or_404(request, id), request.user))
    return render(request, "releases/_runs.html", shown)


@require_GET
def release_map(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The risk–utility map of all runs, as Plotly's JSON."""
    release = release_or_404(request, id)
    runs = list(release.runs.all())
    drawn = utility_map.chart(runs, release.judged_by, request.GET)
    links = utility_map.links(runs, drawn, release.candidate_id)
    drawn_as = charts.figure_json(drawn, links, utility_map.symbols(runs, drawn))
    return HttpResponse(drawn_as, content_type="application/json")


@require_http_methods(["GET", "POST"])
def release_submit(request: HttpRequest, id: uuid.UUID, run_id: uuid.UUID) -> HttpResponse:
    """Say what the release is for and put one run forward as its candidate."""
    release = release_or_404(request, id)
    run = get_object_or_404(release.runs, pk=run_id)
    run.release = release
    seen = SeenRun(run, Seen(release, request.user))
    require(release_pages.submit_verdict(seen))
    singles_out = release_pages.policy_met(seen).code in EXCUSABLE
    form = SubmitForm(request.POST or None, initial=described(release), singles_out=singles_out)
    if request.method == "POST" and form.is_valid():
        said = {**form.cleaned_data}
        revision = said.pop("revision")
        releases.submit(release=release, run=run, description=said, revision=revision, by=signed_in(request))
        messages.success(request, "Submitted. The reviewers of the project are told.")
        return redirect("release-detail", release.pk)
    shown = {"release": release, "run": run, "form": form, "checks": release_pages.policy_checks(seen)}
    shown["averaging"] = averaging.lines_of(seen)
    return render(request, "releases/submit.html", shown, status=422 if form.is_bound else 200)


def described(release: Release) -> dict[str, object]:
    """What the release says of itself so far."""
    return {
        "purpose": release.purpose,
        "context": release.context,
        "reason_for_unique": release.reason_for_unique,
        "audience": release.audience,
        "named": release.named.all(),
        "revision": release.revision,
    }


@require_http_methods(["GET", "POST"])
def release_edition(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Begin the next edition: the same recipe and words on another version of the data."""
    release = release_or_404(request, id)
    require(rules.may_continue(release.person(request.user), release_facts(release)))
    others = Version.objects.ready().filter(dataset__project=release.project).exclude(pk=release.version_id)
    newest = others.filter(dataset=release.version.dataset_id).order_by("-number").first()
    initial = {"title": release.title, "version": newest}
    form = EditionForm(request.POST or None, versions=others.select_related("dataset"), initial=initial)
    if request.method == "POST" and form.is_valid():
        made = attempt(form, editions.begin, release=release, by=signed_in(request), **form.cleaned_data)
        if made is not None:
            messages.success(request, "The next edition is begun. Look over columns and recipe, then run it.")
            return redirect("release-configure", made.pk)
    shown = {"release": release, "form": form}
    return render(request, "releases/edition.html", shown, status=422 if form.is_bound else 200)


@require_POST
def release_withdraw(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Give a release up."""
    releases.withdraw(release=release_or_404(request, id), by=signed_in(request))
    messages.success(request, "The release is withdrawn.")
    return redirect("release-detail", id)


@require_POST
def release_reopen(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Return a release to review, because votes lapsed."""
    releases.reopen(release=release_or_404(request, id), by=signed_in(request))
    messages.success(request, "Returned to review. The reviewers of the project are told.")
    return redirect("release-detail", id)


@require_http_methods(["GET", "POST"])
def release_publish(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Choose audience and embargo, and hand the approved bytes out."""
    release = release_or_404(request, id)
    require(rules.may_publish(release.person(request.user), release_facts(release)))
    confirm_identity(request)
    form = PublishForm(request.POST or None, initial={"manifest_sha256": release.candidate_sha256})
    if request.method == "POST" and form.is_valid():
        releases.publish(release=release, by=signed_in(request), **form.cleaned_data)
        messages.success(request, "Published.")
        return redirect("catalogue-detail", release.public_id)
    shown = {"release": release, "form": form, "audience": release_pages.audience_words(release)}
    if release.candidate is not None:
        shown["artifacts"] = release.candidate.artifacts.public()
    return render(request, "releases/publish.html", shown, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
def release_revoke(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Stop a publication, with a notice to those who have it."""
    release = release_or_404(request, id)
    require(rules.may_revoke(release.person(request.user), release_facts(release)))
    confirm_identity(request)
    form = RevokeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        releases.revoke(release=release, by=signed_in(request), notice=form.cleaned_data["notice"])
        messages.success(request, "Revoked. Everybody who downloaded the file is told.")
        return redirect("release-detail", release.pk)
    shown = {"release": release, "form": form, "downloads": release.downloads.count()}
    return render(request, "releases/revoke.html", shown, status=422 if form.is_bound else 200)


urlpatterns = [
    path("releases/", release_list, name="release-list"),
    path("releases/new/", release_create, name="release-create"),
    path("releases/<uuid:id>/", release_detail, name="release-detail"),
    path("releases/<uuid:id>/progress/", release_progress, name="release-progress"),
    path("releases/<uuid:id>/map/", release_map, name="release-map"),
    path("releases/<uuid:id>/submit/<uuid:run_id>/", release_submit, name="release-submit"),
    path("releases/<uuid:id>/edition/", release_edition, name="release-edition"),
    path("releases/<uuid:id>/withdraw/", release_withdraw, name="release-withdraw"),
    path("releases/<uuid:id>/reopen/", release_reopen, name="release-reopen"),
    path("releases/<uuid:id>/publish/", release_publish, name="release-publish"),
    path("releases/<uuid:id>/revoke/", release_revoke, name="release-revoke"),
    *recipes.urlpatterns,
]
