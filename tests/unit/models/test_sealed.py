"""Values in rows: ciphertext in the database, bound to their place, gone with their key."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from django.apps import apps
from django.db import models

from stewardapp import keyring, storage
from stewardapp.models import Column, Release
from stewardapp.models.sealed import Sealed, SealedField, SealedRow, opened
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db

# JSON that may stay in clear: typed, about invented people, or names, figures and hashes only.
CLEAR = {
    "Assessment.error_mends",
    "AuditEvent.details",
    "Column.randomized",
    "Exploration.error_mends",
    "Leak.error_mends",
    "PolicyRow.params",
    "Query.error_mends",
    "Preview.error_mends",
    "Reading.dialect",
    "Reading.error_mends",
    "Replay.error_mends",
    "Replay.result",
    "Replay.settings",
    "Run.assessed",
    "Run.dictionary",
    "Run.error_mends",
    "Run.figures",
    "Run.stated",
    "SurveyAnswer.codes",
    "SurveyQuestion.answers",
    *(
        f"{job}.stages"
        for job in ("Assessment", "Exploration", "Leak", "Query", "Preview", "Reading", "Replay", "Run")
    ),
}


@pytest.fixture
def team() -> Team:
    return factories.make_project()


def test_every_document_in_clear_is_named_here() -> None:
    """Whoever adds a column that may hold anything says why it holds no value of the data."""
    documents = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("stewardapp").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.JSONField)
    }
    assert documents == CLEAR


def test_every_sealed_column_is_looked_at_by_one_name() -> None:
    for model in apps.get_app_config("stewardapp").get_models():
        columns = {field.name for field in model._meta.get_fields() if isinstance(field, SealedField)}
        looked = [part.column for part in vars(model).values() if isinstance(part, opened)]
        assert sorted(looked) == sorted(columns)
        assert not columns or issubclass(model, SealedRow)


def test_a_row_holds_ciphertext_and_opens_it(team: Team) -> None:
    release = Release.objects.get(pk=factories.make_release(team).pk)
    stored = release.sealed_recipe
    assert isinstance(stored, Sealed)
    assert b"k-anonymity" not in stored.stored
    assert stored.key == release.version.key_id
    assert release.recipe == factories.RECIPE
    assert release.recipe is release.recipe  # opened once
    release.refresh_from_db()
    assert release.recipe == factories.RECIPE


def test_nothing_in_clear_can_be_stored_by_mistake(team: Team) -> None:
    release = factories.make_release(team)
    with pytest.raises(TypeError, match="sealed values only"):
        Release.objects.filter(pk=release.pk).update(sealed_recipe=b'{"steps": []}')
    with pytest.raises(TypeError, match="not written out"):
        Release._meta.get_field("sealed_recipe").value_to_string(release)


def test_a_value_opens_in_its_own_place_only(team: Team) -> None:
    version = factories.make_version(team)
    one, other = version.columns.all()[:2]
    one.settings = {"categories": ["a"]}
    other.sealed_settings = one.sealed_settings
    with pytest.raises(InvalidTag):
        _ = other.settings
    one.sealed_profile = one.sealed_settings
    with pytest.raises(InvalidTag):
        _ = one.profile


def test_empty_is_nothing_and_destroyed_reads_as_empty(
    team: Team, django_capture_on_commit_callbacks: Any
) -> None:
    version = factories.make_version(team)
    column = version.columns.all()[0]
    assert column.sealed_settings is None
    column.settings, column.reason = {"categories": ["a"]}, "rare"
    column.save()
    with django_capture_on_commit_callbacks(execute=True):
        storage.destroy_key(version.key)
    column = Column.objects.get(pk=column.pk)
    assert column.sealed_settings is not None
    assert (column.settings, column.reason) == ({}, "")
    with pytest.raises(keyring.Destroyed):
        column.sealed_settings.opened(column.place("sealed_settings"))
    with pytest.raises(keyring.Destroyed):
        column.settings = {"categories": ["b"]}
