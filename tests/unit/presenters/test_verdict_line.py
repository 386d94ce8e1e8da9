"""The first line of a run's page: risk, utility and cost, in the words of what its rows are."""

from __future__ import annotations

import pytest

from stewardapp.domain.facts import run_facts
from stewardapp.models import Run
from stewardapp.presenters import release_pages, verdict_line
from stewardapp.presenters.verdict_line import MOST, Pair
from tests import factories

pytestmark = pytest.mark.django_db


def line_of(run: Run) -> verdict_line.VerdictLine:
    seen = factories.seen(run)
    return verdict_line.verdict_line(seen, release_pages.policy_met(seen))


def pairs_of(run: Run, part: int) -> dict[str, Pair]:
    return {pair.label.partition(",")[0]: pair for pair in line_of(run).parts[part].pairs}


@pytest.mark.parametrize(("smallest", "met"), [(6, True), (5, True), (4, False)])
def test_the_verdict_line_compares_with_the_policy(smallest: int, met: bool) -> None:
    release = factories.make_release(factories.make_project())
    run = factories.make_succeeded_run(release, smallest_class=smallest)
    line = verdict_line.verdict_line(factories.seen(run), release_pages.policy_met(factories.seen(run)))
    assert line.met is met
    risk, _, cost = line.parts
    found = {pair.label.partition(",")[0]: pair for pair in risk.pairs}
    pair = found["smallest class"]
    assert (pair.value, pair.holds) == (str(smallest), smallest >= 5)
    assert "at least 5" in pair.label
    assert found["highest risk"].holds is met
    assert pair.help is not None
    assert pair.help.direction == "Higher is better."
    assert "reidentification" in pair.help.measure
    assert cost.pairs[-1].value == "none"


def test_local_epsilon_is_shown_and_not_charged() -> None:
    steps = [{"method": "pram", "params": {"column": column}} for column in ("illness", "age")]
    release = factories.make_release(factories.make_project(), recipe={"goals": [], "steps": steps})
    told = {"local_epsilon": 1.0986, "draws": "a"}
    own_matrix = {"local_epsilon": 2.0, "draws": "b", "matrix_depends_on_data": True}
    run = factories.make_succeeded_run(release, steps=[told, own_matrix])
    line = verdict_line.verdict_line(factories.seen(run), release_pages.policy_met(factories.seen(run)))
    (figure,) = [one for one in line.pairs if "local" in one.label]
    assert figure.value == "ε 1.0986"
    assert "policy at most 3" in figure.label
    assert figure.help is not None
    assert "nothing is taken from it" in figure.help.definition
    assert run_facts(run).epsilon_micro == 0


def of_family(run: Run, family: str) -> Run:
    """The same run, had its rows been of another family, about which class sizes say nothing."""
    run.figures["family"] = family
    for one in run.figures["results"].values():
        one |= {"state": "does-not-apply", "reason": "Values were moved.", "figures": {}}
    return run


def test_what_does_not_apply_is_a_dash_with_its_reason_and_never_green() -> None:
    run = of_family(
        factories.make_succeeded_run(factories.make_release(factories.make_project())), "perturbed"
    )
    found = pairs_of(run, 0)
    pair = found["smallest class does not apply"]
    assert (pair.value, pair.idle, pair.holds) == ("–", True, None)
    assert pair.help is not None
    assert pair.help.definition == "Values were moved."
    assert line_of(run).family == "Rows are of people, values were moved."
    assert len(line_of(run).parts[0].pairs) <= MOST


def test_what_fails_stands_first_and_is_never_left_out() -> None:
    run = factories.make_succeeded_run(
        factories.make_release(factories.make_project()), smallest_class=1, unique_share=0.9
    )
    holds = [pair.holds for pair in line_of(run).parts[0].pairs]
    assert holds[:3] == [False, False, False]


def test_a_figure_that_no_row_judges_says_what_it_was() -> None:
    run = factories.make_succeeded_run(factories.make_release(factories.make_project()))
    [(label, pair)] = [(one, pair) for one, pair in pairs_of(run, 0).items() if one.startswith("average")]
    assert "(was " in label
    assert pair.holds is None
