"""The demo's query desk: what is declared of four columns, and three questions of the analyst."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from stewardapp.actions import columns, desks, queries
from stewardapp.management.demo_work import carry_out
from stewardapp.management.survey import DIAGNOSES, EDUCATION
from stewardapp.models import Desk, User, Version

LIST = "the codebook of the survey"
DECLARED: dict[str, dict[str, Any]] = {
    "sex": {"categories": ["F", "M"]},
    "education": {"categories": list(EDUCATION), "provenance": LIST},
    "diagnosis": {"categories": list(DIAGNOSES), "provenance": LIST},
    "income": {"bounds": [0, 200_000], "bin_width": 10_000, "provenance": "what the questionnaire accepts"},
}
ASTHMA = {"column": "diagnosis", "op": "is", "values": ["asthma"]}
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"ask": "mean", "column": "income", "by": ["sex"], "epsilon": Decimal("0.1")},
    {"ask": "histogram", "column": "diagnosis", "epsilon": Decimal("0.05")},
    {"ask": "median", "column": "income", "where": [ASTHMA], "epsilon": Decimal("0.05")},
)


def load(version: Version, steward: User, analyst: User) -> None:
    """Open it once; ask and answer what is not answered yet."""
    desk = version.desks.open().first() or _opened(version, steward)
    for question in QUESTIONS:
        query = queries.ask(desk=desk, question=question, by=analyst)
        carry_out("query", query)


def _opened(version: Version, steward: User) -> Desk:
    for name, settings in DECLARED.items():
        columns.describe(version=version, name=name, settings=settings, by=steward)
    return desks.open_on(version=version, columns=list(DECLARED), rows_per_person=1, by=steward)
