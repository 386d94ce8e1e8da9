"""One spelling of a JSON document, so that equal documents have equal hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

SPELLING = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(document: Any) -> str:
    """Sorted keys, no spaces, no NaN."""
    return SPELLING.encode(document)


def sha256_of(document: Any) -> str:
    """Hash of the canonical spelling."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()
