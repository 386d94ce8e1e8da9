"""Taking in a large file, and writing it again, stays within bounds."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MEGABYTE = 1 << 20

MEASURED = """
import resource, sys
from worker.engine.io.ingest import ingest
from worker.engine.io.source import open_table
from worker.engine.io.writers import open_writer
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
ingest(open("small.csv", "rb"), open("small.parquet", "wb"))
small = peak()
ingest(open("large.csv", "rb"), open("large.parquet", "wb"))
large = peak()
source = open_table(open("large.parquet", "rb"))
writer = open_writer("csv", open("again.csv", "wb"), ["age", "job", "note"])
for chunk in source.chunks(["age", "job", "note"]):
    writer.write(chunk)
writer.close()
print(small, large, peak())
"""


def write(path: Path, size: int) -> None:
    rows = "".join(f"{i % 97},job {i % 37},{'lorem ipsum ' * 8}{i % 1009}\n" for i in range(40_000)).encode()
    with path.open("wb") as file:
        file.write(b"age,job,note\n")
        while file.tell() < size:
            file.write(rows)


@pytest.mark.parametrize("size", [200])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, size: int) -> None:
    write(tmp_path / "small.csv", 40 * MEGABYTE)
    write(tmp_path / "large.csv", size * MEGABYTE)
    command = [sys.executable, "-c", MEASURED]
    said = subprocess.check_output(
        command, cwd=tmp_path, text=True, env={"PYTHONPATH": str(ROOT)}, timeout=240
    )
    small, large, written = map(int, said.split())
    assert large - small < 48
    assert written - small < 96
