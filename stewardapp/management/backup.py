"""A copy of an installation while people work on it, and an installation from a copy.

<folder>/database        the database at one moment
<folder>/files/…         what is stored: sealed, and worth nothing without the keys
<folder>/list.json       every file with its size and hash
<keys folder>/…          what unseals them, kept apart

Evidence of the audit log is copied before the database, so that all it knows is in the copy; stored bytes
before and after, so that whatever the database names is there; keys last, so that what is destroyed meanwhile
opens no more.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from django.conf import settings

from stewardapp import anchors, keyring, storage, witness
from stewardapp.database import copying
from stewardapp.models import Blob
from worker.engine.io.strict_json import BadJson, Limits, loads
from worker.sealed import SealedError

DATABASE, FILES, LIST, VERSION = "database", "files", "list.json", 1
EVIDENCE = (witness.FOLDER, anchors.FOLDER)
BESIDE = (storage.ANSWERS, storage.KNOWN)
STORED = (storage.BLOBS, *BESIDE)
SECRET = keyring.OTHER
LIMITS = Limits(length=1 << 30, values=50_000_000, depth=4)
PIECE = 1 << 20


class Unusable(Exception):
    """A folder that cannot be written to or restored from; says why."""


@dataclass(frozen=True)
class Copied:
    """How much was copied."""

    files: int
    bytes: int


def back_up(folder: Path, keys: Path) -> Copied:
    """Copy everything into two new folders; what an earlier copy beside them holds is linked to it."""
    if folder.resolve() == keys.resolve() or folder.resolve() in keys.resolve().parents:
        raise Unusable("Keys are kept apart from what they open: name another folder for them.")
    earlier = _earlier(folder)
    for new in (folder, keys):
        _new(new)
    _copy_all(EVIDENCE, folder, None)
    _copy_stored(folder, earlier)
    try:
        copying.dump(folder / DATABASE)
    except copying.Unable as refusal:
        raise Unusable(str(refusal)) from None
    _copy_stored(folder, earlier)
    keyring.copy_to(keys)
    if (secret := storage.root() / SECRET).exists():
        _copy(secret, keys / SECRET)
    return _listed(folder)


def restore(folder: Path, keys: Path) -> Copied:
    """Make the installation of these settings, which must be empty, from a copy."""
    listed = _list_of(folder)
    _insist_on_nothing()
    for name, (size, hash) in listed.items():
        if _hash(folder / name) != (size, hash):
            raise Unusable(f"{name} is not as it was when it was copied.")
    for name in listed:
        if name.startswith(f"{FILES}/{storage.BLOBS}/"):
            storage.copy_in(folder / name, name.removeprefix(f"{FILES}/"))
        elif name != DATABASE:
            _copy(folder / name, storage.root() / Path(name).relative_to(FILES))
    keyring.restore_from(keys)
    if (keys / SECRET).exists():
        _copy(keys / SECRET, storage.root() / SECRET)
    try:
        copying.load(folder / DATABASE)
    except copying.Unable as refusal:
        raise Unusable(str(refusal)) from None
    return Copied(len(listed), sum(size for size, _ in listed.values()))


def damaged() -> Iterator[str]:
    """Stored bytes that are not there, or not what their row says; each is read through."""
    for blob in Blob.objects.stored().select_related("key"):
        try:
            with storage.reading(blob) as reader:
                found = hashlib.sha256()
                while piece := reader.read(PIECE):
                    found.update(piece)
        except storage.Destroyed:
            continue  # its key was destroyed after the database was copied
        except (OSError, SealedError):
            yield str(blob.path)
        else:
            if found.hexdigest() != blob.sha256:
                yield str(blob.path)


# Copies


def _copy_stored(target: Path, earlier: Path | None) -> None:
    """Finished files from wherever they lie, and what lies beside them."""
    for name in storage.names():
        copy = target / FILES / name
        if not copy.exists() and not (earlier and _linked(earlier / FILES / name, copy)):
            _brought(name, copy)
    _copy_all(BESIDE, target, earlier)


def _linked(earlier: Path, copy: Path) -> bool:
    """Whether an earlier copy holds it: what lies under a name stays the same."""
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        os.link(earlier, copy)
        return True
    return False


def _brought(name: str, copy: Path) -> None:
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            storage.copy_out(name, file)
    except FileNotFoundError:  # destroyed in this moment
        copy.unlink(missing_ok=True)


def _copy_all(folders: tuple[str, ...], target: Path, earlier: Path | None) -> None:
    for name in folders:
        for path in sorted((storage.root() / name).rglob("*")):
            relative = Path(FILES) / path.relative_to(storage.root())
            if path.is_file() and not (target / relative).exists():
                _copy(path, target / relative, earlier / relative if earlier else None)


def _copy(source: Path, target: Path, earlier: Path | None = None) -> None:
    """A private copy, or a link to one of the same name and size: what is stored never changes."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if earlier is not None and earlier.is_file() and earlier.stat().st_size == source.stat().st_size:
            os.link(earlier, target)
            return
        shutil.copyfile(source, target)
    except FileNotFoundError:  # destroyed in this moment
        target.unlink(missing_ok=True)
        return
    target.chmod(0o600)


def _new(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise Unusable(f"{folder} is there already. Every copy goes into a folder of its own.") from None


def _earlier(folder: Path) -> Path | None:
    """The newest finished copy in the same place."""
    found = [path.parent for path in folder.parent.glob(f"*/{LIST}")]
    return max(found, key=lambda path: (path / LIST).stat().st_mtime, default=None)


# Lists


def _listed(folder: Path) -> Copied:
    """The list is written last: a copy without one was not finished."""
    found = {
        path.relative_to(folder).as_posix(): _hash(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    text = json.dumps({"version": VERSION, "made_at": made_at, "files": found}, indent=0)
    for path in (folder / LIST, storage.root() / storage.LAST_COPY):
        beside = path.with_name(f".{path.name}")
        beside.write_text(text if path.name == LIST else made_at, encoding="utf-8")
        beside.chmod(0o600)
        beside.replace(path)
    return Copied(len(found), sum(size for size, _ in found.values()))


def _list_of(folder: Path) -> dict[str, tuple[int, str]]:
    try:
        text = (folder / LIST).read_text(encoding="utf-8")
        listed = loads(text, LIMITS)
        files = {str(name): (int(size), str(hash)) for name, (size, hash) in listed["files"].items()}
    except FileNotFoundError:
        raise Unusable(f"{folder} holds no finished copy: there is no {LIST} in it.") from None
    except (BadJson, KeyError, TypeError, ValueError, AttributeError):
        raise Unusable(f"{folder / LIST} is not the list of a copy, or was damaged.") from None
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in files):
        raise Unusable(f"{folder / LIST} names files outside of its folder.")
    return files


def _hash(path: Path) -> tuple[int, str]:
    try:
        with path.open("rb") as file:
            return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise Unusable(f"{path.name} is missing from the copy.") from None


def _insist_on_nothing() -> None:
    """Nothing is overwritten: neither bytes nor keys may be there."""
    root = storage.root()
    there = [name for name in (*STORED, *EVIDENCE, keyring.KEYS) if any((root / name).glob("*"))]
    there += islice(storage.names(), 1)
    if there or Path(settings.STEWARD_KEY_FILE).exists():
        raise Unusable(f"{root} holds an installation. Name an empty folder in STEWARD_DATA.")
