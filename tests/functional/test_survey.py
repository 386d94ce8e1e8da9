"""The respondent's browser randomizes, with exactly the stated probabilities, before anything is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route

from stewardapp.models import Survey
from tests.engine.methods.judging import ALPHA, fits, missed
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk
from worker.engine.randomization.response import Design
from worker.engine.randomization.survey_protocol import design, fingerprint, reported

DRAWS = 100_000
DESIGNS = [
    design(2, None, Decimal("0.75")),
    design(4, Decimal("1.5"), None),
    design(30, Decimal("0.7"), None),
    design(3, None, Decimal("0.998")),
]
SCRIPT = "/static/js/survey.js"
COUNTED = """async ([script, design, truth, draws, mutant]) => {
  const { below, randomized, totalOf } = await import(script);
  const weak = { ...design, true: Math.floor(design.true * 0.9) };
  const mutants = {
    "": () => randomized(design, truth),
    "a truth too rare": () => randomized(weak, truth),
    "others that may be true": () => {
      const word = below(totalOf(design));
      return word < design.true ? truth : Math.floor((word - design.true) / design.other);
    },
  };
  const counts = Array(design.categories).fill(0);
  for (let n = 0; n < draws; n += 1) counts[mutants[mutant]()] += 1;
  return counts;
}"""


@pytest.fixture(scope="module")
def survey(desk: Desk) -> str:
    """The public address of the demo's open survey."""
    with desk.inside():
        return f"/s/{Survey.objects.get(state='collecting').public_id}/"


@pytest.fixture
def respondent(visit: Callable[..., Visitor], survey: str) -> Page:
    """Somebody without an account at the page of the survey."""
    page = visit().goto(survey)
    page.locator("[data-ready]").wait_for()
    return page


def weights(one: Design) -> dict[str, int]:
    return {"true": one.true, "other": one.other, "categories": one.categories}


def stated(one: Design, truth: int) -> list[float]:
    """The probability of each answer."""
    return [(one.true if code == truth else one.other) / one.total for code in range(one.categories)]


def test_what_is_sent_has_the_stated_probabilities(respondent: Page) -> None:
    for one in DESIGNS:
        for truth in {0, one.categories // 2, one.categories - 1}:
            counts = respondent.evaluate(COUNTED, [SCRIPT, weights(one), truth, DRAWS, ""])
            assert sum(counts) == DRAWS
            assert fits(counts, stated(one, truth))


MUTANTS = {
    "a truth too rare": [0.573, 0.142, 0.142, 0.142],
    "others that may be true": [0.733, 0.134, 0.134, 0],
}
"""With which probabilities each draws, nearly."""


@pytest.mark.parametrize("mutant", MUTANTS)
def test_other_probabilities_would_be_noticed(respondent: Page, mutant: str) -> None:
    one = DESIGNS[1]
    assert missed(MUTANTS[mutant], stated(one, 0), DRAWS) < ALPHA
    assert not fits(respondent.evaluate(COUNTED, [SCRIPT, weights(one), 0, DRAWS, mutant]), stated(one, 0))


def test_browser_and_server_mean_the_same(respondent: Page) -> None:
    """Codes at the ends of every share of words, and the hash of the probabilities."""
    both = """async ([script, design, truth, words]) => {
      const { reported } = await import(script);
      return words.map((word) => reported(design, truth, word));
    }"""
    for one in DESIGNS:
        edges = [one.true + n * one.other for n in range(one.categories)]
        words = sorted({0, one.total - 1, *(edge + shift for edge in edges[:-1] for shift in (-1, 0))})
        for truth in (0, 1, one.categories - 1):
            found = respondent.evaluate(both, [SCRIPT, weights(one), truth, words])
            assert found == [reported(one, truth, word) for word in words]
    hashed = "async ([script, id, designs]) => (await import(script)).fingerprint(id, designs)"
    assert respondent.evaluate(hashed, [SCRIPT, "id", list(map(weights, DESIGNS))]) == fingerprint(
        "id", DESIGNS
    )


def test_words_that_cannot_be_shared_out_equally_are_drawn_again(respondent: Page) -> None:
    drawn = """async ([script, total, words]) => {
      const { below } = await import(script);
      const left = [...words];
      crypto.getRandomValues = (into) => { into.set(left.shift()); return into; };
      return [below(total), left.length];
    }"""
    top = 2**53 - 1  # 2⁵³ leaves a remainder of 2 when divided by 3: the two highest words are not used
    high, last = [top >> 32, top & 0xFFFFFFFF], top - 2
    unused = [high, [top >> 32, (top - 1) & 0xFFFFFFFF]]
    used = [last >> 32, last & 0xFFFFFFFF]
    assert respondent.evaluate(drawn, [SCRIPT, 3, [*unused, used, [0, 0]]]) == [last % 3, 1]


# What leaves the device


def answered(page: Page, truths: tuple[str, str], words: list[list[int]]) -> dict[str, Any]:
    """Answer with these truths while the system's randomness gives these words; the request that is made."""
    sent: list[Request] = []

    def catch(route: Route) -> None:
        sent.append(route.request)
        route.fulfill(status=201, json={"stored": True})

    page.route("**/answer/", catch)
    page.reload()
    page.locator("[data-ready]").wait_for()
    page.evaluate(
        """(words) => { crypto.getRandomValues = (into) => { into.set(words.shift()); return into; }; }""",
        words,
    )
    for truth in truths:
        page.get_by_label(truth, exact=True).check()
    page.get_by_role("button", name="Randomize here, then send").click()
    page.get_by_text("Thank you. This was sent:").wait_for()
    assert page.locator("input:checked").count() == 0
    kept = page.evaluate("JSON.stringify({ ...localStorage })")
    page.evaluate("localStorage.clear()")
    (one,) = sent
    return {
        "method": one.method,
        "url": one.url,
        "body": one.post_data,
        "headers": one.all_headers(),
        "kept": kept,
    }


def word(value: int) -> list[int]:
    return [value >> 32, value & 0xFFFFFFFF]


def test_the_request_depends_on_what_came_out_and_not_on_the_truth(respondent: Page) -> None:
    """Two people with different truths whose chance gives the same codes send the same bytes."""
    binary, quaternary = DESIGNS[0], DESIGNS[1]
    lie, truth = word(binary.true), word(0)
    one = answered(respondent, ("yes", "nobody"), [lie, word(quaternary.true)])  # lies: no, a friend
    other = answered(respondent, ("no", "a friend"), [truth, word(0)])  # the same as truths
    assert one == other
    said = json.loads(one["body"])
    assert set(said) == {"protocol", "parameters", "codes"}
    assert said["codes"] == [1, 1]
    assert "cookie" not in one["headers"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/s/[0-9a-f-]{36}/answer/", one["url"])


def test_an_answer_arrives_once_and_answering_again_cannot_average_it_out(respondent: Page) -> None:
    posts: list[Request] = []
    respondent.on("request", lambda one: posts.append(one) if one.method == "POST" else None)
    for truth in ("yes", "a coach"):
        respondent.get_by_label(truth, exact=True).check()
    respondent.get_by_role("button", name="Randomize here, then send").click()
    respondent.get_by_text("Thank you. This was sent:").wait_for()
    first = respondent.locator("[data-codes]").inner_text()
    assert len(first.splitlines()) == 2
    respondent.reload()
    respondent.get_by_text("Thank you. This was sent:").wait_for()
    assert respondent.locator("[data-codes]").inner_text() == first
    assert not respondent.get_by_role("button").count()
    assert len(posts) == 1
    assert respondent.context.cookies() == []


def test_what_did_not_arrive_is_sent_again_as_it_was(respondent: Page) -> None:
    bodies: list[str | None] = []

    def cut(route: Route) -> None:
        bodies.append(route.request.post_data)
        route.fulfill(status=201, json={}) if len(bodies) > 2 else route.fulfill(
            status=429, json={"reason": "Later."}
        )

    respondent.route("**/answer/", cut)
    respondent.get_by_role("button", name="Randomize here, then send").click()
    respondent.get_by_text("Answer every question first.").wait_for()
    for truth in ("no", "a physician"):
        respondent.get_by_label(truth, exact=True).check()
    respondent.get_by_role("button", name="Randomize here, then send").click()
    respondent.get_by_text("Later.").wait_for()
    respondent.get_by_role("button", name="Send the same again").click()
    respondent.reload()
    respondent.get_by_role("button", name="Send the same again").click()
    respondent.get_by_text("Thank you. This was sent:").wait_for()
    assert len(set(bodies)) == 1


def test_the_server_takes_no_raw_answer_from_the_page_either(respondent: Page) -> None:
    """Somebody changes the script and sends words instead of codes."""
    raw = """async (body) => {
      const url = JSON.parse(document.querySelector("[data-survey]").dataset.survey).url;
      const headers = { "Content-Type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(body), credentials: "omit" };
      return (await fetch(url, sent)).status;
    }"""
    for body in (
        {"doping": "yes"},
        {"protocol": "k-rr/1", "codes": [0, 1], "parameters": "", "truth": "yes"},
    ):
        assert respondent.evaluate(raw, body) == 400


def test_without_a_script_there_is_nothing_to_fill_in(visit: Callable[..., Visitor], survey: str) -> None:
    page = visit(java_script_enabled=False).goto(survey)
    assert page.get_by_role("heading", name="This page needs JavaScript").is_visible()
    assert page.locator("input:visible, button:visible").count() == 0
