"""Contribution bounding: nobody counts with more than so many rows, whoever they are.

Rows are chosen by a keyed hash of what they are – the person, the cell, which of equal rows – and by
nothing of other people's rows. Taking one person away therefore leaves every other person's chosen rows
as they are, and changes the counts by at most the bound.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import distinct
from worker.engine.tables.table import Codes

Priorities = np.ndarray[Any, np.dtype[np.uint64]]


def bounded(table: FrequencyTable, person: str, key: bytes, rows: int) -> tuple[tuple[Codes, ...], Counts]:
    """Tuples of cells with their bounded counts. The table counts (cells …, person); the person is last.

    Rows without a person key are left out: nobody could bound whose they are.
    """
    owners = table.domain(person)
    who = table.column(person)
    known = ~owners.missing[who] if len(owners) else np.zeros(0, bool)
    cells = tuple(
        codes[known] for name, codes in zip(table.names, table.codes, strict=True) if name != person
    )
    who, counts = who[known], table.counts[known]
    totals = np.bincount(who, weights=counts, minlength=len(owners)).astype(np.int64)
    over = totals[who] > rows
    kept = counts.copy()
    if over.any():
        labels = [table.domain(name).texts for name in table.names if name != person]
        kept[over] = _kept([c[over] for c in cells], labels, who[over], owners.texts, counts[over], key, rows)
    return cells, kept


def _kept(
    cells: list[Codes],
    labels: list[tuple[str, ...]],
    who: Codes,
    persons: tuple[str, ...],
    counts: Counts,
    key: bytes,
    rows: int,
) -> Counts:
    """How many rows of each (cells, person) are among the person's first `rows` by priority."""
    tuples = np.repeat(np.arange(len(counts)), counts)
    which = np.arange(len(tuples)) - np.repeat(np.cumsum(counts) - counts, counts)
    hashes = [
        _hashes(texts, codes, key, number)
        for number, (texts, codes) in enumerate(zip(labels, cells, strict=True))
    ]
    cell = np.bitwise_xor.reduce(hashes) if hashes else np.zeros(len(counts), np.uint64)
    owner = _hashes(persons, who, key, len(cells))
    priority = _encrypted(owner[tuples], cell[tuples] ^ which.astype(np.uint64), key)
    order = np.lexsort((priority, who[tuples]))
    owners = who[tuples][order]
    first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    place = np.arange(len(owners)) - np.repeat(first, np.diff(np.r_[first, len(owners)]))
    chosen = tuples[order][place < rows]
    return np.bincount(chosen, minlength=len(counts)).astype(np.int64)


def _hashes(texts: tuple[str, ...], codes: Codes, key: bytes, part: int) -> Priorities:
    """A keyed 64-bit hash of the text in each row; only texts that occur are hashed."""
    found = np.zeros(len(texts), np.uint64)
    salt = part.to_bytes(16, "big")
    for code in distinct(codes).tolist():
        digest = hashlib.blake2b(texts[code].encode(), key=key, salt=salt, digest_size=8).digest()
        found[code] = int.from_bytes(digest, "big")
    return found[codes]


def _encrypted(one: Priorities, other: Priorities, key: bytes) -> Priorities:
    """The first half of AES over pairs of numbers: a keyed pseudo-random function of both."""
    pairs = np.stack([one, other], axis=1).tobytes()
    secret = hashlib.blake2b(key, digest_size=16, person=b"bounded rows").digest()
    encryptor = Cipher(algorithms.AES(secret), modes.ECB()).encryptor()  # noqa: S305 - a function, not a message
    return np.frombuffer(encryptor.update(pairs), np.uint64)[::2]
