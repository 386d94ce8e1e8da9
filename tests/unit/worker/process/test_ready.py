"""Engines split off from a template: nothing is shared among them, and no job depends on the template."""

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.unit.worker.process.test_parent import BAD_DAY, FAST, alive, until
from worker.process import parent as process
from worker.process import ready, starting
from worker.process.template import LOW_PRIORITY


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(starting, "COMMAND", BAD_DAY)
    ready.keep()
    until(ready.is_loaded)
    yield
    ready.forget()


def run(job: str, scratch: Path, **details: Any) -> dict[str, Any]:
    return process.execute(job, details, {}, limits=FAST, scratch=scratch, watch=lambda _: True)


def template() -> int:
    return ready._kept[0]._process.pid


def family(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def first_free(pid: int) -> int:
    """The lowest descriptor that is not open."""
    taken = {int(one.name) for one in Path(f"/proc/{pid}/fd").iterdir()}
    return min(set(range(len(taken) + 1)) - taken)


def test_an_engine_is_split_off_and_gone_with_its_job(tmp_path: Path) -> None:
    with ready.engine() as engine:
        assert isinstance(engine, ready.SplitOff)
        assert family(template()) == [engine.pid]
    assert family(template()) == []
    assert run("echo", tmp_path, say=1)["said"] == 1
    assert family(template()) == [], "not even a zombie is left"


def test_an_engine_does_one_job_and_no_second(tmp_path: Path) -> None:
    job = {"job": "talk", "limits": {"memory_bytes": None}, "scratch": str(tmp_path), "files": {}}
    with ready.engine() as engine:
        engine.tell(job)
        engine.tell(job)
        answers = everything(engine.talk)
    assert answers.count(b'"done"') == 1
    assert answers.rstrip().endswith(b'{"ended": 0}')


def everything(talk: socket.socket) -> bytes:
    """All that is said, though not all was heard of what it was told."""
    answers = b""
    with suppress(ConnectionResetError):
        while said := talk.recv(1 << 16):
            answers += said
    return answers


def test_it_loads_at_low_priority_and_works_at_the_usual_one(tmp_path: Path) -> None:
    seen = run("look", tmp_path)
    assert seen["loaded at"] == [os.getpriority(os.PRIO_PROCESS, 0) + LOW_PRIORITY]
    assert seen["priority"] == os.getpriority(os.PRIO_PROCESS, 0)


def test_it_has_nothing_open_but_its_own_socket(tmp_path: Path) -> None:
    with ready.engine():
        seen = run("look", tmp_path)
    assert sorted(seen["open"]) == ["/dev/null", "/dev/null", "/dev/null", "socket", "the listing itself"]
    assert (seen["session"], seen["temporary"]) == (True, str(tmp_path))


def test_two_engines_share_no_luck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "numpy")
    ready.keep()
    until(ready.is_loaded)
    drawn = [run("look", tmp_path)["drawn"] for _ in range(2)]
    assert len(drawn[0]) == 4
    assert all(one != other for one, other in zip(*drawn, strict=True))


def test_a_template_that_was_killed_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = template()
    os.kill(before, signal.SIGKILL)
    until(lambda: not alive(before))
    assert run("echo", tmp_path, say=1)["said"] == 1
    assert ready.is_loaded(), "nobody asked it anything since"
    monkeypatch.setattr(ready, "PAUSE", 0)
    assert run("echo", tmp_path, say=2)["said"] == 2
    assert template() != before
    until(ready.is_loaded)
    with ready.engine() as engine:
        assert isinstance(engine, ready.SplitOff)


def test_engines_end_with_their_template_and_their_job_is_lost(tmp_path: Path) -> None:
    note = tmp_path / "note"

    def kill() -> None:
        until(lambda: note.exists() and " " in note.read_text())
        os.kill(template(), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(process.ChildLost):
        run("hang", tmp_path, note=str(note))
    killer.join(60)
    until(lambda: not any(alive(int(pid)) for pid in note.read_text().split()), 5)


def test_an_engine_that_is_killed_before_its_job_is_a_lost_one(tmp_path: Path) -> None:
    with ready.engine() as engine:
        os.kill(engine.pid, signal.SIGKILL)
        until(lambda: not alive(engine.pid))
        engine.tell({"job": "echo"})
        with pytest.raises(process.ChildLost):
            process.Conversation(engine, FAST, lambda _: True).answer()


def test_a_template_that_is_stopped_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "PATIENCE", 0.2)
    stopped = template()
    os.kill(stopped, signal.SIGSTOP)
    assert run("echo", tmp_path, say=1)["said"] == 1
    assert not alive(stopped), "it is not asked again"


def test_nobody_waits_for_a_template_that_is_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "loading=600")
    ready.keep()
    hanging = template()
    assert run("echo", tmp_path, say=1)["said"] == 1
    assert template() == hanging
    monkeypatch.setattr(ready, "LOADING_SECONDS", 0)
    assert run("echo", tmp_path, say=2)["said"] == 2
    assert template() != hanging
    assert not alive(hanging)


def test_a_template_that_may_open_nothing_more(tmp_path: Path) -> None:
    few = first_free(template())
    resource.prlimit(template(), resource.RLIMIT_NOFILE, (few, few))
    assert run("echo", tmp_path, say=1)["said"] == 1


def test_a_worker_that_may_open_nothing_more_says_so(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free(os.getpid()), before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            run("echo", tmp_path, say=1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


PARENT = """
import sys, time
from pathlib import Path
from worker.process import parent as process, ready, starting
starting.COMMAND = (sys.executable, "-m", "tests.unit.worker.process.errands_of_a_bad_day")
ready.keep()
while not ready.is_loaded():
    time.sleep(0.01)
limits, scratch = process.Limits(), Path("/tmp")
process.execute("hang", {"note": sys.argv[1]}, {}, limits=limits, scratch=scratch, watch=lambda p: True)
"""


def test_nothing_outlives_a_killed_worker(tmp_path: Path) -> None:
    note = tmp_path / "note"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(note)], cwd=starting.ROOT)
    until(lambda: note.exists() and " " in note.read_text())
    started = [*family(parent.pid), *map(int, note.read_text().split())]
    assert len(started) == 3
    parent.kill()
    parent.wait(30)
    until(lambda: not any(map(alive, started)), 5)


REHEARSED = """
import sys
from worker.process import child, rehearsal
rehearsal.rehearse()
loaded = {name.partition(".")[0] for name in sys.modules}
assert {"numpy", "pyarrow"} <= loaded
print(loaded & {"django", "celery", "stewardapp", "opendp", "sklearn"})
"""


def test_what_is_rehearsed_loads_neither_the_web_nor_what_draws_noise_that_is_paid_for() -> None:
    command = [sys.executable, "-c", REHEARSED]
    told = subprocess.run(command, cwd=starting.ROOT, capture_output=True, text=True, timeout=280)
    assert told.stdout.strip() == "set()", told.stderr
