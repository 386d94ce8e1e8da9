"""Power cuts, dead processes and second starts: what was begun is finished, and nothing lies open."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import signal
import sqlite3
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Page

from stewardapp.management.survey import health_survey
from tests.functional import steward
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk, alive, until
from tests.functional.wire import Wire

Visit = Callable[..., Visitor]
MEGABYTE = 2**20


def timeless(page: Page) -> str:
    """What the page says, apart from how long ago things happened."""
    return re.sub(r"just now|\d+\s\w+ ago", "then", page.inner_text("main"))


def test_ctrl_c_leaves_no_process_and_the_next_start_goes_on(visit: Visit, desk: Desk) -> None:
    page = visit("steward").goto("/releases/")
    before, personas, running = timeless(page), dict(desk.personas), desk.tree()
    assert len(running) >= 4
    assert desk.interrupt() == 0
    assert [pid for pid in running if alive(pid)] == []
    desk.start()
    assert desk.personas == personas
    page.reload()
    assert timeless(page) == before


def test_a_second_start_and_a_taken_port_say_so(desk: Desk) -> None:
    second = desk.manage("run")
    assert second.returncode == 1
    assert "running already" in second.stderr
    elsewhere = Desk(desk.data.parent / "elsewhere", port=desk.port).manage("run")
    assert elsewhere.returncode == 1
    assert f"Port {desk.port} is taken" in elsewhere.stderr
    assert desk.healthy()


def state_of(desk: Desk, run: str) -> tuple[str, int]:
    """State and attempts as the database has them."""
    key = uuid.UUID(run.rstrip("/").rpartition("/")[2]).hex
    with closing(sqlite3.connect(desk.data / "steward.sqlite3", timeout=30)) as database:
        found = database.execute("SELECT state, attempts FROM stewardapp_run WHERE id = ?", [key])
        state, attempts = found.fetchone()
    return str(state), int(attempts)


def test_a_run_that_lost_everything_half_way_finishes_after_the_next_start(
    visit: Visit, desk: Desk, tmp_path: Path
) -> None:
    survey = tmp_path / "survey.csv"
    survey.write_text(health_survey(100_000, seed=3))
    name = f"Power cut {secrets.token_hex(3)}"
    page = visit("steward").goto("/")
    steward.name_dataset(page, name)
    steward.choose(page, survey)
    steward.wait_until_read(page)
    steward.tag(page)
    steward.begin_release(page, name)
    run = steward.run(page)
    page.goto("about:blank")
    until(lambda: state_of(desk, run) == ("running", 1), 60, "a worker takes the run")
    desk.pull_the_plug()
    assert state_of(desk, run) == ("running", 1)
    desk.start()
    again = time.monotonic()
    until(lambda: state_of(desk, run)[0] not in ("queued", "running"), 120, "the run ends")
    assert time.monotonic() - again < 120
    assert state_of(desk, run) == ("succeeded", 2)
    page.goto(run)
    steward.wait_for_results(page)


def lying_open(desk: Desk, canary: bytes) -> list[str]:
    """Files in which the canary can be read: data, database, logs, temporary files."""
    files = [path for path in desk.folder.rglob("*") if path.is_file()]
    assert len(files) > 10
    return [str(path) for path in files if canary in path.read_bytes()]


def test_a_dead_web_process_leaves_nothing_open_and_the_upload_goes_on(desk: Desk) -> None:
    canary = secrets.token_hex(8).encode()
    line = b"P%06d;2010;canary-" + canary + b"\n"
    body = b"person;year;remark\n" + b"".join(line % number for number in range(300_000))
    wire = Wire(desk, "steward")
    upload = wire.begin(wire.dataset(f"Dead web {secrets.token_hex(3)}"), len(body)).location
    connection = wire.piece(upload, 0, len(body))
    connection.send(body[: 6 * MEGABYTE + 12345])
    arrived = desk.data / "uploads"
    until(lambda: sum(path.stat().st_size for path in arrived.iterdir()) > 5 * MEGABYTE, 60, "it arrives")
    assert lying_open(desk, canary) == []
    web = desk.tree("stewardapp.entrance")
    for pid in web:
        os.kill(pid, signal.SIGKILL)
    connection.close()
    until(lambda: not any(map(alive, web)) and desk.healthy(), 60, "the web process is back")
    assert lying_open(desk, canary) == []
    offset = wire.offset(upload)
    assert 5 * MEGABYTE <= offset <= 6 * MEGABYTE + 12345
    assert wire.patch(upload, offset, body[offset:]).status == 204
    version = wire.get(upload).location
    assert hashlib.sha256(body).hexdigest() in wire.get(version).text
    until(lambda: "A few rows, masked" in wire.get(version).text, 90, "the file is read")
    assert lying_open(desk, canary) == []
