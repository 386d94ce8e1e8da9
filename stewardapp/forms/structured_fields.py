"""Fields for parameters that hold more than one value, typed as lines of text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms

from worker.engine.io.strict_json import BadJson, loads

ROWS = 3


class LinesField(forms.CharField):
    """Several texts, one per line."""

    widget = forms.Textarea(attrs={"rows": ROWS})

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else "\n".join(map(str, value))

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]


class MappingField(forms.CharField):
    """One setting per line, `name: value` or `name: first, second`."""

    widget = forms.Textarea(attrs={"rows": ROWS, "placeholder": "column: value, or column: first, second"})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return "\n".join(f"{name}: {setting_text(setting)}" for name, setting in value.items())

    def to_python(self, value: Any) -> Any:
        lines = [line for line in str(value or "").splitlines() if line.strip()]
        return dict(self.pair(number, line) for number, line in enumerate(lines, start=1))

    def pair(self, number: int, line: str) -> tuple[str, Any]:
        """The name and the setting of one line; a name may itself hold a colon."""
        name, colon, setting = line.rpartition(":")
        if not colon or not name.strip():
            raise forms.ValidationError(f"Line {number}: write a name, a colon and a value.")
        return name.strip(), setting_value(setting.strip())


class JsonField(forms.CharField):
    """Any other structure, as JSON."""

    widget = forms.Textarea(attrs={"rows": ROWS, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        if not value:
            return None
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def to_python(self, value: Any) -> Any:
        if not str(value or "").strip():
            return None
        try:
            return loads(str(value))
        except BadJson as bad:
            raise forms.ValidationError(f"This {bad.what}.") from None


class MatrixInput(forms.Textarea):
    """The matrix as text, and a button to the table it can be edited in."""

    template_name = "django/forms/widgets/matrix.html"


class MatrixField(JsonField):
    """A matrix of probabilities between categories."""

    widget = MatrixInput(attrs={"rows": ROWS, "spellcheck": "false"})


def setting_text(setting: Any) -> str:
    """The right side of a line."""
    if isinstance(setting, str):
        return setting
    if isinstance(setting, (list, tuple)) and all(isinstance(part, (int, float)) for part in setting):
        return ", ".join(map(str, setting))
    return json.dumps(setting, ensure_ascii=False)


def setting_value(text: str) -> Any:
    """What the right side of a line means: JSON, numbers with commas, or plain text."""
    for candidate in (text, f"[{text}]"):
        try:
            return loads(candidate)
        except BadJson:
            continue
    return text
