"""What is measured: each entry gives lines of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data
from benchmarks.table import Result


@dataclass(frozen=True)
class Setting:
    """Where, how many rows, how often."""

    folder: Path
    rows: int
    repeat: int
    data: Path | None = None
    """A folder with the real files of census microdata; without one they are made up."""
    arx: Path | None = None
    """The jar of ARX, which then makes the same runs."""

    def csv(self, *, unique: bool = False) -> Path:
        """The rows as CSV, written once."""
        path = self.folder / f"rows{'-unique' * unique}.csv"
        return path if path.exists() else data.write_csv(path, self.rows, unique=unique)

    def parquet(self, *, unique: bool = False) -> Path:
        """The rows as Parquet, written once."""
        path = self.folder / f"rows{'-unique' * unique}.parquet"
        return path if path.exists() else data.write_parquet(path, self.rows, unique=unique)

    def recipe(self) -> Path:
        """k = 5 on six columns."""
        return data.write_recipe(self.folder / "recipe.json")


Measurement = Callable[[Setting], list[Result]]


def _sealed(setting: Setting) -> list[Result]:
    from benchmarks.storage import sealed_files

    return sealed_files(setting)


def _far_store(setting: Setting) -> list[Result]:
    from benchmarks.far_store import far_store

    return far_store(setting)


def _ingest(setting: Setting) -> list[Result]:
    from benchmarks.storage import ingest

    return ingest(setting)


def _counts(setting: Setting) -> list[Result]:
    from benchmarks.counting import counts

    return counts(setting)


def _diversity(setting: Setting) -> list[Result]:
    from benchmarks.attributes import diversity

    return diversity(setting)


def _class_risk(setting: Setting) -> list[Result]:
    from benchmarks.class_risk import class_risk

    return class_risk(setting)


def _scans(setting: Setting) -> list[Result]:
    from benchmarks.scanning import scans

    return scans(setting)


def _search(setting: Setting) -> list[Result]:
    from benchmarks.lattice_search import lattice_search

    return lattice_search(setting)


def _census(setting: Setting) -> list[Result]:
    from benchmarks.census_runs import census_runs

    return census_runs(setting)


def _command(setting: Setting) -> list[Result]:
    from benchmarks.commands import anonymize

    return anonymize(setting)


def _measuring(setting: Setting) -> list[Result]:
    from benchmarks.measuring import measuring

    return measuring(setting)


def _unique(setting: Setting) -> list[Result]:
    from benchmarks.commands import nearly_unique

    return nearly_unique(setting)


def _perturbation(setting: Setting) -> list[Result]:
    from benchmarks.perturbation import perturbation

    return perturbation(setting)


def _steps(setting: Setting) -> list[Result]:
    from benchmarks.steps import steps

    return steps(setting)


def _privacy(setting: Setting) -> list[Result]:
    from benchmarks.privacy import privacy

    return privacy(setting)


def _synthetic(setting: Setting) -> list[Result]:
    from benchmarks.synthetic_rows import synthetic_rows

    return synthetic_rows(setting)


def _nearest(setting: Setting) -> list[Result]:
    from benchmarks.nearest_rows import nearest_rows

    return nearest_rows(setting)


def _attacks(setting: Setting) -> list[Result]:
    from benchmarks.attacks import attacks

    return attacks(setting)


def _linking(setting: Setting) -> list[Result]:
    from benchmarks.linking import linking

    return linking(setting)


def _starting(setting: Setting) -> list[Result]:
    from benchmarks.starting import starting

    return starting(setting)


def _ledger(setting: Setting) -> list[Result]:
    from benchmarks.ledger import ledger

    return ledger(setting)


def _pressed(setting: Setting) -> list[Result]:
    from benchmarks.pressing import pressing

    return pressing(setting)


def _pages(setting: Setting) -> list[Result]:
    from benchmarks.pages import pages

    return pages(setting)


def _swept(setting: Setting) -> list[Result]:
    from benchmarks.sweeping import sweeping

    return sweeping(setting)


def _peer_rows(setting: Setting) -> list[Result]:
    from benchmarks.peers.comparisons import rows

    return list(rows(setting))


def _peer_points(setting: Setting) -> list[Result]:
    from benchmarks.peers.comparisons import points

    return list(points(setting))


def _peer_histogram(setting: Setting) -> list[Result]:
    from benchmarks.peers.comparisons import histogram

    return list(histogram(setting))


SUITE: dict[str, Measurement] = {
    "sealed": _sealed,
    "store": _far_store,
    "ingest": _ingest,
    "counts": _counts,
    "diversity": _diversity,
    "class-risk": _class_risk,
    "scans": _scans,
    "search": _search,
    "census": _census,
    "anonymize": _command,
    "measures": _measuring,
    "unique": _unique,
    "perturbation": _perturbation,
    "steps": _steps,
    "privacy": _privacy,
    "synthetic": _synthetic,
    "nearest": _nearest,
    "attacks": _attacks,
    "linking": _linking,
    "ledger": _ledger,
    "starting": _starting,
    "run": _pressed,
    "sweep": _swept,
    "pages": _pages,
}

PEERS: dict[str, Measurement] = {
    "rows": _peer_rows,
    "points": _peer_points,
    "histogram": _peer_histogram,
}
"""Measured only when asked for: other tools are installed for it."""
