"""What the budget prevents: everybody reads it, stewards and administrators have it replayed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed, yes
from stewardapp.actions import replays
from stewardapp.management import demo_attacks
from stewardapp.models import Replay
from stewardapp.presenters.replays import STORIES
from tests import factories
from tests.factories import Team
from worker.engine.demonstrations.replay import planned
from worker.engine.demonstrations.settings import AttackSettings
from worker.queue import runner

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
SMALL = {"few": 4, "people": 16, "questions": 1, "rounds": 1}


def sent(**changes: object) -> dict[str, str]:
    """The form as filled in."""
    settings = AttackSettings(**SMALL).params() | changes
    return {f"attack-{name}": str(value) for name, value in settings.items()}


POLLS = re.compile(r'hx-get="(/attacks/[^"]+)"')
PAGE = "/attacks/"


def test_a_steward_has_the_attacks_replayed_and_everybody_reads_what_came_of_it(browse: Browser) -> None:
    steward, analyst = browse("steward"), browse("analyst")
    assert "Nothing was replayed yet" in analyst.get(PAGE).content.decode()
    answer = steward.post(reverse("replay-start"), sent())
    replay = Replay.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/attacks/{replay.pk}/")
    assert replay.settings == AttackSettings(**SMALL).params()
    waiting = analyst.get(answer.headers["Location"]).content.decode()
    assert POLLS.findall(waiting) == [answer.headers["Location"]]

    runner.perform("replay", str(replay.pk))
    replay.refresh_from_db()
    assert replay.state == "succeeded", replay.error_message
    fragment = analyst.get(f"/attacks/{replay.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert not POLLS.findall(fragment)
    page = analyst.get(PAGE).content.decode()
    for attack in planned(AttackSettings(**SMALL)):
        assert attack.title in page
        url = reverse("replay-chart", args=[replay.pk, attack.slug])
        assert url in page
        drawn = json.loads(analyst.get(url).content)
        assert "Our desk" in [trace["name"] for trace in drawn["data"]]
        assert drawn["layout"]["annotations"][0]["text"].endswith("73.1\u00a0%")
    assert "At our desk these attacks had" in page
    assert "no counts like theirs have more than 73.1" in page
    assert analyst.get(f"/attacks/{replay.pk}/charts/nothing/").status_code == 404


def test_every_attack_is_explained() -> None:
    assert [one.slug for one in planned(AttackSettings())] == list(STORIES)


def test_wrong_settings_are_said_beside_their_fields(browse: Browser) -> None:
    page = browse("admin").post(reverse("replay-start"), sent(people=5000, budget=0))
    assert page.status_code == 422
    assert set(page.context["form"].errors) == {"people", "budget"}
    page = browse("admin").post(reverse("replay-start"), sent(budget=0.1, price=1))
    assert "A question must not cost more than the whole budget." in page.content.decode()
    assert not Replay.objects.exists()


def test_one_at_a_time_and_by_who_guards_a_budget(team: Team, browse: Browser) -> None:
    assert browse("analyst").post(reverse("replay-start"), sent()).status_code == 403
    factories.make_replay(team, done=False)
    assert browse("steward").post(reverse("replay-start"), sent()).status_code == 403
    with pytest.raises(NotAllowed, match="already"):
        replays.start(settings={}, by=team.admin)


def test_who_starts_at_the_same_moment_is_told_so(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.make_replay(team, done=False)
    monkeypatch.setattr(replays, "may_replay_attacks", lambda *_: yes())  # it was idle when they looked
    with pytest.raises(Conflict, match="just had"):
        replays.start(settings={}, by=team.admin)


def test_a_waiting_replay_is_cancelled_at_once_and_a_running_one_when_it_can(
    team: Team, browse: Browser
) -> None:
    waiting = factories.make_replay(team, done=False)
    page = browse("admin").post(reverse("replay-cancel", args=[waiting.pk]), follow=True).content.decode()
    assert "Cancelled." in page
    assert f"{team.admin} asked for it." in page
    running = factories.make_replay(team, done=False)
    assert Replay.objects.claim(running.pk, "w", 60) is not None
    browse("steward").post(reverse("replay-cancel", args=[running.pk]))
    page = browse("analyst").get(f"/attacks/{running.pk}/").content.decode()
    assert "Stopping at the next checkpoint." in page
    assert browse("steward").post(reverse("replay-cancel", args=[running.pk])).status_code == 403


def test_two_who_cancel_at_once_are_told(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = factories.make_replay(team, done=False)
    monkeypatch.setattr(type(Replay.objects.all()), "request_cancel", lambda *_: False)
    with pytest.raises(Conflict, match="somebody else"):
        replays.cancel(replay=replay, by=team.steward)


def test_an_action_judges_settings_itself(team: Team) -> None:
    with pytest.raises(Invalid) as refused:
        replays.start(settings={"few": 30}, by=team.steward)
    assert refused.value.param == "few"


def test_a_result_of_a_lost_claim_is_not_taken(team: Team) -> None:
    replay = factories.make_replay(team, done=False)
    with pytest.raises(Conflict, match="Another worker"):
        replays.record(replay=replay, fence=7, result={})


def test_the_demo_has_a_replay_and_begins_no_second(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def perform(kind: str, identity: str) -> None:
        begun.append(identity)
        if len(begun) == 1:
            raise KeyboardInterrupt
        replays.cancel(replay=Replay.objects.get(pk=identity), by=team.steward)

    monkeypatch.setattr(runner, "perform", perform)
    with pytest.raises(KeyboardInterrupt):
        demo_attacks.load(team.steward)
    demo_attacks.load(team.steward)  # what was interrupted is continued
    demo_attacks.load(team.steward)
    assert begun == [str(Replay.objects.get().pk)] * 2


def test_old_replays_make_room(team: Team) -> None:
    for _ in range(replays.KEPT + 2):
        last = factories.make_replay(team)
    assert Replay.objects.count() == replays.KEPT
    assert Replay.objects.latest_result() == last


def test_a_failed_replay_says_why(team: Team, browse: Browser) -> None:
    replay = factories.make_replay(team, done=False)
    fence = Replay.objects.claim(replay.pk, "w", 60)
    assert fence is not None
    Replay.objects.fail(replay.pk, fence, code="no-noise", message="The sampler is not there.")
    assert "The sampler is not there." in browse("analyst").get(f"/attacks/{replay.pk}/").content.decode()


def test_the_page_needs_nothing_heavy() -> None:
    code = (
        "import sys; import worker.engine.demonstrations.settings;"
        "print({'scipy', 'opendp', 'numba', 'sklearn'} & {name.partition('.')[0] for name in sys.modules})"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=120)
    assert said.strip() == "set()"
