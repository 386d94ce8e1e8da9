"""Who may do what with data: the role, and what stands in the way."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from stewardapp.access import data_rules as rules
from stewardapp.access.facts import DatasetFacts, JobFacts, Person, ProjectKeyFacts, VersionFacts
from stewardapp.access.roles import Role

STEWARD, REVIEWER, ANALYST = (Person(uuid.uuid4(), frozenset({role})) for role in Role)
ADMIN, NOBODY = Person(uuid.uuid4(), is_admin=True), Person(uuid.uuid4())
VERSION, DATASET, KEY = VersionFacts(), DatasetFacts(), ProjectKeyFacts(exists=True)
RUNNING = JobFacts("running")

# Rule, what it is about, who may.
ALLOWED: tuple[tuple[Callable[..., Any], tuple[object, ...], set[Person]], ...] = (
    (rules.may_view_project, (), {STEWARD, REVIEWER, ANALYST, ADMIN}),
    (rules.may_create_project, (), {ADMIN}),
    (rules.may_manage_members, (), {ADMIN}),
    (rules.may_revise_policy, (), {ADMIN}),
    (rules.may_manage_people, (), {ADMIN}),
    (rules.may_manage_populations, (), {STEWARD, ADMIN}),
    (rules.may_view_audit, (), {STEWARD, REVIEWER, ADMIN}),
    (rules.may_create_project_key, (ProjectKeyFacts(),), {STEWARD}),
    (rules.may_replace_project_key, (KEY,), {STEWARD, ADMIN}),
    (rules.may_create_dataset, (), {STEWARD}),
    (rules.may_remove_dataset, (DATASET,), {STEWARD}),
    (rules.may_upload, (), {STEWARD}),
    (rules.may_view_version, (), {STEWARD, REVIEWER}),
    (rules.may_read_again, (VERSION,), {STEWARD}),
    (rules.may_cancel_reading, (RUNNING,), {STEWARD}),
    (rules.may_tag, (VERSION,), {STEWARD}),
    (rules.may_edit_hierarchies, (), {STEWARD}),
    (rules.may_destroy, (VERSION,), {STEWARD, ADMIN}),
)


def test_no_rule_is_left_out() -> None:
    there = {name for name in vars(rules) if name.startswith("may_")}
    assert {rule.__name__ for rule, _, _ in ALLOWED} == there


@pytest.mark.parametrize(("rule", "about", "allowed"), ALLOWED, ids=lambda one: getattr(one, "__name__", ""))
def test_who_may(rule: Callable[..., Any], about: tuple[object, ...], allowed: set[Person]) -> None:
    assert {one for one in (STEWARD, REVIEWER, ANALYST, ADMIN, NOBODY) if rule(one, *about)} == allowed


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (rules.may_view_version(ADMIN), "admins-do-not-read"),
        (rules.may_view_version(ANALYST), "no-permission"),
        (rules.may_create_project_key(STEWARD, KEY), "key-exists"),
        (rules.may_replace_project_key(STEWARD, ProjectKeyFacts()), "no-key"),
        (rules.may_replace_project_key(STEWARD, ProjectKeyFacts(exists=True, busy=True)), "busy"),
        (rules.may_remove_dataset(STEWARD, DatasetFacts(removed=True)), "removed"),
        (rules.may_remove_dataset(STEWARD, DatasetFacts(used=True)), "used"),
        (rules.may_remove_dataset(STEWARD, DatasetFacts(holds_data=True)), "holds-data"),
        (rules.may_read_again(STEWARD, VersionFacts(destroyed=True)), "destroyed"),
        (rules.may_read_again(STEWARD, VersionFacts(busy=True)), "busy"),
        (rules.may_cancel_reading(STEWARD, JobFacts("failed")), "ended"),
        (rules.may_tag(STEWARD, VersionFacts(has_table=False)), "not-read"),
        (rules.may_tag(STEWARD, VersionFacts(destroyed=True)), "destroyed"),
        (rules.may_destroy(ADMIN, VersionFacts(busy=True)), "busy"),
    ],
)
def test_what_stands_in_the_way(verdict: Any, code: str) -> None:
    assert verdict.code == code
    assert verdict.reason
