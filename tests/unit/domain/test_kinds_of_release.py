"""Every ready-made kind of release against the policy that a new project begins with.

No worker and no page: a recipe is carried out on invented people, and demands are held against its report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from stewardapp.access.facts import PolicyFacts, RunFacts
from stewardapp.access.thresholds import checklist, meets_policy, row_words
from stewardapp.access.verdict import Verdict
from stewardapp.domain.demands import entries, rows_of
from stewardapp.domain.manifest import facts_of, kept_figures
from stewardapp.domain.policy_presets import policy_preset, protecting
from stewardapp.forms.parameter_fields import ColumnChoice
from stewardapp.forms.presets import preset, presets
from stewardapp.models import Policy
from tests.engine.running import run, table_of
from worker.engine import catalogue
from worker.engine.randomness import key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Chunk

ROWS = 4000
MICRO = 1_000_000
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {
        "role": "quasi-identifier",
        "kind": "integer",
        "hierarchy": {"builder": "interval", "width": 10, "origin": 0, "fan_out": 2},
    },
    "sex": {"role": "quasi-identifier", "kind": "categorical", "categories": ["F", "M"]},
    "region": {"role": "quasi-identifier", "kind": "categorical"},
    "education": {"role": "quasi-identifier", "kind": "categorical"},
    "diagnosis": {"role": "sensitive", "kind": "categorical"},
}
CHOICES = tuple(
    ColumnChoice(name, Kind(part["kind"]), Role(part["role"]), counted=name == "sex")
    for name, part in COLUMNS.items()
)
MOVED = ("noise", "pram", "swapping", "microaggregation")


@cache
def people() -> list[dict[str, str]]:
    """Invented, the same each time."""
    draw = np.random.Generator(np.random.PCG64(4))
    drawn = {
        "age": np.clip(draw.normal(47, 16, ROWS), 18, 90).astype(int),
        "sex": draw.choice(["F", "M"], ROWS),
        "region": draw.choice(["east", "north", "south", "west"], ROWS, p=(0.4, 0.3, 0.2, 0.1)),
        "education": draw.choice(["lower", "middle", "higher"], ROWS, p=(0.3, 0.45, 0.25)),
        "diagnosis": draw.choice(["asthma", "diabetes", "healthy", "migraine"], ROWS),
    }
    return [dict(zip(drawn, map(str, row), strict=True)) for row in zip(*drawn.values(), strict=True)]


def demanded() -> PolicyFacts:
    """What a new project demands, as the rules read it."""
    whole = policy_preset("research-file")
    assert whole is not None
    rows = tuple(row.facts() for row in rows_of(Policy(version=1), protecting()))
    return PolicyFacts(rows, whole.maximum_local_epsilon, int(whole.maximum_epsilon * MICRO))


def released(recipe: Mapping[str, Any]) -> RunFacts:
    """What the rules know of a run, in which all is measured that the policy asks and nothing else."""
    instances = {row.instance for row in rows_of(Policy(version=1), protecting()) if row.instance}
    whole = {"version": 1, "columns": COLUMNS, **recipe, "measures": entries(instances)}
    parsed = Recipe.parse(whole)
    _, report = run(parsed, table_of(people()), key=None if parsed.tabulates else key_from_seed(1))
    manifest = {
        "microdata": not parsed.tabulates,
        **{name: report[name] for name in ("goals", "privacy_loss")},
    }
    return facts_of("succeeded", manifest, kept_figures(whole, report), stop_requested=False)


@cache
def by_preset(slug: str) -> RunFacts:
    """A release as the preset makes it."""
    chosen = preset(slug)
    assert chosen is not None
    return released(chosen.recipe(CHOICES))


def verdicts(facts: RunFacts) -> dict[str, Verdict]:
    """Each demand of the policy on a run."""
    return dict(checklist(facts, demanded()))


def answering(facts: RunFacts) -> set[str]:
    """The measures by which the demands were judged."""
    applying = {row.instance for row in demanded().rows if verdicts(facts)[row_words(row)].applies}
    return {id.partition("#")[0] for id in applying}


KINDS = {
    "researchers": ("truthful", {"reidentification", "kept-columns", "attribute-disclosure"}),
    **dict.fromkeys(MOVED, ("perturbed", {"record-linkage"})),
    "made-up": ("made up", {"hold-out-distances", "membership", "replicated-uniques"}),
    "counts": ("table under differential privacy", set[str]()),
}


def test_every_preset_but_one_that_is_empty_is_tried() -> None:
    assert {one.slug for one in presets()} == {*KINDS, "open-data", "blank"}


@pytest.mark.parametrize("slug", KINDS)
def test_a_good_release_of_each_kind_meets_the_policy_by_what_answers_for_it(slug: str) -> None:
    facts = by_preset(slug)
    assert meets_policy(facts, demanded()), meets_policy(facts, demanded()).reason
    assert (facts.family, answering(facts)) == KINDS[slug]
    idle = [one for one in verdicts(facts).values() if not one.applies]
    assert all(one.reason for one in idle)


def test_a_table_is_judged_by_its_privacy_loss() -> None:
    facts = by_preset("counts")
    assert not facts.microdata
    strict = replace(demanded(), maximum_epsilon_micro=MICRO // 4)
    assert meets_policy(facts, strict).code == "epsilon-too-large"


IDENTITY = [
    {"method": "noise", "params": {"column": "age", "amount": 1e-9}},
    *({"method": "pram", "params": {"column": name, "keep": 1.0}} for name in ("sex", "region", "education")),
]
MUTANTS = {
    "noise and exchanges of nothing": IDENTITY,
    "ranks that stay": [
        {"method": "rank-swapping", "params": {"columns": ["age"], "percent": 0.001}},
        *IDENTITY[1:],
    ],
    "one column of four": [{"method": "pram", "params": {"column": "sex", "keep": 0.8}}],
}


@pytest.mark.parametrize("steps", MUTANTS.values(), ids=MUTANTS)
def test_a_release_that_only_looks_perturbed_is_refused_by_the_figure_that_gates(steps: list[Any]) -> None:
    facts = released({"goals": [], "steps": steps})
    assert facts.family == "perturbed"
    found = verdicts(facts)
    [linked] = [found[row_words(row)] for row in demanded().rows if row.figure == "linked_share"]
    assert "linked correctly is" in linked.reason
    assert not linked
    assert not meets_policy(facts, demanded(), reason_stated=True), "no reason excuses it"


def copied(rows: str) -> Callable[..., Chunk]:
    """What a step lets out that says it invents rows: those it learnt from, or the whole file."""

    def transform(self: Any, chunk: Chunk, plan: Any, source: Any) -> Chunk:
        learnt = np.flatnonzero(~plan.held_out[chunk.row_ids])
        places = np.resize(learnt, chunk.rows) if rows == "training" else np.arange(chunk.rows)
        return chunk.with_columns(*(column.take(places) for column in chunk.columns))

    return transform


COPIES = {"training": "Identical beyond doubt", "all": "Replicated uniques, of uniques"}


@pytest.mark.parametrize("rows", COPIES)
def test_made_up_rows_that_are_copies_are_refused(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of rows that no step saw: then training and hold-out look alike, and uniques tell."""
    made_up = preset("made-up")
    assert made_up is not None
    recipe = made_up.recipe(CHOICES)
    [step] = recipe["steps"]
    monkeypatch.setattr(catalogue.methods()[step["method"]], "transform", copied(rows))
    facts = released(recipe)
    assert facts.family == "made up"
    assert COPIES[rows] in meets_policy(facts, demanded()).reason
