"""Run a recipe that makes a table: plan on the data, write what came out, and measure nothing."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import BinaryIO, TypedDict

import numpy as np
import pyarrow as pa

from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.method import Method, Tabulation
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.output import Output, opened_writer
from worker.engine.io import formats
from worker.engine.io.formulas import defused, defused_name, risky_labels
from worker.engine.randomness import Source
from worker.engine.recipes.report import FileJson, Leaving, Report
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema, Table

FEW_ROWS = 20_000
TOLD = ("method", "describe", "traces", "codebook")
"""What leaves of a step beside the facts its method gave for that; how long it took, for one, does not."""


def begun(method: Method, schema: Schema) -> StepJson:
    """What a report says of a step whatever the data hold."""
    traces = {name: str(trace) for name, trace in method.leaves(schema).items()}
    return {"method": method.slug, "describe": method.describe(), "traces": traces}


def tabulate(
    method: Method, data: Dataset, statistics: Statistics, source: Source, reporter: Reporter, report: Report
) -> Tabulation:
    """The table a method makes, with its facts in the report."""
    began = perf_counter()
    method.require_possible(data.schema, (), statistics.declared)
    plan = method.plan(statistics, (), source, reporter)
    assert isinstance(plan, Tabulation), "a method that tabulates plans a table"
    entry = {**begun(method, data.schema), **plan.entry}
    entry["codebook"] = list(method.guidance(entry))
    report.steps.append({**entry, "plan_seconds": perf_counter() - began})
    return plan


class Values(TypedDict):
    """A table as values: what a cell says is what it says, whatever a spreadsheet would make of it."""

    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Answered:
    """What a step says without a release: its table, the true figures beside it, what may be told of both."""

    table: Values
    exact: Values
    facts: Mapping[str, object]


def answered(plan: Tabulation, report: Report) -> Answered:
    """The tables as values, and what of the step may leave."""
    return Answered(_values(plan.table), _values(plan.exact), _told(report, plan)[0])


def _values(table: Table) -> Values:
    columns = [column.texts() for column in table.columns]
    return {"columns": list(table.names), "rows": [list(row) for row in zip(*columns, strict=True)]}


def write_tables(
    plan: Tabulation, outputs: Sequence[Output], exact: BinaryIO | None, reporter: Reporter, report: Report
) -> None:
    """The released table to every output, and its exact twin to where it is sealed."""
    reporter.stage("Writing the table")
    for output in outputs:
        report.files[output.kind] = _written(plan.table, output)
    if exact is not None:
        report.files["exact"] = _written(plan.exact, Output(formats.CSV, exact))
    sha256 = next((report.files[output.kind]["sha256"] for output in outputs), None)
    report.output = {
        "rows": plan.table.rows,
        "columns": len(plan.table.names),
        "sha256": sha256,
        "schema": [{"name": one.name, "kind": str(one.kind), "role": ""} for one in plan.table.columns],
    }


def _written(table: Table, output: Output) -> FileJson:
    if output.kind == formats.CSV and table.rows <= FEW_ROWS:
        return _written_plainly(table, output)
    writer = opened_writer(output, table.names)
    writer.write(table)
    written = writer.close()
    return {
        "sha256": written.sha256,
        "size": written.size,
        "rows": written.rows,
        "formula_cells": written.formula_cells,
    }


def _written_plainly(table: Table, output: Output) -> FileJson:
    """The same bytes without loading compiled loops, which would take longer than the whole table."""
    found = {column.name: risky_labels(column) for column in table.columns}
    texts = [_texts(column, found[column.name]) for column in table.columns]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=output.delimiter, lineterminator="\n")
    writer.writerow([defused_name(name) for name in table.names])
    writer.writerows(zip(*texts, strict=True))
    content = out.getvalue().encode()
    output.file.write(content)
    risky = (np.asarray(found[c.name].to_numpy(zero_copy_only=False), bool)[c.codes] for c in table.columns)
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "rows": table.rows,
        "formula_cells": int(sum(np.count_nonzero(one) for one in risky)),
    }


def _texts(column: Column, found: pa.Array) -> list[str]:
    labels = defused(column.labels, found).to_pylist()
    return ["" if column.missing[code] else labels[code] for code in column.codes.tolist()]


def public_part(report: Report, plan: Tabulation) -> Leaving:
    """What of the report may leave: figures that are no function of the data, and the table's own."""
    tables = {kind: facts for kind, facts in report.files.items() if kind in (formats.CSV, formats.PARQUET)}
    engine = report.engine
    return {
        "engine": {"version": engine["version"], "recipe_sha256": engine["recipe_sha256"]},
        "steps": _told(report, plan),
        "privacy_loss": report.privacy_loss,
        "files": tables,
        "output": report.output,
    }


def _told(report: Report, plan: Tabulation) -> list[StepJson]:
    named = {*TOLD, *plan.entry}
    return [{name: fact for name, fact in step.items() if name in named} for step in report.steps]
