"""How identifying a set of columns is, against a plain recount."""

import io
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.io.reading import taken_in
from worker.engine.io.identifying import Scan, identifying, parts_of
from worker.engine.io.sketch import Sketch, mixed
from worker.engine.io.source import open_table


@given(st.lists(st.tuples(*[st.sampled_from(["", "NA", "p", "q", "r"])] * 3), min_size=1, max_size=30))
@settings(deadline=None)
def test_shares_of_unique_rows(rows: list[tuple[str, ...]]) -> None:
    """Missing values of every code are one value."""
    data = "x,y,z\n" + "".join(",".join(row) + "\n" for row in rows)
    table = open_table(io.BytesIO(data.encode()), {"delimiter": ",", "missing": ["", "NA"]})
    names = ("x", "y", "z")
    plain = [[cell.replace("NA", "") for cell in row] for row in rows]
    found = identifying(table, names)
    sets = [s for size in (1, 2, 3) for s in combinations(range(3), size)]
    assert [entry["columns"] for entry in found] == [[names[i] for i in s] for s in sets]
    for entry, chosen in zip(found, sets, strict=True):
        counts = Counter(tuple(row[i] for i in chosen) for row in plain)
        assert entry["unique_share"] == pytest.approx(
            sum(n == 1 for n in counts.values()) / len(rows), abs=1e-6
        )


def test_the_scan_of_the_profile_counts_the_same() -> None:
    draw = np.random.default_rng(3)
    columns = [draw.integers(0, n, 3000) for n in (2, 90, 7, 12, 30)]
    data = "sex,age,region,job,nothing\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)
    )
    profile, source = taken_in(data.encode())
    scanned = {tuple(entry["columns"]): entry["unique_share"] for entry in profile.identifying}
    assert len(scanned) == 2**5 - 1
    for entry in identifying(source, ["sex", "age", "region", "job", "nothing"]):
        assert scanned[tuple(entry["columns"])] == entry["unique_share"]
    for column in profile.columns:
        assert scanned[(column["name"],)] == column["unique_share"]


@pytest.mark.parametrize("width", [7, 8, 20])
def test_any_number_of_columns_gives_the_sets_that_single_people_out(width: int) -> None:
    """Two columns of many identify everybody; no other single one tells anything."""
    names = [f"c{i}" for i in range(width)]
    lines = [",".join([str(i // 10), *["x"] * (width - 2), str(i % 10)]) for i in range(100)]
    _, source = taken_in("\n".join([",".join(names), *lines]).encode())
    found = {tuple(entry["columns"]): entry["unique_share"] for entry in identifying(source, names)}
    assert found[tuple(names)] == 1.0
    assert found[names[0], names[-1]] == 1.0
    assert found[(names[0],)] == found[names[0], names[1]] == 0.0
    assert found[tuple(names[1:])] == 0.0, "without the first nobody is alone"
    assert {(one,) for one in names} <= set(found)


def test_the_work_is_bounded_and_the_parts_that_matter_are_always_there() -> None:
    names = [f"c{i}" for i in range(30)]
    few, many = parts_of(names, 0), parts_of(names, 10_000)
    assert len(few) == 61
    assert len(many) == 10_000
    assert set(few) <= set(many)
    assert len(set(many)) == len(many)


def test_estimates_are_close_when_there_are_too_many_values() -> None:
    numbers = mixed(np.arange(200_000, dtype=np.uint64))
    sketch = Sketch(4096)
    for part in np.array_split(np.concatenate([numbers, numbers[:100_000]]), 10):
        sketch.add(part)
    assert not sketch.is_exact
    assert sketch.distinct == pytest.approx(200_000, rel=0.1)
    assert sketch.unique_share == pytest.approx(1 / 3, abs=0.05)


def test_a_scan_of_nothing_is_empty() -> None:
    scan = Scan([])
    scan.see({})
    assert scan.result() == ()
