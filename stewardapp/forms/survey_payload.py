"""What a respondent's browser may send: randomized codes, the protocol, the parameters' hash. Nothing else.

A body of any other shape might hold a true answer. It is refused before anything of it is kept, and no
refusal, message or log line quotes it.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from stewardapp.access.verdict import Invalid
from worker.engine.algorithms.survey_protocol import PROTOCOL

MOST_BYTES = 4096
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
    return content_type == CONTENT_TYPE and length.isdecimal() and 0 < int(length) <= MOST_BYTES


def parsed(body: bytes) -> Payload:
    """The payload, or a refusal."""
    try:
        said = json.loads(
            body, object_pairs_hook=_object, parse_float=_refuse, parse_constant=_refuse, parse_int=_whole
        )
    except (ValueError, RecursionError):
        raise refusal() from None
    if not isinstance(said, dict) or set(said) != {"protocol", "parameters", "codes"}:
        raise refusal()
    if said["protocol"] != PROTOCOL or not _is_hash(said["parameters"]) or not _is_codes(said["codes"]):
        raise refusal()
    return Payload(said["parameters"], said["codes"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


def _refuse(_text: str) -> None:
    raise ValueError("not a whole number")


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 3:
        raise ValueError("not a code")
    return int(text)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def _is_codes(value: Any) -> bool:
    return isinstance(value, list) and all(type(code) is int for code in value)
