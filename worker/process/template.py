"""A process that has loaded what every engine needs, and splits off one for each job.

Loading takes most of a second, splitting some milliseconds. It is never given a job, a key or a file: what is
split off gets them, does one job and is gone, and nothing of it comes back here. Nor does anything here draw
random numbers that two engines would then both draw.

It ends with the process that asks it, because its socket ends; what was split off, and all that this started,
ends with it.
"""

import gc
import os
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from worker.process.channel import receive_files

WAIT = "wait"
LOADED = b"l"
LOW_PRIORITY = 5
"""Low enough to give way, not so low that a busy machine never gets it done."""
OWN_SESSION = Path("/proc/self/autogroup")
"""Where the system shares the processor among sessions first, priorities count only within each of them."""


def wait(control: socket.socket) -> socket.socket:
    """Load in the background, then split off an engine for whoever asks. Returns in engines only."""
    loading = threading.Thread(target=_load, args=(control,), name="loading", daemon=True)
    loading.start()
    return Splitting(control, loading).engine()


def _load(control: socket.socket) -> None:
    """Load, giving way to everything else. In a thread, because a priority once lowered stays lowered."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
        _share(LOW_PRIORITY)
        from worker.process.rehearsal import rehearse

        rehearse()
        _share(0)
        gc.collect()
        gc.freeze()  # what is shared with engines is not written to
        control.sendall(LOADED)
    except BaseException:  # noqa: BLE001 - jobs start their own process then
        os._exit(1)


def _share(priority: int) -> None:
    with suppress(OSError):
        OWN_SESSION.write_text(str(priority))


@dataclass
class Split:
    """An engine, our end of what it says, and what tells of its end."""

    pid: int
    channel: socket.socket
    life: int

    def kill(self) -> None:
        """End it and all it started; it may not have a group of its own yet."""
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Keep nothing of it open."""
        self.channel.close()
        os.close(self.life)


class Splitting:
    """Answers one process, and looks after the engines it was given."""

    def __init__(self, control: socket.socket, loading: threading.Thread) -> None:
        self._control, self._loading = control, loading
        self._engines: dict[int, Split] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def engine(self) -> socket.socket:
        """Where an engine hears of its job; only engines get here."""
        while True:
            descriptor, _ = self._poll.poll()[0]
            if descriptor != self._control.fileno():
                self._end(self._engines[descriptor])
            elif (channel := self._asked()) is not None:
                return channel

    def _asked(self) -> socket.socket | None:
        said, descriptors = receive_files(self._control, 1)
        if not said:
            self._leave()
        if not descriptors:  # too many are open: whoever asked sees that nobody answers
            return None
        self._loading.join()
        return self._split(socket.socket(fileno=descriptors[0]))

    def _split(self, channel: socket.socket) -> socket.socket | None:
        try:
            pid = os.fork()
        except OSError:
            channel.close()
            return None
        if pid == 0:
            self._begin()
            return channel
        self._watch(Split(pid, channel, os.pidfd_open(pid)))
        return None

    def _leave(self) -> NoReturn:
        """Nobody is there any more who could ask or listen."""
        for engine in self._engines.values():
            engine.kill()
        os._exit(0)

    def _begin(self) -> None:
        """In the engine: a session of its own, nothing of the others, and no luck shared with them."""
        os.setsid()
        self._control.close()
        for other in {one.pid: one for one in self._engines.values()}.values():
            other.close()
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed()

    def _watch(self, engine: Split) -> None:
        self._poll.register(engine.channel, select.POLLRDHUP)
        self._poll.register(engine.life, select.POLLIN)
        self._engines |= {engine.channel.fileno(): engine, engine.life: engine}
        with suppress(OSError):
            engine.channel.sendall(b'{"pid": %d}\n' % engine.pid)

    def _end(self, engine: Split) -> None:
        """It ended, or nobody listens to it any more: all it started ends with it, and its end is told."""
        engine.kill()
        status = os.waitstatus_to_exitcode(os.waitpid(engine.pid, 0)[1])
        with suppress(OSError):
            engine.channel.send(b'\n{"ended": %d}\n' % status, socket.MSG_DONTWAIT)
        self._forget(engine)

    def _forget(self, engine: Split) -> None:
        for descriptor in (engine.channel.fileno(), engine.life):
            self._poll.unregister(descriptor)
            del self._engines[descriptor]
        engine.close()
