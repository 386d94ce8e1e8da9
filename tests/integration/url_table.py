"""Every address of the site, and who gets what there: the one table of expectations.

A `Door` says who finds something behind an address (everybody else is told there is nothing, or to sign in)
and who of them may go through (the others get the refusal). No door for a method means 405.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import project_keys
from stewardapp.models import ProjectKey, Run
from tests import factories
from tests.integration.marked_parameters import transition_parameter
from tests.integration.url_scene import AUDIENCES, PERSONAS, STATES, Asked, Place, Scene
from tests.scenes import undone
from worker.engine.demonstrations.settings import AttackSettings

STEWARDS = frozenset({"steward", "co_steward", "reviewer_who_edited"})
TEAM = STEWARDS | {"reviewer"}
MEMBERS = TEAM | {"analyst"}
ADMIN = frozenset({"admin"})
OFFICER = frozenset({"officer"})
WORKING = MEMBERS | ADMIN | OFFICER | {"other_steward"}
ALL = frozenset(PERSONAS)
SIGNED_IN = ALL - {"anonymous"}
ANONYMOUS = frozenset({"anonymous"})
ANALYST = frozenset({"analyst"})
NOBODY: frozenset[str] = frozenset()

OPEN = frozenset({State.DRAFT, State.CHANGES_REQUESTED})
NEVER_SUBMITTED = frozenset({State.DRAFT, State.WITHDRAWN})
UNPUBLISHED = frozenset(State) - {State.PUBLISHED, State.REVOKED}


@dataclass(frozen=True)
class Door:
    """Who sees that there is something, who of them may, and what the others are told."""

    sees: frozenset[str]
    may: frozenset[str] | None = None
    refusal: str = "403"

    def expected(self, persona: str) -> str:
        """What this persona is answered."""
        if persona not in self.sees:
            return "sign-in" if persona == "anonymous" else "404"
        return "yes" if self.may is None or persona in self.may else self.refusal


Doors = Door | Mapping[str, Door] | None
Content = Callable[[Scene, Place], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """One address: what it needs, what a valid request sends, its doors."""

    get: Doors = None
    post: Doors = None
    args: Content = lambda scene, place: {}
    sends: Content = lambda scene, place: {}
    more: Mapping[str, Door] = field(default_factory=dict)
    headers: Content = lambda scene, place: {}
    places: tuple[str, ...] = (State.DRAFT.value,)
    records: frozenset[str] = frozenset({"post", "patch", "delete"})  # methods that leave a line in the log
    writes_unlogged: bool = False

    def doors(self, place: str) -> dict[str, Door]:
        """The door of each method in this place."""
        found = {"get": self.get, "post": self.post, **self.more}
        return {
            method: one if isinstance(one, Door) else one[place]
            for method, one in found.items()
            if one is not None
        }


def in_states(sees: frozenset[str], may: frozenset[str], states: frozenset[State]) -> dict[str, Door]:
    """May in these states; in the others nobody of those who see it."""
    return {state: Door(sees, may if state in states else NOBODY) for state in STATES}


def hidden_in(states: frozenset[State], door: Door) -> dict[str, Door]:
    """The same door in every state but these, where there is nothing."""
    return {state: Door(NOBODY) if state in states else door for state in STATES}


PAGE = Door(SIGNED_IN)
NOTHING = Door(NOBODY)
OWN = Row(PAGE, PAGE, records=frozenset(), writes_unlogged=True)  # one's own account, the library's pages
PUBLIC = Row(Door(ALL))

# Publications: what each audience finds.
PUBLICATION: dict[str, Door] = {
    **hidden_in(UNPUBLISHED, Door(MEMBERS | ADMIN)),
    "for-signed-in": Door(SIGNED_IN),
    "for-anyone": Door(ALL),
    "for-named": Door(TEAM | ADMIN | {"outsider"}),
    "under-embargo": Door(MEMBERS | ADMIN),
}
DOWNLOAD: dict[str, Door] = {
    **{state: Door(TEAM | ADMIN, NOBODY) for state in STATES},
    "published": Door(MEMBERS | ADMIN, MEMBERS),
    "revoked": Door(MEMBERS | ADMIN, NOBODY),
    "for-signed-in": Door(SIGNED_IN),
    "for-anyone": Door(ALL),
    "for-named": Door(TEAM | ADMIN | {"outsider"}, frozenset({"outsider"})),
    "under-embargo": Door(MEMBERS | ADMIN, NOBODY),
}

ASKED = {"ask": "count", "epsilon": "0.5"}
POLICY = {
    "row": "a1:reidentification",
    "a1-figure": "highest_risk",
    "a1-bound": 20,
    "a1-family": "any",
    "maximum_epsilon": 1,
    "reviewers": 1,
    "retention_days": 90,
    "replaces": 1,
}


def version(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.version.pk}


def preview(scene: Scene, place: Place) -> dict[str, Any]:
    assert place.preview is not None
    return {"id": place.preview.pk}


def replay(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.replay().pk}


def unused_version(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.unused_version().pk}


def dataset(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.version.dataset_id}


def project(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.team.project.pk}


def keyed_project(scene: Scene, place: Place) -> dict[str, Any]:
    """A project whose key has been used."""
    if ProjectKey.objects.of(scene.team.project.pk) is None:
        project_keys.create(project=scene.team.project, by=scene.team.steward)
    return project(scene, place)


def reported(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": place.run.pk}


def as_pdf(scene: Scene, place: Place) -> dict[str, Any]:
    return {**reported(scene, place), "form": "pdf"}


QUESTION = {
    "text": "?",
    "name": "more",
    "kind": "choice",
    "answers": "a\nb",
    "keep": "0.75",
}


def draft_survey(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.survey().pk}


def survey_question(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.survey().questions.all()[0].pk}


def query_desk(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.desk().pk}


def asked_question(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": factories.make_query(scene.desk(), scene.team.analyst).pk}


def answered_question(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": factories.make_stored_answer(scene.desk(), scene.team.analyst).pk}


def answered_survey(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.answered_survey().pk}


def public_survey(scene: Scene, place: Place) -> dict[str, Any]:
    return {"public_id": scene.answered_survey().public_id}


def matrix_step(scene: Scene, place: Place) -> dict[str, Any]:
    """A step with a matrix parameter, whichever method has one."""
    slug, param, mark = transition_parameter()
    params = {mark.column: "illness", mark.categories: ["cold", "flu"], param: [[0.9, 0.1], [0.2, 0.8]]}
    step = {"method": slug, "params": params}
    factories.rewrite(place.release, recipe={"steps": [step]})
    return {"id": place.release.pk, "number": 1, "param": param}


def matrix_sent(scene: Scene, place: Place) -> dict[str, Any]:
    return {"cell-0-0": "1", "cell-1-1": "1", "do": "show"}  # nothing is stored before it is saved


def population(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.population.pk}


def column(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.column.pk}


def attached(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.attached.pk}


def hierarchy(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.hierarchy.pk}


def upload(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": scene.upload().pk}


def release(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": place.release.pk}


def run(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": place.newest.pk}


def sweep(scene: Scene, place: Place) -> dict[str, Any]:
    """Runs that wait."""
    return {"id": factories.make_sweep(place.release).pk}


def hopeless(scene: Scene, place: Place) -> dict[str, Any]:
    """A run that found no solution."""
    made = factories.make_run(place.release)
    mend = {"part": "goal", "at": 0, "param": "k", "value": 3}
    fence = Run.objects.claim(made.pk, "w", 60) or 0
    Run.objects.fail(made.pk, fence, code="no-solution", message="None.", step=0, mends=[mend])
    return {"id": made.pk}


CHART = factories.CHART["slug"]


def assessment(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": place.assessment.pk}


def unjudged(scene: Scene, place: Place) -> Run:
    """A run that does not answer what the policy asks."""
    run = Run.objects.get(pk=place.run.pk)
    Run.objects.filter(pk=run.pk).update(figures={**run.figures, "results": {}})
    return run


def publication(scene: Scene, place: Place) -> dict[str, Any]:
    return {"public_id": place.release.public_id}


def submission(scene: Scene, place: Place) -> dict[str, Any]:
    return {"id": place.release.pk, "run_id": place.run.pk}


def seen_bytes(scene: Scene, place: Place) -> dict[str, Any]:
    return {"manifest_sha256": place.release.candidate_sha256, "decision": "approve", "reason": "Read."}


def file(name: str, content: bytes) -> dict[str, Any]:
    return {"file": SimpleUploadedFile(name, content)}


def announced(scene: Scene, place: Place) -> dict[str, Any]:
    return announcement(scene.version.dataset_id)


def announcement(dataset_id: object) -> dict[str, Any]:
    """What a resumable upload says first."""
    from base64 import b64encode

    said = b64encode(str(dataset_id).encode()).decode()
    return {
        "Upload-Length": "6",
        "Tus-Resumable": "1.0.0",
        "Upload-Metadata": f"filename c3VydmV5LmNzdg==,dataset {said}",
    }


def piece(scene: Scene, place: Place) -> dict[str, Any]:
    return {"Upload-Offset": str(len(factories.CSV)), "Content-Type": "application/offset+octet-stream"}


TABLE: dict[str, Row] = {
    # What anybody reaches
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    "theme": Row(
        post=Door(ALL), sends=lambda scene, place: {"theme": "dark", "next": "/"}, records=frozenset()
    ),
    # One's account
    "account_login": Row(Door(ALL), Door(ALL), records=frozenset()),
    "account_logout": Row(PAGE, Door(ALL, NOBODY, "sign-in"), records=frozenset()),
    "account_signup": Row(Door(ALL), Door(ALL), records=frozenset()),
    "account_inactive": PUBLIC,
    "account_change_password": OWN,
    "account_choose_password": Row(  # nobody comes with a link here
        Door(ALL, NOBODY, "410"),
        Door(ALL, NOBODY, "410"),
        args=lambda scene, place: {"account": scene.team.analyst.pk},
    ),
    "account_reauthenticate": OWN,
    "mfa_index": Row(PAGE),
    "mfa_authenticate": OWN,
    "mfa_reauthenticate": OWN,
    "mfa_activate_totp": OWN,
    # There is nothing behind these three before a second factor was set up
    "mfa_deactivate_totp": Row(NOTHING, NOTHING),
    "mfa_view_recovery_codes": Row(NOTHING),
    "mfa_download_recovery_codes": Row(NOTHING, NOTHING),
    "mfa_generate_recovery_codes": OWN,
    # What everybody with an account reaches
    "home": Row(PAGE),
    "notifications-read": Row(post=PAGE, records=frozenset(), writes_unlogged=True),
    "help": Row(PAGE),
    "help-page": Row(PAGE, args=lambda scene, place: {"name": "roles"}),
    "help-picture": Row(PAGE, args=lambda scene, place: {"name": "tag.png"}),
    "method-list": Row(PAGE),
    "method-detail": Row(PAGE, args=lambda scene, place: {"kind": "methods", "slug": "rounding"}),
    "catalogue-list": Row(PAGE),
    "audit-list": Row(PAGE),
    "operations": Row(Door(SIGNED_IN, ADMIN | OFFICER)),
    "review-list": Row(PAGE),
    "release-list": Row(PAGE),
    "dataset-list": Row(PAGE),
    "project-list": Row(PAGE),
    "population-list": Row(PAGE),
    # Attacks on people who do not exist: everybody reads, stewards and administrators have them replayed
    "replay-list": Row(PAGE),
    "replay-detail": Row(PAGE, args=replay),
    "replay-chart": Row(PAGE, args=lambda scene, place: replay(scene, place) | {"slug": "averaging"}),
    "replay-cancel": Row(
        post=Door(SIGNED_IN, STEWARDS | ADMIN | {"other_steward"}),
        args=lambda scene, place: {"id": factories.make_replay(scene.team, done=False).pk},
    ),
    "replay-start": Row(
        post=Door(SIGNED_IN, STEWARDS | ADMIN | {"other_steward"}),
        sends=lambda scene, place: {f"attack-{n}": v for n, v in AttackSettings(rounds=1).params().items()},
    ),
    # Projects
    "project-create": Row(
        Door(SIGNED_IN, ADMIN),
        Door(SIGNED_IN, ADMIN),
        sends=lambda scene, place: {"name": "A new project"},
    ),
    "project-detail": Row(Door(MEMBERS | ADMIN), args=project),
    "project-rename": Row(
        Door(MEMBERS | ADMIN, ADMIN),
        Door(MEMBERS | ADMIN, ADMIN),
        project,
        lambda scene, place: {"name": "Another name"},
    ),
    "project-members": Row(
        Door(MEMBERS | ADMIN),
        Door(MEMBERS | ADMIN, ADMIN),
        project,
        lambda scene, place: {"user": scene.team.outsider.pk, "role": "analyst"},
    ),
    "project-policy": Row(
        Door(MEMBERS | ADMIN), Door(MEMBERS | ADMIN, ADMIN), project, lambda scene, place: POLICY
    ),
    "project-key": Row(Door(MEMBERS | ADMIN), Door(MEMBERS | ADMIN, STEWARDS | ADMIN), keyed_project),
    # Surveys: a draft to change, one that collects, and its public page
    "project-surveys": Row(Door(MEMBERS | ADMIN), args=project),
    "survey-create": Row(
        Door(MEMBERS | ADMIN, STEWARDS),
        Door(MEMBERS | ADMIN, STEWARDS),
        project,
        lambda scene, place: {"title": "S", "access": "open", "new_population": "Asked people"},
    ),
    # Query desks: the analyst has an allowance
    "desk-list": Row(PAGE),
    "desk-detail": Row(Door(MEMBERS | ADMIN), args=query_desk),
    "desk-open": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        lambda scene, place: {"id": scene.tagged_version().pk},
        lambda scene, place: {"columns": ["age"], "rows_per_person": 1},
    ),
    "desk-ask": Row(
        Door(MEMBERS | ADMIN, ANALYST),
        Door(MEMBERS | ADMIN, ANALYST),
        query_desk,
        lambda scene, place: ASKED,
        records=frozenset(),  # a try: nothing is asked yet
    ),
    "desk-confirm": Row(
        post=Door(MEMBERS | ADMIN, ANALYST), args=query_desk, sends=lambda scene, place: ASKED
    ),
    "desk-close": Row(post=Door(MEMBERS | ADMIN, STEWARDS), args=query_desk),
    "question-detail": Row(Door(MEMBERS), args=asked_question),
    "question-progress": Row(Door(MEMBERS), args=asked_question),
    "question-chart": Row(Door(MEMBERS), args=answered_question),
    "question-withdraw": Row(post=Door(MEMBERS, ANALYST), args=asked_question),
    "survey-detail": Row(Door(TEAM | ADMIN), args=draft_survey),
    "survey-edit": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        draft_survey,
        lambda scene, place: {"title": "S", "access": "open"},
    ),
    "survey-move": Row(
        post=Door(TEAM | ADMIN, STEWARDS), args=draft_survey, sends=lambda scene, place: {"move": "open"}
    ),
    "survey-invite": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=lambda scene, place: {"id": scene.survey(invited=True).pk},
        sends=lambda scene, place: {"number": 3},
    ),
    "survey-collect": Row(post=Door(TEAM | ADMIN, STEWARDS), args=answered_survey),
    "survey-results": Row(Door(TEAM | ADMIN, TEAM), args=answered_survey),
    "survey-chart": Row(
        Door(TEAM | ADMIN, TEAM), args=lambda scene, place: {**answered_survey(scene, place), "number": 1}
    ),
    "survey-question-add": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        draft_survey,
        lambda scene, place: QUESTION,
    ),
    "survey-question-change": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        survey_question,
        lambda scene, place: QUESTION,
    ),
    "survey-question-remove": Row(post=Door(TEAM | ADMIN, STEWARDS), args=survey_question),
    "survey-answer": Row(Door(ALL), args=public_survey),
    # What the client of the tests sends is a form, and a form is no randomized answer
    "survey-receive": Row(
        post=Door(ALL, NOBODY, "400"), args=public_survey, sends=lambda scene, place: {"codes": "0"}
    ),
    "membership-remove": Row(
        post=Door(MEMBERS | ADMIN, ADMIN), args=lambda scene, place: {"id": scene.membership.pk}
    ),
    # Populations belong to the site: whoever has a role somewhere sees them
    "population-create": Row(
        Door(SIGNED_IN, STEWARDS | ADMIN | {"other_steward"}),
        Door(SIGNED_IN, STEWARDS | ADMIN | {"other_steward"}),
        sends=lambda scene, place: {"name": "Some people"},
    ),
    "population-detail": Row(Door(WORKING), args=population),
    "population-overlap": Row(
        post=Door(WORKING, STEWARDS | OFFICER),
        args=population,
        sends=lambda scene, place: {"other": scene.version.dataset.population_id, "reason": "A register."},
    ),
    "population-separate": Row(
        post=Door(WORKING, STEWARDS | OFFICER),
        args=population,
        sends=lambda scene, place: {"other": scene.sharing().pk, "reason": "A mistake."},
    ),
    "population-leaks": Row(
        Door(WORKING),
        Door(WORKING, STEWARDS | OFFICER),
        population,
        lambda scene, place: {
            "place": "A forum",
            "seen_on": "2026-01-02",
            "brought": SimpleUploadedFile("leaked.csv", b"age\n30\n"),
        },
    ),
    # Who holds data about the people, and officers: others do not know what leaked
    "leak-unregister": Row(
        post=Door(TEAM | ADMIN | OFFICER, STEWARDS | OFFICER),
        args=lambda scene, place: {"id": factories.make_leak(scene.population, scene.team.steward).pk},
        sends=lambda scene, place: {"reason": "It was another file."},
    ),
    "population-budget": Row(Door(WORKING), args=population),
    "population-chart": Row(Door(WORKING), args=population),
    "population-limit": Row(
        post=Door(WORKING, STEWARDS | OFFICER),
        args=population,
        sends=lambda scene, place: {"epsilon": "1", "reason": "A study."},
    ),
    "population-allot": Row(
        post=Door(WORKING, STEWARDS | OFFICER),
        args=population,
        sends=lambda scene, place: {"project": scene.team.project.pk, "epsilon": "0", "reason": "Why."},
    ),
    "allotment-detail": Row(
        Door(MEMBERS | ADMIN | OFFICER, STEWARDS | ADMIN),
        Door(MEMBERS | ADMIN | OFFICER, STEWARDS | ADMIN),
        lambda scene, place: {"id": scene.allotment().pk},
        lambda scene, place: {"user": scene.team.analyst.pk, "epsilon": "0.1"},
    ),
    "proposal-confirm": Row(
        post=Door(WORKING, (STEWARDS | OFFICER) - {"steward"}),
        args=lambda scene, place: {"id": scene.proposal().pk},
    ),
    "proposal-decline": Row(
        post=Door(WORKING, STEWARDS | OFFICER),
        args=lambda scene, place: {"id": scene.proposal().pk},
    ),
    # Data
    "dataset-move": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        dataset,
        lambda scene, place: {"target": scene.population.pk, "reason": "Another year."},
    ),
    "dataset-admission": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        lambda scene, place: {"id": scene.unadmitted().pk},
        lambda scene, place: {"reason": "A second wave."},
    ),
    "dataset-create": Row(
        PAGE,
        Door(SIGNED_IN, STEWARDS, "422"),
        sends=lambda scene, place: {
            "project": scene.team.project.pk,
            "name": "New data",
            "population": scene.population.pk,
        },
    ),
    "dataset-detail": Row(Door(TEAM | ADMIN), args=dataset),
    "dataset-remove": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=lambda scene, place: {"id": factories.make_dataset(scene.team).pk},
    ),
    "dataset-upload": Row(
        Door(TEAM | ADMIN, STEWARDS),
        Door(TEAM | ADMIN, STEWARDS),
        dataset,
        lambda scene, place: file("survey.csv", factories.CSV),
    ),
    "upload": Row(PAGE, Door(TEAM | ADMIN, STEWARDS), headers=announced),
    "upload-detail": Row(
        Door(frozenset({"steward"})),
        Door(frozenset({"steward"})),
        upload,
        more={name: Door(frozenset({"steward"})) for name in ("head", "patch", "delete")},
        headers=piece,
        writes_unlogged=True,
    ),
    "version-detail": Row(Door(TEAM | ADMIN), args=version),
    "version-progress": Row(Door(TEAM | ADMIN), args=version),
    "version-read": Row(post=Door(TEAM | ADMIN, STEWARDS), args=unused_version),
    "version-cancel": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=lambda scene, place: {"id": factories.upload(scene.team).pk},
    ),
    "version-destroy": Row(
        post=Door(TEAM | ADMIN, STEWARDS | ADMIN),
        args=unused_version,
        sends=lambda scene, place: {"reason": "Sent by mistake."},
    ),
    "version-columns": Row(
        Door(TEAM | ADMIN, TEAM),
        Door(TEAM | ADMIN, STEWARDS),
        version,
        lambda scene, place: {"role-0": "other"},
    ),
    "version-identifying": Row(Door(TEAM | ADMIN, TEAM), args=version),
    "column-settings": Row(
        Door(TEAM),
        Door(TEAM, STEWARDS),
        column,
        lambda scene, place: {"kind": scene.column.kind, "label": "What it is."},
    ),
    "version-hierarchies": Row(Door(TEAM | ADMIN, TEAM), args=version),
    "version-reuse": Row(post=Door(TEAM | ADMIN, STEWARDS), args=version),
    "version-bring": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=version,
        sends=lambda scene, place: {
            "do": "import",
            "files": "1",
            "name-0": "age.csv",
            "lines-0": "34;30-39",
            "column-0": str([*scene.version.columns.values_list("name", flat=True)].index(scene.column.name)),
        },
    ),
    "column-hierarchy": Row(Door(TEAM), args=column),
    "column-hierarchy-edit": Row(
        Door(TEAM),
        Door(TEAM, STEWARDS),
        column,
        lambda scene, place: {"do": "show"},
        records=frozenset(),  # nothing is stored before it is saved
    ),
    "column-propose": Row(post=Door(TEAM, STEWARDS), args=column),
    "column-attach": Row(
        post=Door(TEAM, STEWARDS),
        args=column,
        sends=lambda scene, place: {"hierarchy": scene.hierarchy.pk},
    ),
    "column-detach": Row(post=Door(TEAM, STEWARDS), args=attached),
    "column-import": Row(
        post=Door(TEAM, STEWARDS), args=column, sends=lambda scene, place: file("ages.csv", b"34;30-39\n")
    ),
    "hierarchy-detail": Row(Door(TEAM), args=hierarchy),
    "hierarchy-export": Row(Door(TEAM), args=hierarchy),
    "hierarchy-keep": Row(post=Door(TEAM, STEWARDS), args=hierarchy),
    # Releases, in every state
    "release-create": Row(
        PAGE,
        Door(SIGNED_IN, STEWARDS, "422"),
        sends=lambda scene, place: {"version": scene.version.pk, "title": "New", "preset": "blank"},
    ),
    "release-detail": Row(
        in_states(TEAM | ADMIN, TEAM | ADMIN, frozenset(State)), args=release, places=STATES
    ),
    "release-progress": Row(Door(TEAM | ADMIN), args=release),
    "release-map": Row(Door(TEAM | ADMIN), args=release),
    "release-submit": Row(
        in_states(TEAM | ADMIN, STEWARDS, OPEN),
        in_states(TEAM | ADMIN, STEWARDS, OPEN),
        submission,
        lambda scene, place: {
            "purpose": "To study.",
            "audience": "project",
            "revision": place.release.revision,
        },
        places=STATES,
    ),
    "release-edition": Row(
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.PUBLISHED, State.REVOKED})),
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.PUBLISHED, State.REVOKED})),
        release,
        lambda scene, place: {"version": scene.unused_version().pk, "title": "Next"},
        places=STATES,
    ),
    "release-withdraw": Row(
        post=in_states(TEAM | ADMIN, STEWARDS, OPEN | {State.APPROVED}), args=release, places=STATES
    ),
    "release-reopen": Row(  # nobody, while all votes count
        post=in_states(TEAM | ADMIN, NOBODY, frozenset()), args=release, places=STATES
    ),
    "release-publish": Row(
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.APPROVED})),
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.APPROVED})),
        release,
        seen_bytes,
        places=STATES,
    ),
    "release-revoke": Row(
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.PUBLISHED})),
        in_states(TEAM | ADMIN, STEWARDS, frozenset({State.PUBLISHED})),
        release,
        lambda scene, place: {"notice": "A mistake."},
        places=STATES,
    ),
    "release-configure": Row(
        in_states(TEAM | ADMIN, TEAM | ADMIN, frozenset(State)),
        in_states(TEAM | ADMIN, STEWARDS, OPEN),
        release,
        lambda scene, place: {"do": "save"},
        places=STATES,
    ),
    "release-import": Row(
        post=in_states(TEAM | ADMIN, STEWARDS, OPEN),
        args=release,
        sends=lambda scene, place: {"recipe": "{}"},
        places=STATES,
        records=frozenset(),  # shown, not yet saved
    ),
    "step-matrix": Row(
        Door(TEAM | ADMIN, TEAM), Door(TEAM | ADMIN, STEWARDS), matrix_step, matrix_sent, records=frozenset()
    ),
    "step-matrix-chart": Row(Door(TEAM | ADMIN, TEAM), args=matrix_step),
    "release-export": Row(Door(TEAM | ADMIN, TEAM), args=release),
    # Runs
    "preview-detail": Row(Door(TEAM), args=preview),
    "preview-chart": Row(
        Door(TEAM), args=lambda scene, place: preview(scene, place) | {"slug": "marginal-illness"}
    ),
    "run-start": Row(post=in_states(TEAM | ADMIN, STEWARDS, OPEN), args=release, places=STATES),
    "run-detail": Row(in_states(TEAM | ADMIN, TEAM | ADMIN, frozenset(State)), args=run, places=STATES),
    "run-progress": Row(in_states(TEAM | ADMIN, TEAM | ADMIN, frozenset(State)), args=run, places=STATES),
    "changes": Row(
        in_states(TEAM | ADMIN, TEAM | ADMIN, frozenset(State)),
        args=lambda scene, place: {"of": f"run:{place.newest.pk}"},
        places=STATES,
    ),
    "sweep-begin": Row(
        in_states(TEAM | ADMIN, STEWARDS, OPEN),
        in_states(TEAM | ADMIN, STEWARDS, OPEN),
        release,
        lambda scene, place: {"goals-0-k": "3, 5", "counted": "2"},
        places=STATES,
    ),
    "sweep-detail": Row(Door(TEAM | ADMIN), args=sweep),
    "sweep-progress": Row(Door(TEAM | ADMIN), args=sweep),
    "sweep-map": Row(Door(TEAM | ADMIN), args=sweep),
    "sweep-cancel": Row(post=Door(TEAM | ADMIN, STEWARDS), args=sweep),
    "run-cancel": Row(post=in_states(TEAM | ADMIN, STEWARDS, OPEN), args=run, places=STATES),
    "run-explorer": Row(Door(TEAM | ADMIN), args=lambda scene, place: {"id": place.run.pk}),
    "run-explore": Row(post=Door(TEAM | ADMIN, TEAM), args=lambda scene, place: {"id": place.run.pk}),
    "run-mend": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=hopeless,
        sends=lambda scene, place: {"mend": "0"},
    ),
    "run-bookmark": Row(
        post=Door(TEAM | ADMIN, TEAM),
        args=lambda scene, place: {"id": place.run.pk},
        sends=lambda scene, place: {"step": "0", "node": "2-2", "note": "Few rows go."},
    ),
    "bookmark-remove": Row(
        post=Door(TEAM | ADMIN, TEAM),
        args=lambda scene, place: {"id": factories.make_bookmark(place.run).pk},
    ),
    "run-choose": Row(
        post=in_states(TEAM | ADMIN, STEWARDS, OPEN),
        args=lambda scene, place: {"id": place.run.pk},
        sends=lambda scene, place: {"step": "0", "node": "2-2"},
        places=STATES,
    ),
    "run-compare": Row(
        Door(TEAM | ADMIN), args=lambda scene, place: {"id": place.run.pk, "other": place.newest.pk}
    ),
    "run-chart": Row(Door(TEAM | ADMIN), args=lambda scene, place: {"id": place.run.pk, "slug": place.chart}),
    # Reports of a run: with figures of the data, and with what may be published
    "run-report": Row(Door(TEAM | ADMIN, TEAM), args=reported),
    "run-report-file": Row(Door(TEAM | ADMIN, TEAM), args=as_pdf),
    "run-external-report": Row(Door(TEAM | ADMIN), args=reported),
    "run-external-report-file": Row(Door(TEAM | ADMIN), args=as_pdf),
    "run-replay": Row(Door(TEAM | ADMIN, TEAM), args=reported),
    "run-replay-archive": Row(Door(TEAM | ADMIN, TEAM), args=reported),
    # What is measured of a run afterwards
    "run-assessments": Row(
        Door(TEAM | ADMIN),
        {state: Door(TEAM | ADMIN, TEAM if state == "in-review" else STEWARDS) for state in STATES},
        lambda scene, place: {"id": place.run.pk},
        lambda scene, place: {
            "item": "measure:a1:marginals",
            "measures": "shown",
            "do": "ask",
        },
        places=STATES,
    ),
    "run-measure-policy": Row(
        post=Door(TEAM | ADMIN, STEWARDS), args=lambda scene, place: {"id": unjudged(scene, place).pk}
    ),
    "assessment-detail": Row(Door(TEAM | ADMIN), args=assessment),
    "assessment-chart": Row(
        Door(TEAM | ADMIN, TEAM),
        args=lambda scene, place: {**assessment(scene, place), "slug": f"marginals#44136fa3/{CHART}"},
    ),
    "assessment-report": Row(Door(TEAM | ADMIN, TEAM), args=assessment),
    "assessment-cancel": Row(
        post=Door(TEAM | ADMIN, STEWARDS),
        args=lambda scene, place: {"id": factories.make_assessment(place.run, done=False).pk},
    ),
    # Reviews
    "review-detail": Row(hidden_in(NEVER_SUBMITTED, Door(TEAM | ADMIN)), args=release, places=STATES),
    "review-progress": Row(Door(TEAM | ADMIN), args=release, places=STATES),
    "review-decide": Row(
        post=in_states(TEAM | ADMIN, frozenset({"reviewer"}), frozenset({State.IN_REVIEW})),
        args=release,
        sends=seen_bytes,
        places=STATES,
    ),
    "comment-add": Row(
        post=in_states(TEAM | ADMIN, TEAM, frozenset(State)),
        args=release,
        sends=lambda scene, place: {"text": "Why so?", "visibility": "public"},
        places=STATES,
    ),
    "comment-resolve": Row(
        post=Door(TEAM), args=lambda scene, place: {"id": place.comment.pk}, places=("in-review",)
    ),
    # Publications
    "catalogue-detail": Row(PUBLICATION, args=publication, places=(*STATES, *AUDIENCES)),
    "catalogue-certificate": Row(PUBLICATION, args=publication, places=(*STATES, *AUDIENCES)),
    "release-report": Row(PUBLICATION, args=publication, places=(*STATES, *AUDIENCES)),
    "release-report-file": Row(
        PUBLICATION,
        args=lambda scene, place: {**publication(scene, place), "form": "json"},
        places=(*STATES, *AUDIENCES),
    ),
    "catalogue-chart": Row(NOTHING, args=publication),  # of tables with noise only: tests/unit/views
    "catalogue-manifest": Row(PUBLICATION, args=publication, places=(*STATES, *AUDIENCES)),
    "artifact-download": Row(
        DOWNLOAD,
        args=lambda scene, place: {"id": place.artifact.pk},
        places=(*STATES, *AUDIENCES),
        records=frozenset({"get"}),  # who took what is recorded
    ),
}


@dataclass(frozen=True)
class Request:
    """What is sent to an address, for one persona after the other; what it writes is taken back."""

    scene: Scene
    name: str
    method: str
    args: Mapping[str, Any]
    sent: Mapping[str, Any]

    @classmethod
    def valid(cls, scene: Scene, name: str, label: str, method: str) -> Request:
        """All that the address needs, made in this place."""
        row, place = TABLE[name], scene.places[label]
        args, sent = row.args(scene, place), {"headers": row.headers(scene, place)}
        if method == "post":
            sent["data"] = row.sends(scene, place)
        return cls(scene, name, method, args, sent)

    def about(self, id: object) -> Request:
        """The same about something else."""
        return replace(self, args={**self.args, **{one: id for one in self.args if one.endswith("id")}})

    def by(self, persona: str) -> Asked:
        """As somebody."""
        for one in self.sent.get("data", {}).values():
            if isinstance(one, SimpleUploadedFile):
                one.seek(0)  # the one before has read it
        with undone():
            return self.scene.ask(persona, self.method, reverse(self.name, kwargs=self.args), **self.sent)
