"""Goals about a population file and distances over a tree: run and verified by a worker."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from django.db import transaction

from stewardapp import storage
from stewardapp.access.verdict import Invalid, NotAllowed
from stewardapp.actions import columns, hierarchies, previews, releases, versions
from stewardapp.domain.facts import contributors_of
from stewardapp.models import Run, Version
from tests import factories
from tests.site import Site
from worker.jobs import run as anonymizing
from worker.process.parent import Sealed
from worker.queue import runner

ROLES = {"age": "quasi-identifier", "town": "quasi-identifier", "illness": "sensitive"}
TOWNS = ("North", "South")
ROWS = [(30 + n % 6, TOWNS[n % 2], ("flu", "cold", "ulcer")[n % 3]) for n in range(24)]
PEOPLE = [(30 + n % 6, TOWNS[n % 2]) for n in range(90)] + [(77, "North")]
TREE = {"tree": {"air": ["flu", "cold"], "gut": ["ulcer"]}}


def file_of(header: str, rows: list[tuple[Any, ...]]) -> bytes:
    return "".join(f"{','.join(map(str, row))}\n" for row in ([*header.split(",")], *rows)).encode()


class Scene:
    """A project with a dataset about patients and a file of everybody who lives there."""

    def __init__(self, people: list[tuple[Any, ...]] = PEOPLE) -> None:
        self.team = factories.make_project()
        self.data = self.version(file_of("age,town,illness", ROWS))
        self.people = self.version(file_of("age,town", people))
        columns.tag(version=self.data, roles=ROLES, by=self.team.steward)

    def version(self, content: bytes) -> Version:
        version = factories.upload(self.team, data=content)
        return factories.read_for_real(version)

    def build(self, column: str, spec: Mapping[str, Any]) -> None:
        by, column_ = self.team.steward, self.data.columns.get(name=column)
        made = hierarchies.create(project=self.team.project, name=column, spec=dict(spec), by=by)
        hierarchies.attach(column=column_, hierarchy=made, by=by)

    def run(self, goal: str, **params: Any) -> Run:
        step = {"method": "generalization", "params": {"suppression_limit": 0.0}}
        recipe = {"goals": [{"goal": goal, "params": params}], "steps": [step], "measures": []}
        release = releases.create(
            version=self.data, title=factories.unique("Release"), recipe=recipe, by=self.team.steward
        )
        return factories.make_run(release)


@pytest.fixture
def scene(embedded_site: Site) -> Scene:
    made = Scene()
    made.build("age", {"builder": "interval", "width": 2, "snap": [32, None]})
    return made


def performed(run: Run) -> Run:
    runner.perform("run", str(run.pk))
    run.refresh_from_db()
    return run


def released(run: Run) -> list[dict[str, str]]:
    with storage.reading(run.artifacts.get(name="release.csv").blob) as file:
        return list(csv.DictReader(io.StringIO(file.read().decode())))


def fits(label: str, value: Any) -> bool:
    """What a label says, read by hand."""
    if label in ("*", str(value)):
        return True
    if label.startswith("<"):
        return int(value) < int(label[1:])
    if not label.startswith("["):
        return False
    low, high = label.strip("[").split(",")
    return int(low) <= int(value) < int(high)


def fitting(rows: list[dict[str, str]]) -> dict[tuple[str, str], int]:
    """How many people fit each class."""
    classes = {(row["age"], row["town"]) for row in rows}
    return {one: sum(fits(one[0], age) and fits(one[1], town) for age, town in PEOPLE) for one in classes}


def test_every_class_fits_enough_people(scene: Scene) -> None:
    run = performed(scene.run("k-map", k=20, population=str(scene.people.pk)))
    assert (run.state, run.error_message) == ("succeeded", "")
    fewest = min(fitting(released(run)).values())
    assert fewest >= 20
    (goal,) = run.manifest["goals"]
    assert (goal["holds"], goal["achieved"]) == (True, fewest)


def test_nobody_is_surely_among_the_people(scene: Scene) -> None:
    run = performed(scene.run("delta-presence", lower=0.0, upper=0.4, population=str(scene.people.pk)))
    assert (run.state, run.error_message) == ("succeeded", "")
    rows = released(run)
    sizes, people = Counter((row["age"], row["town"]) for row in rows), fitting(rows)
    shares = [sizes[one] / people[one] for one in sizes]
    (goal,) = run.manifest["goals"]
    assert goal["achieved"] == pytest.approx([min(shares), max(shares)])
    assert max(shares) <= 0.4


def test_a_distance_over_a_tree(scene: Scene) -> None:
    scene.build("illness", {"builder": "tree", **TREE})
    run = performed(scene.run("t-closeness", column="illness", t=0.3, distance="hierarchical"))
    assert (run.state, run.error_message) == ("succeeded", "")
    assert run.manifest["goals"][0]["holds"]


def test_another_population_at_the_verification_is_found_out(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = scene.version(file_of("age,town", PEOPLE[:24]))
    real, asked = anonymizing.run_engine, []

    def swapped(claim: Any, job: str, details: Any, files: Any, **more: Any) -> Any:
        asked.append(job)
        if job == "anonymize":
            return real(claim, job, details, files, **more)
        assert fewer.current is not None
        assert fewer.current.table is not None
        with storage.opened(fewer.current.table) as table:
            files[str(scene.people.pk)] = Sealed(table, storage.key_bytes(fewer.key))
            return real(claim, job, details, files, **more)

    monkeypatch.setattr(anonymizing, "run_engine", swapped)
    run = performed(scene.run("k-map", k=20, population=str(scene.people.pk)))
    assert (asked, run.error_code) == (["anonymize", "verify"], "verification")
    assert not run.artifacts.exists()


def test_a_population_that_lacks_a_column_is_refused_at_its_goal(scene: Scene) -> None:
    ages = scene.version(file_of("age", [(one[0],) for one in PEOPLE]))
    with pytest.raises(Invalid, match="no column 'town'") as refused:
        scene.run("k-map", k=2, population=str(ages.pk))
    assert refused.value.param == "goals[0].params.population"


def test_a_population_is_of_the_project_and_still_there(scene: Scene) -> None:
    other = factories.make_version(factories.make_project())
    for gone in (str(other.pk), "people.csv", str(scene.data.pk)):
        with pytest.raises(Invalid, match="Choose a population file") as refused:
            scene.run("k-map", k=2, population=gone)
        assert refused.value.param == "goals[0].params.population"


def test_a_population_is_in_use_while_a_run_waits(scene: Scene) -> None:
    run = scene.run("k-map", k=2, population=str(scene.people.pk))
    assert scene.people.facts().busy
    with pytest.raises(NotAllowed, match="worker is using"):
        versions.destroy(version=scene.people, reason="Not needed.", by=scene.team.admin)
    with transaction.atomic():
        storage.destroy_key(scene.people.key)  # whatever happens, gone is gone
    assert performed(run).error_code == "destroyed"


def test_who_brought_the_population_shaped_the_release(scene: Scene) -> None:
    brought = factories.upload(scene.team, data=file_of("age,town", PEOPLE), by=scene.team.co_steward)
    factories.read_for_real(brought)
    run = scene.run("k-map", k=2, population=str(brought.pk))
    assert scene.team.co_steward.pk in contributors_of(run.release)


def test_a_step_under_such_a_goal_is_tried_before_the_run(scene: Scene) -> None:
    run = scene.run("k-map", k=4, population=str(scene.people.pk))
    step, [goal] = run.recipe["steps"][0], run.recipe["goals"]
    preview = previews.start(release=run.release, step=step, goals=[goal], by=scene.team.steward)
    runner.perform("preview", str(preview.pk))
    preview.refresh_from_db()
    assert preview.state == "succeeded", preview.error_message
    assert preview.result["facts"]["smallest_class"] >= 1
    missing = {"goal": "k-map", "params": {"k": 4, "population": str(scene.data.pk)}}
    with pytest.raises(Invalid, match="population file"):
        previews.start(release=run.release, step=step, goals=[missing], by=scene.team.steward)
