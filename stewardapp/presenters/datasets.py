"""Datasets and versions as lines of a table."""

from typing import NamedTuple

from stewardapp.models import Dataset, JobState, Version


class DatasetLine(NamedTuple):
    """A dataset with its newest version and that version's state."""

    dataset: Dataset
    version: Version | None
    state: str


class VersionLine(NamedTuple):
    """A version and its state."""

    version: Version
    state: str


def state_of(version: Version) -> str:
    """One word of presenters.status for where a version stands."""
    if version.destroyed_at is not None:
        return "destroyed"
    reading = version.attempt
    if reading is not None and reading.is_alive:
        return "reading"
    if version.current_id is not None:
        return "ready"
    return "cancelled" if reading is not None and reading.state == JobState.CANCELLED else "unreadable"


def dataset_line(dataset: Dataset) -> DatasetLine:
    """One line of a list of datasets."""
    version = dataset.latest_version
    return DatasetLine(dataset, version, state_of(version) if version else "")


def version_line(version: Version) -> VersionLine:
    """One line of a dataset's versions."""
    return VersionLine(version, state_of(version))
