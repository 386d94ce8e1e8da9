"""A nested object: groups of groups of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worker.engine.hierarchies.builders.settings import MOST_LEVELS, Rows, Settings
from worker.engine.tables.column import SUPPRESSED

OPTIONS = ("tree", "children")
Path = tuple[str, ...]


def build(settings: Settings, _values: Sequence[str]) -> Rows:
    """The rows of its innermost parts; a shallow value stands for itself further up."""
    nested = settings.get("tree", settings.get("children"))
    if not isinstance(nested, Mapping | list | tuple):
        raise settings.refusal("tree", "must be a nested object whose innermost parts are lists of values")
    paths = list(_leaves(nested, ()))
    deepest = max((len(path) for path in paths), default=1)
    if deepest > MOST_LEVELS:
        raise settings.refusal("tree", f"is deeper than {MOST_LEVELS} levels")
    return [(path[0],) * (deepest - len(path)) + path + (SUPPRESSED,) for path in paths]


def _leaves(node: Any, above: Path) -> Rows:
    if isinstance(node, Mapping):
        return [path for name, below in node.items() for path in _of_group(str(name), below, above)]
    return [(str(leaf), *above) for leaf in node]


def _of_group(name: str, below: Any, above: Path) -> Rows:
    if below is None or (isinstance(below, Mapping | list | tuple) and not below):
        return [(name, *above)]
    if isinstance(below, Mapping | list | tuple):
        return _leaves(below, (name, *above))
    return [(str(below), name, *above)]
