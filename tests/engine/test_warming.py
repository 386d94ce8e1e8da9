"""What is compiled ahead is what runs need, so that the first run takes no longer than the second."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.engine.running import written
from worker.engine import warming
from worker.engine.algorithms import compiled
from worker.engine.samples import sample_columns, sample_table

SLOWER_AT_MOST = 1.0


def test_it_is_done_once_and_the_first_run_is_as_quick_as_the_second(tmp_path, monkeypatch):
    from worker.engine.algorithms.search.choosing import explore
    from worker.engine.algorithms.search.exploring import resume

    monkeypatch.setattr(compiled, "FOLDER", tmp_path / "fresh")
    assert warming.warm()
    assert not warming.warm()
    assert explore.signatures
    assert resume.signatures
    first, second = (seconds_of_a_run(tmp_path) for _ in range(2))
    assert first - second < SLOWER_AT_MOST


def test_two_processes_do_not_compile_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    with (tmp_path / "warming").open("w") as lock:
        warming.fcntl.flock(lock, warming.fcntl.LOCK_EX)
        assert not warming.warm()
    assert not (tmp_path / "warm").exists()


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
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(command, cwd=folder, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime
