"""Secrets that are made once and kept in a file only their owner can read."""

import os
import secrets
from pathlib import Path


def read_or_create(path: Path, length: int = 32) -> str:
    """Return the secret in `path`, made first if it is not there; processes that start together agree."""
    if not path.exists():
        keep_first(path, secrets.token_hex(length))
    return path.read_text(encoding="ascii").strip()


def keep_first(path: Path, text: str) -> bool:
    """Make a private file, whole and down to the disk, unless somebody was faster; whether it was made."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    candidate = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    write_private(candidate, text)
    try:
        os.link(candidate, path)
    except FileExistsError:
        return False
    finally:
        candidate.unlink()
    _sync_folder(path.parent)
    return True


def write_private(path: Path, text: str) -> None:
    """Write a new file that nobody but its owner can read, down to the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
