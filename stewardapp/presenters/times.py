"""Times relative to now, with the absolute beside them."""

from datetime import datetime

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

STEPS = (("day", 86400), ("hour", 3600), ("minute", 60))


def relative(moment: datetime, now: datetime) -> str:
    """How long ago, or in how long; beyond a month the date says more."""
    seconds = (now - moment).total_seconds()
    ahead, distance = seconds < 0, abs(seconds)
    if distance < 45:
        return "in a moment" if ahead else "just now"
    if distance > 30 * 86400:
        return f"{timezone.localtime(moment):%-d %B %Y}"
    for word, length in STEPS:
        count = round(distance / length)
        if distance >= length * 0.75:
            phrase = f"{max(count, 1)} {word}" + ("s" if count > 1 else "")
            return f"in {phrase}" if ahead else f"{phrase} ago"
    return "just now"


def when(moment: datetime | None) -> SafeString | str:
    """A moment as a `time` element."""
    if moment is None:
        return "–"
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        f"{local:%-d %B %Y, %H:%M:%S %Z}",
        relative(moment, timezone.now()),
    )


def absolute(moment: datetime | None) -> str:
    """A moment on paper, which nobody reads now."""
    return "–" if moment is None else f"{timezone.localtime(moment):%-d %B %Y, %H:%M %Z}"
