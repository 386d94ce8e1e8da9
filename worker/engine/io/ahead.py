"""Work done ahead of whoever takes its results, in the order of what it was done on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

THREADS = 2


def ahead(work: Callable[[In], Out], given: Iterable[In], threads: int = THREADS) -> Iterator[Out]:
    """`work(one)` for each of the given. A refusal comes where its turn is, never before an earlier one.

    One thread does them strictly one after the other.
    """
    waiting: deque[Future[Out]] = deque()
    stopped: list[BaseException] = []
    source = _until_it_fails(iter(given), stopped)
    with ThreadPoolExecutor(threads) as pool:
        try:
            waiting.extend(pool.submit(work, one) for one in islice(source, threads + 1))
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(pool.submit(work, one) for one in islice(source, 1))
                yield result
        finally:
            for one in waiting:
                one.cancel()
    if stopped:
        raise stopped[0]


def _until_it_fails(given: Iterator[In], stopped: list[BaseException]) -> Iterator[In]:
    try:
        yield from given
    except Exception as error:  # noqa: BLE001 - raised again in its turn
        stopped.append(error)
