"""Attacks replayed on the candidate."""
