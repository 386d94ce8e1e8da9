"""Hierarchies written by other tools: tables as ARX writes them, trees as Amnesia and others do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Hierarchy, checked, read
from worker.engine.hierarchies.rules import MOST_LEVELS
from worker.engine.io.strict_json import BadJson, Limits, loads
from worker.engine.tables.column import SUPPRESSED

NAMES = ("name", "label", "value", "text", "id")
BELOW = ("children", "nodes", "items")
WRAPPERS = ("hierarchy", "tree", "root", "data")
LIMITS = Limits(length=64 * 1024 * 1024, values=10_000_000, depth=2 * MOST_LEVELS + 8)
Path = tuple[str, ...]


def read_any(text: str, column: str) -> Hierarchy:
    """A table or a tree, told apart by how the text begins."""
    text = text.removeprefix("\ufeff")
    start = text.lstrip()
    if start[:1] in ("{", "["):
        return _of_tree(_json(start, column), column)
    if start.split("\n", 1)[0].strip().lower() in ("distinct", "range"):
        return _of_tree(_statements(start, column), column)
    return read(text.splitlines(), column)


def _json(text: str, column: str) -> Any:
    try:
        return loads(text, LIMITS)
    except BadJson as bad:
        raise _refusal(column, bad.what) from None


def _statements(text: str, column: str) -> dict[str, list[str]]:
    """Lines `parent has child child …` after a head that ends with an empty line."""
    children: dict[str, list[str]] = {}
    _, _, body = text.replace("\r\n", "\n").partition("\n\n")
    for number, line in enumerate(body.splitlines(), 1):
        if not line.strip():
            continue
        parent, has, below = line.partition(" has ")
        if not has or not parent.strip() or not below.split():
            raise _refusal(column, f"has no `parent has child …` on line {number} after its head")
        children.setdefault(parent.strip(), []).extend(below.split())
    return {"children": children}  # type: ignore[dict-item]


def _of_tree(found: Any, column: str) -> Hierarchy:
    tree = _unwrapped(found)
    try:
        paths = _from_links(tree) if _is_links(tree) else _leaves(tree, ())
    except RecursionError:
        raise _refusal(column, "is nested too deeply") from None
    if not paths:
        raise _refusal(column, "holds no value")
    paths = _without_root(paths)
    deepest = max(len(path) for path in paths)
    if deepest > MOST_LEVELS:
        raise _refusal(column, f"is deeper than {MOST_LEVELS} levels")
    if len({path[0] for path in paths}) < len(paths):
        raise _refusal(column, "holds a value twice")
    rows = [(path[0],) * (deepest - len(path)) + path + (SUPPRESSED,) for path in paths]
    return checked(rows, column)


def _unwrapped(found: Any) -> Any:
    while isinstance(found, Mapping) and not any(key in found for key in (*NAMES, *BELOW)):
        inner = [found[key] for key in WRAPPERS if isinstance(found.get(key), Mapping | list)]
        if len(inner) != 1:
            break
        found = inner[0]
    return found


def _is_links(tree: Any) -> bool:
    """Whether the children of every parent are listed flat, as a map."""
    return isinstance(tree, Mapping) and isinstance(tree.get("children"), Mapping)


def _from_links(tree: Mapping[str, Any]) -> list[Path]:
    links = {str(one): [str(child) for child in below or ()] for one, below in tree["children"].items()}
    below = {child for children in links.values() for child in children}
    paths: list[Path] = []
    waiting: list[Path] = [(root,) for root in links if root not in below]
    while waiting:
        path = waiting.pop()
        children = [child for child in links.get(path[0], ()) if child not in path]
        waiting.extend((child, *path) for child in reversed(children))
        if not children:
            paths.append(path)
    return paths


def _leaves(node: Any, above: Path) -> list[Path]:
    if isinstance(node, list):
        return [path for one in node for path in _leaves(one, above)]
    if not isinstance(node, Mapping):
        return [(str(node), *above)]
    name = next((str(node[key]) for key in NAMES if isinstance(node.get(key), str | int | float)), None)
    if name is None:  # an object whose keys are the groups
        return [path for key, one in node.items() for path in _group(str(key), one, above)]
    return _group(name, next((node[key] for key in BELOW if node.get(key)), None), above)


def _group(name: str, below: Any, above: Path) -> list[Path]:
    empty = below is None or (isinstance(below, Mapping | Sequence) and not below)
    return [(name, *above)] if empty else _leaves(below, (name, *above))


def _without_root(paths: list[Path]) -> list[Path]:
    """One root above groups is the top level by another name."""
    lengths = {len(path) for path in paths}
    one_root = len({path[-1] for path in paths}) == 1 and min(lengths) > 1 and max(lengths) > 2
    return [path[:-1] for path in paths] if one_root else paths


def _refusal(column: str, what: str) -> EngineError:
    return EngineError("bad-hierarchy", f"The hierarchy {what}.", param=f"columns.{column}.hierarchy")
