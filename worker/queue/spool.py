"""The broker that needs no server: messages are files in one private folder.

Kombu's own file transport writes a message in place, passes it through /tmp while taking it, and
orders by a clock that restarts with the machine. This one publishes by rename and takes by rename,
so that a message is either whole or not there, and belongs to one taker.

What was damaged on the disk is put aside in `dead/`, unread, and work goes on: a job whose message is gone is
sent again, and who is fed by which exchange is known to every process that works.
"""

import logging
import math
import os
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar

from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps, loads

from worker.locks import locked
from worker.queue.arrivals import Arrivals

PART = ".part"  # being written
TAKEN = ".taken"  # being read
PIDBOX = ".pidbox.msg"
DEAD = "dead"
ABANDONED_SECONDS = 3600.0
TAKEN_SECONDS = 60.0
LONGEST_WAIT = 0.4

log = logging.getLogger(__name__)

Row: Any = filesystem.exchange_queue_t
_FileChannel: Any = filesystem.Channel  # its published types are not its real ones


class Channel(_FileChannel):  # type: ignore[misc]
    """A channel that never shows half a message."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the folders, private to this account."""
        super().__init__(*args, **kwargs)
        self._known: defaultdict[str, deque[str]] = defaultdict(deque)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        # Wall-clock names keep their order over a reboot; the uuid keeps two writers apart.
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}.{queue}.msg"
        write_whole(Path(self.data_folder_out), name, dumps(payload).encode())

    def _get(self, queue: str) -> Any:
        # A listing is used up before the next is made: later messages have later names, and
        # listing the folder once per message would cost the square of a long queue.
        known = self._known[queue]
        if not known:
            known.extend(self._waiting(queue))
        while known:
            name = known.popleft()
            payload = take(Path(self.data_folder_in), name)
            if payload is None:
                continue
            try:
                return loads(payload)
            except ValueError:
                self.bury(name, payload)
        raise Empty

    def bury(self, name: str, payload: bytes) -> None:
        """Put aside what is no message; nothing of what it holds is told."""
        dead = self.control_folder.parent / DEAD
        dead.mkdir(mode=0o700, exist_ok=True)
        write_whole(dead, name, payload)
        log.warning("spool.damaged", extra={"file": name})

    def _waiting(self, queue: str) -> list[str]:
        wanted = f"{queue}.msg"
        names = (entry.name for entry in Path(self.data_folder_in).iterdir())
        return sorted(name for name in names if name.partition(".")[2] == wanted)

    def get_table(self, exchange: str) -> list[Any]:
        """Which queues an exchange feeds."""
        file = self._exchange_file(exchange)
        try:
            content = file.read_bytes()
            return [Row(*row) for row in loads(content)]
        except FileNotFoundError:
            return self._bound(exchange)
        except (ValueError, TypeError):
            self.bury(file.name, content)
            file.unlink(missing_ok=True)
            return self._bound(exchange)

    def _bound(self, exchange: str) -> list[Any]:
        """What this process itself declared of an exchange whose file is lost."""
        mine = (one for one in self.state.bindings if one.exchange == exchange)
        return [Row(one.routing_key or "", "", one.queue) for one in mine]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = Row(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda rows: rows if row in rows else [row, *rows])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any
    ) -> None:
        virtual.Channel._delete(self, queue, exchange, routing_key, pattern, *args, **kwargs)
        row = Row(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda rows: [one for one in rows if one != row])

    def _change_table(self, exchange: str, change: Callable[[list[Any]], list[Any]]) -> None:
        file = self._exchange_file(exchange)
        with locked(self.control_folder):
            before = self.get_table(exchange)
            after = change(before)
            if after != before or not file.exists():
                write_whole(file.parent, file.name, dumps(after).encode())


class Transport(filesystem.Transport):
    """The `spool://` transport."""

    Channel = Channel
    driver_type = "spool"
    driver_name = "spool"
    polling_interval: float = 0.2  # where the system does not tell of arrivals
    _states: ClassVar[dict[str, virtual.BrokerState]] = {}

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        # What was declared is remembered per folder: another folder knows nothing of it.
        folder = str(client.transport_options.get("control_folder"))
        self.state = self._states.setdefault(folder, virtual.BrokerState())

    @cached_property
    def _arrivals(self) -> Arrivals:
        client: Any = self.client
        return Arrivals(Path(client.transport_options["data_folder_in"]))

    def _deliver(self, message: Any, queue: Any) -> None:
        if is_message(message):
            super()._deliver(message, queue)
            return
        channels: Any = self.channels
        channels[0].bury(f"{time.time_ns():020d}.{queue}.msg", dumps(message).encode())

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:  # type: ignore[override]
        """Wait for a message, but look up now and then: a worker that is asked to end does so only then."""
        assert connection is self, "a transport of its own for each connection"
        soon = math.inf if timeout is None else min(timeout, LONGEST_WAIT)
        arrivals, end = self._arrivals, time.monotonic() + soon
        while not self._delivered():
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            arrivals.wait(min(left, self.polling_interval))

    def _delivered(self) -> bool:
        """Whether there was a message for one of the channels."""
        channels: Any = self.cycle
        with suppress(Empty):
            channels.get(self._deliver)
            return True
        return False


def is_message(payload: Any) -> bool:
    """Whether this is what a channel wrote: a body, and how it is delivered."""
    if not isinstance(payload, dict) or "body" not in payload:
        return False
    properties = payload.get("properties")
    return isinstance(properties, dict) and {"delivery_tag", "delivery_info"} <= properties.keys()


def write_whole(folder: Path, name: str, payload: bytes) -> None:
    """Make a file appear under its name only when every byte of it is on the disk."""
    part = folder / f".{uuid.uuid4().hex}{PART}"
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        part.rename(folder / name)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    sync_folder(folder)


def take(folder: Path, name: str) -> bytes | None:
    """The bytes of a message if this caller is the one who got it."""
    mine = folder / f".{name}{TAKEN}"
    try:
        (folder / name).rename(mine)
    except FileNotFoundError:
        return None
    payload = mine.read_bytes()
    mine.unlink()
    return payload


def sync_folder(folder: Path) -> None:
    """Put the folder's own entries on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Drop what nobody will read and give back what a dead taker held.

    A message given back may have been read already: whoever receives one must bear duplicates.
    """
    now = time.time()
    for file in list(folder.glob("*")):
        with suppress(FileNotFoundError):
            age = now - file.stat().st_ctime
            if file.name.endswith(TAKEN) and age > TAKEN_SECONDS:
                file.rename(folder / file.name.removesuffix(TAKEN).lstrip("."))
            elif file.name.endswith((PART, PIDBOX)) and age > ABANDONED_SECONDS:
                file.unlink()


def dead_letters(folder: Path) -> int:
    """How many damaged messages lie aside in a spool."""
    return sum(not path.name.endswith(PART) for path in (folder / DEAD).glob("*"))


def register() -> None:
    """Teach kombu the word `spool`; it refuses dotted paths in an address."""
    TRANSPORT_ALIASES.setdefault("spool", "worker.queue.spool:Transport")


def options(folder: str) -> dict[str, str | float]:
    """Transport options for a spool in this folder."""
    queue = str(Path(folder) / "queue")
    control = str(Path(folder) / "control")
    return {
        "data_folder_in": queue,
        "data_folder_out": queue,
        "control_folder": control,
        "polling_interval": 0.2,
    }
