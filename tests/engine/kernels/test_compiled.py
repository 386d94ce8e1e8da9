"""A loop is compiled by one process at a time; whoever is frozen meanwhile holds up nobody."""

import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from worker.engine.kernels import compiled, keeping


def one_more(number):
    return number + 1


@contextmanager
def another_process_compiles():
    """A lock belongs to the open file, so that this process can stand for another."""
    name = f"{one_more.__module__}.{one_more.__qualname__}.lock"
    with (keeping.writable() / name).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Happens when somebody finds the lock taken."""
    found, locked = Event(), keeping._locked

    def asked(file):
        return locked(file) or found.set()

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(keeping, "_locked", asked)
    return found


def kept_files(folder):
    return list((folder / "compiled").glob("*.code"))


def test_others_wait_until_it_is_compiled(refused, tmp_path):
    loop = compiled.compiled(one_more)
    with ThreadPoolExecutor() as pool:
        with another_process_compiles():
            answer = pool.submit(loop, 1)
            assert refused.wait(30)
            assert not kept_files(tmp_path)
        assert answer.result(30) == 2
    assert kept_files(tmp_path)


def test_nobody_waits_for_ever(refused, monkeypatch):
    monkeypatch.setattr(keeping, "PATIENCE", 0.0)
    with another_process_compiles():
        assert compiled.compiled(one_more)(1) == 2
    assert refused.is_set()


def test_who_compiles_ahead_neither_waits_nor_is_waited_for(refused, monkeypatch, tmp_path):
    """At low priority it may take minutes over what somebody needs now."""
    monkeypatch.setattr(keeping, "_ahead", True)
    with another_process_compiles():
        assert compiled.compiled(one_more)(1) == 2
    with keeping.alone(compiled.compiled(one_more)):
        monkeypatch.setattr(keeping, "_ahead", False)
        assert compiled.compiled(one_more)(1.5) == 2.5
    assert not refused.is_set()
    assert len(kept_files(tmp_path)) == 2


def test_where_nothing_can_be_kept_it_runs_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert compiled.compiled(one_more)(1) == 2


SORTED = """
import numpy as np
from worker.engine.kernels.compiled import compiled

@compiled
def least(values):
    return np.sort(values)[0]
"""
ORDERED = """
import numpy as np
from worker.engine.kernels.compiled import compiled

@compiled
def place_of_least(values):
    return np.argsort(values)[0]
"""
BEFORE = """
import numpy as np, numba, sorted_loop, ordered_loop
values = np.arange(99.0)[::-1].copy()
for number in range({}):
    numba.njit(lambda given: given + number)(1)
"""
BOTH = """
from worker.engine.kernels.compiled import compiled
from sorted_loop import least
from ordered_loop import place_of_least

@compiled
def both(values):
    return least(values), place_of_least(values)
"""
ASKED = "print(sorted_loop.least(values))", "print(ordered_loop.place_of_least(values))"


def test_loops_that_two_processes_compiled_do_not_take_each_others_parts(tmp_path):
    """Sorting and ordering have parts of one name and number: whoever loads both must not mistake them."""
    (tmp_path / "sorted_loop.py").write_text(SORTED)
    (tmp_path / "ordered_loop.py").write_text(ORDERED)
    (tmp_path / "both_loops.py").write_text(BOTH)
    folders = os.pathsep.join([str(tmp_path), *sys.path])
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": folders}

    def told(compiled_before, *asked):
        code = "\n".join([BEFORE.format(compiled_before), *asked])
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout.split()

    assert told(0, ASKED[0]) == (0, ["0.0"])
    assert told(3, ASKED[1]) == (0, ["98"])  # three further on the parts that differ have one number
    assert told(0, *ASKED) == (0, ["0.0", "98"])
    assert told(0, "import both_loops", "print(*both_loops.both(values))") == (0, ["0.0", "98"])
