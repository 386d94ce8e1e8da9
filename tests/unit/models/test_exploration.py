"""Solutions that were listed go with the data they tell of."""

from __future__ import annotations

import pytest

from stewardapp.models import Exploration
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_list_is_sealed_by_the_key_of_the_version() -> None:
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team))
    factories.make_exploration(run)
    exploration = Exploration.objects.get()
    assert exploration.steps == [factories.EXPLORED]
    assert exploration.sealing_key == run.release.version.key_id
    assert (exploration.project, str(exploration)) == (team.project, f"solutions of {run}")
