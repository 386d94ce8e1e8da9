"""How far synthetic rows with differential privacy are from the data, beside independent columns.

Nine columns of text with all their categories declared and no cell for missing values. The distance is the
total variation between shares, as a mean over the columns and over all pairs of columns, and over several
files. Beside it stand rows whose columns are drawn each by itself from the exact counts: without privacy,
and without any association.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.adult import NAMES, adult
from benchmarks.table import Result
from worker.engine.execution.local import Output, anonymize
from worker.engine.randomness import key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.column import Column
from worker.engine.tables.table import MemorySource, Table

if TYPE_CHECKING:
    from benchmarks.suite import Setting

FILES = 5
MOST = {1.0: (0.012, 0.06), 0.1: (0.06, 0.14)}
"""For each ε: the largest distance of columns, and of pairs."""
AGAINST = "independent draws from exact counts"
Codes = np.ndarray[Any, np.dtype[np.int64]]


def synthetic_rows(setting: Setting) -> list[Result]:
    """Columns and pairs at each ε."""
    columns = adult(setting.data).columns
    labels = {name: sorted(set(columns[name])) for name in NAMES}
    table = Table([Column.of_texts(name, columns[name]) for name in NAMES], 0, len(columns[NAMES[0]]))
    true = [_coded(columns[name], labels[name]) for name in NAMES]
    sizes = [len(labels[name]) for name in NAMES]
    reference = _mean([_distances(_independent(true, sizes, seed), true, sizes) for seed in range(FILES)])
    results = []
    for epsilon, most in MOST.items():
        files = [_invented(table, labels, epsilon, seed) for seed in range(FILES)]
        ours = _mean([_distances(file, true, sizes) for file in files])
        for what, own, other, bound in zip(("columns", "pairs"), ours, reference, most, strict=True):
            name = f"synthetic rows, ε = {epsilon:g}: distance of {what}"
            results.append(Result(name, own, other, AGAINST, unit="", most=bound))
    return results


def _invented(table: Table, labels: dict[str, list[str]], epsilon: float, seed: int) -> list[Codes]:
    step = {
        "method": "dp-synthetic",
        "params": {"columns": list(NAMES), "epsilon": epsilon, "missing_cell": False},
    }
    said = {name: {"role": "other", "kind": "text", "categories": labels[name]} for name in NAMES}
    recipe = Recipe.parse({"version": 1, "columns": said, "goals": [], "steps": [step], "measures": []})
    out = io.BytesIO()
    anonymize(recipe, MemorySource(table), [Output("csv", out)], key=key_from_seed(seed))
    out.seek(0)
    texts = pa.csv.ConvertOptions(column_types=dict.fromkeys(NAMES, pa.string()))
    found = pa.csv.read_csv(out, convert_options=texts)
    return [_coded(found[name].to_pylist(), labels[name]) for name in NAMES]


def _coded(texts: Sequence[str], labels: Sequence[str]) -> Codes:
    index = {label: code for code, label in enumerate(labels)}
    return np.fromiter((index[text] for text in texts), np.int64, len(texts))


def _independent(true: Sequence[Codes], sizes: Sequence[int], seed: int) -> list[Codes]:
    draw = np.random.default_rng(seed)
    counts = [np.bincount(codes, minlength=size) for codes, size in zip(true, sizes, strict=True)]
    return [draw.choice(len(one), len(true[0]), p=one / one.sum()) for one in counts]


def _distances(some: Sequence[Codes], true: Sequence[Codes], sizes: Sequence[int]) -> tuple[float, float]:
    alone = [_distance(some[a], true[a], sizes[a]) for a in range(len(sizes))]
    pairs = [
        _distance(some[a] * sizes[b] + some[b], true[a] * sizes[b] + true[b], sizes[a] * sizes[b])
        for a, b in combinations(range(len(sizes)), 2)
    ]
    return float(np.mean(alone)), float(np.mean(pairs))


def _distance(some: Codes, true: Codes, size: int) -> float:
    shares = [np.bincount(codes, minlength=size) / len(codes) for codes in (some, true)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _mean(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    alone, pairs = np.mean(found, axis=0)
    return float(alone), float(pairs)
