"""Goals recomputed from released bytes agree with a plain recount, however the file is written and read."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.verification import oracle
from worker.engine.errors import EngineError
from worker.engine.verification import Verification, examine, verify
from worker.engine.verification.verify import checkers

NAMES = ("age", "zip", "disease", "note")
VALUES = st.sampled_from(["*", "", "1", "2", "[3, 4[", "é", "a\nb", 'q"', "=1"])
TABLES = st.lists(st.tuples(VALUES, st.sampled_from(["*", "x", ""]), VALUES, VALUES), max_size=40)


def csv_of(rows: Sequence[Sequence[str]], names: Sequence[str] = NAMES) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return buffer.getvalue().encode()


def parquet_of(rows: Sequence[Sequence[str]], names: Sequence[str] = NAMES) -> bytes:
    buffer = io.BytesIO()
    columns = {name: pa.array([row[i] or None for row in rows], pa.string()) for i, name in enumerate(names)}
    pq.write_table(pa.table(columns), buffer, row_group_size=7)
    return buffer.getvalue()


def recipe(*goals: dict[str, Any], quasi: Sequence[str] = ("age", "zip")) -> dict[str, Any]:
    columns = {name: {"role": "quasi-identifier"} for name in quasi}
    columns |= {"disease": {"role": "sensitive"}, "note": {"role": "other"}}
    return {"version": 1, "columns": columns, "goals": list(goals)}


def k_goal(k: int) -> dict[str, Any]:
    return {"goal": "k-anonymity", "params": {"k": k}}


def l_goal(number: int, **params: Any) -> dict[str, Any]:
    return {"goal": "l-diversity", "params": {"column": "disease", "l": number, **params}}


def compare(rows: Sequence[Sequence[str]], k: int, number: int, params: dict[str, Any], **how: Any) -> None:
    plain = [dict(zip(NAMES, row, strict=True)) for row in rows]
    found, hidden = oracle.classes(plain, ("age", "zip"))
    people = how.pop("people", None)
    expected_k = oracle.k_anonymity(found, k, people)
    details = (params.get("variant", "distinct"), params.get("c", 3.0), params.get("benign", ()), people)
    expected_l = oracle.l_diversity(plain, found, "disease", number, *details)
    sidecar = None if people is None else io.BytesIO(np.array(people, "<i8").tobytes())
    for file in (csv_of(rows), parquet_of(rows)):
        seen = examine(recipe(k_goal(k), l_goal(number, **params)), io.BytesIO(file), persons=sidecar, **how)
        first, second = seen.results
        assert (first.achieved, first.violating_rows, first.holds) == (*expected_k, expected_k[1] == 0)
        assert second.achieved == pytest.approx(expected_l[0])
        assert (second.violating_rows, second.holds) == (expected_l[1], expected_l[1] == 0)
        assert (seen.rows, seen.suppressed_rows) == (len(rows), len(hidden))
        assert seen.unit == ("row" if people is None else "person")


@given(TABLES, st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_distinct(rows: list[tuple[str, ...]], k: int, number: int) -> None:
    compare(rows, k, number, {})


@given(TABLES, st.integers(2, 4), st.floats(0.5, 4), st.lists(VALUES, max_size=2))
@settings(max_examples=60, deadline=None)
def test_recursive_and_benign(rows: list[tuple[str, ...]], number: int, c: float, benign: list[str]) -> None:
    compare(rows, 2, number, {"variant": "recursive", "c": c, "benign": benign})


@given(TABLES, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_entropy(rows: list[tuple[str, ...]], number: int) -> None:
    compare(rows, 2, number, {"variant": "entropy"})


@given(TABLES)
@settings(max_examples=40, deadline=None)
def test_in_parts_it_is_the_same(rows: list[tuple[str, ...]]) -> None:
    compare(rows, 2, 2, {}, most_tuples=6)


@given(TABLES, st.data())
@settings(max_examples=40, deadline=None)
def test_persons_are_counted_once(rows: list[tuple[str, ...]], data: st.DataObject) -> None:
    length = len(rows)
    people = data.draw(st.lists(st.integers(-3, 3), min_size=length, max_size=length))
    compare(rows, 2, 2, {}, people=people)


def seen(rows: Sequence[Sequence[str]], *goals: dict[str, Any], **how: Any) -> Verification:
    return examine(recipe(*goals), io.BytesIO(csv_of(rows)), **how)


def test_a_missing_value_is_a_value() -> None:
    """Grouping that drops missing keys would say 5."""
    rows = [("1", "x", "flu", "")] * 5 + [("", "x", "flu", "")]
    (result,) = seen(rows, k_goal(2)).results
    assert (result.achieved, result.holds, result.violating_rows) == (1, False, 1)


def test_suppressed_rows_are_exempt_and_judged_beside_the_classes() -> None:
    rows = [("1", "x", "flu", ""), ("1", "x", "cold", ""), ("*", "*", "flu", "")]
    found = seen(rows, k_goal(2), l_goal(2))
    assert found.holds
    assert [result.achieved for result in found.results] == [2, 2]
    assert found.suppressed_rows == 1
    assert found.suppressed_hold == (False, False)


def test_only_suppressed_rows_are_a_class() -> None:
    found = seen([("*", "*", "flu", "")] * 3, k_goal(4))
    assert found.suppressed_rows == 0
    assert [(result.achieved, result.holds) for result in found.results] == [(3, False)]


def test_a_star_in_one_column_alone_is_no_suppression() -> None:
    found = seen([("*", "x", "flu", ""), ("1", "x", "flu", "")], k_goal(2))
    assert [result.violating_rows for result in found.results] == [2]


def test_no_rows_violate_nothing() -> None:
    found = seen([], k_goal(5), l_goal(3))
    assert [(result.achieved, result.holds) for result in found.results] == [(None, True), (None, True)]


def test_without_quasi_identifiers_all_rows_are_one_class() -> None:
    rows = [("1", "x", "flu", ""), ("2", "y", "cold", "")]
    (result,) = verify(recipe(k_goal(2), quasi=()), io.BytesIO(csv_of(rows)))
    assert (result.achieved, result.holds) == (2, True)


def test_a_goal_may_judge_a_quasi_identifier() -> None:
    rows = [("1", "x", "flu", ""), ("1", "x", "cold", "")]
    goal = {"goal": "l-diversity", "params": {"column": "age", "l": 1}}
    (result,) = verify(recipe(goal), io.BytesIO(csv_of(rows)))
    assert (result.achieved, result.column) == (1, "age")


def test_columns_that_must_not_leave_are_pointed_out() -> None:
    rows = [("1", "x", "flu", "", "Ann", "7")] * 2
    said = recipe(k_goal(2)) | {"steps": [{"method": "pseudonyms", "params": {"columns": ["pid"]}}]}
    said["columns"] |= {"pid": {"role": "direct-identifier"}, "name": {"role": "direct-identifier"}}
    file = csv_of(rows, (*NAMES, "name", "pid"))
    assert examine(said, io.BytesIO(file)).unexpected == (5,)


def test_a_quasi_identifier_with_a_defused_name_is_found() -> None:
    file = io.BytesIO(b"'=age,disease\n1,flu\n2,flu\n")
    (result,) = verify(recipe(k_goal(2), quasi=("=age",)), file)
    assert result.achieved == 1


def test_the_delimiter_is_the_one_that_gives_the_columns() -> None:
    file = b"age,disease,a;b;c\n1,flu,x\n1,cold,x\n"
    (result,) = verify(recipe(k_goal(2), quasi=("age",)), io.BytesIO(file))
    assert result.achieved == 2
    (result,) = verify(recipe(k_goal(2), quasi=("age",)), io.BytesIO(file.replace(b",", b"|")))
    assert result.achieved == 2


def test_a_file_of_another_tool_may_have_another_encoding() -> None:
    file = io.BytesIO("age;disease\né;flu\né;cold\n".encode("cp1252"))
    assert verify(recipe(k_goal(2), quasi=("age",)), file)[0].holds


def test_a_missing_sensitive_column_is_refused() -> None:
    with pytest.raises(EngineError) as caught:
        verify(recipe(l_goal(2)), io.BytesIO(b"age,zip\n1,2\n"))
    assert (caught.value.code, caught.value.param) == ("verify-column", "columns.disease")


@pytest.mark.parametrize(
    ("goal", "param"),
    [
        ({"goal": "secrecy", "params": {}}, "goals[0]"),
        ({"goal": "k-anonymity", "params": {"k": 0}}, "goals[0].params.k"),
        ({"goal": "k-anonymity", "params": {"missing": "odd"}}, "goals[0].params.missing"),
        (
            {"goal": "l-diversity", "params": {"column": "disease", "variant": "odd"}},
            "goals[0].params.variant",
        ),
    ],
)
def test_what_cannot_be_recomputed_is_refused(goal: dict[str, Any], param: str) -> None:
    with pytest.raises(EngineError) as caught:
        verify(recipe(goal), io.BytesIO(csv_of([])))
    assert caught.value.param == param


@pytest.mark.parametrize("length", [0, 8, 24])
def test_a_list_of_persons_of_another_length_is_refused(length: int) -> None:
    rows = [("1", "x", "flu", "")] * 2
    with pytest.raises(EngineError) as caught:
        seen(rows, k_goal(2), persons=io.BytesIO(bytes(length)))
    assert caught.value.code == "verify-persons"


def test_every_goal_can_be_recomputed() -> None:
    from worker.engine import catalogue

    assert set(catalogue.goals()) <= set(checkers())
