"""Structured logs, one JSON object a line. An exception leaves its type and its frames, never its message:
messages quote the data they stumbled over.
"""

import traceback
from types import TracebackType
from typing import Any

import structlog
from django.http import HttpRequest
from structlog.typing import EventDict, WrappedLogger


def frames_only(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Replace a traceback by the exception's type and the places it passed."""
    caught = event.pop("exc_info", None)
    if caught is True or not isinstance(caught, (tuple, BaseException)):
        return event
    kind, trace = (
        (type(caught), caught.__traceback__) if isinstance(caught, BaseException) else (caught[0], caught[2])
    )
    event["exception"] = getattr(kind, "__name__", None)
    event["frames"] = places(trace)
    return event


def places(trace: TracebackType | None) -> list[str]:
    """Return `file:line function` for each frame, outermost first."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


def without_text(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Drop what a person typed: an exception's message, and what an address holds behind its path."""
    for key in (
        "error",
        "error_message",
        "query",
        "message",
    ):  # the last: what another handler made of the line
        event.pop(key, None)
    if "request" in event:
        event["request"] = address(event["request"])
    return event


TAKING_MESSAGES = "celery.worker.consumer"
QUOTING = ("Received ", "Can't decode ")


def without_messages(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Drop what a message holds that no task understands: Celery quotes it whole."""
    text = str(event.get("event", ""))
    if str(event.get("logger", "")).startswith(TAKING_MESSAGES) and text.startswith(QUOTING):
        event["event"] = "message.refused"
    return event


RESPONDENTS = "s/"  # where surveys are answered


def without_respondent(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Drop who answers a survey: the address, the browser and the person of a request there."""
    if str(event.get("request", "")).partition(" ")[2].startswith(f"/{RESPONDENTS}"):
        for key in ("ip", "user_agent", "user_id"):
            event.pop(key, None)
    return event


def address(request: Any) -> str:
    """Return method and path; Django hands over the request itself, django-structlog a line of text."""
    if isinstance(request, HttpRequest):
        return f"{request.method} {request.path}"
    return str(request).partition("?")[0]


def bind_address(*, request: HttpRequest, **_: Any) -> None:
    """Have every line of a request say where it came from, as the entrance found it."""
    structlog.contextvars.bind_contextvars(ip=request.META.get("REMOTE_ADDR", ""))


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.TimeStamper(fmt="iso"),
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    frames_only,
    without_text,
    without_respondent,
    without_messages,
]


def configuration(level: str) -> dict[str, Any]:
    """Return Django's LOGGING and set structlog up to feed the same formatter."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(),
        ],
        "foreign_pre_chain": [structlog.stdlib.ExtraAdder(), *SHARED],
        "keep_exc_info": False,
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {"django.server": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
    }
