"""A released file is shown page by page, exactly as it is."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stewardapp.models import Artifact
from stewardapp.reads.arranged_table import Wanted
from stewardapp.reads.released_table import ROWS_PER_PAGE, Damaged, released_page
from tests import factories

pytestmark = pytest.mark.django_db
ROWS = 2 * ROWS_PER_PAGE + 3
ODD = ["plain", 'with "quotes"', "two\nlines", "комета", "", "a,b"]


def artifact_of(content: bytes, media_type: str, rows: int) -> Artifact:
    team = factories.make_project()
    release = factories.make_release(team, state="in-review")
    assert release.candidate is not None
    blob = factories.store(content, release.candidate.key, media_type)
    return Artifact(
        run=release.candidate,
        name="file",
        media_type=media_type,
        blob=blob,
        sha256=blob.sha256,
        size=len(content),
        rows=rows,
    )


def values() -> list[str]:
    return [f"{number} {ODD[number % len(ODD)]}" for number in range(ROWS)]


def csv_bytes() -> bytes:
    lines = ['"' + value.replace('"', '""') + '"' for value in values()]
    return ("value\r\n" + "\r\n".join(lines) + "\r\n").encode()


def parquet_bytes() -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"value": values()}), written, row_group_size=10)
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(csv_bytes(), "text/csv"), (parquet_bytes(), "application/vnd.apache.parquet")],
    ids=["csv", "parquet"],
)
def test_the_pages_together_are_the_file(content: bytes, media_type: str) -> None:
    artifact = artifact_of(content, media_type, ROWS)
    pages = [released_page(artifact, Wanted(str(number))) for number in (1, 2, 3)]
    assert [page.headers for page in pages] == [("value",)] * 3
    assert [row[0] for page in pages for row in page.rows] == values()
    assert (pages[0].has_previous, pages[2].has_next, pages[0].pages) == (False, False, 3)


@pytest.mark.parametrize("wanted", ["0", "-1", "99", "x", ""])
def test_a_page_that_is_not_there_is_the_nearest_one(wanted: str) -> None:
    page = released_page(artifact_of(csv_bytes(), "text/csv", ROWS), Wanted(wanted))
    assert page.number in (1, 3)


def test_other_bytes_are_refused() -> None:
    artifact = artifact_of(csv_bytes(), "text/csv", ROWS)
    artifact.sha256 = "0" * 64
    with pytest.raises(Damaged):
        released_page(artifact, Wanted())
