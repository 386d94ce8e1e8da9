"""Columns said to be unknown to others, beside what was found of them."""

from types import SimpleNamespace

from stewardapp.presenters.unknown import UnknownLine, unknown_lines
from tests import factories


def test_a_column_has_its_reason_and_every_share_that_was_found_of_it():
    found = {"unique_share": 0.1, "would_add": {"lab": 0.25, "ill": 0.5}, "unknown": {"lab": "why"}}
    report = {"version": 2, "measures": [factories.result("kept-columns", "risk", after=found)]}
    columns = {"lab": {"role": "other", "known": "no", "why": "ours"}, "age": {"role": "other"}}
    run = SimpleNamespace(report=report, recipe={"columns": columns})
    assert unknown_lines(run) == [UnknownLine("lab", "ours", (("What it would add", "25\u00a0%"),))]
