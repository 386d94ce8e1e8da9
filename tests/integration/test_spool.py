"""The server-less broker loses nothing, repeats nothing, keeps its order, and never shows half a message."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Exchange, Queue

from worker.queue import spool
from worker.queue.arrivals import Arrivals

MESSAGES = 1_500
PRODUCERS = CONSUMERS = 2
DEADLINE = 60.0


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


def options(folder: Path) -> dict[str, Any]:
    queue, control = str(folder / "queue"), str(folder / "control")
    return {"data_folder_in": queue, "data_folder_out": queue, "control_folder": control}


def connect(folder: Path) -> Connection:
    spool.register()
    folder.mkdir(exist_ok=True)
    return Connection("spool://", transport_options=options(folder))


@pytest.fixture
def channel(folder: Path) -> Iterator[Any]:
    with connect(folder) as connection:
        yield connection.default_channel


def program(body: str) -> str:
    return f"import sys, os\nsys.path.insert(0, {str(Path(__file__).parents[2])!r})\n{body}"


PRODUCE = program(
    """
from tests.integration.test_spool import connect
from pathlib import Path
channel = connect(Path(sys.argv[1])).default_channel
for number in range(int(sys.argv[3])):
    channel._put("q", {"id": f"{sys.argv[2]}-{number}"})
"""
)

CONSUME = program(
    """
from tests.integration.test_spool import connect
from pathlib import Path
from queue import Empty
import time
channel = connect(Path(sys.argv[1])).default_channel
got = open(sys.argv[2], "w")
stop = Path(sys.argv[1]) / "stop"
while True:
    last = stop.exists()
    try:
        print(channel._get("q")["id"], file=got)
    except Empty:
        if last:
            break
        time.sleep(0.005)
got.close()
"""
)


def start(script: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)])


def test_many_processes_lose_and_repeat_nothing(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    logs = [tmp_path / f"got-{number}" for number in range(CONSUMERS)]
    consumers = [start(CONSUME, folder, log) for log in logs]
    producers = [start(PRODUCE, folder, number, MESSAGES) for number in range(PRODUCERS)]
    assert [one.wait(DEADLINE) for one in producers] == [0] * PRODUCERS
    (folder / "stop").touch()
    assert [one.wait(DEADLINE) for one in consumers] == [0] * CONSUMERS
    got = [line for log in logs for line in log.read_text().split()]
    assert sorted(got) == sorted(f"{p}-{n}" for p in range(PRODUCERS) for n in range(MESSAGES))
    assert names(folder / "queue") == []


def test_one_consumer_reads_in_the_order_of_writing(channel: Any) -> None:
    for number in range(50):
        channel._put("q", number)
    assert [channel._get("q") for _ in range(50)] == list(range(50))
    with pytest.raises(Empty):
        channel._get("q")


def test_order_survives_a_reboot(channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    channel._put("q", "before")
    monkeypatch.setattr(time, "monotonic", lambda: 1.0)  # what a fresh boot shows
    channel._put("q", "after")
    with connect(folder) as fresh:
        assert [fresh.default_channel._get("q") for _ in range(2)] == ["before", "after"]


def test_a_message_written_later_waits_behind_the_listing(channel: Any) -> None:
    channel._put("q", 1)
    channel._put("q", 2)
    assert channel._get("q") == 1
    channel._put("q", 3)
    assert [channel._get("q"), channel._get("q")] == [2, 3]


def test_queues_are_apart(channel: Any) -> None:
    channel._put("one.more", "dotted")
    channel._put("more", "plain")
    assert channel._size("more") == 1
    assert channel._get("more") == "plain"
    assert channel._get("one.more") == "dotted"


def test_folders_and_messages_are_private(channel: Any, folder: Path) -> None:
    channel._put("q", 1)
    modes = {stat.S_IMODE((folder / name).stat().st_mode) for name in ("queue", "control")}
    assert modes == {0o700}
    [message] = (folder / "queue").iterdir()
    assert stat.S_IMODE(message.stat().st_mode) == 0o600


def test_an_open_folder_is_closed(folder: Path) -> None:
    (folder / "queue").mkdir(parents=True, mode=0o755)
    with connect(folder) as connection:
        assert connection.default_channel
    assert stat.S_IMODE((folder / "queue").stat().st_mode) == 0o700


KILLED_PUT = program(
    """
from tests.integration.test_spool import connect
from pathlib import Path
channel = connect(Path(sys.argv[1])).default_channel
number = 0
while True:
    channel._put("q", {"id": number, "padding": "x" * 200_000})
    number += 1
"""
)


def test_kill_during_put_leaves_no_partial_message(folder: Path) -> None:
    folder.mkdir()
    for round_ in range(6):
        writer = start(KILLED_PUT, folder)
        wait_for_messages(folder / "queue", round_ + 1)
        time.sleep(0.013 * round_)  # moves the moment of death through the write
        writer.send_signal(signal.SIGKILL)
        writer.wait(DEADLINE)
    with connect(folder) as connection:
        bodies = list(drain(connection.default_channel))
    assert bodies
    assert {len(body["padding"]) for body in bodies} == {200_000}


def wait_for_messages(queue: Path, count: int) -> None:
    end = time.monotonic() + DEADLINE
    while not queue.exists() or sum(name.endswith(".msg") for name in names(queue)) < count:
        assert time.monotonic() < end
        time.sleep(0.002)


def drain(channel: Any) -> Iterator[Any]:
    while True:
        try:
            yield channel._get("q")
        except Empty:
            return


def test_no_space_reports_and_leaves_nothing(
    channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        channel._put("q", 1)
    assert names(folder / "queue") == []


@pytest.mark.parametrize("name", ["one", "another"])
def test_through_kombu_with_acknowledgement(tmp_path: Path, name: str) -> None:
    queue = Queue("jobs", Exchange("jobs", type="direct"), routing_key="jobs")
    got: list[Any] = []

    def receive(body: Any, message: Any) -> None:
        got.append(body)
        message.ack()

    with connect(tmp_path / name) as connection:
        connection.Producer().publish(
            {"id": 7}, exchange=queue.exchange, routing_key="jobs", declare=[queue], serializer="json"
        )
        with connection.Consumer([queue], callbacks=[receive]):
            connection.drain_events(timeout=5)
    assert got == [{"id": 7}]


BIND = program(
    """
from tests.integration.test_spool import connect
from pathlib import Path
channel = connect(Path(sys.argv[1])).default_channel
for number in range(40):
    name = f"{sys.argv[2]}-{number}"
    channel._queue_bind("e", name, None, name)
    assert channel.get_table("e")
    if number % 2:
        channel._delete(name, "e", name, None)
"""
)


def test_a_consumer_looks_up_soon_and_hears_the_bell_soon(folder: Path) -> None:
    with connect(folder) as connection, connection.SimpleQueue("jobs") as queue:
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            connection.drain_events(timeout=60)
        assert time.monotonic() - start < 5, "somebody who wants it to end would wait a minute"
        queue.put({"kind": "run"})
        assert queue.get(timeout=5).payload == {"kind": "run"}


def test_a_consumer_that_waits_is_woken_by_a_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "LONGEST_WAIT", 60)
    monkeypatch.setattr(spool.Transport, "polling_interval", 60)
    with connect(folder) as one, one.SimpleQueue("jobs") as queue, connect(folder) as other:
        bell = other.SimpleQueue("jobs")
        ringing = threading.Timer(0.2, bell.put, [{"kind": "run"}])
        ringing.start()
        start = time.monotonic()
        assert queue.get(timeout=60).payload == {"kind": "run"}
        assert time.monotonic() - start < 10
        ringing.join(30)


def test_where_the_system_tells_nothing_one_looks_now_and_then(tmp_path: Path) -> None:
    deaf = Arrivals(tmp_path)
    deaf._notes = -1
    start = time.monotonic()
    deaf.wait(0.05)
    assert time.monotonic() - start >= 0.05


def test_bindings_of_several_processes_all_remain(folder: Path) -> None:
    folder.mkdir()
    binders = [start(BIND, folder, number) for number in range(3)]
    assert [one.wait(DEADLINE) for one in binders] == [0, 0, 0]
    with connect(folder) as connection:
        queues = {row.queue for row in connection.default_channel.get_table("e")}
    assert queues == {f"{binder}-{number}" for binder in range(3) for number in range(0, 40, 2)}


def test_an_exchange_nobody_bound_feeds_nothing(channel: Any) -> None:
    assert channel.get_table("none") == []


def later(seconds: float) -> Callable[[], float]:
    now = time.time()
    return lambda: now + seconds


def test_sweep_gives_back_what_a_dead_taker_held(
    channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = folder / "queue"
    channel._put("q", "held")
    [message] = queue.iterdir()
    message.rename(queue / f".{message.name}{spool.TAKEN}")
    spool.sweep(queue)
    with pytest.raises(Empty):
        channel._get("q")
    monkeypatch.setattr(time, "time", later(120))
    spool.sweep(queue)
    assert channel._get("q") == "held"


def test_sweep_drops_old_control_messages_and_half_writes_only(
    channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = folder / "queue"
    for name in (f".x{spool.PART}", "0-a.celery@h.celery.pidbox.msg", "0-b.q.msg"):
        (queue / name).write_text("1")
    spool.sweep(queue)
    assert len(names(queue)) == 3
    monkeypatch.setattr(time, "time", later(3700))
    spool.sweep(queue)
    assert names(queue) == ["0-b.q.msg"]


DAMAGED = [b"", b"{", b"\x00\xff\xfe", b"[1, 2]", b"7", b'{"body": 1}', b'{"body": 1, "properties": {}}']


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_message_is_put_aside_and_work_goes_on(
    folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    queue = Queue("jobs", Exchange("jobs", type="direct"), routing_key="jobs")
    got: list[Any] = []
    with (
        connect(folder) as connection,
        connection.Consumer([queue], callbacks=[lambda body, message: (got.append(body), message.ack())]),
    ):
        (folder / "queue" / f"{0:020d}-{'a' * 32}.jobs.msg").write_bytes(content)
        connection.Producer().publish({"id": 7}, exchange=queue.exchange, routing_key="jobs")
        deadline = time.monotonic() + 10
        while not got and time.monotonic() < deadline:
            with suppress(TimeoutError):
                connection.drain_events(timeout=1)
    assert got == [{"id": 7}]
    [dead] = (folder / "dead").iterdir()
    if content[:1] in (b"[", b"7"):
        assert json.loads(dead.read_bytes()) == json.loads(content)
    assert dead.stat().st_mode & 0o077 == 0
    assert names(folder / "queue") == []
    assert "spool.damaged" in caplog.text


@pytest.mark.parametrize("content", [b"", b"{", b"[[1]]", b"7", None])
def test_an_exchange_whose_file_is_lost_feeds_the_same_queues(folder: Path, content: bytes | None) -> None:
    queue = Queue("jobs", Exchange("jobs", type="direct"), routing_key="jobs")
    with connect(folder) as connection, connection.Consumer([queue], callbacks=[lambda *_: None]):
        [file] = (folder / "control").glob("*.exchange")
        file.unlink() if content is None else file.write_bytes(content)
        assert {row.queue for row in connection.default_channel.get_table("jobs")} == {"jobs"}
        connection.Producer().publish({"id": 7}, exchange=queue.exchange, routing_key="jobs")
        assert len(names(folder / "queue")) == 1
        assert (folder / "dead").exists() is (content is not None)
