"""Tables that are there are measured; of a released file is found what the run that made it would have."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.engine.running import Rows, figures_of, recipe_of, table_of
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, measures
from worker.engine.contracts.scene import Scene
from worker.engine.errors import EngineError
from worker.engine.execution.assessing import LOST, TABLE, assess, compare, look_again, look_at_table
from worker.engine.execution.beside import Beside, place_among, unmarked
from worker.engine.execution.earlier import Noted
from worker.engine.execution.local import Output, anonymize
from worker.engine.io.source import open_side_by_side
from worker.engine.measures.utility.marginals import Marginals
from worker.engine.methods.rounding import Rounding
from worker.engine.randomness import key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.recipes.report import Report
from worker.engine.tables.table import MemorySource, Table

KEY = key_from_seed(5)
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "kind": "integer", "hierarchy": {"builder": "interval", "width": 10}},
    "zip": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": {"builder": "mask"}},
    "income": {"role": "other", "kind": "decimal"},
    "illness": {"role": "sensitive", "kind": "categorical"},
}
GENERALIZED = {
    "goals": [("k-anonymity", {"k": 4})],
    "steps": [("generalization", {"suppression_limit": 0.1})],
}
PERTURBED = {
    "steps": [
        ("noise", {"column": "income", "amount": 0.2}),
        ("pram", {"column": "illness"}),
        ("rounding", {"column": "age", "base": 5}),
    ]
}
KINDS: Mapping[str, Mapping[str, Any]] = {"generalized": GENERALIZED, "perturbed": PERTURBED}
EVERY = [slug for slug, measure in catalogue.measures().items() if not measure.problems({})]
"""All that can be had without parameters."""


def rows() -> Rows:
    """Ages, places, incomes – some of them missing – and illnesses."""
    draw = random.Random(3)
    return [
        {
            "age": str(draw.randint(20, 70)),
            "zip": draw.choice(["1011", "1012", "1021", "1022", ""]),
            "income": "" if draw.random() < 0.1 else f"{draw.gauss(3000, 800):.2f}",
            "illness": draw.choice(["cold", "flu", "none"]),
            "person": str(draw.randint(1, 150)),
            "weight": f"{draw.uniform(1, 9):.3f}",
        }
        for _ in range(300)
    ]


@dataclass
class Made:
    """What a run releases, as Parquet, its report, and what it keeps beside the release."""

    released: bytes
    report: Report
    columns: bytes
    held_out: bytes


def ran(recipe: Recipe, table: Table, **options: Any) -> Made:
    """A run that keeps what is needed to be looked at again."""
    out, columns, held_out = io.BytesIO(), io.BytesIO(), io.BytesIO()
    outputs, beside = [Output("parquet", out)], Beside(columns, held_out)
    report = anonymize(recipe, MemorySource(table), outputs, key=KEY, beside=beside, **options)
    return Made(out.getvalue(), report, columns.getvalue(), held_out.getvalue())


def made(recipe: Recipe, table: Table) -> tuple[bytes, Report]:
    """What a run releases, and its report."""
    one = ran(recipe, table)
    return one.released, one.report


def again(recipe: Recipe, table: Table, released: bytes, beside: bytes = b"", **options: Any) -> Report:
    """The measures of a recipe on a file that was released, and on what was kept beside it."""
    files = [io.BytesIO(one) for one in (released, beside) if one]
    source = open_side_by_side(files, [*recipe.read_columns(), place_among(recipe.columns)])
    return look_again(recipe, MemorySource(table), source, key=KEY, **options)


def told(report: Report) -> list[Any]:
    """The results without their times."""
    return [{**one, "seconds": None} for one in report.as_dict()["measures"]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_figures_and_charts_as_the_run_itself_found(kind: str) -> None:
    recipe, table = recipe_of(COLUMNS, **KINDS[kind], measures=EVERY), table_of(rows())
    one = ran(recipe, table)
    found = again(recipe, table, one.released, one.columns)
    assert [result.measure for result in found.measures] == EVERY
    assert told(found) == told(one.report)


def of_the_file(found: Report, other: Report) -> tuple[list[Any], list[Any]]:
    """What both say of what a file tells by itself: in whose place its rows stand, it does not."""
    pairs = zip(told(found), told(other), strict=True)
    alike = [pair for pair in pairs if not any("single rows" in (one["reason"] or "") for one in pair)]
    return [one for one, _ in alike], [other for _, other in alike]


def test_another_file_has_other_figures() -> None:
    """What is read is the file, and not what the steps would make."""
    recipe, table = recipe_of(COLUMNS, **GENERALIZED), table_of(rows())
    released, report = made(recipe_of(COLUMNS), table)
    same, different = of_the_file(again(recipe, table, released), made(recipe, table)[1])
    assert same != different
    same, different = of_the_file(again(recipe_of(COLUMNS), table, released), report)
    assert same == different


def test_what_was_read_of_the_original_by_the_run_is_not_read_again() -> None:
    recipe, table = recipe_of(COLUMNS, **PERTURBED), table_of(rows())
    out, noted = io.BytesIO(), Noted({})
    anonymize(recipe, MemorySource(table), [Output("parquet", out)], key=KEY, earlier=noted)
    assert noted.fresh
    later = Noted(noted.fresh)
    again(recipe, table, out.getvalue(), earlier=later)
    assert later.fresh == {}


@pytest.mark.parametrize("role", ["person-key", "weight"])
def test_figures_that_hang_on_what_stayed_behind_and_was_not_kept_are_not_told(role: str) -> None:
    columns = {**COLUMNS, "person": {"role": role, "kind": "integer"}}
    recipe, table = recipe_of(columns, **GENERALIZED), table_of(rows())
    found = again(recipe, table, made(recipe, table)[0])
    assert {(one.state, one.reason) for one in found.measures} == {
        ("does-not-apply", LOST.format("the column 'person'"))
    }
    assert all(one.before is one.after is None for one in found.measures)


BEHIND: Mapping[str, Mapping[str, Any]] = {
    "person": {"person": {"role": "person-key", "kind": "integer"}},
    "weight": {"weight": {"role": "weight", "kind": "decimal"}},
    "both": {
        "person": {"role": "person-key", "kind": "text"},
        "weight": {"role": "weight", "kind": "decimal"},
    },
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("behind", BEHIND)
def test_whose_a_row_is_and_what_it_weighs_is_known_from_what_was_kept(behind: str, kind: str) -> None:
    columns = {**COLUMNS, **BEHIND[behind]}
    recipe, table = recipe_of(columns, **KINDS[kind], measures=EVERY), table_of(rows())
    one = ran(recipe, table)
    assert told(again(recipe, table, one.released, one.columns)) == told(one.report)


def test_rows_that_were_left_out_have_nothing_kept_of_them() -> None:
    steps = [("generalization", {"suppression_limit": 0.4, "drop_suppressed": True})]
    recipe = recipe_of({**COLUMNS, **BEHIND["both"]}, [("k-anonymity", {"k": 9})], steps, EVERY)
    table = table_of(rows())
    one = ran(recipe, table)
    assert one.report.output["rows"] < len(rows())
    assert told(again(recipe, table, one.released, one.columns)) == told(one.report)


def test_of_columns_that_leave_only_the_places_of_the_rows_are_kept() -> None:
    released = {"weight": {"role": "weight", "kind": "decimal", "release": True}}
    one = ran(recipe_of({**COLUMNS, **released}, **PERTURBED), table_of(rows()))
    kept = open_side_by_side([io.BytesIO(one.columns)], ["place"])
    assert (kept.schema.names, kept.rows, one.held_out) == (("place",), 300, b"")


def test_a_column_of_the_data_may_be_called_as_the_places_are() -> None:
    named = {"place" if name == "zip" else name: part for name, part in COLUMNS.items()}
    given = [{"place" if name == "zip" else name: text for name, text in row.items()} for row in rows()]
    recipe, table = recipe_of(named, **GENERALIZED, measures=EVERY), table_of(given)
    one = ran(recipe, table)
    assert told(again(recipe, table, one.released, one.columns)) == told(one.report)


def test_where_memory_does_not_allow_it_rows_stay_in_the_order_of_the_file(followed: Followed) -> None:
    recipe, table = recipe_of(COLUMNS, **PERTURBED), table_of(rows())
    one = ran(recipe, table)
    again(recipe, table, one.released, one.columns, memory=1000)
    again(recipe, table, one.released, one.columns, memory=1 << 28)
    assert followed.scenes == [True, False, True]


def test_what_was_kept_of_another_run_is_refused() -> None:
    recipe, table = recipe_of({**COLUMNS, **BEHIND["person"]}, **PERTURBED), table_of(rows())
    fewer = ran(recipe, table_of(rows()[:200]))
    with pytest.raises(EngineError, match="same rows"):
        again(recipe, table, ran(recipe, table).released, fewer.columns)


class Beyond(Measure):
    """Counts what the table alone does not tell."""

    slug = "beyond"
    title = "Beyond"
    section = Section.UTILITY
    figures: ClassVar = (
        Figure("held", "Held out", "Rows held out.", unit="count"),
        Figure("others", "Others", "Rows of other releases.", unit="count"),
        Figure("titles", "Titles", "What they are called.", unit="words"),
    )

    def compare(self, scene: Scene) -> Found:
        assert scene.held_out is not None
        others = scene.outside.releases()
        return Found(
            {
                "held": int(scene.held_out[::2].sum()),
                "others": sum(one.rows() for one in others.values()),
                "titles": ", ".join(others),
            }
        )


def test_rows_held_out_and_other_releases_are_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measures.classes, Beyond.slug, Beyond)
    planned, aside = Rounding.plan, np.arange(300) % 7 == 0
    monkeypatch.setattr(Rounding, "plan", lambda *a: replace(planned(*a), held_out=aside))
    recipe, table = recipe_of(COLUMNS, **PERTURBED), table_of(rows())
    others = {"another": MemorySource(table_of(rows()[:40]))}
    one = ran(recipe, table, releases=others)
    held_out = unmarked(one.held_out, 300)
    assert held_out.tolist() == aside.tolist()
    found = again(recipe, table, one.released, one.columns, held_out=held_out, releases=others)
    (beyond,) = (result for result in found.measures if result.measure == Beyond.slug)
    assert beyond.after == {"held": int(aside[::2].sum()), "others": 40, "titles": "another"}
    assert told(found) == told(one.report)


def test_a_weight_that_leaves_is_in_the_file() -> None:
    columns = {**COLUMNS, "person": {"role": "weight", "kind": "integer", "release": True}}
    recipe, table = recipe_of(columns, **PERTURBED), table_of(rows())
    released, report = made(recipe, table)
    found, expected = of_the_file(again(recipe, table, released), report)
    assert found
    assert found == expected


def test_of_a_table_with_noise_nothing_is_read() -> None:
    columns = {"age": {"role": "quasi-identifier", "kind": "integer", "bounds": [0, 100], "bin_width": 10}}
    recipe = recipe_of(columns, steps=[("dp-histogram", {"columns": ["age"], "epsilon": 1})])
    found = look_at_table(recipe).measures
    assert {(one.state, one.reason) for one in found} == {("does-not-apply", TABLE)}
    assert len(found) == len(recipe.measures)


@dataclass
class Followed:
    """What a measure was shown."""

    scenes: list[bool]


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Followed:
    """Whether the release that a measure compares knows where its rows stood."""
    seen, compare = Followed([]), Marginals.compare

    def looking(measure: Marginals, scene: Scene) -> Found:
        seen.scenes.append(scene.aligned)
        return compare(measure, scene)

    monkeypatch.setattr(Marginals, "compare", looking)
    return seen


def test_a_file_without_anything_beside_it_does_not_know_where_its_rows_stood(followed: Followed) -> None:
    recipe, table = recipe_of(COLUMNS, **PERTURBED), table_of(rows())
    again(recipe, table, made(recipe, table)[0])
    assert followed.scenes == [True, False]


ROLES = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "disease": {"role": "sensitive"},
    "note": {"role": "other"},
}


def people() -> Table:
    """Three pairs of one age."""
    return table_of([{"age": str(30 + i // 2), "disease": f"d{i % 3}", "note": f"n{i}"} for i in range(6)])


def test_assess_reads_the_data_as_they_are() -> None:
    report = assess(recipe_of(ROLES, [("k-anonymity", {"k": 2})]), MemorySource(people())).as_dict()
    assert all(one["after"] is None for one in report["measures"])
    states = {one["measure"]: one["state"] for one in report["measures"]}
    assert (states["reidentification"], states["marginals"]) == ("measured", "does-not-apply")
    assert report["goals"][0]["achieved"] == 2


def test_compare_measures_a_file_that_another_tool_made() -> None:
    original, released = people(), table_of([{"age": "*", "disease": "flu", "note": "x"}] * 5)
    report = compare(
        recipe_of(ROLES, [("k-anonymity", {"k": 5})]), MemorySource(original), MemorySource(released)
    ).as_dict()
    assert figures_of(report, "reidentification")["classes"] == 1
    assert figures_of(report, "marginals")["suppressed_cells"]["age"] == 5
    assert report["goals"][0]["holds"]
    assert (report["input"]["rows"], report["output"]["rows"]) == (6, 5)
