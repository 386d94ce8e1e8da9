"""How a file is written, in words."""

from collections.abc import Mapping
from typing import Any

from stewardapp.forms.versions import DELIMITER_WORDS, QUOTE_WORDS


def dialect_lines(dialect: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and value of what was found or said about a file."""
    if not dialect:
        return []
    lines = [("Format", str(dialect.get("format", "csv")).upper())]
    if dialect.get("format", "csv") == "csv":
        lines += [
            ("Delimiter", DELIMITER_WORDS.get(dialect.get("delimiter", ","), str(dialect.get("delimiter")))),
            ("Quote", QUOTE_WORDS.get(dialect.get("quote", '"'), str(dialect.get("quote")))),
            ("Encoding", str(dialect.get("encoding", "utf-8"))),
        ]
    codes = [code for code in dialect.get("missing", ()) if code]
    lines.append(("Means missing", ", ".join(["an empty field", *codes])))
    if suggested := dialect.get("suggested_missing"):
        lines.append(("Also seen", f"{', '.join(suggested)} – say below if they mean missing"))
    return lines + [("Note", note) for note in dialect.get("notes", ())]
