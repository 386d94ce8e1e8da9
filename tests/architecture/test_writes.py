"""Only actions and the worker's own moves write to the database."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITERS = ("stewardapp/actions/", "stewardapp/models/", "stewardapp/migrations/")
WRITING_MODULES = {"worker/queue/runner.py", "worker/queue/reaper.py", "worker/queue/outbox.py"}
VERBS = {
    "save",
    "create",
    "update",
    "delete",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
}
# Receivers that are no models: dictionaries, hashes, sessions, and the actions themselves.
HARMLESS = {"digest", "hasher", "session", "context", "attrs", "environ", "data", "kwargs", "headers"}


def sources() -> Iterator[Path]:
    for folder in ("stewardapp", "worker"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def writes(tree: ast.AST) -> Iterator[int]:
    """Lines that call a writing verb on what looks like a model, a queryset or a manager."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in VERBS and _is_database(node.func):
            yield node.lineno


def _is_database(call: ast.Attribute) -> bool:
    receiver = ast.unparse(call.value)
    if ".objects" in receiver:
        return True
    return call.attr in {"save", "delete"} and receiver.rsplit(".", 1)[-1] not in HARMLESS


def test_nothing_but_actions_and_the_workers_moves_writes() -> None:
    found = []
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(WRITERS) or name in WRITING_MODULES or name.startswith("worker/engine/"):
            continue
        found += [f"{name}:{line}" for line in writes(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == []


def test_the_scan_sees_a_write() -> None:
    planted = ast.parse("Release.objects.filter(id=1).update(state='x')\nrelease.save()\nitems.update(a=1)")
    assert list(writes(planted)) == [1, 2]
