"""What a PDF of ours says, read from its bytes alone: glyphs to letters by the maps that readers use."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

OBJECT = re.compile(rb"\n(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"stream\n(.*)\nendstream", re.DOTALL)
SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|\(((?:[^()\\]|\\.)*)\) Tj", re.DOTALL)
LETTER = re.compile(rb"<(\w{4})> <(\w{4})>")
ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def pdf_text(content: bytes) -> str:
    """Everything that is printed, in the order in which it was put down."""
    objects = {int(number): body for number, body in OBJECT.findall(content)}
    fonts = dict(_fonts(objects))
    return "\n".join(line for body in objects.values() for line in _lines(body, fonts))


def _fonts(objects: dict[int, bytes]) -> Iterator[tuple[bytes, dict[bytes, str]]]:
    """The letters of each font by the name that pages give it."""
    named = {
        pair for body in objects.values() for one in re.findall(rb"/Font <<(.*?)>>", body, re.DOTALL)
        for pair in re.findall(rb"/(F\d+) (\d+) 0 R", one)
    }  # fmt: skip
    for name, number in named:
        table = re.search(rb"/ToUnicode (\d+) 0 R", objects[int(number)])
        assert table is not None
        pairs = LETTER.findall(_unpacked(objects[int(table[1])]))
        yield (
            name,
            {bytes.fromhex(a.decode()): bytes.fromhex(b.decode()).decode("utf-16-be") for a, b in pairs},
        )


def _unpacked(body: bytes) -> bytes:
    found = STREAM.search(body)
    if found is None:
        return b""
    return zlib.decompress(found[1]) if b"FlateDecode" in body[: found.start()] else found[1]


def _lines(body: bytes, fonts: dict[bytes, dict[bytes, str]]) -> Iterator[str]:
    letters: dict[bytes, str] = {}
    content = b"" if b"/Length1" in body[:200] else _unpacked(body)
    for font, shown in SHOWN.findall(content if b" Tj" in content else b""):
        if font:
            letters = fonts[font]
            continue
        plain = re.sub(rb"\\(.)", lambda one: ESCAPED.get(one[1], one[1]), shown, flags=re.DOTALL)
        yield "".join(letters[plain[at : at + 2]] for at in range(0, len(plain), 2))
