"""The rows that enter a run."""

import io

import pytest

from tests.engine.running import recipe_of, run, table_of
from worker.engine.execution.local import Output, anonymize
from worker.engine.tables.table import MemorySource

COLUMNS = {
    "who": {"role": "direct-identifier"},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "sex": {"role": "quasi-identifier"},
}
ROWS = [{"who": f"person {i}", "age": str(20 + i % 60), "sex": "fm"[i % 2]} for i in range(300)]


class Noting(MemorySource):
    """Knows which columns were read."""

    def __init__(self, table):
        super().__init__(table)
        self.seen = set()

    def chunks(self, columns=None):
        self.seen |= set(columns)
        return super().chunks(columns)


@pytest.mark.parametrize("step", ["synthetic-copula", "synthetic-trees"])
def test_an_identifier_is_not_read_to_count_rows(step):
    source = Noting(table_of(ROWS))
    anonymize(recipe_of(COLUMNS, [], [(step, {})]), source, [Output("csv", io.BytesIO())])
    assert source.seen == {"age", "sex"}


def test_rows_are_counted_where_nothing_but_identifiers_stands():
    with pytest.raises(Exception, match="no column leaves"):
        run(recipe_of({"who": COLUMNS["who"]}), table_of(ROWS))
