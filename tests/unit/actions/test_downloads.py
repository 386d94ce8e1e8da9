"""That a published file is damaged, or whole again, is said once."""

from __future__ import annotations

import pytest

from stewardapp.access.verdict import Conflict
from stewardapp.actions import downloads
from stewardapp.models import Artifact, AuditEvent
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def artifact() -> Artifact:
    release = factories.make_release(factories.make_project(), state="published")
    assert release.candidate is not None
    return release.candidate.artifacts.get(name="release.csv")


def test_damage_is_told_once(artifact: Artifact) -> None:
    downloads.note_damage(artifact=artifact)
    before = AuditEvent.objects.count()
    with pytest.raises(Conflict):
        downloads.note_damage(artifact=artifact)
    assert AuditEvent.objects.count() == before


def test_whole_files_are_not_whole_again(artifact: Artifact) -> None:
    with pytest.raises(Conflict):
        downloads.note_whole(artifact=artifact)
    downloads.note_damage(artifact=artifact)
    downloads.note_whole(artifact=artifact)
    with pytest.raises(Conflict):
        downloads.note_whole(artifact=artifact)
