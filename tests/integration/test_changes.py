"""Two hundred pages that listen to a real web process, on either database."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from stewardapp.actions import memberships
from stewardapp.models import Release, Run, User
from tests import factories
from tests.integration.serving import Serving, Signed, serving
from tests.site import Site, until
from tests.site_fixtures import new_site

PAGES_EACH, PEOPLE = 10, 20
PATIENCE = 30


@pytest.fixture(scope="module", params=["embedded", pytest.param("server", marks=pytest.mark.postgres)])
def web(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("changes")
    with ExitStack() as stack:
        site = new_site(request.param, request, folder / "data", stack)
        yield stack.enter_context(serving(site, folder))


class Line:
    """One page that listens."""

    def __init__(self, port: int, person: Signed, run: Run) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.sendall(person.head("GET", f"/changes/run:{run.pk}/"))
        self.heard = b""

    def hear(self, word: bytes) -> float:
        """When this was heard."""
        while word not in self.heard:
            more = self.socket.recv(65536)
            assert more, self.heard[-500:]
            self.heard += more
        return time.monotonic()

    def ends(self) -> bool:
        """Whether the other side hangs up."""
        with closing(self.socket):
            while more := self.socket.recv(65536):
                self.heard += more
        return True


@contextmanager
def lines(web: Serving, people: list[Signed], run: Run, each: int) -> Iterator[list[Line]]:
    """So many pages of each of these people, all open."""
    with ExitStack() as stack:
        opened = [Line(web.port, person, run) for person in people for _ in range(each)]
        for line in opened:
            stack.enter_context(closing(line.socket))
        for line in opened:
            line.hear(b"event: begun")
        yield opened


def threads(web: Serving) -> int:
    return len(list(Path(f"/proc/{web.pid}/task").iterdir()))


def reviewers(team: factories.Team, number: int) -> list[User]:
    """So many more members of the project."""
    made = [factories.make_user(f"reviewer-{one}") for one in range(number)]
    for user in made:
        memberships.add(project=team.project, user=user, role="reviewer", by=team.admin)
    return made


def release_of(team: factories.Team) -> Release:
    return factories.make_release(team)


def test_two_hundred_pages_cost_no_thread_each_and_all_hear_at_once(web: Serving) -> None:
    team = factories.make_project()
    run = factories.make_run(release_of(team))
    first, *people = [Signed(web.port, user) for user in reviewers(team, 1 + PEOPLE)]
    with lines(web, [first], run, PAGES_EACH):
        before = threads(web)
    with lines(web, people, run, PAGES_EACH) as listening:
        assert len(listening) == 200
        assert threads(web) <= before + 1
        assert people[0].ask("GET", f"/runs/{run.pk}/")[0] == 200, "pages are served meanwhile"
        began = time.monotonic()
        Run.objects.claim(run.pk, "worker", 60)
        told = f"event: changed\ndata: run:{run.pk}".encode()
        assert max(line.hear(told) for line in listening) - began < 10
        assert not [line for line in listening if line.heard.count(b"event: changed") > 1]


def test_a_change_is_heard_within_a_fraction_of_a_second(web: Serving) -> None:
    """Two of several, because others use this machine too: a poll each second is hardly so quick twice."""
    team = factories.make_project()
    release, person = release_of(team), Signed(web.port, team.steward)
    took = []
    for _ in range(6):
        run = factories.make_run(release)
        with lines(web, [person], run, 1) as (line,):
            began = time.monotonic()
            Run.objects.claim(run.pk, "worker", 60)
            took.append(line.hear(b"event: changed") - began)
    assert sorted(took)[1] < 0.25, took


def test_a_session_that_ended_and_a_right_that_was_lost_end_the_line(web: Serving) -> None:
    team = factories.make_project()
    run = factories.make_run(release_of(team))
    leaving, losing, staying = (
        Signed(web.port, one) for one in (team.reviewer, team.co_steward, team.steward)
    )
    with lines(web, [leaving, losing, staying], run, 1) as (left, lost, stayed):
        assert leaving.ask("POST", "/accounts/logout/")[0] == 302
        memberships.remove(membership=team.project.memberships.get(user=team.co_steward), by=team.admin)
        assert left.ends()
        assert lost.ends()
        assert Line(web.port, losing, run).ends()
        Run.objects.claim(run.pk, "worker", 60)
        stayed.hear(b"event: changed")
    assert b"event: changed" not in left.heard + lost.heard


def test_one_person_opens_so_many_and_others_go_on(web: Serving) -> None:
    team = factories.make_project()
    run = factories.make_run(release_of(team))
    one, other = Signed(web.port, team.steward), Signed(web.port, team.reviewer)
    with lines(web, [one], run, 12):
        refused = Line(web.port, one, run)
        assert refused.ends()
        assert refused.heard.startswith(b"HTTP/1.1 429")
        with lines(web, [other], run, 1):
            pass

    def there_is_room() -> bool:
        line = Line(web.port, one, run)
        with closing(line.socket):
            return line.socket.recv(12).endswith(b"200")

    until(there_is_room, PATIENCE, "lines that were closed count no more")


def test_who_listens_does_not_hold_up_the_end_of_the_process(any_site: Site, tmp_path: Path) -> None:
    with serving(any_site, tmp_path) as web:
        team = factories.make_project()
        run = factories.make_run(release_of(team))
        with lines(web, [Signed(web.port, team.steward)], run, 1) as (line,):
            web.end()
            began = time.monotonic()
            assert line.ends()
            assert time.monotonic() - began < 5


def test_the_line_says_nothing_but_that_something_changed(web: Serving) -> None:
    team = factories.make_project()
    run = factories.make_run(release_of(team))
    with lines(web, [Signed(web.port, team.steward)], run, 1) as (line,):
        fence = Run.objects.claim(run.pk, "worker-of-a-canary", 60) or 0
        Run.objects.progress(run.pk, fence, percent=3, stage="canary-stage")
        Run.objects.fail(run.pk, fence, code="canary-code", message="canary-message")
        line.hear(b"event: changed")
    body = line.heard.partition(b"\r\n\r\n")[2]
    assert b"canary" not in body
    assert settings.SESSION_COOKIE_NAME.encode() not in line.heard
