"""Sealed files in a bucket of an S3-compatible store.

Every file gets a name of its own, that nothing else is ever written under: a request may be repeated as
often as it takes, and what is read never changes in the middle. Which of two equal files counts, the unique
row of the database says (docs/adr/0029).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, BinaryIO, cast

from stewardapp.stores import trouble
from stewardapp.stores.copies import Copies
from stewardapp.stores.remote import Answered, Remote

PART = 16 << 20
"""What is longer goes in parts of so many bytes, which can be repeated alone."""
PIECE = 1 << 20


@dataclass(frozen=True)
class Account:
    """Where the store is, and who asks."""

    endpoint: str
    region: str
    key: str
    secret: str
    patience: float
    """Seconds that an answer may take."""

    def client(self) -> Any:
        """A client of this process: connections are not shared with another one."""
        return _client(self, getpid())


@lru_cache(maxsize=4)
def _client(account: Account, _process: int) -> Any:
    import boto3  # an installation without a store has no need of it
    from botocore.config import Config

    return boto3.session.Session().client(
        "s3",
        endpoint_url=account.endpoint or None,
        region_name=account.region,
        aws_access_key_id=account.key or None,
        aws_secret_access_key=account.secret or None,
        config=Config(
            connect_timeout=min(account.patience, 5),
            read_timeout=account.patience,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=16,
            s3={"addressing_style": "path"},
            # Stores other than Amazon's do not know its newer checksums; sealed bytes carry their own.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


@dataclass(frozen=True)
class Bucket:
    """A part of a bucket: under one prefix what begins with `place` is the store's own."""

    account: Account
    bucket: str
    prefix: str
    place: str
    copies: Copies

    def send(self, path: Path, place: str) -> str:
        """Upload it under a name that nobody else uses."""
        name = f"{place}.{uuid.uuid4().hex}"
        self.put(path, name)
        return name

    def put(self, path: Path, name: str) -> None:
        """Upload it, in parts where it is long."""
        from boto3.s3.transfer import TransferConfig

        config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4)
        try:
            self._client.upload_file(str(path), self.bucket, self._key(name), Config=config)
        except trouble.known() as error:
            if not self._arrived(name, path.stat().st_size):
                raise trouble.translated(error) from error

    def _arrived(self, name: str, size: int) -> bool:
        """Whether it is there although the answer that said so was lost."""
        try:
            return bool(self._client.head_object(**self._object(name))["ContentLength"] == size)
        except trouble.known():
            return False

    def keep(self, path: Path, name: str) -> None:
        """It lies there already; here it is the first copy."""
        self.copies.take(path, name)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """The copy of it on this machine, brought first where there is none."""
        with self.copies.opened(name) as copy:
            if copy is not None:
                yield copy
                return
        with (
            closing(self._remote(name)) as remote,
            self.copies.bring(name, remote.size, remote.pieces(PIECE)) as copy,
        ):
            yield copy

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """The copy of it where there is one, else the store's, of which only what is asked for comes."""
        with self.copies.opened(name) as copy:
            if copy is not None:
                yield copy
                return
        with closing(self._remote(name)) as remote:
            yield cast(BinaryIO, remote)

    def _remote(self, name: str) -> Remote:
        def get(start: int, length: int) -> Answered:
            part = f"bytes={start}-{start + length - 1}"
            with trouble.in_words():
                said = self._client.get_object(**self._object(name), Range=part)
            return Answered(said["Body"], int(said["ContentRange"].rpartition("/")[2]))

        return Remote(get)

    def remove(self, name: str) -> None:
        """From the store, and its copy here."""
        self.copies.remove(name)
        with trouble.in_words():
            self._client.delete_object(**self._object(name))

    def due(self) -> bool:
        """Once in a while: the mark that it was done is tidied up like anything else that was begun."""
        return self.copies.first("listed")

    def found(self) -> Iterator[tuple[str, float]]:
        """Page by page; ages by the store's own clock."""
        with trouble.in_words():
            pages = self._client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket, Prefix=self._key(f"{self.place}/")):
                for one in page.get("Contents", ()):
                    yield one["Key"].removeprefix(self.prefix), _age(one["LastModified"], page)

    def tidy(self, grace_seconds: float) -> int:
        """Give up uploads in parts whose sender is gone, and copies that nobody uses."""
        self.copies.tidy(grace_seconds)
        with trouble.in_words():
            said = self._client.list_multipart_uploads(Bucket=self.bucket, Prefix=self._key(f"{self.place}/"))
            left = [one for one in said.get("Uploads", ()) if _age(one["Initiated"], said) >= grace_seconds]
            for one in left:
                place = {"Bucket": self.bucket, "Key": one["Key"]}
                self._client.abort_multipart_upload(**place, UploadId=one["UploadId"])
        return len(left)

    def check(self) -> None:
        """Ask for one name."""
        with trouble.in_words():
            self._client.list_objects_v2(Bucket=self.bucket, Prefix=self._key(f"{self.place}/"), MaxKeys=1)

    @property
    def _client(self) -> Any:
        return self.account.client()

    def _key(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def _object(self, name: str) -> dict[str, str]:
        return {"Bucket": self.bucket, "Key": self._key(name)}


def _age(since: datetime, answer: Any) -> float:
    """Seconds, as the store's own clock counts them."""
    now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    return max(0.0, (now - since).total_seconds())
