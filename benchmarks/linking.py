"""Record linkage beside scipy's bare tree, and beside counting the tuples that it works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from benchmarks.timing import best_of
from worker.engine.contracts.channels import Transitions
from worker.engine.contracts.traces import Trace
from worker.engine.linkage.attackers import Release
from worker.engine.linkage.distances import nearest_standings
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Tuples
from worker.engine.randomness import Source, key_from_seed
from worker.engine.tables.frequency import Domain
from worker.engine.tables.keys import pack
from worker.engine.tables.kinds import Kind

if TYPE_CHECKING:
    from benchmarks.suite import Setting

POINTS, NUMBERS = 100_000, 4
KEYS, CATEGORIES, KEEP, TARGETS = 7, 6, 0.8, 10_000
SECONDS = 5.0
"""What linking may take per core."""


def linking(setting: Setting) -> list[Result]:
    """Numbers with noise, and categories after PRAM."""
    return [_nearest(setting), _informed(setting)]


def _nearest(setting: Setting) -> Result:
    """Both measured in turns, with both cores."""
    from scipy.spatial import cKDTree

    rng, rows = np.random.default_rng(1), min(setting.rows, POINTS)
    was = rng.standard_normal((rows, NUMBERS))
    became = was + 0.2 * rng.standard_normal(was.shape)
    ones, there = np.ones(rows, np.int64), np.ones(rows, bool)
    ours, bare = [], []
    for _ in range(max(setting.repeat, 3)):
        bare.append(best_of(1, lambda: cKDTree(became).query(was, k=3, workers=2)))
        ours.append(best_of(1, lambda: nearest_standings(became, ones, was, became, there, 3)))
    return Result("distance linkage, 4 numbers", min(ours), min(bare), "scipy: tree and query", 1.2)


def _informed(setting: Setting) -> Result:
    """Counting tuples, likelihoods, all three attackers and what they believe."""
    rng = np.random.default_rng(1)
    was = rng.integers(0, CATEGORIES, (setting.rows, KEYS)).astype(np.int32)
    moved = rng.random(was.shape) >= KEEP
    other = (was + rng.integers(1, CATEGORIES, was.shape)) % CATEGORIES
    became = np.where(moved, other, was).astype(np.int32)
    took = best_of(setting.repeat, lambda: linked(was, became))
    return Result(f"informed linkage after PRAM, {KEYS} keys", took, SECONDS, "5 s per core", 1.0)


def linked(was: np.ndarray, became: np.ndarray) -> None:
    """All that is done after the rows were read."""
    originals, released = _counted(was), _counted(became)
    matrix = np.full((CATEGORIES, CATEGORIES), (1 - KEEP) / (CATEGORIES - 1))
    np.fill_diagonal(matrix, KEEP)
    texts = tuple(str(i) for i in range(CATEGORIES))
    domain = Domain("key", Kind.CATEGORICAL, texts, np.zeros(CATEGORIES, bool))
    counts = np.ones(CATEGORIES, np.int64)
    channel = Transitions(texts, matrix)
    keys = (Key(domain, domain, counts, counts, None, Trace.PERTURBED, channel),) * was.shape[1]
    rows = np.random.default_rng(2).permutation(len(was))[:TARGETS]
    source = Source(key_from_seed(1))
    release = Release.of(keys, originals, released, was[rows], became[rows], source, 3, rows)
    release.standings()
    release.highest_belief()


def _counted(codes: np.ndarray) -> Tuples:
    keys = pack(list(codes.T), (CATEGORIES,) * codes.shape[1], len(codes))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return Tuples(codes[first], counts)
