"""The editor: every button without JavaScript, nothing stored before it is saved."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from stewardapp.actions import columns
from stewardapp.models import AuditEvent, Hierarchy
from tests.markup import readable, tight

DRAFT = {"changes": "[]"}
MASK = {"mask-side": "left", "mask-character": "#"}


@pytest.fixture
def illness(survey):
    return survey.columns.get(name="illness")


def address(column):
    return f"/columns/{column.pk}/hierarchy/edit/"


def press(client, column, do, page=None, **more):
    """Send what the page carries, as the browser does."""
    draft = page.context["draft"] if page is not None else None
    carried = {"changes": draft.changes_json} if draft else DRAFT
    return client.post(address(column), {**carried, "do": do, **more})


def labels(page, level):
    return {
        cell.label
        for line in page.context["sheet"].lines
        for cell in line
        if cell.key.startswith(f"{level}-")
    }


def test_values_are_grouped_renamed_taken_back_and_saved(client_of, team, illness):
    client = client_of(team.steward)
    page = press(client, illness, "group", pick=["0-0", "0-1"], label="infection")
    assert labels(page, 1) == {"infection"}
    page = press(client, illness, "rename", page, pick=["1-0"], label="airways")
    assert labels(page, 1) == {"airways"}
    page = press(client, illness, "undo", page)
    assert labels(page, 1) == {"infection"}
    assert not Hierarchy.objects.exists()
    before = AuditEvent.objects.count()
    assert press(client, illness, "save", page, name="By hand").status_code == 302
    illness.refresh_from_db()
    assert illness.hierarchy.name == "By hand"
    assert illness.hierarchy.lines.splitlines() == ["cold;infection;*", "flu;infection;*"]
    assert AuditEvent.objects.count() == before + 2
    assert labels(client.get(address(illness)), 1) == {"infection"}


def test_building_and_starting_anew_are_taken_back_too(client_of, team, illness):
    client = client_of(team.steward)
    page = press(client, illness, "group", pick=["0-0", "0-1"], label="infection")
    page = press(
        client, illness, "build", page, builder="mask", **{"mask-side": "left", "mask-character": "#"}
    )
    assert labels(page, 1) == {"#old", "#lu"}
    page = press(client, illness, "restart", page)
    assert labels(page, 1) == {"*"}
    page = press(client, illness, "undo", page)
    assert labels(page, 1) == {"#old", "#lu"}
    page = press(client, illness, "undo", page)
    assert labels(page, 1) == {"infection"}


def test_levels_are_added_and_removed(client_of, team, illness):
    client = client_of(team.steward)
    page = press(client, illness, "add-level:0")
    assert [head.number for head in page.context["sheet"].heads] == [0, 1, 2]
    page = press(client, illness, "remove-level:1", page)
    assert [head.number for head in page.context["sheet"].heads] == [0, 1]


def test_counts_are_those_of_the_data(client_of, team, illness):
    page = client_of(team.steward).get(address(illness))
    rows = {cell.label: cell.rows for line in page.context["sheet"].lines for cell in line}
    assert rows == {"cold": 60, "flu": 60, "*": 120}


@pytest.mark.parametrize(
    ("name", "builder", "given", "level", "label"),
    [
        ("zip", "interval", {"width": "20", "origin": "0", "fan_out": "2"}, 1, "[1000, 1020["),
        (
            "zip",
            "interval",
            {"width": "20", "origin": "0", "fan_out": "2", "low": "1010"},
            1,
            "<1010",
        ),
        (
            "zip",
            "interval",
            {"width": "5", "origin": "0", "fan_out": "2, 5", "low": "1002", "snap_low": "1010"},
            1,
            "[1002, 1015[",
        ),
        ("zip", "mask", {"side": "right", "character": "#"}, 1, "100#"),
        ("zip", "order", {"fan_out": "25", "values": ""}, 1, "[1000, 1024]"),
        ("born", "date", {"levels": ["year"], "format": ""}, 1, "1940"),
        ("illness", "tree", {"tree": "viral\n  cold\n  flu"}, 1, "viral"),
    ],
)
def test_builders_show_at_once_what_they_do(client_of, team, survey, name, builder, given, level, label):
    client, column = client_of(team.steward), survey.columns.get(name=name)
    sent = {f"{builder}-{key}": value for key, value in given.items()}
    page = client.post(address(column), {"do": "build", "builder": builder, **sent})
    assert page.status_code == 200
    assert label in labels(page, level)
    press(client, column, "save", page)
    column.refresh_from_db()
    assert column.hierarchy.spec["builder"] == builder


@pytest.mark.parametrize(
    ("builder", "given", "sentence"),
    [
        ("interval", {"width": "0", "origin": "0", "fan_out": "2"}, "greater than or equal"),
        (
            "interval",
            {"width": "1", "origin": "0", "fan_out": "2", "low": "5", "snap_low": "4"},
            "low to high",
        ),
        (
            "interval",
            {"width": "1", "origin": "0", "fan_out": "2", "low": "5", "high": "5"},
            "above the lower",
        ),
        ("interval", {"width": "1", "origin": "0", "fan_out": "2, 1"}, "whole numbers of at least 2"),
        ("interval", {"width": "1", "origin": "0", "fan_out": "2"}, "needs numbers"),
        ("date", {"levels": ["year", "month"][:0]}, "required"),
        ("tree", {"tree": "a\n  b\n  b"}, "Line 3 repeats"),
    ],
)
def test_settings_that_cannot_be_are_refused(client_of, team, illness, builder, given, sentence):
    sent = {f"{builder}-{key}": value for key, value in given.items()}
    page = client_of(team.steward).post(address(illness), {"do": "build", "builder": builder, **sent})
    assert page.status_code == 422
    assert sentence in page.content.decode()


@pytest.mark.parametrize(
    ("do", "more", "sentence"),
    [
        ("group", {"label": "x"}, "Tick the labels first."),
        ("group", {"pick": ["0-0"], "label": ""}, "Write the label"),
        ("group", {"pick": ["0-0", "1-0"], "label": "x"}, "one level only"),
        ("rename", {"pick": ["0-0", "0-1"], "label": "x"}, "Tick one label"),
        ("rename", {"pick": ["9-9", "x", "0-99"], "label": "x"}, "Tick the labels first."),
        ("add-level:99", {}, "no such level"),
        ("remove-level:x", {}, "no such level"),
        ("show", {"changes": "{"}, "unreadable draft"),
        ("show", {"changes": '[{"change": "build"}]'}, "unreadable draft"),
        ("show", {"changes": '[{"change": "build", "spec": {"builder": "pyramid"}}]'}, "no such builder"),
        ("show", {"changes": "[1]"}, "unreadable draft"),
        ("show", {"changes": json.dumps([{"change": "add-level", "level": 0}] * 1001)}, "1000 changes"),
    ],
)
def test_a_button_that_cannot_work_says_why_and_keeps_the_draft(client_of, team, illness, do, more, sentence):
    page = client_of(team.steward).post(address(illness), {**DRAFT, "do": do, **more})
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert not Hierarchy.objects.exists()


def test_a_table_with_gaps_is_filled_in_from_the_page(client_of, team, illness):
    client = client_of(team.steward)
    file = SimpleUploadedFile("h.csv", b"cold,infection,*\nmumps,infection,*")
    client.post(f"/columns/{illness.pk}/hierarchy/import/", {"file": file})
    page = client.get(address(illness))
    assert (page.context["sheet"].missing, page.context["sheet"].surplus) == (1, 1)
    assert "1 without a row" in tight(page.content.decode())
    page = press(client, illness, "complete", page)
    press(client, illness, "save", page)
    illness.refresh_from_db()
    assert "flu;flu;*" in illness.hierarchy.lines


def test_a_tree_of_another_tool_is_imported(client_of, team, illness):
    tree = {"name": "Any", "children": [{"name": "viral", "children": [{"name": "flu"}, {"name": "cold"}]}]}
    file = SimpleUploadedFile("h.json", json.dumps(tree).encode())
    client_of(team.steward).post(f"/columns/{illness.pk}/hierarchy/import/", {"file": file})
    illness.refresh_from_db()
    assert illness.hierarchy.lines.splitlines() == ["flu;viral;*", "cold;viral;*"]


def test_htmx_gets_the_page_and_the_way_back(client_of, team, illness):
    client, headers = client_of(team.steward), {"HX-Request": "true"}
    assert client.post(address(illness), {**DRAFT, "do": "group"}, headers=headers).status_code == 200
    answer = client.post(address(illness), {**DRAFT, "do": "save"}, headers=headers)
    assert answer.headers["HX-Redirect"] == f"/columns/{illness.pk}/hierarchy/"


@pytest.mark.parametrize(
    ("who", "seen", "changed"),
    [
        ("steward", 200, 200),
        ("co_steward", 200, 200),
        ("reviewer", 200, 403),
        ("admin", 404, 404),
        ("analyst", 404, 404),
        ("outsider", 404, 404),
    ],
)
def test_who_may_look_and_who_may_edit(client_of, team, illness, who, seen, changed):
    client = client_of(team.persona(who))
    assert client.get(address(illness)).status_code == seen
    assert press(client, illness, "show").status_code == changed


def test_too_large_a_column_is_not_edited_by_hand(client_of, team, illness, monkeypatch):
    monkeypatch.setattr("stewardapp.views.hierarchy_editor.MOST_EDITED", 1)
    client = client_of(team.steward)
    page = client.get(address(illness))
    assert "too many to edit by hand" in page.content.decode()
    assert press(client, illness, "group", page, pick=["0-0"], label="x").status_code == 422
    page = press(client, illness, "build", page, builder="mask", **MASK)
    assert labels(page, 1) == {"#old", "#lu"}
    assert press(client, illness, "save", page).status_code == 302
    illness.refresh_from_db()
    assert illness.hierarchy.spec == {"builder": "mask", "side": "left", "character": "#"}


def test_a_column_that_cannot_be_shown_is_built_by_rule_unseen(client_of, team, illness, monkeypatch):
    monkeypatch.setattr("stewardapp.views.hierarchy_editor.previewable", lambda column: False)
    client = client_of(team.steward)
    page = client.get(address(illness))
    assert "without a preview" in page.content.decode()
    assert press(client, illness, "save", page).status_code == 422
    page = press(client, illness, "build", page, builder="mask", **MASK)
    assert "cold" not in readable(page.content.decode())
    assert press(client, illness, "save", page).status_code == 302
    illness.refresh_from_db()
    assert (illness.hierarchy.spec["builder"], illness.hierarchy.levels) == ("mask", 0)


def test_saving_a_hierarchy_made_by_a_rule_writes_its_lines(client_of, team, illness):
    """What compares along a hierarchy after the release needs them; nothing has to be changed for it."""
    client = client_of(team.steward)
    columns.tag(version=illness.version, roles={"illness": "sensitive"}, by=team.steward)
    listed = tight(client.get(f"/versions/{illness.version.pk}/columns/").content.decode())
    assert f"a hierarchy for {illness.name}" in listed
    press(client, illness, "save", press(client, illness, "build", builder="mask", **MASK))
    illness.refresh_from_db()
    assert illness.hierarchy.spec["builder"] == "mask"
    press(client, illness, "save")
    illness.refresh_from_db()
    assert illness.hierarchy.lines.splitlines() == ["cold;#old;##ld;###d;*", "flu;#lu;##u;###;*"]
