"""Randomness that can be replayed inside one run and by nobody else.

An AES-counter generator keyed per run from the operating system, one stream per
(step, column, block): chunked, streamed and clustered runs draw the same values.
"""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.random import Generator

KEY_BYTES = 32


def fresh_key() -> bytes:
    """A key from the operating system, to be guarded like raw data and destroyed with the run."""
    return os.urandom(KEY_BYTES)


def key_from_seed(seed: int) -> bytes:
    """The key that a seed on the command line stands for. Never for differential privacy."""
    return hashlib.sha256(b"steward seed " + str(seed).encode("ascii")).digest()


class Source:
    """Gives the generator of each (step, column, block)."""

    def __init__(self, key: bytes, step: int = 0) -> None:
        self._key = key
        self._step = step

    def for_step(self, step: int) -> Source:
        """The same run's randomness for another step, independent of every other step's."""
        return Source(self._key, step)

    def stream(self, column: str, block: int) -> Generator:
        """The generator for one block of 65 536 rows of one column."""
        from randomgen import AESCounter  # the web process describes methods without drawing anything

        purpose = f"{self._step}\x00{block}\x00{column}".encode()
        digest = hashlib.blake2b(purpose, key=self._key, digest_size=16).digest()
        return Generator(AESCounter(key=int.from_bytes(digest, "big")))

    def keyed_hash(self, texts: list[str], purpose: str) -> np.ndarray:
        """A 64-bit keyed hash of each text, for choices that must not depend on the order of rows."""
        return np.fromiter((self._hash(text, purpose) for text in texts), dtype=np.uint64, count=len(texts))

    def _hash(self, text: str, purpose: str) -> int:
        material = f"{self._step}\x00{purpose}\x00{text}".encode()
        return int.from_bytes(hashlib.blake2b(material, key=self._key, digest_size=8).digest(), "big")
