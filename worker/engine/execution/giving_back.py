"""Memory that nobody uses goes back to the system: allocators keep it for whoever asks next."""

from __future__ import annotations

import ctypes

import pyarrow as pa

MANY_ROWS = 1 << 20
"""With fewer rows there is little to give back, and finding it again takes longer than it is worth."""
LONG_ARRAY = 1 << 22
"""Bytes of an array that gets a place of its own, which goes back as soon as the array goes."""
M_MMAP_THRESHOLD = -3
_system = ctypes.CDLL(None)


def give_back(rows: int) -> None:
    """What is free between two parts of the work on so many rows, if they are many."""
    if rows < MANY_ROWS:
        return
    pa.default_memory_pool().release_unused()
    if hasattr(_system, "malloc_trim"):  # other allocators than the usual one have ways of their own
        _system.mallopt(M_MMAP_THRESHOLD, LONG_ARRAY)
        _system.malloc_trim(0)
