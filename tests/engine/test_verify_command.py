"""What `anonymize` promises and `verify` recomputes: persons, failed goals, columns that must not leave."""

import csv
import io
import json

import pytest

from tests.engine.running import recipe_of, table_of
from worker.__main__ import main
from worker.engine import verification
from worker.engine.execution import assessing
from worker.engine.tables.table import MemorySource

K = 4
COLUMNS = {
    "who": {"role": "person-key"},
    "age": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
    "name": {"role": "direct-identifier"},
}
# Every class has four rows; the people of age 40 are only two, who come twice.
ROWS = [(f"p{i}", 30, f"i{i % 3}", f"n{i}") for i in range(4)] + [
    (f"q{i % 2}", 40, "i1", "n") for i in range(4)
]


@pytest.fixture
def folder(tmp_path):
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(COLUMNS), *ROWS])
    return tmp_path


def said(folder, k=K, steps=(), columns=COLUMNS):
    path = folder / "recipe.json"
    goals = [{"goal": "k-anonymity", "params": {"k": k}}]
    whole = {"version": 1, "columns": columns, "goals": goals, "steps": list(steps), "measures": []}
    path.write_text(json.dumps(whole))
    return str(path)


GENERALIZED = [{"method": "generalization", "params": {"suppression_limit": 1}}]


def run(folder, command, recipe, *arguments):
    named = [str(folder / one) if "." in one else one for one in arguments]
    return main([command, recipe, *named])


def test_persons_are_written_and_counted(folder, capsys):
    recipe = said(folder, steps=GENERALIZED)
    out = ("data.csv", "--out", "out.csv", "--persons", "persons.bin")
    assert run(folder, "anonymize", recipe, *out) == 0
    assert (folder / "persons.bin").stat().st_size == 8 * len(ROWS)
    capsys.readouterr()
    assert run(folder, "verify", recipe, "out.csv", "--persons", "persons.bin") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["unit"] == "person"
    assert found["goals"][0]["achieved"] >= K


def test_what_fails_per_person_does_not_pass(folder, capsys):
    """Rows alone would look like enough."""
    recipe = said(folder)
    assert run(folder, "anonymize", recipe, "data.csv", "--out", "out.csv") == 3
    assert not (folder / "out.csv").exists()
    error = capsys.readouterr().err
    assert "k-anonymity" in error
    assert error.count("\n") == 1
    kept = ("data.csv", "--out", "out.csv", "--persons", "persons.bin", "--keep-failed", "--report", "r.json")
    assert run(folder, "anonymize", recipe, *kept) == 3
    assert (folder / "out.csv").exists()
    [goal] = json.loads((folder / "r.json").read_text())["goals"]
    assert (goal["achieved"], goal["holds"]) == (2, False)
    capsys.readouterr()
    assert run(folder, "verify", recipe, "out.csv", "--persons", "persons.bin") == 3
    assert json.loads(capsys.readouterr().out)["goals"][0]["achieved"] == 2
    assert run(folder, "verify", recipe, "out.csv") == 2
    assert "--persons" in capsys.readouterr().err


def test_a_failed_run_leaves_no_file_at_all(folder):
    recipe = said(folder)
    more = ("--records", "records.csv", "--persons", "persons.bin", "--report", "r.json")
    assert run(folder, "anonymize", recipe, "data.csv", "--out", "out.csv", *more) == 3
    assert {one.name for one in folder.iterdir()} == {"data.csv", "recipe.json"}


@pytest.mark.parametrize("content", [b"", b"\0" * 8 * 7, b"\0" * 8 * 9, b"\0" * 63])
def test_a_list_of_persons_that_does_not_fit_is_refused(folder, capsys, content):
    recipe = said(folder, k=1)
    assert run(folder, "anonymize", recipe, "data.csv", "--out", "out.csv") == 0
    (folder / "persons.bin").write_bytes(content)
    assert run(folder, "verify", recipe, "out.csv", "--persons", "persons.bin") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_persons_where_none_are_told_apart_are_refused(folder, capsys):
    columns = {name: part for name, part in COLUMNS.items() if name != "who"}
    recipe = said(folder, columns=columns)
    assert run(folder, "anonymize", recipe, "data.csv", "--out", "o.csv", "--persons", "p.bin") == 2
    assert "--persons" in capsys.readouterr().err
    assert run(folder, "anonymize", recipe, "data.csv", "--out", "o.csv") == 0
    capsys.readouterr()
    assert run(folder, "verify", recipe, "o.csv") == 0


def test_columns_that_must_not_leave_are_named(folder, capsys):
    columns = {name: part for name, part in COLUMNS.items() if name != "who"}
    recipe = said(folder, columns=columns)
    assert run(folder, "verify", recipe, "data.csv") == 3
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["unexpected_columns"] == ["who", "name"]
    assert found["direct_identifiers"] == ["name"]
    assert "'who', 'name'" in told.err
    assert found["holds"]


GOALS = [
    ("k-anonymity", {"k": 2}),
    ("l-diversity", {"column": "ill", "l": 2}),
    ("l-diversity", {"column": "ill", "l": 2, "variant": "entropy"}),
    ("l-diversity", {"column": "ill", "l": 2, "variant": "recursive", "c": 3}),
    ("t-closeness", {"column": "ill", "t": 0.3}),
    ("t-closeness", {"column": "pay", "t": 0.3, "distance": "ordered"}),
    ("beta-likeness", {"column": "ill", "beta": 1.5}),
    ("delta-disclosure", {"column": "ill", "delta": 1.5}),
    ("average-risk", {"limit": 0.3}),
    ("sample-uniqueness", {"limit": 0.1}),
    ("population-uniqueness", {"limit": 0.1, "model": "zayatz", "sampling_fraction": 0.07}),
]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("seed", range(3))
def test_verify_and_assess_agree_to_the_last_digit(goal, seed):
    """Two programs that share nothing, on the same file: one list of entries, spelled alike."""
    import numpy as np

    draw = np.random.default_rng(seed)
    rows = [
        {
            "age": "*" if draw.random() < 0.05 else str(draw.integers(20, 27)),
            "sex": "*" if draw.random() < 0.05 else "fm"[draw.integers(2)],
            "ill": f"i{draw.integers(7) % 5}" if draw.random() < 0.95 else "",
            "pay": str(draw.integers(1, 30) * 100),
        }
        for _ in range(401)
    ]
    columns = {name: {"role": "quasi-identifier", "kind": "text"} for name in ("age", "sex")}
    columns |= {"ill": {"role": "sensitive", "kind": "text"}, "pay": {"role": "sensitive", "kind": "integer"}}
    recipe = recipe_of(columns, [goal], [], [])
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(columns))
    writer.writeheader()
    writer.writerows(rows)
    assessed = assessing.assess(recipe, MemorySource(table_of(rows))).goals
    found = verification.examine(recipe, io.BytesIO(file.getvalue().encode()))
    names = ("goal", "required", "achieved", "holds", "violating_rows")
    [one], [other] = assessed, [one.as_dict() for one in found.results]
    assert json.dumps([one[n] for n in names]) == json.dumps([other[n] for n in names])
    assert (one["suppressed_rows"], one["suppressed_hold"]) == (
        found.suppressed_rows,
        found.suppressed_hold[0],
    )
