"""Rules about surveys whose respondents randomize their answers themselves."""

from __future__ import annotations

from datetime import date

from stewardapp.access.data_rules import ADMINS_DO_NOT_READ
from stewardapp.access.facts import Person
from stewardapp.access.permitted import permitted
from stewardapp.access.roles import Permission
from stewardapp.access.survey_states import SOURCES, SurveyFacts, SurveyMove, SurveyState
from stewardapp.access.verdict import Verdict, first_no, no, yes


def _may_run_surveys(person: Person, what: str) -> Verdict:
    allowed = permitted(person, Permission.UPLOAD, what)
    return ADMINS_DO_NOT_READ if not allowed and person.is_admin else allowed


def may_create_survey(person: Person) -> Verdict:
    """Begin a survey in a project."""
    return _may_run_surveys(person, "make a survey")


def may_edit_survey(person: Person, survey: SurveyFacts) -> Verdict:
    """Change questions, probabilities and dates: only before anybody could have answered."""
    draft = survey.state is SurveyState.DRAFT
    fixed = no("not-draft", "A survey that was opened is not changed any more: answers were given under it.")
    return first_no(_may_run_surveys(person, "change a survey"), yes() if draft else fixed)


def may_move_survey(person: Person, survey: SurveyFacts, move: SurveyMove) -> Verdict:
    """Open, pause, resume or close."""
    here = survey.state in SOURCES[move]
    wrong = no("wrong-state", f"This survey is {survey.state.value}.")
    allowed = first_no(_may_run_surveys(person, f"{move.value} a survey"), yes() if here else wrong)
    if not allowed or move is not SurveyMove.OPEN:
        return allowed
    if survey.questions == 0:
        return no("no-question", "Add a question first.")
    return yes() if survey.opens_on and survey.closes_on else no("no-dates", "Give both dates first.")


def may_invite(person: Person, survey: SurveyFacts) -> Verdict:
    """Make personal links."""
    if not survey.invited:
        return no("open-link", "This survey has one open link; personal links are for invited people.")
    over = no("closed", "The survey is closed.")
    return first_no(
        _may_run_surveys(person, "invite people"), over if survey.state is SurveyState.CLOSED else yes()
    )


def may_collect(person: Person, survey: SurveyFacts) -> Verdict:
    """Turn the answers that have come into a version of a dataset."""
    if survey.erased:
        return no("erased", "The answers were erased on their date.")
    some = yes() if survey.answers else no("no-answer", "Nobody has answered yet.")
    return first_no(_may_run_surveys(person, "collect the answers"), some)


def may_view_survey(person: Person) -> Verdict:
    """See the survey and what is estimated from its answers."""
    allowed = permitted(person, Permission.VIEW_DATA, "see the surveys")
    return ADMINS_DO_NOT_READ if not allowed and person.is_admin else allowed


def may_answer(survey: SurveyFacts, today: date) -> Verdict:
    """Take part, whoever it is: asked of the survey alone."""
    if survey.opens_on is None or survey.closes_on is None or survey.state is SurveyState.DRAFT:
        return no("not-open", "This survey is not open yet.")
    if survey.state is SurveyState.CLOSED or today > survey.closes_on:
        return no("closed", "This survey is closed. Thank you for your interest.")
    if survey.state is SurveyState.PAUSED:
        return no("paused", "This survey is paused. Please come back later.")
    if today < survey.opens_on:
        return no("not-yet", "This survey has not begun yet. Please come back later.")
    return yes()
