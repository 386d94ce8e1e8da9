"""An attack with a file that was brought along: read by the engine, found in no dataset, gone at the end."""

from __future__ import annotations

import io
from typing import Any

from stewardapp import storage
from stewardapp.actions import assessments
from stewardapp.actions.brought import arriving
from stewardapp.models import Assessment, AuditEvent, Dataset, Version
from tests.site import Site
from tests.unit.actions.test_brought import is_gone
from tests.unit.worker.jobs.test_assessment import Scene, file_of_people
from worker.queue import runner

KEPT: dict[str, Any] = {"goals": [], "steps": []}
KNOWN = {"file": "uploaded", "keys": ["age", "town"]}
HOSTILE = {
    "ragged": b"age,town\n30,North\n31\n",
    "not a table": b"\x00\x01\x02PAR1" * 50,
    "a broken workbook": b"PK\x03\x04" + b"\x00" * 400,
    "a header alone": b"age,town\n",
}


def register() -> bytes:
    """What a neighbour knows of the first twenty, and a name for each."""
    people = [line.split(",")[:2] for line in file_of_people().decode().splitlines()[1:21]]
    lines = [f"Somebody {number},{age},{town}" for number, (age, town) in enumerate(people)]
    return "\n".join(["name,age,town", *lines, ""]).encode()


def attacked(scene: Scene, content: bytes) -> Assessment:
    attack = [{"measure": "auxiliary-linkage", "params": KNOWN}]
    with arriving(io.BytesIO(content)) as file:
        made = assessments.ask(run=scene.run, measures=attack, file=file, by=scene.team.steward)
    assert not is_gone(made)
    runner.perform("assessment", str(made.pk))
    return Assessment.objects.get(pk=made.pk)


def test_an_attack_finds_people_and_the_file_is_gone(embedded_site: Site) -> None:
    scene = Scene(KEPT, [])
    datasets = (Dataset.objects.count(), Version.objects.count())
    made = attacked(scene, register())
    assert (made.state, made.error_message) == ("succeeded", "")
    [found] = made.report["measures"]
    assert found["after"]["people"] == 20
    assert found["after"]["correct_matches"] > 0
    assert is_gone(made)
    assert (Dataset.objects.count(), Version.objects.count()) == datasets
    assert not list((storage.root() / "temporary").iterdir())
    events = {one.action: one.details for one in AuditEvent.objects.about(made)}
    assert events["assessment.asked"]["uploaded_bytes"] == len(register())
    assert events["assessment.asked"]["measures_sha256"] == made.measures_sha256
    assert events["assessment.succeeded"]["uploaded_file"] == "destroyed"
    assert "Somebody" not in str(events)


def test_a_hostile_file_ends_the_assessment_and_is_gone(embedded_site: Site) -> None:
    scene = Scene(KEPT, [])
    for name, content in HOSTILE.items():
        made = attacked(scene, content)
        assert made.state == "failed", name
        assert made.error_message.startswith("The uploaded file: "), made.error_message
        assert AuditEvent.objects.about(made).latest("pk").details["uploaded_file"] == "destroyed"
        assert is_gone(made), name
    made = attacked(scene, b"colour,shape\nred,round\n")
    [found] = made.report["measures"]
    assert found["state"] == "failed"
    assert "no column of the data" in found["reason"]
    assert is_gone(made)
