"""Workbooks and statistical files read by a worker, in the engine's own limited process."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from stewardapp.actions import columns
from tests import factories
from tests.engine.io.test_foreign import workbook
from tests.site import Site
from worker.queue import runner


@pytest.mark.parametrize("kind", ["xlsx", "sav"])
def test_an_uploaded_file_is_read_with_its_labels(embedded_site: Site, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "survey.sav"
    words = {"sex": {1: "male", 2: "female", 3: "other"}}
    frame = pd.DataFrame({"sex": [1.0, 2.0], "age": [30.0, 40.0]})
    pyreadstat.write_sav(frame, path, column_labels=["Sex at birth", ""], variable_value_labels=words)
    book = workbook([["sex", "age"], ["male", 30], ["female", 40]]).getvalue()
    team = factories.make_project()
    version = factories.upload(team, data=path.read_bytes() if kind == "sav" else book)
    runner.perform("reading", str(version.attempt.pk))
    version.refresh_from_db()
    assert (version.attempt.state, version.attempt.error_message) == ("succeeded", "")
    assert (version.rows, version.profile["dialect"]["format"]) == (2, kind)
    sex = version.columns.get(name="sex")
    said = ("Sex at birth", {"categories": ["male", "female", "other"]}) if kind == "sav" else ("", {})
    assert (sex.label, sex.settings) == said
    columns.describe(version=version, name="sex", label="Sex", settings={}, by=team.steward)
    if kind == "sav":
        assert "categories" not in sex.profile
