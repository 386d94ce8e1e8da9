"""Databases of earlier versions, with data in them, brought up to date on both databases."""

from collections.abc import Callable

import pytest

from stewardapp import keyring, storage
from stewardapp.access.thresholds import judge
from stewardapp.canonical import sha256_of
from stewardapp.domain import audit_chain
from stewardapp.domain.facts import run_facts
from stewardapp.models import Column, DataKey, Desk, Hierarchy, Policy, Query, Run
from tests.integration.growing import (
    ACHIEVED,
    AFTER_BOUNDS_FOR_LOCAL_PROMISES,
    VALUE,
    Grown,
    models_of,
    written,
)


def test_keys_leave_the_database_for_files(grown_up: Grown) -> None:
    left = grown_up.left["0014_rows_that_stand_alone"]
    assert left.wrapped not in written()
    assert storage.key_bytes(DataKey.objects.get(pk=left.identity)) == left.key
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(DataKey.objects.get(pk=left.gone))
    living = {str(key) for key in DataKey.objects.filter(destroyed_at=None).values_list("pk", flat=True)}
    assert str(left.identity) in living
    assert {path.name for path in (grown_up.data / "keys").iterdir()} == {*living, "seal-audit-log"}
    seal = keyring.seal_of("audit log")
    keyring.rotate()
    keyring._seal_of.cache_clear()
    assert keyring.seal_of("audit log") == seal


def test_the_end_of_a_log_from_before_is_sealed(grown_up: Grown) -> None:
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.count == 1


def test_values_in_clear_are_sealed_or_gone(grown_up: Grown) -> None:
    assert VALUE.encode() not in written()
    left = grown_up.left["0029_confirmed_kinds"].values
    column, gone = Column.objects.get(pk=left.column), Column.objects.get(pk=left.gone)
    assert (column.settings, column.profile) == ({"categories": [VALUE]}, {"top": VALUE})
    assert column.reason == f"{VALUE} is rare"
    assert (gone.settings, gone.profile, gone.reason) == ({}, {}, "")
    run = Run.objects.get(release=left.release)
    assert sha256_of(run.manifest) == run.manifest_sha256
    assert VALUE not in str(run.stated)
    assert VALUE in str((run.recipe, run.report, run.release.recipe))
    query, desk = Query.objects.get(version=left.version), Desk.objects.get(version=left.version)
    assert query.words == f"Count of {VALUE}"
    assert all(VALUE in str(one) for one in (query.question, query.answer, desk.dictionary))
    found = {one.name: (one.lines, one.is_kept) for one in Hierarchy.objects.all()}
    assert found == {"own": (f"{VALUE};*", False), "kept": (f"{VALUE};*", True), "lost": ("", False)}
    assert Hierarchy.objects.get(name="own").key_id == column.version.key_id
    assert left.kept == Hierarchy.objects.kept().get().pk


def test_policies_that_were_written_set_no_bound_for_local_promises(
    grown: Grown, earlier: Callable[[str], None]
) -> None:
    earlier(AFTER_BOUNDS_FOR_LOCAL_PROMISES)
    policies = models_of(AFTER_BOUNDS_FOR_LOCAL_PROMISES).get_model("stewardapp", "Policy").objects
    project = grown.left["0034_accounts_handed_over"]
    assert policies.get(project=project).maximum_local_epsilon is None
    policies.create(project_id=project, version=2)
    assert policies.get(project=project, version=2).maximum_local_epsilon == 3


@pytest.mark.parametrize("name", ACHIEVED)
def test_thresholds_become_rows_and_runs_keep_their_figures(grown_up: Grown, name: str) -> None:
    left = grown_up.left["0029_confirmed_kinds"].figures[name]
    rows = list(Policy.objects.get(pk=left.policy).rows.all())
    assert [(one.measure, one.figure, str(one.bound), one.excusable) for one in rows] == [
        ("reidentification", "smallest_class", "7.0000", False),
        ("reidentification", "highest_risk", "0.1500", False),
        ("kept-columns", "unique_share", "0.0400", True),
    ]
    kept, stated = (Run.objects.get(release=one) for one in (left.release, left.gone))
    for one in (kept, stated):
        facts = run_facts(one)
        holds = ACHIEVED[name] is None
        assert [bool(judge(row.facts(), facts)) for row in rows] == [holds, True, True]
    assert sha256_of(kept.manifest) == kept.manifest_sha256
    assert kept.figures["results"]["marginals#44136fa3"]["figures"] == {"mean_total_variation": 0.25}
    assert "marginals#44136fa3" not in stated.figures["results"]
