"""Marks as SVG writes them, and names that are cut to the room they have."""

from stewardapp.presenters.reports.marks import Line, cut, wide


def test_a_line_as_svg_writes_it() -> None:
    line = Line(((0, 1.5), (2.333, 4)), "after", "dashed")
    assert (line.path, line.gaps) == ("0.00,1.50 2.33,4.00", "5 3")
    assert Line((), "ink").gaps == ""


def test_a_name_is_cut_only_where_it_does_not_fit() -> None:
    assert cut("short", 100) == "short"
    found = cut("a name that is far too long", 60)
    assert found.endswith("…")
    assert wide(found) <= 60
