"""A run is made again by a shell: the same bytes, or it says so; the script itself holds no value."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.conf import settings

from stewardapp.models import Run
from stewardapp.presenters.reports import replay
from stewardapp.presenters.reports.replay import Replay, plain, refusal, released_name, replay_of, written
from tests import factories

KANARI = "Kanari<of&the>data"
LINES = [f"{KANARI};*", "b;*"]
COLUMNS = {
    "../name of 'it'": {"role": "quasi-identifier", "hierarchy": LINES},
    "illness": {"role": "sensitive", "categories": [KANARI, "flu"]},
}
RECIPE = {"version": 1, "columns": COLUMNS, **factories.RECIPE, "measures": []}


def invented(recipe: Mapping[str, Any] = RECIPE, **dialect: str) -> Any:
    """A run of which only what the script needs is there."""
    listed = [{"name": f"release.{one}", "sha256": one[0] * 64} for one in ("csv", "parquet")]
    run = SimpleNamespace(
        recipe=recipe,
        number=3,
        recipe_sha256="e" * 64,
        engine_version="test",
        reading=SimpleNamespace(dialect={"format": "csv", "delimiter": ",", "quote": '"', **dialect}),
        release=SimpleNamespace(public_id="an-id\nrm -r /"),
        stated={"artifacts": listed, "input_sha256": "f" * 64},
    )
    return SimpleNamespace(run=run, names_of_files={})


def unpacked(made: Replay) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(made.archive())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_values_stand_in_files_and_never_in_the_script() -> None:
    made = replay_of(invented())
    assert KANARI not in made.script
    assert KANARI not in " ".join(made.words)
    files = unpacked(made)
    (hierarchy,) = (name for name in files if "hierarchies/" in name)
    assert files[hierarchy].decode().splitlines() == LINES
    recipe = json.loads(files["replay/recipe.json"])
    assert f"replay/{recipe['columns'][next(iter(COLUMNS))]['hierarchy']}" == hierarchy
    assert recipe["data"] == {"delimiter": ",", "quote": '"'}


def test_the_archive_is_the_same_every_time() -> None:
    assert replay_of(invented()).archive() == replay_of(invented()).archive()


def test_nothing_that_somebody_typed_becomes_a_command() -> None:
    made = replay_of(invented())
    assert "rm -r /" in made.script
    assert not [line for line in made.script.splitlines() if line.startswith("rm")]
    assert plain("../name of 'it'") == "---name-of--it-"
    checked = subprocess.run(["sh", "-n"], input=made.script, text=True, check=False, timeout=60)
    assert checked.returncode == 0


def test_the_commands_are_told_whole() -> None:
    made = replay_of(invented())
    assert made.words[1:] == (
        '"$PYTHON" -m worker anonymize recipe.json "$DATA" --out release.csv --report report.json',
        '"$PYTHON" -m worker verify recipe.json release.csv',
    )
    for line in made.words[1:]:
        assert f"\n{line}\n" in made.script
    assert f"same release.csv {'c' * 64}" in made.script
    assert f'same "$DATA" {"f" * 64}' in made.script


def test_persons_and_keys_are_asked_for() -> None:
    keyed = {**COLUMNS, "pid": {"role": "person-key"}}
    made = replay_of(invented({**RECIPE, "columns": keyed}))
    assert all("--persons persons.csv" in line for line in made.words[1:])
    pseudonyms = {"method": "pseudonyms", "params": {"column": "pid", "key": "project"}}
    named = {**COLUMNS, "pid": {"role": "direct-identifier"}}
    secret = replay_of(invented({**RECIPE, "columns": named, "steps": [pseudonyms, *RECIPE["steps"]]}))
    assert '--project-key "$PROJECT_KEY"' in secret.script


def test_the_file_that_comes_out_the_same_is_compared() -> None:
    assert released_name(invented().run) == "release.csv"
    assert released_name(invented(delimiter=";").run) == "release.parquet"


def test_of_other_formats_only_the_missing_texts_are_told() -> None:
    run = invented(format="xlsx", missing="NA").run
    assert json.loads(dict(written(run))["recipe.json"])["data"] == {"missing": "NA"}


def test_noise_that_a_budget_pays_for_is_never_drawn_again() -> None:
    histogram = {"method": "dp-histogram", "params": {"columns": ["illness"], "epsilon": 0.5}}
    counted = {"version": 1, "columns": {"illness": COLUMNS["illness"]}, "steps": [histogram], "goals": []}
    made = replay_of(invented(counted))
    assert (made.script, dict(made.files), made.words) == ("", {}, (replay.REFUSED,))
    unknown = invented({**RECIPE, "steps": [{"method": "no-such-method"}]})
    assert refusal(unknown.run) == replay.UNKNOWN


@pytest.mark.django_db
def test_the_script_makes_the_same_bytes_and_notices_others(tmp_path: Path, settings: Any) -> None:
    settings.STEWARD_DATA = tmp_path / "desk"
    settings.STEWARD_DATA.mkdir()
    run = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    data = tmp_path / "data.csv"
    data.write_bytes(factories.CSV)
    first = carried_out(tmp_path / "first", run, data)
    assert first.returncode == 0, first.stderr
    assert "other bytes: release.csv" in first.stderr  # the factories invent theirs
    released = (tmp_path / "first/replay/release.csv").read_bytes()
    run.release.refresh_from_db()
    again = factories.make_succeeded_run(run.release, content=released)
    second = carried_out(tmp_path / "second", again, data)
    assert second.stdout.count("same bytes") == 3
    assert "same bytes: release.csv" in second.stdout
    data.write_bytes(factories.CSV.replace(b"34", b"35"))
    refused = carried_out(tmp_path / "third", again, data)
    assert refused.returncode != 0
    assert not (tmp_path / "third/replay/release.csv").exists()


def carried_out(folder: Path, run: Run, data: Path) -> subprocess.CompletedProcess[str]:
    """Unpack and start it, as somebody does who downloaded it."""
    made = replay_of(factories.seen(run))
    with zipfile.ZipFile(io.BytesIO(made.archive())) as archive:
        archive.extractall(folder)
    told = {"PYTHON": sys.executable, "PYTHONPATH": str(settings.BASE_DIR), "PATH": os.environ["PATH"]}
    return subprocess.run(
        ["sh", str(folder / "replay/replay.sh"), cast(str, data.name)],
        cwd=data.parent, env=told, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
