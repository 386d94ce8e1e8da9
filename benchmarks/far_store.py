"""Sealed files in a real store, against the library that speaks to it moving as many bytes of no meaning.

The store is Debian's Swift on this machine, where it is installed. Both sides ask it for the same; ours
seals, hashes and opens besides.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from benchmarks.table import Result
from benchmarks.timing import best_of
from stewardapp.stores.bucket import PART, PIECE, Account, Bucket
from stewardapp.stores.copies import Copies
from worker.sealed import SealedReader, SealedWriter, new_key

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SERVER = Path(__file__).parents[1] / "tests" / "swift_server.py"
BUCKET, BYTES = "bench", 64 << 20
BOUND = 1 / 0.7


def far_store(setting: Setting) -> list[Result]:
    """Nothing where there is no server to ask."""
    if shutil.which("swift-proxy-server") is None:
        return []
    with _served(setting.folder / "swift") as account:
        return _compared(setting, account)


@contextmanager
def _served(folder: Path) -> Iterator[Account]:
    folder.mkdir()
    command = ("/usr/bin/python3", str(SERVER), str(folder))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
            account = Account(address, "us-east-1", "test:tester", "testing", 30)
            account.client().create_bucket(Bucket=BUCKET)
            yield account
        finally:
            server.kill()
            shutil.rmtree(folder, ignore_errors=True)


def _compared(setting: Setting, account: Account) -> list[Result]:
    plain, sealed = setting.folder / "plain", setting.folder / "sealed"
    plain.write_bytes(os.urandom(BYTES))
    store = Bucket(account, BUCKET, "", "blobs", Copies(setting.folder / "copies", BYTES))
    key, client, names = new_key(), account.client(), list[str]()

    def write() -> None:
        with (
            plain.open("rb") as source,
            sealed.open("wb") as raw,
            SealedWriter(cast(BinaryIO, raw), key) as writer,
        ):
            shutil.copyfileobj(source, cast(BinaryIO, writer), PIECE)
        names.append(store.send(sealed, "blobs/a/b"))

    def read() -> None:
        with store.reading(names[-1]) as raw:
            _through(SealedReader(raw, key).read)

    def bare_write() -> None:
        from boto3.s3.transfer import TransferConfig

        config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4)
        client.upload_file(str(plain), BUCKET, "bare", Config=config)

    def bare_read() -> None:
        _through(client.get_object(Bucket=BUCKET, Key="bare")["Body"].read)

    pairs = {"write, with sha256": (write, bare_write), "read": (read, bare_read)}
    return [_line(setting.repeat, f"sealed file in a store: {what}", *both) for what, both in pairs.items()]


def _line(repeat: int, what: str, ours: Callable[[], None], theirs: Callable[[], None]) -> Result:
    """In turn, so that both meet the same machine."""
    rounds = [(best_of(1, ours), best_of(1, theirs)) for _ in range(max(repeat, 3))]
    seconds, reference = map(min, zip(*rounds, strict=True))
    return Result(what, seconds, reference, "boto3 alone", BOUND)


def _through(read: Callable[[int], bytes]) -> None:
    while read(PIECE):
        pass
