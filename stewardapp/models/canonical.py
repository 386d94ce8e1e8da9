"""One spelling of a JSON document, so that equal documents have equal hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(document: Any) -> str:
    """Sorted keys, no spaces, no NaN."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of(document: Any) -> str:
    """Hash of the canonical spelling."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()
