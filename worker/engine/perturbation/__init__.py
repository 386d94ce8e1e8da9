"""Noise that is added to numbers, and what is done to them afterwards."""
