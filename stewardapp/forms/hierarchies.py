"""Forms about hierarchies: choose one of the project, or bring one as a table."""

import io
from typing import Any

from django import forms
from django.db.models import QuerySet

from stewardapp.models import Hierarchy
from worker.engine.errors import EngineError
from worker.engine.hierarchies.imports import read_any

MOST_BYTES = 16 * 1024**2


class AttachForm(forms.Form):
    """One of the project's hierarchies."""

    hierarchy = forms.ModelChoiceField(Hierarchy.objects.none(), empty_label=None)

    def __init__(self, *args: Any, choices: QuerySet[Hierarchy], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["hierarchy"].queryset = choices  # type: ignore[attr-defined]


class ImportForm(forms.Form):
    """A table without a header – value, level 1, level 2, … – or a tree."""

    file = forms.FileField(
        label="Table or tree", widget=forms.FileInput(attrs={"accept": ".csv,.txt,.tsv,.json"})
    )

    def __init__(self, *args: Any, column: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.column = column

    def clean_file(self) -> Any:
        """Read the lines and lay them out; a ragged or contradicting table is refused with its line."""
        file = self.cleaned_data["file"]
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError("The table is larger than 16 MB; keep one line per value.")
        try:
            text = io.TextIOWrapper(file.file, encoding="utf-8-sig", newline="").read()
            laid = read_any(text, self.column)
        except UnicodeDecodeError:
            raise forms.ValidationError("The table is not UTF-8 text; save it as CSV UTF-8.") from None
        except EngineError as error:
            raise forms.ValidationError(error.sentence) from None
        if "\x00" in text:
            raise forms.ValidationError("The table holds a NUL character; remove it.")
        self.lines, self.levels = "\n".join(laid.lines()), laid.height + 1
        return file
