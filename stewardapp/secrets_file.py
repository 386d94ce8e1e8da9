"""Secrets that are made once and kept in a file only their owner can read."""

import os
import secrets
from pathlib import Path


def read_or_create(path: Path, length: int = 32) -> str:
    """Return the secret in `path`, made first if it is not there; processes that start together agree."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    candidate = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        write_private(candidate, secrets.token_hex(length))
        try:
            os.link(candidate, path)
        except FileExistsError:
            pass
        finally:
            candidate.unlink()
    return path.read_text(encoding="ascii").strip()


def write_private(path: Path, text: str) -> None:
    """Write a new file that nobody but its owner can read, down to the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
