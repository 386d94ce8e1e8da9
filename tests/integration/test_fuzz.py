"""Whatever is sent to whichever address, by somebody who may come in: an answer, never a fault of ours.

A thousand requests in the suite, ten thousand in `make faults`. What is sent stands on what a valid request
would send and what the page itself offers, with a few parts made nasty.
"""

from __future__ import annotations

import ast
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.integration.url_scene import PERSONAS, Place, Scene, scene
from tests.integration.url_table import TABLE, Door, Row
from tests.sampling import WHOLE
from tests.scenes import undone

__all__ = ["scene"]
pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
TRIES = (10_000 if WHOLE else 500) // len(TABLE) + 1
MOST_SECONDS = 3.0
"""Of processor time: how long anybody else keeps the machine busy says nothing."""

DEEP = "[" * 20_000
HALF = json.dumps("\ud800")
NASTY = (
    *("", " ", "\0", "a\0b", "\ud800", "\udfff!", "\U0001f600", "﷽" * 50, "\r\nX: y", "\u202e", "A" * 5_000),
    *("0", "-1", "1", "2.5", "1e400", "-1e-400", "NaN", "sNaN", "inf", "0x1", "1_0", "٣", "²", "9" * 5_000),
    *(str(2**31), str(2**63), str(-(2**63) - 1), str(2**64), "1" + "0" * 40, "1e999999999", "00", "+1"),
    *("null", "true", "[]", "{}", "[[]]", '"x"', "[1", "{]", DEEP, DEEP.replace("[", '{"a":'), HALF),
    *('{"a": 1, "a": 2}', "[NaN]", "[1e999]", f"[{'9' * 5_000}]", f'{{"goals": {HALF}}}', '[{"change": 1}]'),
    *('{"goals": {}}', '{"goals": [[]]}', '{"goals": [{"goal": []}]}', '{"steps": [{"method": "x"}]}'),
    *(
        '{"steps": [{"method": "rounding", "params": []}]}',
        '{"goals": [{"goal": "k-anonymity", "params": 1}]}',
    ),
    *('[{"change": "rename", "level": "x", "label": 1, "to": []}]', '[{"change": "group", "labels": 3}]'),
    *('[{"change": "build", "spec": {"builder": "interval", "width": 0, "bounds": [1]}}]', "[[1, 2], [3]]"),
    *('[{"change": "build", "spec": {"builder": "order", "values": 5, "fan_out": "x"}}]', "a: b: c", "a:[1"),
    *("00000000-0000-0000-0000-000000000000", "not-a-uuid", "../../etc/passwd", "%00", "%ED%A0%80", 'a;b;"c'),
    *(
        "9999-12-31",
        "0001-01-01",
        "2026-02-30",
        "0000-00-00",
        "99999-01-01",
        "2026-01-01T25:61",
        "on",
        "up:",
        "add:",
    ),
    *(
        "add:step:rounding",
        "add:goal:",
        "fill:x:" + "9" * 5_000,
        "fill:x:²",
        "save",
        "run",
        "preview:",
        "edit:x-y",
    ),
    *(
        "remove-level:" + "9" * 5_000,
        "add-level:²",
        "add-level:-1",
        "rename",
        "group",
        "complete",
        "normalise:²",
    ),
)
values = st.sampled_from(NASTY) | st.sampled_from(NASTY) | st.text(st.characters(), max_size=40)


@cache
def read_names() -> tuple[str, ...]:
    """Every parameter that a view, a form or a presenter asks for by its name."""
    found = set()
    for folder in ("views", "forms", "presenters"):
        for path in (ROOT / "stewardapp" / folder).rglob("*.py"):
            found |= set(_asked(ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(sorted(found))


def _asked(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            name = node.args[0]
            of_request = re.search(r"GET|POST|posted|data|asked|query", ast.unparse(node.func.value))
            if node.func.attr in ("get", "getlist") and of_request and isinstance(name, ast.Constant):
                yield str(name.value)


@dataclass(frozen=True)
class Target:
    """An address that somebody may use in this way, and what a page of ours sends there."""

    url: str
    method: str
    persona: str
    sends: dict[str, Any]
    headers: dict[str, str]
    names: tuple[str, ...]


def targets(scene: Scene, name: str) -> Iterator[Target]:
    """Every way in, each as one who may."""
    row = TABLE[name]
    label = row.places[-1]
    place = scene.places[label]
    url = reverse(name, kwargs=row.args(scene, place))
    offered = on_page(scene, row, label, url)
    for method, door in row.doors(label).items():
        persona = goes_in(door)
        if persona is not None:
            sends = sent(row, scene, place) if method == "post" else {}
            names = tuple({*sends, *offered, "page", "q"})
            yield Target(url, method, persona, offered | sends, row.headers(scene, place), names)


def goes_in(door: Door) -> str | None:
    allowed = door.sees if door.may is None else door.sees & door.may
    return next((one for one in PERSONAS[::-1] if one in allowed), None) or next(
        (one for one in PERSONAS if one in door.sees), None
    )


def sent(row: Row, scene: Scene, place: Place) -> dict[str, Any]:
    return row.sends(scene, place)


INPUT = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="([^"]+)"(?:[^>]*?\bvalue="([^"]*)")?')


def on_page(scene: Scene, row: Row, label: str, url: str) -> dict[str, Any]:
    """The inputs of the page itself, with their values."""
    door = row.doors(label).get("get")
    persona = goes_in(door) if door else None
    if persona is None:
        return {}
    answer = scene.ask(persona, "get", url).answer
    page = b"" if answer.streaming else answer.content
    return dict(INPUT.findall(page.decode("utf-8", "replace")))


@st.composite
def requests(draw: Any, target: Target) -> dict[str, Any]:
    """What is sent, as the test client wants it, and the address it goes to."""
    known = st.sampled_from(target.names) | st.sampled_from(read_names())
    nasty = draw(st.dictionaries(known | values.filter(bool), values, min_size=1, max_size=4))
    fields = dict(target.sends) | nasty if draw(st.integers(0, 3)) else nasty
    url, asked = target.url, dict(nasty)
    if not draw(st.integers(0, 7)):
        url = re.sub(r"[^/]+(/[^/]*)$", lambda end: encoded(draw(values))[:400] + end[1], url)
    headers = dict(target.headers)
    for name in (*headers, "HX-Request", "Accept-Language", "X-Forwarded-For"):
        if not draw(st.integers(0, 5)):
            headers[name] = draw(values).encode("latin-1", "replace").decode("latin-1")
    if not draw(st.integers(0, 7)):
        headers["Cookie"] = f'theme="\\000"; steward_csrf="{draw(st.sampled_from(NASTY[:8]))!a}"'
    if target.method in ("get", "head", "delete"):
        return {"url": f"{url}?{form(asked)}", "headers": headers}
    return {"url": url, "headers": headers} | body(draw, target, fields)


def body(draw: Any, target: Target, fields: dict[str, Any]) -> dict[str, Any]:
    files = {name: one for name, one in fields.items() if isinstance(one, SimpleUploadedFile)}
    if files:
        for name, one in files.items():
            content = draw(values).encode("utf-8", "replace")
            fields[name] = SimpleUploadedFile("f.csv\0.csv", content or b"a", one.content_type)
        return {"data": {str(name).replace("\ud800", "?"): plain(value) for name, value in fields.items()}}
    kind = draw(st.integers(0, 9))
    if target.method == "patch" or not kind:
        kinds = st.sampled_from(
            ("application/json", "application/offset+octet-stream", "multipart/form-data")
        )
        return {"data": draw(values).encode("utf-8", "surrogatepass"), "content_type": draw(kinds)}
    charset = "; charset=unicode_escape" if kind == 1 else ""
    return {"data": form(fields).encode(), "content_type": f"application/x-www-form-urlencoded{charset}"}


def plain(value: Any) -> Any:
    return value if not isinstance(value, str) else value.encode("utf-8", "replace").decode()


def form(fields: dict[str, Any]) -> str:
    """As a browser never would: half pairs and all."""
    pairs = []
    for name, value in fields.items():
        some = value if isinstance(value, (list, tuple)) else [value]
        pairs += [f"{encoded(str(name))}={encoded(str(one))}" for one in some]
    return "&".join(pairs)


def encoded(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def tried(scene: Scene, target: Target, request: dict[str, Any]) -> str:
    """What was wrong with the answer, in short; nothing when it was one."""
    began = time.process_time()
    with undone():
        asked = scene.ask(target.persona, target.method, request.pop("url"), **request)
    took, answer = time.process_time() - began, asked.answer
    if answer.status_code >= 500:
        error = getattr(answer, "exc_info", None)
        where = f"{error[0].__name__} {_place(error[2])}" if error else f"{answer.status_code}"
        return f"{target.method} {where}: {error[1] if error else ''}"[:300]
    return f"{target.method} took {took:.1f} s" if took > MOST_SECONDS else ""


def _place(trace: Any) -> str:
    """The last line of our own."""
    ours = ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "/.venv/" not in name and "/tests/" not in name:
            ours = f"{Path(name).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return ours


@pytest.mark.parametrize("name", TABLE)
def test_whatever_is_sent_is_answered(scene: Scene, name: str) -> None:
    wrong: dict[str, str] = {}
    with undone():
        ways = list(targets(scene, name))
        for target in ways:
            attempts(scene, target, max(TRIES // len(ways), 1), wrong)
    assert wrong == {}


def attempts(scene: Scene, target: Target, number: int, wrong: dict[str, str]) -> None:
    """Everything that goes wrong is noted, each kind once with what brought it about."""

    @seed(time.time_ns() if WHOLE else 0)
    @settings(
        max_examples=number,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(request=requests(target))
    def attempt(request: dict[str, Any]) -> None:
        shown = repr(request)[:600]
        if said := tried(scene, target, request):
            wrong.setdefault(said, shown)

    attempt()
