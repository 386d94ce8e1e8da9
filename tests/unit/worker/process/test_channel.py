"""A job and its files over a socket."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from worker.process import channel


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_more_files_than_the_system_takes_in_one_message(
    ends: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    ours, theirs = ends
    with (tmp_path / "file").open("wb") as file:
        channel.send(ours, {"job": "read"}, [file.fileno()] * 450)
        job, descriptors = channel.receive(theirs)
        try:
            assert (job, len(set(descriptors))) == ({"job": "read"}, 450)
            assert all(os.path.sameopenfile(file.fileno(), one) for one in descriptors)
            assert not any(os.get_inheritable(one) for one in descriptors), "for nobody it may start"
        finally:
            for one in descriptors:
                os.close(one)


@pytest.mark.parametrize("said", [b"", b"\0\0\0", b"\0\0\0\1\0\0\0\2", b"\0\0\0\0\0\0\0\7{"])
def test_whoever_had_a_job_is_gone(ends: tuple[socket.socket, socket.socket], said: bytes) -> None:
    ours, theirs = ends
    ours.sendall(said)
    ours.close()
    with pytest.raises(EOFError):
        channel.receive(theirs)
