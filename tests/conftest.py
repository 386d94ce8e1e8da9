"""How the suite is shared out among its processes, and what is made ready before they start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
WARM = "from worker.engine import warming; warming.warm()"

# How fast examples are made says how busy the machine is, nothing about the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Compile all loops in one process beside the whole suite: a test that needs one earlier waits for it."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a thousand processes start in the suite
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        warming = subprocess.Popen([sys.executable, "-c", WARM], cwd=HERE.parent, **quiet)
        config.add_cleanup(lambda: (warming.kill(), warming.wait()))


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process drives the browser and one the servers: demo, desk and databases are made once.

    The groups are begun first and what is short comes last, so that both processes end together.
    """
    for item in items:
        if HERE / "functional" in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.get_closest_marker("postgres"):
            item.add_marker(pytest.mark.xdist_group("servers"))
