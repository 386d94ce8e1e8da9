"""Progress never goes back, stops where it is told to, and is shown no more often than it changes."""

import io
import json

import pytest

from worker.engine.errors import LimitExceeded
from worker.engine.reporting import NullReporter, PipeReporter, Reporter, TerminalReporter


class Watching(Reporter):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, float]] = []

    def show(self, stage: str, fraction: float) -> None:
        self.told.append((stage, round(fraction, 3)))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_span_is_a_part_of_the_present_one_and_nothing_goes_back() -> None:
    seen = Watching()
    seen.progress(0.5)
    with seen.span(0.5, 1.0):
        seen.progress(0.2)
        with seen.span(0.5, 1.0):
            seen.progress(2.0)
    seen.progress(-1.0)
    assert [fraction for _, fraction in seen.told] == [0.5, 0.6, 1.0, 1.0]


def test_what_is_done_meanwhile_is_said_and_then_what_was_said_before() -> None:
    seen = Watching()
    seen.stage("Searching")
    with seen.meanwhile("Compiling"):
        seen.progress(0.1)
    assert [stage for stage, _ in seen.told] == ["Searching", "Compiling", "Compiling", "Searching"]


def test_work_stops_when_its_time_is_over_or_somebody_cancels() -> None:
    with pytest.raises(LimitExceeded, match="after its limit of 0 seconds") as caught:
        Reporter(seconds=0).progress(0.1)
    assert caught.value.code == "time-limit"

    def cancel() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Reporter(cancelled=cancel).checkpoint()
    NullReporter().checkpoint()
    NullReporter().trouble("measure", "ValueError", [])


def test_a_pipe_hears_of_visible_changes_alone() -> None:
    pipe = io.StringIO()
    told = PipeReporter(pipe)
    told.stage("Reading")
    for fraction in (0.0001, 0.0002, 0.5):
        told.progress(fraction)
    told.trouble("marginals", "ValueError", ["line 3"])
    assert [json.loads(line) for line in pipe.getvalue().splitlines()] == [
        {"progress": 0.0, "stage": "Reading"},
        {"progress": 0.5, "stage": "Reading"},
        {"trouble": "marginals", "type": "ValueError", "frames": ["line 3"]},
    ]


def test_a_terminal_is_left_as_it_was_and_a_file_stays_empty() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        told = TerminalReporter(stream)
        told.close()
        told.stage("Reading")
        told.progress(0.001)
        told.progress(0.5)
        told.close()
    assert terminal.getvalue().count("Reading") == 2
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""


def test_a_failure_of_a_measure_is_one_line_with_its_place_also_where_nobody_looks() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        told = TerminalReporter(stream)
        told.stage("Measuring")
        told.trouble("mine#1", "ValueError", ["measuring.py:1 measured", "mine.py:7 read"])
    assert file.getvalue() == "mine#1 failed: ValueError at mine.py:7 read\n"
    assert terminal.getvalue().endswith("\r\x1b[K" + file.getvalue())
