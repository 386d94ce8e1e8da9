"""Every row that is work has a file in `worker.jobs`, and no list names it."""

import pytest
from django.apps import apps

from stewardapp.models.job import Job
from worker.queue import kinds


def test_every_kind_of_work_has_its_file() -> None:
    rows = {model for model in apps.get_models() if issubclass(model, Job)}
    assert {kind.row for kind in kinds.kinds().values()} == rows


def test_a_kind_is_called_as_its_row() -> None:
    for name, kind in kinds.kinds().items():
        assert (kind.name, kind.row.__name__.lower()) == (name, name)


def test_a_message_about_work_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        kinds.kind("no-such-work")


def test_a_kind_says_what_it_does() -> None:
    class Idle(kinds.Kind[Job]):
        row = Job

    with pytest.raises(NotImplementedError):
        Idle().work(None)  # type: ignore[arg-type]
