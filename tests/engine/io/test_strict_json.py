"""JSON of others is read within limits or refused in words; nothing else reads it."""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.engine.io.sent_text import is_text, whole_number
from worker.engine.io.strict_json import BadJson, Limits, loads

ROOT = Path(__file__).resolve().parents[3]

HOSTILE = {
    "": "is not valid JSON at line 1, column 1",
    '{"a":\n}': "is not valid JSON at line 2, column 1",
    "[" * 100_000: "is nested too deeply",
    "[" * 40 + "]" * 40: "is nested too deeply",
    '{"a":' * 40 + "1" + "}" * 40: "is nested too deeply",
    "9" * 5000: "holds a number of more than 100 digits",
    "-" + "9" * 5000: "holds a number of more than 100 digits",
    "0." + "9" * 5000: "holds a number of more than 100 digits",
    "1e999": "holds a number that is too large",
    "-1e999": "holds a number that is too large",
    "NaN": "holds NaN, which is not a number",
    "[-Infinity]": "holds -Infinity, which is not a number",
    '{"a": 1, "a": 2}': "says a name twice in one object",
    '"\\ud800"': "holds a character that is none: a NUL or half a surrogate pair",
    '{"\\udfff": 1}': "holds a character that is none: a NUL or half a surrogate pair",
    '[["a\\u0000b"]]': "holds a character that is none: a NUL or half a surrogate pair",
    '"' + "a" * 2_000_001 + '"': "is longer than 2\u202f000\u202f000 characters",
    "[" + "1," * 300_000 + "1]": "holds more than 200\u202f000 values",
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_nobody_could_use_is_refused(text: str) -> None:
    for sent in (text, text.encode()):
        with pytest.raises(BadJson) as caught:
            loads(sent)
        assert caught.value.what == HOSTILE[text]


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadJson, match="is not UTF-8 text"):
        loads(b'"\xff"')
    assert loads(b"\xef\xbb\xbf[1]") == [1]


def test_decimals_are_kept_exactly_where_asked() -> None:
    assert loads("[0.10, 1e-400, 7]", decimal=Decimal) == [Decimal("0.10"), Decimal("1e-400"), 7]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**90), 10**90) | st.floats(allow_nan=False) | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=30,
)


@given(JSON)
def test_what_is_read_can_be_stored(value: Any) -> None:
    """The same as was meant, or a sentence."""
    text = json.dumps(value)
    try:
        found = loads(text, Limits(depth=6, values=20))
    except BadJson:
        return
    assert found == value
    json.dumps(found, ensure_ascii=False).encode()


@given(st.text() | st.binary())
def test_anything_is_read_or_refused(text: str | bytes) -> None:
    with suppress(BadJson):
        loads(text)


def test_half_pairs_and_nuls_are_no_text() -> None:
    assert all(map(is_text, ("", "a", "é", "😀", "\x01")))
    assert not any(map(is_text, ("\0", "é\0", "\ud800", "é\udfff")))


def test_numbers_are_plain_digits_within_bounds() -> None:
    for text, number in {"0": 0, "007": 7, "12": 12, str(10**9): 10**9}.items():
        assert whole_number(text) == number
    for text in ("", "-1", "+1", "1.0", "²", "٣", " 1", "1_0", str(10**9 + 1), "9" * 5000, "0" * 5000):
        assert whole_number(text) is None
    assert whole_number("21", most=20) is None


# Nobody else

# What these read was written by ourselves: pipes of our own processes, sealed files, rows, our own pages.
OURS = {
    "stewardapp/domain/runnable.py",
    "stewardapp/management/commands/vendor.py",
    "stewardapp/management/components.py",
    "stewardapp/management/demo.py",
    "stewardapp/presenters/charts.py",
    "stewardapp/reads/answers.py",
    "worker/commands/plain_files.py",
    "worker/engine/execution/earlier.py",
    "worker/engine/io/value_counts.py",
    "worker/process/known.py",
    "worker/engine/io/likeness.py",
    "stewardapp/sessions.py",
    "stewardapp/models/sealed.py",
    "worker/process/answers.py",
    "worker/process/channel.py",
    "worker/engine/io/strict_json.py",
    "worker/engine/verification/verify.py",
    "worker/process/parent.py",
    "worker/process/ready.py",
}


def readers(tree: ast.AST) -> list[int]:
    """Lines that read JSON by themselves."""
    verbs = {"json.loads", "json.load", "json.JSONDecoder", "orjson.loads", "ujson.loads"}
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    taken = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "json"]
    return [node.lineno for node in named if ast.unparse(node) in verbs] + [node.lineno for node in taken]


def test_nobody_else_reads_json_of_others() -> None:
    found = set()
    for folder in ("stewardapp", "worker"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if readers(ast.parse(path.read_text(encoding="utf-8"))):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == OURS


def test_no_page_turns_digits_into_numbers_by_itself() -> None:
    """Five thousand digits are digits, and so are those of other scripts."""
    folders = [ROOT / "stewardapp" / name for name in ("views", "forms", "presenters")]
    found = [
        path.name
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if re.search(r"\.is(decimal|numeric)\(\)", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_scan_sees_a_reader() -> None:
    assert readers(ast.parse("import json\njson.loads(request.body)")) == [2]
    assert readers(ast.parse("from json import loads")) == [1]
