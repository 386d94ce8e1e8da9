"""The sealed files of an engine process, opened from what its parent left open."""

import io
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO, cast

from worker.process.channel import Handed, Job, WrittenJson
from worker.process.outputs import ANSWER
from worker.sealed import SealedReader, SealedWriter


class Files:
    """The sealed files of a job, opened from the descriptors the parent left open."""

    def __init__(self, described: dict[str, Handed]) -> None:
        self._described = described
        self.written: dict[str, SealedWriter] = {}

    def reader(self, name: str) -> BinaryIO:
        """The plain bytes of a file that exists."""
        one = self._described[name]
        raw = os.fdopen(one["fd"], "rb", buffering=0)
        return cast(BinaryIO, io.BufferedReader(SealedReader(cast(BinaryIO, raw), bytes.fromhex(one["key"]))))

    def writer(self, name: str) -> BinaryIO:
        """A file to fill; what goes in is sealed on its way."""
        one = self._described[name]
        raw = cast(BinaryIO, os.fdopen(one["fd"], "r+b", buffering=0))
        self.written[name] = SealedWriter(raw, bytes.fromhex(one["key"]))
        return cast(BinaryIO, self.written[name])

    def publish(self, names: Iterable[str], folder: str) -> None:
        """Give finished files a name of their own, the last one last; whoever was first stays."""
        place = os.open(folder, os.O_RDONLY)
        try:
            for name in names:
                self._link(name, place)
            os.fsync(place)
        finally:
            os.close(place)

    def _link(self, name: str, place: int) -> None:
        descriptor = self._described[name]["fd"]
        os.fsync(descriptor)
        with suppress(FileExistsError):
            # Python follows a link only where it is given folders as well.
            open_file = f"/proc/self/fd/{descriptor}"
            os.link(open_file, name, src_dir_fd=place, dst_dir_fd=place, follow_symlinks=True)

    def names(self, mode: str) -> list[str]:
        """The files of one mode."""
        return [name for name, one in self._described.items() if one["mode"] == mode]

    def finish(self) -> dict[str, WrittenJson]:
        """Close what was written and say what it holds; a file nobody asked for stays empty."""
        for writer in self.written.values():
            writer.close()
        return {name: {"sha256": one.sha256, "size": one.size} for name, one in self.written.items()}


def published(job: Job, files: Files, answer: Job) -> Job:
    """An answer that was paid for can be found from now on, whoever dies before it is stored."""
    if "publish" in job:
        with files.writer(ANSWER) as sealed:
            sealed.write(json.dumps(answer, allow_nan=False).encode())
        files.publish([*answer["files"], ANSWER], job["publish"])
    return answer


def room_to_plan(job: Job) -> int | None:
    """What the engine may plan with: the interpreter and its libraries need address space too."""
    size: int | None = job["limits"]["memory_bytes"]
    return None if size is None else size // 2
