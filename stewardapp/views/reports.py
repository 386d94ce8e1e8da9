"""Reports: internal for those who may look into the data, external for whoever finds the publication."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.presenters.budgets import mixed_warning
from stewardapp.presenters.reports.as_json import as_json
from stewardapp.presenters.reports.external import external_paper
from stewardapp.presenters.reports.internal import internal_paper
from stewardapp.presenters.reports.parts import Paper
from stewardapp.presenters.reports.replay import Replay, replay_of
from stewardapp.reads.releases import Seen, votes_seen
from stewardapp.reads.runs import SeenRun
from stewardapp.views.catalogue import candidate_seen, histogram, not_shown
from stewardapp.views.finding import run_or_404
from stewardapp.views.published import NotShown, published

FORMS = {"pdf": "application/pdf", "json": "application/json"}


@require_GET
def run_report(request: HttpRequest, id: uuid.UUID, form: str = "") -> HttpResponse:
    """Everything about a run, for those who may look into the data."""
    seen = cleared(request, id)
    votes = votes_seen(seen.run.release, request.user)
    return answer(request, internal_paper(seen, votes, replay_of(seen)), seen, form)


@require_GET
def run_external_report(request: HttpRequest, id: uuid.UUID, form: str = "") -> HttpResponse:
    """What would be published of a run, for those who decide about it."""
    seen = succeeded(request, id)
    mixed = mixed_warning(seen.run.release)
    return answer(request, external_paper(seen, mixed=mixed), seen, form)


@login_not_required
@require_GET
def release_report(request: HttpRequest, public_id: uuid.UUID, form: str = "") -> HttpResponse:
    """What was published, for whoever finds the publication."""
    try:
        publication = published(request.user, public_id)
    except NotShown:
        return not_shown(request)
    run = publication.release.candidate
    if run is None:
        raise Http404
    seen = candidate_seen(publication, run)
    paper = external_paper(seen, mixed=mixed_warning(run.release), histogram=histogram(publication))
    return answer(request, paper, seen, form, publication=True)


@require_GET
def run_replay(request: HttpRequest, id: uuid.UUID, whole: bool = False) -> HttpResponse:
    """The script that makes a release again; `whole` with the files that it needs."""
    replay = offered(cleared(request, id))
    if whole:
        return attachment(replay.archive(), "application/zip", "replay.zip")
    return attachment(replay.script.encode(), "text/x-shellscript; charset=utf-8", "replay.sh")


def offered(seen: SeenRun) -> Replay:
    """The replay of a run that can be replayed."""
    replay = replay_of(seen)
    if not replay.script:
        raise Http404
    return replay


def succeeded(request: HttpRequest, id: uuid.UUID) -> SeenRun:
    """A run of this person's projects that has results."""
    run = run_or_404(request, id)
    if run.state != "succeeded":
        raise Http404
    return SeenRun(run, Seen(run.release, request.user))


def cleared(request: HttpRequest, id: uuid.UUID) -> SeenRun:
    """The same, for those who may look into the data."""
    seen = succeeded(request, id)
    require(rules.may_view_version(seen.seen.person))
    return seen


def answer(
    request: HttpRequest, paper: Paper, seen: SeenRun, form: str, *, publication: bool = False
) -> HttpResponse:
    """The report as a page, as PDF or as JSON."""
    release = seen.run.release
    if form == "":
        beside = request.path.removesuffix("/")
        shown = {"paper": paper, "run": seen.run, "release": release, "publication": publication}
        shown |= {"run_name": f"Run {seen.run.number}"}
        shown |= {f"{one}_url": f"{beside}.{one}" for one in FORMS}
        return render(request, "reports/report.html", shown)
    if form not in FORMS:
        raise Http404
    return attachment(
        written(paper, form), FORMS[form], f"report-{release.public_id}-{paper.audience}.{form}"
    )


def written(paper: Paper, form: str) -> bytes:
    """The bytes of a file."""
    if form == "json":
        return as_json(paper)
    from stewardapp.presenters.reports.pdf import as_pdf  # a library that few requests need

    return as_pdf(paper)


def attachment(content: bytes, kind: str, name: str) -> HttpResponse:
    """A file to save."""
    made = HttpResponse(content, content_type=kind)
    made["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return made


urlpatterns = [
    path("runs/<uuid:id>/report/", run_report, name="run-report"),
    path("runs/<uuid:id>/report.<slug:form>", run_report, name="run-report-file"),
    path("runs/<uuid:id>/external-report/", run_external_report, name="run-external-report"),
    path("runs/<uuid:id>/external-report.<slug:form>", run_external_report, name="run-external-report-file"),
    path("runs/<uuid:id>/replay.sh", run_replay, name="run-replay"),
    path("runs/<uuid:id>/replay.zip", run_replay, {"whole": True}, name="run-replay-archive"),
    path("releases/<uuid:public_id>/report/", release_report, name="release-report"),
    path("releases/<uuid:public_id>/report.<slug:form>", release_report, name="release-report-file"),
]
