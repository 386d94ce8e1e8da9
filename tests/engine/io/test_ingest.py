"""Taking a file in keeps every text, and the profile tells what it is like without telling a value."""

import csv
import io
import json
import string
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.io.reading import taken_in, texts
from worker.engine.errors import Cancelled, EngineError
from worker.engine.io.dialect import sniff
from worker.engine.io.ingest import ingest
from worker.engine.io.limits import Limits
from worker.engine.io.source import open_table
from worker.engine.io.writers import open_writer
from worker.engine.reporting import Reporter
from worker.engine.tables.table import BLOCK

CELLS = st.text(st.one_of(st.sampled_from(',"\n\r 0-=*é𝄞'), st.characters(exclude_categories=("Cs",), exclude_characters="\0")), max_size=6)  # fmt: skip  # noqa: E501
ROWS = st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=20))  # fmt: skip  # noqa: E501


def columns(data: bytes, **said: Any) -> dict[str, dict[str, Any]]:
    return {column["name"]: column for column in taken_in(data, **said)[0].columns}


def column_of(values: list[str], name: str = "c", **said: Any) -> dict[str, Any]:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([[name], *([value] for value in values)])
    return columns(buffer.getvalue().encode(), **{"delimiter": ",", "quote": '"', **said})[name]


@given(ROWS)
@settings(deadline=None)
def test_text_to_table_to_text_is_the_same_text(rows: list[list[str]]) -> None:
    names = [f"c{i}" for i in range(len(rows[0]))]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    _, source = taken_in(buffer.getvalue().encode(), delimiter=",", quote='"', encoding="utf-8")
    assert texts(source) == [list(column) for column in zip(*rows, strict=True)]
    for kind in ("csv", "parquet"):
        out = io.BytesIO()
        writer = open_writer(kind, out, names)
        for chunk in source.chunks():
            writer.write(chunk)
        prefixed = writer.close().formula_cells
        dialect = None if kind == "parquet" else {"delimiter": ",", "quote": '"', "encoding": "utf-8"}
        again = texts(open_table(out, dialect))
        if kind == "parquet" or not prefixed:
            assert again == texts(source)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "+3", "0"], "integer"),
        (["9007199254740993", "1"], "integer"),
        (["1.5", "2", "-.5", "1e5"], "decimal"),
        (["01", "02"], "categorical"),
        (["1", "", "3"], "integer"),
        (["1", "x"], "categorical"),
        (["1,5", "2,5"], "categorical"),
        (["0", "1"], "boolean"),
        (["1", "1"], "integer"),
        (["yes", "No"], "boolean"),
        (["TRUE", "false"], "boolean"),
        (["M", "F"], "categorical"),
        (["2024-02-29", "1999-12-31"], "date"),
        (["2024-02-29T10:00:00Z", "2024-02-28"], "date"),
        (["31.12.1999", "1.2.2000"], "date"),
        (["12/31/1999", "1/2/2000"], "date"),
        (["19991231", "20000101"], "date"),
        (["9/27/00", "12/1/85"], "date"),
        (["27.9.00", "1.12.85"], "date"),
        (["9.27.2000", "12.1.1985"], "date"),
        (["09-27-00", "12-01-85"], "date"),
        (["27/9/2000", "9/27/2000"], "categorical"),
        (["27.9.00", "1/12/85"], "categorical"),
        (["2024-13-01"], "categorical"),
        (["a" * 61], "text"),
        ([f"word {i}" for i in range(1001)], "text"),
        (["", ""], "text"),
        (["NA", "NA"], "categorical"),
    ],
)
def test_kinds(values: list[str], kind: str) -> None:
    assert column_of(values)["kind"] == kind


def test_declared_missing_codes_are_missing_and_kept_as_written() -> None:
    data = b"age,land\n34,NA\n-9,DE\n,?\n"
    profile, source = taken_in(data, missing=["", "-9", "?"])
    assert [(c["kind"], c["distinct"], c["missing"]) for c in profile.columns] == [
        ("integer", 1, 2),
        ("categorical", 2, 1),
    ]
    assert texts(source) == [["34", "-9", ""], ["NA", "DE", "?"]]
    (chunk,) = source.chunks()
    assert [column.missing_rows.tolist() for column in chunk.columns] == [
        [False, True, True],
        [False, False, True],
    ]


def test_kinds_and_missing_codes_are_noted_in_the_table_and_can_be_said_anew() -> None:
    table = io.BytesIO()
    ingest(io.BytesIO(b"age,land\n34,NA\n-9,DE\n"), table, {"missing": ["", "-9"]})
    source = open_table(table)
    assert [field.kind.value for field in source.schema] == ["integer", "categorical"]
    (chunk,) = open_table(table, sniff(table)).chunks()
    assert [column.missing_rows.tolist() for column in chunk.columns] == [[False, True], [False, False]]
    again = open_table(table, {"missing": ["NA"]})
    (chunk,) = again.chunks()
    assert [column.missing_rows.tolist() for column in chunk.columns] == [[False, False], [True, False]]


@pytest.mark.parametrize(
    ("name", "values", "role", "reason"),
    [
        ("contact", ["a@b.org", "c.d@e.com"], "direct-identifier", "looks like e-mail addresses"),
        (
            "contact",
            ["+49 170 1234567", "0044 20 7946 0000"],
            "direct-identifier",
            "looks like telephone numbers",
        ),
        ("nr", ["123-45-6789"], "direct-identifier", "looks like social security numbers"),
        *(
            (name, values, "direct-identifier", "called like a number of its own, and every value differs")
            for name, values in (("ref", [f"R{i}" for i in range(20)]), ("id", [str(i) for i in range(20)]))
        ),
        (
            "shape",
            [f"R{i}" for i in range(20)],
            "quasi-identifier",
            "nearly every value differs: whoever knows it finds the row",
        ),
        ("Surname", [f"N{i}x" for i in range(20)], "direct-identifier", "called like a name"),
        (
            "occupation",
            [f"R{i}" for i in range(20)],
            "quasi-identifier",
            "something that others know about a person",
        ),
        (
            "DOB",
            ["9/27/00", "12/1/85"],
            "quasi-identifier",
            "date of birth; two-digit years: 00 to 68 are taken as 20…, the others as 19…",
        ),
        (
            "DOB",
            ["9.7.2000", "12.1.1985"],
            "quasi-identifier",
            "date of birth; day and month could be either way: say which where the dates are read",
        ),
        ("Nachname", ["Meier", "Huber"], "direct-identifier", "called like a name"),
        ("country_name", ["DE", "FR"], "quasi-identifier", "something that others know about a person"),
        ("patient_id", ["7", "8", "7"] * 4, "person-key", "the same person in several rows"),
        ("hhid", ["7", "8", "7"] * 4, "household-key", "called like the number of a household"),
        ("dateOfBirth", ["1990-01-01"], "quasi-identifier", "date of birth"),
        ("GEBURTSDATUM", ["31.01.1990"], "quasi-identifier", "date of birth"),
        ("visit", ["1990-01-01"], "quasi-identifier", "dates, which others may know"),
        ("PLZ", ["80331"], "quasi-identifier", "postal code"),
        ("area", ["01067", "80331"], "quasi-identifier", "looks like postal codes"),
        ("sexo", ["h", "m"], "quasi-identifier", "something that others know about a person"),
        ("Diagnose", ["x", "y"], "sensitive", "medical terms"),
        ("finding", ["lung cancer", "asthma", "none"], "sensitive", "medical terms"),
        ("code", ["E11.9", "I10.X"], "sensitive", "looks like codes of diagnoses"),
        ("Salaire", ["1000"], "sensitive", "income or wealth"),
        ("religion", ["a"], "sensitive", "a special category of personal data"),
        ("pweight", ["1.5", "2.5"], "weight", "called like a sampling weight"),
        ("weight", ["heavy"], "", ""),
        ("einwilligung", ["ja", "nein"], "consent", "called like an agreement"),
        (
            "remarks",
            ["he said that he would not come back here"] * 3,
            "dropped",
            "free text, which may hold anything",
        ),
        ("nothing", ["", ""], "dropped", "holds no value at all"),
        ("q17", ["1", "2", "1"], "", ""),
    ],
)
def test_suggested_roles_and_reasons(name: str, values: list[str], role: str, reason: str) -> None:
    column = column_of(values, name)
    assert (column["suggested_role"], column["reason"]) == (role, reason)


@pytest.mark.parametrize("names", [("hhid", "household"), ("person_id", "patient"), ("weight", "pweight")])
def test_no_role_is_suggested_twice_that_only_one_column_may_have(names: tuple[str, str]) -> None:
    """The page would refuse what it proposed itself; the finer one is the key."""
    lines = [",".join(names), *(f"{i % 7 + 1},{i % 12 + 1}" for i in range(24))]
    found = columns("\n".join(lines).encode())
    roles = [found[name]["suggested_role"] for name in names]
    assert roles[0] == ""
    assert roles[1] in ("household-key", "person-key", "weight")


def test_measurements_may_all_differ_without_being_identifiers() -> None:
    assert (
        column_of([str(1000 + 7 * i) for i in range(50)], "turnover_q1")["suggested_role"]
        != "direct-identifier"
    )
    assert column_of([f"{i}.5" for i in range(50)], "x")["suggested_role"] == ""


def test_a_survey() -> None:
    lines = [
        "person_id,birth_date,sex,postcode,education,household,diagnosis,income,weight,email,agreed,remarks"
    ]
    for i in range(500):
        birth = f"19{i % 60 + 40}-{i % 12 + 1:02d}-{i % 28 + 1:02d}"
        found = ("healthy", "asthma", "diabetes", "migraine")[i * i % 4]
        lines.append(
            f"P{i:06d},{birth},{'FM'[i % 2]},0{2100 + i % 70},{('primary', 'master')[i % 2]},H{i // 2:05d},"
            f"{found},{20_000 + 100 * (i % 77)},{50 + i % 100 / 10},person{i}@example.org,"
            f"{('yes', 'no')[i % 50 == 0]},{('', 'second visit needed')[i % 2]}"
        )
    assert {n: c["suggested_role"] for n, c in columns("\n".join(lines).encode()).items()} == {
        "person_id": "direct-identifier",
        "birth_date": "quasi-identifier",
        "sex": "quasi-identifier",
        "postcode": "quasi-identifier",
        "education": "quasi-identifier",
        "household": "household-key",
        "diagnosis": "sensitive",
        "income": "sensitive",
        "weight": "weight",
        "email": "direct-identifier",
        "agreed": "consent",
        "remarks": "",
    }


def test_shapes_are_ten_heights() -> None:
    for values in ([str(i % 50) for i in range(1000)], ["a"] * 9 + ["b"], ["1999-01-01"], ["x" * 70]):
        shape = column_of(values)["shape"]
        assert len(shape) == 10
        assert all(isinstance(height, int) and 0 <= height <= 100 for height in shape)
    assert column_of(["a"] * 100 + ["b"] * 50 + ["c"])["shape"] == [100, 50, 1, 0, 0, 0, 0, 0, 0, 0]


def test_one_extreme_value_does_not_flatten_the_shape() -> None:
    shape = column_of([*(str(i) for i in range(1000)), "99999999"])["shape"]
    assert min(shape) > 50


def test_the_preview_is_masked() -> None:
    profile, _ = taken_in("a;b\nMüller-42;\n中文 9;x\n".encode())
    assert profile.preview == (("xxxxxx-99", None), ("xx 9", "x"))


def test_the_profile_holds_no_value_and_is_json() -> None:
    values = [f"CANARY{i:04d}" for i in range(400)]
    numbers = [str(7_770_000 + 31 * i) for i in range(400)]
    data = "who,n\n" + "".join(f"{a},{b}\n" for a, b in zip(values, numbers, strict=True))
    profile, _ = taken_in(data.encode())
    told = json.dumps(profile.as_json())
    assert "CANARY" not in told
    assert not any(number in told for number in numbers)
    assert set(told) <= set(string.printable)


def test_header_only_is_refused() -> None:
    with pytest.raises(EngineError) as caught:
        taken_in(b"a,b\n")
    assert caught.value.code == "no-rows"
    assert "header and no rows" in caught.value.message


def test_row_groups_are_whole_blocks() -> None:
    rows = 5 * BLOCK + 17
    table = io.BytesIO()
    profile = ingest(io.BytesIO(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(rows))), table)
    groups = pq.ParquetFile(table).metadata
    sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
    assert sum(sizes) == rows == profile.rows
    assert all(size % BLOCK == 0 for size in sizes[:-1])
    assert len(sizes) > 1


def test_columns_keep_a_list_of_texts_only_where_texts_come_again() -> None:
    """The first row group decides; what is read is the same, also where later rows are otherwise."""
    first = 4 * BLOCK
    kept = {
        "differ, then alike": [str(min(row, first)) for row in range(first + 9)],
        "alike, then differ": [str(max(row, first)) for row in range(first + 9)],
    }
    lines = [",".join(f'"{name}"' for name in kept), *map(",".join, zip(*kept.values(), strict=True))]
    table = io.BytesIO()
    ingest(io.BytesIO("\n".join(lines).encode()), table, {"delimiter": ",", "quote": '"'})
    file = pq.ParquetFile(table)
    assert file.num_row_groups == 2
    listed = [isinstance(field.type, pa.DictionaryType) for field in file.schema_arrow]
    assert listed == [False, True]
    assert [file.metadata.row_group(0).column(at).has_dictionary_page for at in (0, 1)] == listed
    assert texts(open_table(table)) == [*kept.values()]


def test_chunks_are_whole_blocks_and_can_be_read_again() -> None:
    rows = 5 * BLOCK + 17
    table = io.BytesIO()
    ingest(io.BytesIO(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(rows))), table)
    source = open_table(table)
    for _ in range(2):
        firsts = [(chunk.first_row, chunk.rows) for chunk in source.chunks(["a"])]
        assert sum(size for _, size in firsts) == rows == source.rows
        assert all(first % BLOCK == 0 for first, _ in firsts)
        assert all(size % BLOCK == 0 for _, size in firsts[:-1])
    numbers = [int(text) for chunk in source.chunks(["a"]) for text in chunk["a"].texts()]
    assert numbers == list(range(rows))


def test_an_unknown_column_is_refused() -> None:
    _, source = taken_in(b"a,b\n1,2\n")
    with pytest.raises(EngineError) as caught:
        list(source.chunks(["c"]))
    assert caught.value.code == "no-such-column"


def test_progress_goes_on_and_a_cancel_stops_it() -> None:
    class Watching(Reporter):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[float] = []

        def show(self, stage: str, fraction: float) -> None:
            self.seen.append(fraction)
            if len(self.seen) > 5:
                raise Cancelled

    watching = Watching()
    with pytest.raises(Cancelled):
        ingest(io.BytesIO(b"a,b\n" + b"11111111,x\n" * 3_000_000), io.BytesIO(), reporter=watching)
    assert watching.seen == sorted(watching.seen)
    assert 0 < watching.seen[-1] < 1


def test_limits_are_counted_while_reading() -> None:
    with pytest.raises(EngineError) as caught:
        ingest(io.BytesIO(b"a,b\n" + b"1,2\n" * 100), io.BytesIO(), limits=Limits(rows=99))
    assert caught.value.code == "rows"


def test_a_table_without_rows_can_be_opened() -> None:
    """A release may have lost all of its rows."""
    empty = io.BytesIO()
    open_writer("parquet", empty, ["a", "b"]).close()
    for file in (io.BytesIO(b"a,b\n"), empty):
        source = open_table(file)
        assert (source.rows, source.schema.names, list(source.chunks())) == (0, ("a", "b"), [])
