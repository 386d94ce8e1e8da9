"""How a job ends: once, in one of five ways, with all it made or nothing."""

import errno
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from stewardapp import storage
from stewardapp.actions import releases
from stewardapp.actions import runs as run_actions
from stewardapp.domain import pricing
from stewardapp.models import (
    Artifact,
    AuditEvent,
    Blob,
    Charge,
    DataKey,
    JobState,
    Notification,
    Preview,
    Reading,
    Run,
)
from stewardapp.models.job import Job
from tests.factories import (
    RELEASED_CSV,
    REPLAYED,
    TRIED,
    Team,
    give_budget,
    make_preview,
    make_project,
    make_release,
    make_replay,
    make_run,
    make_version,
    upload,
)
from tests.site import Site, until
from tests.unit.worker.stand_in import GOAL, StandIn
from worker.engine.contracts.privacy import Spend
from worker.engine.errors import Cancelled, EngineError
from worker.engine.version import VERSION
from worker.process import parent as process
from worker.process.drawn import Mark
from worker.queue import app, claim, reaper, runner

CANARY = "canary-55d0"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, embedded_site: Site) -> StandIn:
    engine = StandIn()
    monkeypatch.setattr(process, "execute", engine.execute)
    return engine


@pytest.fixture
def team(embedded_site: Site) -> Team:
    return make_project()


@pytest.fixture
def run(engine: StandIn, team: Team, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("stewardapp.domain.runnable.checked", lambda recipe: (recipe, "0" * 64))
    return make_run(make_release(team))


def perform(job: Job) -> Any:
    runner.perform(type(job).__name__.lower(), str(job.pk))
    job.refresh_from_db()
    return job


def outcomes(job: Job) -> list[str]:
    return [event.action for event in AuditEvent.objects.about(job)]


def raiser(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def cancel(run: Run) -> None:
    run_actions.cancel(run=Run.objects.get(pk=run.pk), by=run.started_by)


def steal(run: Run) -> None:
    """What another worker does after the lease ended."""
    held = Run.objects.get(pk=run.pk)
    Run.objects.heartbeat(run.pk, held.fence, -1)
    assert Run.objects.requeue(run.pk, held.fence)
    assert Run.objects.claim(run.pk, "another", 30)


def nothing_made(run: Run) -> bool:
    kept = Blob.objects.filter(key=run.key).exists() or Artifact.objects.filter(run=run).exists()
    return not kept and not run.manifest and not list((storage.root() / storage.TEMPORARY).iterdir())


# Well


def test_a_job_leaves_a_line_with_the_seconds_of_its_stages(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "worker.queue.claim"):
        perform(run)
    [line] = [one for one in caplog.records if one.getMessage() == "job.ended"]
    told = vars(line)
    assert (told["kind"], told["job"]) == ("run", str(run.pk))
    assert list(told["stages"]) == ["Preparing", "Working"]
    assert told["seconds"] == pytest.approx(sum(told["stages"].values()))
    assert dict(map(tuple, run.stages)) == told["stages"]


def test_a_job_that_fails_or_was_taken_over_leaves_its_line_but_no_time_on_the_row_of_another(
    run: Run, engine: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    engine.before["anonymize"] = lambda: steal(run)
    with caplog.at_level(logging.INFO, "worker.queue.claim"):
        perform(run)
    assert [one.getMessage() for one in caplog.records].count("job.ended") == 1
    assert run.stages == []


def test_a_run_is_made_of_nothing_that_four_eyes_do_not_see(run: Run, engine: StandIn) -> None:
    """What is added here has makers: `domain/shaping.py` asks for them, test_contributors.py compares.

    What is `known` of the table has none: it follows from the table, its declarations and the engine. Other
    releases had their own four eyes, files that `leaks` names none; only measures see them and the `places`
    where their rows stood.
    """
    perform(run)
    job, details = engine.asked[0]
    of_run = {"recipe", "key", "labels", "populations"}
    of_version = {"input_sha256", "version_key", "known"}
    assert (job, set(details)) == ("anonymize", of_run | of_version | {"releases", "leaks", "places"})


def test_runs_on_a_version_share_the_key_of_randomized_answers(run: Run, engine: StandIn) -> None:
    again = make_run(run.release, by=run.started_by)
    perform(run)
    perform(again)
    one, other = (details for job, details in engine.asked if job == "anonymize")
    assert one["version_key"] == other["version_key"]
    assert len({one["key"], other["key"], one["version_key"]}) == 3


def test_a_preview_is_done_without_any_key_to_draw_with(run: Run, engine: StandIn) -> None:
    preview = make_preview(run.release, done=False)
    perform(preview)
    assert (preview.state, preview.result) == (JobState.SUCCEEDED, TRIED)
    ((job, details),) = engine.asked
    assert job == "preview"
    assert set(details) == {"recipe", "column", "populations"}
    assert outcomes(preview) == ["preview.succeeded", "preview.started"]


def test_a_preview_that_fails_says_so_on_its_page_alone(run: Run, engine: StandIn) -> None:
    preview = make_preview(run.release, done=False)
    engine.before["preview"] = raiser(EngineError("all-missing", "No value.", param="steps[0].params.column"))
    perform(preview)
    assert (preview.state, preview.error_message) == (JobState.FAILED, "No value.")
    assert not Notification.objects.filter(text__contains="No value.").exists()


def test_a_preview_nobody_waits_for_leaves_nothing(run: Run, engine: StandIn) -> None:
    preview = make_preview(run.release, done=False)
    engine.before["preview"] = lambda: Preview.objects.filter(pk=preview.pk).delete()
    runner.perform("preview", str(preview.pk))
    assert not Preview.objects.filter(pk=preview.pk).exists()
    assert not AuditEvent.objects.filter(action="preview.succeeded").exists()


def test_a_preview_of_destroyed_data_says_so(run: Run, engine: StandIn) -> None:
    preview = make_preview(run.release, done=False)
    Reading.objects.filter(pk=run.reading_id).update(table=None, rows=None)
    perform(preview)
    assert preview.error_code == "destroyed"


def test_a_replay_is_done_without_any_file(engine: StandIn, team: Team) -> None:
    replay = make_replay(team, done=False)
    perform(replay)
    assert (replay.state, replay.result) == (JobState.SUCCEEDED, REPLAYED)
    assert engine.asked == [("replay", {"settings": replay.settings})]
    assert outcomes(replay) == ["replay.succeeded", "replay.started"]


def test_a_replay_that_fails_says_so_on_its_page_alone(engine: StandIn, team: Team) -> None:
    replay = make_replay(team, done=False)
    engine.before["replay"] = raiser(EngineError("no-noise", "No sampler."))
    perform(replay)
    assert (replay.state, replay.error_message) == (JobState.FAILED, "No sampler.")
    assert not Notification.objects.filter(text__contains="No sampler.").exists()


def test_a_run_succeeds_with_everything_it_made(run: Run, engine: StandIn) -> None:
    perform(run)
    assert (run.state, run.percent, run.engine_version) == (JobState.SUCCEEDED, 100, "stand-in")
    assert [job for job, _ in engine.asked] == ["anonymize", "verify"]
    assert set(run.artifacts.values_list("name", "public")) == {("release.csv", True), ("records.csv", False)}
    with storage.reading(run.artifacts.get(name="release.csv").blob) as stored:
        assert stored.read() == RELEASED_CSV
    assert run.manifest["goals"] == [GOAL]
    assert outcomes(run) == ["run.succeeded", "run.started"]


def test_goals_in_the_manifest_are_the_recomputed_ones(run: Run, engine: StandIn) -> None:
    engine.change["anonymize"] = lambda answer: answer["report"].update(
        goals=[GOAL | {"achieved": 6.0 + 1e-12}]
    )
    perform(run)
    assert run.manifest["goals"][0]["achieved"] == 6


def test_where_persons_cannot_be_counted_the_stricter_finding_stands(run: Run, engine: StandIn) -> None:
    by_person = GOAL | {"unit": "person", "achieved": 5}
    engine.change["anonymize"] = lambda answer: answer["report"].update(goals=[by_person])
    perform(run)
    assert run.manifest["goals"] == [by_person]


def test_progress_is_written_while_it_runs(run: Run, engine: StandIn) -> None:
    seen = []
    engine.before["verify"] = lambda: seen.append(Run.objects.get(pk=run.pk))
    perform(run)
    assert (seen[0].percent, seen[0].stage, seen[0].seconds_left) == (40, "Working", 10)


def test_a_second_message_changes_nothing(run: Run, engine: StandIn) -> None:
    perform(run)
    perform(run)
    assert len(engine.asked) == 2
    assert (run.attempts, run.fence) == (1, 1)


def test_a_table_without_goals_to_verify(run: Run, engine: StandIn) -> None:
    engine.change["anonymize"] = lambda answer: answer.update(microdata=False)
    perform(run)
    assert run.state == JobState.SUCCEEDED
    assert [job for job, _ in engine.asked] == ["anonymize"]
    assert run.manifest["microdata"] is False


def test_a_reading_succeeds(engine: StandIn) -> None:
    reading = upload(make_project()).attempt
    assert reading is not None
    perform(reading)
    version = reading.version
    assert (reading.state, version.rows, version.columns.count()) == (JobState.SUCCEEDED, 6, 3)


# Badly


def test_a_refusal_of_the_engine_says_where(run: Run, engine: StandIn) -> None:
    engine.before["anonymize"] = raiser(
        EngineError("bad", "Choose another column.", "steps[0].params.base", 0)
    )
    perform(run)
    assert (run.state, run.error_code, run.error_param, run.error_step) == (
        JobState.FAILED,
        "bad",
        "steps[0].params.base",
        0,
    )
    assert run.error_message == "Choose another column."
    assert outcomes(run)[0] == "run.failed"
    assert Notification.objects.filter(user=run.started_by, text__contains="Choose another column.").exists()
    assert nothing_made(run)


def test_who_asked_for_a_reading_hears_that_it_failed(engine: StandIn) -> None:
    reading = upload(make_project()).attempt
    assert reading is not None
    engine.before["read"] = raiser(EngineError("ragged-row", "Line 3 has 4 cells."))
    perform(reading)
    note = Notification.objects.get(user=reading.requested_by, text__contains="Line 3 has 4 cells.")
    assert note.url == f"/versions/{reading.version_id}/"


@pytest.mark.parametrize(
    "found",
    [
        {"sha256": "0" * 64},
        {"rows": 5},
        {"unexpected": [4]},
        {"goals": [GOAL | {"holds": False}]},
        {"goals": [GOAL | {"achieved": 5}]},
        {"goals": [GOAL | {"achieved": "six"}]},
        {"goals": [GOAL | {"goal": "l-diversity"}]},
        {"goals": [GOAL | {"unit": "person", "holds": False}]},
    ],
)
def test_bytes_that_are_not_as_reported_are_not_released(
    run: Run, engine: StandIn, found: dict[str, Any]
) -> None:
    engine.change["verify"] = lambda answer: answer["files"]["release.csv"].update(found)
    perform(run)
    assert (run.state, run.error_code) == (JobState.FAILED, "verification")
    assert nothing_made(run)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, CANARY), "disk-full"),
        (process.ChildFailed("OSError", [], errno.EFBIG), "disk-full"),
        (storage.Destroyed(), "destroyed"),
        (ValueError(CANARY), "internal"),
        (process.ChildFailed("ValueError", ["local.py:7 plan"]), "internal"),
        (OSError(errno.EIO, CANARY), "internal"),
    ],
)
def test_what_nobody_planned_for_gets_a_sentence_and_no_value(
    run: Run, engine: StandIn, caplog: pytest.LogCaptureFixture, error: Exception, code: str
) -> None:
    engine.before["anonymize"] = raiser(error)
    with caplog.at_level(logging.ERROR):
        perform(run)
    assert (run.state, run.error_code) == (JobState.FAILED, code)
    assert CANARY not in run.error_message
    assert bool(run.error_reference) == (code == "internal")
    if code == "internal":
        assert run.error_reference in run.error_message
        assert caplog.records[-1].__dict__["reference"] == run.error_reference
    assert nothing_made(run)


def test_a_version_that_was_never_read_or_is_gone(run: Run, engine: StandIn) -> None:
    Reading.objects.filter(pk=run.reading_id).update(table=None, rows=None)
    perform(run)
    assert run.error_code == "destroyed"


def test_a_destroyed_key(run: Run, engine: StandIn) -> None:
    DataKey.objects.filter(pk=run.key_id).update(destroyed_at=timezone.now())
    perform(run)
    assert run.error_code == "destroyed"


# Cancelled, given back, lost


def test_a_cancel_stops_the_work_at_its_next_progress(run: Run, engine: StandIn) -> None:
    def cancelled_meanwhile() -> None:
        cancel(run)

    engine.before["anonymize"] = cancelled_meanwhile
    engine.change["anonymize"] = lambda answer: raiser(Cancelled())()
    perform(run)
    assert engine.watched == [False]
    assert run.state == JobState.CANCELLED
    assert outcomes(run)[0] == "run.cancelled"
    assert nothing_made(run)


def test_a_cancel_in_the_last_moment_undoes_everything(run: Run, engine: StandIn) -> None:
    engine.change["verify"] = lambda answer: cancel(run)
    perform(run)
    assert run.state == JobState.CANCELLED
    assert not run.artifacts.exists()
    assert not Blob.objects.filter(key=run.key).exists()


def test_the_late_result_of_a_zombie_is_refused(run: Run, engine: StandIn) -> None:
    engine.change["verify"] = lambda answer: steal(run)
    perform(run)
    assert (run.state, run.worker, run.fence) == (JobState.RUNNING, "another", 2)
    assert not run.artifacts.exists()
    assert outcomes(run) == ["run.started"]


def test_the_late_failure_of_a_zombie_is_refused(run: Run, engine: StandIn) -> None:
    def late() -> None:
        steal(run)
        raise EngineError("bad", "Too late.")

    engine.before["anonymize"] = late
    perform(run)
    assert (run.state, run.error_code) == (JobState.RUNNING, "")
    assert outcomes(run) == ["run.started"]


def test_an_ending_worker_gives_the_job_back_uncounted(
    run: Run, engine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim, "is_stopping", lambda: True)
    monkeypatch.setattr(runner, "is_stopping", lambda: True)
    engine.change["anonymize"] = lambda answer: raiser(Cancelled())()
    perform(run)
    assert engine.watched == [False]
    assert (run.state, run.attempts) == (JobState.QUEUED, 0)
    assert outcomes(run)[0] == "run.requeued"


def test_somebody_who_presses_ctrl_c_gets_the_job_back_uncounted(run: Run, engine: StandIn) -> None:
    engine.before["anonymize"] = raiser(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        perform(run)
    run.refresh_from_db()
    assert (run.state, run.attempts) == (JobState.QUEUED, 0)
    assert outcomes(run)[0] == "run.requeued"
    assert nothing_made(run)


def test_a_zombie_on_an_ending_worker_gives_nothing_back(
    run: Run, engine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "is_stopping", lambda: True)
    engine.change["verify"] = lambda answer: steal(run)
    perform(run)
    assert (run.state, run.worker) == (JobState.RUNNING, "another")


def test_a_child_that_dies_is_tried_once_more_and_then_given_up(run: Run, engine: StandIn) -> None:
    engine.before["anonymize"] = raiser(process.ChildLost(-9))
    perform(run)
    assert run.state == JobState.RUNNING
    until(reaper.reap, 5)
    perform(run)
    until(reaper.reap, 5)
    run.refresh_from_db()
    assert (run.state, run.error_code, run.attempts) == (JobState.FAILED, "worker-lost", 2)
    assert outcomes(run) == ["run.failed", "run.requeued", "run.started"]
    assert nothing_made(run)


@pytest.mark.parametrize("error", [OperationalError(CANARY), InterfaceError(CANARY)])
def test_a_database_that_goes_away_at_the_end_costs_an_attempt_not_the_run(
    run: Run, engine: StandIn, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    engine.before["verify"] = raiser(error)
    perform(run)
    assert run.state == JobState.RUNNING
    assert CANARY not in caplog.text
    engine.before.clear()
    until(reaper.reap, 5)
    perform(run)
    assert (run.state, run.attempts) == (JobState.SUCCEEDED, 2)


# The privacy budget


@pytest.fixture
def costly(run: Run, team: Team, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose only step takes ε = 0.1 of a budget of 0.25, as a step of the engine would."""
    monkeypatch.setattr(pricing, "costs_of", lambda recipe: (pricing.Cost(0, "A count", Spend(100_000)),))
    give_budget(team, run.release.version.dataset.population, Spend(250_000))
    return run


@pytest.mark.parametrize(
    ("params", "code"),
    [({"columns": ["age"]}, "no-cells"), ({"columns": ["nowhere"]}, "no-such-column")],
)
def test_what_no_data_could_answer_is_refused_before_it_is_paid_for(
    engine: StandIn, team: Team, params: dict[str, Any], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it was queued before anybody asked whether it could work."""
    monkeypatch.setattr("stewardapp.domain.runnable.checked", lambda recipe: (recipe, "0" * 64))
    version = make_version(team)
    give_budget(team, version.dataset.population, Spend(2_000_000))
    recipe = {"steps": [{"method": "dp-histogram", "params": {"epsilon": 1, **params}}]}
    release = releases.create(version=version, title="Ages", recipe=recipe, by=team.steward)
    found = perform(make_run(release))
    assert (found.state, found.error_code, found.error_step) == (JobState.FAILED, code, 0)
    assert (found.charged_at, Charge.objects.count(), engine.asked) == (None, 0, [])


def again(run: Run) -> Run:
    """The same question once more."""
    return make_run(run.release, by=run.started_by)


def test_a_charge_is_committed_before_anything_is_drawn(costly: Run, engine: StandIn) -> None:
    seen = []
    engine.before["anonymize"] = lambda: seen.append(Charge.objects.values_list("run", "step").get())
    perform(costly)
    assert seen == [(costly.pk, 0)]
    assert (costly.state, costly.error_message) == (JobState.SUCCEEDED, "")
    assert costly.charged_at is not None
    assert outcomes(costly) == ["run.succeeded", "budget.charged", "run.started"]


def drawing(run: Run) -> None:
    """What the engine leaves just before it draws."""
    Mark(str(storage.answer_folder(run))).make()


def test_a_takeover_of_a_charged_run_never_draws_again(costly: Run, engine: StandIn) -> None:
    def drawn_and_lost() -> None:
        drawing(costly)
        raise process.ChildLost(-9)

    engine.before["anonymize"] = drawn_and_lost
    perform(costly)
    until(reaper.reap, 5)
    perform(costly)
    assert (costly.state, costly.error_code) == (JobState.FAILED, "charged-unanswered")
    assert costly.charges.count() == 1
    assert len(engine.asked) == 1


def test_a_takeover_stores_the_answer_that_was_left(costly: Run, engine: StandIn) -> None:
    engine.after["anonymize"] = raiser(process.ChildLost(-9))
    perform(costly)
    assert costly.state == JobState.RUNNING
    storage.sweep(grace_seconds=0)
    until(reaper.reap, 5)
    perform(costly)
    assert (costly.state, costly.attempts) == (JobState.SUCCEEDED, 2)
    assert [job for job, _ in engine.asked] == ["anonymize", "verify"]
    assert costly.charges.count() == 1
    with storage.reading(costly.artifacts.get(name="release.csv").blob) as stored:
        assert stored.read() == RELEASED_CSV
    storage.sweep()
    assert not list((storage.root() / storage.ANSWERS).iterdir())


def test_a_run_that_was_stopped_before_anything_was_drawn_goes_on_under_its_charge(
    costly: Run, engine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ending:
        ending.setattr(claim, "is_stopping", lambda: True)
        ending.setattr(runner, "is_stopping", lambda: True)
        engine.before["anonymize"] = raiser(Cancelled())
        perform(costly)
    assert (costly.state, costly.attempts) == (JobState.QUEUED, 0)
    engine.before.clear()
    perform(costly)
    assert (costly.state, costly.error_message) == (JobState.SUCCEEDED, "")
    assert costly.charges.count() == 1


def test_an_answer_is_stored_even_when_two_workers_were_lost(costly: Run, engine: StandIn) -> None:
    engine.after["anonymize"] = raiser(process.ChildLost(-9))
    perform(costly)
    until(reaper.reap, 5)
    assert Run.objects.claim(costly.pk, "lost again", -1)
    until(reaper.reap, 5)
    perform(costly)
    assert (costly.state, costly.attempts) == (JobState.SUCCEEDED, 3)
    assert costly.charges.count() == 1


def test_an_answer_that_nobody_can_store_is_given_up(costly: Run, engine: StandIn) -> None:
    engine.after["anonymize"] = raiser(process.ChildLost(-9))
    perform(costly)
    for _ in range(2):
        until(reaper.reap, 5)
        assert Run.objects.claim(costly.pk, "lost again", -1)
    until(reaper.reap, 5)
    costly.refresh_from_db()
    assert (costly.state, costly.error_code) == (JobState.FAILED, "worker-lost")


def test_half_an_answer_is_none(costly: Run, engine: StandIn) -> None:
    engine.after["anonymize"] = raiser(process.ChildLost(-9))
    perform(costly)
    drawing(costly)
    (storage.answer_folder(costly) / "answer").unlink()
    until(reaper.reap, 5)
    perform(costly)
    assert (costly.state, costly.error_code) == (JobState.FAILED, "charged-unanswered")


def test_the_same_question_is_answered_again_at_no_cost(costly: Run, engine: StandIn) -> None:
    engine.change["anonymize"] = lambda answer: answer["report"]["engine"].update(version=VERSION)
    first, second = perform(costly), perform(again(costly))
    assert (second.state, second.error_message) == (JobState.SUCCEEDED, "")
    assert second.answered_by == first
    assert [job for job, _ in engine.asked].count("anonymize") == 1
    assert Charge.objects.count() == 1
    hashes = [dict(run.artifacts.values_list("name", "sha256")) for run in (first, second)]
    assert hashes[0] == hashes[1]
    with storage.reading(second.artifacts.get(name="release.csv").blob) as stored:
        assert stored.read() == RELEASED_CSV
    assert second.artifacts.get(name="records.csv").rows == first.artifacts.get(name="records.csv").rows


def test_another_engine_is_asked_anew(costly: Run, engine: StandIn) -> None:
    first, second = perform(costly), perform(again(costly))
    assert (first.engine_version, second.answered_by) == ("stand-in", None)
    assert Charge.objects.count() == 2


def test_a_run_that_nobody_can_pay_says_so(costly: Run, engine: StandIn) -> None:
    third = [perform(one) for one in (costly, again(costly), again(costly))][-1]
    assert (third.state, third.error_code) == (JobState.FAILED, "budget-exhausted")
    assert "Nothing was charged" in third.error_message
    assert third.charged_at is None
    assert Charge.objects.total() == Spend(200_000)


def test_a_claim_lost_before_the_charge_charges_nothing(
    costly: Run, engine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(recipe: Any) -> tuple[pricing.Cost, ...]:
        steal(costly)
        return (pricing.Cost(0, "A count", Spend(1)),)

    monkeypatch.setattr(pricing, "costs_of", late)
    perform(costly)
    assert (costly.charged_at, costly.worker) == (None, "another")
    assert not Charge.objects.exists()
    assert engine.asked == []


def test_this_process_is_not_ending() -> None:
    assert not app.is_stopping()
