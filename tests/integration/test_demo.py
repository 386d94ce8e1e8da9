"""The demo project: whole, in every state, and continued where it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from stewardapp.access.workflow import State
from stewardapp.actions import audit
from stewardapp.management import demo
from stewardapp.models import (
    Charge,
    Dataset,
    Project,
    Query,
    Release,
    Replay,
    Run,
    Survey,
    User,
    Version,
    guards,
)
from worker import runner

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def emptied(transactional_db: None) -> Iterator[None]:
    """What the demo charged goes with the rest of the test's database, which refuses that by itself."""
    yield
    guards.remove()


class PlugPulled(BaseException):
    """What a Ctrl-C looks like from inside."""


def test_an_interrupted_demo_is_continued_and_holds_every_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "ROWS", 600)
    real, left = runner.perform, iter((True, True, False))

    def pull(kind: str, identity: str) -> None:
        if not next(left, True):
            raise PlugPulled
        real(kind, identity)

    monkeypatch.setattr(runner, "perform", pull)
    with override_settings(STEWARD_DATA=tmp_path):
        with pytest.raises(PlugPulled):
            demo.load()
        first = demo._passwords()
        personas = demo.load()
        assert demo.load() == personas
    assert {user: password for _, user, password in personas} == first
    assert set(Release.objects.values_list("state", flat=True)) >= set(State)
    assert (Project.objects.count(), Dataset.objects.count(), Version.objects.count()) == (1, 2, 2)
    assert set(Survey.objects.values_list("state", "answered")) == {("collecting", 300), ("draft", 0)}
    assert User.objects.count() == len(demo.PERSONAS)
    assert isinstance(audit.verify(), audit.Whole)
    assert Run.objects.succeeded().count() >= 7
    replay = Replay.objects.latest_result()
    assert replay is not None
    assert len(replay.result["attacks"]) == 4
    assert sorted(Charge.objects.values_list("epsilon_micro", flat=True)) == [
        50_000,
        50_000,
        100_000,
        250_000,
        500_000,
    ]
    assert set(Query.objects.values_list("state", flat=True)) == {"succeeded"}
