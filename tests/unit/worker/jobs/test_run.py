"""The runs of a sweep: last in the queue, and the original is read once for all of them."""

from __future__ import annotations

import pytest

from stewardapp.actions import columns, releases
from stewardapp.domain.sweeping import Varied
from stewardapp.models import Run, Sweep
from tests import factories
from tests.site import Site
from worker.jobs import run as anonymizing
from worker.process import known
from worker.queue import outbox, runner
from worker.queue.kinds import kind

ROWS = "age,zip,illness\n" + "".join(
    f"{30 + n % 9},{1000 + n % 4},{('flu', 'cold')[n % 2]}\n" for n in range(120)
)
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "illness": "sensitive"}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sent: list[str] = []
    monkeypatch.setattr(outbox, "send", lambda _kind, identity: sent.append(identity))
    return sent


def first(sweep: Sweep) -> Run:
    return sweep.runs.order_by("number")[0]


def test_everything_else_comes_before_a_sweep(embedded_site: Site, sent: list[str]) -> None:
    team = factories.make_project()
    release = factories.make_release(team)
    waiting = first(factories.make_sweep(release))
    outbox.send_due()
    assert str(waiting.pk) in sent
    single = factories.make_run(release)
    assert kind("run").take(waiting.pk) is None
    waiting.refresh_from_db()
    assert (waiting.state, waiting.dispatched_at) == ("queued", None)
    sent.clear()
    outbox.send_due()
    assert sent.count(str(waiting.pk)) == 1  # announced anew
    assert kind("run").take(single.pk) is not None
    assert kind("run").take(waiting.pk) is not None
    assert kind("run").take(waiting.pk) is None


def test_it_stands_aside_for_other_kinds_of_jobs_too(embedded_site: Site) -> None:
    team = factories.make_project()
    release = factories.make_release(team)
    preview = factories.make_preview(factories.make_release(team, version=release.version), done=False)
    waiting = first(factories.make_sweep(release))
    assert kind("run").take(waiting.pk) is None
    assert kind("preview").take(preview.pk) is not None
    assert kind("run").take(waiting.pk) is not None


def test_a_sweep_runs_and_reads_the_original_once(
    embedded_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = factories.make_project()
    version = factories.read_for_real(factories.upload(team, data=ROWS.encode()))
    columns.tag(version=version, roles=ROLES, by=team.steward)
    recipe = {**factories.RECIPE, "measures": ["reidentification", "marginals"]}
    release = releases.create(version=version, title="Sweep", recipe=recipe, by=team.steward)
    sweep = factories.make_sweep(release, entries=[Varied("goals", 0, "k", (2, 4, 8))])
    added: list[int] = []
    add = known.add
    monkeypatch.setattr(known, "add", lambda table, fresh: (added.append(len(fresh)), add(table, fresh)))
    for run in sweep.runs.order_by("number"):
        runner.perform("run", str(run.pk))
    ended = list(sweep.runs.order_by("number"))
    assert [(run.state, run.error_message) for run in ended] == [("succeeded", "")] * 3
    assert [run.manifest["goals"][0]["required"] for run in ended] == [2, 4, 8]
    assert added[0] > 0
    assert added[1:] == [0, 0]


def test_nothing_waits_when_only_sweeps_do(embedded_site: Site) -> None:
    factories.make_sweep(factories.make_release(factories.make_project()))
    assert not anonymizing.something_else_waits()
