"""What the steps of a recipe cost, and what there is to pay it from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import Prefetch

from stewardapp.access.budget_rules import may_see_purchases
from stewardapp.access.facts import FundFacts, PriceFacts
from stewardapp.domain.recipe import methods_of, populations_named, recipe_of
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.errors import EngineError
from worker.engine.recipes.document import RecipeJson
from worker.engine.tables.kinds import Kind, Role
from worker.engine.version import VERSION

if TYPE_CHECKING:
    from stewardapp.models.desk import Desk
    from stewardapp.models.population import Population
    from stewardapp.models.project import Project
    from stewardapp.models.purse import Purse
    from stewardapp.models.reading import Reading
    from stewardapp.models.release import Release
    from stewardapp.models.run import Run
    from stewardapp.models.user import User
    from stewardapp.models.version import Version
    from worker.engine.dp.questions import Question

SAME_DATA = "another population that the same data were uploaded for"
ASKED = ("data", "columns", "goals", "steps")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one step takes from the budget."""

    step: int
    what: str
    spend: Spend
    unit: Protected = Protected.ROW


def costs_of(recipe: RecipeJson) -> tuple[Cost, ...]:
    """The steps that take something; what is no step yet costs nothing, because it cannot run."""
    unit = protected_by(recipe)
    costs = (Cost(number, method.title, method.cost(), unit) for number, method in methods_of(recipe))
    return tuple(cost for cost in costs if cost.spend)


def protected_by(recipe: RecipeJson) -> Protected:
    """Whom the steps protect: persons where a column tells them apart, else rows."""
    columns = recipe.get("columns", {})
    persons = any(part.get("role") == Role.PERSON_KEY for part in columns.values())
    return Protected.PERSON if persons else Protected.ROW


def insist_on_answers(recipe: RecipeJson) -> None:
    """Raise what a step that costs something would refuse whatever the data: nothing gives its price back."""
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.tables.table import Field, Schema

    parsed = Recipe.parse(recipe)
    parsed.insist_on_kinds()
    schema = Schema(
        tuple(Field(name, part.kind or Kind.TEXT, part.role) for name, part in parsed.columns.items())
    )
    declared = parsed.declarations({})
    for number, step in enumerate(parsed.steps):
        if step.cost():
            try:
                step.check(schema)
                step.forecast(declared)
            except EngineError as error:
                raise error.at_step(number) from None


def price_of(release: Release) -> PriceFacts:
    """What a run of this draft takes, and from which purses; an answer that is stored costs nothing."""
    total = sum((cost.spend for cost in costs_of(release.recipe)), Spend())
    if not total or is_answered(release):
        return PriceFacts()
    return PriceFacts(total.epsilon_micro, total.delta_femto, funds_for(release.version))


def price_of_question(desk: Desk, question: Question, asker: User) -> PriceFacts:
    """What a question takes, from the asker's own allowance first."""
    spend = question.spend()
    own, *shared = funds_for(desk.version, asker)
    told = bool(may_see_purchases(desk.person(asker)))
    funds = (own, *(replace(one, named=one.named and told) for one in shared))
    return PriceFacts(spend.epsilon_micro, spend.delta_femto, funds)


def funds_of(project: Project, population: Population) -> tuple[FundFacts, ...]:
    """Every purse a purchase of this project about these people is paid from."""
    return _funds(project, population, population.charged_with)


def funds_for(version: Version, asker: User | None = None) -> tuple[FundFacts, ...]:
    """Every purse a run on these bytes is paid from, or a question of somebody: the own allowance first."""
    dataset = version.dataset
    shared = _funds(dataset.project, dataset.population, version.charged_populations)
    if asker is None:
        return shared
    own = {"allotment__project": dataset.project, "allotment__population": dataset.population}
    allowance = asker.allowances.filter(**own).first()
    return (_named(allowance, "your allowance"), *shared)


def _funds(project: Project, population: Population, charged: Iterable[Population]) -> tuple[FundFacts, ...]:
    allotment = population.allotments.filter(project=project).first()
    named = set(population.charged_with)
    shared = (_named(one, f"the population {one.name}") if one in named else _unnamed(one) for one in charged)
    return (_named(allotment, "the allotment of the project"), *shared)


def _named(purse: Purse | None, name: str) -> FundFacts:
    """A purse as the rules see one; one that was never given holds nothing."""
    if purse is None:
        return FundFacts(name)
    return FundFacts(name, purse.left_epsilon_micro, purse.left_delta_femto)


def _unnamed(purse: Purse) -> FundFacts:
    """That of people of whom it is known only here that they are the same: who has their data is not told."""
    return replace(_named(purse, SAME_DATA), named=False)


def is_answered(release: Release) -> bool:
    """Whether a run of this draft would repeat a stored answer."""
    reading, draft = release.version.current, recipe_of(release)
    compared = [one.current for one in populations_named(release.version, draft)]
    return reading is not None and answered(reading, compared, draft) is not None


def answered(reading: Reading, compared: Iterable[Reading | None], recipe: RecipeJson) -> Run | None:
    """The run that has the stored answer to the same steps on the same tables by the same engine."""
    from stewardapp.models.reading import Reading
    from stewardapp.models.run import Run

    tables = {one.table_sha256 for one in compared if one is not None}
    before = Run.objects.answers(reading).filter(engine_version=VERSION)
    for run in before.prefetch_related(Prefetch("compared", Reading.objects.select_related("table"))):
        same_people = {one.table_sha256 for one in run.compared.all()} == tables
        if same_people and same_question(run.recipe, recipe):
            return run
    return None


def same_question(one: RecipeJson, other: RecipeJson) -> bool:
    """Whether two recipes ask the same; measures are read afterwards and change no answer."""
    from worker.engine.recipes.recipe import Recipe

    try:
        asked, before = Recipe.parse(other), Recipe.parse(one)
    except EngineError:
        return False  # it cannot run, or could not run any more
    return all(getattr(asked, part) == getattr(before, part) for part in ASKED)
