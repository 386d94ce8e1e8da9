"""Files posted by a form stream straight into a sealed temporary file; no plain byte touches the disk.

A view that takes a file says so first, with the largest size: `with receiving(request, limit)`. Files sent to
any other address are thrown away as they arrive.

A view whose files are larger than a form also carries the mark `takes_files`: the entrance asks for it before
it lets such a body in.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from stewardapp import storage
from worker.sealed import SealedReader, SealedWriter, new_key

if TYPE_CHECKING:
    Bytes = UploadedFile[bytes]
else:
    Bytes = UploadedFile

PIECE = 1 << 20


@contextmanager
def receiving(request: HttpRequest, limit: int) -> Iterator[None]:
    """Take a file of so many bytes; what arrived of one that broke off halfway is gone at the end."""
    request.accepts_file = limit  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for handler in request.upload_handlers:
            handler.upload_interrupted()


PIECE_TYPE = "application/offset+octet-stream"  # of a piece of a resumable upload
FOLLOWS = "steward.follows"  # bytes of the same request that the entrance has not handed over yet
View = TypeVar("View", bound=Callable[..., Any])


def takes_files(limit: Callable[[], int]) -> Callable[[View], View]:
    """Mark a view: signed-in people may send it bodies as large as this says.

    It is called also for a larger body, or one of unknown length, with not a byte of it, and says why.
    """

    def mark(view: View) -> View:
        view.__dict__["largest_body"] = limit
        return view

    return mark


class SealedFile(Bytes):
    """What arrived, decrypted as it is read; its key exists in memory only and dies with the request."""

    def __init__(self, reader: SealedReader, stack: ExitStack, **facts: Any) -> None:
        super().__init__(file=reader, **facts)  # type: ignore[arg-type]
        self._stack = stack

    def close(self) -> None:
        """Forget the file; Django calls this when the request ends."""
        super().close()
        self._stack.close()


class SealedUploadHandler(FileUploadHandler):
    """Writes what arrives through a sealed writer under a key made for this file."""

    chunk_size = PIECE

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Open the sealed file, or skip a file that nobody asked for."""
        super().new_file(*args, **kwargs)
        self.limit = getattr(self.request, "accepts_file", 0)
        if not self.limit:
            raise SkipFile
        self.stack, self.key = ExitStack(), new_key()
        self.temporary = self.stack.enter_context(storage.temporary())
        self.writer = SealedWriter(self.temporary.file, self.key)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Seal a piece; a file that grows beyond the limit ends the connection."""
        if start + len(raw_data) > self.limit:
            self.upload_interrupted()
            raise StopUpload(connection_reset=True)
        self.writer.write(raw_data)

    def file_complete(self, file_size: int) -> SealedFile:
        """Finish the sealed file and hand it over for reading."""
        self.writer.close()
        reader = SealedReader(self.temporary.file, self.key)
        facts = {"name": self.file_name, "content_type": self.content_type, "size": file_size}
        return SealedFile(reader, self.stack, **facts)

    def upload_interrupted(self) -> None:
        """Remove what arrived of a file that will not be finished."""
        if hasattr(self, "stack"):
            self.stack.close()
