"""Projects, their members and their policy."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import memberships, policies, projects
from stewardapp.domain.policy_presets import policy_preset, policy_presets
from stewardapp.forms.policies import PolicyForm, RowsForm, choices
from stewardapp.forms.projects import MemberForm, ProjectForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Dataset, Membership, Project, Release
from stewardapp.models.membership import person_of
from stewardapp.presenters.datasets import dataset_line
from stewardapp.presenters.home import release_line
from stewardapp.presenters.projects import member_lines, policy_line, project_line
from stewardapp.reads.datasets import datasets_with_newest
from stewardapp.reads.projects import projects_with_counts
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in

RECENT = 10


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Every project somebody is in; an administrator sees all."""
    user = signed_in(request)
    page = paged(request, searched(request, Project.objects.visible_to(user), "name", "description"))
    here = Project.objects.filter(pk__in=[project.pk for project in page])
    lines = [project_line(row) for row in projects_with_counts(here, user)]
    may_create = rules.may_create_project(person_of(user))
    shown = {"page": page, "projects": lines, "may_create": may_create}
    return render(request, "projects/list.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """A new project."""
    user = signed_in(request)
    require(rules.may_create_project(person_of(user)))
    form = ProjectForm(request.POST or None)
    if form.is_valid():
        project = attempt(form, projects.create, by=user, **form.cleaned_data)
        if project is not None:
            messages.success(request, "The project is there. Now add its members.")
            return redirect("project-members", project.id)
    page = {"form": form, "heading": "New project", "button": "Create project"}
    return render(request, "projects/form.html", page, status=answer_status(form))


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What the project holds, who is in it, and what its policy demands."""
    user, project = signed_in(request), _project(request, id)
    releases = Release.objects.visible_to(user).filter(project=project).select_related("project")[:RECENT]
    person = project.person(user)
    datasets = paged(request, Dataset.objects.visible_to(user).filter(project=project))
    page = {
        "project": project,
        "project_id": str(project.id),
        "policy": policy_line(project.policy),
        "members": member_lines(project.memberships.select_related("user")),
        "page": datasets,
        "datasets": [dataset_line(row) for row in datasets_with_newest(datasets)],
        "releases": [release_line(release) for release in releases],
        "may_upload": rules.may_create_dataset(person),
        "may_rename": rules.may_create_project(person),
    }
    return render(request, "projects/detail.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
def rename(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Another name or description."""
    user, project = signed_in(request), _project(request, id)
    require(rules.may_create_project(project.person(user)))
    shown = {"name": project.name, "description": project.description}
    form = ProjectForm(request.POST or None, initial=shown)
    if form.is_valid():
        attempt(form, projects.rename, project=project, by=user, **form.cleaned_data)
    if form.is_valid():
        return redirect("project-detail", project.id)
    page = {"form": form, "heading": "Rename", "button": "Save", "project": project}
    return render(request, "projects/form.html", page, status=answer_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Who is in the project; adding one role."""
    user, project = signed_in(request), _project(request, id)
    may_manage = rules.may_manage_members(project.person(user))
    form = MemberForm(request.POST or None) if may_manage or request.method == "POST" else None
    if request.method == "POST":
        require(may_manage)
        if form is not None and form.is_valid() and _added(form, project, request):
            return redirect("project-members", project.id)
    lines = member_lines(project.memberships.select_related("user"))
    page = {"project": project, "members": lines, "form": form, "may_manage": may_manage}
    return render(request, "projects/members.html", page, status=answer_status(form))


def _added(form: MemberForm, project: Project, request: HttpRequest) -> bool:
    user = form.cleaned_data["user"]
    role = form.cleaned_data["role"]
    if attempt(form, memberships.add, project=project, user=user, role=role, by=signed_in(request)) is None:
        return False
    messages.success(request, f"{user.display_name} is now {role} of this project.")
    return True


@require_POST
def remove_member(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Take one role from one person."""
    user = signed_in(request)
    membership = get_object_or_404(Membership.objects.visible_to(user), pk=id)
    project_id = membership.project_id
    memberships.remove(membership=membership, by=user)
    messages.success(request, "The role was removed.")
    return redirect("project-members", project_id)


@require_http_methods(["GET", "HEAD", "POST"])
def policy(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The rules in force, their history, and a revision."""
    project = _project(request, id)
    if request.method != "POST":
        return _policy_page(request, project, PolicyForm.of(project.policy), RowsForm.of(project.policy))
    require(rules.may_revise_policy(project.person(signed_in(request))))
    form, rows = PolicyForm(request.POST), RowsForm.sent(request.POST)
    command = request.POST.get("do", "save")
    verb, _, slug = command.partition(":")
    if verb == "begin" and (begun := policy_preset(slug)):
        shown = PolicyForm.begun_with(begun, project.policy), RowsForm.showing(begun.demands)
        return _policy_page(request, project, *shown, unsaved=True)
    if command != "save":
        return _policy_page(request, project, form.unjudged(), rows.rearranged(command), unsaved=True)
    if _revised(request, project, form, rows):
        messages.success(request, "The new policy holds for everything submitted from now on.")
        return redirect("project-policy", project.id)
    return _policy_page(request, project, form, rows, unsaved=True, status=422)


def _revised(request: HttpRequest, project: Project, form: PolicyForm, rows: RowsForm) -> bool:
    """Whether a new version was written; what is wrong with what was sent stands on the forms."""
    if not all([form.is_valid(), rows.is_valid()]):
        return False
    try:
        policies.revise(project=project, rows=rows.demands(), by=signed_in(request), **form.revision())
    except Invalid as refusal:
        if refusal.param.startswith("rows"):
            rows.refused(refusal)
        else:
            form.add_error(refusal.param if refusal.param in form.fields else None, refusal.reason)
        return False
    return True


def _policy_page(
    request: HttpRequest,
    project: Project,
    form: PolicyForm,
    rows: RowsForm,
    *,
    unsaved: bool = False,
    status: int = 200,
) -> HttpResponse:
    page = {
        "project": project,
        "form": form,
        "rows": rows,
        "unsaved": unsaved,
        "choices": choices(),
        "presets": policy_presets(),
        "may_revise": rules.may_revise_policy(project.person(signed_in(request))),
        "policy": policy_line(project.policy),
        "history": [
            policy_line(line) for line in project.policies.prefetch_related("rows").order_by("-version")
        ],
    }
    return render(request, "projects/policy.html", page, status=status)


def _project(request: HttpRequest, id: uuid.UUID) -> Project:
    return get_object_or_404(Project.objects.visible_to(signed_in(request)), pk=id)


urlpatterns: list[URLPattern] = [
    path("projects/", listing, name="project-list"),
    path("projects/new/", create, name="project-create"),
    path("projects/<uuid:id>/", detail, name="project-detail"),
    path("projects/<uuid:id>/rename/", rename, name="project-rename"),
    path("projects/<uuid:id>/members/", members, name="project-members"),
    path("projects/<uuid:id>/policy/", policy, name="project-policy"),
    path("memberships/<uuid:id>/remove/", remove_member, name="membership-remove"),
]
