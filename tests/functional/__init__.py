"""Journeys in a real browser against the product as `make run` starts it."""
