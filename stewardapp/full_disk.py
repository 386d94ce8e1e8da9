"""A full disk, whoever says so: the file system, SQLite or PostgreSQL."""

from __future__ import annotations

import errno
from collections.abc import Iterator

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SQLITE_SAYS = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"})
POSTGRES_SAYS = "53100"
NO_ROOM = (
    "The disk of this installation is full, so that nothing can be written. Nothing of yours was changed. "
    "Tell the operators; what is there can be read meanwhile."
)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is a disk without room."""
    return any(map(_says_full, _causes(error)))


def _says_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in DISK_FULL
    sqlite, postgres = getattr(error, "sqlite_errorname", None), getattr(error, "sqlstate", None)
    return sqlite in SQLITE_SAYS or postgres == POSTGRES_SAYS


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
