"""Answers as they stand in the file, with so little noise that they can be compared with the truth."""

import io
import statistics
from collections import Counter

import pytest
from scipy.stats import binom

from tests.engine.methods.judging import ALPHA
from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.errors import EngineError

EXACTLY = 1_000_000
COLUMNS = {
    "who": {"role": "person-key"},
    "sex": {"role": "other", "categories": ["m", "f"]},
    "age": {"role": "other", "kind": "integer", "bounds": [0, 100], "bin_width": 1},
    "pay": {"role": "sensitive", "kind": "decimal", "bounds": [0, 500], "bin_width": 50},
    "free": {"role": "other"},
}
ROWS = [
    {
        "who": f"p{i}",
        "sex": "fm"[i % 3 == 0],
        "age": str((i * 37) % 90),
        "pay": f"{(i * i) % 450}.25" if i % 10 else "",
        "free": f"x{i}",
    }
    for i in range(500)
]


def asked(rows=ROWS, **params):
    exact = io.BytesIO()
    recipe = recipe_of(COLUMNS, [], [("dp-query", {"epsilon": EXACTLY, **params})], [])
    released, report = run(recipe, table_of(rows), exact=exact)
    return rows_of(released), report, rows_of(exact.getvalue())


def where(column, op, *values):
    return {"column": column, "op": op, "values": list(values)}


def ages(sex=None):
    return sorted(int(row["age"]) for row in ROWS if sex in (None, row["sex"]))


def pays():
    return [float(row["pay"]) for row in ROWS if row["pay"]]


def answers(**params):
    return [row["answer"] for row in asked(**params)[0]]


def test_counts():
    assert answers(ask="count") == ["500"]
    assert answers(ask="count", by=["sex"]) == ["167", "333"]
    wanted = [a for a in ages("f") if 20 <= a <= 40]
    conditions = [where("sex", "is", "f"), where("age", "between", 20, 40)]
    assert answers(ask="count", where=conditions) == [str(len(wanted))]
    assert answers(ask="count", where=[where("sex", "is-not", "f"), where("age", "below", 10)]) == [
        str(sum(a < 10 for a in ages("m")))
    ]
    for op, test in (
        ("above", lambda a: a > 30),
        ("at-least", lambda a: a >= 30),
        ("at-most", lambda a: a <= 30),
    ):
        assert answers(ask="count", where=[where("age", op, 30)]) == [str(sum(map(test, ages())))]


def test_a_histogram_of_bins():
    rows, _, _ = asked(ask="histogram", column="pay", by=["sex"])
    assert list(rows[0]) == ["sex", "pay", "answer", "error95"]
    assert len(rows) == 2 * 10
    true = Counter((row["sex"], int(float(row["pay"]) // 50)) for row in ROWS if row["pay"])
    assert [int(row["answer"]) for row in rows] == [true[s, b] for s in "mf" for b in range(10)]


def test_sums_and_means():
    assert float(answers(ask="sum", column="age")[0]) == sum(ages())
    assert float(answers(ask="sum", column="pay")[0]) == pytest.approx(sum(pays()))
    assert float(answers(ask="mean", column="age")[0]) == pytest.approx(statistics.mean(ages()), abs=0.01)
    found = answers(ask="mean", column="age", by=["sex"])
    assert [float(one) for one in found] == pytest.approx(
        [statistics.mean(ages("m")), statistics.mean(ages("f"))], abs=0.01
    )
    assert float(answers(ask="variance", column="age")[0]) == pytest.approx(
        statistics.pvariance(ages()), abs=0.01
    )


def test_sums_of_large_numbers_fit_and_are_not_cut_off():
    """Squares of these add up to more than 64 bits hold."""
    columns = {"pay": {"role": "other", "kind": "integer", "bounds": [0, 10**13]}}
    pays = [number * 10**10 + 1 for number in range(1000)]
    rows = table_of([{"pay": str(pay)} for pay in pays])

    def found(ask):
        step = ("dp-query", {"ask": ask, "column": "pay", "epsilon": EXACTLY})
        released, _ = run(recipe_of(columns, [], [step], []), rows)
        [row] = rows_of(released)
        return float(row["answer"]), float(row["error95"])

    for ask, true in (
        ("sum", sum(pays)),
        ("mean", statistics.mean(pays)),
        ("variance", statistics.pvariance(pays)),
    ):
        answer, error = found(ask)
        assert abs(answer - true) <= error + 1e-4 * true


def test_order():
    assert float(answers(ask="median", column="age")[0]) == pytest.approx(statistics.median(ages()), abs=1)
    assert float(answers(ask="quantile", column="age", share="0.9")[0]) == pytest.approx(ages()[450], abs=1)
    assert float(answers(ask="maximum", column="age")[0]) == pytest.approx(ages()[495], abs=1)
    assert float(answers(ask="minimum", column="age", extreme="0.1")[0]) == pytest.approx(ages()[50], abs=1)


def test_the_most_common():
    assert answers(ask="most-common", column="sex") == ["f"]
    skewed = [{**row, "age": str(i % 7 if i % 2 else 50 if i % 4 else 60)} for i, row in enumerate(ROWS)]
    assert set(answers(rows=skewed, ask="top-k", column="age", top=2)) == {"50", "60"}


def test_values_beyond_the_bounds_count_as_the_bound_and_missing_ones_do_not():
    rows = [{**ROWS[0], "who": str(i), "pay": pay} for i, pay in enumerate(["9999", "-5", "", "none", "100"])]
    assert answers(rows=rows, ask="sum", column="pay") == ["600"]
    assert answers(rows=rows, ask="mean", column="pay") == ["200"]


def test_a_person_with_a_thousand_rows_moves_the_answer_by_the_bound():
    rows = [*ROWS, *({**ROWS[0], "who": "greedy", "age": "100"} for _ in range(1000))]
    assert answers(rows=rows, ask="count") == ["501"]
    assert float(answers(rows=rows, ask="sum", column="age", rows_per_person=3)[0]) == sum(ages()) + 300


def test_a_sample_and_a_perturbed_copy_for_comparison():
    [sampled] = answers(ask="count", on="sample", sample_share="0.5")
    assert 150 < int(sampled) < 350
    plain = answers(ask="histogram", column="sex")
    changed = answers(ask="histogram", column="sex", on="perturbed", disturbance="0.8")
    assert sum(map(int, plain)) == sum(map(int, changed)) == 500
    assert plain != changed
    [moved] = answers(ask="mean", column="age", on="perturbed", disturbance="0.2")
    assert float(moved) == pytest.approx(statistics.mean(ages()), abs=10)
    assert moved != answers(ask="mean", column="age")[0]


def test_nobody_there():
    rows = ROWS[:1]
    nobody = [where("age", "above", 99)]
    assert answers(rows=rows, ask="count", where=nobody) == ["0"]
    assert answers(rows=rows, ask="mean", column="age", where=nobody) == [""]
    assert answers(rows=rows, ask="median", column="age", where=nobody)[0] != ""


def test_what_may_leave_and_what_stays():
    rows, report, exact = asked(ask="count", by=["sex"], epsilon=0.1)
    assert [row["exact"] for row in exact] == ["167", "333"]
    assert "exact" not in rows[0]
    step = report["public"]["steps"][0]
    assert step["question"] == "How many rows, for each sex"
    assert "sensitivity 1" in step["explanation"][0]
    assert report["privacy_loss"]["epsilon"] == 0.1
    assert {row["error95"] for row in rows} == {"30"}


def test_the_stated_error_of_a_mean_holds():
    rounds, inside = 300, 0
    for _ in range(rounds):
        [row] = asked(ask="mean", column="age", epsilon=0.5)[0]
        inside += abs(float(row["answer"]) - statistics.mean(ages())) <= float(row["error95"])
    assert inside >= binom.ppf(ALPHA, rounds, 0.93)


def test_a_refusal_names_the_parameter():
    with pytest.raises(EngineError) as caught:
        asked(ask="sum", column="free")
    assert caught.value.param == "steps[0].params.column"
