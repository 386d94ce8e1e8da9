"""What a respondent's browser may send: randomized codes, the protocol, the parameters' hash. Nothing else.

A body of any other shape might hold a true answer. It is refused before anything of it is kept, and no
refusal, message or log line quotes it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from stewardapp.access.verdict import Invalid
from worker.engine.io.sent_text import whole_number
from worker.engine.io.strict_json import BadJson, Limits, loads
from worker.engine.randomization.survey_protocol import PROTOCOL

MOST_BYTES = 4096
LIMITS = Limits(MOST_BYTES, values=2000, depth=3)
MOST_CODE = 999
CONTENT_TYPE = "application/json"
HASH = re.compile(r"[0-9a-f]{64}")
REFUSED = "This is not a randomized answer. Nothing was stored. Load the page again and answer there."


class Payload(NamedTuple):
    """A randomized answer."""

    parameters: str
    codes: list[int]


def refusal() -> Invalid:
    """The same words whatever was wrong."""
    return Invalid("payload", REFUSED)


def acceptable(content_type: str, length: str) -> bool:
    """Whether the body is worth reading at all: short, and said to be what it must be."""
    return content_type == CONTENT_TYPE and bool(whole_number(length, MOST_BYTES))


def parsed(body: bytes) -> Payload:
    """The payload, or a refusal."""
    try:
        said = loads(body, LIMITS)
    except BadJson:
        raise refusal() from None
    if not isinstance(said, dict) or set(said) != {"protocol", "parameters", "codes"}:
        raise refusal()
    if said["protocol"] != PROTOCOL or not _is_hash(said["parameters"]) or not _is_codes(said["codes"]):
        raise refusal()
    return Payload(said["parameters"], said["codes"])


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def _is_codes(value: Any) -> bool:
    return isinstance(value, list) and all(type(code) is int and 0 <= code <= MOST_CODE for code in value)
