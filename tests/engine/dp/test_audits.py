"""ε as it can be seen from outside: whole recipes on two neighbouring tables, and what their answers prove.

Every kind of question and every method that promises differential privacy has an audit here, or the first
test fails. The groups of a question do not overlap, so that one run answers a thousand times: in each group
somebody is there, or nobody is. What the samples prove (Clopper–Pearson, α = 1e-9) is at most the ε that was
paid; the twin, which draws with a part of the noise, proves more. `make faults` looks more closely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from tests.engine.dp.judging import lower_epsilon
from tests.engine.running import recipe_of, rows_of, run
from tests.sampling import WHOLE
from worker.engine import catalogue
from worker.engine.contracts.method import Guarantee
from worker.engine.dp import histograms, mechanisms
from worker.engine.dp.questions import Ask
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

RUNS = 10 if WHOLE else 1
MANY, SOME = 1000, 400
SYNTHESES = 2500 if WHOLE else 250
EPSILON = 1
COLUMNS = {
    "group": {"role": "other", "kind": "integer", "bounds": [0, MANY - 1], "bin_width": 1},
    "x": {"role": "other", "kind": "integer", "bounds": [0, 100], "bin_width": 1},
    "cell": {"role": "other", "categories": ["a", "b"]},
}
Figures = Callable[[list[dict[str, str]]], list[float]]


def people(present: bool, groups: int, x: str = "100") -> Table:
    """In every group one person, at an end of everything, or nobody."""
    rows = [(str(group), x, "a") for group in range(groups)] if present else []
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    made = zip(COLUMNS, columns, (Kind.INTEGER, Kind.INTEGER, Kind.TEXT), strict=True)
    return Table([Column.of_texts(name, list(texts), kind) for name, texts, kind in made], 0, len(rows))


def number(rows: list[dict[str, str]]) -> list[float]:
    """The answers; that there seems to be nobody counts as the least."""
    return [float(row["answer"] or -1) for row in rows]


def of_a(rows: list[dict[str, str]]) -> list[float]:
    return [float(row["answer"]) for row in rows if row["cell"] == "a"]


def is_a(rows: list[dict[str, str]]) -> list[float]:
    """Whether the first of the answers of a group is a."""
    first = {row["group"]: row["answer"] for row in reversed(rows)}
    return [float(answer == "a") for answer in first.values()]


NUMBERS: dict[str, Any] = {"column": "x"}
ASKED: dict[str, tuple[dict[str, Any], Figures, int, int]] = {
    "count": ({}, number, MANY, 4),
    "sum": (NUMBERS, number, MANY, 4),
    "mean": (NUMBERS, number, MANY, 8),
    "variance": (NUMBERS, number, MANY, 8),
    "minimum": (NUMBERS, number, SOME, 32),
    "maximum": (NUMBERS, number, SOME, 32),
    "median": (NUMBERS, number, SOME, 32),
    "quantile": ({**NUMBERS, "share": "0.7"}, number, SOME, 32),
    "histogram": ({"column": "cell"}, of_a, MANY, 4),
    "most-common": ({"column": "cell"}, is_a, MANY, 8),
    "top-k": ({"column": "cell", "top": 1}, is_a, MANY, 8),
}
"""For each kind of question: what else it says, what is looked at, in how many groups, and which part of the
noise its twin draws: the fewer answers are looked at, and the more parts share the price, the smaller."""


def answers(ask: str, present: bool) -> np.ndarray[Any, Any]:
    """From whole files, one figure per group."""
    more, figures, groups, _ = ASKED[ask]
    params = {"ask": ask, "by": ["group"], "epsilon": EPSILON, **more}
    group = {**COLUMNS["group"], "bounds": [0, groups - 1]}
    recipe = recipe_of({**COLUMNS, "group": group}, [], [("dp-query", params)], [])
    found = [
        figures(rows_of(run(recipe, people(present, groups, "0" if ask == "minimum" else "100"))[0]))
        for _ in range(RUNS)
    ]
    return np.concatenate([np.array(one) for one in found])


def tables(slug: str, present: bool) -> np.ndarray[Any, Any]:
    """The same for the methods that make a whole table."""
    if slug == "dp-histogram":
        recipe = recipe_of(COLUMNS, [], [(slug, {"columns": ["group"], "epsilon": EPSILON})], [])
        runs = [rows_of(run(recipe, people(present, MANY))[0]) for _ in range(RUNS)]
        return np.array([float(row["count"]) for rows in runs for row in rows])
    columns = {"cell": COLUMNS["cell"]}
    recipe = recipe_of(columns, [], [(slug, {"columns": ["cell"], "epsilon": EPSILON})], [])
    table = Table([Column.of_texts("cell", ["a"] if present else [])], 0, int(present))
    runs = [rows_of(run(recipe, table)[0]) for _ in range(SYNTHESES)]
    return np.array([float(sum(row["cell"] == "a" for row in rows)) for rows in runs])


LESS = {f"dp-query: {ask}": said[-1] for ask, said in ASKED.items()} | {"dp-histogram": 4, "dp-synthetic": 8}
AUDITS: dict[str, Callable[[bool], np.ndarray[Any, Any]]] = {
    **{f"dp-query: {ask}": lambda present, ask=ask: answers(ask, present) for ask in ASKED},
    **{slug: lambda present, slug=slug: tables(slug, present) for slug in ("dp-histogram", "dp-synthetic")},
}


def proved(audit: str) -> float:
    """The largest ε that the two samples prove, in whichever direction and beyond whichever figure."""
    there, nobody = AUDITS[audit](True), AUDITS[audit](False)
    pairs = [(there, nobody), (nobody, there), (-there, -nobody), (-nobody, -there)]
    found = [lower_epsilon(*pair, at_least=at) for pair in pairs for at in looked_at(pair[0])]
    return float(np.nanmax([-np.inf, *found]))  # where nothing is beyond, nothing is proved


def looked_at(figures: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A few figures, from the least to the greatest."""
    return np.unique(np.quantile(figures, np.linspace(0, 1, 30), method="nearest"))


def less_noise(monkeypatch: pytest.MonkeyPatch, less: int) -> None:
    """Every draw with a part of the noise that was paid for."""
    noisy, best = mechanisms.noisy, mechanisms.noisy_best

    def quieter(counts: Any, noise: Any) -> Any:
        return noisy(counts, replace(noise, scale=noise.scale / less, epsilon=noise.epsilon * less))

    def surer(scores: Any, change: int, scale: float, epsilon: Any, monotone: bool) -> int:
        return best(scores, change, scale / less, epsilon * less, monotone)

    monkeypatch.setattr(mechanisms, "noisy", quieter)
    monkeypatch.setattr(mechanisms, "noisy_best", surer)
    monkeypatch.setattr(histograms, "noisy", quieter)


def test_every_promise_has_an_audit() -> None:
    promising = {
        slug
        for slug, method in catalogue.methods().items()
        if method.guarantee is Guarantee.DIFFERENTIAL_PRIVACY
    }
    assert {name.partition(":")[0] for name in AUDITS} == promising
    assert set(ASKED) == set(get_args(Ask))


@pytest.mark.parametrize("audit", AUDITS)
def test_no_answer_proves_more_than_was_paid(audit: str) -> None:
    assert proved(audit) <= EPSILON


@pytest.mark.parametrize("audit", AUDITS)
def test_less_noise_is_found_out(audit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    less_noise(monkeypatch, LESS[audit])
    assert proved(audit) > EPSILON
