"""What a process loads, checked in a fresh interpreter: an import linter sees modules, not memory."""

import json
import subprocess
import sys

HEAVY = {"numba", "llvmlite", "opendp", "sklearn", "scipy", "pandas", "duckdb", "dask", "distributed"}
WEB = """
import os, sys, json
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django; django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
import stewardapp.wsgi
print(json.dumps(sorted(sys.modules)))
"""

WORKER = """
import os, sys, json
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
import django; django.setup()
import celery.apps.worker, worker.queue.app, worker.queue.tasks, worker.queue.timer
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(code: str) -> set[str]:
    """The names of all modules a fresh interpreter holds after running the code."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(result.stdout))


def test_the_engine_loads_neither_the_web_nor_the_queue() -> None:
    modules = loaded_by(
        "import sys, json, worker.engine.catalogue as c; c.methods(); c.goals(); c.measures();"
        "import worker.engine.execution.local, worker.engine.verification, worker.engine.io;"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert "worker.engine.methods.generalization" in modules
    assert not {name for name in modules if name.split(".")[0] in {"django", "celery", "kombu", "stewardapp"}}


def test_the_command_line_and_the_child_load_neither_the_web_nor_the_queue() -> None:
    modules = loaded_by(
        "import sys, json, worker.process.child, worker.__main__; print(json.dumps(sorted(sys.modules)))"
    )
    assert not {name for name in modules if name.split(".")[0] in {"django", "celery", "kombu", "stewardapp"}}


def test_the_web_process_loads_no_heavy_library() -> None:
    modules = loaded_by(WEB)
    assert "stewardapp.views.home" in modules
    assert not modules & HEAVY


def test_a_worker_loads_no_heavy_library_itself() -> None:
    """Its engines do, in processes of their own."""
    modules = loaded_by(WORKER)
    assert "worker.queue.runner" in modules
    assert not modules & (HEAVY | {"plotly", "worker.engine.execution.local"})
