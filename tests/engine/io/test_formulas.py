"""Texts that a spreadsheet would run leave with an apostrophe; numbers stay numbers."""

from __future__ import annotations

import pyarrow as pa
import pytest

from worker.engine.io.formulas import defused, defused_name, risky

RUN = ["=1+1", "+49 30", "-x", "@x", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x"]
SAFE = ["", "a=1", "'=1", " =1", "1-2", "x@y", "12"]


def test_what_a_spreadsheet_would_run() -> None:
    assert risky(pa.array(RUN), numeric=False).to_pylist() == [True] * len(RUN)
    assert risky(pa.array(SAFE), numeric=False).to_pylist() == [False] * len(SAFE)


@pytest.mark.parametrize("text", ["-5", "+1.2", "-.5", "-1e9"])
def test_a_number_is_a_formula_only_among_texts(text: str) -> None:
    assert risky(pa.array([text]), numeric=True).to_pylist() == [False]
    assert risky(pa.array([text]), numeric=False).to_pylist() == [True]


def test_a_formula_among_numbers_is_still_one() -> None:
    assert risky(pa.array(["-5+cmd", "=2"]), numeric=True).to_pylist() == [True, True]


def test_only_the_risky_ones_are_changed() -> None:
    texts = pa.array(["=1", "a", "-2"])
    assert defused(texts, risky(texts, numeric=True)).to_pylist() == ["'=1", "a", "-2"]


def test_names_of_columns() -> None:
    assert defused_name("=HYPERLINK()") == "'=HYPERLINK()"
    assert defused_name("-5") == "'-5"
    assert defused_name("age") == "age"
