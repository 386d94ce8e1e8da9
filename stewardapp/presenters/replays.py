"""The page of the attacks: what each of them does in plain words, its figure, and how to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.presenters import charts
from stewardapp.presenters.numbers import percent, thousands
from worker.engine.contracts.chart import Chart
from worker.engine.demonstrations.settings import AttackSettings

if TYPE_CHECKING:
    from stewardapp.models import Replay


@dataclass(frozen=True)
class Story:
    """One attack for readers who never heard of it: what is done, why it works, how to read the figure."""

    name: str
    how: str
    reading: str
    desk: str


STORIES = {
    "every-question": Story(
        "Every question",
        "The attacker asks how many are ill in every group that can be formed of these people, then goes "
        "through all the ways in which they could be ill or well, and keeps the one that fits best.",
        "From the left to the right more of the possible groups are asked about. The dot of theory at the "
        "right end is the guarantee of Dinur and Nissim: when no answer is off by more than E people, "
        "whatever fits all the answers is wrong about at most 4 × E people, in every round.",
        "The budget is divided among the questions: more of them mean noisier answers, not more knowledge.",
    ),
    "random-questions": Story(
        "Random questions",
        "With more people nobody can ask about every group, and need not: some random groups for each person "
        "are enough. A linear program finds the people that fit the answers best, in a moment.",
        "As long as each answer is off by less than about the square root of the number of people, a few "
        "questions for each person give nearly everybody away. The dotted line counts out the argument of "
        "Dinur and Nissim: in 19 of 20 rounds, whoever fits all answers with bounded noise has at least so "
        "many bits right. The program rounds shares to whole people, and can fall a little short of it.",
        "Whatever the number of questions, our desk gives away no more than its whole budget allows.",
    ),
    "averaging": Story(
        "Averaging",
        "The attacker repeats one question, how many are ill for each person alone, and takes the mean of "
        "the answers. Noise that is drawn anew each time cancels out.",
        "The dotted line is exact: bits that are as likely as not are guessed right so often from one answer "
        "of this price, and our desk gives no other however often it is asked.",
        "An identical question gets the stored answer, whose noise stays what it is. An attacker who changes "
        "a word each time pays each time, until nothing is left.",
    ),
    "differencing": Story(
        "Differencing",
        "Counting one person alone may be forbidden. So the attacker counts everybody, then everybody but "
        "this one, and takes the difference: both are counts of many people, and harmless by themselves.",
        "From the left to the right more people are attacked from one count of everybody, and the figure is "
        "the share of them whose bit was told right. The dotted line is exact for bounded noise.",
        "The two answers of our desk have noise of their own, large enough to hide one person in each.",
    ),
}  # fmt: skip


OURS = "Our desk"


@dataclass(frozen=True)
class Finding:
    """What one way of answering gave away at the most questions."""

    name: str
    share: str
    interval: str
    right: str
    least: str


def shown(replay: Replay) -> dict[str, object]:
    """Everything the page prints of one replay."""
    parts = [_part(replay, one) for one in replay.result.get("attacks", ())]
    return {
        "replay": replay,
        "settings": settings_lines(replay),
        "parts": parts,
        "overview": overview(replay),
        "in_short": in_short(replay.result.get("attacks", ())),
        "cancelled": f"{replay.cancelled_by} asked for it." if replay.cancelled_by else "",
    }


def settings_lines(replay: Replay) -> list[tuple[str, str]]:
    """What was chosen, in the words of the form."""
    known = AttackSettings.parameters()
    return [
        (one.title, f"{replay.settings[one.name]:g} {one.unit or ''}".strip())
        for one in known
        if one.name in replay.settings
    ]


def overview(replay: Replay) -> dict[str, object]:
    """Ways to answer down, attacks across: the share of bits recovered in the end."""
    attacks = replay.result.get("attacks", ())
    shares = {
        (one["name"], attack["slug"]): percent(one["share"])
        for attack in attacks
        for one in attack["findings"]
    }
    slugs = [attack["slug"] for attack in attacks]
    names = dict.fromkeys(name for name, _ in shares)
    return {
        "attacks": [(slug, STORIES[slug].name) for slug in slugs],
        "rows": [(name, [shares.get((name, slug), "–") for slug in slugs]) for name in names],
    }


def in_short(attacks: Sequence[Mapping[str, Any]]) -> str:
    """What it comes to, in a sentence: our desk beside a coin, and beside what its budget allows."""
    ours = [one["share"] for attack in attacks for one in attack["findings"] if OURS in one["name"]]
    most = [Chart.from_dict(attack["chart"]).threshold for attack in attacks]
    if not ours or not most or most[0] is None:
        return ""
    found = " to ".join(dict.fromkeys(percent(one) for one in (min(ours), max(ours))))
    return (
        f"At our desk these attacks had {found} of the bits right, where a coin has about half; "
        "in the long run its budget lets no counts like theirs have more than "
        f"{percent(most[0].value)} right."
    )


def charts_of(replay: Replay) -> dict[str, Chart]:
    """The pictures by their names."""
    return {one["slug"]: Chart.from_dict(one["chart"]) for one in replay.result.get("attacks", ())}


def _part(replay: Replay, attack: dict[str, Any]) -> dict[str, object]:
    chart = Chart.from_dict(attack["chart"])
    picture = charts.pictured(chart, reverse("replay-chart", args=[replay.pk, chart.slug]))
    findings = [_finding(one) for one in attack["findings"]]
    asked = f"{chart.x.title.lower()}: {thousands(attack['findings'][0]['asked'])}"
    return {
        "slug": attack["slug"],
        "title": attack["title"],
        "story": STORIES[attack["slug"]],
        "picture": picture,
        "findings": findings,
        "asked": asked,
    }


def _finding(one: dict[str, Any]) -> Finding:
    return Finding(
        name=one["name"],
        share=percent(one["share"]),
        interval=f"{percent(one['low'])} to {percent(one['high'])}",
        right=f"{thousands(one['right'])} of {thousands(one['bits'])}",
        least=percent(one["least"]),
    )
