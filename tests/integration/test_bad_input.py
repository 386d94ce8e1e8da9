"""What is wrong with a file or a recipe is said on the page: what, where, how to mend it – never a value."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.actions import desks
from stewardapp.models import Charge, Query
from tests import factories
from tests.integration.url_scene import browser
from tests.integration.web_journey import Journey
from tests.site import Site

CANARY = "kanarie7"
TRACE = re.compile(r"Traceback|File \"|\.py\b|Error\b|Exception|\bNone\b|0x[0-9a-f]{6}")
HEAD, ROW = "age,town,illness\n", f"34,{CANARY},flu\n"


@dataclass(frozen=True)
class Bad:
    """A file, and what its page has to say."""

    content: Callable[[], bytes]
    what: str
    where: str
    mend: str


def zipped() -> bytes:
    """A table inside an archive that calls itself a table."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("survey.csv", HEAD + ROW)
    return packed.getvalue()


FILES = {
    "a header only": Bad(lambda: HEAD.encode(), "a header and no rows", "The file", "Export the table again"),
    "a ragged row": Bad(
        lambda: (HEAD + ROW + f"35,{CANARY},flu,{CANARY}\n" + ROW).encode(),
        "has 4 values where the header has 3",
        "line 3",
        "Add or remove a delimiter",
    ),
    "a short row": Bad(
        lambda: (HEAD + ROW + f"35,{CANARY}\n" + ROW).encode(),
        "has 2 values where the header has 3",
        "line 3",
        "Add or remove a delimiter",
    ),
    "a duplicate header": Bad(
        lambda: f"age,{CANARY},{CANARY}\n34,1,2\n".encode(), "the same name", "Columns 2 and 3", "Rename one"
    ),
    "an empty header": Bad(lambda: b"age,,illness\n34,1,2\n", "has no name", "Column 2", "Name every column"),
    "no header at all": Bad(lambda: b"\n34,1,2\n", "is empty", "Line 1", "Put the names of the columns"),
    "a NUL byte": Bad(
        lambda: (HEAD + ROW + f"35,{CANARY}\0,flu\n").encode(),
        "a NUL byte",
        "Line 3",
        "export it again as text",
    ),
    "ten thousand columns": Bad(
        lambda: (",".join(f"c{n}" for n in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n").encode(),
        "10 000 columns",
        "the limit is 2 000",
        "Leave out columns",
    ),
    "a huge cell": Bad(
        lambda: (HEAD + ROW + "36,").encode() + CANARY.encode() * (20 << 17) + b",flu\n",
        "longer than",
        "line 3",
        "quote",
    ),
    "a zip called .csv": Bad(zipped, "a ZIP archive", "whatever its name says", "Unzip it"),
    "a quote that never closes": Bad(
        lambda: (HEAD + f'34,"{CANARY},flu\n' + ROW * 3).encode(), "never closed", "line 2", "Close it"
    ),
}


def quiet(journey: Journey, text: str, logs: str) -> None:
    """No value and no trace, neither on the page nor in the log."""
    page = journey.seen.content.decode()
    assert CANARY not in page
    assert CANARY not in logs
    assert not TRACE.search(text), text


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_says_why(
    embedded_site: Site, name: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    bad, journey = FILES[name], Journey()
    version = journey.upload(bad.content())
    assert version is not None
    assert journey.read(version) == "failed"
    said = journey.alert()
    for part in (bad.what, bad.where, bad.mend):
        assert part in said, said
    quiet(journey, said, caplog.text + "".join(capfd.readouterr()))
    assert "Something went wrong on our side" not in said


def test_an_empty_file_is_refused_before_it_is_stored(embedded_site: Site) -> None:
    journey = Journey()
    assert journey.upload(b"") is None
    assert journey.seen.status_code == 422
    assert "Choose a file that is not empty" in journey.seen.content.decode()


def test_a_wrong_encoding_names_the_line_and_the_way_out(embedded_site: Site) -> None:
    journey = Journey()
    version = journey.upload((HEAD + ROW + f"35,{CANARY}é,flu\n").encode("latin-1"))
    assert version is not None
    assert journey.read(version) == "succeeded"  # found by itself; now somebody insists on UTF-8
    journey.post("steward", "version-read", version.pk, encoding="utf-8", missing="")
    assert journey.read(version) == "failed"
    said = journey.alert()
    for part in ("is not utf-8 text", "Line 3", "another encoding"):
        assert part in said
    quiet(journey, said, "")


# Recipes that do not fit the data

AGES = [20 + n % 7 for n in range(40)]
SURVEY = "age,town,blank,illness\n" + "".join(f"{age},{CANARY},,flu\n" for age in AGES)
ROLES = {"age": "quasi-identifier", "town": "other", "blank": "other", "illness": "sensitive"}
GENERALIZE = {"method": "generalization", "params": {"suppression_limit": 0.5}}


@pytest.fixture
def journey(embedded_site: Site) -> Journey:
    """Somebody whose data were read."""
    return Journey()


def prepared(journey: Journey, roles: dict[str, str], k: int, content: str = SURVEY) -> Any:
    """A release whose recipe asks for a k."""
    version = journey.upload(content.encode())
    assert version is not None
    assert journey.read(version) == "succeeded", journey.alert()
    journey.tag(version, roles)
    recipe = {"goals": [{"goal": "k-anonymity", "params": {"k": k}}], "steps": [GENERALIZE]}
    return journey.release(version, recipe)


def refusal(journey: Journey, release: Any) -> str:
    """What is said about the run, on its page and beside the step."""
    run = journey.run(release)
    said = journey.alert()
    quiet(journey, said, "")
    assert "Something went wrong on our side" not in said
    if run is not None:
        assert run.state == "failed"
        journey.get("steward", "release-configure", release.pk, run=run.pk)
        assert run.error_message in journey.alert()
    return said


def test_a_k_larger_than_the_table(journey: Journey) -> None:
    said = refusal(journey, prepared(journey, ROLES, k=41))
    for part in ("40 rows", "41 rows", "weaken the goal"):
        assert part in said, said


def test_a_quasi_identifier_that_is_all_missing(journey: Journey) -> None:
    said = refusal(journey, prepared(journey, ROLES | {"blank": "quasi-identifier"}, k=2))
    for part in ("Column 'blank'", "no value in any row", "Choose another column"):
        assert part in said, said


def test_a_hierarchy_without_a_value(journey: Journey) -> None:
    content = SURVEY.replace("20,", f"{CANARY}9,")
    release = prepared(journey, ROLES, k=2, content=content)
    column = release.version.columns.get(name="age")
    lines = "".join(f"{age};20-29;*\n" for age in range(21, 40)).encode()
    file = io.BytesIO(lines)
    file.name = "ages.csv"
    journey.post("steward", "column-import", column.pk, file=file)
    said = refusal(journey, release)
    for part in ("hierarchy of column 'age'", "1 of the 7 distinct values", "Add the missing rows"):
        assert part in said, said


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (b"20;20-29;*\n21;20-29\n", "line 2"),
        (b"20;20-29;*\n20;30-39;*\n", "line 2"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"", "empty"),
    ],
)
def test_a_hierarchy_that_is_no_hierarchy(journey: Journey, lines: bytes, what: str) -> None:
    release = prepared(journey, ROLES, k=2)
    file = io.BytesIO(lines)
    file.name = "ages.csv"
    journey.post("steward", "column-import", release.version.columns.get(name="age").pk, file=file)
    assert journey.seen.status_code == 422
    assert what.lower() in journey.seen.content.decode().lower()
    assert CANARY not in journey.seen.content.decode()


# Questions to a query desk

ASKED = {"ask": "mean", "column": "age", "epsilon": "0.5", "where_1": "age", "op_1": "above", "values_1": "5"}
OPENED = {"columns": ["age"], "rows_per_person": "1"}
HUGE, DIGITS = "1" + "0" * 40, "9" * 5000
TEXTS = ("half", "0x1", "0.5\0", "", "[0.5]")
QUESTIONS: dict[str, tuple[str, ...]] = {
    "epsilon": ("NaN", "sNaN", "inf", "-1", "0", "-0", "5e-324", "1e-7", HUGE, DIGITS, "1e999999999", *TEXTS),
    "share": ("NaN", "inf", "-0.5", "5e-324", "1", "half"),
    "extreme": ("NaN", "0.5", "-0.1"),
    "top": ("-1", "0", "2.5", HUGE, DIGITS, "three", "\0"),
    "sample_share": ("NaN", "0", "1"),
    "disturbance": ("inf", "0", "1.5"),
    "ask": ("", "everything", "mean\0"),
    "column": ("", "nobody", "name", "age\0"),
    "by": ("nobody", "age", "\0"),
    "on": ("paper",),
    "where_1": ("nobody", "\0"),
    "op_1": ("like", "\0"),
    "values_1": ("NaN", "inf", "tall", "", "1;2", "1\0", '"1', "1e999999999", "1e-999999999", "9" * 4001),
}
OPENINGS: dict[str, tuple[str, ...]] = {
    "columns": ("nobody", "name", "age\0", ""),
    "rows_per_person": ("0", "-1", "1.5", "NaN", HUGE, DIGITS, "\0", "one", ""),
}
GRANTS: dict[str, tuple[str, ...]] = {
    "epsilon": ("NaN", "inf", "-1", "5e-324", "1e-7", HUGE, DIGITS, "1e999999999", "half", "\0", ""),
    "delta": ("NaN", "-1", "1", "5e-324", "1e-16", "\0"),
    "user": ("", "nobody", "\0", HUGE),
}


def refused(client: Client, url: str, form: dict[str, Any], bad: dict[str, tuple[str, ...]]) -> None:
    """Each wrong part by itself: said on the page, beside a field, without a trace."""
    for name, values in bad.items():
        for value in values:
            page = client.post(url, form | {name: value})
            about = (name, value[:20])
            if "\0" in value:  # refused on a page before there is a form
                assert page.status_code == 400, about
                continue
            assert page.status_code == 422, about
            said = " ".join(
                re.findall(r'<ul class="errorlist[^>]*>.*?</ul>', page.content.decode(), re.DOTALL)
            )
            assert said, about
            assert not TRACE.search(said), (about, said)


def test_what_is_wrong_with_a_question_is_said_and_nothing_is_spent(embedded_site: Site) -> None:
    team = factories.make_project()
    desk = factories.make_desk(team)
    analyst, steward = browser(team.analyst), browser(team.steward)
    refused(analyst, reverse("desk-ask", args=[desk.pk]), ASKED, QUESTIONS)
    refused(
        analyst, reverse("desk-confirm", args=[desk.pk]), ASKED, {"epsilon": ("NaN", HUGE), "by": ("\0",)}
    )
    allot = reverse("allotment-detail", args=[desk.allotment.pk])
    refused(steward, allot, {"user": str(team.analyst.pk), "epsilon": "0.5", "delta": "0"}, GRANTS)
    desks.close(desk=desk, by=team.steward)
    refused(steward, reverse("desk-open", args=[desk.version.pk]), OPENED, OPENINGS)
    assert not Query.objects.exists()
    assert not Charge.objects.exists()
    assert desk.allowance_of(team.analyst).limit.epsilon_micro == 1_000_000
    for url, form in ((reverse("desk-open", args=[desk.version.pk]), OPENED), (allot, None)):
        assert steward.post(url, form or {"user": str(team.analyst.pk), "epsilon": "0.4"}).status_code == 302
