"""A sweep keeps its values as sealed as the data are."""

from __future__ import annotations

import pytest

from stewardapp.models import Sweep
from tests import factories

pytestmark = pytest.mark.django_db


def test_its_values_are_sealed_under_the_key_of_the_data() -> None:
    release = factories.make_release(factories.make_project())
    sweep = Sweep.objects.get(pk=factories.make_sweep(release).pk)
    assert sweep.sealing_key == release.version.key_id
    assert sweep.sealed_varied is not None
    assert b"goals" not in sweep.sealed_varied.stored
    assert sweep.varied[0]["values"] == [3, 5]
    assert str(sweep) == f"a sweep of {release}"
