"""Planted values go through the whole product and are then looked for everywhere it writes or answers.

Real pages, a real worker, a real queue. Found is what lies open, in any of a dozen disguises.
"""

from __future__ import annotations

import html
import io
import re
import subprocess
import tarfile
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve, reverse

from stewardapp.actions import comments, hierarchies, previews
from stewardapp.models import Preview, Release, Run, Version
from tests import factories
from tests.faults import trouble
from tests.faults.world import ended, running
from tests.integration import tattling
from tests.integration.canaries import Search, compressed, disguises
from tests.integration.url_scene import browser
from tests.integration.url_table import announcement
from tests.integration.web_journey import Journey
from tests.listening import Listener, listener
from tests.site import Site, until
from worker.queue import outbox

__all__ = ["listener"]

# Every person has a name of one's own; a town, an income and a note that only one has; two illnesses.
NAMES = tuple(f"Nam{letter}<n&é>ri{letter}" for letter in "abcdefghij")
TOWN, INCOME, NOTE = "Tøwn<q&i>Kanari", "918273645", "Nöte \\free & <text> Kanari"
RARE, COMMON = "Räre<ill&ness>Kanari", "Cömmon<ill&ness>Kanari"
HEADER, RAGGED, ENCODED = "Header<of&a>filé", "Ragged<r&ow>Kanarié", "Encoded<b&y>Kanarié"
QUOTED, LATE = "Quoted<n&ever>closé", "Late<h&alf>sént"

SECRET = {
    **{f"name {number}": name for number, name in enumerate(NAMES)},
    "town": TOWN,
    "income": INCOME,
    "note": NOTE,
    "header": HEADER,
    "ragged": RAGGED,
    "encoded": ENCODED,
    "quoted": QUOTED,
    "late": LATE,
}
RELEASED = {"rare": RARE, "common": COMMON}  # in a column that is released as it is
# Pages of the team that show values of a column by design: how its hierarchy groups them.
VALUES_OF_A_COLUMN = {
    "column-hierarchy",
    "column-hierarchy-edit",
    "hierarchy-export",
    "step-matrix",
    "step-matrix-chart",
}
# Where the released bytes themselves are shown or handed out.
RELEASED_BYTES = {"review-detail", "artifact-download", "run-detail", "run-report", "run-report-file"}
LINK = re.compile(r'(?:href|src|hx-get|data-[a-z-]*(?:url|src))="([/?][^"#]*)')
NOT_FOLLOWED = ("/static/", "/admin/", "/accounts/")

FILES = 12
ALIKE = {"method-detail": 3, "help-page": 3, "help-picture": 1, "run-explorer": 3, "population-budget": 3}

SECRETS = Search(tuple(SECRET.items()))
EVERYTHING = Search((*SECRET.items(), *RELEASED.items()))


def survey() -> bytes:
    """Sixty people."""
    lines = ["name,age,town,income,note,illness"]
    for number in range(60):
        alone = number == 7
        lines.append(
            f"{NAMES[number % 10]}{number},{20 + number % 3 * 10},{TOWN if alone else 'Northtown'},"
            f"{INCOME if alone else 1000 + number},{NOTE if alone else 'none'},"
            f"{RARE if alone else COMMON if number % 2 else 'flu'}"
        )
    return "\n".join([*lines, ""]).encode()


ROLES = {
    "name": "direct-identifier",
    "age": "quasi-identifier",
    "town": "quasi-identifier",
    "income": "quasi-identifier",
    "illness": "sensitive",
}
# Read as some code page by itself, refused when somebody insists on UTF-8.
ENCODING = f"a,b\n1,{ENCODED}\n".encode() + b"2,\xff\xfe\n3,\xe9" + ENCODED.encode("latin-1") + b"\n"
BAD_FILES = {
    "ragged": f"a,b\n1,2\n{RAGGED},2,{RAGGED}\n".encode(),
    "duplicate": f"{HEADER},{HEADER}\n1,2\n".encode(),
    "long header": f"a,{HEADER * 20}\n1,2\n".encode(),
    "utf-16 cut": f"a,b\n1,{ENCODED}\n".encode("utf-16")[:-1],
    "quote": f'a,b\n1,"{QUOTED}\n2,{QUOTED}\n'.encode(),
    "nul": f"a,b\n1,{RAGGED}\0\n".encode(),
    "zip": b"PK\x03\x04" + ENCODED.encode() * 10,
    "parquet": b"PAR1" + ENCODED.encode() * 10 + b"PAR1",
}


# What is looked through


def files(root: Path, search: Search) -> list[tuple[str, Any]]:
    """What lies open in the data folder: queue, database, temporary files, blobs, logs.

    Another process reads it: one that opens and closes its own database file loses its locks on it.
    """
    packed = subprocess.run(
        ["tar", "--create", "--directory", root, "."], stdout=subprocess.PIPE, check=False, timeout=120
    )
    found = []
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for one in archive:
            content = archive.extractfile(one)
            if content is not None:
                found += [(one.name.removeprefix("./"), hit) for hit in search.found(content.read())]
    return found


def rows(search: Search) -> list[tuple[str, Any]]:
    """What lies open in the database, table by table, whatever pages its file is cut into."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            for row in cursor:
                for column, value in zip(columns, row, strict=True):
                    content = value if isinstance(value, bytes) else str(value).encode()
                    found += [(f"{table}.{column}", one) for one in search.found(content)]
    return found


def crawled(client: Client, start: list[str], most: int = 250) -> Iterator[tuple[str, bytes]]:
    """Every page that can be reached by links, charts and fragments, with its content; of pages that differ
    in no more than what they are about, as many as there are files here, and of others a few."""
    known, waiting, seen = set(start), deque(start), Counter[str]()
    while waiting and most:
        url = waiting.popleft()
        seen[name_of(url)] += 1
        if seen[name_of(url)] > ALIKE.get(name_of(url), FILES):
            continue
        most -= 1
        answer = client.get(url)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        yield url, content + repr(sorted(answer.headers.items())).encode()
        for link in LINK.findall(content.decode(errors="replace")):
            target = urljoin(url, html.unescape(link))
            if target not in known and not target.startswith(NOT_FOLLOWED):
                known.add(target)
                waiting.append(target)


def name_of(url: str) -> str:
    """The name of an address."""
    return str(resolve(url.partition("?")[0]).url_name)


def sightings(client: Client, start: list[str]) -> Counter[tuple[str, str]]:
    """How often each sort of value was seen on each kind of page, and how many pages there were."""
    seen: Counter[tuple[str, str]] = Counter()
    for url, content in crawled(client, start):
        seen[name_of(url), "pages"] += 1
        seen.update({(name_of(url), kind(name)) for name, _ in EVERYTHING.found(content)})
    return seen


def kind(name: str) -> str:
    """What sort of value it is: of a column, released, released often, or in a file that was refused."""
    return (
        name if name in ("rare", "common") else "column" if name in ("town", "income", "note") else name[:4]
    )


# What each persona sees, and where; nothing else, and nothing anywhere else.
OF_COLUMNS = {(page, kind) for page in VALUES_OF_A_COLUMN for kind in ("name", "column", "rare", "common")}
OF_RELEASE = {(page, kind) for page in RELEASED_BYTES for kind in ("rare", "common")}
OF_PREVIEWS = {("preview-detail", "common"), ("preview-chart", "common")}  # what many rows hold
# What its columns hold is listed for those who may have the file.
LISTED = {("catalogue-detail", kind) for kind in ("rare", "common")}
TEAM = OF_COLUMNS | OF_RELEASE | OF_PREVIEWS | LISTED | {("run-chart", "common")}
TAKEN = LISTED | {("artifact-download", kind) for kind in ("rare", "common")}
MAY_SEE: dict[str, set[tuple[str, str]]] = {
    "steward": TEAM,
    "reviewer": TEAM,
    "analyst": TAKEN,
    "outsider": TAKEN,  # published for everybody with an account
    "admin": TAKEN,
}


# The way through


def queued(journey: Journey, site: Site) -> list[Version]:
    """Everything is uploaded and announced; nobody reads yet."""
    good, encoded = journey.upload(survey()), journey.upload(ENCODING)
    bad = [journey.upload_in_pieces(content, f"{name}.csv") for name, content in BAD_FILES.items()]
    half_sent(journey)
    outbox.send_due()
    assert list((site.data / "spool").rglob("*")), "messages wait in the queue"
    return [one for one in (good, encoded, *bad) if one is not None]


def half_sent(journey: Journey) -> None:
    """An upload that was begun and never finished."""
    dataset = factories.make_dataset(journey.team)
    headers = announcement(dataset.pk) | {"Upload-Length": "100000"}
    begun = journey.client("steward").post(reverse("upload"), headers=headers)
    journey.client("steward").patch(
        begun["Location"],
        (LATE * 100).encode(),
        content_type="application/offset+octet-stream",
        headers={"Upload-Offset": "0"},
    )


def tattle(column: str) -> dict[str, Any]:
    return {"method": tattling.SLUG, "params": {"column": column}}


def recipe(*steps: dict[str, Any], k: int = 5) -> dict[str, Any]:
    return {
        "goals": [{"goal": "k-anonymity", "params": {"k": k}}],
        "steps": [*steps, {"method": "generalization", "params": {"suppression_limit": 0.9}}],
        "measures": ["*"],
    }


def publish(journey: Journey, release: Release, run: Run) -> None:
    """Through review, with a comment, to the catalogue."""
    description = {"purpose": "To study.", "audience": "signed-in", "revision": release.revision}
    assert journey.post("steward", "release-submit", release.pk, run.pk, **description).status_code == 302
    comments.add(release=release, text="Why?", by=journey.team.reviewer)
    release.refresh_from_db()
    seen = {"manifest_sha256": release.candidate_sha256}
    vote = {**seen, "decision": "approve", "reason": "Read."}
    assert journey.post("reviewer", "review-decide", release.pk, **vote).status_code == 302
    assert journey.post("steward", "release-publish", release.pk, **seen).status_code == 302
    release.refresh_from_db()
    assert release.state == "published"


def test_no_planted_value_is_found_where_it_must_not_be(embedded_site: Site, listener: Listener) -> None:
    site = embedded_site
    journey = Journey(team=factories.make_project(rows=factories.demands(k=2, risk="1")))
    versions = queued(journey, site)
    assert files(site.data, EVERYTHING) == []  # the queue, the uploads, the raw bytes, the database

    site.more["STEWARD_LOG_LEVEL"] = "DEBUG"
    site.start_worker("tests.integration.tattling", "worker")
    good, encoded, *bad = versions
    assert {ended(good.attempt), ended(encoded.attempt)} == {"succeeded"}
    journey.post("steward", "version-read", encoded.pk, encoding="utf-8", missing="")
    outbox.send_due()
    assert {one.filename: ended(one.attempt) for one in (encoded, *bad)} == {
        one.filename: "failed" for one in (encoded, *bad)
    }
    good.refresh_from_db()
    journey.tag(good, ROLES)
    hierarchies.attach(**built(journey, good))

    release = journey.release(good, recipe({"method": trouble.SLUG, "params": {"seconds": 1.5}}))
    run = started(journey, release)
    running(run)
    assert files(site.data, SECRETS) == []  # while the engine holds the table in its memory
    assert ended(run) == "succeeded", run.error_message
    failed = []
    for broken in (*(recipe(tattle(name)) for name in ("town", "income")), recipe(k=1000)):
        draft = factories.releases.create(version=good, title="Bad", recipe=broken, by=journey.team.steward)
        failed.append(started(journey, draft))
    assert {ended(one) for one in failed} == {"failed"}
    tried = [preview(journey, draft, name) for name in ("town", "income", "illness")]
    publish(journey, release, run)

    look_at_pages(journey, release, run, versions, [*failed, *tried])
    until(lambda: "perform" in site.logs(), what="the worker logged something")
    web = listener.stream.getvalue()
    assert "request_finished" in web
    assert EVERYTHING.found(web.encode()) == set()
    assert EVERYTHING.found(site.logs().encode()) == set()
    assert files(site.data, EVERYTHING) == []
    assert rows(EVERYTHING) == []


def preview(journey: Journey, draft: Release, column: str) -> Preview:
    """A step tried on a column, by the worker."""
    step = {"method": "pram", "params": {"column": column, "keep": 0.9}}
    made = previews.start(release=draft, step=step, by=journey.team.steward)
    outbox.send_due()
    assert ended(made) == "succeeded", made.error_message
    return made


def built(journey: Journey, version: Version) -> dict[str, Any]:
    """A hierarchy for the towns that knows no value."""
    made = {"name": "Towns", "spec": {"builder": "mask"}, "levels": 20, "by": journey.team.steward}
    hierarchy = hierarchies.create(project=journey.team.project, **made)
    column = version.columns.get(name="town")
    return {"column": column, "hierarchy": hierarchy, "by": journey.team.steward}


def started(journey: Journey, release: Release) -> Run:
    """A run that waits for the worker."""
    journey.post("steward", "run-start", release.pk)
    outbox.send_due()
    return release.runs.get()


def look_at_pages(
    journey: Journey, release: Release, run: Run, versions: list[Version], failed: list[Run | Preview]
) -> None:
    """Everything everybody can reach, and what was answered on the way."""
    start = [
        reverse(name) for name in ("home", "release-list", "dataset-list", "audit-list", "catalogue-list")
    ]
    start += [reverse("version-detail", args=[version.pk]) for version in versions]
    start += [reverse(f"{type(one).__name__.lower()}-detail", args=[one.pk]) for one in (run, *failed)]
    start += [reverse("review-detail", args=[release.pk]), reverse("release-detail", args=[release.pk])]
    start += [reverse("column-hierarchy", args=[column.pk]) for column in versions[0].columns.all()]
    start += [reverse("catalogue-detail", args=[release.public_id])]
    start += [reverse("artifact-download", args=[one.pk]) for one in run.artifacts.all()]
    for persona, may_see in MAY_SEE.items():
        seen = sightings(journey.client(persona), start)
        values = {sighting for sighting in seen if sighting[1] != "pages"}
        assert values <= may_see, persona
        assert values >= TAKEN, persona  # the search works on what is there
        assert seen.total() > 30
    assert {what for _, what in sightings(browser(None), start)} == {"pages"}
    for persona, path, answer in journey.pages:
        content = b"" if answer.streaming else answer.content
        values = {(name_of(path), kind(name)) for name, _ in EVERYTHING.found(content)}
        assert values <= MAY_SEE[persona], path


# Controls: the search sees what it is to see


@pytest.mark.parametrize("disguise", list(disguises(INCOME)))
@pytest.mark.parametrize("name", ["town", "income", "note"])
def test_the_search_sees_every_disguise(tmp_path: Path, name: str, disguise: str) -> None:
    for written in disguises(SECRET[name]).get(disguise, ()):
        (tmp_path / "page.html").write_bytes(b"<p>before " + written + b" after</p>")
        assert {(where, one[0]) for where, one in files(tmp_path, SECRETS)} == {("page.html", name)}


@pytest.mark.parametrize("offset", range(3))
def test_the_search_looks_into_what_is_wrapped(tmp_path: Path, offset: int) -> None:
    import base64

    inner = b"x" * offset + TOWN.encode() + b"y" * 40
    (tmp_path / "packed.gz").write_bytes(b"head" + compressed(inner))
    (tmp_path / "chart.json").write_bytes(b'{"bdata": "' + base64.b64encode(compressed(inner)) + b'"}')
    (tmp_path / "coded.txt").write_bytes(base64.b64encode(inner))
    assert {where for where, _ in files(tmp_path, SECRETS)} == {"packed.gz", "chart.json", "coded.txt"}


def test_the_search_finds_nothing_where_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(survey().replace(b"Kanari", b"").replace(b"Nam", b"")[:40])
    assert files(tmp_path, SECRETS) == []


def test_the_search_sees_a_value_in_the_database(embedded_site: Site) -> None:
    factories.make_project()
    journey = Journey()
    hierarchies.create(
        project=journey.team.project, name=TOWN, spec={"builder": "mask"}, by=journey.team.steward
    )
    assert ("stewardapp_hierarchy.name", ("town", "plain")) in rows(SECRETS)
