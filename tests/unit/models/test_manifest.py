"""What the rules and the public read in a manifest."""

from decimal import Decimal
from typing import Any

import pytest

from stewardapp.models.canonical import canonical, sha256_of
from stewardapp.models.manifest import facts_of, public_part

K = {"goal": "k-anonymity", "required": 5, "achieved": 5, "holds": True}
MANIFEST: dict[str, Any] = {
    "version": 1,
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
    "risk": {
        "before": {"reidentification": {"smallest_class": 1, "highest_risk": 1.0}},
        "after": {"reidentification": {"smallest_class": 6, "highest_risk": 0.1}},
    },
    "utility": {},
    "privacy_loss": {"epsilon": "0.1", "delta": 0},
}


def facts(**changes: Any) -> Any:
    return facts_of("succeeded", {**MANIFEST, **changes}, stop_requested=False)


def test_figures_are_those_recomputed_from_the_bytes() -> None:
    found = facts()
    assert (found.smallest_class, found.highest_risk) == (5, Decimal("0.1"))
    assert (found.goals_hold, found.epsilon_micro, found.microdata) == (True, 100_000, True)


def test_without_a_k_goal_the_measure_is_read() -> None:
    assert facts(goals=[]).smallest_class == 6
    assert facts(goals=[{**K, "achieved": None}]).smallest_class == 6


def test_what_nobody_computed_is_not_known() -> None:
    found = facts_of("running", {}, stop_requested=True)
    assert (found.goals_hold, found.smallest_class, found.highest_risk) == (None, None, None)
    assert found.stop_requested


def test_one_goal_that_fails_fails_all() -> None:
    assert facts(goals=[K, {**K, "holds": False}]).goals_hold is False


def test_epsilon_is_never_rounded_down() -> None:
    assert facts(privacy_loss={"epsilon": "0.0000001"}).epsilon_micro == 1


def test_the_public_part_tells_nothing_of_the_input() -> None:
    public = public_part(MANIFEST)
    assert public["artifacts"] == [{"name": "release.csv", "public": True}]
    assert public["risk"] == MANIFEST["risk"]["after"]
    assert not {"input_sha256", "input_rows", "run", "recipe", "policy", "utility"} & public.keys()


def test_for_statistics_no_true_figure_leaves() -> None:
    assert "risk" not in public_part({**MANIFEST, "microdata": False})


def test_equal_documents_have_one_spelling() -> None:
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    with pytest.raises(ValueError):
        canonical({"a": float("nan")})
