"""One row more, whatever it holds, changes no label, no cell, no unit, no exit code and no message."""

import csv
import io
import json

import pytest

from worker.__main__ import main

HEADER = "who,sex,age,note"
PEOPLE = [f"p{i},{'fm'[i % 2]},{20 + i % 30},n{i}" for i in range(300)]
HOSTILE = {
    "a fraction among whole numbers": b"q,f,7.5,x",
    "a byte of another encoding in a column nobody names": b"q,f,30,caf\xe9",
    "a byte of another encoding in a label": b"q,\xe9,30,x",
    "too few values": b"q,f",
    "too many values": b"q,f,30,x,y,z",
    "a quote that opens and never closes": b'q,f,30,"x',
    "a quote that opens the row": b'"q,f,30,x',
    "a quote in the middle": b'q,f,30,x"y',
    "a value with a line end in it": b'q,f,30,"x\ny"',
    "an empty line": b"",
    "blanks alone": b"   ",
    "a new category": b"q,other,30,x",
    "a huge number": b"q,f,1e400,x",
    "a long number": b"q,f," + b"9" * 400 + b",x",
    "no number": b"q,f,inf,nan",
    "a text where a number belongs": b"q,f,old,x",
    "a NUL": b"q,f,3\x000,x",
    "a carriage return": b"q,f,3\r0,x",
    "a long value": b"q,f,30," + b"x" * (1 << 20),
    "another delimiter": b"q;f;30;x",
    "a new person": b"q,f,30,x",
    "a byte order mark": b"\xef\xbb\xbfq,f,30,x",
    "nobody's name": b",f,30,x",
}
COLUMNS = {
    "who": {"role": "person-key"},
    "sex": {"role": "other", "kind": "categorical", "categories": ["f", "m"]},
    "age": {"role": "other", "kind": "integer", "bounds": [0, 60], "bin_width": 10},
}
STEPS = {
    "cells": ("dp-histogram", {"columns": ["sex", "age"]}),
    "totals": ("dp-histogram", {"columns": ["sex", "age"], "shape": "margins", "missing_cell": True}),
    "levels": ("dp-histogram", {"columns": ["age"], "shape": "levels", "outside": "nearest"}),
    "mean": ("dp-query", {"ask": "mean", "column": "age", "by": ["sex"]}),
    "rows": ("dp-synthetic", {"columns": ["sex", "age"], "rows": 300}),
}
EXACTLY = 1_000_000


CASES = [(step, hostile, 150) for step in STEPS for hostile in HOSTILE]
CASES += [("cells", hostile, place) for hostile in HOSTILE for place in (0, 300)]


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.fixture
def made(tmp_path, capsys):
    def make(step, more, place, **changes):
        lines = [line.encode() for line in PEOPLE]
        if more is not None:
            lines.insert(place, more)
        data = tmp_path / "data.csv"
        data.write_bytes(b"\n".join([HEADER.encode(), *lines]) + b"\n")
        slug, params = STEPS[step]
        said = {
            "version": 1,
            "columns": COLUMNS,
            "data": {"delimiter": ",", "encoding": "utf-8"},
            "measures": [],
        }
        said["steps"] = [{"method": slug, "params": {"epsilon": EXACTLY, **params}}]
        recipe, out, report = (tmp_path / name for name in ("recipe.json", "out.csv", "report.json"))
        for before in (out, report):
            before.unlink(missing_ok=True)
        recipe.write_text(json.dumps({**said, **changes}))
        status = main(["anonymize", str(recipe), str(data), "--out", str(out), "--report", str(report)])
        told = capsys.readouterr()
        rows = rows_of(out) if out.exists() else []
        public = json.loads(report.read_text())["public"] if report.exists() else {}
        return status, told.out, told.err, rows, public

    return make


def facts(public):
    """What is told of a step; which pairs a tree took, and what came of them, was measured with noise."""
    [step] = public["steps"]
    noisy = ("pairs", "rows_counted", "column_counts_error95", "pair_counts_error95", "codebook")
    return {name: value for name, value in step.items() if name not in noisy}


@pytest.mark.parametrize(("step", "hostile", "place"), CASES)
def test_one_hostile_row_decides_nothing(made, step, hostile, place):
    status, out, err, rows, public = made(step, HOSTILE[hostile], place)
    plain = made(step, None, 0)
    assert (status, out, err) == (0, *plain[1:3])
    assert rows[0].keys() == plain[3][0].keys()
    assert facts(public) == facts(plain[4])
    if step in ("cells", "totals", "levels"):
        labels = [{k: v for k, v in row.items() if k != "count"} for row in rows]
        assert labels == [{k: v for k, v in row.items() if k != "count"} for row in plain[3]]
        inner = rows[: 2 * 6] if step == "cells" else rows
        moved = sum(abs(int(a["count"]) - int(b["count"])) for a, b in zip(inner, plain[3], strict=False))
        assert moved <= {"cells": 1, "totals": 4, "levels": 3}[step]


def test_nobody_at_all_is_no_refusal(made, monkeypatch):
    monkeypatch.setattr("tests.engine.test_hostile_rows.PEOPLE", [])
    status, _, err, rows, _ = made("cells", None, 0)
    assert (status, len(rows)) == (0, 12)
    assert "No budget" in err


@pytest.mark.parametrize("data", [{}, {"delimiter": ","}, {"encoding": "utf-8"}, {"missing": ["NA"]}])
def test_without_a_declared_dialect_nothing_is_read(made, data):
    status, _, err, rows, _ = made("cells", None, 0, data=data)
    assert (status, rows) == (2, [])
    assert err.startswith("data: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_an_encoding_in_which_one_byte_moves_the_others_is_refused(made, encoding):
    status, _, err, _, _ = made("cells", None, 0, data={"delimiter": ",", "encoding": encoding})
    assert status == 2
    assert "UTF-8" in err


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "gb18030", "big5", "shift-jis", "euc-kr", "utf-8-sig"]
)
@pytest.mark.parametrize(
    "hostile", ["a byte of another encoding in a label", "a NUL", "a quote that opens the row"]
)
def test_in_any_encoding(made, encoding, hostile):
    said = {"delimiter": ",", "encoding": encoding}
    found, plain = made("cells", HOSTILE[hostile], 150, data=said), made("cells", None, 0, data=said)
    assert found[:3] == plain[:3]
    assert found[3] == plain[3]
    ends = b"q,f,30,x\x81"  # half of a letter before the end of the line
    assert made("cells", ends, 150, data=said)[0] == 0


@pytest.mark.parametrize("step", ["cells", "mean"])
def test_a_kind_nobody_declared_is_refused(made, step):
    columns = {**COLUMNS, "age": {k: v for k, v in COLUMNS["age"].items() if k != "kind"}}
    status, _, err, _, _ = made(step, None, 0, columns=columns)
    assert status == 2
    assert err.startswith("columns.age.kind: ")


def test_categories_without_a_kind_are_texts_whatever_the_data_hold(made):
    """What the texts look like decides nothing: 7.5 among whole numbers made other cells of them."""
    columns = {"age": {"role": "other", "categories": [str(age) for age in range(20, 50)]}}
    steps = [{"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": EXACTLY}}]
    plain = made("cells", None, 0, columns=columns, steps=steps)
    found = made("cells", HOSTILE["a fraction among whole numbers"], 150, columns=columns, steps=steps)
    assert found[:4] == plain[:4]
    assert {row["count"] for row in plain[3]} == {"10"}


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_lines_end_as_the_header_does(made, tmp_path, end):
    whole = made("cells", None, 0)[3]
    path = tmp_path / "data.csv"
    recipe, out = tmp_path / "recipe.json", tmp_path / "out.csv"
    path.write_bytes(end.join(line.encode() for line in [HEADER, *PEOPLE, ""]))
    assert main(["anonymize", str(recipe), str(path), "--out", str(out)]) == 0
    assert rows_of(out) == whole
