"""A combination of levels is bookmarked once, for whoever sees its run."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from stewardapp.models import Bookmark
from tests import factories

pytestmark = pytest.mark.django_db


def test_one_for_each_combination() -> None:
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team))
    one = factories.make_bookmark(run)
    assert str(one) == f"bookmark in {run}"
    assert list(Bookmark.objects.visible_to(team.reviewer)) == [one]
    assert not Bookmark.objects.visible_to(team.analyst)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bookmark.objects.create(run=run, step=0, node="1-1", kept_by=team.steward)
