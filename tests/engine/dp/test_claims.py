"""The constants on the pages of docs/claims are those of the code."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from worker.engine.dp.accuracy import gaussian_noise, laplace_noise, threshold_for
from worker.engine.dp.cells import Cells
from worker.engine.dp.counting import bounded_counts
from worker.engine.dp.deriving import SHARE_UNITS, derived
from worker.engine.dp.questions import Question
from worker.engine.dp.tree_model import Prices
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Table

PAGES = Path(__file__).resolve().parents[3] / "docs" / "claims"
SAID = {
    "age": Declaration(bounds=(0, 100), bin_width=1, kind=Kind.INTEGER),
    "group": Declaration(categories=("one", "two")),
}


def constants(page):
    """The block of constants of one page."""
    [block] = re.findall(r"```json\n(.*?)```", (PAGES / f"{page}.md").read_text(), re.DOTALL)
    found = json.loads(block)
    assert found["neighbours"] == "add-remove"
    return found


def test_every_page_is_listed_and_has_constants():
    pages = {path.stem for path in PAGES.glob("*.md")} - {"README"}
    listed = set(re.findall(r"\]\((\w+)\.md\)", (PAGES / "README.md").read_text()))
    assert pages == listed
    assert all(constants(page) for page in pages)


def test_bounding():
    said = constants("bounding")["bound"]
    rows = said["rows_of_one_person"]
    table = Table([Column.of_texts("who", ["p"] * rows), Column.of_texts("cell", ["a"] * rows)])
    found = bounded_counts([table], [Cells("cell", ("a",))], "who", bytes(32), said["rows_per_person"], False)
    assert found.cells.tolist() == [said["counted"]]


@pytest.mark.parametrize("case", constants("laplace")["cases"], ids=str)
def test_laplace(case):
    noise = laplace_noise(case["rows"] * case["tables"], Decimal(case["epsilon"]))
    assert noise.sensitivity == case["sensitivity"]
    assert noise.scale == pytest.approx(case["scale"])
    assert (noise.error(), noise.error(case["cells"])) == (case["error95"], case["error95_all"])


@pytest.mark.parametrize("case", constants("gaussian")["cases"], ids=str)
def test_gaussian(case):
    squared = case["tables"] * case["rows"] ** 2
    noise = gaussian_noise(squared, Decimal(case["epsilon"]), Decimal(case["delta"]))
    assert squared == case["squared_sensitivity"]
    assert noise.scale == pytest.approx(case["scale"], abs=1e-4)
    assert noise.error() == case["error95"]


@pytest.mark.parametrize("case", constants("threshold")["cases"], ids=str)
def test_threshold(case):
    scale = laplace_noise(case["rows"], Decimal(case["epsilon"])).scale
    assert threshold_for(scale, case["rows"], Decimal(case["delta"])) == case["threshold"]


@pytest.mark.parametrize("ask", ["sum", "mean", "variance"])
def test_sums(ask):
    said = constants("sums")
    asked = Question(ask=ask, column="age", rows_per_person=said["rows"], epsilon=Decimal(said["epsilon"]))
    declared = {"age": Declaration(bounds=tuple(said["bounds"]), kind=Kind(said["kind"]))}
    found = {
        part.what: [part.sensitivity, str(part.epsilon.normalize())]
        for part in derived(asked, declared).parts
    }
    assert found == said["parts"][ask]


@pytest.mark.parametrize("case", constants("selection")["cases"], ids=str)
def test_selection(case):
    by = ("group",) if case["groups"] == 2 else ()
    asked = Question(ask=case["ask"], column="age", by=by, rows_per_person=case["rows"], epsilon=Decimal(1))
    parts = derived(asked, SAID).parts
    part = parts[0]
    assert constants("selection")["share_units"] == SHARE_UNITS
    assert part.sensitivity == case["sensitivity"]
    assert [one.epsilon for one in parts] == [Decimal(one) for one in case["epsilon_parts"]]
    assert part.selection_scale == case["factor"] * case["sensitivity"] / float(part.epsilon)


def test_tree():
    said = constants("tree")
    prices = Prices(said["columns"], said["rows"], int(Decimal(said["epsilon"]) * 1_000_000))
    for noise, told in ((prices.alone, said["columns_part"]), (prices.pairs, said["pairs"])):
        assert (noise.sensitivity, noise.epsilon) == (told["sensitivity"], Decimal(told["epsilon"]))
    edge, told = prices.edge, said["choice"]
    assert (edge.sensitivity, edge.epsilon) == (told["sensitivity"], Decimal(told["epsilon"]))
    assert edge.selection_scale == told["factor"] * edge.sensitivity / float(edge.epsilon)
