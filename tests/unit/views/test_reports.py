"""Reports through the pages: the same figures as page, PDF and JSON, and outside only what may leave."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.workflow import Audience, State
from stewardapp.models import Release, Run
from stewardapp.presenters.reports.external import external_paper
from stewardapp.presenters.reports.internal import internal_paper
from stewardapp.presenters.reports.measured import picture
from stewardapp.presenters.reports.parts import Section
from stewardapp.presenters.reports.replay import replay_of
from stewardapp.views import reports
from tests import factories
from tests.factories import Team
from tests.markup import readable
from tests.pdf_text import pdf_text
from tests.unit.presenters.reports import sheets
from tests.unit.presenters.reports.sheets import chart

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
KANARI = "Kanari-value"
OF_ORIGINALS = 0.34567
"""A figure of the data that nobody outside may know."""


def with_canaries(found: dict[str, Any]) -> dict[str, Any]:
    """What a run found, with a canary wherever something stays inside."""
    told = {"title": KANARI, "series": [{"name": "After", "x": [KANARI], "y": [OF_ORIGINALS]}]}
    secret = {**factories.CHART, "slug": "inside", **told}
    sided = {
        **factories.RISK_CHART,
        "series": [
            {"name": "Before", "x": ["flu"], "y": [OF_ORIGINALS]},
            {"name": "After", "x": ["flu"], "y": [0.8]},
        ],
    }
    for one in found["measures"]:
        if one["measure"] == "reidentification":
            one["charts"] = [secret, sided]
            one["before"] = {**one["before"], "average_risk": OF_ORIGINALS}
    hidden = {"certain_share": {KANARI: OF_ORIGINALS}, "highest_posterior": {KANARI: OF_ORIGINALS}}
    found["measures"] = [one for one in found["measures"] if one["measure"] != "attribute-disclosure"]
    found["measures"].append(factories.result("attribute-disclosure", "risk", after=hidden))
    found["input"] = {**found["input"], "rows": 918_273, "sha256": "ab" * 32}
    return found


@pytest.fixture
def run(team: Team) -> Run:
    """The candidate of a published release whose report is full of canaries."""
    release = factories.make_release(team, state=State.PUBLISHED)
    assert release.candidate is not None
    run = Run.objects.get(pk=release.candidate_id)
    factories.rewrite(run, report=with_canaries(json.loads(json.dumps(run.report))))
    return Run.objects.get(pk=run.pk)


def tight(text: str) -> str:
    return re.sub(r"\s", "", text)


def words(page: bytes) -> str:
    """What a page says, without its markup."""
    return html.unescape(re.sub(r"<[^>]*>", " ", page.decode()))


def forms(browser: Client, name: str, *args: object) -> dict[str, str]:
    """The text of a report in each form, without spaces."""
    page = browser.get(reverse(name, args=args))
    pdf, plain = (browser.get(reverse(f"{name}-file", args=[*args, one])) for one in ("pdf", "json"))
    assert (page.status_code, pdf.status_code, plain.status_code) == (200, 200, 200)
    assert pdf.headers["Content-Type"] == "application/pdf"
    printed = json.dumps(json.loads(plain.content), ensure_ascii=False)
    return {
        "page": tight(words(page.content)),
        "pdf": tight(pdf_text(pdf.content)),
        "json": tight(printed.replace('\\"', '"')),
    }


def test_page_pdf_and_json_say_the_same_inside(run: Run, browse: Browser) -> None:
    seen = factories.seen(run)
    paper = internal_paper(seen, [], replay_of(seen))
    told = forms(browse("steward"), "run-report", run.pk)
    for form, text in told.items():
        lacking = [one for one in paper.texts() if tight(one).replace('\\"', '"') not in text]
        assert lacking == [], form
    assert all(KANARI in text and tight("918\u202f273") in text for text in told.values())
    assert tight("34.6\u00a0%") in told["pdf"]


def test_page_pdf_and_json_say_the_same_outside(run: Run, browse: Browser) -> None:
    paper = external_paper(factories.seen(run))
    told = forms(browse("analyst"), "release-report", run.release.public_id)
    for form, text in told.items():
        assert [one for one in paper.texts() if tight(one) not in text] == [], form


@pytest.mark.parametrize("whose", ["release-report", "run-external-report"])
def test_nothing_that_stays_inside_is_told_outside(whose: str, run: Run, browse: Browser) -> None:
    release = whose == "release-report"
    args = run.release.public_id if release else run.pk
    for form, text in forms(browse("analyst" if release else "reviewer"), whose, args).items():
        secrets = (KANARI, "34.6", "0.34567", "918\u202f273", "918273", "abab", run.stated["input_sha256"])
        assert [one for one in secrets if tight(one) in text] == [], form
        assert "Took" not in text
        assert (
            tight("Share of rows at or above each risk") in text
        )  # a chart that may leave, without its before
        assert run.recipe_sha256 in text


def test_a_report_is_the_same_bytes_each_time(run: Run, browse: Browser) -> None:
    to = reverse("release-report-file", args=[run.release.public_id, "pdf"])
    assert browse("analyst").get(to).content == browse("steward").get(to).content
    inside = reverse("run-report-file", args=[run.pk, "pdf"])
    assert browse("steward").get(inside).content == browse("reviewer").get(inside).content


def test_risk_is_in_the_certificate_and_in_the_report(run: Run, browse: Browser) -> None:
    page = browse("analyst").get(reverse("catalogue-certificate", args=[run.release.public_id]))
    said = words(page.content)
    assert "Smallest class" in said
    assert "at least 5" in said
    assert reverse("release-report", args=[run.release.public_id]) in page.content.decode()


def test_a_table_with_noise_tells_what_was_known_before_and_no_more(team: Team, browse: Browser) -> None:
    run = factories.make_table_run(factories.make_release(team))
    paper = external_paper(factories.seen(run))
    told = " ".join(paper.texts())
    assert "Every count is a true count plus noise." in told
    assert "ε = 0.5" in told
    assert "4711" not in readable(told)
    assert not [one for one in ("4 711", "4\u202f711", "0.123", "ab" * 32) if one in told]
    inside = forms(browse("steward"), "run-report", run.pk)["pdf"]
    assert tight("4\u202f711") in inside
    assert browse("steward").get(reverse("run-replay", args=[run.pk])).status_code == 404


def test_the_script_and_its_files_are_offered(run: Run, browse: Browser) -> None:
    script = browse("steward").get(reverse("run-replay", args=[run.pk]))
    assert script.content.startswith(b"#!/bin/sh\n")
    assert (
        "replay.zip"
        in browse("steward").get(reverse("run-replay-archive", args=[run.pk])).headers["Content-Disposition"]
    )
    page = browse("steward").get(reverse("run-detail", args=[run.pk]) + "?tab=recipe").content.decode()
    for name in ("run-report", "run-external-report", "run-replay"):
        assert reverse(name, args=[run.pk]) in page


def test_what_is_not_there_is_not_found(run: Run, team: Team, browse: Browser) -> None:
    assert browse("steward").get(reverse("run-report-file", args=[run.pk, "docx"])).status_code == 404
    waiting = factories.make_run(factories.make_release(team))
    assert browse("steward").get(reverse("run-report", args=[waiting.pk])).status_code == 404


def test_whoever_has_the_link_reads_the_report_of_what_is_out(team: Team) -> None:
    release = factories.make_release(team, state=State.PUBLISHED, audience=Audience.PUBLIC_LINK)
    to = reverse("release-report", args=[release.public_id])
    assert Client().get(to).status_code == 200
    assert Client().get(to.replace(str(release.public_id), str(release.pk))).status_code == 302


def test_reports_read_after_the_data_were_destroyed(
    run: Run, team: Team, browse: Browser, django_capture_on_commit_callbacks: Any
) -> None:
    from stewardapp.actions import versions

    release = Release.objects.get(pk=run.release_id)
    with django_capture_on_commit_callbacks(execute=True):
        versions.destroy(version=release.version, reason="Asked for.", by=team.admin)
    for name, id in (("release-report", release.public_id), ("run-report", run.pk)):
        text = forms(browse("steward"), name, id)["page"]
        assert KANARI not in text
        assert tight("Smallest class") in text


def test_headings_go_down_one_level_at_a_time(
    run: Run, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chart may stand in a section itself as well as in one below it."""
    drawn = Section("Above", (picture(chart()),), (Section("Below", (picture(chart()),)),))
    monkeypatch.setattr(reports, "internal_paper", lambda *_: replace(sheets.paper(), sections=(drawn,)))
    page = browse("steward").get(reverse("run-report", args=[run.pk])).content.decode()
    levels = [int(one) for one in re.findall(r"<h([1-6])", page[page.index("<main") :])]
    assert levels == [1, 2, 3, 3, 4]
