"""What a certificate says of risk: every demand, figures only where they are public, reasons for the rest."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from stewardapp.domain.demands import Demand
from stewardapp.presenters.published_risk import UNPUBLISHED, published_risk
from tests import factories

pytestmark = pytest.mark.django_db
SECRET = 0.04321


@pytest.fixture
def found(tmp_path: Path, settings: Any) -> Any:
    settings.STEWARD_DATA = tmp_path
    rows = [
        *factories.demands(),
        Demand("attribute-disclosure", "certain_share", Decimal("0.05")),
        Demand("record-linkage", "linked_share", Decimal("0.05")),
    ]
    team = factories.make_project(rows=rows)
    run = factories.make_run(factories.make_release(team))
    report = factories.make_succeeded_run(factories.make_release(team)).report
    left = [one for one in report["measures"] if one["measure"] in ("reidentification", "kept-columns")]
    inside = factories.result("attribute-disclosure", "risk", after={"certain_share": {"illness": SECRET}})
    idle = factories.result("record-linkage", "risk", state="does-not-apply", reason="Class sizes answer.")
    large = factories.result("suda", "risk", state="too-large", reason="It has 918273 rows.")
    report = {**report, "measures": [*left, inside, idle, large]}
    report["output"] = {**report["output"], "family": "truthful"}
    return published_risk(factories.seen(factories.succeed(run, report)))


def test_the_family_is_told_in_words(found: Any) -> None:
    assert found.family == "Rows are true, some values are coarser."


def test_public_figures_stand_beside_their_bounds(found: Any) -> None:
    told = {one.title: (one.demand, one.figure, one.badge.word) for one in found.demands}
    assert told["Smallest class"] == ("at least 5", "6", "Passed")
    assert len(told) == 5


def test_of_any_other_figure_only_the_answer_is_told(found: Any) -> None:
    (one,) = (one for one in found.demands if one.figure == UNPUBLISHED)
    assert one.badge.word == "Passed"
    assert one.remark == ""
    assert "4.3" not in str(found)


def test_what_has_no_figure_has_a_reason(found: Any) -> None:
    told = dict(found.idle)
    assert told == {"Record linkage": "Class sizes answer.", "Special uniques": "Too large to measure."}
    (idle,) = (one for one in found.demands if not one.badge.tone)
    assert idle.remark == "Class sizes answer."
