"""What is recorded is compared with, and told on a page that nobody writes by hand."""

import pytest

from benchmarks import recorded
from benchmarks.recorded import page, record, slower
from benchmarks.table import Result


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "FILE", tmp_path / "recorded.json")
    monkeypatch.setattr(recorded, "PAGE", tmp_path / "costs.md")


def test_the_page_of_the_guide_tells_what_is_recorded():
    assert recorded.PAGE.read_text(encoding="utf-8") == page()


def test_a_line_for_each_ratio_by_number_of_rows(elsewhere):
    record([Result("b", 3.0, 2.0, "a clock", 2.5), Result("a", 1.0, 4.0, "a clock")], 10_000_000)
    record([Result("c", 1.0, 3.0, "a sort", 0.5)], 1_000_000)
    told = recorded.PAGE.read_text(encoding="utf-8")
    lines = [line for line in told.splitlines() if line.startswith(("##", "| "))]
    head = "| what | ratio | at most | beside |"
    assert [
        line.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ") for line in lines
    ] == [
        "## 1 000 000 rows",
        head,
        "| c | 0.333 | 0.5 | a sort |",
        "## 10 000 000 rows",
        head,
        "| a | 0.25 | – | a clock |",
        "| b | 1.5 | 2.5 | a clock |",
    ]


def test_what_was_not_measured_again_keeps_its_ratio(elsewhere):
    record([Result("a", 1.0, 2.0, "a clock"), Result("b", 1.0, 2.0, "a clock")], 5)
    record([Result("a", 1.0, 4.0, "a clock")], 5)
    assert list(slower([Result("a", 1.0, 2.0, "a clock"), Result("b", 1.0, 2.0, "a clock")], 5)) == [
        "a: 0.5 where 0.25 was recorded, 100\N{NO-BREAK SPACE}% more."
    ]


def test_what_was_never_recorded_is_said(elsewhere):
    record([Result("a", 1.0, 2.0, "a clock")], 5)
    other = [Result("a", 1.0, 2.0, "a clock")]
    assert list(slower(other, 5)) == []
    assert list(slower(other, 6)) == ["a: never recorded."]
