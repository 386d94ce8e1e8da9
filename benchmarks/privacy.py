"""Counting, noise and the whole command of a histogram with differential privacy.

What runs in this process is told in seconds of the processor: other work on the machine does not count.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.table import Result
from benchmarks.timing import command, processor
from worker.engine.dp.accuracy import laplace_noise
from worker.engine.dp.counting import tally
from worker.engine.dp.mechanisms import noisy
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from benchmarks.suite import Setting

CELLS, MANY_CELLS, ROUNDS = 14, 10_000, 5
READ = "import sys, pyarrow.parquet as p; p.read_table(sys.argv[1], columns=['kind'])"


def privacy(setting: Setting) -> list[Result]:
    """All three."""
    return [_counting(setting), _noise(setting), _command(setting)]


def _counting(setting: Setting) -> Result:
    from worker.engine.kernels import loading  # noqa: F401 - a worker has it loaded

    codes = np.random.default_rng(1).integers(0, CELLS, setting.rows, dtype=np.int32)
    wide = codes.astype(np.int64)
    rounds = max(setting.repeat, ROUNDS)
    tally(codes, CELLS)
    ours = processor(rounds, lambda: tally(codes, CELLS))
    reference = processor(rounds, lambda: np.bincount(wide, minlength=CELLS))
    return Result(f"counting into {CELLS} cells", ours, reference, "numpy.bincount of int64", 1)


def _noise(setting: Setting) -> Result:
    """Both sides draw for the same counts with the same scale."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    counts, noise = np.arange(MANY_CELLS, dtype=np.int64), laplace_noise(1, Decimal("0.1"))
    space = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.l1_distance(T=dp.i64)
    bare = dp.m.make_laplace(*space, scale=noise.scale)
    rounds = 4 * max(setting.repeat, ROUNDS)
    ours = processor(rounds, lambda: noisy(counts, noise))
    reference = processor(rounds, lambda: bare(counts))
    return Result(f"noise for {thousands(MANY_CELLS)} cells", ours, reference, "the bare OpenDP call", 1.2)


def _command(setting: Setting) -> Result:
    source, recipe = _column(setting), _recipe(setting)
    out = setting.folder / "table.csv"
    rounds = max(setting.repeat, 3)
    ours = command(rounds, "-m", "worker", "anonymize", recipe, source, "--out", out)
    reference = command(rounds, "-c", READ, source)
    return Result(
        "histogram command, Parquet", ours.seconds, reference.seconds, "pyarrow: read the column", 2
    )


def _column(setting: Setting) -> Path:
    """One column of text among others."""
    path = setting.folder / "one-column.parquet"
    generator = np.random.default_rng(1)
    codes = pa.array(generator.integers(0, CELLS, setting.rows, dtype=np.int32))
    kinds = pa.DictionaryArray.from_arrays(codes, pa.array(_labels())).cast(pa.string())
    pq.write_table(pa.table({"kind": kinds, "other": generator.integers(0, 1000, setting.rows)}), path)
    return path


def _recipe(setting: Setting) -> Path:
    path = setting.folder / "table.json"
    steps = [{"method": "dp-histogram", "params": {"columns": ["kind"], "epsilon": 1}}]
    columns = {"kind": {"role": "other", "categories": _labels()}}
    path.write_text(json.dumps({"version": 1, "columns": columns, "steps": steps}))
    return path


def _labels() -> list[str]:
    return [f"category {number:02d}" for number in range(CELLS)]
