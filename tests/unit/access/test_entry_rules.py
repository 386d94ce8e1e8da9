"""Who has to have a second factor before anything else."""

from __future__ import annotations

from itertools import product

import pytest

from stewardapp.access.entry_rules import Standing, may_enter


@pytest.mark.parametrize(("factor", "serves", "asked", "site"), list(product([False, True], repeat=4)))
def test_every_standing(factor: bool, serves: bool, asked: bool, site: bool) -> None:
    verdict = may_enter(Standing(second_factor=factor, serves_site=serves, asked_to=asked, on_site=site))
    assert bool(verdict) is (factor or not (asked or (serves and site)))
    if not verdict:
        assert verdict.code == "second-factor"
        assert "authenticator app" in verdict.reason
