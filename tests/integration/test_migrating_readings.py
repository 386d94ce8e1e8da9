"""Data from before readings held their tables: each version's table goes to the reading that made it."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from tests.integration.growing import BEFORE_READINGS_HELD_TABLES, migrated_to, models_of

APP, AFTER = "stewardapp", "0020_versions_are_immutable"
HASHES = {"blob": "a" * 64, "table": "b" * 64}


class Old:
    """Rows of the time before."""

    def __init__(self, apps: Any) -> None:
        self.model = lambda name: apps.get_model(APP, name)
        self.user = self.model("User").objects.create(username="steward")
        self.project = self.model("Project").objects.create(name="P")
        self.people = self.model("Population").objects.create(name="People")
        self.now = timezone.now()

    def at(self, minutes: int) -> Any:
        return self.now + timedelta(minutes=minutes)

    def key(self) -> Any:
        return self.model("DataKey").objects.create()

    def blob(self, key: Any, purpose: str) -> Any:
        path = f"blobs/{uuid.uuid4()}"
        return self.model("Blob").objects.create(
            sha256=HASHES.get(purpose, "c" * 64), size=1, path=path, key=key, purpose=purpose
        )

    def version(self, name: str, *, table: bool = True) -> Any:
        dataset = self.model("Dataset").objects.create(
            project=self.project, population=self.people, name=name
        )
        key = self.key()
        profile = {"rows": 6, "dialect": {"delimiter": ";", "notes": ["n"]}, "preview": []} if table else {}
        return self.model("Version").objects.create(
            dataset=dataset,
            number=1,
            filename="f.csv",
            sha256="d" * 64,
            size=1,
            raw=self.blob(key, "raw"),
            key=key,
            uploaded_by=self.user,
            retention_until=self.at(1000),
            table=self.blob(key, "table") if table else None,
            rows=6 if table else None,
            profile=profile,
        )

    def reading(self, version: Any, minutes: int, state: str = "succeeded") -> Any:
        ended = {"finished_at": self.at(minutes), "error_code": "" if state == "succeeded" else "bad"}
        asked = {"queued_at": self.at(minutes), "requested_by": self.user, "dialect": {"missing": ["", "9"]}}
        return self.model("Reading").objects.create(version=version, state=state, **asked, **ended)

    def run(self, release: Any, number: int, minutes: int, **state: Any) -> Any:
        return self.model("Run").objects.create(
            release=release,
            number=number,
            recipe={},
            recipe_sha256="",
            started_by=self.user,
            key=self.key(),
            queued_at=self.at(minutes),
            **state,
        )

    def fill(self) -> SimpleNamespace:
        """A version read twice, with runs before and after, and one that could not be read."""
        version, people, unread = self.version("A"), self.version("B"), self.version("C", table=False)
        readings = [self.reading(version, 0), self.reading(version, 10), self.reading(version, 20, "failed")]
        compared, _ = self.reading(people, 0), self.reading(unread, 0, "failed")
        self.model("Column").objects.create(
            version=version, position=0, name="age", kind="integer", role="other", label="Age"
        )
        release = self.model("Release").objects.create(
            project=self.project, version=version, title="T", author=self.user
        )
        ended = {"state": "failed", "error_code": "bad", "finished_at": self.at(6), "started_at": self.at(5)}
        runs = [
            self.run(release, 1, 5, **ended),
            self.run(release, 2, 6),
            self.run(release, 3, 15, **ended | {"started_at": self.at(15)}),
        ]
        runs[2].populations.add(people)
        self.model("Preview").objects.create(release=release, recipe={}, requested_by=self.user)
        desk = self.model("Desk").objects.create(version=version, dictionary={}, opened_by=self.user)
        query = {"question": {}, "fingerprint": "f", "words": "w", "epsilon_micro": 1}
        self.model("Query").objects.create(desk=desk, version=version, asked_by=self.user, **query)
        names = {"version": version, "people": people, "unread": unread, "compared": compared}
        return SimpleNamespace(**names, readings=readings, runs=runs, table=version.table_id)


def test_every_table_finds_its_reading_and_every_job_too(earlier: Callable[[str], None]) -> None:
    earlier(BEFORE_READINGS_HELD_TABLES)
    old = Old(models_of(BEFORE_READINGS_HELD_TABLES)).fill()
    apps = migrated_to(AFTER)
    version = apps.get_model(APP, "Version").objects.get(pk=old.version.pk)
    first, second, _ = old.readings
    current = version.current
    assert (current.pk, current.table_id, current.rows) == (second.pk, old.table, 6)
    assert current.dialect == {"delimiter": ";", "missing": ["", "9"]}
    assert current.profile["preview"] == []
    earlier = apps.get_model(APP, "Reading").objects.get(pk=first.pk)
    assert (earlier.table, earlier.rows) == (None, None)
    runs = list(apps.get_model(APP, "Run").objects.order_by("number"))
    assert [run.reading_id for run in runs] == [first.pk, second.pk, second.pk]
    assert [one.pk for one in runs[2].compared.all()] == [old.compared.pk]
    assert runs[0].dictionary == {"age": {"label": "Age", "randomized": {}}}
    for name in ("Preview", "Desk", "Query"):
        assert apps.get_model(APP, name).objects.get().reading_id == second.pk
    assert apps.get_model(APP, "Version").objects.get(pk=old.unread.pk).current is None
