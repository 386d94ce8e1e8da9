"""Privacy budgets: what is left and what was bought; limits, parts, proposals."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import budgets, looks, proposals
from stewardapp.domain.holding import facts_of, proposal_facts, stake_in, stake_of
from stewardapp.forms.budgets import AllotForm, AllowForm, LimitForm, MoveForm, ReasonForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Allotment, Dataset, Population, Project, Proposal, ProposalState, User
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters import budgets as lines
from stewardapp.presenters import charts
from stewardapp.reads.populations import charges_of
from stewardapp.views.people import signed_in
from stewardapp.views.reauthentication import confirm_identity

PROPOSED = "Proposed. Others have to agree; they were told."


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The budget of a population."""
    return _shown(request, _population(request, id))


@require_safe
def chart(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The budget over time as Plotly's JSON."""
    population = _population(request, id)
    told = bool(rules.may_see_purchases(person_anywhere(signed_in(request))))
    drawn = lines.history(population, charges_of(population) if told else ())
    return HttpResponse(charts.figure_json(drawn), content_type="application/json")


def concerned(user: User, population: Population) -> QuerySet[Project]:
    """The projects that a part can be for: one's own; for an officer those that hold data."""
    if not user.is_officer:
        return Project.objects.visible_to(user)
    return Project.objects.filter(pk__in=Dataset.objects.holding([population]).values("project"))


@require_POST
def limit(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Propose another limit."""
    user, population = signed_in(request), _population(request, id)
    require(rules.may_propose(stake_of(user, [population]), facts_of([population])))
    form = LimitForm(request.POST, projects=concerned(user, population))
    if form.is_valid():
        asked = {"limit": form.limit(), "reason": form.cleaned_data["reason"]}
        asked["project"] = form.cleaned_data["project"]
        attempt(form, proposals.propose_limit, population=population, by=user, **asked)
    return _answered(request, population, PROPOSED, limit_form=form)


@require_POST
def allot(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Set the part of a project, or propose it where others have to agree."""
    user, population = signed_in(request), _population(request, id)
    stake, facts = stake_of(user, [population]), facts_of([population])
    alone = rules.may_allot(stake, *facts)
    if not alone:
        require(rules.may_propose(stake, facts))
    form = AllotForm(request.POST, projects=concerned(user, population))
    if form.is_valid():
        asked = {"population": population, "project": form.cleaned_data["project"], "limit": form.limit()}
        if alone:
            attempt(form, budgets.allot, by=user, **asked)
        else:
            attempt(form, proposals.propose_part, reason=form.cleaned_data["reason"], by=user, **asked)
    return _answered(
        request, population, "The part of the project is set." if alone else PROPOSED, allot_form=form
    )


@require_http_methods(["GET", "HEAD", "POST"])
def allowances(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The parts of a project's analysts, and a form to set one."""
    user = signed_in(request)
    found = Allotment.objects.visible_to(user).select_related("population", "project")
    allotment = get_object_or_404(found, pk=id)
    may = rules.may_allow(allotment.project.person(user))
    require(may)
    form = AllowForm(request.POST or None, project=allotment.project)
    if form.is_valid():
        member = form.cleaned_data["user"]
        attempt(form, budgets.allow, allotment=allotment, user=member, limit=form.limit(), by=user)
        if not form.errors:
            messages.success(request, "The allowance is set.")
            return redirect("allotment-detail", allotment.pk)
    mine = [one for one in lines.allotment_lines(allotment.population, user) if one.allotment == allotment]
    page = {"line": mine[0], "form": form, "may_allow": may, "population": allotment.population}
    return render(request, "populations/allowances.html", page, status=answer_status(form))


@require_POST
def confirm(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Agree with a proposal of somebody else: it may be done at once, so the password is asked for again."""
    user, proposal = signed_in(request), _proposal(request, id)
    require(rules.may_agree(stake_in(proposal, user), proposal_facts(proposal)))
    confirm_identity(request)
    seen, aware = looks.look(proposal=proposal, by=user), "aware" in request.POST
    if not rules.may_confirm(seen, aware):
        page = {"proposal": proposal, "population": proposal.theirs, "known": rules.PROBABLY_KNOWN}
        return render(request, "populations/known.html", page, status=409)
    agreed = proposals.confirm(proposal=proposal, by=user, aware=aware)
    done = agreed.state == ProposalState.CONFIRMED
    messages.success(request, "You agreed. It is done." if done else "You agreed. Others have to agree too.")
    return redirect("population-budget", proposal.population_id)


@require_POST
def decline(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Turn a proposal down, or take the own one back."""
    proposal = _proposal(request, id)
    proposals.decline(proposal=proposal, by=signed_in(request))
    messages.success(request, "The proposal is declined.")
    return redirect("population-budget", proposal.population_id)


@require_http_methods(["GET", "HEAD", "POST"])
def move(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Say that a dataset is about other people."""
    user = signed_in(request)
    found = Dataset.objects.visible_to(user).select_related("project", "population")
    dataset = get_object_or_404(found, pk=id)
    require(rules.may_propose_move(dataset.project.person(user)))
    others = Population.objects.visible_to(user).exclude(pk=dataset.population_id)
    form = MoveForm(request.POST or None, populations=others)
    if form.is_valid():
        made = attempt(form, proposals.propose_move, dataset=dataset, by=user, **form.cleaned_data)
        if made is not None:
            messages.success(request, PROPOSED)
            return redirect("population-budget", dataset.population_id)
    page = {"dataset": dataset, "form": form}
    return render(request, "populations/move.html", page, status=answer_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
def admission(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Ask to count among those who hold data about the people."""
    user = signed_in(request)
    found = Dataset.objects.visible_to(user).select_related("project", "population")
    dataset = get_object_or_404(found, pk=id)
    require(rules.may_propose_move(dataset.project.person(user)))
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        made = attempt(form, proposals.propose_admission, dataset=dataset, by=user, **form.cleaned_data)
        if made is not None:
            messages.success(request, PROPOSED)
            return redirect("population-budget", dataset.population_id)
    page = {"dataset": dataset, "form": form}
    return render(request, "populations/admission.html", page, status=answer_status(form))


def _answered(request: HttpRequest, population: Population, said: str, **forms: Any) -> HttpResponse:
    """Back to the page when the form was taken, else the page with what is wrong."""
    if any(form.errors for form in forms.values()):
        return _shown(request, population, **forms)
    messages.success(request, said)
    return redirect("population-budget", population.pk)


def _shown(request: HttpRequest, population: Population, **forms: Any) -> HttpResponse:
    user = signed_in(request)
    drawn = lines.page(population, user)
    page = {
        **drawn,
        "chart": charts.pictured(drawn["history"]),
        "limit_form": LimitForm(projects=Project.objects.none()),
        "allot_form": AllotForm(projects=concerned(user, population), auto_id="allot_%s"),
        **forms,
    }
    status = 422 if any(form.errors for form in forms.values()) else 200
    return render(request, "populations/budget.html", page, status=status)


def _population(request: HttpRequest, id: uuid.UUID) -> Population:
    return get_object_or_404(Population.objects.visible_to(signed_in(request)), pk=id)


def _proposal(request: HttpRequest, id: uuid.UUID) -> Proposal:
    return get_object_or_404(Proposal.objects.visible_to(signed_in(request)), pk=id)


urlpatterns: list[URLPattern] = [
    path("populations/<uuid:id>/budget/", detail, name="population-budget"),
    path("populations/<uuid:id>/budget/chart/", chart, name="population-chart"),
    path("populations/<uuid:id>/budget/limit/", limit, name="population-limit"),
    path("populations/<uuid:id>/budget/allotments/", allot, name="population-allot"),
    path("allotments/<uuid:id>/", allowances, name="allotment-detail"),
    path("proposals/<uuid:id>/confirm/", confirm, name="proposal-confirm"),
    path("proposals/<uuid:id>/decline/", decline, name="proposal-decline"),
    path("datasets/<uuid:id>/population/", move, name="dataset-move"),
    path("datasets/<uuid:id>/admission/", admission, name="dataset-admission"),
]
