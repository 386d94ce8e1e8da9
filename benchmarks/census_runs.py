"""What a person gets who anonymizes census microdata: whole commands, from file to file, cold and warm.

Beside them, what the same machine needs for something nobody can do without: reading the file, counting the
groups once and writing the rows back with pandas, and loading the libraries. All in seconds of the processor,
because other work on the machine takes longer than a run. Where ARX's jar is named, it makes the same runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.adult import NAMES, Census, adult
from benchmarks.arx import Arx
from benchmarks.table import Result
from benchmarks.timing import beside, processor
from worker.__main__ import main
from worker.engine.execution.dataset import Dataset
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.io.source import open_table
from worker.engine.methods.generalization import Generalization
from worker.engine.randomness import Source, fresh_key
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.statistics import Statistics

if TYPE_CHECKING:
    from benchmarks.suite import Setting

LIMITS = (0.0, 0.02, 0.05)
COUNT = "pandas: groupby size once"
IMPORTS = "python: import numpy, pyarrow"
BACK = "pandas: read, count the groups, write back"
WARM_BOUND, COLD_BOUND, SEARCH_BOUND = 0.5, 4.0, 1.0
BEATEN = {0.0: (1 / 1.5, 1 / 2)}
"""What ours may take of ARX's seconds, warm and cold; the next line where a limit is not named."""
BEATEN_ELSE = (1 / 10, 1 / 3)
ROUNDS = 15


def census_runs(setting: Setting) -> list[Result]:
    """Nine quasi-identifiers, k = 5 by loss."""
    census, folder = adult(setting.data), setting.folder / "census"
    folder.mkdir(exist_ok=True)
    _written(census, folder)
    repeat = max(setting.repeat, ROUNDS)
    count, back = processor(repeat, _count(census)), processor(5, _back(folder))
    arx = _ready(setting, folder)
    found = []
    for limit in LIMITS:
        recipe, name = _recipe(folder, limit), f"census, suppression limit {limit:g}"
        for more in ((), ("--report", folder / "report.json")):
            run = ("anonymize", recipe, folder / "adult.csv", "--out", folder / "out.csv", *more)
            what = f"{name}, with report" if more else name
            warm = processor(repeat, _in_process(run))
            cold, bare = beside(5, ("-m", "worker", *run), ("-c", "import numpy, pyarrow"))
            found.append(Result(f"warm run, {what}", warm, back, BACK, WARM_BOUND))
            found.append(Result(f"cold command, {what}", cold.processor, bare.processor, IMPORTS, COLD_BOUND))
            if arx is not None and not more:
                found.extend(_beside_arx(arx, limit, name, warm, cold.processor))
        planned = processor(repeat, _planning(folder, recipe, limit))
        found.append(Result(f"count and search, {name}", planned, count, COUNT, SEARCH_BOUND))
    return found


def _ready(setting: Setting, folder: Path) -> Arx | None:
    """ARX, when its jar was named."""
    if setting.arx is None:
        return None
    arx = Arx(setting.arx, folder, NAMES)
    arx.compiled()
    return arx


def _beside_arx(arx: Arx, limit: float, what: str, warm: float, cold: float) -> list[Result]:
    """Our seconds beside ARX's, the same files and the same limit."""
    bounds = BEATEN.get(limit, BEATEN_ELSE)
    return [
        Result(f"warm run, {what}, ARX", warm, arx.warm(limit, ROUNDS).processor, "ARX, warm", bounds[0]),
        Result(f"cold command, {what}, ARX", cold, arx.cold(limit, 3).processor, "ARX, cold", bounds[1]),
    ]


def _in_process(run: Sequence[object]) -> Callable[[], object]:
    """The command where everything is loaded already."""
    return lambda: main([*map(str, run)])


def _written(census: Census, folder: Path) -> None:
    """The rows and the hierarchies as files."""
    lines = [";".join(row) for row in zip(*(census.columns[name] for name in NAMES), strict=True)]
    (folder / "adult.csv").write_text("\n".join([";".join(NAMES), *lines, ""]), encoding="utf-8")
    for name in NAMES:
        text = "\n".join([*census.hierarchies[name], ""])
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def _recipe(folder: Path, limit: float) -> Path:
    path = folder / f"recipe-{limit:g}.json"
    columns = {name: {"role": "quasi-identifier", "hierarchy": f"{name}.csv"} for name in NAMES}
    step = {"method": "generalization", "params": {"suppression_limit": limit}}
    parts: dict[str, Any] = {"goals": [{"goal": "k-anonymity", "params": {"k": 5}}], "steps": [step]}
    path.write_text(json.dumps({"version": 1, "columns": columns, "measures": ["*"], **parts}))
    return path


def _count(census: Census) -> Callable[[], object]:
    """The groups, counted once: the texts lie in memory."""
    import pandas as pd

    frame = pd.DataFrame({name: list(census.columns[name]) for name in NAMES})
    return lambda: frame.groupby(list(NAMES)).size()


def _back(folder: Path) -> Callable[[], object]:
    """The whole way from file to file, without anonymizing anything."""
    import pandas as pd

    def work() -> None:
        frame = pd.read_csv(folder / "adult.csv", sep=";", dtype=str)
        frame.groupby(list(NAMES)).size()
        frame.to_csv(folder / "back.csv", sep=";", index=False)

    return work


def _planning(folder: Path, path: Path, limit: float) -> Callable[[], object]:
    """Everything between the rows in memory and the decision: count, lay out, search, decide."""
    recipe = Recipe.parse(path.read_bytes())
    texts = {name: (folder / name).read_text("utf-8") for name in recipe.hierarchy_paths()}
    declared = recipe.declarations(texts)
    with (folder / "adult.csv").open("rb") as file:
        rows = Dataset(open_table(file), recipe.columns, declared)
    step, goals = Generalization(suppression_limit=limit), (KAnonymity(k=5),)

    def plan() -> object:
        statistics = Statistics(rows, declared, NullReporter())
        return step.plan(statistics, goals, Source(fresh_key()), NullReporter())

    return plan
