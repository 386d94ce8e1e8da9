"""Readings of utility."""
