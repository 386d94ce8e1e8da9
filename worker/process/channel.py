"""How an engine's process is handed its job: a document and open files, over a socket.

Descriptors travel with the bytes, so that a process can be given files that were opened after it was started.
Keys are in the document and nowhere else: not on a command line, not in an environment.
"""

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any, Required, TypedDict

from worker.engine.errors import MendJson

HEADER = struct.Struct("!II")
AT_ONCE = 200
"""Descriptors in one message; the system takes 253."""

Job = dict[str, Any]
"""What an errand is told, or answers: every errand has names of its own."""


class Handed(TypedDict, total=False):
    """How a sealed file is opened that was handed over; its descriptor is known on the other side alone."""

    key: Required[str]
    mode: Required[str]
    fd: int


class WrittenJson(TypedDict, total=False):
    """A sealed file that an errand wrote."""

    sha256: Required[str]
    size: Required[int]
    rows: int | None


class Refused(TypedDict, total=False):
    """Why there is no answer, as far as it may be told."""

    code: Required[str]
    type: str
    message: str
    param: str | None
    step: int | None
    mends: Sequence[MendJson]
    frames: list[str]
    number: int | None


class Message(TypedDict, total=False):
    """A line that an engine says: how far it is, a trouble that it survived, or its last one."""

    progress: float
    stage: str
    trouble: str
    type: str
    frames: list[str]
    ended: int
    done: Job
    error: Refused


def send(channel: socket.socket, job: Job, descriptors: Sequence[int]) -> None:
    """Hand over a job and its files."""
    body = json.dumps(job).encode()
    channel.sendall(HEADER.pack(len(descriptors), len(body)))
    for first in range(0, len(descriptors), AT_ONCE):
        socket.send_fds(channel, [b"f"], list(descriptors[first : first + AT_ONCE]))
    channel.sendall(body)


def receive(channel: socket.socket) -> tuple[Job, list[int]]:
    """The job and its files; EOFError when whoever had one for us is gone."""
    expected, length = HEADER.unpack(_exactly(channel, HEADER.size))
    descriptors: list[int] = []
    while len(descriptors) < expected:
        _, some = receive_files(channel, AT_ONCE)
        if not some:
            raise EOFError
        descriptors += some
    job: Job = json.loads(_exactly(channel, length))
    return job, descriptors


def receive_files(channel: socket.socket, most: int) -> tuple[bytes, list[int]]:
    """One byte with the files that came along; fewer where this process may not open so many."""
    said, descriptors, _, _ = socket.recv_fds(channel, 1, most)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return said, descriptors


def _exactly(channel: socket.socket, length: int) -> bytes:
    parts = []
    while length:
        part = channel.recv(min(length, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
