"""The goals, steps and measures of a recipe as small forms that can be added to, shortened and reordered.

Every item travels with a key of its own, so that its fields keep their names wherever it moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from django.http import QueryDict
from django.urls import reverse
from django.utils.crypto import get_random_string
from pydantic import BaseModel

from stewardapp.forms.method_form import ParameterForm, bound_form, filled_form, form_class
from stewardapp.forms.parameter_fields import ColumnChoice
from worker.engine import catalogue
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.method import Forecast, Guarantee, Method, Preset
from worker.engine.contracts.parameters import Params
from worker.engine.contracts.parametric import Parametric
from worker.engine.io import formats
from worker.engine.io.sent_text import whole_number
from worker.engine.recipes.document import ALL, Entry, RecipeJson

ITEM, FORMATS, MEASURES = "item", "formats", "measures"
MAXIMUM_ITEMS = 60


class Everything(Parametric):
    """Every measure that costs little and needs nothing filled in, also those that are added later."""

    slug = ALL
    title = "The usual measures"

    @classmethod
    def measures(cls) -> Sequence[Measure]:
        """What it stands for today."""
        return catalogue.usual_measures()


def measures() -> Mapping[str, type[BaseModel]]:
    """What can be measured, and all of it at once."""
    return {ALL: Everything, **catalogue.measures()}


PARTS: dict[str, Callable[[], Mapping[str, type[BaseModel]]]] = {
    "goal": catalogue.goals,
    "step": catalogue.methods,
    "measure": measures,
}
NAMES = {"goal": "goal", "step": "method", "measure": "measure"}
PAGES = {"goal": "goals", "step": "methods", "measure": "measures"}
LISTS = {"goal": "goals", "step": "steps", "measure": "measures"}
UNSAID: Mapping[str, Sequence[Any]] = {"measure": (ALL,)}
"""What a recipe means that does not speak of a part."""
Columns = Sequence[ColumnChoice]


@dataclass(frozen=True)
class Cost:
    """What an instance of a measure will take, in words; `refused` when it would not be begun."""

    words: str
    refused: str = ""
    title: str = ""


@dataclass
class Item:
    """One goal, step or measure: its form, or none when this installation does not know its name."""

    part: str
    slug: str
    key: str
    form: ParameterForm | None
    number: int = 0
    fresh: bool = False
    failure: str = ""
    failed_param: str = ""
    failed_column: str = ""
    """The address of the settings of a column that the failure is about."""
    preview_column: str = ""
    preview: Any = None
    preview_shown: Mapping[str, Any] = field(default_factory=dict)
    foresees: bool = False
    forecast: tuple[Forecast, ...] = ()
    most_cells: int = 0
    too_large: bool = False
    costs: Sequence[Cost] = ()
    kept: Entry | str | None = None
    """The entry of the saved recipe, where nobody sent it."""

    @property
    def token(self) -> str:
        """What the hidden input of the item says."""
        return f"{self.part}:{self.key}:{self.slug}"

    @property
    def contract(self) -> Any:
        """The engine's class, for its title and its words."""
        return contract_of(self.part, self.slug)

    @property
    def title(self) -> str:
        """The name people know it by."""
        return str(self.contract.title) if self.contract else self.slug

    @property
    def summary(self) -> str:
        """One line about it."""
        return str(self.contract.in_short()) if self.contract else ""

    @property
    def page(self) -> str:
        """The address of its documentation; what stands for several has none of its own."""
        known = self.contract is not None and self.contract is not Everything
        return reverse("method-detail", args=[PAGES[self.part], self.slug]) if known else ""

    @property
    def enforces(self) -> bool:
        """Whether it looks at the goals."""
        return bool(self.part == "step" and self.contract and self.contract.enforces)

    @property
    def presets(self) -> Sequence[Preset]:
        """Ready-made parameters of its kind, with their effect in plain words."""
        offered: Sequence[Preset] = self.contract.presets() if self.part == "step" and self.contract else ()
        return offered

    @property
    def failed_field(self) -> str:
        """The id of the field that a failed run complained about."""
        if self.form is None or self.failed_param not in self.form.fields:
            return ""
        return self.form[self.failed_param].id_for_label

    def is_valid(self) -> bool:
        """Whether the engine accepts the parameters."""
        return self.kept is not None or (self.form is not None and self.form.is_valid())

    def as_recipe(self) -> Entry:
        """The item as it stands in a recipe."""
        if self.form is None:
            raise ValueError("the item is not known")
        return named(self.part, self.slug, params=self.form.as_params())

    def as_part(self) -> Entry | str:
        """The same; what stands for all measures has no parameters, and what nobody sent stays as it was."""
        if self.kept is not None:
            return self.kept
        return self.slug if self.slug == ALL else self.as_recipe()

    def object(self, columns: Columns) -> Any:
        """What the values on the page describe, without marking any field; None when they are wrong."""
        if self.form is None:
            return None
        values = ((one.html_name, one.value()) for one in self.form)
        sent = {name: value for name, value in values if value is not None and value is not False}
        judged = bound_form(self.form.contract, columns, sent, self.key)
        return judged.parameters if judged.is_valid() else None


@dataclass
class RecipeForm:
    """All items of a recipe: goals, steps and measures each in their order."""

    columns: Columns
    items: list[Item] = field(default_factory=list)
    formats: tuple[str, ...] = ()
    failure: str = ""
    failed_format: str = ""
    workbook_too_small: bool = False

    @classmethod
    def stored(cls, recipe: RecipeJson, columns: Columns) -> RecipeForm:
        """The items of a stored recipe."""
        form = cls(columns, formats=tuple(recipe.get("formats", ())))
        for part in PARTS:
            form.items += stored_items(part, recipe, columns)
        return form.numbered()

    @classmethod
    def sent(cls, data: QueryDict, columns: Columns, saved: RecipeJson) -> RecipeForm:
        """The items somebody sent, in the order they were sent.

        Whoever sends goals and steps and says nothing of measures keeps those of the saved recipe.
        """
        tokens = [token.split(":", 2) for token in data.getlist(ITEM)[:MAXIMUM_ITEMS]]
        known = [token for token in tokens if len(token) == 3 and token[0] in PARTS and token[1].isalnum()]
        items = [sent_item(part, key, slug, data, columns) for part, key, slug in known]
        if MEASURES not in data:
            items = [one for one in items if one.part != "measure"] + kept_items("measure", saved, columns)
        asked = tuple(name for name in formats.FURTHER if name in data.getlist(FORMATS))
        return cls(columns, items, asked).numbered()

    @property
    def offered_formats(self) -> list[tuple[str, str, bool]]:
        """What a release can be written as besides CSV and Parquet, and whether it is asked for."""
        return [(name, f"{formats.TOOLS[name]} (.{name})", name in self.formats) for name in formats.FURTHER]

    @property
    def goals(self) -> list[Item]:
        """What must hold."""
        return [item for item in self.items if item.part == "goal"]

    @property
    def promises_by_noise(self) -> bool:
        """Whether a step keeps a promise that needs no goal."""
        promises = (getattr(item.contract, "guarantee", None) for item in self.steps)
        return Guarantee.DIFFERENTIAL_PRIVACY in promises

    @property
    def steps(self) -> list[Item]:
        """What is done, in this order."""
        return [item for item in self.items if item.part == "step"]

    @property
    def measures(self) -> list[Item]:
        """What is measured, in the order of the results."""
        return [item for item in self.items if item.part == "measure"]

    def part(self, listed: str) -> list[Item]:
        """The items that a recipe lists under this name."""
        return [item for item in self.items if LISTS[item.part] == listed]

    def is_valid(self) -> bool:
        """Whether every item is right; all are asked, so that all errors show at once."""
        judged = [item.is_valid() for item in self.items]
        return all(judged)

    def as_recipe(self) -> RecipeJson:
        """The goals, steps and measures as a recipe holds them."""
        asked = {"formats": list(self.formats)} if self.formats else {}
        parts = {listed: [item.as_part() for item in self.part(listed)] for listed in LISTS.values()}
        return cast(RecipeJson, {**asked, **parts})

    def place_of(self, name: str) -> tuple[int, str]:
        """The number of the step that an input belongs to, and the parameter; 0 when there is none."""
        key, _, param = name.partition("-")
        return next((item.number for item in self.steps if item.key == key), 0), param or "none"

    def rearranged(self, command: str) -> RecipeForm:
        """The same values, unjudged, after `add:goal:<slug>`, `remove:<key>`, `up:<key>`, `down:<key>`
        or `fill:<key>:<number of a preset>`."""
        verb, _, rest = command.partition(":")
        items = [unjudged(item, self.columns) for item in self.items]
        if verb == "add":
            items += added(rest, self.columns)
        else:
            items = MOVES.get(verb, unmoved)(items, rest)
            for item in items:
                item.fresh = item.key == rest.partition(":")[0]
        return replace(self, items=items).numbered()

    def judging(self, judged: Sequence[Item]) -> RecipeForm:
        """The same values; only these items say what is wrong with them."""
        items = [item if item in judged else unjudged(item, self.columns) for item in self.items]
        return replace(self, items=items).numbered()

    def numbered(self) -> RecipeForm:
        """Count goals, steps and measures from one."""
        for listed in LISTS.values():
            for number, item in enumerate(self.part(listed), start=1):
                item.number = number
        return self


def foresees(contract: Any) -> bool:
    """Whether a method tells figures before it is run."""
    return issubclass(contract, Method) and contract.forecast is not Method.forecast


def contract_of(part: str, slug: str) -> type[BaseModel] | None:
    """The engine's class of that name."""
    return PARTS[part]().get(slug)


def new_key() -> str:
    """A name for an item that nothing else on the page has."""
    return get_random_string(6, "abcdefghijkmnpqrstuvwxyz23456789")


def listed_in(recipe: RecipeJson, part: str) -> list[Entry]:
    """The entries of a recipe, each with its name and its parameters, also where a recipe names it alone."""
    return [named(part, one) if isinstance(one, str) else one for one in said_in(recipe, part)]


def said_in(recipe: RecipeJson, part: str) -> Sequence[Entry | str]:
    """The same as the recipe says it: some by their names alone."""
    found: Sequence[Entry | str] = cast(Params, recipe).get(LISTS[part], UNSAID.get(part, ()))
    return found


def named(part: str, slug: str, **told: Params) -> Entry:
    """An entry of a recipe."""
    return cast(Entry, {NAMES[part]: slug, **told})


def slug_of(part: str, entry: Entry) -> str:
    """What an entry names."""
    return str(cast(Params, entry).get(NAMES[part], ""))


def stored_items(part: str, recipe: RecipeJson, columns: Columns) -> list[Item]:
    """The items of a stored recipe."""
    return [stored_item(part, entry, columns) for entry in listed_in(recipe, part)]


def kept_items(part: str, recipe: RecipeJson, columns: Columns) -> list[Item]:
    """The same, to be saved as they are."""
    items = stored_items(part, recipe, columns)
    for item, entry in zip(items, said_in(recipe, part), strict=True):
        item.kept = entry
    return items


def stored_item(part: str, entry: Entry, columns: Columns) -> Item:
    """An item of a stored recipe."""
    slug, key = slug_of(part, entry), new_key()
    contract = contract_of(part, slug)
    form = filled_form(contract, columns, entry.get("params") or {}, key) if contract else None
    return Item(part, slug, key, form)


def sent_item(part: str, key: str, slug: str, data: QueryDict, columns: Columns) -> Item:
    """An item somebody sent."""
    contract = contract_of(part, slug)
    return Item(part, slug, key, bound_form(contract, columns, data, key) if contract else None)


def unjudged(item: Item, columns: Columns) -> Item:
    """The item with the values as they were typed, without errors."""
    if item.form is None or item.contract is None or item.kept is not None:
        return item
    blank = form_class(item.contract, columns)(prefix=item.key)
    blank.initial = {bound.name: bound.data for bound in item.form}
    return Item(item.part, item.slug, item.key, blank)


def added(wanted: str, columns: Columns) -> list[Item]:
    """A new item with the defaults of its kind."""
    part, _, slug = wanted.partition(":")
    contract = contract_of(part, slug) if part in PARTS else None
    key = new_key()
    return [Item(part, slug, key, form_class(contract, columns)(prefix=key), fresh=True)] if contract else []


def removed(items: list[Item], key: str) -> list[Item]:
    """The items without one."""
    return [item for item in items if item.key != key]


def moved_up(items: list[Item], key: str) -> list[Item]:
    """The items with one exchanged with the nearest of its part before it."""
    places = {item.key: place for place, item in enumerate(items)}
    here = places.get(key)
    if here is None:
        return items
    before = [place for place in range(here) if items[place].part == items[here].part]
    if before:
        items[here], items[before[-1]] = items[before[-1]], items[here]
    return items


def moved_down(items: list[Item], key: str) -> list[Item]:
    """The items with one exchanged with the nearest of its part after it."""
    return moved_up(items[::-1], key)[::-1]


def filled_in(items: list[Item], rest: str) -> list[Item]:
    """The items with the parameters of a preset in one; what the preset does not name stays as it was."""
    key, _, typed = rest.partition(":")
    number = whole_number(typed)
    for item in items:
        chosen = item.presets[number:][:1] if item.key == key and number is not None else ()
        if chosen and item.form is not None:
            fields, params = item.form.fields, chosen[0].params
            fresh = {name: fields[name].prepare_value(value) for name, value in params.items()}
            item.form.initial = {**item.form.initial, **fresh}
    return items


def unmoved(items: list[Item], key: str) -> list[Item]:  # noqa: ARG001 - one of the moves
    """The items as they are."""
    return items


MOVES: dict[str, Callable[[list[Item], str], list[Item]]] = {
    "remove": removed,
    "up": moved_up,
    "down": moved_down,
    "fill": filled_in,
}
