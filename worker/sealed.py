"""Encrypted, seekable files: raw data touches the disk in no other form.

Layout::

    header    8 bytes magic, 16 bytes random file id
    frame     12 bytes random nonce, up to 1 MiB of ciphertext, 16 bytes tag
    ...       every frame but the last holds exactly 1 MiB
    trailer   12 bytes nonce, 16 bytes sealed (length, number of frames), 16 bytes tag

The key of a file is derived from the caller's key and the file id, so that random nonces never meet
across files. Each frame authenticates the file id and its own index: a frame that was changed, moved,
copied or dropped does not open. The trailer authenticates the length, so that a shortened file does not
open either. A file without a trailer is unfinished: nothing reads it, `SealedWriter.resume` continues it.
"""

import contextlib
import hashlib
import io
import os
import struct
from collections import OrderedDict
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAGIC = b"SEALED\x00\x01"
FRAME_BYTES = 1 << 20
KEY_BYTES = 32

_ID_BYTES = 16
_NONCE_BYTES = 12
_TAG_BYTES = 16
_OVERHEAD = _NONCE_BYTES + _TAG_BYTES
_HEADER_BYTES = len(MAGIC) + _ID_BYTES
_STORED_FRAME = FRAME_BYTES + _OVERHEAD
_TRAILER = struct.Struct(">QQ")
_TRAILER_BYTES = _TRAILER.size + _OVERHEAD
_FRAMES_KEPT = 4


class SealedError(Exception):
    """The bytes are not what was written under this key: changed, cut, unfinished, or another key."""


def new_key() -> bytes:
    """A fresh random key from the operating system."""
    return os.urandom(KEY_BYTES)


def digest(reader: BinaryIO | io.RawIOBase) -> str:
    """The sha256 of everything in `reader`, in one streaming pass from its start."""
    reader.seek(0)
    return hashlib.file_digest(reader, "sha256").hexdigest()  # type: ignore[arg-type]


class _Box:
    """Seals and opens the frames of one file."""

    def __init__(self, key: bytes, file_id: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a sealing key has {KEY_BYTES} bytes")
        derived = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=file_id, info=MAGIC).derive(key)
        self._cipher = AESGCM(derived)
        self._file_id = file_id

    def seal(self, plain: bytes | bytearray | memoryview, index: int | None) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, plain, self._bound(index))

    def open(self, stored: "ReadableBuffer", index: int | None) -> bytes:
        view = memoryview(stored)
        try:
            return self._cipher.decrypt(view[:_NONCE_BYTES], view[_NONCE_BYTES:], self._bound(index))
        except (InvalidTag, ValueError):
            raise SealedError("a part of the file was changed, moved or sealed with another key") from None

    def _bound(self, index: int | None) -> bytes:
        """What a frame is tied to; the trailer has no index."""
        place = b"trailer" if index is None else b"frame" + index.to_bytes(8, "big")
        return self._file_id + place


def _read_exactly(raw: BinaryIO, offset: int, length: int) -> bytes:
    raw.seek(offset)
    parts = []
    while length:
        part = raw.read(length)
        if not part:
            raise SealedError("the file was cut short")
        parts.append(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read_header(raw: BinaryIO) -> bytes:
    """The file id."""
    header = _read_exactly(raw, 0, _HEADER_BYTES)
    if not header.startswith(MAGIC):
        raise SealedError("this is not a sealed file")
    return header[len(MAGIC) :]


class SealedWriter(io.RawIOBase):
    """Writes a sealed file into `raw`, which stays the caller's to flush to disk and to close.

    `close()` finishes the file. A writer that is left by an exception, or forgotten, leaves an unfinished
    file that no reader accepts: half a table never passes for a whole one.
    """

    def __init__(self, raw: BinaryIO, key: bytes) -> None:
        super().__init__()
        file_id = os.urandom(_ID_BYTES)
        self._set_up(raw, _Box(key, file_id))
        _write_all(raw, MAGIC + file_id)

    def _set_up(self, raw: BinaryIO, box: _Box) -> None:
        self._raw, self._box = raw, box
        self._frames, self._buffer = 0, bytearray()
        self._hash: hashlib._Hash | None = hashlib.sha256()

    @classmethod
    def resume(cls, raw: BinaryIO, key: bytes) -> Self:
        """Continue the file in `raw` (open for reading and writing) after the last frame that is whole.

        A frame that was torn, and the trailer of a finished file, are cut off. `size` tells where to go on.
        An empty `raw` is begun.
        """
        stored = raw.seek(0, os.SEEK_END)
        if stored < _HEADER_BYTES:
            raw.seek(0)
            raw.truncate()
            return cls(raw, key)
        writer = cls.__new__(cls)
        io.RawIOBase.__init__(writer)
        writer._set_up(raw, _Box(key, _read_header(raw)))
        writer._keep_whole_frames(stored)
        return writer

    def _keep_whole_frames(self, stored: int) -> None:
        self._frames, rest = divmod(stored - _HEADER_BYTES, _STORED_FRAME)
        end = _HEADER_BYTES + self._frames * _STORED_FRAME
        if self._frames:
            last = self._frames - 1
            self._box.open(_read_exactly(self._raw, end - _STORED_FRAME, _STORED_FRAME), last)
        with contextlib.suppress(SealedError):
            self._buffer += self._box.open(_read_exactly(self._raw, end, rest), self._frames)
        self._raw.seek(end)
        self._raw.truncate()
        if self.size:
            self._hash = None

    @property
    def size(self) -> int:
        """Bytes of plaintext so far."""
        return self._frames * FRAME_BYTES + len(self._buffer)

    @property
    def sha256(self) -> str:
        """Hash of the plaintext so far; a resumed file needs `digest` of its reader instead."""
        if self._hash is None:
            raise ValueError("a resumed file is hashed by digest(SealedReader(...))")
        return self._hash.hexdigest()

    def writable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """The size so far: a sealed file only grows."""
        return self.size

    def write(self, data: "ReadableBuffer", /) -> int:
        """Take all of `data`; whole frames go out sealed at once."""
        if self.closed:
            raise ValueError("write to a closed file")
        view = memoryview(data).cast("B")
        if self._hash is not None:
            self._hash.update(view)
        taken = self._fill(view) if self._buffer else 0
        while len(view) - taken >= FRAME_BYTES:
            self._put(view[taken : taken + FRAME_BYTES])
            taken += FRAME_BYTES
        self._buffer += view[taken:]
        return len(view)

    def _fill(self, view: memoryview) -> int:
        taken = min(FRAME_BYTES - len(self._buffer), len(view))
        self._buffer += view[:taken]
        if len(self._buffer) == FRAME_BYTES:
            full, self._buffer = self._buffer, bytearray()
            self._put(full)
        return taken

    def _put(self, plain: bytearray | memoryview) -> None:
        _write_all(self._raw, self._box.seal(plain, self._frames))
        self._frames += 1

    def close(self) -> None:
        """Write what is left and the trailer: from now on the file can be read."""
        if self.closed:
            return
        size, frames = self.size, self._frames + bool(self._buffer)
        self._leave()
        _write_all(self._raw, self._box.seal(_TRAILER.pack(size, frames), None))
        self._raw.flush()

    def suspend(self) -> None:
        """Write what is left, without the trailer: `resume` goes on from here, nothing reads it yet."""
        if not self.closed:
            self._leave()
            self._raw.flush()

    def _leave(self) -> None:
        """Seal the open frame; it stays in the buffer, so that `size` keeps its answer."""
        super().close()
        if self._buffer:
            _write_all(self._raw, self._box.seal(self._buffer, self._frames))

    def abandon(self) -> None:
        """Write nothing more: the file stays unfinished."""
        super().close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def __del__(self) -> None:
        self.abandon()


def _write_all(raw: BinaryIO, data: bytes) -> None:
    """An unbuffered file may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[raw.write(view) :]


class SealedReader(io.RawIOBase):
    """Reads a finished sealed file; seekable, a frame is opened when it is touched.

    `raw` stays the caller's to close. Anything that is not as it was written raises `SealedError`.
    """

    def __init__(self, raw: BinaryIO, key: bytes) -> None:
        super().__init__()
        self._raw, self._position = raw, 0
        stored = raw.seek(0, os.SEEK_END)
        self._box = _Box(key, _read_header(raw))
        self.size, self._frames = self._open_trailer(stored)
        self._recent: OrderedDict[int, bytes] = OrderedDict()

    def _open_trailer(self, stored: int) -> tuple[int, int]:
        start = stored - _TRAILER_BYTES
        if start < _HEADER_BYTES:
            raise SealedError("the file is unfinished or was cut short")
        size, frames = _TRAILER.unpack(self._box.open(_read_exactly(self._raw, start, _TRAILER_BYTES), None))
        if start != _HEADER_BYTES + size + frames * _OVERHEAD or frames != -(-size // FRAME_BYTES):
            raise SealedError("the file has another length than was written")
        return size, frames

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Position in the plaintext."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move in the plaintext."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise ValueError("negative position")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill `buffer` as far as the file reaches."""
        if self.closed:
            raise ValueError("read of a closed file")
        target = memoryview(buffer).cast("B")
        done = 0
        for piece in self._pieces(len(target)):
            target[done : done + len(piece)] = piece
            done += len(piece)
        return done

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes; fewer only at the end, and never more memory than there is to read."""
        if self.closed:
            raise ValueError("read of a closed file")
        return b"".join(self._pieces(self.size if size is None or size < 0 else size))

    def readall(self) -> bytes:
        """Everything from here on."""
        return self.read()

    def _pieces(self, length: int) -> Iterator[memoryview]:
        """Move over `length` bytes, frame by frame."""
        end = min(self._position + length, self.size)
        while self._position < end:
            index, start = divmod(self._position, FRAME_BYTES)
            piece = memoryview(self._frame(index))[start : start + end - self._position]
            self._position += len(piece)
            yield piece

    def _frame(self, index: int) -> bytes:
        if index in self._recent:
            self._recent.move_to_end(index)
            return self._recent[index]
        length = min(FRAME_BYTES, self.size - index * FRAME_BYTES) + _OVERHEAD
        offset = _HEADER_BYTES + index * _STORED_FRAME
        plain = self._box.open(_read_exactly(self._raw, offset, length), index)
        self._recent[index] = plain
        if len(self._recent) > _FRAMES_KEPT:
            self._recent.popitem(last=False)
        return plain
