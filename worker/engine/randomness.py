"""Randomness that can be replayed inside one run and by nobody else.

An AES-counter generator keyed per run from the operating system, one stream per
(step, column, block): chunked, streamed and clustered runs draw the same values. A step is known by
what it does, not by where it stands: moving other steps does not change what it draws.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

KEY_BYTES = 32


def fresh_key() -> bytes:
    """A key from the operating system, to be guarded like raw data and destroyed with the run."""
    return os.urandom(KEY_BYTES)


def key_from_seed(seed: int) -> bytes:
    """The key that a seed on the command line stands for. Never for differential privacy."""
    return hashlib.sha256(b"steward seed " + str(seed).encode("ascii")).digest()


def step_names(steps: Iterable[tuple[str, Mapping[str, object]]]) -> tuple[str, ...]:
    """The name of each step (method, all parameters) in the derivation of streams.

    Equal steps are told apart by how many came before, so that they do not draw the same noise.
    """
    seen: Counter[str] = Counter()
    names = []
    for method, params in steps:
        content = json.dumps([method, params], sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(content.encode("ascii")).hexdigest()
        names.append(f"{digest} {seen[digest]}")
        seen[digest] += 1
    return tuple(names)


class Source:
    """Gives the generator of each (step, column, block).

    `project_key` is for what must be the same in every run of a project, such as pseudonyms; `version_key`
    for what must be the same in every run on a version of the data, such as randomized answers.
    """

    def __init__(
        self,
        key: bytes,
        step: str | int = "",
        project_key: bytes | None = None,
        version_key: bytes | None = None,
        earlier: int = 0,
    ) -> None:
        """`earlier` steps of the run drew for the same column from the version's key."""
        self._key = key
        self._step = str(step)
        self.project_key = project_key
        self._version_key, self._earlier = version_key, earlier

    def for_step(self, step: str | int, earlier: int = 0) -> Source:
        """The same run's randomness for another step, independent of every other step's."""
        return Source(self._key, step, self.project_key, self._version_key, earlier)

    @property
    def of_version(self) -> bool:
        """Whether every run on the version can draw the same: randomized anew in every release, answers
        average out."""
        return self._version_key is not None

    def cell_key(self, *content: str) -> bytes:
        """What every run on the version draws cells of the same content from; this run's own without its key.

        A second randomization within one run draws for itself: it would undo the first.
        """
        key = self._version_key or self._key
        return hashlib.blake2b(self._said("cell", content), key=key, digest_size=16).digest()

    def draws_label(self, *content: str) -> str | None:
        """Names what is drawn for the content in every run on the version; None without its key."""
        if self._version_key is None:
            return None
        return hashlib.blake2b(
            self._said("label", content), key=self._version_key, digest_size=16
        ).hexdigest()

    def _said(self, purpose: str, content: Sequence[str]) -> bytes:
        step = "" if self._version_key else self._step
        return json.dumps([purpose, step, self._earlier, *content]).encode()

    def stream(self, column: str, block: int) -> Generator:
        """The generator for one block of 65 536 rows of one column."""
        from numpy.random import Generator
        from randomgen import AESCounter  # the web process describes methods without drawing anything

        purpose = f"{self._step}\x00{block}\x00{column}".encode()
        digest = hashlib.blake2b(purpose, key=self._key, digest_size=16).digest()
        return Generator(AESCounter(key=int.from_bytes(digest, "big")))

    def keyed_hash(self, texts: Sequence[str], purpose: str) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """A 64-bit keyed hash of each text, for choices that must not depend on the order of rows."""
        return np.fromiter((self._hash(text, purpose) for text in texts), dtype=np.uint64, count=len(texts))

    def keyed_texts(self, texts: Sequence[str], purpose: str, key: bytes | None = None) -> list[bytes]:
        """The HMAC-SHA256 of each text, under this step's own key unless another one is given."""
        secret = key or hmac.digest(self._key, f"{self._step}\x00{purpose}".encode(), "sha256")
        prefix = purpose.encode() + b"\x00"
        return [hmac.digest(secret, prefix + text.encode(), "sha256") for text in texts]

    def _hash(self, text: str, purpose: str) -> int:
        material = f"{self._step}\x00{purpose}\x00{text}".encode()
        return int.from_bytes(hashlib.blake2b(material, key=self._key, digest_size=8).digest(), "big")
