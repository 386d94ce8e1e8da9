"""What stands in the sealed files of a table, read and judged by code that shares nothing with it."""

import csv
import io
import math
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.unit.worker.process.test_tables import OUTPUTS, Desk
from worker.sealed import SealedWriter

CANARY = "canary-77"
COLUMNS = {
    "name": {"role": "direct-identifier"},
    "sex": {"role": "other", "categories": ["f", "m", "x"]},
    "age": {"role": "other", "kind": "integer", "bounds": [0, 40], "bin_width": 10},
}
PLACES = ("table.csv", "table.parquet", "exact.csv", "codebook.md")


def survey(rows: int) -> bytes:
    """Mostly the first cells: without noise the last ones would be empty."""
    lines = [f"{CANARY},{'ffm'[row % 3]},{row % 17}" for row in range(rows)]
    return "\n".join(["name,sex,age", *lines, ""]).encode()


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Desk]]:
    """The same survey, small and large, each read by the engine's own process."""
    with ExitStack() as files:
        made = {}
        for rows in (30, 400):
            made[rows] = desk = Desk(tmp_path_factory.mktemp("desk"), files)
            with SealedWriter(desk.file("raw").file, desk.key) as writer:  # type: ignore[arg-type]
                writer.write(survey(rows))
            read = {"raw": desk.file("raw", "r"), "table": desk.file("data"), "likeness": desk.file("like")}
            read["values"] = desk.file("values")
            desk.run("read", read, dialect=None, likeness_key="00" * 16)
        yield made


def released(desk: Desk, folder: Path, **params: Any) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The plain bytes of every file a run has sealed, and its report."""
    step = {"method": "dp-histogram", "params": params}
    recipe = {"version": 1, "columns": COLUMNS, "steps": [step]}
    with ExitStack() as files:
        run = Desk(folder, files)
        run.key = desk.key
        sealed = {"table": desk.file("data", "r"), **{name: run.file(name) for name in OUTPUTS}}
        answer = desk.run("anonymize", sealed, recipe=recipe, key="00" * 32, input_sha256="ab" * 32)
        assert set(answer["files"]) == set(PLACES)
        return {name: run.read(name) for name in PLACES}, answer["report"]


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def quantile(l1: int, epsilon: Fraction, alpha: Fraction) -> int:
    """The smallest a for which discrete Laplace noise stays within ±a but for α, by adding up its weights."""
    ratio = Fraction(math.exp(-epsilon / l1))
    inside, size = (1 - ratio) / (1 + ratio), 0
    while inside < 1 - alpha:
        size += 1
        inside += 2 * (1 - ratio) / (1 + ratio) * ratio**size
    return size


@pytest.mark.parametrize(
    ("epsilon", "kept", "round_to"), [("0.3", 1, 1), ("0.05", 2, 10), ("2.5", 1, 3), ("8", 1, 1)]
)
def test_the_declared_error_is_the_quantile_of_the_noise(
    desks: dict[int, Desk], tmp_path: Path, epsilon: str, kept: int, round_to: int
) -> None:
    params = {"columns": ["sex"], "epsilon": float(epsilon), "rows_per_person": kept, "round_to": round_to}
    files, report = released(desks[30], tmp_path, nonnegative=True, **params)
    expected = quantile(kept, Fraction(epsilon), Fraction(1, 20)) + round_to // 2
    rows = rows_of(files["table.csv"])
    assert {row["error95"] for row in rows} == {str(expected)}
    assert f"± {report['steps'][0]['error95_all_cells']}" in files["codebook.md"].decode()
    counts = [int(row["count"]) for row in rows]
    assert all(count >= 0 and count % round_to == 0 for count in counts)
    told = report["steps"][0]["post_processing"]
    assert ("negative counts set to 0" in told, len(told)) == (True, 1 + (round_to > 1))
    assert report["privacy_loss"]["epsilon"] == float(epsilon)


def total(rows: list[dict[str, str]], **where: str) -> int:
    """Of the cells themselves, not of the totals beside them."""
    return sum(
        int(row["count"])
        for row in rows
        if "*" not in (row["sex"], row["age"]) and all(row[name] == value for name, value in where.items())
    )


def test_totals_are_the_sums_of_their_cells(desks: dict[int, Desk], tmp_path: Path) -> None:
    params = {"columns": ["sex", "age"], "shape": "margins", "epsilon": 0.2, "nonnegative": True}
    files, _ = released(desks[400], tmp_path, **params)
    rows = rows_of(files["table.csv"])
    assert len(rows) == 3 * 4 + 3 + 4 + 1
    for row in rows:
        where = {name: row[name] for name in ("sex", "age") if row[name] != "*"}
        assert int(row["count"]) == total(rows, **where) >= 0, row


def test_levels_are_the_sums_of_the_level_below(desks: dict[int, Desk], tmp_path: Path) -> None:
    files, _ = released(desks[400], tmp_path, columns=["age"], shape="levels", fan_out=2, epsilon=0.2)
    rows = rows_of(files["table.csv"])
    by_level = {level: [int(r["count"]) for r in rows if r["level"] == level] for level in "012"}
    cells = by_level["0"]
    assert by_level["1"] == [cells[0] + cells[1], cells[2] + cells[3]]
    assert by_level["2"] == [sum(cells)]


def test_nothing_but_the_table_depends_on_the_data(desks: dict[int, Desk], tmp_path: Path) -> None:
    """Of two surveys, one thirteen times as large, all that leaves is the same but for the noisy counts."""
    params = {"columns": ["sex", "age"], "shape": "margins", "epsilon": 1}
    packages = []
    for rows, desk in desks.items():
        folder = tmp_path / str(rows)
        folder.mkdir()
        files, report = released(desk, folder, **params)
        table = rows_of(files["table.csv"])
        assert set(table[0]) == {"sex", "age", "count", "error95"}
        parquet = pyarrow.parquet.read_table(io.BytesIO(files["table.parquet"]))
        assert [{k: str(v) for k, v in row.items()} for row in parquet.to_pylist()] == table
        assert parquet.schema.metadata is None
        public = report["public"]
        assert set(public) == {"engine", "steps", "privacy_loss", "files", "output"}
        for leaving in (*(files[name] for name in PLACES if name != "exact.csv"), str(public).encode()):
            assert CANARY.encode() not in leaving
            assert b"ab" * 32 not in leaving
        packages.append(
            (
                [(row["sex"], row["age"], row["error95"]) for row in table],
                files["codebook.md"].replace(public["output"]["sha256"].encode(), b"#"),
                public["steps"],
                public["privacy_loss"],
            )
        )
    assert packages[0] == packages[1]
