import pytest

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed, first_no, no, require, yes


def test_yes_is_true_and_no_is_false_with_a_reason() -> None:
    assert yes()
    refusal = no("late", "It is too late.")
    assert not refusal
    assert (refusal.code, refusal.reason) == ("late", "It is too late.")


def test_require_raises_with_the_reason_and_the_status() -> None:
    require(yes())
    with pytest.raises(NotAllowed, match="It is too late") as caught:
        require(no("late", "It is too late."))
    assert (caught.value.code, caught.value.reason, caught.value.status) == ("late", "It is too late.", 403)


def test_the_first_refusal_is_the_answer() -> None:
    first, second = no("a", "First."), no("b", "Second.")
    assert first_no(yes(), first, second) is first
    assert first_no(yes(), yes())


def test_refusals_know_their_status() -> None:
    assert Conflict("a", "b").status == 409
    assert Invalid("a", "b", "field").param == "field"
    assert Invalid("a", "b").status == 400
