"""The tags and filters of every page; `templates/_components/README.md` shows them in use."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.crypto import get_random_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from stewardapp.access.verdict import Verdict
from stewardapp.presenters import fragments, icons, numbers, spark, status, steps, times
from stewardapp.presenters.how_to_read import HowToRead

register = template.Library()

register.filter("thousands", numbers.thousands)
register.filter("measured", numbers.measured)
register.filter("percent", numbers.percent)
register.filter("size", numbers.size)
register.filter("duration", numbers.duration)
register.filter("short_hash", numbers.short_hash)


MANY = 2000
ITS_ID = "why-its-own"
"""Stands for the id in what is written once."""


def own_id() -> str:
    """An id that nothing else on the page has, for what explains a button."""
    return f"why-{get_random_string(6)}"


@register.simple_tag
def kept(template: str, **given: object) -> SafeString:
    """`{% kept "reports/_section.html" section=section %}`: an include written once.

    It knows nothing else of the page.
    """
    return fragments.piece(template, given)


@register.simple_tag
@lru_cache
def icon(name: str, classes: str = "") -> SafeString:
    """`{% icon "check" %}`."""
    return icons.svg(name, classes)


@register.simple_tag
def when(moment: datetime | None) -> SafeString | str:
    """`{% when release.published_at %}`: relative, with the absolute on hover."""
    return times.when(moment)


@register.simple_tag(name="spark")
def spark_tag(shape: Sequence[int], label: str = "", tone: str = "") -> SafeString:
    """`{% spark column.shape "distribution of age" %}`; the tone `before` is grey."""
    return spark.spark(shape, label, tone)


@register.simple_tag
def bar(part: int, tone: str = "") -> SafeString:
    """`{% bar 40 "risk" %}`: how much of a hundred; the number stands beside it."""
    return spark.bar(part, tone)


@register.simple_tag
def badge(state: object, word: str = "", title: str = "") -> SafeString:
    """`{% badge release.state %}`: colour, icon and word of a state; `word` says it otherwise."""
    look = status.status(state)
    return _badge(look.tone, word or look.word, look.icon, title)


@register.simple_tag
def tag(tone: str, word: str, icon: str = "") -> SafeString:
    """`{% tag "warn" "looks like postal codes" "alert" %}`: a badge that is no state."""
    return _badge(tone, word, icon, "")


@lru_cache(MANY, typed=True)
def _badge(tone: str, word: str, icon: str, title: str) -> SafeString:
    shown = {"tone": tone, "word": word, "icon": icon, "title": title}
    return render_to_string("_components/badge.html", shown)


# Django's tags cannot hold line breaks: what says a sentence takes it between two of them.


@register.simple_block_tag
def notice(content: SafeString, tone: str, title: str = "") -> SafeString:
    """`{% notice "warn" %}Nothing is tagged.{% endnotice %}`."""
    return render_to_string("_components/notice.html", {"tone": tone, "text": content, "title": title})


@register.simple_block_tag
def empty_state(content: SafeString, icon: str, title: str, url: str = "", label: str = "") -> SafeString:
    """`{% empty_state "file" "No file" url=… label="…" %}What to do next.{% endempty_state %}`."""
    shown = {"icon": icon, "title": title, "text": content, "url": url, "label": label}
    return render_to_string("_components/empty_state.html", shown)


@register.simple_block_tag(takes_context=True)
def confirm(context: Context, content: SafeString, label: str, url: str, button: str = "") -> SafeString:
    """`{% confirm "Revoke" url %}What cannot be undone.{% endconfirm %}`: a second look before a POST."""
    shown = {"label": label, "url": url, "button": button or label, "text": content}
    return render_to_string("_components/confirm.html", {**shown, "csrf_token": context.get("csrf_token")})


@register.inclusion_tag("_components/verdict_button.html")
def verdict_button(verdict: Verdict, label: str, **options: Any) -> dict[str, object]:
    """A submit button that the verdict guards; refused, it stays focusable and says why.

    Options: kind ("primary", "danger", "small", …), name and value, form, icon, left (the hint opens
    to the right of the left edge), up (above it, for the foot of the screen), show_reason (print the
    reason below instead of as a hint).
    """
    return {"verdict": verdict, "label": label, "id": own_id(), **options}


@register.inclusion_tag("_components/verdict_link.html")
def verdict_link(verdict: Verdict, url: str, label: str, **options: Any) -> dict[str, object]:
    """A link that looks like a button, guarded like `verdict_button`."""
    return {"verdict": verdict, "url": url, "label": label, "id": own_id(), **options}


@register.simple_block_tag
def help_text(content: SafeString, label: str = "How do I read this?") -> SafeString:
    """`{% help_text %}Share of people who …{% endhelp_text %}`: opens without a script."""
    shown = {"text": content, "label": label, "id": own_id()}
    return render_to_string("_components/help.html", shown)


@register.simple_tag
def how_to_read(one: HowToRead | None) -> SafeString | str:
    """`{% how_to_read row.help %}`: what a figure is, which way is better, worked out on this page."""
    return format_html(_how_to_read(one), id=own_id()) if one else ""


@lru_cache(MANY)
def _how_to_read(one: HowToRead) -> str:
    """What the template says, with a place for the id."""
    text = render_to_string("_components/how_to_read.html", {"one": one, "id": ITS_ID})
    return text.replace("{", "{{").replace("}", "}}").replace(ITS_ID, "{id}")


@register.inclusion_tag("_components/steps.html")
def release_steps(current: str, **urls: str) -> dict[str, object]:
    """`{% release_steps "tag" upload=version_url %}`."""
    return {"steps": steps.release_steps(current, urls)}


@register.inclusion_tag("_components/crumbs.html")
def crumbs(*parts: str) -> dict[str, object]:
    """`{% crumbs "Datasets" datasets_url "Health survey" "" %}`: label and address in turn; "" is no link."""
    return {"crumbs": list(zip(parts[::2], parts[1::2], strict=True))}


@register.filter
def item(mapping: Any, key: Any) -> Any:
    """`{{ counts|item:name }}`: a value of a mapping, or an empty string."""
    return mapping.get(key, "") if mapping else ""


@register.filter
def nth(values: Sequence[Any], place: int) -> Any:
    """`{{ heads|nth:forloop.counter0 }}`: one of several by its place."""
    return values[place]


@register.filter
def plural(count: int, words: str) -> str:
    """`{{ 3|plural:"row,rows" }}` → `3 rows`, with grouped digits."""
    one, many = words.split(",")
    return f"{numbers.thousands(count)}{numbers.NO_BREAK}{one if count == 1 else many}"


@register.filter
def joined(values: Iterable[object]) -> str:
    """Values with commas between them."""
    return ", ".join(str(value) for value in values)
