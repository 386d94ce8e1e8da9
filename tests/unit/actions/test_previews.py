"""Steps that are tried before a run."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import Invalid
from stewardapp.actions import columns, previews
from stewardapp.models import Preview
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_step_that_costs_budget_is_not_tried() -> None:
    release = factories.make_release(factories.make_project())
    bounds = {"bounds": [0, 100], "bin_width": 10}
    columns.describe(version=release.version, name="age", kind="integer", settings=bounds, by=release.author)
    step = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 1}}
    with pytest.raises(Invalid) as refused:
        previews.start(release=release, step=step, by=release.author)
    assert refused.value.param == "steps[0]"
    assert not Preview.objects.exists()


def test_each_new_one_pushes_the_oldest_out() -> None:
    release = factories.make_release(factories.make_project())
    made = [factories.make_preview(release) for _ in range(previews.KEPT + 1)]
    assert set(release.previews.all()) == set(made[1:])
