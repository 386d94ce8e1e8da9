"""How the suite is shared out among its processes, and what is made ready before they start."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent
WARM = "from worker.engine import warming; warming.warm()"

# How fast examples are made says how busy the machine is, nothing about the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", action="store_true", help="screenshots of every page in screenshots/")


def pytest_configure(config: pytest.Config) -> None:
    """Compile all loops in one process beside the whole suite: a test that needs one earlier waits for it."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a thousand processes start in the suite
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        warming = subprocess.Popen([sys.executable, "-c", WARM], cwd=HERE.parent, **quiet)
        config.add_cleanup(lambda: (warming.kill(), warming.wait()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Watching every line costs a third of the time; only what is watched of the desk is worth it."""
    for item in items:
        if item.path.is_relative_to(HERE / "engine"):
            item.add_marker("no_cover")


def pytest_collection_finish() -> None:
    """What has been imported by now stays: it need not be looked through again and again."""
    gc.freeze()
    gc.set_threshold(10_000)


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """One process drives the browser, so that demo and desk are made once, and begins with it."""

    def _split_scope(self, nodeid: str) -> str:
        return "browser" if nodeid.startswith("tests/functional/") else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """The scheduling of the whole suite."""
    return Scheduling(config, log)
