"""How long somebody has to wait who guesses passwords or codes.

Wrong guesses are counted under whatever they have in common: the account they are about, the address they
come from, or the browser that proved before whose it is. The first few cost nothing; then each wait is twice
as long as the one before, up to a quarter of an hour.

A browser in which somebody signed in before is counted apart, under itself alone. So strangers who guess at
an account slow down strangers, and its owner can always sign in from there; and a crowd behind one address is
held up by the guesses of one of them only where nobody was known before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

FIRST = timedelta(seconds=8)
LONGEST = timedelta(minutes=15)
FORGOTTEN = timedelta(days=1)  # after so long without a wrong guess


class Shared(StrEnum):
    """What guesses have in common."""

    ACCOUNT = "account"
    ADDRESS = "address"
    BROWSER = "browser"
    PERSON = "person"  # who is signed in, and proves it again


FREE = {Shared.ACCOUNT: 5, Shared.ADDRESS: 20, Shared.BROWSER: 5, Shared.PERSON: 5}


@dataclass(frozen=True, slots=True)
class Guessed:
    """What is known about the guesses under one thing."""

    wrong: int = 0
    last: datetime | None = None
    not_before: datetime | None = None

    def at(self, now: datetime) -> Guessed:
        """The same, unless it is so long ago that it is forgotten."""
        return Guessed() if self.last is None or now - self.last >= FORGOTTEN else self

    def wait(self, now: datetime) -> timedelta:
        """How long nobody is listened to."""
        return max(timedelta(), self.not_before - now) if self.not_before else timedelta()

    def once_more(self, shared: Shared, now: datetime) -> Guessed:
        """After a guess that is taken for wrong until it proves right: many at once count as many."""
        wrong = self.wrong + 1
        rest = pause(wrong, FREE[shared])
        return Guessed(wrong, now, now + rest if rest else None)

    def proved(self, shared: Shared) -> Guessed:
        """After a right guess: the wrong ones before were slips, but an address is shared with others."""
        return Guessed(max(0, self.wrong - 1) if shared is Shared.ADDRESS else 0, self.last)


def pause(wrong: int, free: int) -> timedelta:
    """How long to wait after so many wrong guesses."""
    if wrong < free:
        return timedelta()
    return min(LONGEST, FIRST * (1 << min(wrong - free, 10)))
