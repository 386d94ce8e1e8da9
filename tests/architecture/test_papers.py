"""What is written beside the code is true of the code: generated pages, settings, requirements."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from worker.engine.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = re.compile(r"^(# )?((?:STEWARD|POSTGRES|REDIS)_[A-Z_]+)=(\S*)", re.MULTILINE)
READER = re.compile(r"env\.[a-z]+$")
COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
ONE_MACHINE = {"STEWARD_PORT", "STEWARD_DATA"}  # not for a site; the README names them
NEVER_ON_A_SITE = {"STEWARD_DEBUG"}  # refused there
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[\w,]+\])?(?:==\S+)?(\s*#\s*\S.*)?$")


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))
    yield ROOT / "manage.py"


# Generated pages


def test_generated_pages_are_current(tmp_path: Path) -> None:
    """Asked of a fresh process: other tests make methods known that the product does not have."""
    command = [sys.executable, "manage.py", "generate_docs", "--check"]
    environment = {"PATH": os.environ["PATH"], "STEWARD_DATA": str(tmp_path)}
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr


# Settings


def readings() -> Iterator[tuple[str, Any]]:
    """Every environment variable the product reads, with its default."""
    for path in sources("stewardapp", "worker"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and READER.match(ast.unparse(node.func)):
                yield node.args[0].value, node.args[1] if len(node.args) > 1 else None  # type: ignore[attr-defined]


def documented(*, optional: bool = False) -> dict[str, str]:
    """The variables of .env.example with the values shown: the optional ones with their defaults."""
    found = ENVIRONMENT.findall((ROOT / ".env.example").read_text(encoding="utf-8"))
    return {name: value for mark, name, value in found if mark or not optional}


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    read = {name for name, _ in readings()}
    set_by_compose = set(re.findall(r"^\s+(STEWARD_[A-Z_]+):", COMPOSE, re.MULTILINE))
    used_by_compose = set(re.findall(r"\$\{(\w+)[:}]", COMPOSE))
    assert len(read) > 15
    assert read - NEVER_ON_A_SITE - ONE_MACHINE - set_by_compose <= set(documented())
    assert set(documented()) <= read | used_by_compose
    assert used_by_compose <= set(documented())
    assert set_by_compose <= read


def test_the_settings_of_one_machine_are_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not {name for name in ONE_MACHINE if name not in text}


def test_the_defaults_that_are_shown_are_the_defaults() -> None:
    defaults = {
        name: eval(ast.unparse(one), {}) for name, one in readings() if name in documented(optional=True)
    }
    shown = {name: str(int(one) if isinstance(one, bool) else one) for name, one in defaults.items()}
    assert shown == documented(optional=True)


def test_only_one_module_reads_the_environment() -> None:
    """Apart from what tells Django where its settings are, what the engine inherits, its compiler."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources("stewardapp", "worker")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bos\.environ\b|\bgetenv\b", line) and "DJANGO_SETTINGS_MODULE" not in line
    }
    assert found == {"stewardapp/env.py", "worker/engine/kernels/keeping.py", "worker/process/starting.py"}


# Requirements


def direct(name: str) -> Iterator[tuple[str, str]]:
    """The distributions a requirements file names, each with its reason."""
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-r")):
            found = REQUIREMENT.match(line)
            assert found is not None, line
            yield found[1], (found[2] or "").strip(" #")


def test_every_direct_dependency_has_its_reason_and_is_pinned() -> None:
    for name in ("requirements", "requirements-site", "requirements-dev"):
        locked = (ROOT / f"{name}.txt").read_text(encoding="utf-8").lower().replace("_", "-")
        for distribution, reason in direct(f"{name}.in"):
            assert reason, f"{distribution} has no reason"
            assert f"\n{distribution.lower()}==" in f"\n{locked}", (
                f"{distribution} is not locked: run `make lock`"
            )
        assert "--hash=sha256:" in locked


@pytest.mark.parametrize(
    "distribution", [*dict(direct("requirements.in")), *dict(direct("requirements-site.in"))]
)
def test_every_dependency_of_the_product_is_used(distribution: str) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources("stewardapp", "worker", "tests"))
    modules = [name for name, owners in packages_distributions().items() if distribution in owners]
    assert modules
    assert any(
        re.search(
            rf"^\s*(?:import|from) {re.escape(name)}\b|[\"']{re.escape(name)}[.\"']", code, re.MULTILINE
        )
        for name in modules
    )


# Versions


def test_the_newest_entry_of_the_changelog_is_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)\nEngine (\S+)$", text, re.MULTILINE)
    assert newest, "the newest entry names its version and the engine's"
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert newest.groups() == (project["version"], VERSION)


def test_versions_only_rise() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for kind in (r"^## (\S+)$", r"^Engine (\S+)$"):
        found = [tuple(map(int, one.split("."))) for one in re.findall(kind, text, re.MULTILINE)]
        assert found == sorted(found, reverse=True), kind
        assert len(found) > 1, kind
