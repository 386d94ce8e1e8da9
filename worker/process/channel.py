"""How an engine's process is handed its job: a document and open files, over a socket.

Descriptors travel with the bytes, so that a process can be given files that were opened after it was started.
Keys are in the document and nowhere else: not on a command line, not in an environment.
"""

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

HEADER = struct.Struct("!II")
AT_ONCE = 200
"""Descriptors in one message; the system takes 253."""

Job = dict[str, Any]


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
