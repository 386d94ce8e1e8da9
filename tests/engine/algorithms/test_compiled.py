"""A loop is compiled by one process at a time; whoever is frozen meanwhile holds up nobody."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from worker.engine.algorithms import compiled


def one_more(number):
    return number + 1


@contextmanager
def another_process_compiles():
    """A lock belongs to the open file, so that this process can stand for another."""
    name = f"{one_more.__module__}.{one_more.__qualname__}.lock"
    with (compiled.FOLDER / name).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Happens when somebody finds the lock taken."""
    found, locked = Event(), compiled._locked

    def asked(file):
        return locked(file) or found.set()

    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    monkeypatch.setattr(compiled, "_locked", asked)
    return found


def test_others_wait_until_it_is_compiled(refused):
    loop = compiled.compiled(one_more)
    with ThreadPoolExecutor() as pool:
        with another_process_compiles():
            answer = pool.submit(loop, 1)
            assert refused.wait(30)
            assert not loop.signatures
        assert answer.result(30) == 2
    assert loop.signatures


def test_nobody_waits_for_ever(refused, monkeypatch):
    monkeypatch.setattr(compiled, "PATIENCE", 0.0)
    with another_process_compiles():
        assert compiled.compiled(one_more)(1) == 2
    assert refused.is_set()
