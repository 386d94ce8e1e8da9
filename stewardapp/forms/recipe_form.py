"""The goals and steps of a recipe as a list of small forms that can be added to, shortened and reordered.

Every item travels with a key of its own, so that its fields keep their names wherever it moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict
from django.utils.crypto import get_random_string
from pydantic import BaseModel

from stewardapp.forms.method_form import ParameterForm, bound_form, filled_form, form_class
from stewardapp.forms.parameter_fields import ColumnChoice
from worker.engine import catalogue
from worker.engine.io import formats
from worker.engine.method import Forecast, Guarantee, Method, Preset
from worker.engine.sent_text import whole_number

ITEM, FORMATS = "item", "formats"
MAXIMUM_ITEMS = 60
PARTS: dict[str, Callable[[], Mapping[str, type[BaseModel]]]] = {
    "goal": catalogue.goals,
    "step": catalogue.methods,
}
NAMES = {"goal": "goal", "step": "method"}
LISTS = {"goal": "goals", "step": "steps"}
Columns = Sequence[ColumnChoice]


@dataclass
class Item:
    """One goal or step: its form, or none when this installation does not know its name."""

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
        return self.form is not None and self.form.is_valid()

    def as_recipe(self) -> dict[str, Any]:
        """The item as it stands in a recipe."""
        if self.form is None:
            raise ValueError("the item is not known")
        return {NAMES[self.part]: self.slug, "params": self.form.as_params()}

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
    """All items of a recipe, goals and steps each in their order."""

    columns: Columns
    items: list[Item] = field(default_factory=list)
    formats: tuple[str, ...] = ()
    failure: str = ""
    failed_format: str = ""
    workbook_too_small: bool = False

    @classmethod
    def stored(cls, recipe: Mapping[str, Any], columns: Columns) -> RecipeForm:
        """The items of a stored recipe."""
        form = cls(columns, formats=tuple(recipe.get("formats", ())))
        for part in PARTS:
            for entry in recipe.get(LISTS[part], ()):
                form.items.append(stored_item(part, entry, columns))
        return form.numbered()

    @classmethod
    def sent(cls, data: QueryDict, columns: Columns) -> RecipeForm:
        """The items somebody sent, in the order they were sent."""
        tokens = [token.split(":", 2) for token in data.getlist(ITEM)[:MAXIMUM_ITEMS]]
        known = [token for token in tokens if len(token) == 3 and token[0] in PARTS and token[1].isalnum()]
        items = [sent_item(part, key, slug, data, columns) for part, key, slug in known]
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

    def is_valid(self) -> bool:
        """Whether every item is right; all are asked, so that all errors show at once."""
        judged = [item.is_valid() for item in self.items]
        return all(judged)

    def as_recipe(self) -> dict[str, Any]:
        """The goals and steps as a recipe holds them."""
        asked = {"formats": list(self.formats)} if self.formats else {}
        return asked | {
            "goals": [item.as_recipe() for item in self.goals],
            "steps": [item.as_recipe() for item in self.steps],
        }

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
        """Count goals and steps from one."""
        for items in (self.goals, self.steps):
            for number, item in enumerate(items, start=1):
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


def stored_item(part: str, entry: Mapping[str, Any], columns: Columns) -> Item:
    """An item of a stored recipe."""
    slug, key = str(entry.get(NAMES[part], "")), new_key()
    contract = contract_of(part, slug)
    form = filled_form(contract, columns, entry.get("params") or {}, key) if contract else None
    return Item(part, slug, key, form)


def sent_item(part: str, key: str, slug: str, data: QueryDict, columns: Columns) -> Item:
    """An item somebody sent."""
    contract = contract_of(part, slug)
    return Item(part, slug, key, bound_form(contract, columns, data, key) if contract else None)


def unjudged(item: Item, columns: Columns) -> Item:
    """The item with the values as they were typed, without errors."""
    if item.form is None or item.contract is None:
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
