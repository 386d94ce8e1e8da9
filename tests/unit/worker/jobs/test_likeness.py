"""What a worker keeps by which people can be recognised: sealed, keyed, without a value."""

from typing import BinaryIO, cast

import pytest

from stewardapp import storage
from stewardapp.actions import readings
from stewardapp.domain import value_lists
from stewardapp.models import Version
from tests import factories
from worker.engine.io import likeness
from worker.engine.io.likeness import Sample
from worker.queue import runner

pytestmark = pytest.mark.django_db
NAMES = [f"person-{number:06}" for number in range(400)]


def read_by_worker(team: factories.Team, names: list[str]) -> Version:
    data = "\n".join(["name,age", *(f"{name},{number}" for number, name in enumerate(names)), ""]).encode()
    version = factories.upload(team, data=data)
    runner.perform("reading", str(version.readings.get().pk))
    version.refresh_from_db()
    return version


def sample_of(version: Version) -> Sample:
    blob = version.read_now().likeness
    assert blob is not None
    with storage.reading(blob) as file:
        content = file.read()
        assert not any(name.encode() in content for name in NAMES)
        found = likeness.read(cast(BinaryIO, file), "name")
    assert found is not None
    assert (storage.root() / blob.path).read_bytes().find(b'"columns"') < 0
    return found


def test_two_files_read_at_this_site_can_be_compared() -> None:
    team = factories.make_project()
    one = read_by_worker(team, NAMES[:300])
    other = factories.read_for_real(
        factories.upload(team, data="\n".join(["name", *map(str.upper, NAMES[150:]), ""]).encode())
    )
    assert sample_of(one).shared_with(sample_of(other)) == 150


def test_of_few_people_nothing_is_kept() -> None:
    assert read_by_worker(factories.make_project(), NAMES[:50]).read_now().likeness is None


def test_the_values_of_a_column_are_kept_sealed_and_those_of_an_earlier_reading_go() -> None:
    version = read_by_worker(factories.make_project(), NAMES)
    earlier = version.read_now().values_kept
    assert earlier is not None
    assert value_lists.values_of(version.columns.get(name="name")) == dict.fromkeys(NAMES, 1)
    content = (storage.root() / earlier.path).read_bytes()
    assert not any(name.encode() in content for name in NAMES)
    readings.start(version=version, dialect={"missing": [NAMES[0]]}, by=version.attempt.requested_by)
    runner.perform("reading", str(version.attempt.pk))
    version.refresh_from_db()
    earlier.refresh_from_db()
    assert earlier.destroyed_at is not None
    assert value_lists.values_of(version.columns.get(name="name")) == dict.fromkeys(NAMES[1:], 1)
