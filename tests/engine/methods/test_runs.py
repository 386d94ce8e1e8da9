"""Perturbation from recipe to released bytes, as the command line runs it."""

import csv
import json

import numpy as np
import pytest

from tests.engine.running import recipe_of, run
from worker.__main__ import main
from worker.engine import catalogue
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.errors import EngineError
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Table

NOISE = {"method": "noise", "params": {"column": "income", "amount": 0.5}}


@pytest.fixture
def files(tmp_path):
    """A recipe that can be given steps, and its data."""

    def write(*steps):
        columns = {
            "income": {"role": "sensitive", "kind": "decimal"},
            "sex": {"role": "other", "kind": "categorical"},
            "name": {"role": "direct-identifier", "kind": "text"},
        }
        recipe = {"version": 1, "columns": columns, "steps": list(steps), "measures": []}
        (tmp_path / "recipe.json").write_text(json.dumps(recipe))
        table = sample_table()
        rows = zip(*(table[name].texts() for name in columns), strict=True)
        with (tmp_path / "data.csv").open("w") as file:
            csv.writer(file).writerows([list(columns), *rows])
        return tmp_path

    return write


def anonymize(folder, *more) -> tuple[int, list[dict], dict]:
    out, report = folder / "out.csv", folder / "report.json"
    arguments = ["anonymize", folder / "recipe.json", folder / "data.csv", "--out", out, "--report", report]
    code = main([str(one) for one in (*arguments, "--keep-order", *more)])
    if code:
        return code, [], {}
    with out.open() as file:
        return code, list(csv.DictReader(file)), json.loads(report.read_text())


def test_a_seed_repeats_a_run_and_is_written_into_the_report(files):
    folder = files(NOISE)
    first, second = anonymize(folder, "--seed", "7"), anonymize(folder, "--seed", "7")
    assert first[1] == second[1]
    assert first[2]["engine"]["seed"] == 7
    assert any("trial" in warning for warning in first[2]["warnings"])
    other = anonymize(folder)
    assert other[1] != first[1]
    assert "seed" not in other[2]["engine"]
    assert not other[2]["warnings"]


def test_the_report_holds_what_was_counted_and_the_codebook(files):
    pram = {"method": "pram", "params": {"column": "sex", "categories": ["female", "male"], "keep": 0.7}}
    _, rows, report = anonymize(files({**NOISE, "params": {**NOISE["params"], "lower": 1500}}, pram))
    noise, changed = report["steps"]
    assert noise["clipped_cells"] > 0
    assert min(float(row["income"]) for row in rows) == 1500
    assert "variance" in " ".join(noise["codebook"])
    assert changed["released"] == [sum(row["sex"] == one for row in rows) for one in ("female", "male")]
    assert len(changed["estimated"]) == len(changed["standard_errors"]) == 2


def test_the_project_key_comes_from_a_file(files, capsys):
    step = {"method": "pseudonyms", "params": {"column": "name", "key": "project"}}
    folder = files(step)
    (folder / "key").write_bytes(b"k" * 32)
    with_key = ("--project-key", folder / "key")
    _, rows, _ = anonymize(folder, *with_key)
    assert [row["name"] for row in rows] == [row["name"] for row in anonymize(folder, *with_key)[1]]
    assert len({row["name"] for row in rows}) == 240
    assert anonymize(folder)[0] == 2
    (folder / "key").write_bytes(b"short")
    assert anonymize(folder, *with_key)[0] == 2
    assert "32" in capsys.readouterr().err


def test_local_privacy_takes_no_seed(files):
    params = {"column": "sex", "categories": ["female", "male"]}
    folder = files({"method": "randomized-response", "params": params})
    assert anonymize(folder, "--seed", "1")[0] == 2
    assert anonymize(folder)[0] == 0


def test_a_step_after_noise_works_on_the_noisy_values(files):
    swap = {"method": "rank-swapping", "params": {"columns": ["income"], "percent": 10}}
    _, noisy, _ = anonymize(files(NOISE), "--seed", "3")
    _, both, _ = anonymize(files(NOISE, swap), "--seed", "3")
    assert sorted(row["income"] for row in noisy) == sorted(row["income"] for row in both)
    assert noisy != both


@pytest.mark.parametrize("cls", [c for c in catalogue.methods().values() if c.presets()])
def test_every_perturbing_method_has_a_codebook_and_presets_that_fit(cls):
    for example in cls.examples():
        goals = [("k-anonymity", {"k": 2})] if cls.enforces else []
        recipe = recipe_of(sample_columns(), goals, [(cls.slug, example.params())], [])
        _, report = run(recipe, sample_table())
        said = report["steps"][0]["codebook"]
        assert said
        assert all(line.endswith(".") for line in said)
        for preset in cls.presets():
            fitting = {k: v for k, v in example.params().items() if k not in ("epsilon", "keep")}
            assert cls.problems({**fitting, **preset.params}) == ()
            assert preset.effect.endswith(".")


@pytest.mark.parametrize("slug", ["rounding", "top-bottom-coding", "suppression"])
def test_methods_without_ready_made_settings_tell_analysts_too(slug):
    for example in catalogue.methods()[slug].examples():
        goals = [("k-anonymity", {"k": 2})] if example.enforces else []
        _, report = run(recipe_of(sample_columns(), goals, [(slug, example.params())], []), sample_table())
        said = report["steps"][0]["codebook"]
        assert len(said) in (2, 3)
        assert all(line.endswith(".") for line in said)


def test_released_numbers_are_sorted_and_read_like_numbers():
    table = Table([NumberColumn("x", Kind.DECIMAL, np.arange(1000.0) / 4, 2)])
    recipe = recipe_of({"x": {"role": "other", "kind": "decimal"}}, [], [("noise", {"column": "x"})], [])
    released, _ = run(recipe, table)
    texts = released.decode().split()[1:]
    assert len(texts) == 1000
    assert all(np.isfinite(float(text)) for text in texts)


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"columns": ["income", "income"]}, "columns"),
        ({"columns": ["sex"]}, "columns"),
        ({"columns": ["income"], "predictors": ["nobody"]}, "predictors"),
    ],
)
def test_a_refusal_names_the_step_and_its_parameter(params, param):
    columns = {"income": {"role": "other", "kind": "decimal"}, "sex": {"role": "other"}}
    steps = [("noise", {"column": "income"}), ("shuffling", params)]
    with pytest.raises(EngineError) as caught:
        run(recipe_of(columns, [], steps, []), sample_table())
    assert caught.value.param == f"steps[1].params.{param}"
    assert caught.value.step == 1
    assert not caught.value.message.startswith(param)
