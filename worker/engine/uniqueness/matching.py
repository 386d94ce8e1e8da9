"""By which columns rows of a release can be matched, and why by none."""

from __future__ import annotations

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.scene import Outlook, Side
from worker.engine.contracts.traces import Trace
from worker.engine.tables.kinds import Role

KEYS = Figure(
    "keys",
    "By these columns",
    "The quasi-identifiers whose values stayed true, or became coarser: by them rows can be matched. Where "
    "others were perturbed or exchanged, record linkage answers for all of them together.",
    unit="words",
    public=True,
)
"""The columns that a figure of classes is about."""

UNTAGGED = "No column is tagged quasi-identifier, so that there is nothing by which rows could be matched."
TABLE = "It is a table under differential privacy and has no rows to match: ε answers."
NONE_LEAVES = "No quasi-identifier leaves, so that there is nothing by which rows could be matched."
MADE_UP = (
    "The quasi-identifiers were made up, so that no row is anybody's: hold-out distances and replicated "
    "uniques answer."
)
MOVED = (
    "The quasi-identifiers were perturbed or exchanged, so that equal values no longer tell whose row it is: "
    "record linkage answers."
)


def nothing_to_match(outlook: Outlook) -> str | None:
    """Why class sizes say nothing of a release, and who answers instead; None where they do."""
    tagged = outlook.schema.named(Role.QUASI_IDENTIFIER)
    if not tagged:
        return UNTAGGED
    if outlook.keys:
        return None
    assert outlook.traces is not None
    if outlook.traces.tabulated:
        return TABLE
    left = {outlook.traces[name] for name in tagged} - {Trace.REMOVED}
    if not left:
        return NONE_LEAVES
    return MADE_UP if left == {Trace.MADE_UP} else MOVED


def in_words(side: Side) -> str:
    """The columns by which rows are matched."""
    return ", ".join(side.keys)
