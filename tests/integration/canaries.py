"""Values that must not get out, the disguises they might get out in, and a search for all of them."""

from __future__ import annotations

import base64
import binascii
import gzip
import html
import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, quote_plus

BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
GZIP, ZLIB = b"\x1f\x8b", (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
SHORTEST = 6


def disguises(value: str) -> dict[str, set[bytes]]:
    """Every way of writing a value that a leak could take."""
    plain = value.encode()
    found = {
        "plain": {plain, value.encode("latin-1", "ignore"), value.lower().encode(), value.upper().encode()},
        "utf-16": {value.encode("utf-16-le"), value.encode("utf-16-be")},
        "base64": set(base64_runs(plain)),
        "hex": {plain.hex().encode(), plain.hex().upper().encode()},
        "url": {quote(value, safe="").encode(), quote_plus(value).encode(), quote(value).lower().encode()},
        "html": {html.escape(value).encode(), html.escape(value).encode("ascii", "xmlcharrefreplace")},
        "json": {json.dumps(value)[1:-1].encode(), json.dumps(value, ensure_ascii=False)[1:-1].encode()},
        "repr": {repr(value)[1:-1].encode(), repr(plain)[2:-1].encode()},
        "reversed": {value[::-1].encode()},
        "split": {mark.join(value).encode() for mark in (" ", ",", "\n", ", ", "', '", '", "')},
    }
    if value.isdigit():
        found["number"] = {*grouped(value), struct.pack("<q", int(value)), struct.pack("<d", int(value))}
        found["number"] |= {
            struct.pack(">q", int(value)),
            struct.pack(">d", int(value)),
            f"{int(value):e}".encode(),
        }
    return {name: {one for one in written if len(one) >= SHORTEST} for name, written in found.items()}


def base64_runs(plain: bytes) -> Iterator[bytes]:
    """The part of its base64 that does not depend on what stands before and behind."""
    for before in range(3):
        coded = base64.b64encode(bytes(before) + plain).rstrip(b"=")
        run = coded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]
        yield from (run, run.replace(b"+", b"-").replace(b"/", b"_"))


def grouped(digits: str) -> set[bytes]:
    """Thousands apart."""
    return {f"{int(digits):,}".replace(",", mark).encode() for mark in (",", ".", " ", "'", " ", " ", "_")}


@dataclass(frozen=True)
class Search:
    """Looks for all values in all disguises at once."""

    values: tuple[tuple[str, str], ...]  # what it stands for, the value

    @cached_property
    def names(self) -> dict[bytes, tuple[str, str]]:
        """Each written form with what it gives away."""
        found: dict[bytes, tuple[str, str]] = {}
        for name, value in self.values:
            for disguise, forms in disguises(value).items():
                for written in forms:
                    found.setdefault(written, (name, disguise))
        return found

    def found(self, content: bytes) -> set[tuple[str, str]]:
        """What the content gives away: name and disguise."""
        inside = list(layers(content))
        everything = b"\0".join(layer for _, layer in inside)
        hits = [form for form in self.names if form in everything]  # a tenth of the time of one long pattern
        return {
            (name, f"{wrapping}{disguise}")
            for form in hits
            for name, disguise in (self.names[form],)
            for wrapping, layer in inside
            if form in layer
        }


def layers(content: bytes, depth: int = 2) -> Iterator[tuple[str, bytes]]:
    """The content, and whatever is compressed or written in base64 inside it."""
    yield "", content
    if depth:
        for wrapping, inner in unwrapped(content):
            yield from ((f"{wrapping} > {deeper}", layer) for deeper, layer in layers(inner, depth - 1))


def unwrapped(content: bytes) -> Iterator[tuple[str, bytes]]:
    """One wrapping less."""
    for place in positions(content, GZIP):
        yield from inflated("gzip", content[place:], 31)
    for start in ZLIB:
        yield from inflated("zlib", content, 15) if content.startswith(start) else ()
    for run in set(BASE64.findall(content)):
        for skipped in range(4 if len(run) < 4096 else 1):
            piece = run[skipped:].rstrip(b"=")
            for alphabet in alphabets(run):
                with suppress(binascii.Error):
                    yield "base64", base64.b64decode(piece[: len(piece) // 4 * 4], altchars=alphabet)


def alphabets(run: bytes) -> Iterator[bytes | None]:
    """The ways of writing base64 that a run can be read in; a path between slashes can be both."""
    if b"-" in run or b"_" in run:
        yield b"-_"
    if b"+" in run or b"/" in run or not (b"-" in run or b"_" in run):
        yield None


def positions(content: bytes, start: bytes, most: int = 50) -> Iterable[int]:
    """Where something begins."""
    return [found.start() for found in re.finditer(re.escape(start), content)][:most]


def inflated(name: str, content: bytes, bits: int) -> Iterator[tuple[str, bytes]]:
    """Decompressed as far as it goes."""
    try:
        yield name, zlib.decompressobj(bits).decompress(content, 1 << 24)
    except zlib.error:
        return


def compressed(content: bytes) -> bytes:
    """For planting."""
    return gzip.compress(content)
