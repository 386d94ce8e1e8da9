"""Machine code runs as the compiler would run it, without the compiler and on other processors."""

import os
import subprocess
import sys

import numpy as np
import pytest

from worker.engine.kernels import keeping, loading
from worker.engine.kernels.compiled import Loop, compiled, lean, prepare

LOOPS = """
from typing import NamedTuple
import numpy as np
from worker.engine.kernels.compiled import compiled

class Pair(NamedTuple):
    numbers: np.ndarray
    by: int

@compiled
def times(pair):
    out = np.empty(len(pair.numbers), np.float64)
    for at in range(len(out)):
        out[at] = pair.numbers[at] * pair.by
    return out, out.sum()

@compiled
def share(one, of):
    return one / of
"""
ASK = """
import sys
import numpy as np
from loops import Pair, share, times
print(*times(Pair(np.arange(3.0), 2))[0], times(Pair(np.arange(3.0), 2))[1], share(1, 4))
print("numba" in sys.modules)
try:
    share(1, 0)
except ZeroDivisionError:
    print("refused")
"""


@pytest.fixture
def process(tmp_path):
    """Asks the same in a process of its own, on a processor of that name."""
    (tmp_path / "loops.py").write_text(LOOPS)
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
    }

    def asked(processor="") -> list[str]:
        named = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""} if processor else {}
        command = [sys.executable, "-c", ASK]
        done = subprocess.run(
            command, env=env | named, capture_output=True, text=True, check=True, timeout=120
        )
        return done.stdout.splitlines()

    return asked


def test_what_was_compiled_runs_without_the_compiler_also_on_another_processor(process):
    """Arrays, tuples, named tuples and refusals cross as before."""
    assert process() == ["0.0 2.0 4.0 6.0 0.25", "True", "refused"]
    assert process() == ["0.0 2.0 4.0 6.0 0.25", "False", "refused"]
    assert process("generic") == ["0.0 2.0 4.0 6.0 0.25", "False", "refused"]


def test_the_processor_it_is_compiled_for_is_stated(monkeypatch):
    monkeypatch.setattr(keeping.platform, "machine", lambda: "x86_64")
    for features, name in (
        ({"sse4_2", "ssse3", "popcnt"}, "x86-64-v2"),
        ({"sse4_2", "ssse3", "popcnt", *keeping.BASELINES["x86_64"][0][1]}, "x86-64-v3"),
        (set(), "generic"),
    ):
        monkeypatch.setattr(keeping, "_features", lambda features=features: features)
        assert keeping.baseline.__wrapped__() == name


def weighed(numbers):
    total = 0.0
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            total += numbers[row, column] * (row + 2 * column)
    return total


def read_only(numbers):
    copy = numbers.copy()
    copy.setflags(write=False)
    return copy


ORDERS = (np.ascontiguousarray, np.asfortranarray, lambda n: np.repeat(n, 2, axis=1)[:, ::2], read_only)


def test_every_layout_has_code_of_its_own():
    """Code for rows one behind the other would read the wrong cells of any other layout."""
    numbers, loop = np.arange(12.0).reshape(3, 4), compiled(weighed)
    for made in (order(numbers.astype(kind)) for order in ORDERS for kind in (np.float64, np.int32)):
        assert loop(made) == weighed(made)
    one_column = numbers[:, :1].copy()
    assert loop(one_column) == weighed(one_column)


def test_large_numbers_keep_their_sign():
    loop = compiled(lambda number: number > 5)
    assert [loop(number) for number in (-7, 7, 2**63)] == [False, True, True]


def test_a_loop_can_be_handed_to_a_loop():
    double, triple = (compiled(one) for one in (lambda x: 2 * x, lambda x: 3 * x))
    applied = lean(lambda loop, number: loop(number) + 1)
    assert (applied(double, 2), applied(triple, 2)) == (5, 7)


def test_arguments_stand_in_order():
    with pytest.raises(TypeError, match="in order"):
        compiled(weighed)(numbers=np.ones((1, 1)))


def test_a_prepared_loop_has_not_run_and_is_ready(monkeypatch):
    def counted(numbers):
        numbers[0] += 1

    loop, numbers = compiled(counted), np.zeros(1)
    prepare(loop, numbers)
    assert numbers[0] == 0
    monkeypatch.setattr(Loop, "_obtained", None)
    loop(numbers)
    assert numbers[0] == 1


def test_files_are_found_beside_the_sources_and_where_this_user_may_write(monkeypatch, tmp_path):
    brought, own = tmp_path / "image", tmp_path / "own"
    monkeypatch.setattr(keeping, "folders", lambda: (brought, own))
    loop = compiled(weighed)
    keeping.write(loop, "made", "code", b"\x80\x04K\x01.")
    assert list(brought.iterdir())
    monkeypatch.setattr(keeping.os, "access", lambda folder, _: folder == own)
    keeping.write(loop, "more", "code", b"\x80\x04K\x02.")
    assert (keeping.read(loop, "made", "code"), keeping.read(loop, "more", "code")) == (1, 2)
    assert len(list(own.iterdir())) == len(list(brought.iterdir())) == 1


def test_the_folder_for_new_files_can_be_named(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("STEWARD_KERNELS", "/somewhere/kernels")
    assert [str(folder).partition("kernels/")[2] for folder in keeping.folders()] == [
        "__pycache__/compiled",
        "compiled",
    ]


def test_the_runtime_is_the_compilers_own():
    from numba.core.runtime import _nrt_python

    assert loading._runtime().arrays.c_helpers == _nrt_python.c_helpers


@pytest.mark.parametrize(
    "content", [b"", bytes(64), b"\x80\x04cnot_there\nany\n.", b"cworker.engine.wording\nnot_there\n."]
)
def test_a_file_that_says_nothing_to_this_version_is_as_none(monkeypatch, tmp_path, content):
    """Emptied by a lost power supply, or written by a version with other words for it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    loop = compiled(weighed)
    keeping.write(loop, "made", "code", content)
    assert keeping.kept(loop, "made") is None
