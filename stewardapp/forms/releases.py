"""Forms about a release: create, describe and submit, publish, revoke, import a recipe."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone

from stewardapp.access.workflow import Audience
from stewardapp.forms.presets import presets
from stewardapp.forms.recipe_form import LISTS, MAXIMUM_ITEMS, NAMES, UNSAID
from stewardapp.models import User, Version
from worker.engine.io.formats import FURTHER
from worker.engine.io.strict_json import BadJson, loads

LONG = forms.Textarea(attrs={"rows": 4})
AUDIENCES = (
    (Audience.PROJECT, "Members of this project"),
    (Audience.NAMED, "The people named below"),
    (Audience.SIGNED_IN, "Everyone who can sign in"),
    (Audience.PUBLIC_LINK, "Anyone with the link"),
)
MAXIMUM_RECIPE = 2 * 1024**2
SHAPE = (
    "“goals”, “steps” and “measures” of a recipe are lists of objects such as {“goal”: “k-anonymity”, "
    "“params”: {“k”: 5}}, {“method”: “rounding”, “params”: {…}} and {“measure”: “marginals”, “params”: {…}}; "
    "a measure without parameters may be its name alone."
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
        label="Why may it be released although it misses a bound?",
        help_text="Who could use what is there, and what keeps them from it. Reviewers read it.",
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
        """Ask for the reason only where the run misses what a reason excuses."""
        super().__init__(*args, **kwargs)
        if not singles_out:
            del self.fields["reason_for_unique"]

    def clean(self) -> None:
        """Somebody has to be named when the audience is the people named."""
        super().clean()
        cleaned = self.cleaned_data
        if cleaned.get("audience") == Audience.NAMED and not cleaned.get("named"):
            self.add_error("named", "Name at least one person, or choose another audience.")


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
        help_text="Its goals, steps and measures replace those above. What it says of columns is left out.",
    )

    def clean_recipe(self) -> dict[str, Any]:
        """The goals, steps and measures of the recipe; what it says of columns belongs to another file."""
        recipe = parsed(self.cleaned_data["recipe"])
        parts = {listed: recipe.get(listed, list(UNSAID.get(part, ()))) for part, listed in LISTS.items()}
        if not all(is_list_of_parts(parts[listed], part) for part, listed in LISTS.items()):
            raise forms.ValidationError(SHAPE)
        if sum(map(len, parts.values())) > MAXIMUM_ITEMS:
            text = f"A page holds {MAXIMUM_ITEMS} goals, steps and measures; "
            raise forms.ValidationError(text + "run a longer recipe on the command line.")
        asked = recipe.get("formats", [])
        return parts | {"formats": [name for name in FURTHER if isinstance(asked, list) and name in asked]}


def is_list_of_parts(listed: Any, part: str) -> bool:
    """Whether a list has the shape of goals, steps or measures: named, with parameters by name."""
    return isinstance(listed, list) and all(is_part(one, part) for one in listed)


def is_part(entry: Any, part: str) -> bool:
    """Whether an entry has a name and parameters; what is there unsaid too may be a name alone."""
    if isinstance(entry, str):
        return part in UNSAID
    named = isinstance(entry, dict) and isinstance(entry.get(NAMES[part]), str)
    return named and isinstance(entry.get("params", {}), dict)


def parsed(text: str) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        recipe = loads(text)
    except BadJson as bad:
        raise forms.ValidationError(f"This {bad.what}.") from None
    if not isinstance(recipe, dict):
        raise forms.ValidationError("A recipe is a JSON object with “goals”, “steps” and “measures”.")
    return recipe
