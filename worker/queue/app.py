"""The Celery application, the name of its queue and its task, and what a stopping worker tells its children.

The broker only rings a bell: a message holds the kind and the id of a job, nothing is read back from it,
and losing or repeating one changes nothing.
"""

import mmap
import os
from typing import Any
from urllib.parse import urlsplit

from celery import Celery, signals
from django.conf import settings

from worker.queue import spool

QUEUE = "jobs"
PERFORM = "worker.perform"
SILENT_BROKER_SECONDS = 2

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stewardapp.settings")
spool.register()


def broker(url: str) -> dict[str, Any]:
    """Celery's settings for a broker address; `spool:///folder` names the folder itself."""
    parts = urlsplit(url)
    if parts.scheme == "spool":
        return {"broker_url": "spool://localhost", "broker_transport_options": spool.options(parts.path)}
    if parts.scheme.startswith(("redis", "valkey")):
        silent = {"socket_timeout": SILENT_BROKER_SECONDS, "socket_connect_timeout": SILENT_BROKER_SECONDS}
        return {"broker_url": url, "broker_transport_options": {"visibility_timeout": 12 * 3600, **silent}}
    return {"broker_url": url}


app = Celery("steward")
app.conf.update(
    **broker(settings.STEWARD_BROKER_URL),
    broker_connection_timeout=SILENT_BROKER_SECONDS,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    imports=("worker.queue.tasks", "worker.queue.timer"),
    task_default_queue=QUEUE,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_publish_retry=False,
    worker_prefetch_multiplier=1,
    worker_lost_wait=3,
    worker_max_tasks_per_child=50,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
)

# Shared with the pool's processes, which are forked from this one: no lock, one byte.
_stopping = mmap.mmap(-1, 1)


@signals.worker_shutting_down.connect
def _note_stopping(**_: Any) -> None:
    _stopping[0] = 1


_started_by: list[int] = []


@signals.worker_process_init.connect
def _note_parent(**_: Any) -> None:
    _started_by[:] = [os.getppid()]


def is_stopping() -> bool:
    """Whether the worker was asked to end, or died: a running job is then given back at once."""
    return bool(_stopping[0]) or any(parent != os.getppid() for parent in _started_by)


def send(kind: str, identity: str) -> None:
    """Ring the bell for a job. Raises what the broker raises; takes at most a few seconds."""
    app.send_task(PERFORM, args=(kind, identity), queue=QUEUE, retry=False)
