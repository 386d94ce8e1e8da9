"""What arrays hold, for those who annotate them."""

from __future__ import annotations

from typing import Any

import numpy as np

Longs = np.ndarray[Any, np.dtype[np.int64]]
"""Whole numbers of 64 bits: counts, rows, places, keys."""
