"""The way from a file to a run through the pages; a worker's own code does the jobs in this process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from stewardapp.models import Release, Run, Version
from tests import factories
from tests.factories import Team
from tests.integration.url_scene import browser
from worker.queue import runner

ALERT = re.compile(
    r'<div class="(?:notice|card) danger.*?</div>\s*</div>|<div class="card danger.*?</form>', re.DOTALL
)
TAGS = re.compile(r"<(?:svg|script)\b.*?</(?:svg|script)>|<[^>]+>", re.DOTALL)


def words(html: str) -> str:
    """What a person reads, on one line."""
    return " ".join(unescape(TAGS.sub(" ", html)).split())


@dataclass
class Journey:
    """A team at its browsers."""

    team: Team = field(default_factory=factories.make_project)
    clients: dict[str, Client] = field(default_factory=dict)
    pages: list[tuple[str, str, HttpResponse]] = field(default_factory=list)

    def client(self, persona: str) -> Client:
        """The browser of a persona, signed in."""
        if persona not in self.clients:
            self.clients[persona] = browser(self.team.persona(persona))
        return self.clients[persona]

    def get(self, persona: str, name: str, *args: object, **query: Any) -> HttpResponse:
        """Open a page; every page is remembered."""
        return self._remembered(persona, self.client(persona).get(reverse(name, args=args), query))

    def post(self, persona: str, name: str, *args: object, **sent: Any) -> HttpResponse:
        """Send a form and open the page it leads to; both are remembered."""
        answer = self._remembered(persona, self.client(persona).post(reverse(name, args=args), sent))
        if answer.status_code == 302:
            self._remembered(persona, self.client(persona).get(answer["Location"]))
        return answer

    def _remembered(self, persona: str, answer: HttpResponse) -> HttpResponse:
        self.pages.append((persona, answer.request["PATH_INFO"], answer))  # type: ignore[attr-defined]
        return answer

    @property
    def seen(self) -> HttpResponse:
        """The page that was opened last."""
        return self.pages[-1][2]

    def upload(self, content: bytes, name: str = "survey.csv") -> Version | None:
        """Send a file in one request; None when the page refused it."""
        dataset = factories.make_dataset(self.team)
        file = SimpleUploadedFile(name, content, content_type="text/csv")
        self.post("steward", "dataset-upload", dataset.pk, file=file)
        return dataset.versions.first()

    def upload_in_pieces(self, content: bytes, name: str = "survey.csv") -> Version | None:
        """Send a file as the resumable protocol does."""
        dataset = factories.make_dataset(self.team)
        begun = self.team.steward
        upload = factories.uploads.begin(dataset=dataset, filename=name, length=len(content), by=begun)
        self.client("steward").patch(
            reverse("upload-detail", args=[upload.pk]),
            content,
            content_type="application/offset+octet-stream",
            headers={"Upload-Offset": "0"},
        )
        return dataset.versions.first()

    def read(self, version: Version) -> str:
        """Have the waiting reading done and look at the version; how it ended."""
        reading = version.attempt
        assert reading is not None
        runner.perform("reading", str(reading.pk))
        reading.refresh_from_db()
        self.get("steward", "version-detail", version.pk)
        version.refresh_from_db()
        return str(reading.state)

    def tag(self, version: Version, roles: dict[str, str]) -> None:
        """Say what the columns are."""
        positions = {column.name: column.position for column in version.columns.all()}
        sent = {f"role-{positions[name]}": role for name, role in roles.items()}
        assert self.post("steward", "version-columns", version.pk, **sent).status_code == 302

    def release(self, version: Version, recipe: dict[str, Any]) -> Release:
        """A draft with this recipe."""
        sent = {"version": version.pk, "title": "Survey", "preset": "blank"}
        assert self.post("steward", "release-create", **sent).status_code == 302
        release = Release.objects.get(version=version)
        return factories.releases.edit_recipe(release=release, recipe=recipe, by=self.team.steward)

    def run(self, release: Release) -> Run | None:
        """Queue a run, have it done, look at it; None when the page refused it."""
        before = release.runs.count()
        self.post("steward", "run-start", release.pk)
        if release.runs.count() == before:
            return None
        run = release.runs.get(number=before + 1)
        runner.perform("run", str(run.pk))
        run.refresh_from_db()
        self.get("steward", "run-detail", run.pk)
        return run

    def alert(self) -> str:
        """What the last page says went wrong, in words."""
        return " ".join(words(found) for found in ALERT.findall(self.seen.content.decode()))
