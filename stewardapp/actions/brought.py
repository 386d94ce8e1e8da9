"""A file that somebody brings along for one assessment: sealed on arrival, read for it, destroyed at its end.

It is no dataset: nobody sees it, nothing else reads it, and the log names neither it nor anything in it.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from stewardapp import keyring, storage
from stewardapp.access.verdict import Invalid
from stewardapp.domain.brought import FIELD
from stewardapp.models import Assessment, Blob, DataKey
from worker.sealed import FRAME_BYTES, SealedWriter


@dataclass(frozen=True)
class Arrived:
    """The sealed file, still under its temporary name, and the key that was made for it alone."""

    temporary: storage.Temporary
    key: uuid.UUID
    sha256: str
    size: int


@contextmanager
def arriving(file: IO[bytes]) -> Iterator[Arrived]:
    """Seal what arrives; file and key are gone at the end of the block, unless they were kept."""
    key = keyring.create()
    try:
        with storage.temporary() as temporary:
            sha256, size = _sealed(file, temporary, key)
            storage.send(temporary, key=key, sha256=sha256)
            yield Arrived(temporary, key, sha256, size)
    except BaseException:
        keyring.destroy(key)
        raise


def _sealed(file: IO[bytes], temporary: storage.Temporary, key: uuid.UUID) -> tuple[str, int]:
    with SealedWriter(temporary.file, keyring.key_of(key)) as writer:
        shutil.copyfileobj(file, cast(IO[bytes], writer), FRAME_BYTES)
    if not writer.size:
        raise Invalid("empty-file", "The file is empty; choose a file with a header and rows.", FIELD)
    return writer.sha256, writer.size


def keep(arrived: Arrived, purpose: str = FIELD) -> Blob:
    """Keep it, by default until an assessment ends, in the transaction that asks for that."""
    key = DataKey.objects.add(arrived.key)
    return storage.keep(arrived.temporary, key=key, sha256=arrived.sha256, size=arrived.size, purpose=purpose)


def destroy(assessment: Assessment) -> dict[str, object]:
    """Destroy what was brought along for one that has ended; what the log says of that."""
    return let_go(assessment.brought)


def let_go(file: Blob | None) -> dict[str, object]:
    """Destroy a file that nobody needs any more, its key first; what the log says of that."""
    if file is None or file.destroyed_at is not None:
        return {}
    storage.destroy_key(file.key)
    return {"uploaded_file": "destroyed"}
