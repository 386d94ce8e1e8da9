"""Stored bytes on their way out: the whole or a part, with the hash of the whole.

Whatever is asked for, the whole was hashed first: no part of changed bytes is handed out either.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

from stewardapp.forms.byte_range import Part, part_of
from stewardapp.reads.released_table import CHUNK
from worker.sealed import SealedReader


@dataclass(frozen=True)
class Offer:
    """A file as the answer describes it."""

    filename: str
    media_type: str
    size: int
    sha256: str

    @property
    def tag(self) -> str:
        """Other bytes have another one."""
        return f'"{self.sha256}"'

    def part(self, request: HttpRequest) -> Part | None:
        """What of it is asked for; of another file than this one the whole."""
        if request.headers.get("If-Range", self.tag) != self.tag:
            return None
        return part_of(request.headers.get("Range", ""), self.size)


def pieces(file: SealedReader, part: Part | None) -> Iterator[bytes]:
    """The bytes, as they are decrypted."""
    start, left = part or (0, file.size)
    file.seek(start)
    while chunk := file.read(min(CHUNK, left)):
        left -= len(chunk)
        yield chunk


def answer(
    request: HttpRequest, offer: Offer, part: Part | None, stream: Generator[bytes]
) -> HttpResponseBase:
    """The answer that saves a file; to HEAD all but the bytes."""
    status = 200 if part is None else 206
    if request.method == "HEAD":
        stream.close()
        said: HttpResponseBase = HttpResponse(content_type=offer.media_type, status=status)
    else:
        said = StreamingHttpResponse(stream, content_type=offer.media_type, status=status)
    said["Content-Length"] = str(offer.size if part is None else part.length)
    if part is not None:
        said["Content-Range"] = part.of(offer.size)
    said["Content-Disposition"] = content_disposition_header(True, offer.filename) or "attachment"
    return described(said, offer)


def described(said: HttpResponseBase, offer: Offer) -> HttpResponseBase:
    """With the hash of the whole as RFC 9530 writes it, and as RFC 3230 did before."""
    digest = b64encode(bytes.fromhex(offer.sha256)).decode()
    said["Repr-Digest"], said["Digest"] = f"sha-256=:{digest}:", f"SHA-256={digest}"
    said["ETag"], said["Accept-Ranges"] = offer.tag, "bytes"
    return said


def no_such_part(offer: Offer) -> HttpResponse:
    """Whoever asks beyond the end is told where it is."""
    return HttpResponse(status=416, headers={"Content-Range": f"bytes */{offer.size}"})
