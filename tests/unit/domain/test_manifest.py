"""What the rules and the public read in a manifest."""

from decimal import Decimal
from typing import Any, ClassVar

import pytest

from stewardapp.canonical import canonical, sha256_of
from stewardapp.domain.manifest import facts_of, kept_figures, manifest_of, parted, public_part
from stewardapp.domain.policy_presets import protecting
from tests import factories
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, measures
from worker.engine.contracts.scene import Side
from worker.engine.tables.kinds import Role

K = {"goal": "k-anonymity", "required": 5, "achieved": 5, "holds": True}
SIZES = {"id": "reidentification#44136fa3", "measure": "reidentification"}
MANIFEST: dict[str, Any] = {
    "version": 2,
    "public_id": "p",
    "run": "internal",
    "microdata": True,
    "artifacts": [{"name": "release.csv", "public": True}, {"name": "records.csv", "public": False}],
    "recipe": {"columns": {}},
    "recipe_sha256": "r",
    "input_sha256": "secret",
    "input_rows": 6,
    "engine_version": "1",
    "policy": {"version": 1},
    "goals": [K],
    "measures": [
        {
            **SIZES,
            "before": {"smallest_class": 1, "highest_risk": 1.0},
            "after": {"smallest_class": 6, "highest_risk": 0.1},
        },
        {"id": "of-the-past#44136fa3", "measure": "of-the-past", "before": {"x": 1}, "after": {}},
    ],
    "results": [],
    "privacy_loss": {"epsilon": "0.1", "delta": 0},
}


KEPT = kept_figures(
    {},
    {
        "output": {"family": "truthful"},
        "measures": [
            factories.result(
                "reidentification",
                "risk",
                after={
                    "smallest_class": 6,
                    "highest_risk": 0.1,
                    "unit": "person",
                    "rows": 7,
                    "share_above": {"0.2": 0.25, "0.5": 0.0},
                },
            ),
            factories.result(
                "marginals",
                "utility",
                after={
                    "mean_total_variation": 0.25,
                    "total_variation": {"age": 0.5, "sex": 0.0},
                    "suppressed_cells": {},
                    "distinct": {"age": 3},
                },
            ),
            factories.result("kept-columns", "risk", state="failed", reason="It stopped."),
            factories.result("of-the-past", "risk", after={"x": 1}),
        ],
    },
)


def facts(**changes: Any) -> Any:
    return facts_of("succeeded", {**MANIFEST, **changes}, KEPT, stop_requested=False)


def test_figures_are_those_that_the_run_keeps() -> None:
    found = facts()
    assert found.family == "truthful"
    assert found.measured[SIZES["id"]].figures == {
        "smallest_class": 6,
        "highest_risk": Decimal("0.1"),
        "share_above/0.05": None,
        "share_above/0.2": Decimal("0.25"),
        "share_above/0.5": Decimal(0),
    }
    assert (found.goals_hold, found.epsilon_micro, found.microdata) == (True, 100_000, True)


def test_of_columns_the_worst_is_kept_and_none_is_named() -> None:
    moved = KEPT["results"]["marginals#44136fa3"]
    assert moved["figures"] == {"mean_total_variation": 0.25, "total_variation": 0.5}
    assert moved["idle"] == ["suppressed_cells"]
    unknown = factories.result("marginals", "utility", after={"total_variation": {"age": 0.5, "sex": None}})
    (kept,) = kept_figures({}, {"measures": [unknown]})["results"].values()
    assert kept["figures"] == {"total_variation": None}


class Telling(Measure):
    """What each column tells, of which two figures are kept."""

    slug = "telling-of-the-test"
    title = "Telling"
    section = Section.RISK
    figures: ClassVar = (
        Figure("any", "Any", "Of any column.", unit="share", better="low", per="column"),
        Figure(
            "secret",
            "Secret",
            "Of a secret.",
            unit="share",
            better="low",
            per="column",
            roles=(Role.SENSITIVE,),
        ),
    )

    def read(self, side: Side) -> Found:
        return Found({})


@pytest.mark.parametrize(
    ("roles", "secret", "idle"),
    [
        ({"age": "quasi-identifier", "illness": "sensitive", "income": "sensitive"}, {"secret": 0.4}, []),
        ({"age": "quasi-identifier", "illness": "other", "income": "other"}, {}, ["secret"]),
    ],
)
def test_a_figure_about_a_role_is_judged_by_the_columns_that_have_it(
    roles: dict[str, str], secret: dict[str, float], idle: list[str]
) -> None:
    found = {"age": 0.9, "illness": 0.4, "income": 0.1}
    entry = factories.result(Telling.slug, "risk", after={"any": found, "secret": found})
    recipe = {"columns": {name: {"role": role} for name, role in roles.items()}}
    catalogue.measures()
    measures.register(Telling)
    try:
        (kept,) = kept_figures(recipe, {"measures": [entry]})["results"].values()
    finally:
        del measures.classes[Telling.slug]
    assert (kept["figures"], kept["idle"]) == ({"any": 0.9, **secret}, idle)


def test_what_could_not_be_measured_is_kept_with_its_reason() -> None:
    failed = KEPT["results"][catalogue.measure("kept-columns")().id]
    assert (failed["state"], failed["reason"], failed["figures"]) == ("failed", "It stopped.", {})


def test_what_nobody_computed_is_not_known() -> None:
    found = facts_of("running", {}, {}, stop_requested=True)
    assert (found.goals_hold, found.measured, found.family) == (None, {}, "")
    assert found.stop_requested


def test_one_goal_that_fails_fails_all() -> None:
    assert facts(goals=[K, {**K, "holds": False}]).goals_hold is False


def test_epsilon_is_never_rounded_down() -> None:
    assert facts(privacy_loss={"epsilon": "0.0000001"}).epsilon_micro == 1


def test_the_public_part_tells_nothing_of_the_input() -> None:
    public = public_part(MANIFEST)
    assert public["artifacts"] == [{"name": "release.csv", "public": True}]
    assert public["measures"] == [{**SIZES, "after": {"smallest_class": 6, "highest_risk": 0.1}}]
    assert not {"input_sha256", "input_rows", "run", "recipe", "policy", "results"} & public.keys()


def test_a_manifest_of_version_1_still_tells_its_risk() -> None:
    sides = {"before": {"reidentification": {"smallest_class": 1}}}
    sides["after"] = {"reidentification": {"smallest_class": 7, "highest_risk": 1 / 7}}
    old = {
        **{name: part for name, part in MANIFEST.items() if name != "measures"},
        "version": 1,
        "risk": sides,
    }
    assert public_part(old)["risk"] == sides["after"]
    assert "measures" not in public_part(old)


def test_for_statistics_no_true_figure_leaves() -> None:
    assert not {"risk", "measures"} & public_part({**MANIFEST, "microdata": False}).keys()


@pytest.mark.django_db
def test_only_what_says_so_is_stated_and_everything_is_hashed() -> None:
    release = factories.make_release(factories.make_project())
    entries = [
        factories.result("reidentification", "risk", after={"smallest_class": 5}, params={"column": "age"}),
        factories.result("marginals", "utility", after={"mean_total_variation": 0.25}),
        factories.result("kept-columns", "risk", state="failed", reason="It stopped."),
    ]
    made = manifest_of(
        factories.make_run(release), artifacts=(), goals=[], report={"measures": entries}, engine_version="1"
    )
    stated, inside = parted(made)
    rows = stated["policy"]["rows"]
    assert [(one["measure"], one["figure"], one["bound"]) for one in rows] == [
        (one.measure, one.figure, f"{one.bound:.4f}") for one in protecting()
    ]
    assert [one["measure"] for one in stated["measures"]] == ["reidentification"]
    assert "params" not in stated["measures"][0]
    assert [(one["measure"], one["reason"]) for one in inside["results"]] == [
        ("reidentification", None),
        ("marginals", None),
        ("kept-columns", "It stopped."),
    ]
    assert inside["results"][1]["after"] == {"mean_total_variation": 0.25}
    assert not {"seconds", "charts"} & inside["results"][0].keys()


def test_equal_documents_have_one_spelling() -> None:
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    with pytest.raises(ValueError):
        canonical({"a": float("nan")})
