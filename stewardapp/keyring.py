"""The keys of stored bytes: one file each, outside the database, wrapped by the site key.

<data>/keys/<id>          a data key; the file is overwritten and removed when the key is destroyed
<data>/keys/seal-<name>   what seals one kind of record; made once, kept for ever
<site key file>           the site key: it opens those above and is worth nothing without them
<site key file>.next      the one that is about to replace it, while `rotate` runs
<site key file>.former    the one that was replaced, until it is overwritten

A wrapped key names the site key that opens it, so that two can be in use while keys are wrapped anew, and so
that where a rotation stands can be read from the files alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from stewardapp.secrets_file import read_or_create
from worker.sealed import new_key

KEYS = "keys"
SEAL = "seal-"
NEXT, FORMER = ".next", ".former"
SITE, OTHER = "site-key", "secret-key"
"""What the site key is called in a copy, and what lies beside keys there and is none of ours."""
MAGIC = b"WRAPPED\x01"
_NAME_BYTES = 8
_NONCE_BYTES = 12
_PATIENCE = 10  # looks at a key while it is being wrapped anew


class Destroyed(Exception):
    """The key of these bytes was destroyed, and the bytes with it."""


class SiteKeyMissing(Exception):
    """There are keys, and not the site key that opens them."""


class Unopened(Exception):
    """A key is there and does not open."""


class Rotating(Exception):
    """Another process replaces the site key."""


# Data keys


def create() -> uuid.UUID:
    """A fresh key, on the disk before anything refers to it; what nothing refers to later is swept."""
    identity = uuid.uuid4()
    put(identity, new_key())
    return identity


def put(identity: uuid.UUID, key: bytes) -> None:
    """Keep this key under this id; one that is there already stays."""
    _put(str(identity), key)


def key_of(identity: uuid.UUID) -> bytes:
    """The key itself; a page opens thousands of values with one."""
    try:
        file = (_folder() / str(identity)).stat()
    except FileNotFoundError:
        raise Destroyed from None
    return _known(str(_folder()), str(identity), file.st_ino, file.st_mtime_ns)


@lru_cache(maxsize=32)
def _known(_folder: str, name: str, _inode: int, _written: int) -> bytes:
    """Unwrapped once, as long as its file is there and the same."""
    return _unwrapped(name)


def check() -> None:
    """Raise Unopened unless the site key opens the keys; one of them tells."""
    with contextlib.suppress(Destroyed):  # in this moment
        for path in _wrapped()[:1]:
            try:
                _unwrap(path.name)
            except (SiteKeyMissing, InvalidTag) as error:
                raise Unopened from error


def destroy(identity: uuid.UUID) -> None:
    """Make everything under this key unreadable for ever."""
    with _locked():
        _shred(_folder() / str(identity))


def copy_to(folder: Path) -> None:
    """All keys and the site key as they are in one moment, into a folder that is kept apart."""
    with _locked():
        for path in (*_wrapped(), *filter(Path.exists, (_key_file(), _beside(NEXT)))):
            name = (
                path.name.replace(_key_file().name, SITE) if path.parent == _key_file().parent else path.name
            )
            (folder / name).write_bytes(path.read_bytes())
            (folder / name).chmod(0o600)


def restore_from(folder: Path) -> None:
    """The keys of such a folder, where there are none yet."""
    with _locked():
        _key_file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(folder.iterdir()):
            if path.name == OTHER:
                continue
            site = path.name.startswith(SITE)
            target = _beside(path.name.removeprefix(SITE)) if site else _folder() / path.name
            target.write_bytes(path.read_bytes())
            target.chmod(0o600)


def sweep(rows: Callable[[], Mapping[uuid.UUID, bool]], grace_seconds: float) -> int:
    """Destroy what was to be destroyed when a process died, and keys without a row; how many.

    `rows` says of each key that has one whether it was destroyed. A key is on the disk shortly before its
    row is committed, hence the time of grace.
    """
    with _locked():
        _clear()
    found = dict(_data_keys())
    destroyed = rows()
    dead = [key for key, age in found.items() if destroyed.get(key, age >= grace_seconds)]
    for identity in dead:
        destroy(identity)
    return len(dead)


def _data_keys() -> Iterator[tuple[uuid.UUID, float]]:
    """Each data key with its age in seconds."""
    for path in _wrapped():
        with contextlib.suppress(ValueError, FileNotFoundError):
            yield uuid.UUID(path.name), time.time() - path.stat().st_mtime


# Seals


def seal_of(purpose: str) -> bytes:
    """A key for sealing one kind of record; it stays the same when the site key is replaced."""
    return _seal_of(purpose, str(settings.STEWARD_DATA))


@cache
def _seal_of(purpose: str, _data: str) -> bytes:
    """Asked for once: every event and every link needs one.

    It is derived from the site key of its day, as seals were before they had files, and tells nothing of it.
    """
    name = f"{SEAL}{purpose.replace(' ', '-')}"
    if not (_folder() / name).exists():
        _put(name, hmac.digest(_site_key(), f"seal of {purpose}".encode(), "sha256"))
    return _unwrapped(name)


# Rotation


def rotate() -> int:
    """Replace the site key; how many keys were wrapped by the new one.

    It may be killed anywhere. Called again it finishes what was begun, and begins nothing else.
    """
    count = 0
    with _alone():
        if _beside(NEXT).exists() or not _beside(FORMER).exists():
            _prepare()
            count = sum(_rewrap(path.name) for path in _wrapped())
            _promote()
        _shred(_beside(FORMER))
    return count


def _prepare() -> None:
    """From here on new keys are wrapped by the next site key."""
    _site_key()
    with _locked():
        _clear()
        for left in _key_file().parent.glob(f".{_key_file().name}.*"):
            left.unlink()
        read_or_create(_beside(NEXT))
        _sync(_key_file().parent)


def _rewrap(name: str) -> bool:
    """Wrap one key by the next site key; False when it is already, or was destroyed meanwhile."""
    with _locked(), contextlib.suppress(Destroyed):
        key, site_key = _unwrap(name)
        if site_key != _newest():
            _write(name, key)
            return True
    return False


def _promote() -> None:
    """The next site key takes the place of the present one in one step."""
    with _locked():
        with contextlib.suppress(FileExistsError):
            os.link(_key_file(), _beside(FORMER))
        _beside(NEXT).replace(_key_file())
        _sync(_key_file().parent)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    try:
        with _locked(fcntl.LOCK_EX | fcntl.LOCK_NB, _key_file().parent):
            yield
    except BlockingIOError:
        raise Rotating("Another process is replacing the site key.") from None


# Files


def _put(name: str, key: bytes) -> None:
    with _locked():
        if not (_folder() / name).exists():
            _write(name, key)


def _write(name: str, key: bytes) -> None:
    """Wrap a key by the newest site key, in a file that is whole or not there."""
    path, site_key, nonce = _folder() / f".{name}", _newest(), os.urandom(_NONCE_BYTES)
    sealed = AESGCM(site_key).encrypt(nonce, key, _label(name))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(MAGIC + _name_of(site_key) + nonce + sealed)
        file.flush()
        os.fsync(file.fileno())
    path.replace(_folder() / name)
    _sync(_folder())


def _unwrapped(name: str) -> bytes:
    return _unwrap(name)[0]


def _unwrap(name: str) -> tuple[bytes, bytes]:
    """A key and the site key that wraps it; looked for again when both were replaced between two looks."""
    for _ in range(_PATIENCE):
        try:
            wrapped = (_folder() / name).read_bytes()
        except FileNotFoundError:
            raise Destroyed from None
        for site_key in _site_keys():
            start = len(MAGIC) + _NAME_BYTES
            if wrapped[len(MAGIC) : start] == _name_of(site_key):
                nonce, sealed = wrapped[start : start + _NONCE_BYTES], wrapped[start + _NONCE_BYTES :]
                return AESGCM(site_key).decrypt(nonce, sealed, _label(name)), site_key
        time.sleep(0.001)
    raise SiteKeyMissing(f"{_key_file()} does not hold the site key that wraps {name}.")


def _name_of(site_key: bytes) -> bytes:
    return hashlib.sha256(b"name of site key" + site_key).digest()[:_NAME_BYTES]


def _label(name: str) -> bytes:
    return MAGIC + name.encode()


def _wrapped() -> list[Path]:
    return sorted(path for path in _folder().iterdir() if not path.name.startswith("."))


def _clear() -> None:
    """Remove what a process that was killed had begun to write; nobody else writes under the lock."""
    for left in _folder().glob(".*"):
        _shred(left)


def _shred(path: Path) -> None:
    """Overwrite a file where it lies and remove it; where disks keep old blocks, rotation is what counts."""
    with contextlib.suppress(FileNotFoundError):
        with path.open("r+b", buffering=0) as file:
            file.write(os.urandom(path.stat().st_size))
            os.fsync(file.fileno())
        path.unlink()
        _sync(path.parent)


# The site key


def make_site_key() -> None:
    """Have one from the first start on, so that a copy can be laid aside before anything depends on it."""
    _site_key()


def _key_file() -> Path:
    return Path(settings.STEWARD_KEY_FILE)


def _beside(suffix: str) -> Path:
    return _key_file().with_name(_key_file().name + suffix)


def _site_keys() -> list[bytes]:
    """The present one, and the next one while there is one."""
    present = _site_key()
    with contextlib.suppress(FileNotFoundError):
        return [present, _read(_beside(NEXT))]
    return [present]


def _newest() -> bytes:
    return _site_keys()[-1]


def _site_key() -> bytes:
    """The site key; made only where there is nothing yet that another one could have wrapped."""
    if not _key_file().exists() and not _wrapped():
        read_or_create(_key_file())
    try:
        return _read(_key_file())
    except FileNotFoundError:
        raise SiteKeyMissing(f"There is no site key in {_key_file()}, and there are keys it wraps.") from None


def _read(path: Path) -> bytes:
    """A site key; read again where the file was replaced and overwritten between its opening and its end."""
    for _ in range(_PATIENCE):
        with contextlib.suppress(ValueError):
            return bytes.fromhex(path.read_text(encoding="ascii"))
        time.sleep(0.001)
    raise SiteKeyMissing(f"{path} holds no site key.")


# Folder


def _folder() -> Path:
    folder = Path(settings.STEWARD_DATA) / KEYS
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def _locked(how: int = fcntl.LOCK_EX, folder: Path | None = None) -> Iterator[None]:
    """Nobody else writes keys meanwhile: what is destroyed is not wrapped anew."""
    descriptor = os.open(folder or _folder(), os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
