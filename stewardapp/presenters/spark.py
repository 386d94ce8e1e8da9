"""A tiny distribution, drawn by the server as SVG with attributes only."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, STEP, BAR = 90, 24, 9, 7


def spark(shape: Sequence[int], label: str = "", tone: str = "") -> SafeString:
    """Bars of 0 to 100 per cent of the height; an empty shape draws nothing but keeps its place."""
    width = max(WIDTH, len(shape) * STEP)
    heights = [max(round(min(max(value, 0), 100) * HEIGHT / 100), 1 if value else 0) for value in shape]
    bars = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}"/>',
        ((index * STEP, HEIGHT - height, BAR, height) for index, height in enumerate(heights)),
    )
    return format_html(
        '<svg class="spark {}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        tone,
        width,
        HEIGHT,
        label or "distribution of the values",
        bars,
    )


def bar(part: int, tone: str = "") -> SafeString:
    """A line of 0 to 100, filled as far as `part`; whoever cannot see it reads the number beside it."""
    return format_html(
        '<svg class="bar {}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="whole" width="100" height="6" rx="3"/><rect width="{}" height="6" rx="3"/></svg>',
        tone,
        part,
    )
