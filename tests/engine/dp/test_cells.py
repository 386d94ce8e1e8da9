"""Cells come from declarations alone."""

from decimal import Decimal

import numpy as np
import pytest

from worker.engine.dp.cells import Choice, Grid, require_cells
from worker.engine.dp.levels import levels_over
from worker.engine.errors import EngineError
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn


def bins(bounds, width, *, kind=None, nearest=False, missing=False):
    return require_cells(
        "x", Declaration(bounds=bounds, bin_width=width, kind=kind), Choice(nearest, missing)
    )


def where(cells, *numbers):
    """The labels the numbers fall into, as texts and as numbers."""
    texts = Column.of_texts("x", [str(n) for n in numbers], Kind.DECIMAL)
    values = NumberColumn("x", Kind.DECIMAL, np.array([np.nan if n == "" else float(n) for n in numbers]))
    labels = [*cells.labels, None]
    found = [[labels[code] for code in cells.codes(column)] for column in (texts, values)]
    assert found[0] == found[1]
    return found[0]


def test_bins_are_half_open_and_the_last_holds_its_end():
    cells = bins((0, 25), 10)
    assert cells.labels == ("[0, 10[", "[10, 20[", "[20, 25]")
    assert where(cells, 0, 9.99, 10, 20, 25, 25.1, -1, "") == [
        "[0, 10[", "[0, 10[", "[10, 20[", "[20, 25]", "[20, 25]", None, None, None,
    ]  # fmt: skip


def test_decimal_edges_are_exact():
    cells = bins((Decimal("0"), Decimal("1")), Decimal("0.1"))
    assert len(cells) == 10
    assert where(cells, "0.3", "0.7", "0.6") == ["[0.3, 0.4[", "[0.7, 0.8[", "[0.6, 0.7["]


def test_whole_numbers_one_by_one():
    cells = bins((0, 3), 1, kind=Kind.INTEGER)
    assert cells.labels == ("0", "1", "2", "3")
    assert where(cells, 0, 3, 4, -1) == ["0", "3", None, None]


def test_beyond_the_bounds_and_missing():
    cells = bins((0, 20), 10, nearest=True, missing=True)
    assert where(cells, -5, 99, "") == ["[0, 10[", "[10, 20]", ""]
    assert where(bins((0, 3), 1, kind=Kind.INTEGER, nearest=True), 17, -2) == ["3", "0"]


def test_categories_keep_their_order_and_take_no_others():
    cells = require_cells("x", Declaration(categories=("b", "a")), Choice(missing=True))
    column = Column.of_texts("x", ["a", "b", "zz", ""])
    assert cells.labels == ("b", "a", "")
    assert cells.codes(column).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(
    "said",
    [
        Declaration(),
        Declaration(bounds=(0, 1)),
        Declaration(bounds=(1, 0), bin_width=1),
        Declaration(bounds=(0, 1), bin_width=0),
        Declaration(bounds=(0, 1), bin_width=Decimal("1e-9")),
        Declaration(bounds=(0, "NaN"), bin_width=1),
        Declaration(bounds=(0, "secret"), bin_width=1),
        Declaration(bounds=(0, True), bin_width=1),
        Declaration(categories=("a", "a")),
    ],
)
def test_declarations_that_give_no_cells(said):
    with pytest.raises(EngineError) as caught:
        require_cells("x", said, Choice())
    assert caught.value.param.startswith("columns.x.")
    assert "secret" not in caught.value.message


def test_where_cells_are_known_from_is_told():
    said = Declaration(categories=("a",), provenance="questionnaire 2025")
    assert require_cells("x", said, Choice()).provenance == "declared categories (questionnaire 2025)"
    assert bins((0, 2), 1).provenance == "declared bounds and bin width"


def test_several_columns_run_in_declared_order():
    one = require_cells("x", Declaration(categories=("b", "a")), Choice())
    grid = Grid((one, bins((0, 2), 1)))
    assert grid.texts() == (["b", "b", "a", "a"], ["[0, 1[", "[1, 2]"] * 2)
    columns = [Column.of_texts("x", ["a", "b", "?"]), Column.of_texts("y", ["1", "0", "0"], Kind.DECIMAL)]
    assert grid.codes(columns, 3).tolist() == [3, 0, 4]


def test_too_many_cells_together():
    wide = bins((0, 2000), 1)
    with pytest.raises(EngineError) as caught:
        Grid((wide, wide))
    assert caught.value.code == "too-many-cells"


def test_levels_over_bins():
    levels = levels_over(bins((0, 50), 10), None, 2)
    assert levels.labels[1] == ("[0, 20[", "[20, 40[", "[40, 50]")
    assert levels.labels[-1] == ("*",)
    assert [p.tolist() for p in levels.parents] == [[0, 0, 1, 1, 2], [0, 0, 1], [0, 0]]
    assert levels_over(bins((0, 3), 1, kind=Kind.INTEGER), None, 2).labels[1] == ("0 to 1", "2 to 3")


def test_levels_over_categories():
    cells = require_cells("x", Declaration(categories=("flu", "cold", "none")), Choice(missing=True))
    spec = HierarchySpec(lines=("cold;ill", "flu;ill", "none;well"))
    levels = levels_over(cells, spec, 4)
    assert levels.labels == (("flu", "cold", "none", ""), ("ill", "well", ""), ("*",))
    with pytest.raises(EngineError) as caught:
        levels_over(cells, HierarchySpec(lines=("cold;ill",)), 4)
    assert caught.value.code == "hierarchy-incomplete"
    with pytest.raises(EngineError) as caught:
        levels_over(cells, None, 4)
    assert caught.value.code == "no-hierarchy"
