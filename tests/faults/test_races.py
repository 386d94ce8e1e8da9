"""Eight processes want the same run at the same moment: one gets it.

The control does the same with the usual mistake – read, check, write – and must go wrong, else the test
would not see a race if there was one.
"""

from stewardapp.models import JobState, Run
from tests.factories import make_project, make_release, make_run
from tests.site import Site

PROCESSES = 8
ROUNDS = 10
APART_SECONDS = 0.2

RACE = """
import os, sys, time
from stewardapp.models import Run

def conditional(id):
    return Run.objects.claim(id, "racer", 60) is not None

def read_check_write(id):
    run = Run.objects.get(pk=id)
    if run.state != "queued":
        return False
    run.state, run.worker, run.fence = "running", "racer", run.fence + 1
    run.lease_until = run.queued_at
    run.save()
    return True

claim = {"conditional": conditional, "read-check-write": read_check_write}[sys.argv[1]]
ids, processes, apart = sys.argv[2].split(","), int(sys.argv[3]), float(sys.argv[4])
moment = time.time() + 1.0  # the barrier: everybody looks at the same clock

def compete(moment):
    wins = ""
    Run.objects.exists()
    for id in ids:
        time.sleep(max(0.0, moment - 0.02 - time.time()))
        while time.time() < moment:
            pass
        moment += apart
        wins += str(int(claim(id)))
    os.write(1, (wins + "\\n").encode())

for _ in range(processes):
    if os.fork() == 0:
        compete(moment)
        os._exit(0)
for _ in range(processes):
    assert os.wait()[1] == 0
"""


def race(site: Site, how: str) -> list[int]:
    """How many processes won each round."""
    release = make_release(make_project())
    ids = ",".join(str(make_run(release).pk) for _ in range(ROUNDS))
    racers = site.script(RACE, how, ids, PROCESSES, APART_SECONDS)
    said, _ = racers.communicate(timeout=90)
    assert racers.returncode == 0
    won = [[int(win) for win in line] for line in said.split()]
    assert len(won) == PROCESSES
    return [sum(wins) for wins in zip(*won, strict=True)]


def test_one_of_eight_gets_the_run(server_site: Site) -> None:
    assert race(server_site, "conditional") == [1] * ROUNDS
    assert set(Run.objects.values_list("state", "fence", "attempts")) == {(JobState.RUNNING, 1, 1)}


def test_one_of_eight_gets_the_run_on_one_machine(embedded_site: Site) -> None:
    assert race(embedded_site, "conditional") == [1] * ROUNDS


def test_the_control_goes_wrong(server_site: Site) -> None:
    winners = race(server_site, "read-check-write")
    assert max(winners) > 1, "without the condition in the update several must win"
