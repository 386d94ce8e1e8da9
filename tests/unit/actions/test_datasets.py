"""A dataset that is removed leaves all lists, with what arrived of it."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import datasets
from stewardapp.models import Dataset, Reading
from tests import factories

pytestmark = pytest.mark.django_db


def test_what_could_not_be_read_goes_with_its_dataset() -> None:
    team = factories.make_project()
    version = factories.upload(team)
    with pytest.raises(NotAllowed, match="belong to this dataset"):
        datasets.remove(dataset=version.dataset, by=team.steward)  # a worker is reading
    assert Reading.objects.request_cancel(version.attempt.pk, team.steward)
    datasets.remove(dataset=version.dataset, by=team.steward)
    version.refresh_from_db()
    assert version.destroyed_at
    assert version.dataset not in Dataset.objects.visible_to(team.steward)
