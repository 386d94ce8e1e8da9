"""What one machine needs is what requirements.txt names: packages of sites and of developers are hidden."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*])?==", re.MULTILINE)
WITHOUT = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
"""
EVERYTHING = """
import os, pkgutil
from importlib import import_module
os.environ["DJANGO_SETTINGS_MODULE"] = "stewardapp.settings"
import django; django.setup()
import stewardapp, worker
from worker.engine import catalogue
catalogue.methods(), catalogue.goals(), catalogue.measures()
for module in pkgutil.walk_packages(stewardapp.__path__, "stewardapp."):
    import_module(module.name)
for module in pkgutil.iter_modules(worker.__path__, "worker."):
    import_module(module.name)
"""
AN_INSTALLATION = """
from django.core.management import call_command
call_command("migrate", interactive=False, verbosity=0)
call_command("check")
"""


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def hidden() -> list[str]:
    """Every package that is installed here and not by requirements.txt."""
    named = {_plain(name) for name in NAMED.findall((ROOT / "requirements.txt").read_text())}
    return sorted(
        package
        for package, owners in packages_distributions().items()
        if package.isidentifier() and not named & set(map(_plain, owners))
    )


def _run(code: str, hidden: list[str], data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code, *hidden],
        capture_output=True, text=True, timeout=300, check=False, cwd=ROOT,
        env={"STEWARD_DATA": str(data), "PATH": ""},
    )  # fmt: skip


def test_one_machine_needs_no_package_of_a_site(hidden: list[str], tmp_path: Path) -> None:
    assert {"psycopg", "redis", "pytest"} <= set(hidden)
    done = _run(EVERYTHING + AN_INSTALLATION, hidden, tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_hidden_package_is_missed(hidden: list[str], tmp_path: Path) -> None:
    done = _run(EVERYTHING, [*hidden, "celery"], tmp_path)
    assert done.returncode != 0
    assert "celery" in done.stderr
