"""The filter of the audit log."""

from __future__ import annotations

from typing import Any

from django import forms

from stewardapp.models import Project
from stewardapp.models.audit import AuditEventQuerySet


class AuditFilter(forms.Form):
    """Project, action, person, thing and days; whatever is empty does not narrow."""

    project = forms.ModelChoiceField(
        queryset=Project.objects.none(), required=False, empty_label="All projects"
    )
    action = forms.CharField(required=False, label="Action begins with")
    actor = forms.CharField(required=False, label="By (user name)")
    subject = forms.UUIDField(required=False, label="About (id)")
    since = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}), label="From")
    until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}), label="To")

    def __init__(self, *args: Any, projects: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        project = self.fields["project"]
        if isinstance(project, forms.ModelChoiceField):
            project.queryset = projects

    def apply(self, events: AuditEventQuerySet) -> AuditEventQuerySet:
        """The events that pass the filter; a part that is not understood is ignored and says so."""
        self.is_valid()
        wanted = {
            "project": self.cleaned_data.get("project"),
            "action__startswith": self.cleaned_data.get("action"),
            "actor__username": self.cleaned_data.get("actor"),
            "subject_id": self.cleaned_data.get("subject"),
            "at__date__gte": self.cleaned_data.get("since"),
            "at__date__lte": self.cleaned_data.get("until"),
        }
        return events.filter(**{name: value for name, value in wanted.items() if value})
