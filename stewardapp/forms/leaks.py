"""The form that registers a file that leaked."""

import datetime

from django import forms
from django.utils import timezone

from stewardapp.domain.brought import FIELD

ACCEPTED = ".csv,.tsv,.txt,.parquet,.xlsx,.sav,.zsav,.dta,.sas7bdat,text/csv"


class LeakForm(forms.Form):
    """The file, where it was seen, and when."""

    place = forms.CharField(
        max_length=200,
        label="Where it was seen",
        help_text="For example: a forum on the web, a lost device, a mail to the wrong person.",
    )
    seen_on = forms.DateField(
        label="When it was seen", widget=forms.DateInput(attrs={"type": "date"}), help_text="The first day."
    )
    brought = forms.FileField(
        label="The file",
        widget=forms.FileInput(attrs={"accept": ACCEPTED}),
        help_text="With a header whose names are those of the data. It is sealed as it arrives.",
    )

    def clean_seen_on(self) -> datetime.date:
        """A day that has come."""
        day: datetime.date = self.cleaned_data["seen_on"]
        if day > timezone.localdate():
            raise forms.ValidationError("This day has not come yet.")
        return day

    def refuse(self, reason: str) -> None:
        """Say what is wrong with a file that was not even read."""
        self.full_clean()
        self.errors.clear()
        self.add_error(FIELD, reason)
