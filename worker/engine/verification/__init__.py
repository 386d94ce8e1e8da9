"""Recompute what a release promises from the released bytes.

Shares nothing with the code that decided and transformed: it reads the file, groups its rows and judges each
goal anew. Each goal is one module with a `SLUG` and a `Check`; a goal without one cannot be published.

Persons cannot be seen in a released file. Without a list of persons the unit is the row: with a person key
the classes then are at most as large as they look, and `Verification.unit` says "row".
"""

from __future__ import annotations

from worker.engine.verification.verify import Verification, examine, verify

__all__ = ["Verification", "examine", "verify"]
