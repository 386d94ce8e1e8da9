"""A method is one file: written while the tests run, it is wherever a method has to be, without another edit.

So is a measure; a goal comes with the file that recomputes it from released bytes.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp import storage
from stewardapp.actions import columns, releases
from stewardapp.domain.manifest import public_part
from stewardapp.models import Release, Run, Version
from stewardapp.presenters.results import goal_lines
from tests import factories
from tests.architecture.newcomers import FILES, SLUGS, adopted, write
from tests.engine import checks, test_contracts
from tests.site import ROOT, Site
from worker.engine import catalogue
from worker.process import starting
from worker.queue import runner

METHOD, GOAL, MEASURE = SLUGS.values()
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
LISTED = {"methods": catalogue.methods, "goals": catalogue.goals, "measures": catalogue.measures}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where the newcomers' files lie while they are known."""
    with adopted(tmp_path / "newcomers"):
        yield tmp_path / "newcomers"


@pytest.fixture
def release(folder: Path, db: None) -> Release:
    """A draft over data with ages, postal codes and illnesses."""
    return factories.make_release(factories.make_project())


def steward_of(release: Release) -> Client:
    client = Client()
    client.force_login(release.author, backend=BACKEND)
    return client


def test_the_newcomers_are_strangers_elsewhere() -> None:
    assert not {METHOD, GOAL, MEASURE} & {*catalogue.methods(), *catalogue.goals(), *catalogue.measures()}


@pytest.mark.parametrize("kind", SLUGS)
def test_it_is_in_the_catalogue_and_has_its_page(folder: Path, release: Release, kind: str) -> None:
    assert SLUGS[kind] in LISTED[kind]()
    client, contract = steward_of(release), LISTED[kind]()[SLUGS[kind]]
    listed = client.get(reverse("method-list")).content.decode()
    address = reverse("method-detail", args=[kind, SLUGS[kind]])
    assert address in listed
    page = client.get(address).content.decode()
    assert contract.title in page
    for parameter in contract.parameters():
        assert parameter.help in page


def recipe_page(release: Release, **sent: Any) -> Any:
    return steward_of(release).post(reverse("release-configure", args=[release.pk]), sent)


@pytest.mark.parametrize(("part", "slug"), [("step", METHOD), ("goal", GOAL), ("measure", MEASURE)])
def test_its_form_is_drawn_from_its_parameters(release: Release, part: str, slug: str) -> None:
    page = recipe_page(release, do=f"add:{part}:{slug}")
    drawn = page.context["form"].items[-1].form
    assert list(drawn.fields) == [parameter.name for parameter in drawn.contract.parameters()]
    for bound in drawn:
        assert bound.label in page.content.decode()
        assert bound.help_text in page.content.decode()


def test_what_its_file_refuses_is_said_on_the_field(release: Release) -> None:
    sent = {"item": f"step:a1:{METHOD}", "a1-column": "age", "a1-length": "51", "do": "save"}
    page = recipe_page(release, **sent)
    assert page.status_code == 422
    errors = page.context["form"].items[0].form.errors
    assert list(errors) == ["length"]
    assert "less than or equal to 50" in str(errors["length"])
    described_by = re.search(r'<input[^>]*name="a1-length"[^>]*>', page.content.decode())
    assert described_by is not None
    assert 'aria-invalid="true"' in described_by[0]


def test_the_contract_checks_run_over_it(folder: Path) -> None:
    """Whatever is registered when the tests are collected is checked: these are the checks they run."""
    method, goal, measure = (LISTED[kind]()[slug] for kind, slug in SLUGS.items())
    marked = {name: marks_of(getattr(test_contracts, name)) for name in CHECKED}
    assert all(marked.values())
    for cls in (method, goal, measure):
        checks.check_documented(cls)
    for name, classes in CHECKED.items():
        for cls in (one for one in (method, goal, measure) if issubclass(one, classes)):
            for example in cls.examples():
                for check in marked[name]:
                    check(example)


CHECKED: dict[str, Any] = {
    "test_parameters": checks.Parametric,
    "test_method": checks.Method,
    "test_goal": checks.Goal,
    "test_measure": checks.Measure,
}


def marks_of(function: Any) -> list[Any]:
    """The checks that a contract test is parametrized with."""
    asked = [one.values[1] for mark in function.pytestmark for one in mark.args[1]]
    return list(dict.fromkeys(asked))


def test_a_worker_runs_it_and_the_results_have_their_pages(
    embedded_site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the uploaded bytes to the released ones, with the real engine process."""
    child = str(ROOT / "tests/architecture/newcomer_child.py")
    monkeypatch.setattr(starting, "COMMAND", (sys.executable, child, str(folder)))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    team = factories.make_project()
    version, others = (read(team, data) for data in (factories.CSV, SOMEBODY_ELSE))
    columns.tag(version=version, roles={"age": "quasi-identifier", "illness": "sensitive"}, by=team.steward)
    recipe = {
        "goals": [{"goal": GOAL, "params": {"rows": 2}}],
        "steps": [{"method": METHOD, "params": {"column": "age", "length": 1}}],
    }
    release = releases.create(version=version, title="Short ages", recipe=recipe, by=team.steward)
    for column in ("illness", "age"):
        choose_measure(release, column, others)
    release.refresh_from_db()
    assert release.recipe["measures"] == ["*", *(measure_of(one, others) for one in ("illness", "age"))]
    run = factories.make_run(release)
    runner.perform("run", str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.error_message) == ("succeeded", "")
    with storage.reading(run.artifacts.get(name="release.csv").blob) as released:
        rows = list(csv.DictReader(io.StringIO(released.read().decode())))
    assert {row["age"] for row in rows} == {"3"}
    assert run.manifest["goals"][0]["goal"] == GOAL
    assert run.manifest["goals"][0]["holds"]
    line = goal_lines(run)[0]
    assert (line.required, line.achieved) == ("rows 2, most 1\u202f000\u202f000", "rows 6, most 6")
    illness, age = (one for one in run.report["measures"] if one["measure"] == MEASURE)
    assert (illness["state"], illness["reason"]) == ("measured", None)
    assert illness["params"] == {"column": "illness", "others": str(others.pk)}
    assert illness["after"] == {"rows": 3, "share": 0.5}
    assert age["after"] == {"rows": 0, "share": 0.0}, "the values of the release, not of the original"
    client = steward_of(release)
    shown = client.get(reverse("run-detail", args=[run.pk]) + "?tab=attack")
    asked = [one for one in shown.context["readings"] if one[0].id in (illness["id"], age["id"])]
    (first, (picture,)), _ = asked
    assert first.title == "Listed elsewhere"
    assert first.params == (("Column", "illness"), ("List", str(others)))
    assert [one.id for one, _ in asked] == [illness["id"], age["id"]]
    assert [(row.label, row.after) for row in first.rows] == [
        ("Share listed", "50\u00a0%"),
        ("Rows listed", "3"),
    ]
    assert picture.title == "illness on the list"
    assert client.get(picture.url).json()["data"]
    with storage.reading(run.artifacts.get(name="records.csv").blob) as kept:
        lines = list(csv.DictReader(io.StringIO(kept.read().decode())))
    assert [line[f"{illness['id']}_found"] for line in lines].count("1") == 3
    public = [one for one in public_part(run.manifest)["measures"] if one["measure"] == MEASURE]
    assert [(one["id"], one["after"]) for one in public] == [
        (illness["id"], {"share": 0.5}),
        (age["id"], {"share": 0.0}),
    ]
    purpose = {"purpose": "To study illness by age."}
    release = Release.objects.get(pk=release.pk)
    releases.submit(release=release, run=run, description=purpose, by=team.steward)
    reviewer = Client()
    reviewer.force_login(team.reviewer, backend=BACKEND)
    review = reviewer.get(reverse("review-detail", args=[release.pk]))
    assert review.status_code == 200
    told = [line for line in review.context["sentences"].measures if line.startswith("Listed elsewhere")]
    assert told == [f"Listed elsewhere: column {one}, list {others}." for one in ("illness", "age")]
    assert all(line in review.content.decode() for line in told)
    assert str(others.pk) not in " ".join(told)
    results = reviewer.get(reverse("run-detail", args=[run.pk]) + "?tab=attack")
    assert {illness["id"], age["id"]} <= {one.id for one, _ in results.context["readings"]}
    (afterwards,) = demanded(reviewer, run, others)
    assert {**afterwards, "seconds": 0} == {**illness, "seconds": 0}


def demanded(reviewer: Client, run: Run, others: Version) -> list[dict[str, Any]]:
    """The same instance demanded of the candidate, and what was found in the released bytes."""
    address = reverse("run-assessments", args=[run.pk])
    page = reviewer.post(address, {"measures": "shown", "do": f"add:measure:{MEASURE}"})
    key = page.context["form"].measures[0].key
    answers = {f"{key}-column": "illness", f"{key}-others": str(others.pk)}
    assert reviewer.post(address, {**sent(page), **answers, "do": "demand"}).status_code == 302
    made = run.assessments.get()
    runner.perform("assessment", str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.error_message, made.compared.get().version_id) == ("succeeded", "", others.pk)
    found: list[dict[str, Any]] = made.report["measures"]
    return found


def choose_measure(release: Release, column: str, others: Version) -> None:
    """Add an instance on the configuration page, fill it in, and save."""
    client, address = steward_of(release), reverse("release-configure", args=[release.pk])
    page = client.post(address, {**sent(client.get(address)), "do": f"add:measure:{MEASURE}"})
    added = page.context["form"].measures[-1]
    refused = client.post(address, {**sent(page), "do": "save"})
    assert refused.status_code == 422
    assert set(refused.context["form"].measures[-1].form.errors) == {"column", "others"}
    answers = {f"{added.key}-column": column, f"{added.key}-others": str(others.pk)}
    looked = client.post(address, {**sent(page), **answers, "do": "look"})
    (cost,) = looked.context["form"].measures[-1].costs
    assert cost.words == "Takes less than a second."
    assert client.post(address, {**sent(page), **answers, "do": "save"}).status_code == 302


def sent(page: Any) -> dict[str, Any]:
    """What the form of the page sends."""
    form = page.context["form"]
    fields = {one.html_name: one.value() for item in form.items for one in item.form}
    given = {name: value for name, value in fields.items() if value not in (None, False)}
    revision = page.context["release"].revision
    return {"item": [one.token for one in form.items], "measures": "shown", "revision": revision, **given}


def read(team: factories.Team, data: bytes) -> Version:
    """An uploaded file that was read."""
    version = factories.upload(team, data=data)
    runner.perform("reading", str(version.attempt.pk))
    version.refresh_from_db()
    return version


def measure_of(column: str, others: Version) -> dict[str, Any]:
    """An instance of the newcomer's measure."""
    return {"measure": MEASURE, "params": {"column": column, "others": str(others.pk)}}


SOMEBODY_ELSE = b"illness,age\nflu,35\nflu,36\n"


def test_a_copy_of_the_engine_with_the_files_in_it_knows_them(tmp_path: Path) -> None:
    """No trick with search paths: the files beside the others, and the command line."""
    shutil.copytree(ROOT / "worker", tmp_path / "worker", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path / "written")
    for package, name, _ in FILES:
        target = tmp_path.joinpath(*package.__name__.split("."))
        shutil.copy(tmp_path / "written" / package.__name__ / f"{name}.py", target)
    answer = subprocess.run(
        [sys.executable, "-m", "worker", "catalogue", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=60,
    )
    listed = json.loads(answer.stdout)
    for kind, slug in SLUGS.items():
        assert slug in {one["slug"] for one in listed[kind]}
