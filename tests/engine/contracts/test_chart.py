"""A chart comes back from JSON as it was, whatever it says of itself."""

import json
from dataclasses import MISSING, fields

from worker.engine.contracts.chart import Axis, Chart, Region, Series, Threshold, overlaid

WHOLE = Chart(
    slug="risk",
    title="Risk",
    kind="bar",
    x=Axis("Class", "rows", "log"),
    y=Axis("Share", "", "percent"),
    series=(Series("after", (1.0, 2.0), (0.5, 0.25), ((1.0, None),), (0.1, 0.2), True),),
    note="How to read it.",
    threshold=Threshold(0.2, "limit", "x"),
    internal=True,
    column="age",
    region=Region((0.0, 1.0), None),
)


def test_what_is_written_is_read_again_whole() -> None:
    for part in (WHOLE, *WHOLE.series):
        for one in fields(part):
            assert one.default is MISSING or getattr(part, one.name) != one.default, (
                f"{one.name} says nothing"
            )
    written = WHOLE.as_dict()
    assert set(written) == {one.name for one in fields(Chart)}
    again = Chart.from_dict(json.loads(json.dumps(written)))
    assert again.as_dict() == {**written, "region": {"x": [0.0, 1.0], "y": None}}
    assert Chart.from_dict(written) == WHOLE


def test_an_older_report_tells_less() -> None:
    kept = ("slug", "title", "kind", "x", "y", "series")
    told = {name: part for name, part in WHOLE.as_dict().items() if name in kept}
    read = Chart.from_dict(told)  # type: ignore[arg-type]
    assert (read.note, read.threshold, read.internal, read.column, read.region) == ("", None, False, "", None)


def test_sides_lie_over_one_another() -> None:
    (one,) = overlaid([("Before", [WHOLE]), ("After", [WHOLE])])
    assert [series.name for series in one.series] == ["after, before", "after, after"]
