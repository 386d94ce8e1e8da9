"""Attacks against known small examples, and against the bounds that theory sets. One shot, α = 1e-9."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from tests.engine.methods.judging import ALPHA
from tests.engine.running import recipe_of, rows_of, run
from worker.engine.catalogue import methods
from worker.engine.contracts.privacy import Spend
from worker.engine.demonstrations import reconstruction, theory
from worker.engine.demonstrations.answerers import (
    Answerer,
    Bounded,
    Exact,
    OurDesk,
    Uncounted,
    VariedAtOurDesk,
)
from worker.engine.demonstrations.desk import Desk
from worker.engine.demonstrations.people import People
from worker.engine.demonstrations.replay import interval, planned, replayed
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.demonstrations.single_out import averaging, differencing
from worker.engine.dp.accuracy import Noise
from worker.engine.dp.answering import Asked, Samplers
from worker.engine.dp.gathering import gathered
from worker.engine.dp.questions import Question
from worker.engine.errors import EngineError
from worker.engine.randomness import Source, fresh_key
from worker.engine.reporting import NullReporter

PEOPLE, REPEATS = 1000, 100
SETTINGS = AttackSettings(budget=Decimal("0.5"), price=Decimal("0.5"))
SMALL = AttackSettings(few=5, people=16, questions=2, rounds=1)


# What exact answers give away


def test_exact_answers_to_every_question_give_everything_away() -> None:
    for _ in range(20):
        people = People.invented(6)
        assert people.right(reconstruction.every_question(people, Exact(), 2**6 - 1)) == 6


def test_exact_answers_to_random_questions_give_everything_away() -> None:
    people = People.invented(30)
    assert people.right(reconstruction.random_questions(people, Exact(), 240)) == 30


def test_exact_answers_need_no_average_and_no_second_difference() -> None:
    people = People.invented(40)
    assert people.right(averaging(people, Exact(), 1)) == 40
    assert (differencing(people, Exact(), 17) == people.ill[:17]).all()


# Theory, against brute force


def test_people_that_fit_bounded_answers_are_never_further_off_than_theory_says() -> None:
    """Dinur & Nissim for all subsets: every round, not on average."""
    for bound, _ in product((1, 2), range(30)):
        people = People.invented(9)
        found = people.right(reconstruction.every_question(people, Bounded(bound), 2**9 - 1))
        assert found / 9 >= theory.every_question(9, bound)


def test_the_bound_for_every_question_is_that_of_all_pairs_that_fit_the_same_answers() -> None:
    """Two candidates fit the same answers within E when they differ by at most 2E on every question."""
    whole = reconstruction.candidates(6)
    sums = whole.astype(int) @ whole.T.astype(int)
    apart = np.abs(sums[:, None, :] - sums[None, :, :]).max(axis=2)
    different = (whole[:, None, :] != whole[None, :, :]).sum(axis=2)
    assert different[apart <= 2].max() == 4  # E = 1, and 4E is reached


def test_wrong_candidates_that_pass_random_questions_are_as_rare_as_theory_says() -> None:
    """All candidates of eight people are tried: those beyond the bound pass in at most 5 % of the rounds."""
    people, bound, questions, rounds, beyond = 8, 1, 400, 60, 0
    allowed = round((1 - theory.random_questions(people, bound, questions)) * people)
    assert allowed < people
    whole, generator = reconstruction.candidates(people), np.random.default_rng(1)
    for _ in range(rounds):
        truth = whole[generator.integers(len(whole))].astype(int)
        groups = generator.integers(0, 2, (questions, people))
        answers = groups @ truth + generator.integers(-bound, bound + 1, questions)
        passing = (np.abs(whole.astype(int) @ groups.T - answers) <= bound).all(axis=1)
        beyond += bool(((whole[passing] != truth).sum(axis=1) > allowed).any())
    assert beyond <= beta.isf(ALPHA, 0.05 * rounds + 1, 0.95 * rounds) * rounds


@pytest.mark.parametrize(("coins", "width"), [(5, 1), (6, 3), (9, 5), (4, 9)])
def test_the_window_is_the_likeliest_one(coins: int, width: int) -> None:
    heads = np.array([sum(one) for one in product((0, 1), repeat=coins)])
    best = max(((heads >= low) & (heads < low + width)).mean() for low in range(coins + 1))
    assert theory._window(coins, width) == pytest.approx(best)


def test_two_bounded_answers_tell_a_bit_as_often_as_counted() -> None:
    sizes = range(-2, 3)
    right = [(bit + one - other >= 0.5) == bit for bit in (0, 1) for one in sizes for other in sizes]
    assert theory.difference(2) == pytest.approx(np.mean(right))


def test_the_linear_program_finds_what_a_search_of_all_candidates_finds() -> None:
    generator = np.random.default_rng(1)
    groups = generator.integers(0, 2, (40, 7)).astype(bool)
    answers = groups @ generator.integers(0, 2, 7) + generator.integers(-1, 2, 40)
    off = np.abs(reconstruction.candidates(7).astype(int) @ groups.T - answers).sum(axis=1)
    fitted = reconstruction.fitted(groups, answers.astype(float))
    assert np.abs(groups @ fitted - answers).sum() <= off.min() + 1e-6


# Our desk


def shares(way: Answerer, times: int, repeats: int = REPEATS) -> tuple[int, int]:
    """Bits that averaging has right against an answerer."""
    many = (People.invented(PEOPLE) for _ in range(repeats))
    return sum(people.right(averaging(people, way, times)) for people in many), PEOPLE * repeats


def within(right: int, bits: int, share: float) -> bool:
    """Whether a share of hits is that of theory."""
    low = beta.ppf(ALPHA / 2, right, bits - right + 1)
    high = beta.isf(ALPHA / 2, right + 1, bits - right)
    return bool(low <= share <= high)


class Forgetful(Desk):
    """A mutant: it stores no answer, and charges none."""

    def ask(self, question: Any, rows: Any) -> Any:
        self._stored.clear()
        self.spent = Spend()
        return super().ask(question, rows)


class HalfNoise(Samplers):
    """A mutant: half the scale."""

    def noisy(self, counts: Any, noise: Any) -> Any:
        return super().noisy(counts, replace(noise, scale=noise.scale / 2, sensitivity=0))


def half_noise(declared: Any, budget: Spend) -> Desk:
    return Desk(declared, budget, HalfNoise())


def test_repeating_a_question_at_our_desk_gives_what_its_price_allows_and_no_more() -> None:
    """For bits as likely as not, discrete Laplace noise reaches the bound exactly."""
    assert within(*shares(OurDesk(SETTINGS), 3), theory.allowed(0.5))


@pytest.mark.parametrize("mutant", [Forgetful, half_noise])
def test_a_desk_that_forgets_or_saves_noise_is_found_out(mutant: Any) -> None:
    assert not within(*shares(OurDesk(SETTINGS, mutant), 3), theory.allowed(0.5))


def test_changing_a_word_is_paid_for_and_stays_below_what_the_budget_allows() -> None:
    settings = SETTINGS.model_copy(update={"price": Decimal("0.25")})
    right, bits = shares(VariedAtOurDesk(settings), 40, 10)
    assert beta.ppf(ALPHA, right, bits - right + 1) <= theory.allowed(0.5)
    forgetful, bits = shares(VariedAtOurDesk(settings, Forgetful), 40, 4)
    assert beta.ppf(ALPHA, forgetful, bits - forgetful + 1) > theory.allowed(0.5)


@pytest.mark.parametrize("questions", [1, 24])
def test_no_reconstruction_at_our_desk_gets_beyond_what_the_budget_allows(questions: int) -> None:
    right = bits = 0
    for _ in range(40):
        people = People.invented(16)
        right += people.right(reconstruction.random_questions(people, OurDesk(SETTINGS), questions))
        bits += 16
    assert beta.ppf(ALPHA, right, bits - right + 1) <= theory.allowed(0.5)


def test_a_desk_charges_first_refuses_when_empty_and_remembers() -> None:
    people = People(np.array([True, False, True]))
    desk = Desk(people.declared, Spend.of(Decimal("0.5")))
    first = people.about([0, 2], Decimal("0.3"))
    answer = desk.ask(first, people.counted([0, 2]))
    assert desk.ask(people.about([2, 0], Decimal("0.3")), people.counted([0, 2])) is answer
    assert desk.ask(people.about([1], Decimal("0.3")), people.counted([1])) is None
    assert (desk.spent, desk.refused) == (Spend.of(Decimal("0.3")), 1)
    assert desk.ask(people.about([1], Decimal("0.2")), people.counted([1])) is not None


def test_a_desk_asks_the_auditor() -> None:
    few = People(np.array([True]))
    stranger = People(np.array([True, False, True])).about([2], Decimal(1))
    with pytest.raises(EngineError, match="not among the declared categories"):
        Desk(few.declared, Spend.of(2)).ask(stranger, few.counted([0]))


def test_what_the_desk_is_given_is_what_it_would_count_in_the_table() -> None:
    people = People.invented(12)
    for question, rows in (
        (people.about([0, 3, 7], Decimal(1)), people.counted([0, 3, 7])),
        (people.about_each(Decimal(1)), people.counted_each()),
    ):
        asked = Asked.of(question, people.declared)
        found = gathered([people.table], asked, None, Source(fresh_key()))
        size = asked.grid.size
        assert np.array_equal(
            np.bincount(found.groups, found.rows, size), np.bincount(rows.groups, rows.rows, size)
        )


def test_the_desk_draws_what_the_method_behind_the_query_desk_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same counts to the same samplers with the same noise, at the same price."""
    drawn: list[tuple[list[int], Noise]] = []

    def noisy(counts: Any, noise: Noise) -> Any:
        drawn.append((counts.tolist(), noise))
        return counts + 3

    monkeypatch.setattr("worker.engine.dp.mechanisms.noisy", noisy)
    people = People.invented(6)
    method = next(slug for slug, one in methods().items() if issubclass(one, Question))
    declared = people.declared.items()
    columns = {name: {"role": "other", "categories": list(one.categories or ())} for name, one in declared}
    for question, rows in (
        (people.about([0, 3], Decimal("0.25")), people.counted([0, 3])),
        (people.about_each(Decimal("0.5")), people.counted_each()),
    ):
        desk = Desk(people.declared, Spend.of(1))
        here = desk.ask(question, rows)
        released, report = run(recipe_of(columns, [], [(method, question.params())], []), people.table)
        assert here is not None
        assert [int(row["answer"]) for row in rows_of(released)] == here.tolist()
        assert Spend.of(report["privacy_loss"]["epsilon"]) == desk.spent
        assert drawn[-1] == drawn[-2]


def test_noise_that_nobody_counts_averages_out() -> None:
    people = People.invented(20)
    assert people.right(averaging(people, Uncounted(SETTINGS), 1500)) == 20


# All of it


def test_a_replay_has_a_chart_and_findings_for_each_attack() -> None:
    found = replayed(SMALL, NullReporter())
    assert [one["slug"] for one in found["attacks"]] == [one.slug for one in planned(SMALL)]
    for one in found["attacks"]:
        drawn = {series["name"] for series in one["chart"]["series"] if not series["reference"]}
        assert drawn == {finding["name"] for finding in one["findings"]}
        exact = one["findings"][0]
        assert (exact["name"], exact["share"], exact["high"]) == ("Exact answers", 1.0, 1.0)
        assert one["chart"]["threshold"]["value"] == pytest.approx(theory.allowed(1.0))


def test_intervals_are_those_of_clopper_and_pearson() -> None:
    assert interval(0, 10)[0] == 0.0
    low, high = interval(10, 10)
    assert low == pytest.approx(0.025**0.1)
    assert high == 1.0


@pytest.mark.parametrize(
    "wrong",
    [{"few": 11}, {"people": 500}, {"bound": 0}, {"budget": -1}, {"budget": float("nan")}, {"price": 2}],
)
def test_settings_beyond_their_bounds_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(EngineError):
        AttackSettings.of(wrong)
