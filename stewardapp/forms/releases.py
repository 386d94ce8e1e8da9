"""Forms about a release: create, describe and submit, publish, revoke, import a recipe."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone

from stewardapp.access.workflow import Audience
from stewardapp.forms.presets import presets
from stewardapp.forms.recipe_form import MAXIMUM_ITEMS
from stewardapp.models import User, Version
from worker.engine.io.formats import FURTHER
from worker.engine.strict_json import BadJson, loads

LONG = forms.Textarea(attrs={"rows": 4})
AUDIENCES = (
    (Audience.PROJECT, "Members of this project"),
    (Audience.NAMED, "The people named below"),
    (Audience.SIGNED_IN, "Everyone who can sign in"),
    (Audience.PUBLIC_LINK, "Anyone with the link"),
)
MAXIMUM_RECIPE = 2 * 1024**2
NAMES = {"goals": "goal", "steps": "method"}
SHAPE = (
    "“goals” and “steps” of a recipe are lists of objects such as "
    "{“goal”: “k-anonymity”, “params”: {“k”: 5}} and {“method”: “rounding”, “params”: {…}}."
)


class CreateForm(forms.Form):
    """From which version, under which name, and what kind of release it is."""

    version = forms.ModelChoiceField(
        queryset=Version.objects.none(),
        empty_label="Choose a version",
        label="Data",
        help_text="A version whose file was read. Tag its columns first: an untagged column is dropped.",
    )
    title = forms.CharField(max_length=200, help_text="What the catalogue will call it.")
    preset = forms.ChoiceField(
        widget=forms.RadioSelect,
        label="What kind of release is it?",
        help_text="Fills in goals and steps. Everything can be changed afterwards.",
    )

    def __init__(self, *args: Any, versions: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version, preset = self.fields["version"], self.fields["preset"]
        if isinstance(version, forms.ModelChoiceField) and isinstance(preset, forms.ChoiceField):
            version.queryset = versions
            preset.choices = [(one.slug, one.title) for one in presets()]
        preset.initial = presets()[0].slug


class EditionForm(forms.Form):
    """Of which data, and under which name."""

    version = forms.ModelChoiceField(
        queryset=Version.objects.none(),
        empty_label="Choose a version",
        label="Data",
        help_text="Columns of the same name that nobody tagged yet get role, settings and hierarchy again.",
    )
    title = forms.CharField(max_length=200, help_text="What the catalogue will call it.")

    def __init__(self, *args: Any, versions: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"].queryset = versions  # type: ignore[attr-defined]


class SubmitForm(forms.Form):
    """What the reviewers need to know."""

    purpose = forms.CharField(
        widget=LONG,
        help_text="What the file will be used for, by whom, and why it is needed in this detail.",
    )
    context = forms.CharField(
        widget=LONG,
        required=False,
        help_text="What the reviewers should know: other files about these people, agreements, safeguards.",
    )
    reason_for_unique = forms.CharField(
        widget=LONG,
        label="Why may rows that stand alone be released?",
        help_text="Who could know the kept columns, and what keeps them from using that. Reviewers read it.",
    )
    audience = forms.ChoiceField(choices=AUDIENCES, widget=forms.RadioSelect, label="Who may download it?")
    named = forms.ModelMultipleChoiceField(
        queryset=User.objects.filter(is_active=True),
        required=False,
        label="Named people",
        help_text="Only used when the audience is the people named.",
        widget=forms.CheckboxSelectMultiple,
    )
    revision = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, singles_out: bool, **kwargs: Any) -> None:
        """Ask for the reason only where the run singles rows out."""
        super().__init__(*args, **kwargs)
        if not singles_out:
            del self.fields["reason_for_unique"]

    def clean(self) -> dict[str, Any]:
        """Somebody has to be named when the audience is the people named."""
        cleaned = super().clean() or {}
        if cleaned.get("audience") == Audience.NAMED and not cleaned.get("named"):
            self.add_error("named", "Name at least one person, or choose another audience.")
        return cleaned


class PublishForm(forms.Form):
    """From when; the hash is that of the candidate the page showed."""

    manifest_sha256 = forms.CharField(widget=forms.HiddenInput, max_length=64)
    embargo_until = forms.DateTimeField(
        required=False,
        label="Embargo until",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="Nobody can download the file before this moment. Leave it empty to publish now.",
    )

    def clean_embargo_until(self) -> Any:
        """An embargo ends in the future."""
        until = self.cleaned_data["embargo_until"]
        if until is not None and until <= timezone.now():
            raise forms.ValidationError("Choose a moment in the future, or leave it empty.")
        return until


class RevokeForm(forms.Form):
    """What those who have the file are told."""

    notice = forms.CharField(
        widget=LONG,
        label="Notice",
        help_text="Shown in the catalogue and sent to all who downloaded the file: why, and what to do.",
    )


class ImportForm(forms.Form):
    """A recipe file, pasted."""

    recipe = forms.CharField(
        max_length=MAXIMUM_RECIPE,
        widget=forms.Textarea(attrs={"rows": 10, "class": "code", "spellcheck": "false"}),
        label="Recipe",
        help_text="The text of a recipe file. Its goals and steps replace those above, its columns do not.",
    )

    def clean_recipe(self) -> dict[str, Any]:
        """The goals and steps of the recipe; what it says of columns belongs to another file."""
        recipe = parsed(self.cleaned_data["recipe"])
        parts = {name: recipe.get(name, []) for name in ("goals", "steps")}
        if not all(is_list_of_parts(part, NAMES[name]) for name, part in parts.items()):
            raise forms.ValidationError(SHAPE)
        if sum(map(len, parts.values())) > MAXIMUM_ITEMS:
            raise forms.ValidationError(
                f"A page holds {MAXIMUM_ITEMS} goals and steps; run a longer recipe on the command line."
            )
        asked = recipe.get("formats", [])
        return parts | {"formats": [name for name in FURTHER if isinstance(asked, list) and name in asked]}


def is_list_of_parts(part: Any, name: str) -> bool:
    """Whether a part of a recipe has the shape of goals or steps: named, with parameters by name."""
    return isinstance(part, list) and all(
        isinstance(one, dict) and isinstance(one.get(name), str) and isinstance(one.get("params", {}), dict)
        for one in part
    )


def parsed(text: str) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        recipe = loads(text)
    except BadJson as bad:
        raise forms.ValidationError(f"This {bad.what}.") from None
    if not isinstance(recipe, dict):
        raise forms.ValidationError("A recipe is a JSON object with “goals” and “steps”.")
    return recipe
