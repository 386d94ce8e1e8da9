"""The JSON holds every word of the paper, and what it was made of."""

import json

from stewardapp.presenters.reports.as_json import as_json
from tests.unit.presenters.reports.sheets import paper


def test_every_word_is_there_and_the_source_as_it_was() -> None:
    content = as_json(paper())
    read = json.loads(content)
    assert read["source"] == {"version": 2}
    assert read["audience"] == "internal"
    held = set(strings(read))
    assert [text for text in paper().texts() if text and text not in held] == []


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in strings(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in strings(inner)]
    return [str(value)]
