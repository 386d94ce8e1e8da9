"""How a file is written, corrected by a person."""

from django import forms

from worker.engine.io.dialect import DELIMITERS, ENCODINGS, DialectJson

DELIMITER_WORDS = {",": "comma ,", ";": "semicolon ;", "\t": "tab", "|": "bar |", " ": "space"}
QUOTE_WORDS = {'"': 'double "', "'": "single '", "": "none"}
FOUND = "as found in the file"
NO_QUOTE = "none"


class DialectForm(forms.Form):
    """What is left open is found again in the bytes."""

    delimiter = forms.ChoiceField(
        required=False,
        choices=[("", FOUND), *((mark, DELIMITER_WORDS.get(mark, mark)) for mark in DELIMITERS)],
    )
    quote = forms.ChoiceField(
        required=False, choices=[("", FOUND), ('"', 'double "'), ("'", "single '"), (NO_QUOTE, "none")]
    )
    encoding = forms.ChoiceField(required=False, choices=[("", FOUND), *((name, name) for name in ENCODINGS)])
    missing = forms.CharField(
        required=False,
        max_length=400,
        label="Missing codes",
        help_text="Texts that stand for no value, separated by commas. An empty field always does.",
    )

    @classmethod
    def of(cls, dialect: DialectJson) -> "DialectForm":
        """A form that shows the missing codes in force; delimiter and the like stay open."""
        return cls(initial={"missing": ", ".join(code for code in dialect.get("missing", ()) if code)})

    def said(self) -> DialectJson:
        """Only what the person decided, in the words of a dialect."""
        said: DialectJson = {}
        for name in ("delimiter", "quote", "encoding"):
            if chosen := self.cleaned_data.get(name):
                said[name] = "" if name == "quote" and chosen == NO_QUOTE else chosen
        codes = [code.strip() for code in self.cleaned_data["missing"].split(",")]
        said["missing"] = ["", *(code for code in codes if code)]
        return said
