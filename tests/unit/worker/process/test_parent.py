"""The engine's own process: what comes back, what ends it, and what never gets out."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.worker.process.errands_of_a_bad_day import CANARY
from worker.engine.errors import Cancelled, EngineError, LimitExceeded, NoSolution
from worker.process import parent as process
from worker.process import ready, starting
from worker.sealed import SealedReader, SealedWriter, new_key

GIGABYTE = 2**30
TRIES = 6
FAST = process.Limits(memory_bytes=2 * GIGABYTE, seconds=60)


BAD_DAY = (sys.executable, "-m", "tests.unit.worker.process.errands_of_a_bad_day")


@pytest.fixture(autouse=True, scope="module", params=["a fresh process", "split off"])
def bad_day(request: pytest.FixtureRequest) -> Iterator[None]:
    """Everything holds for an engine that has to load, and for one that has not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starting, "COMMAND", BAD_DAY)
        if request.param == "split off":
            ready.keep()
            until(ready.is_loaded)
        yield
        ready.forget()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(
        job: str,
        files: dict[str, process.Sealed] | None = None,
        limits: process.Limits = FAST,
        watch: process.Watch = lambda progress: True,
        **details: Any,
    ) -> dict[str, Any]:
        return process.execute(job, details, files or {}, limits=limits, scratch=tmp_path, watch=watch)

    return run


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:  # it may end between being found and being read
        return False
    return state != "Z"


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def test_sealed_files_go_in_and_out(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    key, plain = new_key(), os.urandom(3_000_000)
    with (tmp_path / "in").open("w+b") as given, (tmp_path / "out").open("w+b") as made:
        with SealedWriter(given, key) as writer:
            writer.write(plain)
        files = {"a": process.Sealed(given, key), "a-copy": process.Sealed(made, key, "w")}
        answer = run("echo", files, say="hello")
        assert SealedReader(made, key).read() == plain
    assert answer["files"]["a-copy"]["size"] == len(plain)
    assert answer["said"] == "hello"


def test_progress_is_seen(run: Callable[..., dict[str, Any]]) -> None:
    seen: list[process.Progress] = []
    with pytest.raises(process.ChildLost):
        run("die", watch=lambda progress: seen.append(progress) is None, hold=0, signal="SIGKILL")
    assert seen[-1].fraction == 0.5


def test_no_secret_of_the_web_application_is_in_the_environment(
    run: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEWARD_SECRET_KEY", CANARY)
    monkeypatch.setenv("STEWARD_DATABASE_URL", CANARY)
    environment = run("echo", say=1)["environment"]
    assert CANARY not in str(environment)
    assert environment["ARROW_DEFAULT_MEMORY_POOL"] == "system", "the other one eats the memory limit"


def test_what_a_library_prints_gets_nowhere(
    run: Callable[..., dict[str, Any]], capfd: pytest.CaptureFixture[str]
) -> None:
    assert len(run("talk")["large"]) == 1_000_000
    assert CANARY not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("how", "kind", "code"),
    [
        ("engine", EngineError, "ragged-row"),
        ("solution", NoSolution, "no-solution"),
        ("limit", LimitExceeded, "rows"),
        ("thread", LimitExceeded, "memory"),
        ("native", LimitExceeded, "memory"),
    ],
)
def test_refusals_arrive_as_they_were(
    run: Callable[..., dict[str, Any]], how: str, kind: type[EngineError], code: str
) -> None:
    with pytest.raises(EngineError) as caught:
        run("refuse", how=how)
    assert type(caught.value) is kind
    assert caught.value.code == code
    if how == "engine":
        assert (caught.value.param, caught.value.step) == ("columns", 2)


def test_a_cancel_inside_the_child(run: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(Cancelled):
        run("refuse", how="cancelled")


def test_an_unforeseen_error_tells_type_and_lines_but_not_its_words(
    run: Callable[..., dict[str, Any]],
) -> None:
    with pytest.raises(process.ChildFailed) as caught:
        run("refuse", how="unforeseen")
    assert caught.value.kind == "ValueError"
    assert any("errands_of_a_bad_day" in frame for frame in caught.value.frames)
    assert CANARY not in repr(caught.value) + str(vars(caught.value))


def test_trouble_on_the_way_is_logged_and_the_job_goes_on(
    run: Callable[..., dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    assert run("stumble") == {"went": "on"}
    (record,) = [one for one in caplog.records if one.message == "engine.trouble"]
    told = (record.__dict__["what"], record.__dict__["type"], record.__dict__["frames"])
    assert told == ("a-measure#12345678", "KeyError", ["a.py:1 read"])


def test_a_job_that_nobody_knows(run: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(process.ChildFailed):
        run("unheard-of")


def test_too_much_memory(run: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(LimitExceeded) as caught:
        run("greedy")
    assert caught.value.code == "memory"


def test_native_abort_near_the_limit_is_out_of_memory(run: Callable[..., dict[str, Any]]) -> None:
    limits = process.Limits(memory_bytes=GIGABYTE, seconds=60)
    with pytest.raises(LimitExceeded) as caught:
        run("die", limits=limits, hold=int(0.9 * GIGABYTE), signal="SIGABRT")
    assert caught.value.code == "memory"


def test_native_abort_far_from_the_limit_is_a_lost_child(run: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(process.ChildLost):
        run("die", hold=0, signal="SIGABRT")


def test_time_limit_ends_the_child_and_all_it_started(
    run: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    note, limit = tmp_path / "note", 3
    while not note.exists():  # until then a busy machine was still starting it
        with pytest.raises(LimitExceeded) as caught:
            run("hang", limits=process.Limits(seconds=limit), note=str(note))
        assert caught.value.code == "time-limit"
        limit *= 3
    until(lambda: not any(alive(int(pid)) for pid in note.read_text().split()), 5)


def test_cancel_ends_the_child_and_all_it_started_within_half_a_second(
    run: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """The best of several, because others use this machine too."""
    for attempt in range(TRIES):
        note, asked = tmp_path / f"note {attempt}", []

        def watch(progress: process.Progress, note: Path = note, asked: list[float] = asked) -> bool:
            if note.exists() and note.read_text().count(" ") and not asked:
                asked.append(time.monotonic())
            return not asked

        with pytest.raises(Cancelled):
            run("hang", watch=watch, note=str(note))
        until(lambda note=note: not any(alive(int(pid)) for pid in note.read_text().split()), 5)
        if (took := time.monotonic() - asked[0]) < 0.5:
            break
    assert took < 0.5


PARENT = """
import sys
from pathlib import Path
from worker.process import parent as process, starting
starting.COMMAND = (sys.executable, "-m", "tests.unit.worker.process.errands_of_a_bad_day")
limits, scratch = process.Limits(), Path("/tmp")
process.execute("hang", {"note": sys.argv[1]}, {}, limits=limits, scratch=scratch, watch=lambda p: True)
"""


def test_the_child_does_not_outlive_a_killed_worker(tmp_path: Path) -> None:
    note = tmp_path / "note"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(note)], cwd=starting.ROOT)
    until(lambda: note.exists() and " " in note.read_text())
    child = int(note.read_text().split()[0])
    parent.kill()
    parent.wait(30)
    until(lambda: not alive(child), 5)
    starting.kill_group(child)  # what hung beside it


def test_many_at_once(run: Callable[..., dict[str, Any]]) -> None:
    said: list[int] = []
    threads = [threading.Thread(target=lambda n=n: said.append(run("echo", say=n)["said"])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == [0, 1, 2, 3]


@pytest.mark.parametrize(("fraction", "elapsed", "left"), [(0.5, 10, 10), (0.01, 10, None), (0.5, 0.5, None)])
def test_time_left(fraction: float, elapsed: float, left: int | None) -> None:
    assert process.Progress(fraction, "", elapsed).seconds_left == left


def test_memory_of_a_process_that_is_gone() -> None:
    assert process.memory_of(2**22 + 1) == 0
