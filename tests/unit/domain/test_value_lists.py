"""The values that pages show come from what the reading kept."""

from __future__ import annotations

import pytest

from stewardapp import storage
from stewardapp.actions import versions
from stewardapp.domain.value_lists import WITH_VALUES, previewable, values_of
from stewardapp.models import Column, Version
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def version() -> Version:
    return factories.read_for_real(factories.upload(factories.make_project()))


def column(version: Version, name: str = "illness") -> Column:
    """As a page finds it."""
    return Column.objects.select_related(WITH_VALUES).get(version=version, name=name)


def test_every_value_with_its_rows(version: Version) -> None:
    found = column(version)
    assert previewable(found)
    assert values_of(found).total() == version.rows


def test_what_was_read_before_has_none(version: Version) -> None:
    version.readings.update(values_kept=None)
    assert not previewable(column(version))
    assert values_of(column(version)) == {}


def test_a_column_that_was_not_kept_has_none(version: Version) -> None:
    found = column(version)
    found.name = "elsewhere"
    assert not previewable(found)
    assert values_of(found) == {}


def test_a_page_that_was_opened_while_they_went_shows_none(version: Version) -> None:
    found = column(version)
    blob = version.read_now().values_kept
    assert blob is not None
    (storage.root() / blob.path).unlink()
    assert not previewable(found)


def test_they_go_with_the_version(version: Version) -> None:
    blob = version.read_now().values_kept
    assert blob is not None
    versions.destroy(version=version, reason="Asked for.", by=version.uploaded_by)
    assert not previewable(column(version))
    blob.refresh_from_db()
    with pytest.raises(storage.Destroyed), storage.reading(blob):
        pass
