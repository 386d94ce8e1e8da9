"""Invented microdata of any size: the same rows every time, written piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

PIECE = 500_000
EDUCATIONS = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master", "doctorate")
STATUSES = ("single", "married", "divorced", "widowed", "separated")
COUNTRIES = tuple(f"country {number:02d}" for number in range(40))
DIAGNOSES = tuple(f"diagnosis {number:02d}" for number in range(30))
QUASI_IDENTIFIERS = ("age", "sex", "zip", "education", "status", "country")


def write_csv(path: Path, rows: int, *, unique: bool = False) -> Path:
    """Ten columns as CSV. `unique`: nearly every row differs from all others in its quasi-identifiers."""
    with path.open("wb") as file:
        for number, piece in enumerate(_pieces(rows, unique)):
            options = arrow_csv.WriteOptions(include_header=number == 0, quoting_style="needed")
            arrow_csv.write_csv(piece, file, options)
    return path


def write_parquet(path: Path, rows: int, *, unique: bool = False) -> Path:
    """The same rows as Parquet with typed columns and the library's own defaults."""
    writer: pq.ParquetWriter | None = None
    for piece in _pieces(rows, unique):
        writer = writer or pq.ParquetWriter(path, piece.schema)
        writer.write_table(piece)
    if writer is not None:
        writer.close()
    return path


def write_recipe(path: Path, *, k: int = 5, suppression_limit: float = 0.02) -> Path:
    """k-anonymity on six columns by generalization, hierarchies from builders."""
    path.write_text(json.dumps(recipe(k, suppression_limit)))
    return path


def recipe(k: int, suppression_limit: float) -> dict[str, Any]:
    """The recipe for these rows."""
    hierarchies: dict[str, dict[str, Any]] = {
        "age": {"builder": "interval", "width": 5, "fan_out": 2},
        "zip": {"builder": "mask", "side": "right"},
    }
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier"} | ({"hierarchy": hierarchies[name]} if name in hierarchies else {})
        for name in QUASI_IDENTIFIERS
    }
    columns["age"]["kind"] = "integer"
    columns["diagnosis"] = {"role": "sensitive"}
    columns["income"] = columns["score"] = {"role": "other", "kind": "decimal"}
    columns["note"] = {"role": "direct-identifier"}
    step = {"method": "generalization", "params": {"suppression_limit": suppression_limit}}
    return {
        "version": 1,
        "columns": columns,
        "goals": [{"goal": "k-anonymity", "params": {"k": k}}],
        "steps": [step],
        "measures": ["*"],
    }


def _pieces(rows: int, unique: bool) -> Iterator[pa.Table]:
    for first in range(0, rows, PIECE):
        yield _piece(first, min(PIECE, rows - first), unique)


def _piece(first: int, rows: int, unique: bool) -> pa.Table:
    draw = np.random.default_rng([7, first])
    zips = 100_000 if unique else 800
    ages = draw.integers(0, 36_500, rows) if unique else np.clip(draw.normal(45, 18, rows), 0, 95)
    return pa.table(
        {
            "note": pc.binary_join_element_wise("person no. ", _texts(np.arange(first, first + rows)), ""),
            "age": pa.array(ages.astype(np.int64)),
            "sex": _labels(draw, ("female", "male"), rows),
            "zip": _texts(10_000 + draw.integers(0, zips, rows) * (89_999 // zips or 1)),
            "education": _labels(draw, EDUCATIONS, rows),
            "status": _labels(draw, STATUSES, rows),
            "country": _labels(draw, COUNTRIES, rows, favourite=0.8),
            "diagnosis": _labels(draw, DIAGNOSES, rows),
            "income": pa.array(np.round(draw.lognormal(10, 0.6, rows), 2)),
            "score": pa.array(np.round(draw.normal(100, 15, rows), 4)),
        }
    )


def _texts(numbers: np.ndarray[Any, Any]) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _labels(
    draw: np.random.Generator, labels: tuple[str, ...], rows: int, favourite: float = 0.0
) -> pa.Array:
    """Texts drawn evenly, but for a share that all hold the first one."""
    codes = draw.integers(0, len(labels), rows).astype(np.int32)
    codes[draw.random(rows) < favourite] = 0
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels)).dictionary_decode()
