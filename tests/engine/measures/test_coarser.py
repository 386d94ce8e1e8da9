"""A coarser file never scores better on how much a row still says, nor one with more noise in the mean."""

import random
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest

from tests.engine.measures.scenes import TREE, Case, random_case, result_of
from worker.engine import catalogue
from worker.engine.contracts.traces import Trace

MEASURES = [
    pytest.param(example, id=cls.slug)
    for cls in catalogue.measures().values()
    if any(figure.of_rows for figure in cls.figures)
    for example in cls.examples()
]
ROUNDING = 1e-9


def readings_joined(case: Case, draw: random.Random) -> Case:
    """Every reading becomes a function of what it was: labels go up, intervals grow, values are joined."""
    made = deepcopy(case)
    up = {label: path[min(n + 1, 3)] for path in TREE.values() for n, label in enumerate(path)}
    changes: dict[str, Callable[[str], str]] = {
        "town": lambda text: up.get(text, text),
        "age": wider,
        "job": lambda text: "a or b" if text in ("a", "b") else text,
        "born": lambda text: text if text == "*" else text[:4],
        "pay": lambda text: "*",
    }
    for name, change in changes.items():
        if draw.random() < 0.5:
            made.after[name] = [change(text) for text in made.after[name]]
    return made


def parts_gone(case: Case, draw: random.Random) -> Case:
    """The original itself, and less of it: cells, rows or columns go."""
    made = deepcopy(case)
    for name in made.after:
        made.after[name] = ["*" if draw.random() < 0.2 else text for text in made.after[name]]
    made.kept = [draw.random() < 0.8 for _ in range(made.rows - 1)] + [True]
    if draw.random() < 0.5:
        del made.after[draw.choice(sorted(made.after))]
    return made


def finer_and_coarser(seed: int) -> tuple[Case, Case]:
    draw, case = random.Random(seed), random_case(seed)
    if seed % 2:
        return case, readings_joined(case, draw)
    case.after, case.kept = {name: case.before[name] for name in case.after}, []
    return case, parts_gone(case, draw)


def wider(text):
    """The interval of 40 around a number or around narrower intervals."""
    if text in ("", "*"):
        return text
    low = int(text.strip("[").split(",")[0]) // 40 * 40
    return f"[{low}, {low + 40}["


def scores(measure, case):
    """The figures about rows, higher being better; columns one by one too."""
    result = result_of(measure, case)
    for figure in measure.figures if result.after else ():
        found = result.after.get(figure.name)
        if figure.of_rows and found is not None:
            sign = 1 if figure.better == "high" else -1
            parts = found.items() if isinstance(found, dict) else [("", found)]
            yield from (((figure.name, part), sign * one) for part, one in parts if one is not None)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_coarser_file_never_scores_better(measure):
    compared = 0
    for seed in range(60):
        finer, rougher = (dict(scores(measure, one)) for one in finer_and_coarser(seed))
        for name in finer.keys() & rougher.keys():
            assert rougher[name] <= finer[name] + ROUNDING * max(1, abs(finer[name])), (seed, name)
            compared += 1
    assert compared > 60


AMOUNTS = (0, 0.1, 0.5, 2, 8)
SEEDS = range(20)


def noisy(amount: float, seed: int) -> Case:
    """Numbers with noise, and categories drawn anew more often the more noise there is."""
    draw = np.random.default_rng(seed)
    columns = {
        "x": {"role": "other", "kind": "decimal"},
        "c": {"role": "quasi-identifier", "kind": "categorical"},
    }
    values, texts = np.round(draw.normal(0, 1, 120), 3), draw.choice(list("abc"), 120)
    moved = values + amount * draw.normal(0, 1, 120)
    drawn = np.where(draw.random(120) < amount / 8, draw.choice(list("abc"), 120), texts)
    before = {"x": [f"{one:.3f}" for one in values], "c": texts.tolist()}
    after = {"x": [f"{one:.3f}" for one in moved], "c": drawn.tolist()}
    changed = {"x": Trace.PERTURBED, "c": Trace.PERTURBED}
    return Case(columns, before, after, traces=changed, steps={"x": 1, "c": 1})


@pytest.mark.parametrize("measure", MEASURES)
def test_more_noise_never_scores_better_in_the_mean(measure):
    means: list[dict] = []
    for amount in AMOUNTS:
        found = [dict(scores(measure, noisy(amount, seed))) for seed in SEEDS]
        common = set.intersection(*map(set, found))
        means.append({name: float(np.mean([one[name] for one in found])) for name in common})
    for less, more in pairwise(means):
        for name in less.keys() & more.keys():
            assert more[name] <= less[name] + ROUNDING * max(1, abs(less[name])), name
