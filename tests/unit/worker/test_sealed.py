"""Sealed files: what was written comes back, and nothing else ever does."""

import contextlib
import hashlib
import io
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.sealed import FRAME_BYTES, SealedError, SealedReader, SealedWriter, digest, new_key

KEY = bytes(range(32))
HEADER = 24
STORED = FRAME_BYTES + 28
TRAILER = 44
SIZES = [0, 1, 1000, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES, 3 * FRAME_BYTES + 17]


def seal(plain: bytes, key: bytes = KEY) -> bytes:
    raw = io.BytesIO()
    with SealedWriter(raw, key) as writer:
        writer.write(plain)
    return raw.getvalue()


def opened(stored: bytes, key: bytes = KEY) -> bytes:
    return SealedReader(io.BytesIO(stored), key).read()


def text(length: int) -> bytes:
    """Bytes in which no two frames are alike."""
    return b"".join(hashlib.sha256(i.to_bytes(4, "big")).digest() for i in range(length // 32 + 1))[:length]


PLAIN = text(3 * FRAME_BYTES + 17)
SEALED = seal(PLAIN)


@pytest.mark.parametrize("size", SIZES)
def test_what_was_written_comes_back(size: int) -> None:
    plain = text(size)
    assert opened(seal(plain)) == plain


@given(st.lists(st.tuples(st.integers(0, len(PLAIN) + 9), st.integers(0, 2 * FRAME_BYTES)), max_size=8))
def test_random_reads_equal_the_plaintext(reads: list[tuple[int, int]]) -> None:
    reader = SealedReader(io.BytesIO(SEALED), KEY)
    for offset, length in reads:
        reader.seek(offset)
        assert reader.read(length) == PLAIN[offset : offset + length]
        assert reader.tell() == max(offset, min(offset + length, len(PLAIN)))


@given(st.lists(st.integers(0, FRAME_BYTES + 5), max_size=6))
@settings(max_examples=40)
def test_however_it_was_cut_into_writes(cuts: list[int]) -> None:
    raw, rest, writer = io.BytesIO(), PLAIN, None
    writer = SealedWriter(raw, KEY)
    for cut in cuts:
        assert writer.write(rest[:cut]) == len(rest[:cut])
        rest = rest[cut:]
    writer.write(rest)
    writer.close()
    assert opened(raw.getvalue()) == PLAIN
    assert writer.sha256 == hashlib.sha256(PLAIN).hexdigest()
    assert writer.size == len(PLAIN)


@given(st.integers(0, len(SEALED) - 1), st.integers(0, 7))
@settings(max_examples=60)
def test_a_flipped_bit_is_noticed_anywhere(place: int, bit: int) -> None:
    changed = bytearray(SEALED)
    changed[place] ^= 1 << bit
    with pytest.raises(SealedError):
        opened(bytes(changed))


@pytest.mark.parametrize("place", [0, 7, 8, 23, 24, 35, 36, HEADER + STORED - 1, -1, -TRAILER, -TRAILER - 1])
def test_a_flipped_bit_is_noticed_at_every_border(place: int) -> None:
    changed = bytearray(SEALED)
    changed[place] ^= 1
    with pytest.raises(SealedError):
        opened(bytes(changed))


@given(st.integers(0, len(SEALED) - 1))
@settings(max_examples=60)
def test_a_cut_is_noticed_on_opening(length: int) -> None:
    with pytest.raises(SealedError):
        SealedReader(io.BytesIO(SEALED[:length]), KEY)


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_a_cut_between_frames_is_noticed_even_with_the_trailer_put_back(frames: int) -> None:
    shortened = SEALED[: HEADER + frames * STORED] + SEALED[-TRAILER:]
    with pytest.raises(SealedError):
        SealedReader(io.BytesIO(shortened), KEY)


def frames_of(stored: bytes) -> list[bytes]:
    return [stored[HEADER + i * STORED :][:STORED] for i in range(3)]


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 0, 2), (0, 2, 1), (2, 1, 2)])
def test_moved_and_copied_frames_are_noticed(order: tuple[int, ...]) -> None:
    parts = frames_of(SEALED)
    moved = SEALED[:HEADER] + b"".join(parts[i] for i in order) + SEALED[HEADER + 3 * STORED :]
    with pytest.raises(SealedError):
        opened(moved)


def test_a_frame_too_many_or_too_few_is_noticed() -> None:
    parts = frames_of(SEALED)
    for frames in (parts[:2], [*parts, parts[2]]):
        changed = SEALED[:HEADER] + b"".join(frames) + SEALED[HEADER + 3 * STORED :]
        with pytest.raises(SealedError):
            SealedReader(io.BytesIO(changed), KEY)


def test_a_frame_of_another_file_under_the_same_key_is_noticed() -> None:
    other = seal(PLAIN)
    mixed = SEALED[:HEADER] + other[HEADER : HEADER + STORED] + SEALED[HEADER + STORED :]
    with pytest.raises(SealedError):
        opened(mixed)


def test_trailing_bytes_are_noticed() -> None:
    with pytest.raises(SealedError):
        SealedReader(io.BytesIO(SEALED + b"\0"), KEY)


def test_another_key_opens_nothing() -> None:
    with pytest.raises(SealedError):
        SealedReader(io.BytesIO(SEALED), new_key())


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32"):
        SealedWriter(io.BytesIO(), b"short")


def test_two_files_of_the_same_text_share_nothing() -> None:
    first, second = seal(b"a" * 4096), seal(b"a" * 4096)
    windows = {first[i : i + 12] for i in range(8, len(first) - 12)}
    assert not any(second[i : i + 12] in windows for i in range(8, len(second) - 12))


def test_the_plaintext_is_never_in_the_file() -> None:
    canary = b"CANARY-Zyxwv-4711"
    stored = seal(canary * 100_000)
    assert canary not in stored
    assert canary[:8] not in stored


def test_errors_say_nothing_of_the_content() -> None:
    stored = bytearray(seal(b"CANARY-4711"))
    stored[40] ^= 1
    with pytest.raises(SealedError) as caught:
        opened(bytes(stored))
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_exception_leaves_an_unfinished_file() -> None:
    raw = io.BytesIO()
    with contextlib.suppress(ZeroDivisionError), SealedWriter(raw, KEY) as writer:
        writer.write(PLAIN)
        raise ZeroDivisionError
    with pytest.raises(SealedError):
        SealedReader(raw, KEY)


def test_a_forgotten_writer_leaves_an_unfinished_file() -> None:
    raw = io.BytesIO()
    SealedWriter(raw, KEY).write(b"half")
    with pytest.raises(SealedError):
        SealedReader(raw, KEY)


def test_a_full_disk_leaves_an_unfinished_file() -> None:
    class Full(io.BytesIO):
        def write(self, data: object, /) -> int:
            if self.tell() > FRAME_BYTES:
                raise OSError(28, "No space left on device")
            return super().write(data)  # type: ignore[arg-type]

    raw = Full()
    with pytest.raises(OSError, match="space"), SealedWriter(raw, KEY) as writer:
        writer.write(PLAIN)
    with pytest.raises(SealedError):
        SealedReader(raw, KEY)


@pytest.mark.parametrize("torn", [0, 1, 20, 28, 29, 500, FRAME_BYTES])
def test_resume_cuts_a_torn_frame_and_goes_on(torn: int) -> None:
    raw = io.BytesIO(SEALED[: HEADER + 2 * STORED + torn])
    writer = SealedWriter.resume(raw, KEY)
    assert writer.size == writer.tell() == 2 * FRAME_BYTES
    with writer:
        writer.write(PLAIN[writer.size :])
    reader = SealedReader(raw, KEY)
    assert reader.read() == PLAIN
    assert digest(reader) == hashlib.sha256(PLAIN).hexdigest()
    with pytest.raises(ValueError, match="digest"):
        _ = writer.sha256


@pytest.mark.parametrize("length", [0, 5, HEADER - 1])
def test_resume_begins_a_file_that_was_hardly_begun(length: int) -> None:
    raw = io.BytesIO(SEALED[:length])
    with SealedWriter.resume(raw, KEY) as writer:
        writer.write(b"all of it")
    assert writer.sha256 == hashlib.sha256(b"all of it").hexdigest()
    assert SealedReader(raw, KEY).read() == b"all of it"


@given(st.lists(st.integers(0, FRAME_BYTES + 100), min_size=1, max_size=5))
@settings(max_examples=30)
def test_suspend_keeps_every_byte(pieces: list[int]) -> None:
    raw, done = io.BytesIO(), 0
    for piece in pieces:
        writer = SealedWriter.resume(raw, KEY)
        assert writer.size == done
        done += writer.write(PLAIN[done : done + piece])
        writer.suspend()
        assert writer.size == done
        with pytest.raises(SealedError):
            SealedReader(raw, KEY)
    SealedWriter.resume(raw, KEY).close()
    assert SealedReader(raw, KEY).read() == PLAIN[:done]


def test_resume_with_another_key_changes_nothing() -> None:
    raw = io.BytesIO(SEALED[: HEADER + 2 * STORED])
    with pytest.raises(SealedError):
        SealedWriter.resume(raw, new_key())
    assert raw.getvalue() == SEALED[: HEADER + 2 * STORED]


def test_resume_of_a_finished_file_keeps_its_whole_frames() -> None:
    raw = io.BytesIO(SEALED)
    assert SealedWriter.resume(raw, KEY).size == 3 * FRAME_BYTES


def test_a_file_that_takes_little_at_a_time() -> None:
    class Slow(io.BytesIO):
        def write(self, data: object, /) -> int:
            return super().write(memoryview(data)[:100_000])  # type: ignore[arg-type]

        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 0, 100_000))

    raw = Slow()
    with SealedWriter(raw, KEY) as writer:
        writer.write(PLAIN)
    assert SealedReader(raw, KEY).read() == PLAIN


def test_parquet_goes_in_and_comes_out() -> None:
    table = pa.table({"n": list(range(400_000)), "t": [str(i) for i in range(400_000)]})
    raw = io.BytesIO()
    with SealedWriter(raw, KEY) as writer:
        pq.write_table(table, pa.PythonFile(writer, mode="w"), row_group_size=65_536)
    source = pq.ParquetFile(pa.PythonFile(SealedReader(raw, KEY), mode="r"))
    assert source.read().equals(table)
    assert source.read_row_group(2, columns=["t"]).equals(table.slice(131_072, 65_536).select(["t"]))


def test_a_buffered_reader_and_text_lines() -> None:
    lines = [f"line {i}\n" for i in range(200_000)]
    stored = io.BytesIO(seal("".join(lines).encode()))
    with io.TextIOWrapper(io.BufferedReader(SealedReader(stored, KEY)), encoding="utf-8") as source:
        assert list(source) == lines


def test_closed_files_refuse() -> None:
    reader, writer = SealedReader(io.BytesIO(SEALED), KEY), SealedWriter(io.BytesIO(), KEY)
    reader.close()
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        reader.read()
    with pytest.raises(ValueError, match="closed"):
        reader.readinto(bytearray(3))
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"x")
    with pytest.raises(ValueError, match="negative"):
        SealedReader(io.BytesIO(SEALED), KEY).seek(-1)


def test_an_inherited_descriptor_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(SEALED)
    code = (
        "import os, sys; from worker.sealed import SealedReader, digest;"
        "print(digest(SealedReader(os.fdopen(int(sys.argv[1]), 'rb'), bytes(range(32)))))"
    )
    with path.open("rb") as raw:
        command = [sys.executable, "-c", code, str(raw.fileno())]
        said = subprocess.check_output(command, pass_fds=[raw.fileno()], text=True, timeout=120)
    assert said.strip() == hashlib.sha256(PLAIN).hexdigest()
