"""The icons, as path data on a 24 by 24 grid; drawn with `currentColor` so that they follow the theme."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

PATHS: dict[str, str] = {
    "alert": "M12 4L2.5 20.5h19z M12 10v4.5 M12 17.5v.01",
    "archive": "M3 5h18v4H3z M5 9v11h14V9 M10 13h4",
    "ban": "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z M5.6 5.6l12.8 12.8",
    "brand": "M4 5h9l7 7v7H4z M13 5v7h7 M8 15l2 2 4-4",
    "check": "M5 12.5l4.5 4.5L19 7.5",
    "clock": "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z M12 7v5l3 3",
    "contrast": "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z M12 3v18 M12 7h5 M12 12h9 M12 17h5",
    "cross": "M6 6l12 12 M18 6L6 18",
    "download": "M12 4v11 M7 11l5 5 5-5 M5 20h14",
    "edit": "M4 20h4L19 9l-4-4L4 16z M13 7l4 4",
    "exit": "M14 4h5v16h-5 M10 8l-4 4 4 4 M6 12h9",
    "eye": "M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7z M12 9a3 3 0 1 0 0 6a3 3 0 0 0 0-6z",
    "file": "M6 3h8l5 5v13H6z M14 3v5h5",
    "folder": "M3 6h6l2 2h10v11H3z",
    "help": "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7 M12 17v.01",
    "info": "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z M12 11v5 M12 8v.01",
    "key": "M8 12a4 4 0 1 0 0 .01z M12 12h9 M18 12v4 M21 12v3",
    "layers": "M12 3l9 5-9 5-9-5z M3 12.5l9 5 9-5 M3 17l9 5 9-5",
    "left": "M15 6l-6 6 6 6",
    "lock": "M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3",
    "minus": "M6 12h12",
    "play": "M8 5l11 7-11 7z",
    "plus": "M12 5v14 M5 12h14",
    "right": "M9 6l6 6-6 6",
    "send": "M21 4L3 11l7 3 3 7z M10 14l5-5",
    "shield": "M12 3l8 3v6c0 4.5-3.2 7.7-8 9-4.8-1.3-8-4.5-8-9V6z",
    "spinner": "M12 3a9 9 0 1 0 9 9",
    "trash": "M4 7h16 M9 7V4h6v3 M6 7l1 13h10l1-13",
    "undo": "M8 5L4 9l4 4 M4 9h10a6 6 0 0 1 0 12h-3",
    "upload": "M12 16V5 M7 9l5-5 5 5 M5 20h14",
    "users": "M9 4a4 4 0 1 0 0 8a4 4 0 0 0 0-8z M2 21c0-4 3-6 7-6s7 2 7 6 M16 4.5a4 4 0 0 1 0 7",
}


def svg(name: str, classes: str = "") -> SafeString:
    """An icon as inline SVG, hidden from screen readers: the word beside it says the same."""
    return format_html(
        '<svg class="icon {}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{}"/></svg>',
        classes,
        PATHS[name],
    )
