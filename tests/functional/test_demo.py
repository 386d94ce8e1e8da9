"""The demo project: whole, in every state, and continued where a Ctrl-C interrupted it."""

from stewardapp.access.workflow import State
from stewardapp.management import demo
from tests.functional.desk import Desk


def test_an_interrupted_demo_is_continued_and_holds_every_state(desk: Desk) -> None:
    found = desk.demo
    assert set(found["states"]) == set(State)
    assert found["releases"] == len(demo.STAGES)
    assert (found["projects"], found["datasets"], found["versions"]) == (1, 3, 3)
    assert found["people"] == sorted(demo.PERSONAS)
    assert found["surveys"] == [("collecting", 300), ("draft", 0)]
    assert found["audit"] == "Whole"
    assert found["succeeded"] == 10
    assert found["attacks"] == 4
    assert found["charges"] == [50_000, 50_000, 100_000, 250_000, 500_000]
    assert found["questions"] == ["succeeded"]
    assert set(desk.personas) >= set(demo.PERSONAS)  # other tests have made further accounts
