"""The end of the audit log is sealed again when something was bought."""

import pytest

from stewardapp.actions import audit
from stewardapp.domain import audit_chain
from worker.queue import anchoring


@pytest.mark.parametrize("bought", [True, False])
def test_what_was_bought_is_sealed_and_a_sealed_end_is_left_alone(
    bought: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed: list[bool] = []
    monkeypatch.setattr(audit_chain, "head_needs_seal", lambda: bought)
    monkeypatch.setattr(audit, "seal_head", lambda: sealed.append(True))
    anchoring.seal()
    assert sealed == [True] * bought
