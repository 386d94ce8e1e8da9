"""All attacks on all answerers: shares of bits recovered, as charts and as findings that can be checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from worker.engine.contracts.chart import Axis, Chart, Series, Threshold
from worker.engine.demonstrations import theory
from worker.engine.demonstrations.answerers import (
    Answerer,
    Bounded,
    Exact,
    OurDesk,
    Uncounted,
    VariedAtOurDesk,
)
from worker.engine.demonstrations.people import People
from worker.engine.demonstrations.reconstruction import every_question, random_questions
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.demonstrations.single_out import averaging, differencing
from worker.engine.reporting import Reporter
from worker.engine.wording import percent

MOST_REPEATS = 1024
CERTAINTY = 0.95


@dataclass(frozen=True)
class Score:
    """Bits an attack had right, over all rounds, and in the round that went worst for the attacker."""

    right: int
    bits: int
    least: float

    @property
    def share(self) -> float:
        """Between nothing and all; a coin has half."""
        return self.right / self.bits


@dataclass(frozen=True)
class Attack:
    """One attack: the numbers of questions it is tried with, how one round goes, what theory says."""

    slug: str
    title: str
    axis: str
    sizes: tuple[int, ...]
    answerers: tuple[Answerer, ...]
    round: Callable[[Answerer, int], tuple[int, int]]
    promises: tuple[Series, ...]


def replayed(settings: AttackSettings, reporter: Reporter) -> dict[str, object]:
    """Every attack with these settings, as plain JSON."""
    attacks, found = planned(settings), []
    for number, attack in enumerate(attacks):
        reporter.stage(attack.title)
        with reporter.span(number / len(attacks), (number + 1) / len(attacks)):
            found.append(_carried_out(attack, settings, reporter))
    return {"settings": settings.params(), "attacks": found}


def planned(settings: AttackSettings) -> tuple[Attack, ...]:
    """The four attacks, from the strongest to the simplest."""
    ways = (Exact(), Bounded(settings.bound), Uncounted(settings), OurDesk(settings))
    return (
        _every(settings, ways),
        _random(settings, ways),
        _averaging(settings, (*ways, VariedAtOurDesk(settings))),
        _differencing(settings, ways),
    )


def _every(settings: AttackSettings, ways: tuple[Answerer, ...]) -> Attack:
    most = 2**settings.few - 1

    def once(way: Answerer, size: int) -> tuple[int, int]:
        people = People.invented(settings.few)
        return people.right(every_question(people, way, size)), settings.few

    least = theory.every_question(settings.few, settings.bound)
    promise = Series("Theory: at least, of bounded noise", (most,), (least,), reference=True)
    title = "Reconstruction from every possible question"
    return Attack("every-question", title, "Questions", _growing(most, 4), ways, once, (promise,))


def _random(settings: AttackSettings, ways: tuple[Answerer, ...]) -> Attack:
    sizes = tuple(size for size in _growing(settings.people * settings.questions, 2) if size >= 4)

    def once(way: Answerer, size: int) -> tuple[int, int]:
        people = People.invented(settings.people)
        return people.right(random_questions(people, way, size)), settings.people

    least = tuple(theory.random_questions(settings.people, settings.bound, size) for size in sizes)
    promise = Series("Theory: at least, of bounded noise", sizes, least, reference=True)
    title = "Reconstruction from random questions"
    return Attack("random-questions", title, "Questions", sizes, ways, once, (promise,))


def _averaging(settings: AttackSettings, ways: tuple[Answerer, ...]) -> Attack:
    sizes = _growing(MOST_REPEATS, 4)

    def once(way: Answerer, size: int) -> tuple[int, int]:
        people = People.invented(settings.people)
        return people.right(averaging(people, way, size)), settings.people

    expected = theory.allowed(float(settings.price))
    line = (expected,) * len(sizes)
    promise = Series("Theory: our desk, same question", sizes, line, reference=True)
    return Attack("averaging", "Averaging a repeated question", "Times asked", sizes, ways, once, (promise,))


def _differencing(settings: AttackSettings, ways: tuple[Answerer, ...]) -> Attack:
    sizes = _growing(settings.people, 4)

    def once(way: Answerer, size: int) -> tuple[int, int]:
        """As many people are attacked at every size: fewer at a time, more often."""
        right = 0
        for _ in range(settings.people // size):
            people = People.invented(settings.people)
            right += int((differencing(people, way, size) == people.ill[:size]).sum())
        return right, size * (settings.people // size)

    expected = (theory.difference(settings.bound),) * len(sizes)
    promise = Series("Theory: bounded noise", sizes, expected, reference=True)
    title = "Differencing: everybody, less everybody but one"
    return Attack("differencing", title, "People attacked", sizes, ways, once, (promise,))


def _growing(most: int, times: int) -> tuple[int, ...]:
    """1, so many times 1, and so on, and the most."""
    return (*(times**power for power in range(most.bit_length()) if times**power < most), most)


def _carried_out(attack: Attack, settings: AttackSettings, reporter: Reporter) -> dict[str, object]:
    scores: dict[str, list[Score]] = {}
    steps = len(attack.answerers) * len(attack.sizes)
    for way in attack.answerers:
        for size in attack.sizes:
            reporter.progress(sum(map(len, scores.values())) / steps)
            rounds = [_once(attack, way, size, reporter) for _ in range(settings.rounds)]
            scores.setdefault(way.name, []).append(_score(rounds))
    return {
        "slug": attack.slug,
        "title": attack.title,
        "chart": chart_of(attack, scores, settings).as_dict(),
        "findings": [_finding(name, attack.sizes[-1], found[-1]) for name, found in scores.items()],
    }


def _once(attack: Attack, way: Answerer, size: int, reporter: Reporter) -> tuple[int, int]:
    reporter.checkpoint()
    return attack.round(way, size)


def _score(rounds: Sequence[tuple[int, int]]) -> Score:
    right, bits = (sum(column) for column in zip(*rounds, strict=True))
    return Score(right, bits, min(one / of for one, of in rounds))


def chart_of(attack: Attack, scores: dict[str, list[Score]], settings: AttackSettings) -> Chart:
    """Shares against the number of questions, and what theory says."""
    found = tuple(Series(name, attack.sizes, tuple(_shares(of_one))) for name, of_one in scores.items())
    most = theory.allowed(float(settings.budget))
    limit = Threshold(most, f"the most that ε = {settings.budget.normalize():f} allows: {percent(most)}")
    x, y = Axis(attack.axis, scale="log"), Axis("Bits recovered", scale="percent")
    return Chart(attack.slug, attack.title, "line", x, y, (*found, *attack.promises), "", limit)


def _shares(scores: Iterable[Score]) -> Iterable[float]:
    return (score.share for score in scores)


def _finding(name: str, size: int, score: Score) -> dict[str, object]:
    low, high = interval(score.right, score.bits)
    return {"name": name, "asked": size, "share": score.share, "low": low, "high": high} | asdict(score)


def interval(right: int, bits: int) -> tuple[float, float]:
    """The Clopper–Pearson interval of a share."""
    from scipy.stats import beta

    rest = (1 - CERTAINTY) / 2
    low = 0.0 if right == 0 else float(beta.ppf(rest, right, bits - right + 1))
    high = 1.0 if right == bits else float(beta.isf(rest, right + 1, bits - right))
    return low, high
