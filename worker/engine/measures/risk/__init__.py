"""Readings of risk."""
