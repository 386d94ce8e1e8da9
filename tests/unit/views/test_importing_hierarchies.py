"""Several hierarchy files at once: matched by name, looked at, confirmed once, with one event."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from stewardapp.actions import hierarchies
from stewardapp.forms import hierarchy_files
from stewardapp.models import AuditEvent, Hierarchy, Version
from tests.factories import Team
from tests.unit.views.conftest import SURVEY

SEX = b"F;*\nM;*\n"
TREE = json.dumps(
    {"name": "any", "children": [{"name": "short", "children": [{"name": "cold"}, {"name": "flu"}]}]}
)
FILES = {"survey_hierarchy_sex.csv": SEX, "illness.json": TREE.encode()}


def sent(files: dict[str, bytes]) -> dict[str, Any]:
    return {"files": [SimpleUploadedFile(name, content) for name, content in files.items()]}


def address(version: Version) -> str:
    return f"/versions/{version.pk}/hierarchies/import/"


def carried(page: Any, **changes: str) -> dict[str, str]:
    """What a browser would send back of the form on the page."""
    lines, columns = page.context["lines"], page.context["columns"]
    places = {column.name: str(at) for at, column in enumerate(columns)}
    fields = {"files": str(len(lines))}
    for line in lines:
        fields[f"name-{line.number}"] = line.file.name
        fields[f"column-{line.number}"] = places.get(line.file.column, "")
        if line.file.table:
            fields[f"lines-{line.number}"] = line.file.table.lines
    return fields | changes


def attached(version: Version) -> dict[str, Hierarchy]:
    columns = version.columns.exclude(hierarchy=None).select_related("hierarchy__key")
    return {column.name: column.hierarchy for column in columns if column.hierarchy}


def test_files_are_matched_counted_and_imported_with_one_event(
    client_of: Any, team: Team, survey: Version
) -> None:
    client = client_of(team.steward)
    page = client.post(address(survey), sent(FILES))
    assert page.status_code == 200
    lines = {line.file.name: line for line in page.context["lines"]}
    sex, illness = lines["survey_hierarchy_sex.csv"], lines["illness.json"]
    assert (sex.column.name, sex.file.table.levels, sex.values, sex.lost) == ("sex", 2, 2, 0)
    assert (illness.column.name, illness.file.table.levels, illness.lost) == ("illness", 3, 0)
    assert not Hierarchy.objects.exists(), "looking stores nothing"
    before = AuditEvent.objects.count()
    answer = client.post(address(survey), carried(page, do="import"), follow=True)
    assert "2 hierarchies are imported" in answer.content.decode()
    assert AuditEvent.objects.count() == before + 1
    assert AuditEvent.objects.get(action="hierarchies.imported").details.keys() == {"sex", "illness"}
    made = attached(survey)
    assert made["sex"].lines.split() == ["F;*", "M;*"]
    assert (made["illness"].levels, made["illness"].key_id) == (3, survey.key_id)


def test_what_fits_nothing_or_several_is_a_question(client_of: Any, team: Team, survey: Version) -> None:
    client = client_of(team.steward)
    files = {"sex.csv": SEX, "hierarchy_sex.csv": SEX, "zip-illness.csv": SEX, "notes.csv": SEX}
    page = client.post(address(survey), sent(files))
    assert [line.file.column for line in page.context["lines"]] == ["", "", "", ""]
    text = page.content.decode()
    assert "Its name fits several columns: zip, illness." in text
    assert "Its name fits no column." in text
    assert "as another file fits too" in text
    refused = client.post(address(survey), carried(page, do="import"))
    assert refused.status_code == 422
    assert hierarchy_files.NONE_CHOSEN in refused.content.decode()
    place = str([column.name for column in page.context["columns"]].index("sex"))
    both = carried(page, do="import", **{"column-0": place, "column-1": place})
    refused = client.post(address(survey), both)
    assert refused.status_code == 422
    assert hierarchy_files.TWICE in refused.content.decode()
    looked = client.post(address(survey), carried(page, do="look", **{"column-3": place}))
    assert looked.context["lines"][3].lost == 0
    client.post(address(survey), carried(looked, do="import"))
    assert attached(survey).keys() == {"sex"}


def test_values_without_a_row_are_counted_and_not_shown(client_of: Any, team: Team, survey: Version) -> None:
    page = client_of(team.steward).post(address(survey), sent({"illness.csv": b"cold;*\n"}))
    (line,) = page.context["lines"]
    assert (line.values, line.lost) == (2, 1)
    assert ">flu<" not in page.content.decode()
    assert "not complete" in page.content.decode()


def test_a_replaced_hierarchy_is_named(client_of: Any, team: Team, survey: Version) -> None:
    earlier = hierarchies.create(project=team.project, name="by hand", lines="F;*\nM;*", by=team.steward)
    hierarchies.attach(column=survey.columns.get(name="sex"), hierarchy=earlier, by=team.steward)
    page = client_of(team.steward).post(address(survey), sent({"sex.csv": SEX}))
    assert "Replaces by hand." in page.content.decode()


def test_a_column_too_large_to_be_looked_at_is_imported_uncounted(
    client_of: Any, team: Team, survey: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stewardapp.presenters.hierarchy_files.previewable", lambda column: False)
    page = client_of(team.steward).post(address(survey), sent({"sex.csv": SEX}))
    assert "not counted here" in page.content.decode()


HOSTILE = {
    "a program": (b"\xac\xed\x00\x05sr\x00=org.deidentifier", hierarchy_files.NO_TEXT),
    "a nul": (b"F;*\nM;\x00*\n", hierarchy_files.NUL),
    "ragged": (b"F;*\nM;all;*\n", "on line 2"),
    "two parents": (b"F;a;*\nF;b;*\n", "does not nest"),
    "a bomb of brackets": (b"[" * 100_000, "hierarchy"),
    "a broken tree": (b'{"name": "x", "children": [', "hierarchy"),
    "empty of lines": (b"\n\n\n", "has no line"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_listed_and_imports_nothing(
    client_of: Any, team: Team, survey: Version, what: str
) -> None:
    content, words = HOSTILE[what]
    client = client_of(team.steward)
    page = client.post(address(survey), sent({"sex.csv": content, "illness.csv": b"cold;*\nflu;*\n"}))
    bad, good = page.context["lines"]
    assert words in bad.file.problem
    assert not bad.file.column
    assert good.file.column == "illness"
    client.post(address(survey), carried(page, do="import", **{"column-0": "3"}))
    assert attached(survey).keys() == {"illness"}


def test_a_name_is_text_and_nothing_else(client_of: Any, team: Team, survey: Version) -> None:
    page = client_of(team.steward).post(address(survey), sent({"<script>alert(1)</script>.csv": SEX}))
    assert "<script>alert" not in page.content.decode()


def test_lines_that_begin_like_a_tree_come_back_as_lines(client_of: Any, team: Team, survey: Version) -> None:
    client = client_of(team.steward)
    tree = json.dumps({"name": "*", "children": [{"name": "[0, 5[", "children": [{"name": "[0"}]}]})
    page = client.post(address(survey), sent({"sex.json": tree.encode()}))
    again = client.post(address(survey), carried(page, do="look"))
    assert not again.context["lines"][0].file.problem


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"files": "0"},
        {"files": "-1"},
        {"files": "51"},
        {"files": "٣"},
        {"files": "9" * 5000},
        {"files": "1", "column-0": "99"},
        {"files": "1", "column-0": "x", "lines-0": "F;*"},
        {"files": "2", "lines-0": "F;*\nM", "column-0": "3"},
    ],
)
def test_a_forged_form_imports_nothing(
    client_of: Any, team: Team, survey: Version, fields: dict[str, str]
) -> None:
    answer = client_of(team.steward).post(address(survey), fields | {"do": "import"})
    assert answer.status_code == 422
    assert not Hierarchy.objects.exists()


def test_there_are_bounds(
    client_of: Any, team: Team, survey: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(team.steward)
    many = client.post(address(survey), sent({f"{n}.csv": SEX for n in range(51)}))
    assert many.status_code == 422
    assert hierarchy_files.TOO_MANY in many.content.decode()
    monkeypatch.setattr(hierarchy_files, "MOST_TOGETHER", 10)
    large = client.post(address(survey), sent(FILES))
    assert large.status_code == 422
    assert hierarchy_files.TOO_LARGE in large.content.decode()


def test_a_form_without_its_token_is_refused(team: Team, survey: Version) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.steward, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert client.post(address(survey), sent({"sex.csv": SEX})).status_code == 403


def test_the_page_of_all_hierarchies_offers_it(client_of: Any, team: Team, survey: Version) -> None:
    page = client_of(team.steward).get(f"/versions/{survey.pk}/hierarchies/").content.decode()
    assert address(survey) in page
    assert "multiple" in page
    assert SURVEY.splitlines()[1] not in page
