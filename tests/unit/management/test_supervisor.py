"""Whoever is asked to stop stops, whatever it is doing at that moment."""

import subprocess
import sys
from pathlib import Path

import pytest

from stewardapp.management import supervisor
from stewardapp.management.supervisor import Service
from tests.site import until

SIGNAL_AT_EVERY_LINE = """
import os, signal, sys
from stewardapp.management.supervisor import Supervisor

supervisor = Supervisor([])
busy = []

def stop(*_):
    busy.append(1)
    supervisor.stop()
    busy.pop()

def interrupt(frame, event, argument):
    if not busy:
        os.kill(os.getpid(), signal.SIGUSR1)
    return interrupt

signal.signal(signal.SIGUSR1, stop)
sys.settrace(interrupt)
supervisor.pause(0.01)
supervisor.tend()
sys.settrace(None)
assert supervisor.stopping
supervisor.run()
supervisor.end()
"""


def test_a_signal_at_any_moment_ends_it() -> None:
    """The handler runs in the thread it interrupts: a lock held there would never be released."""
    stopped = subprocess.run([sys.executable, "-c", SIGNAL_AT_EVERY_LINE], timeout=20, check=False)
    assert stopped.returncode == 0


def test_what_has_to_succeed_once_is_started_until_it_did(tmp_path: Path) -> None:
    """It fails twice, then does what it is there for."""
    told = tmp_path / "told"
    code = f"file = open({str(told)!r}, 'a'); file.write('x'); file.close(); import os; "
    code += f"raise SystemExit(os.path.getsize({str(told)!r}) < 3)"
    service = Service("once", [sys.executable, "-c", code], tmp_path / "log", once=True)
    while not service.done:
        service.not_before = 0.0
        service.tend()
        if service.process is not None:
            service.process.wait(20)
    service.tend()
    assert told.read_text() == "xxx"


WRITES = "for number in range({lines}): print('x' * 99, flush=True)\nimport time; time.sleep(60)"


def test_a_log_stays_small_while_somebody_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "LARGEST_LOG", 5_000)
    log = supervisor.log_file(tmp_path / "logs", "web")
    service = Service("web", [sys.executable, "-c", WRITES.format(lines=80)], log)
    service.tend()
    try:
        until(lambda: log.stat().st_size == 8_000, 20)
        service.tend()
        assert (log.stat().st_size, log.with_name("web.log.1").stat().st_size) == (0, 8_000)
        assert service.alive
    finally:
        service.signal_group(9)
        assert service.process is not None
        service.process.wait(20)
    service.not_before = 0.0
    service.process = None
    service.tend()  # the next one goes on in front
    try:
        until(lambda: log.stat().st_size == 8_000, 20)
    finally:
        service.signal_group(9)
        service.process.wait(20)


def test_on_a_full_disk_a_large_log_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(supervisor, "LARGEST_LOG", 10)
    monkeypatch.setattr(supervisor.shutil, "copyfile", no_room)
    log = tmp_path / "web.log"
    log.write_bytes(b"x" * 11)
    supervisor.put_aside(log)
    assert log.read_bytes() == b""
