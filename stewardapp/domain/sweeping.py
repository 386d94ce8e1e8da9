"""Which parameters of a draft can be varied, and the drafts that a grid of their values makes.

Numbers and choices of goals and steps: measures change no released byte, and columns are chosen, not tried.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypedDict, cast

from stewardapp.access.verdict import Invalid
from worker.engine import catalogue
from worker.engine.contracts.parameters import NUMBERS, Parameter, Params
from worker.engine.contracts.parametric import Parametric
from worker.engine.recipes.document import Entry, RecipeJson

MOST_PARAMETERS, MOST_RUNS = 3, 50
Value = int | float | str
"""What a recipe says of a number or a choice."""
PARTS: Mapping[str, tuple[str, Callable[[], Mapping[str, type[Parametric]]]]] = {
    "goals": ("goal", catalogue.goals),
    "steps": ("method", catalogue.methods),
}


class KeptVaried(TypedDict):
    """A parameter and its values as a sweep keeps them."""

    part: str
    number: int
    param: str
    values: Sequence[Value]


@dataclass(frozen=True)
class Varied:
    """A parameter of a goal or step, by the number of its part in the recipe, and the values to try."""

    part: str
    number: int
    param: str
    values: tuple[Value, ...]

    @classmethod
    def of(cls, kept: KeptVaried) -> Varied:
        """As a sweep keeps it."""
        return cls(kept["part"], kept["number"], kept["param"], tuple(kept["values"]))

    def as_json(self) -> KeptVaried:
        """To be kept."""
        kept = {"part": self.part, "number": self.number, "param": self.param}
        return cast(KeptVaried, {**kept, "values": list(self.values)})

    def found_in(self, recipe: RecipeJson) -> Value | None:
        """Which of its values a recipe has; none in a recipe whose values are gone with the data."""
        parts = _entries(recipe, self.part)
        entry = parts[self.number] if self.number < len(parts) else {}
        return cast("Value | None", (entry.get("params") or {}).get(self.param))


@dataclass(frozen=True)
class Dial:
    """A parameter of a draft that can be varied, with what the draft says of its goal or step now."""

    part: str
    number: int
    contract: type[Parametric]
    parameter: Parameter
    params: Params

    @property
    def key(self) -> str:
        """What forms call it."""
        return f"{self.part}-{self.number}-{self.parameter.name}"

    @property
    def now(self) -> Value | None:
        """The value of the draft, or the default."""
        return cast("Value | None", self.params.get(self.parameter.name, self.parameter.default))

    def spelled(self, value: object) -> Value:
        """A value as recipes say it; Invalid with the engine's complaint."""
        params = {**self.params, self.parameter.name: value}
        for problem in self.contract.problems(params):
            raise Invalid("bad-parameter", problem.message, self.key)
        return cast(Value, self.contract.of(params).params()[self.parameter.name])


def dials(draft: RecipeJson) -> Iterator[Dial]:
    """Every number and choice of its goals and steps."""
    for part, (name, known) in PARTS.items():
        for number, entry in enumerate(_entries(draft, part)):
            contract = known().get(str(entry.get(name, "")))
            for parameter in contract.parameters() if contract else ():
                if contract and parameter.type in (*NUMBERS, "choice"):
                    yield Dial(part, number, contract, parameter, entry.get("params") or {})


def dial_of(draft: RecipeJson, varied: Varied) -> Dial:
    """The parameter that is varied, or Invalid: the draft may be another one by now."""
    wanted = (varied.part, varied.number, varied.param)
    for dial in dials(draft):
        if (dial.part, dial.number, dial.parameter.name) == wanted:
            return dial
    raise Invalid("no-parameter", "The recipe has no such number or choice any more; look at it again.")


def spelled(draft: RecipeJson, varied: Sequence[Varied]) -> list[Varied]:
    """The grid as it is kept, each value once and as recipes say it; Invalid at what is wrong."""
    found: dict[str, Varied] = {}
    for one in varied:
        dial = dial_of(draft, one)
        if dial.key in found:
            raise Invalid("twice", "Name every parameter once.", dial.key)
        values = tuple(dict.fromkeys(map(dial.spelled, one.values)))
        if not values:
            raise Invalid("no-values", "Give at least one value.", dial.key)
        found[dial.key] = Varied(one.part, one.number, one.param, values)
    insist_on_size(list(found.values()))
    return list(found.values())


def insist_on_size(varied: Sequence[Varied]) -> int:
    """How many runs it makes; Invalid when there is nothing to compare, or too much."""
    if not 1 <= len(varied) <= MOST_PARAMETERS:
        raise Invalid("parameters", f"Vary between one and {MOST_PARAMETERS} parameters.")
    runs = math.prod(len(one.values) for one in varied)
    if not 2 <= runs <= MOST_RUNS:
        raise Invalid("runs", f"These values make {runs} runs; a sweep has between 2 and {MOST_RUNS}.")
    return runs


def grid(draft: RecipeJson, varied: Sequence[Varied]) -> Iterator[RecipeJson]:
    """A draft for every combination of values, the last parameter changing first."""
    for values in product(*(one.values for one in varied)):
        made = copy.deepcopy(draft)
        for one, value in zip(varied, values, strict=True):
            entry = _entries(made, one.part)[one.number]
            entry["params"] = {**(entry.get("params") or {}), one.param: value}
        yield made


PLACE = re.compile(r"(\w+)\[(\d+)\]\.params\.(\w+)")


def key_at(place: str) -> str:
    """What forms call the parameter at a place of a recipe; of any other place nothing."""
    found = PLACE.match(place)
    return "-".join(found.groups()) if found else ""


def _entries(recipe: RecipeJson, part: str) -> Sequence[Entry]:
    return cast("Mapping[str, Sequence[Entry]]", recipe).get(part, ())
