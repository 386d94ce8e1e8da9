"""The peers at work. Run by the interpreter of their own environment: `theirs.py WORK DATA`.

Data come in the shape that each tool wants before its clock starts, which counts seconds of the processor.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")


def census(path: Path) -> tuple[pd.DataFrame, list[str], dict[str, list[str]]]:
    """The rows, the quasi-identifiers without the sensitive column, the hierarchies."""
    said = json.loads(path.read_text())
    rows = pd.DataFrame(said["columns"])
    return rows, [name for name in rows.columns if name != said["sensitive"]], said["hierarchies"]


def anjana(path: Path) -> Callable[[], Any]:
    """k = 5 on all nine columns, 2 % of the rows may be dropped."""
    from anjana.anonymity import k_anonymity

    rows, _, lines = census(path)
    hierarchies: dict[str, dict[int, Any]] = {}
    for name, listed in lines.items():
        cells = [line.split(";") for line in listed if line.strip()]
        hierarchies[name] = {level: np.array([row[level] for row in cells]) for level in range(len(cells[0]))}
    return lambda: f"{len(k_anonymity(rows, [], list(rows.columns), 5, 2, hierarchies))} rows kept"


def pycanon(path: Path) -> Callable[[], Any]:
    """k, l and t that the rows have as they are."""
    from pycanon import anonymity

    rows, quasi, _ = census(path)
    sensitive = [name for name in rows.columns if name not in quasi]

    def work() -> str:
        k, values = anonymity.k_anonymity(rows, quasi), anonymity.l_diversity(rows, quasi, sensitive)
        return f"k {k}, l {values}, t {anonymity.t_closeness(rows, quasi, sensitive):.6f}"

    return work


def anonypy(path: Path) -> Callable[[], Any]:
    """Mondrian with k = 5 on eight columns: cut, and describe the regions."""
    from anonypy import Preserver

    rows, quasi, _ = census(path)
    for name in quasi:
        rows[name] = rows[name].astype(int if name == "age" else "category")
    sensitive = next(name for name in rows.columns if name not in quasi)
    return lambda: f"{len(Preserver(rows, quasi, sensitive).anonymize_k_anonymity(5))} lines"


def anonypyx(path: Path) -> Callable[[], Any]:
    """MDAV with k = 5, and the means of the groups."""
    from anonypyx import Anonymiser

    points = pd.DataFrame(np.load(path), columns=[f"c{i}" for i in range(np.load(path).shape[1])])
    options = {"k": 5, "algorithm": "MDAV-generic", "generalisation_strategy": "microaggregation"}
    return lambda: (
        f"{len(Anonymiser(points, feature_columns=list(points.columns), **options).anonymise())} groups"
    )


def scipy(path: Path) -> Callable[[], Any]:
    """A k-d tree of the points, and the five nearest of each."""
    from scipy.spatial import cKDTree

    points = np.load(path)
    return lambda: f"{len(cKDTree(points).query(points, k=5)[0])} points asked"


def diffprivlib(path: Path) -> Callable[[], Any]:
    """A histogram of numbers in 14 bins with ε = 1."""
    from diffprivlib.tools import histogram

    numbers = np.load(path).astype(float)
    return lambda: f"{len(histogram(numbers, epsilon=1.0, bins=14, range=(0, 14))[0])} bins"


REPEATED = {"scipy": 5, "diffprivlib": 5}
WORK = {
    "diffprivlib": diffprivlib,
    "anjana": anjana,
    "pycanon": pycanon,
    "anonypy": anonypy,
    "anonypyx": anonypyx,
    "scipy": scipy,
}

if __name__ == "__main__":
    name = sys.argv[1]
    work, seconds, told = WORK[name](Path(sys.argv[2])), float("inf"), ""
    for _ in range(REPEATED.get(name, 1)):
        began = process_time()
        told = work()
        seconds = min(seconds, process_time() - began)
    print(json.dumps({"seconds": seconds, "told": told}))
