"""The editor of hierarchies: every button sends the whole draft, and nothing is stored before it is saved."""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_http_methods

from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import hierarchies
from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.forms.hierarchy_builders import FORMS, BuilderForm, first_choice
from stewardapp.forms.hierarchy_draft import BUILD, RESTART, Draft, change_of
from stewardapp.models import Column
from stewardapp.presenters.hierarchies import built_over, levels_over, rows_over
from stewardapp.presenters.hierarchy_editor import picked, sheet
from stewardapp.views.hierarchies import column_or_404, may_edit
from stewardapp.views.people import signed_in
from worker.engine.errors import EngineError
from worker.engine.hierarchies import hierarchy as engine
from worker.engine.hierarchies.edits import edited, plain, refusal
from worker.engine.wording import thousands

MOST_EDITED = 20_000
TOO_MANY = (
    f"More than {thousands(MOST_EDITED)} values are too many to edit by hand. Build by rule, or import a "
    "table."
)
UNSEEN = (
    "This column is too large to be shown here. Build by rule without a preview, or import a table; the run "
    "says how many values have no row."
)
BY_HAND = ("group", "rename", "add-level", "remove-level", "complete")


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show the draft, change it, or save it as the hierarchy of the column."""
    column = column_or_404(request, id)
    if request.method == "POST":
        require(may_edit(request, column))
    return Editor(request, column).answer()


class Editor:
    """One request to the editor."""

    def __init__(self, request: HttpRequest, column: Column) -> None:
        self.request, self.column = request, column
        self.posted = request.POST
        self.command = "show" if "switch" in self.posted else self.posted.get("do", "show")
        self.error = ""
        self.seen = previewable(column)
        self.counts: Counter[str] = values_of(column) if self.seen else Counter()
        self.builder = self._builder_asked()

    def answer(self) -> HttpResponse:
        """The page, or the way back when the draft was saved."""
        try:
            draft = Draft.sent(self.posted)
            laid = self._laid(draft)
        except EngineError as refused:
            self.error = refused.sentence
            return self._page(Draft(), plain(sorted(self.counts)))
        try:
            later = self._changed(draft, laid)
            laid, draft = (laid, draft) if later is draft else (self._laid(later), later)
            if self.command == "save" and not self.builder.errors:
                return self._saved(draft, laid)
        except (EngineError, Invalid) as refused:
            self.error = refused.sentence if isinstance(refused, EngineError) else refused.reason
        return self._page(draft, laid)

    def _builder_asked(self) -> BuilderForm:
        """The form of a builder: as sent, or as the attached hierarchy was built."""
        attached: dict[str, Any] = self.column.hierarchy.spec if self.column.hierarchy else {}
        name = self.posted.get("switch") or self.posted.get("builder") or attached.get("builder")
        form = FORMS.get(str(name)) or FORMS[first_choice(self.column.kind)]
        if self.command == BUILD:
            return form(self.posted, prefix=form.builder)
        return (
            form.showing(attached) if attached.get("builder") == form.builder else form(prefix=form.builder)
        )

    def _changed(self, draft: Draft, laid: engine.Hierarchy) -> Draft:
        """The draft after the button; the very same when the button changes nothing."""
        verb = self.command.partition(":")[0]
        if verb == BUILD:
            valid = self.builder.is_valid()
            return draft.changed({"change": BUILD, "spec": self.builder.spec()}) if valid else draft
        if verb == "undo":
            return draft.taken_back()
        if verb == RESTART:
            return draft.changed({"change": RESTART})
        if verb in BY_HAND:
            if self.note:
                raise refusal(self.note)
            return draft.changed(
                change_of(self.command, self.posted, picked(laid, self.posted.getlist("pick")))
            )
        return draft

    @property
    def note(self) -> str:
        """Why nothing can be edited by hand; empty when it can."""
        if not self.seen:
            return UNSEEN
        return TOO_MANY if len(self.counts) > MOST_EDITED else ""

    def _laid(self, draft: Draft) -> engine.Hierarchy:
        values, name = sorted(self.counts), self.column.name
        if draft.spec:
            base = built_over(draft.spec, values, name)
        elif draft.beginning or self.column.hierarchy is None:
            base = plain(values)
        else:
            base = rows_over(self.column.hierarchy, values, name)
        return edited(base, draft.edits, values)

    def _saved(self, draft: Draft, laid: engine.Hierarchy) -> HttpResponse:
        column, by = self.column, signed_in(self.request)
        if not self.seen and not draft.spec:
            raise refusal(UNSEEN)
        written = (
            {"spec": draft.spec} if draft.spec and not draft.edits else {"lines": "\n".join(laid.lines())}
        )
        wanted = self.posted.get("name", "").strip() or f"{column.name[:80]}: edited"
        made = hierarchies.create(
            project=column.version.project,
            version=column.version,
            name=column.version.project.hierarchies.free_name(wanted),
            levels=laid.height + 1 if self.seen else 0,
            by=by,
            **written,
        )
        hierarchies.attach(column=column, hierarchy=made, by=by)
        messages.success(self.request, "The hierarchy is saved and attached.")
        there = reverse("column-hierarchy", args=[column.pk])
        if self.request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Redirect": there})
        return redirect(there)

    def _page(self, draft: Draft, laid: engine.Hierarchy) -> HttpResponse:
        wanted = self.posted.get("search", "")
        page = {
            "column": self.column,
            "version": self.column.version,
            "draft": draft,
            "sheet": sheet(laid, self.counts, wanted),
            "levels": levels_over(laid, self.counts),
            "search": wanted,
            "name": self.posted.get("name", ""),
            "label": self.posted.get("label", "") if self.error else "",
            "error": self.error,
            "note": self.note,
            "builders": FORMS.values(),
            "builder": self.builder,
            "may_edit": may_edit(self.request, self.column),
        }
        failed = (
            self.request.method == "POST"
            and bool(self.error or self.builder.errors)
            and not self.request.headers.get("HX-Request")
        )
        return render(self.request, "hierarchies/edit.html", page, status=422 if failed else 200)


urlpatterns: list[URLPattern] = [
    path("columns/<uuid:id>/hierarchy/edit/", edit, name="column-hierarchy-edit"),
]
