"""The seven steps above the pages of a release."""

from __future__ import annotations

import pytest

from stewardapp.presenters.steps import ALL_DONE, LABELS, release_steps


@pytest.mark.parametrize(("at", "current"), list(enumerate(LABELS)))
def test_what_lies_before_is_done(at: int, current: str) -> None:
    states = [one.state for one in release_steps(current)]
    assert states == ["done"] * at + ["current"] + [""] * (len(LABELS) - at - 1)


def test_all_done_and_links() -> None:
    steps = release_steps(ALL_DONE, {"run": "/runs/"})
    assert {one.state for one in steps} == {"done"}
    assert [one.url for one in steps] == ["/runs/" if name == "run" else "" for name in LABELS]
