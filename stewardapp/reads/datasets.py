"""What pages of datasets, versions and their columns ask of the database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from stewardapp.domain.value_lists import WITH_VALUES
from stewardapp.models import Column, Dataset, Reading, Version
from stewardapp.models.version import VersionQuerySet


@dataclass(frozen=True)
class VersionRow:
    """A version, and how its latest attempt to be read stands; None where there was none."""

    version: Version
    attempt: str | None


@dataclass(frozen=True)
class DatasetRow:
    """A dataset and its newest version."""

    dataset: Dataset
    newest: VersionRow | None


def with_attempts(versions: VersionQuerySet) -> VersionQuerySet:
    """Versions in their order, each knowing its latest attempt."""
    attempts = Reading.objects.filter(version=OuterRef("pk")).order_by("-queued_at")
    found = versions.annotate(attempt_state=Subquery(attempts.values("state")[:1]))
    return found.select_related("current", "uploaded_by")


def version_rows(versions: Iterable[Version]) -> list[VersionRow]:
    """Each with its latest attempt, which it knows."""
    return [VersionRow(one, vars(one)["attempt_state"]) for one in versions]


def datasets_with_newest(datasets: Iterable[Dataset]) -> list[DatasetRow]:
    """Datasets in their order, each with its newest version."""
    found = list(datasets)
    same = Version.objects.filter(dataset=OuterRef("dataset")).order_by("-number")
    newest = Version.objects.filter(dataset__in=found, number=Subquery(same.values("number")[:1]))
    rows = {row.version.dataset_id: row for row in version_rows(with_attempts(newest))}
    return [DatasetRow(dataset, rows.get(dataset.pk)) for dataset in found]


def tagged_columns(version: Version) -> list[Column]:
    """The columns somebody gave a role; the others are dropped."""
    return list(version.columns.tagged())


def columns_with_hierarchies(version: Version) -> list[Column]:
    """All columns, each with its hierarchy and the way to its values."""
    return list(version.columns.select_related("hierarchy", WITH_VALUES))
