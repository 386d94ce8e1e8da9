"""Who made what there was before it was kept with the things: the audit log knows it."""

import uuid
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from tests.integration.growing import BEFORE_MAKERS, migrated_to, models_of

APP, AFTER = "stewardapp", "0028_who_shaped_what"


class Old:
    """Rows of the time before."""

    def __init__(self, apps: Any) -> None:
        self.model = lambda name: apps.get_model(APP, name).objects
        self.users = {
            name: self.model("User").create(username=name) for name in ("maker", "asker", "tagger", "author")
        }
        self.project = self.model("Project").create(name="P")
        self.people = self.model("Population").create(name="People")
        self.events = self.model("AuditEvent").count()

    def dataset(self, name: str) -> Any:
        return self.model("Dataset").create(project=self.project, population=self.people, name=name)

    def version(self, dataset: Any) -> Any:
        key = self.model("DataKey").create()
        raw = {"sha256": "c" * 64, "size": 1, "path": f"blobs/{uuid.uuid4()}", "key": key, "purpose": "raw"}
        return self.model("Version").create(
            dataset=dataset,
            number=1,
            filename="f.csv",
            sha256="d" * 64,
            size=1,
            raw=self.model("Blob").create(**raw),
            key=key,
            uploaded_by=self.users["author"],
            retention_until=timezone.now(),
        )

    def told(self, action: str, subject: Any, by: str) -> None:
        """An event of the log."""
        self.events += 1
        self.model("AuditEvent").create(
            id=self.events,
            at=timezone.now(),
            actor=self.users[by],
            action=action,
            subject_type=subject._meta.model_name,
            subject_id=subject.pk,
            details={},
            previous_hash=f"{self.events - 1:064}",
            hash=f"{self.events:064}",
        )


def test_things_remember_their_makers(earlier: Callable[[str], None]) -> None:
    earlier(BEFORE_MAKERS)
    old = Old(models_of(BEFORE_MAKERS))
    dataset, version = old.dataset("A"), old.version(old.dataset("B"))
    hierarchy = old.model("Hierarchy").create(project=old.project, name="H", spec={"builder": "mask"})
    survey = old.model("Survey").create(
        project=old.project,
        population=old.people,
        title="S",
        created_by=old.users["author"],
        dataset=version.dataset,
    )
    question = old.model("SurveyQuestion").create(
        survey=survey,
        position=0,
        name="q",
        text="?",
        answers=["a", "b"],
        true_weight=2,
        other_weight=1,
        keep="0.5",
    )
    old.told("dataset.created", dataset, "maker")
    old.told("hierarchy.created", hierarchy, "maker")
    old.told("survey.question-added", question, "asker")
    release = old.model("Release").create(
        project=old.project, version=version, title="T", author=old.users["author"]
    )
    for kind in ("uploaded", "tagged"):
        said = {"release": release, "kind": kind}
        old.model("Contribution").create(user=old.users["author"], **said)
    old.model("Contribution").create(release=release, user=old.users["tagger"], kind="tagged")
    apps = migrated_to(AFTER)
    new = lambda name: apps.get_model(APP, name).objects  # noqa: E731 - as short as the model it stands for
    assert new("Dataset").get(pk=dataset.pk).created_by.username == "maker"
    assert new("Dataset").get(pk=version.dataset_id).created_by is None
    assert new("Hierarchy").get().made_by.username == "maker"
    makers = {user.username for user in new("Survey").get().makers.all()}
    assert makers == {user.username for user in new("Version").get().taggers.all()} == {"author", "asker"}
    kinds = [(one.user.username, one.kind) for one in new("Contribution").order_by("user__username")]
    assert kinds == [("author", "shaped-input"), ("tagger", "shaped-input")]
