"""Markup as tests compare it: how a template breaks its lines is nobody's promise."""

import re


def tight(markup: str) -> str:
    """One blank between words, none beside a tag."""
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"[ \t\r\n]+", " ", markup))
