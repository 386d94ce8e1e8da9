"""What leaves of charts: nothing internal, and nothing of the data before the treatment."""

from dataclasses import replace

import pytest

from stewardapp.presenters.reports.measured import is_before, picture, publishable
from tests.unit.presenters.reports.sheets import chart
from worker.engine.contracts.chart import Series


def test_an_internal_chart_stays() -> None:
    assert list(publishable([chart(internal=True)])) == []


def test_of_the_others_only_what_was_there_after_the_treatment_leaves() -> None:
    (found,) = publishable([chart()])
    assert [one.name for one in found.series] == ["After"]
    assert "Before" not in " ".join(picture(found).texts())
    assert list(publishable([replace(chart(), series=(Series("Before", ("a",), (1.0,)),))])) == []


@pytest.mark.parametrize("name", ["Before", "original", "pitman, before", "True figure", "exact answers"])
def test_names_of_what_was_there_before(name: str) -> None:
    assert is_before(name)


@pytest.mark.parametrize("name", ["After", "", "pitman, after", "beforehand", "with noise"])
def test_other_names(name: str) -> None:
    assert not is_before(name)
