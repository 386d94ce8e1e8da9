"""Forms of the review: a vote and a remark."""

from django import forms

from stewardapp.access.workflow import Decision
from stewardapp.models.comment import Visibility


class DecisionForm(forms.Form):
    """A vote on exactly the bytes whose hash the page carried."""

    manifest_sha256 = forms.CharField(widget=forms.HiddenInput, max_length=64)
    decision = forms.ChoiceField(choices=[(one.value, one.value) for one in Decision])
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Reason",
        help_text="What you checked and why you decide so. The author reads it when the review ends.",
        error_messages={"required": "Give a reason: it is what the author and the record will read."},
    )


class CommentForm(forms.Form):
    """A remark to the author, or among reviewers."""

    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), label="Comment", max_length=10_000)
    visibility = forms.ChoiceField(
        choices=[
            (Visibility.PUBLIC.value, "Everybody on the release"),
            (Visibility.PRIVATE.value, "Reviewers only"),
        ],
        label="Who reads it?",
        initial=Visibility.PUBLIC.value,
    )
