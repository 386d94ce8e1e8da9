"""Reads a template tag by tag: how far in each line belongs, and what is bent."""

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 140
VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
MIDDLES = {"else": ("if", "for"), "elif": ("if",), "empty": ("for",)}
KEPT = re.compile(r"<(pre|textarea)\b.*?</\1>", re.DOTALL)
TOKEN = re.compile(
    r"""\{%\s*comment\b.*?endcomment\s*%\} | \{\#.*?\#\} | <!--.*?--> | \{\{.*?\}\}
    | \{%\s*(?P<middle>else|elif\b.*?|empty)\s*%\}
    | \{%\s*end(?P<end>\w+).*?%\}
    | \{%\s*(?P<block>\w+).*?%\}
    | <(?P<kept>pre|textarea)\b.*?</(?P=kept)>
    | </(?P<close>[a-z][a-z0-9-]*)\s*>
    | <(?P<open>[a-z][a-z0-9-]*)
      (?:\{%.*?%\}|\{\{.*?\}\}|"(?:\{%.*?%\}|\{\{.*?\}\}|[^"{]|\{)*"|'(?:\{%.*?%\}|\{\{.*?\}\}|[^'{]|\{)*'|[^>"'{]|\{)*>
    | [^<{\s]+ | \S""",
    re.VERBOSE | re.DOTALL,
)

Complaint = tuple[int, str]


class Opened(NamedTuple):
    """What waits for its end, and how far in the line stands on which it began."""

    name: str
    indent: int
    line: int


def complaints(text: str) -> Iterator[Complaint]:
    """`(line, what is wrong)` of a template; what is printed as it stands may stand anywhere."""
    lines = KEPT.sub(lambda found: re.sub(r"\n\s*", "\n", found[0]), text).split("\n")
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST:
            yield number, f"{len(line)} characters"
        if "\t" in line or indent(line) % 2:
            yield number, "indented by something else than pairs of spaces"
    yield from Reader(text).read()


class Reader:
    """Goes through the tags of one template and remembers what is open."""

    def __init__(self, text: str) -> None:
        self.text, self.lines = text, text.split("\n")
        self.blocks = set(re.findall(r"\{%\s*end(\w+)", text))
        self.stack: list[Opened] = []

    def read(self) -> Iterator[Complaint]:
        """Complaints, one tag after the other; a wrong end is the last, since nothing fits after it."""
        for token in TOKEN.finditer(self.text):
            number = self.text.count("\n", 0, token.start()) + 1
            belongs = self._belongs(token)
            if belongs is None:
                yield number, f"{token[0]} ends {self.stack[-1].name if self.stack else 'nothing'}"
                return
            own = indent(self.lines[number - 1])
            if own != belongs and self._begins_a_line(token):
                yield number, f"stands {own} in, belongs {belongs} in"
            yield from self._attributes(token, number, own)
            self._remember(token, number, own)
        for left in self.stack:
            yield left.line, f"nothing ends {left.name}"

    def _belongs(self, token: re.Match[str]) -> int | None:
        """How far in a line belongs that begins with this; None for an end of something else."""
        ended = MIDDLES[token["middle"].split()[0]] if token["middle"] else (token["end"] or token["close"],)
        if ended == (None,):
            return self.stack[-1].indent + 2 if self.stack else 0
        return self.stack[-1].indent if self.stack and self.stack[-1].name in ended else None

    def _remember(self, token: re.Match[str], number: int, own: int) -> None:
        if token["end"] or token["close"]:
            self.stack.pop()
        elif token["block"] in self.blocks or (token["open"] and token["open"] not in VOID):
            self.stack.append(Opened(token["block"] or token["open"], own, number))

    def _begins_a_line(self, token: re.Match[str]) -> bool:
        return not self.text[self.text.rfind("\n", 0, token.start()) + 1 : token.start()].strip()

    def _attributes(self, token: re.Match[str], number: int, own: int) -> Iterator[Complaint]:
        for further, line in enumerate(token[0].split("\n")[1:] if token["open"] else (), start=number + 1):
            if indent(line) < own + 4:
                yield further, f"an attribute stands {indent(line)} in, belongs {own + 4} in"


def indent(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))
