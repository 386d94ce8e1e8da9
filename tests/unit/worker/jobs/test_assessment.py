"""A run, and then its own measures asked again of the bytes it released: with the engine's own processes."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq
import pytest

from stewardapp import storage
from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import assessments, columns, hierarchies, releases, versions
from stewardapp.models import Assessment, Blob, Notification
from tests import factories
from tests.site import Site
from worker.process.outputs import BESIDE
from worker.queue import runner

ROLES = {
    "age": "quasi-identifier",
    "town": "quasi-identifier",
    "income": "other",
    "illness": "sensitive",
    "person": "person-key",
    "share": "weight",
}
GENERALIZED: dict[str, Any] = {
    "goals": [{"goal": "k-anonymity", "params": {"k": 3}}],
    "steps": [{"method": "generalization", "params": {"suppression_limit": 0.1}}],
}
PERTURBED: dict[str, Any] = {
    "goals": [],
    "steps": [
        {"method": "noise", "params": {"column": "income", "amount": 0.3}},
        {"method": "pram", "params": {"column": "illness"}},
    ],
}
RECIPES: Mapping[str, dict[str, Any]] = {"generalized": GENERALIZED, "perturbed": PERTURBED}
EVERYTHING: list[Any] = ["*"]


def file_of_people() -> bytes:
    """Sixty people, some of whom say nothing of their income."""
    draw, out = random.Random(1), io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(ROLES)
    for _ in range(60):
        income = "" if draw.random() < 0.1 else draw.randint(1000, 5000)
        place = draw.choice(["North", "South", "East"])
        known = [draw.randint(20, 60), place, income, draw.choice(["flu", "cold"])]
        lines.writerow([*known, draw.randint(1, 40), round(draw.uniform(1, 9), 2)])
    return out.getvalue().encode()


class Scene:
    """A project with data that were read, and a run of a recipe that succeeded."""

    def __init__(self, recipe: Mapping[str, Any], measures: list[Any]) -> None:
        self.team = factories.make_project()
        self.version = factories.read_for_real(factories.upload(self.team, data=file_of_people()))
        columns.tag(version=self.version, roles=ROLES, by=self.team.steward)
        made = hierarchies.create(
            project=self.team.project,
            name="ages",
            spec={"builder": "interval", "width": 10},
            by=self.team.steward,
        )
        column = self.version.columns.get(name="age")
        hierarchies.attach(column=column, hierarchy=made, by=self.team.steward)
        release = releases.create(
            version=self.version,
            title=factories.unique("Release"),
            purpose="To study.",
            recipe={**recipe, "measures": measures},
            by=self.team.steward,
        )
        self.run = factories.make_run(release)
        runner.perform("run", str(self.run.pk))
        self.run.refresh_from_db()

    def asked(self, measures: list[Any]) -> Assessment:
        """The same run assessed."""
        made = assessments.ask(run=self.run, measures=measures, by=self.team.steward)
        runner.perform("assessment", str(made.pk))
        made.refresh_from_db()
        return made


def told(report: Mapping[str, Any]) -> list[Any]:
    """The results without their times."""
    return [{**one, "seconds": None} for one in report["measures"]]


@pytest.mark.parametrize("kind", RECIPES)
def test_the_same_measures_find_the_same_in_the_bytes_that_were_released(
    embedded_site: Site, kind: str
) -> None:
    scene = Scene(RECIPES[kind], EVERYTHING)
    assert (scene.run.state, scene.run.error_message) == ("succeeded", "")
    before = list(scene.run.artifacts.values_list("name", "sha256"))
    made = scene.asked(EVERYTHING)
    assert (made.state, made.error_message) == ("succeeded", "")
    alone = {one["measure"] for one in made.report["measures"] if one["state"] == "does-not-apply"}
    assert {"intersection", "differencing"} <= alone  # nothing else is out about these people
    assert len(alone) < len(made.report["measures"])
    assert told(made.report) == told(scene.run.report)
    assert list(scene.run.artifacts.values_list("name", "sha256")) == before
    assert made.report["output"]["sha256"] == scene.run.artifacts.get(name="release.parquet").sha256


def test_two_releases_of_one_table_are_joined_by_row(embedded_site: Site) -> None:
    scene = Scene(GENERALIZED, [])
    recipe = {**GENERALIZED, "goals": [{"goal": "k-anonymity", "params": {"k": 7}}]}
    release = releases.create(
        version=scene.version, title="Other", purpose="To study.", recipe=recipe, by=scene.team.steward
    )
    other = factories.make_run(release)
    runner.perform("run", str(other.pk))
    made = assessments.ask(run=scene.run, measures=["intersection"], by=scene.team.steward)
    made.others.set([other])
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    (found,) = made.report["measures"]
    assert (found["state"], found["reason"]) == ("measured", None)
    assert found["after"]["joined"] == {f"Other ({str(release.public_id)[:8]})": "by row"}


def test_the_report_lies_sealed_under_the_key_of_the_run_and_goes_with_the_data(
    embedded_site: Site,
) -> None:
    scene = Scene(PERTURBED, [])
    made = scene.asked([{"measure": "marginals", "params": {}}])
    assert made.file is not None
    assert made.file.key_id == scene.run.key_id
    with storage.reading(made.file) as file:
        content = file.read()
    assert hashlib.sha256(content).hexdigest() == made.report_sha256
    assert json.loads(content) == made.report
    assert made.engine_version == made.report["engine"]["version"]
    assert "Release" in Notification.objects.filter(user=scene.team.steward).latest("created_at").text
    versions.destroy(version=scene.version, reason="Asked for.", by=scene.team.steward)
    made = Assessment.objects.get(pk=made.pk)
    assert (made.report, made.measures) == ({}, [])
    assert Blob.objects.get(pk=made.file_id).destroyed_at is not None
    with pytest.raises(NotAllowed, match="destroyed"):
        assessments.ask(run=scene.run, measures=EVERYTHING, by=scene.team.steward)


def test_what_stayed_behind_lies_sealed_beside_the_run_and_nobody_downloads_it(embedded_site: Site) -> None:
    scene = Scene(GENERALIZED, [])
    (kept,) = scene.run.kept.all()
    assert (kept.purpose, kept.key_id) == (BESIDE, scene.run.key_id)
    with storage.reading(kept) as file:
        table = pq.read_table(file)
    assert table.column_names == ["place", "person", "share"]
    assert table.num_rows == scene.run.artifacts.get(name="release.parquet").rows
    assert not scene.run.artifacts.filter(blob=kept).exists()
    assert kept.sha256 not in json.dumps(scene.run.manifest)
    storage.sweep(grace_seconds=0)
    assert (storage.root() / kept.path).exists()


def test_a_run_of_before_that_kept_nothing_is_told_so(embedded_site: Site) -> None:
    scene = Scene(PERTURBED, EVERYTHING)
    scene.run.kept.clear()
    made = scene.asked(EVERYTHING)
    assert {one["state"] for one in made.report["measures"]} == {"does-not-apply"}
    assert "kept nothing" in made.report["measures"][0]["reason"]


def test_other_bytes_than_those_of_the_run_are_not_measured(embedded_site: Site) -> None:
    scene = Scene(PERTURBED, [])
    other = factories.store(b"PAR1", scene.run.key, "release.parquet")
    scene.run.artifacts.filter(name="release.parquet").update(blob=other)
    made = scene.asked(EVERYTHING)
    assert (made.state, made.error_code) == ("failed", "verification")
    assert made.file is None


def test_of_a_table_with_noise_nothing_applies_and_nothing_is_opened(
    embedded_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = factories.make_project()
    recipe = {"goals": [], "steps": [{"method": "dp-histogram", "params": {"columns": ["illness"]}}]}
    release = factories.make_release(team)
    run = factories.make_table_run(release)
    said = {"illness": {"role": "sensitive", "kind": "categorical", "categories": ["cold", "flu"]}}
    factories.rewrite(run, recipe={**run.recipe, **recipe, "columns": said})
    made = assessments.ask(run=run, measures=EVERYTHING, by=team.steward)
    monkeypatch.setattr(storage, "opened", None)
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.error_message) == ("succeeded", "")
    assert {one["state"] for one in made.report["measures"]} == {"does-not-apply"}
    assert made.report["input"] == {}


def test_who_asked_hears_that_it_failed(embedded_site: Site) -> None:
    scene = Scene(PERTURBED, [])
    made = assessments.ask(run=scene.run, measures=EVERYTHING, by=scene.team.steward)
    blob = scene.run.artifacts.get(name="release.parquet").blob
    Blob.objects.forget(blob)
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.error_code) == ("failed", "destroyed")
    told = Notification.objects.filter(user=scene.team.steward).latest("created_at")
    assert told.url == f"/runs/{scene.run.pk}/assessments/"
