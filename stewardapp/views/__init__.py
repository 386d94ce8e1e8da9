"""Views: parse, ask, act, answer."""
