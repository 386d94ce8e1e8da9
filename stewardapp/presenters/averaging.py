"""What is out about the same columns of the same people, in words: promises add up, noise averages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from stewardapp.access.amounts import amount
from stewardapp.domain.averaging import Added, Beside
from stewardapp.presenters.numbers import thousands
from stewardapp.reads.releases import seen_among

if TYPE_CHECKING:
    from stewardapp.models import Release
    from stewardapp.models.user import AnyUser
    from stewardapp.reads.runs import SeenRun


@dataclass(frozen=True)
class Line:
    """A sentence, the releases it is about as far as the person sees them, and how many more there are."""

    sentence: str
    releases: tuple[tuple[Release, str], ...]
    unseen: int = 0


def lines_of(run: SeenRun) -> list[Line]:
    """For steward and reviewer alike, before and after the run was submitted."""
    lines = [_promised(one, run.seen.user) for one in run.added_up]
    if beside := run.averaged_with:
        lines.append(_averaged(beside, run.seen.user))
    return lines


def _promised(added: Added, user: AnyUser) -> Line:
    own = "no bound" if added.own is None else f"ε = {amount(added.own)}"
    if not added.others:
        sentence = f"Cells of {added.column}: {own}, local. Nothing else that is out randomizes this column."
    elif added.epsilon is None:
        sentence = (
            f"Cells of {added.column}: {own}, local, in this run. With what is out nothing bounds what they "
            "give away: different draws of one cell average out, and one of these releases promises nothing."
        )
    else:
        sentence = (
            f"Cells of {added.column}: {own}, local, in this run; ε = {amount(added.epsilon)} with all that "
            "is out. Releases that share their draws count once, with the largest of them."
        )
    return _line(sentence, [(release, ()) for release in added.others], user)


def _averaged(beside: Sequence[Beside], user: AnyUser) -> Line:
    count = len(beside) + 1
    sentence = (
        f"Released before with noise on these columns. Averaging n releases divides the noise by √n: with "
        f"this one there are {thousands(count)}, so by {sqrt(count):.2g}. Exchanged values come nearer to "
        "the original ones in the same way."
    )
    return _line(sentence, [(one.release, one.columns) for one in beside], user)


def _line(sentence: str, about: Sequence[tuple[Release, Sequence[str]]], user: AnyUser) -> Line:
    seen = seen_among((release for release, _ in about), user)
    shown = tuple((release, ", ".join(columns)) for release, columns in about if release.pk in seen)
    return Line(sentence, shown, len(about) - len(shown))
