"""By which columns rows of a release can be matched."""

import pytest

from worker.engine.contracts.scene import Outlook
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema
from worker.engine.uniqueness.matching import MADE_UP, MOVED, NONE_LEAVES, TABLE, UNTAGGED, nothing_to_match

SCHEMA = Schema(tuple(Field(name, Kind.TEXT, Role.QUASI_IDENTIFIER) for name in ("p", "q")))


def outlook(p, q, **how):
    return Outlook(SCHEMA, 10, Traces({"p": p, "q": q}, ("p", "q"), **how))


@pytest.mark.parametrize(
    ("p", "q", "reason"),
    [
        (Trace.KEPT, Trace.COARSER, None),
        (Trace.KEPT, Trace.PERTURBED, None),
        (Trace.COARSER, Trace.MADE_UP, None),
        (Trace.PERTURBED, Trace.EXCHANGED, MOVED),
        (Trace.PERTURBED, Trace.MADE_UP, MOVED),
        (Trace.MADE_UP, Trace.MADE_UP, MADE_UP),
        (Trace.REMOVED, Trace.MADE_UP, MADE_UP),
        (Trace.REMOVED, Trace.EXCHANGED, MOVED),
        (Trace.REMOVED, Trace.REMOVED, NONE_LEAVES),
    ],
)
def test_who_answers(p, q, reason):
    assert nothing_to_match(outlook(p, q)) == reason


def test_only_truthful_columns_are_keys():
    assert outlook(Trace.KEPT, Trace.PERTURBED).keys == ("p",)
    assert Outlook(SCHEMA, 10).keys == ("p", "q")


def test_a_table_and_untagged_columns():
    assert nothing_to_match(outlook(Trace.REMOVED, Trace.REMOVED, tabulated=True)) == TABLE
    assert nothing_to_match(Outlook(Schema((Field("x", Kind.TEXT, Role.OTHER),)), 10)) == UNTAGGED
