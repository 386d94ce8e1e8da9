"""A release in the formats its readers work with, made by the real runner and read by other libraries."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path
from typing import Any

import openpyxl
import pyreadstat
import pytest

from stewardapp import storage
from stewardapp.actions import columns, releases
from stewardapp.models import Charge, Run
from tests import factories
from tests.factories import Team
from tests.site import Site
from worker.engine.contracts.privacy import Spend
from worker.jobs import run as anonymizing
from worker.queue import runner

ROWS = [("zip", "age", "town")] + [(f"0{n % 3}", str(20 + n % 4), f"=town{n % 2}") for n in range(60)]
CONTENT = "\n".join(map(",".join, ROWS)).encode()
ROLES = {"zip": "quasi-identifier", "age": "quasi-identifier", "town": "sensitive"}
WITH_NUMBERS = {"goals": [{"goal": "k-anonymity", "params": {"k": 2}}], "steps": []}
COUNTED = {"steps": [{"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 1}}]}
FURTHER = ["xlsx", "sav", "dta"]


def performed(team: Team, recipe: dict[str, Any], settings: dict[str, Any] | None = None) -> Run:
    version = factories.read_for_real(factories.upload(team, data=CONTENT))
    columns.tag(version=version, roles=ROLES, by=team.steward)
    factories.rewrite(version.columns.get(name="age"), settings=settings or {})
    factories.give_budget(team, version.dataset.population, Spend(1_000_000))
    made = releases.create(version=version, title="Formats", recipe=recipe, by=team.steward)
    return done(factories.make_run(made))


def done(run: Run) -> Run:
    runner.perform("run", str(run.pk))
    run.refresh_from_db()
    assert run.state == "succeeded", run.error_message
    return run


def content(run: Run, name: str) -> bytes:
    artifact = run.artifacts.get(name=name)
    with storage.reading(artifact.blob) as stored:
        found = stored.read()
    assert hashlib.sha256(found).hexdigest() == artifact.sha256
    return found


def in_csv(run: Run, name: str = "release.csv") -> list[list[str]]:
    return list(csv.reader(io.StringIO(content(run, name).decode())))


def in_workbook(run: Run, name: str = "release.xlsx") -> list[list[Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(content(run, name))).active
    return [list(row) for row in sheet.iter_rows(values_only=True)]


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose goals were recomputed."""
    honest, seen = anonymizing.run_engine, list[str]()

    def watched(claim: Any, job: str, details: Any, files: Any, **part: Any) -> dict[str, Any]:
        answer = honest(claim, job, details, files, **part)
        seen.extend(answer["files"] if job == "verify" else ())
        return answer

    monkeypatch.setattr(anonymizing, "run_engine", watched)
    return seen


def test_every_format_holds_the_same_rows_and_is_verified(
    embedded_site: Site, tmp_path: Path, verified: list[str]
) -> None:
    run = performed(factories.make_project(), {**WITH_NUMBERS, "formats": FURTHER})
    header, *rows = in_csv(run)
    assert len(rows) == 60
    workbook = in_workbook(run)
    assert workbook[0] == header
    assert workbook[1:] == [[zip_, int(age), town.removeprefix("'")] for zip_, age, town in rows]
    for suffix, read in (("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta)):
        (tmp_path / suffix).write_bytes(content(run, f"release.{suffix}"))
        frame, _ = read(str(tmp_path / suffix), apply_value_formats=True)
        assert [list(map(str, row)) for row in frame.astype({"age": int}).values] == [
            [zip_, age, town.removeprefix("'")] for zip_, age, town in rows
        ]
    public = {one.name: one.rows for one in run.artifacts.all() if one.public}
    assert {name for name in public if name.startswith("release.")} == {
        f"release.{suffix}" for suffix in ("csv", "parquet", *FURTHER)
    }
    assert sorted(verified) == sorted(name for name in public if name.startswith("release."))
    assert {public[f"release.{suffix}"] for suffix in FURTHER} == {60}


def test_another_format_of_a_paid_table_costs_nothing_and_draws_nothing(embedded_site: Site) -> None:
    declared = {"categories": ["20", "21", "22", "23", "24"]}
    first = performed(factories.make_project(), COUNTED, declared)
    assert [one.name for one in first.artifacts.filter(name__startswith="table.").order_by("name")] == [
        "table.csv",
        "table.parquet",
    ]
    release = first.release
    releases.edit_recipe(release=release, recipe={**COUNTED, "formats": ["xlsx"]}, by=first.started_by)
    release.refresh_from_db()
    second = done(factories.make_run(release))
    assert second.answered_by == first
    assert Charge.objects.count() == 1
    assert content(second, "table.csv") == content(first, "table.csv")
    [_, *counts] = in_workbook(second, "table.xlsx")
    assert [[str(cell) for cell in row[:2]] for row in counts] == [
        row[:2] for row in in_csv(second, "table.csv")[1:]
    ]
    assert all(isinstance(row[1], int) for row in counts)
    third = done(factories.make_run(release))
    assert third.answered_by is not None
    assert content(third, "table.xlsx") == content(second, "table.xlsx")
