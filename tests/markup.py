"""Markup as tests compare it: how a template breaks its lines is nobody's promise."""

import re


def tight(markup: str) -> str:
    """One blank between words, none beside a tag."""
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"[ \t\r\n]+", " ", markup))


def readable(markup: str) -> str:
    """Without identifiers, hashes and tokens: in what is random anything short occurs now and then."""
    return re.sub(r"[0-9A-Za-z+/=_-]{16,}", "", markup)
