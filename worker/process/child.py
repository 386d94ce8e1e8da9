"""The entry of the engine's own process: one job from a socket, JSON lines back, then gone.

Nothing a library prints reaches the parent, and no text of an unforeseen exception does: both may
quote values. What is known of a failure is its type and the lines it passed.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO

from worker.engine.errors import Cancelled, EngineError, LimitExceeded, frames, is_out_of_memory
from worker.engine.reporting import PipeReporter, Reporter
from worker.process import channel, template
from worker.process.channel import Job, Refused
from worker.short_lived import leave, short_lived

Errand = Callable[[Job, Reporter], Job]
PR_SET_PDEATHSIG = 1


def main() -> NoReturn:
    """Do the one job, answer, and be gone; or wait, as what engines are split off from."""
    short_lived()
    talk = private_socket()
    with suppress(EOFError, ConnectionResetError):
        job, descriptors = channel.receive(talk)
        if job["job"] == template.WAIT:
            talk = template.wait(talk)
            job, descriptors = channel.receive(talk)
        perform(job, descriptors, talk)
    leave(0)


def private_socket() -> socket.socket:
    """Keep the socket for ourselves; what libraries print goes where stderr goes."""
    talk = socket.socket(fileno=os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return talk


def perform(job: Job, descriptors: list[int], talk: socket.socket) -> None:
    """Do a job within its limits and answer."""
    die_with_parent(job["parent"])
    limit_memory(job["limits"]["memory_bytes"])
    use_folder(job["scratch"])
    for file, descriptor in zip(job.get("files", {}).values(), descriptors, strict=True):
        file["fd"] = descriptor
    with talk.makefile("w", encoding="utf-8", buffering=1) as answers:
        answers.write(outcome(job, answers) + "\n")


def use_folder(scratch: str) -> None:
    """What libraries write beside the job's files goes into its own folder."""
    os.putenv("TMPDIR", scratch)
    tempfile.tempdir = scratch


def die_with_parent(parent: int) -> None:
    """Never outlive the worker: nobody would read the answer, and the lease is going to be taken over."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def limit_memory(size: int | None) -> None:
    """Turn running out of memory into an error inside this process."""
    if size is not None:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would be raw data in clear


def outcome(job: Job, answers: TextIO) -> str:
    """The last line: the answer to a job, or why there is none."""
    try:
        return json.dumps({"done": errand(job["job"])(job, PipeReporter(answers))}, allow_nan=False)
    except BaseException as error:  # noqa: BLE001 - nothing may leave this process with its own words
        return json.dumps({"error": refused(error, job)})


def refused(error: BaseException, job: Job) -> Refused:
    """What may be told of an error."""
    if isinstance(error, EngineError):
        return coded(error)
    if isinstance(error, Cancelled):
        return {"code": "cancelled"}
    if is_out_of_memory(error):
        return coded(memory_error(job["limits"]["memory_bytes"] or 0))
    return unforeseen(error)


def unforeseen(error: BaseException) -> Refused:
    """What may be told of an error nobody planned for: its type, its lines, the system's number."""
    number = error.errno if isinstance(error, OSError) else None
    return {"code": "internal", "type": type(error).__name__, "frames": frames(error), "number": number}


def coded(error: EngineError) -> Refused:
    """A refusal as it crosses the pipe."""
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "param": error.param,
        "step": error.step,
        "mends": [mend.as_dict() for mend in getattr(error, "mends", ())],
    }


def memory_error(limit: int) -> LimitExceeded:
    """The sentence for a job that needed more memory than it may have."""
    return LimitExceeded(
        "memory",
        f"The job needed more than the {limit / 2**30:.1f} GB of memory it may use. "
        "Use fewer columns or rows, or ask for a larger limit.",
    )


def errand(name: str) -> Errand:
    """What this process is asked to do: the file of that name in the room of errands."""
    do: Errand = import_module(f"worker.process.errands.{name}").do
    return do


if __name__ == "__main__":
    main()
