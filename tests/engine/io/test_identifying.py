"""How identifying a set of columns is, against a plain recount."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tests.engine.io.reading import taken_in
from worker.engine.io import identifying, tuples
from worker.engine.io.identifying import MOST_SETS_OF_FEW_ROWS, Scan, families
from worker.engine.io.sketch import Sketch, mixed
from worker.engine.io.tuples import Coded


def scanned(data: str) -> dict[frozenset[str], dict[str, Any]]:
    """The sets that a reading counts."""
    profile, _ = taken_in(data.encode())
    return {frozenset(entry["columns"]): entry for entry in profile.identifying}


def coded(values: ArrayLike) -> Coded:
    """A column of a batch."""
    labels, codes = np.unique(np.asarray(values, np.uint64), return_inverse=True)
    return Coded(codes.astype(np.int32), mixed(labels))


def recount(rows: Sequence[Sequence[object]], at: Sequence[int]) -> float:
    """The share of unique rows, plainly."""
    counts = Counter(tuple(row[i] for i in at) for row in rows)
    return sum(n == 1 for n in counts.values()) / len(rows)


def few(rows: Sequence[Sequence[object]], at: Sequence[int]) -> float:
    """The share of rows that fewer than four others equal, plainly."""
    counts = Counter(tuple(row[i] for i in at) for row in rows)
    return sum(n for n in counts.values() if n < 5) / len(rows)


@given(st.lists(st.tuples(*[st.sampled_from(["", "NA", "p", "q", "r"])] * 3), min_size=1, max_size=30))
@settings(deadline=None)
def test_shares_of_unique_rows(rows: list[tuple[str, ...]]) -> None:
    """Missing values of every code are one value."""
    scan = Scan(["x", "y", "z"])
    plain = [[cell.replace("NA", "") for cell in row] for row in rows]
    columns = [coded([ord(cell or "\0") for cell in column]) for column in zip(*plain, strict=True)]
    scan.see(dict(zip(["x", "y", "z"], columns, strict=True)))
    found = {tuple(one["columns"]): one["unique_share"] for one in scan.result()}
    sets = [s for size in (1, 2, 3) for s in combinations(range(3), size)]
    assert len(found) == len(sets)
    for chosen in sets:
        names = tuple("xyz"[i] for i in chosen)
        assert found[names] == pytest.approx(recount(plain, chosen), abs=1e-6)


def table(rows: int, sizes: Sequence[int]) -> tuple[list[list[int]], str]:
    """Columns of so many values each, as rows and as a file."""
    draw = np.random.default_rng(3)
    body = np.column_stack([draw.integers(0, size, rows) for size in sizes]).tolist()
    head = ",".join(f"c{number}" for number in range(len(sizes)))
    return body, "\n".join([head, *(",".join(map(str, row)) for row in body)])


@pytest.mark.parametrize("rows", [3000, 150_000])
def test_the_scan_of_the_profile_counts_as_a_recount_does(rows: int) -> None:
    """Of one batch or of several; also the sets of more columns than all subsets are counted of."""
    sizes = (2, 9, 7, 12, 3, 4, 5, 2, 6)
    body, data = table(rows, sizes)
    found = scanned(data)
    names = [f"c{number}" for number in range(len(sizes))]
    assert frozenset(names) in found
    assert len(found) == 2 ** len(sizes) - 1 if rows == 3000 else len(found) > 2**6
    checked = [*(s for s in found if len(s) >= 7), *list(found)[:: max(len(found) // 20, 1)]]
    for chosen in checked:
        at = [int(name[1:]) for name in chosen]
        entry = found[chosen]
        assert abs(entry["unique_share"] - recount(body, at)) <= max(2 * entry["error95"], 1e-6)
        assert abs(entry["few_share"] - few(body, at)) <= max(2 * entry["few_error95"], 1e-6)


def test_a_wide_table_has_the_sets_that_are_met_first() -> None:
    """All parts of the first few, everything together, one less and one more."""
    _, data = table(200, [3] * 60)
    found = scanned(data)
    names = [f"c{number}" for number in range(60)]
    assert frozenset(names) in found
    assert sum(len(chosen) == 59 for chosen in found) == 60
    assert {frozenset(pair) for pair in combinations(names[:6], 2)} <= set(found)
    assert len(found) <= MOST_SETS_OF_FEW_ROWS


def test_more_columns_never_single_out_fewer_rows() -> None:
    _, data = table(2000, [5] * 8)
    found = {chosen: entry["unique_share"] for chosen, entry in scanned(data).items()}
    for part, whole in product(found, repeat=2):
        assert not part < whole or found[part] <= found[whole]


@pytest.mark.parametrize("most", [1, 5, 63, 320])
@pytest.mark.parametrize(("likely", "possible"), [(0, 0), (1, 0), (0, 9), (4, 5), (12, 48), (60, 900)])
def test_families_are_sets_of_the_columns_once_each(most: int, likely: int, possible: int) -> None:
    names = [f"c{number}" for number in range(likely + possible)]
    found = families(names[:likely], names, most)
    assert len(found) == len(set(found)) <= most
    assert all(chosen and set(chosen) <= set(names) for chosen in found)
    assert len(found) == min(most, 2 ** len(names) - 1)


def test_the_stated_error_holds() -> None:
    """In nineteen of twenty tables, whatever the share."""
    within = []
    for seed in range(120):
        draw = np.random.default_rng(seed)
        values = draw.integers(0, (40_000, 100_000, 1_000_000)[seed % 3], 60_000).astype(np.uint64)
        sketch = Sketch(2048)
        for part in np.array_split(mixed(values + np.uint64(seed << 32)), 4):
            sketch.add(part, np.ones(len(part), np.int64))
        truth = np.count_nonzero(np.unique(values, return_counts=True)[1] == 1) / len(values)
        within.append(abs(sketch.unique_share - truth) <= sketch.unique_error)
        assert sketch.unique_error < 0.1
    assert np.mean(within) >= 0.93


def test_estimates_are_close_when_there_are_too_many_values() -> None:
    numbers = mixed(np.arange(200_000, dtype=np.uint64))
    sketch = Sketch(4096)
    for part in np.array_split(np.concatenate([numbers, numbers[:100_000]]), 10):
        sketch.add(part, np.ones(len(part), np.int64))
    assert not sketch.is_exact
    assert sketch.distinct == pytest.approx(200_000, rel=0.1)
    assert sketch.unique_share == pytest.approx(1 / 3, abs=0.05)


def test_sets_around_one_that_tells_all_rows_apart_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the one singles out bounds them; sets without it are counted as ever."""
    monkeypatch.setattr(tuples, "EXACT", 1 << 10)
    monkeypatch.setattr(tuples, "SAMPLED", 1 << 9)
    draw = np.random.default_rng(8)
    rows = 3000
    a, b, key = draw.integers(0, 5, rows), draw.integers(0, 40, rows), np.arange(rows)
    a[7], b[7] = a[6], b[6]
    columns = {"key": key, "a": a, "b": b, "nearly": np.where(key == 7, 6, key)}
    scan = Scan(list(columns))
    for part in np.array_split(key, 3):
        scan.see({name: coded(values[part]) for name, values in columns.items()})
    found = {frozenset(names): share for names, (share, _) in shares(scan).items()}
    others = {frozenset(names) for size in (1, 2, 3) for names in combinations(["a", "b", "nearly"], size)}
    assert found.keys() == {frozenset(["key"])} | others
    assert found[frozenset(["key"])] == pytest.approx(1, abs=0.05)


def test_a_scan_of_nothing_is_empty() -> None:
    scan = Scan([])
    scan.see({})
    assert scan.result() == ()


def shares(scan: Scan) -> dict[tuple[str, ...], tuple[float, bool]]:
    return {tuple(one["columns"]): (one["unique_share"], one["is_exact"]) for one in scan.result()}


@pytest.mark.parametrize("cells", [1, 1 << 11, 1 << 16])
def test_sets_are_counted_alike_by_codes_and_by_rows(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row or by its tuples, in one batch or in many, on one thread or on several."""
    draw = np.random.default_rng(5)
    sizes = zip("abcd", (3, 40, 90, 700), strict=True)
    columns = {name: draw.integers(0, size, 90_000) for name, size in sizes}
    whole, parts = Scan(list("abcd")), Scan(list("abcd"))
    whole.see({name: coded(values) for name, values in columns.items()})
    monkeypatch.setattr(tuples, "CELLS", cells)
    monkeypatch.setattr(identifying, "THREADS", 3)
    for part in np.array_split(np.arange(90_000), 7)[::-1]:
        parts.see({name: coded(values[part]) for name, values in columns.items()})
    assert shares(whole) == shares(parts)
    assert {exact for _, exact in shares(whole).values()} == {True, False}
    for names in (("a", "b"), ("b", "c"), ("a", "b", "c")):
        rows = list(zip(*(columns[name].tolist() for name in names), strict=True))
        truth = recount(rows, range(len(names)))
        assert shares(parts)[names][0] == pytest.approx(truth, abs=1e-6 if shares(parts)[names][1] else 0.02)
