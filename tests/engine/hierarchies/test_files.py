"""Which column a hierarchy file is for."""

import pytest

from worker.engine.hierarchies.files import columns_of, matches

COLUMNS = (
    "age",
    "sex",
    "marital-status",
    "native-country",
    "country",
    "salary-class",
    "ZIPCode",
    "Größe",
    "!",
)


@pytest.mark.parametrize(
    ("file", "fits"),
    [
        ("age.csv", ["age"]),
        ("AGE.CSV", ["age"]),
        ("adult_hierarchy_age.csv", ["age"]),
        ("hierarchy-age.json", ["age"]),
        ("age_hierarchy.txt", ["age"]),
        ("adult_hierarchy_marital-status.csv", ["marital-status"]),
        ("MaritalStatus.tsv", ["marital-status"]),
        ("marital_status.v2.csv", ["marital-status"]),
        ("test2_hierarchy_ZIPCode.csv", ["ZIPCode"]),
        ("zip-code.csv", ["ZIPCode"]),
        ("Grosse.csv", ["Größe"]),
        ("GRÖSSE.csv", ["Größe"]),
        ("groesse.csv", []),
        ("adult native country.csv", ["native-country"]),
        ("adult_country.csv", ["country"]),
        ("age-sex.csv", ["age", "sex"]),
        ("age_hierarchy_sex.csv", ["age", "sex"]),
        ("language.csv", []),
        ("notes.csv", []),
        ("", []),
        (".csv", []),
        ("../../etc/passwd", []),
        ("!.csv", []),
    ],
)
def test_the_name_of_a_file_names_its_column(file: str, fits: list[str]) -> None:
    assert list(columns_of(file, COLUMNS)) == fits


def test_one_column_is_a_match_and_several_are_a_question() -> None:
    found = matches(["age.csv", "age-sex.csv", "notes.csv"], COLUMNS)
    assert [match.column for match in found] == ["age", None, None]
