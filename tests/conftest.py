"""How the suite is shared out among its processes, and what is made ready before they start."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests import ending
from tests.sampling import WHOLE
from tests.site_fixtures import *  # noqa: F403

pytest.register_assert_rewrite("tests.engine.checks")

HERE = Path(__file__).parent
# With these, pytest tells a difference of a million characters in full, for hours.
for told_by in ("CI", "BUILD_NUMBER"):
    os.environ.pop(told_by, None)
WARM = "from worker.engine.execution import warming; warming.warm()"
LAST_WORDS = 60.0
"""Seconds from the last test of a process to its end; a thread that goes on for ever must not keep it."""

# How fast examples are made says how busy the machine is, nothing about the code.
# The examples of a test are the same each time; `make faults` and whoever asks for it look at others.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=not WHOLE,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", action="store_true", help="screenshots of every page in screenshots/")


def pytest_configure(config: pytest.Config) -> None:
    """What tests start has signals as a person's terminal gives them, and ends with the suite."""
    # A script in whose background we run ignores both.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if not hasattr(config, "workerinput"):
        ending.watch()
        compile_all(config)


def compile_all(config: pytest.Config) -> None:
    """Compile all loops in one process beside the whole suite: a test that needs one earlier waits for it."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and config.getoption("numprocesses", None):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a thousand processes start in the suite
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        warming = subprocess.Popen([sys.executable, "-c", WARM], cwd=HERE.parent, **quiet)
        config.add_cleanup(lambda: (warming.kill(), warming.wait(30)))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """A process whose tests are over ends, and says where it stands if it does not."""
    faulthandler.dump_traceback_later(LAST_WORDS, exit=True, file=sys.__stderr__)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first."""
    items.sort(key=lambda item: rank(item.nodeid))


def pytest_collection_finish() -> None:
    """What has been imported by now stays: it need not be looked through again and again."""
    gc.freeze()
    gc.set_threshold(10_000)


# They need few loops: while all are compiled, nobody waits for one.
MEANWHILE = ("tests/unit/views/", "tests/unit/actions/")
# Folders that share a scene, and files that take minutes: they begin early, so that none is left alone.
LONGEST = (
    "tests/functional/",
    "tests/faults/",
    "tests/integration/test_canaries.py",
    "tests/integration/test_query_counts.py",
    "tests/integration/test_record_on_postgres.py",
    "tests/integration/test_destruction.py",
    "tests/integration/test_migrati",
    "tests/integration/test_url_matrix.py",
    "tests/unit/worker/jobs/",
)
# A file of which every test takes its time and none needs another.
APART = "tests/engine/test_contracts.py"


def rank(nodeid: str) -> int:
    """Some while loops are compiled, then the longest, all others as they were collected."""
    order = (*MEANWHILE, *LONGEST)
    return next((place for place, scene in enumerate(order) if nodeid.startswith(scene)), len(order))


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file run in one process, which makes once what they share; some folders are one file."""

    def _split_scope(self, nodeid: str) -> str:
        alone = nodeid if nodeid.startswith(APART) else nodeid.partition("::")[0]
        return next((scene for scene in LONGEST if nodeid.startswith(scene)), alone)

    def schedule(self) -> None:
        """A process begins a test when it knows the next one, or that there is none; so does a late one."""
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)

    def remove_node(self, node: Any) -> str | None:
        """Of a process that crashed, what it was at is red and not tried again; others do what it left."""
        units: dict[str, dict[str, bool]] = self.assigned_work.pop(node)
        left = [(scope, test) for scope, unit in units.items() for test, done in unit.items() if not done]
        if not left:
            return None
        scope, crashed = left[0]
        units[scope][crashed] = True
        self.workqueue.update({scope: unit for scope, unit in units.items() if not all(unit.values())})
        for other in self.nodes:
            self._reschedule(other)
        return crashed


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """The scheduling of the whole suite."""
    return Scheduling(config, log)
