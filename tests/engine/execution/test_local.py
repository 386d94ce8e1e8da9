"""Running a recipe: what leaves, in which order, and what the report says of it."""

import io
import json

import pyarrow.parquet as pq
import pytest

from tests.engine.running import figures_of, recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError, LimitExceeded, NoSolution
from worker.engine.execution.assessing import assess
from worker.engine.execution.local import Output, anonymize
from worker.engine.io.source import open_table
from worker.engine.reporting import Reporter
from worker.engine.tables.table import MemorySource

ROLES = {
    "name": {"role": "direct-identifier"},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "disease": {"role": "sensitive"},
    "note": {"role": "other"},
    "secret": {"role": "dropped"},
    "w": {"role": "weight"},
    "pid": {"role": "person-key"},
    "hh": {"role": "household-key"},
    "ok": {"role": "consent", "granted": ["yes"]},
}


def people(count=6):
    return table_of(
        [
            {
                "untagged": f"u{i}",
                "name": f"n{i}",
                "age": str(30 + i % 2),
                "disease": "flu" if i % 3 else "none",
                "note": f"note {count - i}",
                "secret": f"s{i}",
                "w": "2.5",
                "pid": f"p{i}",
                "hh": f"h{i // 2}",
                "ok": "yes" if i else "no",
            }
            for i in range(count)
        ]
    )


def test_only_released_roles_leave():
    released, report = run(recipe_of(ROLES), people())
    assert list(rows_of(released)[0]) == ["age", "disease", "note"]
    assert report["output"]["columns"] == 3
    assert report["input"]["columns"] == 10


def test_a_weight_leaves_when_the_steward_says_so():
    columns = {**ROLES, "w": {"role": "weight", "release": True}}
    assert list(rows_of(run(recipe_of(columns), people())[0])[0]) == ["age", "disease", "note", "w"]


def test_rows_without_consent_are_counted_and_gone():
    released, report = run(recipe_of(ROLES), people())
    assert report["input"] == {"rows": 6, "columns": 10, "sha256": None, "rows_without_consent": 1}
    assert report["output"]["rows"] == len(rows_of(released)) == 5
    assert "note 6" not in released.decode()


def test_the_release_is_sorted_by_its_values_unless_order_is_kept():
    rows = [{"a": "2", "b": "x"}, {"a": "10", "b": "z"}, {"a": "10", "b": "y"}]
    recipe = recipe_of({"a": {"role": "other"}, "b": {"role": "other"}})
    assert rows_of(run(recipe, table_of(rows))[0]) == sorted(rows, key=lambda r: (r["a"], r["b"]))
    assert rows_of(run(recipe, table_of(rows), keep_order=True)[0]) == rows
    backwards = run(recipe, table_of(rows[::-1]))[0]
    assert backwards == run(recipe, table_of(rows))[0]


def test_texts_leave_exactly_as_they_came():
    texts = ["01234", "1.50", " spaced ", "naïve", "9007199254740993", "NA", "1e5"]
    recipe = recipe_of({"x": {"role": "other"}})
    released, _ = run(recipe, table_of([{"x": t} for t in texts]), keep_order=True)
    assert [row["x"] for row in rows_of(released)] == texts


def test_steps_read_the_output_of_earlier_steps():
    """Ages 31–34 round to 30 and 35; only then are there two of each."""
    rows = [{"age": str(age)} for age in (31, 32, 33, 34)]
    columns = {"age": {"role": "quasi-identifier", "kind": "integer"}}
    steps = [("rounding", {"column": "age", "base": 5}), ("generalization", {})]
    released, report = run(recipe_of(columns, [("k-anonymity", {"k": 2})], steps), table_of(rows))
    assert [row["age"] for row in rows_of(released)] == ["30", "30", "35", "35"]
    assert report["steps"][1]["levels"] == {"age": 0}
    assert figures_of(report, "reidentification", "before")["unique_rows"] == 4
    assert figures_of(report, "reidentification")["smallest_class"] == 2


def test_two_outputs_hold_the_same_rows(tmp_path):
    csv, parquet = io.BytesIO(), io.BytesIO()
    recipe = recipe_of({"age": {"role": "quasi-identifier"}})
    report = anonymize(recipe, MemorySource(people()), [Output("csv", csv), Output("parquet", parquet)])
    rows = pq.read_table(io.BytesIO(parquet.getvalue())).to_pylist()
    assert rows == rows_of(csv.getvalue())
    assert set(report.files) == {"csv", "parquet"}
    assert report.output["sha256"] == report.files["csv"]["sha256"]


def test_parquet_in_row_groups_gives_what_memory_gives(tmp_path):
    """A file in many row groups, each with its own dictionary, and the same rows in memory."""
    table = people(500)
    plain = io.BytesIO()
    import pyarrow as pa

    arrow = pa.table({c.name: c.texts() for c in table.columns})
    pq.write_table(arrow, plain, row_group_size=70)
    plain.seek(0)
    columns = {k: v for k, v in ROLES.items() if k != "ok"}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 3})], [("generalization", {"suppression_limit": 0.1})])
    streamed = io.BytesIO()
    report = anonymize(recipe, open_table(plain), [Output("csv", streamed)])
    whole, told = run(recipe, table)
    assert streamed.getvalue() == whole
    assert report.as_dict()["goals"] == told["goals"]


def test_the_report_is_json_and_holds_every_part():
    _, report = run(recipe_of(ROLES, [("k-anonymity", {"k": 1})]), people(), input_sha256="ab")
    assert set(report) >= {
        "version",
        "input",
        "output",
        "engine",
        "steps",
        "goals",
        "measures",
        "privacy_loss",
    }
    assert report["input"]["sha256"] == "ab"
    assert report["privacy_loss"] == {
        "epsilon": 0.0,
        "delta": 0.0,
        "unit": "person",
        "neighbours": "add-remove",
    }
    assert report["engine"]["peak_memory_bytes"] > 0


def test_records_are_one_line_per_input_row():
    records = io.BytesIO()
    goals, steps = [("k-anonymity", {"k": 2})], [("generalization", {"suppression_limit": 0.4})]
    rows = [{"q": q, "s": s} for q, s in (("b", "x"), ("a", "x"), ("b", "y"), ("c", "x"))]
    columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}
    params = dict(steps[0][1], levels={"q": [0, 0]}, drop_suppressed=True)
    run(
        recipe_of(columns, goals, [("generalization", {**params, "suppression_limit": 0.5})]),
        table_of(rows),
        records=records,
    )
    lines = rows_of(records.getvalue())
    assert list(lines[0])[:8] == [
        *(
            "row",
            "class_size",
            "weighted_class_size",
            "individual_risk",
            "household_risk",
            "suda",
            "dis_suda",
        ),
        "l_s",
    ]
    assert [(line["row"], line["class_size"], line["l_s"]) for line in lines] == [
        ("1", "2", "2"),
        ("2", "0", "0"),
        ("3", "2", "2"),
        ("4", "0", "0"),
    ]
    assert lines[0]["individual_risk"] == lines[0]["individual-risk_risk"] == "0.5"
    assert (lines[0]["suda"], lines[1]["suda"]) == ("0", "0")
    assert (lines[0]["suda_suda"], lines[1]["suda_suda"]) == ("0", "")


def test_records_hold_the_scores_of_special_uniques():
    rows = [{"p": p, "q": q} for p, q in ("ax", "ay", "by", "by", "by", "cz", "cz")]
    records = io.BytesIO()
    columns = {name: {"role": "quasi-identifier"} for name in "pq"}
    assess(recipe_of(columns), MemorySource(table_of(rows)), records=records)
    lines = rows_of(records.getvalue())
    assert [line["suda"] for line in lines] == ["1", "1", "0", "0", "0", "0", "0"]
    # DIS by hand: m = 2, so that Q = 1.3; two rows of score 1, two rows in a pair, π = 0.01.
    assert float(lines[0]["dis_suda"]) == pytest.approx(1 / (1 + 2 * 99 / 2))
    assert lines[0]["dis_suda"] == lines[0]["suda_dis_suda"]


def test_records_of_keys_that_moved_are_empty():
    """Equal values of perturbed keys tell nobody's row: what counts them has nothing to say."""
    rows = [{"q": str(20 + n), "s": "x", "h": str(n // 2)} for n in range(12)]
    columns = {
        "q": {"role": "quasi-identifier", "kind": "integer"},
        "s": {"role": "sensitive"},
        "h": {"role": "household-key"},
    }
    records = io.BytesIO()
    run(recipe_of(columns, steps=[("noise", {"column": "q"})]), table_of(rows), records=records)
    empty = ("class_size", "individual_risk", "household_risk", "suda", "dis_suda", "l_s")
    for line in rows_of(records.getvalue()):
        assert all(line[name] == "" or line[name] == "0" for name in empty)
        assert not any(name.startswith(("individual-risk", "household-risk", "suda_")) for name in line)


def test_households_share_their_risk():
    rows = [{"q": q, "h": h} for q, h in (("a", "1"), ("a", "1"), ("b", "2"), ("b", "3"))]
    columns = {"q": {"role": "quasi-identifier"}, "h": {"role": "household-key"}}
    records = io.BytesIO()
    assess(recipe_of(columns), MemorySource(table_of(rows)), records=records)
    assert [float(line["household_risk"]) for line in rows_of(records.getvalue())] == pytest.approx(
        [0.75, 0.75, 0.5, 0.5]
    )


def test_weights_enter_the_individual_risk():
    rows = [{"q": q, "w": w} for q, w in (("a", "10"), ("b", "4"), ("b", "6"))]
    columns = {"q": {"role": "quasi-identifier"}, "w": {"role": "weight"}}
    records = io.BytesIO()
    assess(recipe_of(columns), MemorySource(table_of(rows)), records=records)
    lines = rows_of(records.getvalue())
    assert lines[0]["weighted_class_size"] == "10"
    # f = 1, p = 0.1: p/(1−p)·ln(1/p) ; f = 2, p = 0.2: p/(1−p) − (p/(1−p))²·ln(1/p)
    assert float(lines[0]["individual_risk"]) == pytest.approx(0.255842788)
    assert float(lines[1]["individual_risk"]) == pytest.approx(0.149410130)


def test_a_column_the_data_lack_is_refused_by_name():
    with pytest.raises(EngineError) as caught:
        run(recipe_of({"agee": {"role": "other"}}), people())
    assert (caught.value.code, caught.value.param) == ("no-such-column", "columns.agee")


def test_a_release_without_columns_is_refused():
    with pytest.raises(EngineError, match="no column leaves"):
        run(recipe_of({"pid": {"role": "person-key"}}), people())


def test_counting_beyond_the_memory_limit_is_refused():
    columns = {"note": {"role": "quasi-identifier"}}
    with pytest.raises(LimitExceeded, match="more memory"):
        run(recipe_of(columns, [("k-anonymity", {"k": 1})]), people(500), memory=1000)
    _, report = run(recipe_of({"note": {"role": "other"}}), people(500), memory=1000)
    states = {one["measure"]: one["state"] for one in report["measures"]}
    assert states["kept-columns"] == "too-large", "what nobody demands does not cost the release"


def test_a_time_limit_ends_the_work():
    with pytest.raises(LimitExceeded) as caught:
        run(recipe_of(ROLES), people(), reporter=Reporter(seconds=0.0))
    assert caught.value.code == "time-limit"


def test_persons_of_released_rows_are_numbered_for_verification():
    persons = io.BytesIO()
    rows = [{"q": q, "p": p} for q, p in (("b", "x"), ("a", "y"), ("b", "x"))]
    columns = {"q": {"role": "quasi-identifier"}, "p": {"role": "person-key"}}
    released, _ = run(recipe_of(columns), table_of(rows), persons=persons)
    numbers = [int.from_bytes(persons.getvalue()[i : i + 8], "little") for i in range(0, 24, 8)]
    assert [row["q"] for row in rows_of(released)] == ["a", "b", "b"]
    assert numbers[1] == numbers[2] != numbers[0]


def test_local_suppression_hides_few_cells():
    rows = [
        {"a": a, "b": b} for a, b in (("x", "1"), ("x", "1"), ("x", "2"), ("y", "2"), ("y", "3"), ("y", "3"))
    ]
    columns = {name: {"role": "quasi-identifier"} for name in "ab"}
    recipe = recipe_of(columns, [], [("suppression", {"k": 2, "importance": ["b"]})])
    released, report = run(recipe, table_of(rows), keep_order=True)
    assert [row["a"] for row in rows_of(released)] == ["x", "x", "*", "*", "y", "y"]
    assert [row["b"] for row in rows_of(released)] == ["1", "1", "2", "2", "3", "3"]
    assert report["steps"][0]["suppressed_cells"] == 2
    assert report["steps"][0]["suppressed_per_column"] == {"a": 2, "b": 0}


def test_local_suppression_without_anything_to_reach_is_refused():
    with pytest.raises(EngineError) as caught:
        run(recipe_of({"age": {"role": "quasi-identifier"}}, [], [("suppression", {})]), people())
    assert caught.value.param == "steps[0].params.k"


def test_local_suppression_of_too_few_rows_is_no_solution():
    recipe = recipe_of({"age": {"role": "quasi-identifier"}}, [], [("suppression", {"k": 50})])
    with pytest.raises(NoSolution):
        run(recipe, people())


def test_rounding_is_exact_and_half_to_even():
    texts = ["12", "13", "7.5", "2.5", "-12", "9007199254740993", "", "0"]
    columns = {"x": {"role": "other", "kind": "decimal"}}
    recipe = recipe_of(columns, [], [("rounding", {"column": "x", "base": 5})])
    released, _ = run(recipe, table_of([{"x": t} for t in texts]), keep_order=True)
    assert released.decode().split("\n")[1:9] == ["10", "15", "10", "0", "-10", "9007199254740995", '""', "0"]


def test_the_report_survives_json():
    _, report = run(recipe_of(ROLES), people())
    assert json.loads(json.dumps(report, allow_nan=False)) == report
