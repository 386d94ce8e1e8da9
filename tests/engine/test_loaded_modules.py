"""What a command loads, looked at in a process of its own: nobody waits for a library that does nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RECIPE = {
    "version": 1,
    "columns": {"age": {"role": "quasi-identifier", "kind": "integer"}, "illness": {"role": "sensitive"}},
    "goals": [{"goal": "k-anonymity", "params": {"k": 5}}],
    "steps": [{"method": "generalization", "params": {"suppression_limit": 0.1, "drop_suppressed": True}}],
}
SPEC = {"builder": "interval", "width": 10}
TELL = """
import atexit, json, os, runpy
tell = lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr, flush=True)
atexit.register(tell)
leave, os._exit = os._exit, lambda code: (tell(), leave(code))
runpy.run_module("worker", run_name="__main__", alter_sys=True)
"""
HEAVY = {
    "cryptography", "dask", "django", "duckdb", "importlib.metadata", "numba", "openpyxl", "opendp", "pandas",
    "plotly", "pyarrow.parquet", "pyreadstat", "randomgen", "scipy", "sklearn", "xml.sax",
}  # fmt: skip
USED = {"profile": {"pyarrow.parquet"}}
"""What a command is there for: the table it makes counts, also where nobody keeps it."""
COMMANDS = {
    "anonymize": ("anonymize", "recipe.json", "data.csv", "--out", "out.csv", "--report", "report.json"),
    "verify": ("verify", "recipe.json", "data.csv"),
    "assess": ("assess", "recipe.json", "data.csv", "--report", "report.json"),
    "compare": ("compare", "recipe.json", "data.csv", "data.csv", "--report", "report.json"),
    "profile": ("profile", "data.csv"),
    "hierarchy": ("hierarchy", "spec.json", "data.csv", "--column", "age", "--out", "ages.csv"),
}


@pytest.fixture
def folder(tmp_path):
    rows = [f"{20 + number % 40},cold\n" for number in range(400)]
    (tmp_path / "data.csv").write_text("age,illness\n" + "".join(rows))
    (tmp_path / "recipe.json").write_text(json.dumps(RECIPE))
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    return tmp_path


def run(folder: Path, *arguments: str) -> set[str]:
    """Everything that was loaded when the command ended."""
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r}){TELL}", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_loads_nothing_heavy_that_it_does_not_use(folder, name):
    run(folder, *COMMANDS[name])  # whatever is not compiled yet is compiled now
    loaded = run(folder, *COMMANDS[name])
    assert "pyarrow" in loaded
    assert loaded & HEAVY == USED.get(name, set())


def test_of_the_catalogue_only_what_the_recipe_names_is_loaded(folder):
    loaded = run(folder, *COMMANDS["anonymize"])
    found = {name for name in loaded if name.startswith(("worker.engine.methods.", "worker.engine.goals."))}
    assert found == {"worker.engine.methods.generalization", "worker.engine.goals.k_anonymity"}
