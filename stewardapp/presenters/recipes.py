"""A recipe in sentences, and what changed between two recipes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from stewardapp.forms.recipe_form import NAMES, contract_of, listed_in, slug_of
from worker.engine.io import formats
from worker.engine.recipes.document import ColumnEntry, Entry, RecipeJson
from worker.engine.wording import thousands

ROLE_SENTENCES = (
    ("quasi-identifier", "Could identify somebody together, and are protected"),
    ("sensitive", "Sensitive"),
    ("other", "Kept as they are"),
    ("weight", "Survey weight"),
    ("person-key", "Tells which rows are one person; never released"),
    ("household-key", "Tells which rows are one household; never released"),
    ("consent", "Consent; rows without it never enter a run, and the column is never released"),
    ("direct-identifier", "Identify somebody directly; removed"),
    ("dropped", "Dropped"),
)


@dataclass(frozen=True)
class Sentences:
    """A recipe as a reviewer reads it."""

    goals: tuple[str, ...]
    steps: tuple[str, ...]
    measures: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    files: str


@dataclass(frozen=True)
class Change:
    """One line of a difference."""

    what: str
    before: str
    after: str


def sentences(recipe: RecipeJson, files_named: Mapping[str, str] | None = None) -> Sentences:
    """Goals, steps, measures and columns of a recipe in words; files by what people call them."""
    goals, steps, measures = (
        tuple(sentence(part, entry, files_named) for entry in listed_in(recipe, part))
        for part in ("goal", "step", "measure")
    )
    return Sentences(
        goals=goals,
        steps=steps,
        measures=measures,
        columns=tuple(columns_by_role(recipe.get("columns", {}))),
        files=files(recipe),
    )


def files(recipe: RecipeJson) -> str:
    """What is written."""
    return ", ".join(["CSV", "Parquet", *(formats.TOOLS[name] for name in recipe.get("formats", ()))])


def sentence(part: str, entry: Entry, files_named: Mapping[str, str] | None = None) -> str:
    """One goal, step or measure, in the engine's own words."""
    slug = slug_of(part, entry)
    contract: Any = contract_of(part, slug)
    if contract is None:
        return f"{slug}: not known to this installation."
    try:
        made = contract.model_validate(entry.get("params") or {})
        words = str(made.describe())
        for _, path in made.auxiliary_files():
            words = words.replace(path, (files_named or {}).get(path, "a file"))
        return words
    except ValidationError:
        return f"{contract.title}: not completely filled in."


def short(recipe: RecipeJson) -> str:
    """Goals and steps in one line: what differs from the defaults, nothing else."""
    parts = [("goal", entry) for entry in recipe.get("goals", ())]
    parts += [("step", entry) for entry in recipe.get("steps", ())]
    return " · ".join(brief(*part) for part in parts) or "no goal and no step"


def titles(recipe: RecipeJson) -> str:
    """Goals and steps by their titles alone: no parameter, which may be a value."""
    parts = [("goal", entry) for entry in recipe.get("goals", ())]
    parts += [("step", entry) for entry in recipe.get("steps", ())]
    return ", ".join(title_of(*part) for part in parts) or "none"


def title_of(part: str, entry: Entry) -> str:
    """What a goal or step is called."""
    contract: Any = contract_of(part, slug_of(part, entry))
    return str(contract.title) if contract else slug_of(part, entry)


def brief(part: str, entry: Entry) -> str:
    """The title of a goal or step and the parameters that are not the defaults."""
    contract: Any = contract_of(part, slug_of(part, entry))
    if contract is None:
        return slug_of(part, entry)
    given = entry.get("params") or {}
    told = [
        said(one.title, given[one.name])
        for one in contract.parameters()
        if given.get(one.name) not in (None, "", [], {}, one.default)
    ]
    return f"{contract.title} ({', '.join(told)})" if told else str(contract.title)


def said(title: str, value: Any) -> str:
    """A parameter and its value in a few words."""
    if isinstance(value, bool):
        return title.lower() if value else f"not: {title.lower()}"
    if isinstance(value, (Mapping, list, tuple)):
        return f"{title.lower()} set"
    return f"{title if len(title) == 1 else title.lower()} {value}"


def columns_by_role(columns: Mapping[str, ColumnEntry]) -> Iterable[tuple[str, str]]:
    """Which columns have which role."""
    for role, words in ROLE_SENTENCES:
        names = [name for name, column in columns.items() if column.get("role") == role]
        if names:
            yield words, ", ".join(names)
    unknown = [f"{name} ({one['why']})" for name, one in columns.items() if one.get("known") == "no"]
    if unknown:
        yield "Kept, and said to be unknown to others", "; ".join(unknown)


def changes(before: RecipeJson, after: RecipeJson) -> list[Change]:
    """What differs between two recipes, line by line."""
    old, new = dict(flat(before)), dict(flat(after))
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    return [Change(name, old.get(name, "–"), new.get(name, "–")) for name in names]


def flat(recipe: RecipeJson) -> Iterable[tuple[str, str]]:
    """A recipe as named lines: what is compared."""
    for part in NAMES:
        for number, entry in enumerate(listed_in(recipe, part), start=1):
            yield f"{part.capitalize()} {number}", sentence(part, entry)
    for name, column in recipe.get("columns", {}).items():
        yield f"Column {name}: role", str(column.get("role", "dropped"))
        yield f"Column {name}: known to others", known(column)
        yield f"Column {name}: kind", str(column.get("kind", "–"))
        yield f"Column {name}: hierarchy", hierarchy_words(column.get("hierarchy"))
    yield "Files", files(recipe)


def known(column: ColumnEntry) -> str:
    """Whether others could know a column that leaves, with the reason why not."""
    return f"no, {column.get('why', '')}" if column.get("known") == "no" else "yes"


def hierarchy_words(hierarchy: Any) -> str:
    """A hierarchy without its values."""
    if hierarchy is None:
        return "none"
    if isinstance(hierarchy, Mapping):
        settings = ", ".join(f"{key} {value}" for key, value in hierarchy.items() if plain(key, value))
        return settings or "builder"
    return f"table of {thousands(len(hierarchy))} lines" if isinstance(hierarchy, list) else "file"


def plain(key: str, value: Any) -> bool:
    """Whether a setting of a builder is no data value."""
    return key in ("builder", "side", "width", "fan_out", "levels", "pad") and not isinstance(value, Mapping)
