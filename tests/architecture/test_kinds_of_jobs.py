"""A kind of job is its row and its work: whatever else must know of it follows from what the row declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import models
from django.test.utils import isolate_apps

from stewardapp.models import Reading, Run, Version, job
from stewardapp.models.base import Record
from stewardapp.models.job import Job, JobQuerySet, kinds_of_jobs
from stewardapp.models.user import AnyUser
from stewardapp.reads.changes import Topic, may_watch, standings
from tests import factories
from tests.factories import Team
from tests.site import ROOT
from worker.queue.kinds import kinds

SEVERAL = 4
LISTED = Path("stewardapp/models/__init__.py")


def code() -> Iterator[Path]:
    """Every module but what only adds tables."""
    for top in ("stewardapp", "worker"):
        found = (ROOT / top).rglob("*.py")
        yield from (path.relative_to(ROOT) for path in found if "migrations" not in path.parts)


def test_every_kind_of_row_has_its_work_in_a_file_of_its_name() -> None:
    assert {kind.row for kind in kinds().values()} == set(kinds_of_jobs())
    assert {kind.row._meta.model_name for kind in kinds().values()} == kinds().keys()


def test_nothing_lists_the_kinds() -> None:
    """Besides the names that the models are imported by."""
    words = re.compile(r"\b(" + "|".join(kind.__name__ for kind in kinds_of_jobs()) + r")\b")
    said = {path: set(words.findall((ROOT / path).read_text(encoding="utf-8"))) for path in code()}
    assert [path for path, names in said.items() if len(names) >= SEVERAL] == [LISTED]


class TrialQuerySet(JobQuerySet["Job"]):
    """Questions about trials."""

    def visible_to(self, user: AnyUser) -> TrialQuerySet:
        return self if user.is_admin else self.none()


@pytest.fixture
def team(db: None) -> Team:
    return factories.make_project()


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> type[Job]:
    """The only kind there is while a test runs; its rows are those of runs."""
    with isolate_apps("stewardapp"):

        class Trial(Job, Record):
            reads = ("table_read",)
            table_read = models.ForeignKey(Reading, models.PROTECT, "+", db_column="reading_id")
            objects = TrialQuerySet.as_manager()

            class Meta:
                app_label = "stewardapp"
                db_table = Run._meta.db_table
                managed = False

    known = SimpleNamespace(get_models=lambda: [Trial, Version])
    monkeypatch.setattr(job, "apps", SimpleNamespace(get_app_config=lambda _: known))
    return Trial


def test_what_it_reads_keeps_a_version_busy_and_its_table(team: Team, trial: type[Job]) -> None:
    run = factories.make_run(factories.make_release(team))
    version, reading = run.reading.version, run.reading
    Version.objects.filter(pk=version.pk).update(current=None)  # so that nothing else needs it
    assert version.facts().busy
    assert list(Reading.objects.needed()) == [reading]
    Run.objects.request_cancel(run.pk, team.steward)
    assert not version.facts().busy
    assert not Reading.objects.needed()


def test_a_page_watches_it(team: Team, trial: type[Job]) -> None:
    run = factories.make_run(factories.make_release(team))
    topic = Topic.of(f"trial:{run.pk}")
    assert standings([topic])[topic].state == "queued"
    assert may_watch(team.admin, [topic])
    assert not may_watch(team.steward, [topic])
    with pytest.raises(ValueError):
        Topic.of(f"run:{run.pk}")
