"""What is compiled ahead is what runs need, so that the first run takes no longer than the second."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.engine.running import written
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import warming
from worker.engine.kernels import keeping

ROOT = Path(__file__).resolve().parents[3]
SLOWER_AT_MOST = 1.0
AS_THE_DESK_DOES = """
import gc, io
from stewardapp.management.survey import health_survey
from tests.engine.running import written
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import local, warming
from worker.engine.execution.beside import Beside
from worker.engine.io.ingest import Likeness, ingest
from worker.engine.io.source import open_table
from worker.engine.kernels.compiled import Loop
from worker.engine.recipes.recipe import Recipe

def known():
    loops = (one for one in gc.get_objects() if isinstance(one, Loop))
    return {(loop.py_func.__qualname__, str(kinds)) for loop in loops for kinds in loop._codes}

warming._run_everything()
before, table = known(), io.BytesIO()
ingest(io.BytesIO(health_survey(3000).encode()), io.BytesIO(), likeness=Likeness(io.BytesIO(), bytes(16)))
ingest(written(sample_table()), table)
step = {"method": "generalization", "params": {"suppression_limit": 0.1}}
goals = [{"goal": "k-anonymity", "params": {"k": 2}}]
recipe = Recipe.parse({"version": 1, "columns": sample_columns(), "goals": goals, "steps": [step]})
source = open_table(table, columns=recipe.read_columns())
files = [local.Output(kind, io.BytesIO()) for kind in ("csv", "parquet")]
beside = Beside(io.BytesIO(), io.BytesIO())
local.anonymize(recipe, source, files, records=io.BytesIO(), beside=beside, key=bytes(32))
print(len(before), sorted(known() - before))
"""


def test_it_is_done_once_and_the_first_run_is_as_quick_as_the_second(tmp_path, monkeypatch):
    from worker.engine.search.choosing import explore
    from worker.engine.search.exploring import resume

    monkeypatch.setattr(warming, "_version", lambda _: "never-seen")
    done = keeping.writable() / "warm-never-seen"
    done.unlink(missing_ok=True)
    assert warming.warm()
    assert not warming.warm()
    done.unlink()
    assert explore._codes
    assert resume._codes
    first, second = (seconds_of_a_run(tmp_path) for _ in range(2))
    assert first - second < SLOWER_AT_MOST


def test_two_processes_do_not_compile_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with (keeping.writable() / "warming").open("w") as lock:
        warming.fcntl.flock(lock, warming.fcntl.LOCK_EX)
        assert not warming.warm()
    assert not list(keeping.writable().glob("warm-*"))


def test_the_desk_needs_no_loop_that_was_not_compiled_ahead():
    """Reading a survey and carrying out a recipe on a stored table, with everything the desk writes."""
    command = [sys.executable, "-c", AS_THE_DESK_DOES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    many, missing = done.stdout.split(maxsplit=1)
    assert int(many) > 30
    assert missing.strip() == "[]"


def seconds_of_a_run(folder: Path) -> float:
    """Processor seconds of the command line on the sample table, in a process of its own."""
    recipe = {
        "version": 1,
        "columns": sample_columns(),
        "goals": [{"goal": "k-anonymity", "params": {"k": 2}}],
    }
    recipe["steps"] = [{"method": "generalization", "params": {"suppression_limit": 0.1}}]
    (folder / "recipe.json").write_text(json.dumps(recipe))
    (folder / "data.csv").write_bytes(written(sample_table()).getvalue())
    command = [sys.executable, "-m", "worker", "anonymize", "recipe.json", "data.csv", "--out", "out.csv"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime
