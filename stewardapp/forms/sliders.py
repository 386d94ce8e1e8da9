"""A number chosen on a logarithmic slider, or typed."""

from __future__ import annotations

import math
from typing import Any

from django import forms


class LogSlider(forms.NumberInput):
    """The typed number is what is sent; the slider only writes into it and needs JavaScript to appear."""

    template_name = "forms/log_slider.html"

    def __init__(self, low: int, high: int, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.low, self.high = low, high

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The slider's place is the logarithm of the number."""
        shown = super().get_context(name, value, attrs)
        return {**shown, "low": self.low, "high": self.high, "place": self._place(value)}

    def _place(self, value: Any) -> str:
        try:
            place = math.log10(float(value))
        except (TypeError, ValueError):
            place = 0.0
        return f"{min(max(place, self.low), self.high):.2f}"
