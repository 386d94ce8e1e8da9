"""What a certificate says of a privacy loss: amount, whom it protects, each statement in its place."""

import pytest

from stewardapp.presenters.catalogue_pages import promise


@pytest.mark.parametrize(
    ("unit", "who"), [("person", "each person"), ("row", "each row"), (None, "each row")]
)
def test_a_privacy_loss_says_whom_it_protects(unit: str | None, who: str) -> None:
    found = promise({"epsilon": 0.5, "delta": 1e-9, **({"unit": unit} if unit else {})})
    assert found is not None
    assert (found.amount, found.protects) == ("ε = 0.5, δ = 1e-9", who)
    said = " ".join(found.sentences)
    assert "e^ε" in said
    assert "e^(2ε)" in said
    assert ("row" in said) == (who == "each row")


@pytest.mark.parametrize(
    "loss", [{}, {"epsilon": 0}, {"epsilon": "0"}, {"epsilon": 0.0, "delta": 0, "unit": "person"}]
)
def test_where_nothing_was_spent_nothing_is_promised(loss: dict[str, object]) -> None:
    assert promise(loss) is None
