"""Whoever is asked to stop stops, whatever it is doing at that moment."""

import subprocess
import sys
from pathlib import Path

from stewardapp.management.supervisor import Service

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
