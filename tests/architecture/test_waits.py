"""Waiting has an end: whatever waits for a process, a thread or an event says how long, or is listed here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAITING = {"wait", "join", "acquire"}
RUNNING = {"run", "check_output", "check_call", "communicate"}
LIMITS = {"asyncio.wait_for", "asyncio.timeout"}

FOR_A_REASON = {
    "stewardapp/management/supervisor.py: service.process.wait()": "was killed the line before",
    "tests/ending.py: select.select([over], [], [])": "the suite's own ceiling ends what it waits for",
    "worker/process/starting.py: self._process.wait()": "was killed the line before",
    "worker/process/template.py: self._loading.join()": "who asked gives up a template that does not answer",
    "worker/process/template.py: self._poll.poll()": "who asks closes a socket by ending, which is an answer",
    "worker/queue/outbox.py: self._rung.wait()": "waiting for the next job is all that this thread is for",
}


def waits(code: str) -> Iterator[str]:
    """Every call in a text that may wait for ever."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    limited = {id(one) for call in calls if ast.unparse(call.func) in LIMITS for one in call.args}
    for call in calls:
        if isinstance(call.func, ast.Attribute) and id(call) not in limited and is_endless(call, call.func):
            yield ast.unparse(call)


def is_endless(call: ast.Call, function: ast.Attribute) -> bool:
    """Whether a call names no end of its waiting."""
    of, named = ast.unparse(function.value), {word.arg for word in call.keywords}
    if of == "subprocess" or function.attr == "communicate":
        return function.attr in RUNNING and "timeout" not in named
    if of == "select":
        return function.attr == "select" and len(call.args) < 4
    if function.attr == "poll":
        return of.endswith("_poll") and not call.args  # asking a process whether it runs is not waiting
    return function.attr in WAITING and of != "os" and not call.args and not named


def test_whatever_waits_says_how_long() -> None:
    files = [path for folder in ("tests", "worker", "stewardapp") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 300
    found = {
        f"{path.relative_to(ROOT)}: {wait}"
        for path in files
        for wait in waits(path.read_text(encoding="utf-8"))
    }
    assert sorted(found - FOR_A_REASON.keys()) == []
    assert sorted(FOR_A_REASON.keys() - found) == [], "no longer there"


@pytest.mark.parametrize(
    ("for_ever", "with_an_end"),
    [
        ("thread.join()", "thread.join(5)"),
        ("done.wait()", "asyncio.wait_for(done.wait(), 5)"),
        ("subprocess.run(['x'])", "subprocess.run(['x'], timeout=5)"),
        ("process.communicate(b'')", "process.communicate(b'', timeout=5)"),
        ("select.select([one], [], [])", "select.select([one], [], [], 5)"),
        ("self._poll.poll()", "self._poll.poll(5)"),
    ],
)
def test_waiting_for_ever_is_found(for_ever: str, with_an_end: str) -> None:
    assert list(waits(for_ever)) == [for_ever]
    assert list(waits(with_an_end)) == []
