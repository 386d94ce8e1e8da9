"""The guide: every page is listed and renders, every link of it leads somewhere, nothing raw passes."""

import re
import subprocess
import sys

import pytest
from django.test import Client

from stewardapp import guide
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client: Client) -> Client:
    client.force_login(factories.make_user())
    return client


def listed() -> set[str]:
    return {entry.name for part in guide.index() for entry in part.entries}


def linked_from(name: str) -> set[str]:
    """The pages of the guide that a page leads to."""
    found = guide.page(name)
    assert found is not None
    return set(re.findall(r'href="/help/([\w/.-]+?)/(?:#[\w-]*)?"', str(found.body)))


def test_every_page_is_within_reach_of_the_index() -> None:
    reached, waiting = set(), listed()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= linked_from(name) - reached
    assert guide.names() - reached == {guide.INDEX}


def test_every_page_answers_and_its_links_lead_somewhere(reader: Client) -> None:
    for name in sorted(guide.names()):
        page = reader.get(f"/help/{name}/").content.decode()
        anchors = set(re.findall(r'id="([^"]+)"', page))
        for href, anchor in re.findall(r'href="(/help/[^"#]*)?(?:#([^"]+))?"', page):
            target = page
            if href:
                answer = reader.get(href)
                assert answer.status_code == 200, (name, href)
                target = answer.content.decode()
            if anchor:
                assert anchor in (set(re.findall(r'id="([^"]+)"', target)) if href else anchors), (
                    name,
                    anchor,
                )
        regions = re.findall(r'role="region" aria-label="([^"]+)"', page)
        assert len(regions) == len(set(regions)), name
        for source in re.findall(r'src="(/help/[^"]+)"', page):
            assert reader.get(source)["Content-Type"] == "image/png", (name, source)


def test_a_link_beside_the_folder_is_mended_only_where_there_is_a_page() -> None:
    for name in guide.names():
        text = (guide.FOLDER / f"{name}.md").read_text()
        for href in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", text):
            place = (guide.FOLDER / f"{name}.md").parent / href
            assert place.exists(), (name, href)


def test_the_index_shows_every_part(reader: Client) -> None:
    page = reader.get("/help/").content.decode()
    for part in guide.index():
        assert part.title in page
        assert part.entries, part.title
        for entry in part.entries:
            assert entry.title in page
            assert entry.about, entry.name


@pytest.mark.parametrize(
    "name", ["nothing", "../README", "pictures/tag.png", "adr/../roles", ".", "roles.md"]
)
def test_what_is_no_page_is_not_found(reader: Client, name: str) -> None:
    assert reader.get(f"/help/{name}/").status_code == 404


@pytest.mark.parametrize("name", ["nothing.png", "tag.PNG", "%00.png"])
def test_what_is_no_picture_is_not_found(reader: Client, name: str) -> None:
    assert reader.get(f"/help/pictures/{name}").status_code in (400, 404)


@pytest.mark.parametrize("name", ["../roles.md", "../pictures/tag.png", "a/tag.png", "", "."])
def test_a_picture_is_a_name_and_no_path(name: str) -> None:
    assert guide.picture(name) is None


def test_raw_html_is_text(tmp_path: object, monkeypatch: pytest.MonkeyPatch, settings: object) -> None:
    folder = guide.FOLDER.__class__(str(tmp_path))
    (folder / "hostile.md").write_text(
        "# A *title*\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n\n"
        "## One & two\n\n```mermaid\nx\n```\n"
    )
    monkeypatch.setattr(guide, "FOLDER", folder)
    page = guide.page("hostile")
    assert page is not None
    assert "<script" not in page.body
    assert 'href="javascript' not in page.body
    assert "mermaid" not in page.body
    assert [(one.anchor, one.text) for one in page.headings] == [("one--two", "One & two")]


ROOTS = ("", "stewardapp", "worker", "worker/process", "worker/engine")


@pytest.mark.parametrize("name", ["walk", "adding"])
def test_the_files_it_names_are_there(name: str) -> None:
    text = re.sub(r"```.*?```", "", (guide.FOLDER / f"{name}.md").read_text(), flags=re.S)
    paths = re.findall(r"`([a-z_]+/[a-z_./]*?(?:\.py|/))`", text)
    assert len(paths) > 3
    missing = [one for one in paths if not any((guide.FOLDER.parent / root / one).exists() for root in ROOTS)]
    assert missing == []


TRIED = """
import re, sys, types
from pathlib import Path
from tests.engine import checks
from worker.engine import catalogue
from worker.engine.recipes.recipe import Recipe
for number, code in enumerate(re.findall(r"```python\\n(.*?)```", Path("docs/adding.md").read_text(), re.S)):
    module = sys.modules[f"example{number}"] = types.ModuleType(f"example{number}")
    exec(compile(code, f"example{number}", "exec"), module.__dict__)
checks.check_chunked_equals_whole(catalogue.method("truncating").examples()[0])
checks.check_output_schema(catalogue.method("truncating").examples()[1])
for cls in (catalogue.method("truncating"), catalogue.measure("staying")):
    checks.check_documented(cls)
Recipe.parse(re.search(r"```json\\n(.*?)```", Path("docs/adding.md").read_text(), re.S).group(1))
checks.check_measure(catalogue.measure("staying").examples()[0])
checks.check_measure_where_rows_are_gone(catalogue.measure("staying").examples()[0])
"""


def test_the_examples_of_how_to_add_work() -> None:
    """In a process of its own, because what is made known there is no part of the product."""
    command = [sys.executable, "-c", TRIED]
    answer = subprocess.run(command, cwd=guide.FOLDER.parent, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
