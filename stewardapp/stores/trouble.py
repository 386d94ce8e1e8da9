"""What the library says when a store does not do what it was asked, in the words of the system."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from stewardapp.store_away import StoreAway

FULL = frozenset({"507", "QuotaExceeded", "InsufficientStorage", "XMinioStorageFull"})
MISSING = frozenset({"404", "NoSuchKey"})


@cache
def known() -> tuple[type[Exception], ...]:
    """Everything the library raises; it is loaded by whoever calls it."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError
    from urllib3.exceptions import HTTPError

    return (Boto3Error, BotoCoreError, ClientError, HTTPError)


def translated(error: BaseException) -> OSError:
    """Not there, no room, or away; whatever a caller does not foresee is a store that is away."""
    said = _codes(error)
    if said & FULL:
        return OSError(errno.ENOSPC, "the store has no room")
    if said & MISSING:
        return FileNotFoundError(errno.ENOENT, "not in the store")
    return StoreAway(type(error).__name__, *sorted(said))


@contextmanager
def in_words() -> Iterator[None]:
    """What the library raises in the block, in the words of the system."""
    try:
        yield
    except known() as error:
        raise translated(error) from error


def _codes(error: BaseException | None) -> set[str]:
    """Codes of an answer; an upload in parts wraps the error that ended it."""
    found: set[str] = set()
    while error is not None:
        answer = getattr(error, "response", None) or {}
        found.add(str(answer.get("Error", {}).get("Code", "")))
        found.add(str(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", "")))
        error = error.__cause__ or error.__context__
    return found - {""} if "NoSuchBucket" not in found else {"NoSuchBucket"}
