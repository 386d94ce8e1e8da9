"""Tells at once that a file was renamed into a folder; where the system cannot, one looks now and then."""

import ctypes
import os
import select
import time
import weakref
from pathlib import Path

MOVED_TO = 0x80  # from <sys/inotify.h>
MANY = 1 << 16
_libc = ctypes.CDLL(None, use_errno=True)


class Arrivals:
    """Notes what arrives in a folder from now on."""

    def __init__(self, folder: Path) -> None:
        self._notes = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._notes >= 0:
            weakref.finalize(self, os.close, self._notes)
            _libc.inotify_add_watch(self._notes, os.fsencode(folder), MOVED_TO)

    def wait(self, seconds: float) -> None:
        """Until something has arrived since the last time, or so long."""
        if self._notes < 0:
            time.sleep(seconds)
        elif select.select([self._notes], [], [], seconds)[0]:
            os.read(self._notes, MANY)
